#include <algorithm>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/window.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// The dimensions of the three arrays, by the part that they play.
//
// Feature groups split the features of the input, and batch groups its batches, into as many parts
// as they split the features of the result: an element of the result is made from the part of its
// feature alone. Where there are no groups there is one.
struct Convolution {
  const hlo::ConvolutionDimensions& dimensions;
  std::vector<hlo::WindowDimension> window;
  std::span<const std::int64_t> input;  // sizes
  std::span<const std::int64_t> kernel;
  std::span<const std::int64_t> output;
  std::int64_t features_of_input_group = 0;   // input features that a kernel element runs over
  std::int64_t batches_of_group = 0;          // also the batches of the result
  std::int64_t outputs_of_feature_group = 0;  // features of the result of a feature group
  std::int64_t outputs_of_batch_group = 0;    // … of a batch group

  explicit Convolution(InstructionMaps& maps)
      : dimensions(
            *maps.instruction().get<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels)),
        input(maps.operand(0).dimensions),
        kernel(maps.operand(1).dimensions),
        output(maps.output().dimensions) {
    const auto given = maps.instruction().get<hlo::Window>(AttributeName::kWindow);
    window.assign(given.begin(), given.end());
    // Without a window the kernel has one place in each spatial dimension.
    window.resize(dimensions.input_spatial.size());
    const std::int64_t output_features = output[at(dimensions.output_feature)];
    features_of_input_group = kernel[at(dimensions.kernel_input_feature)];
    batches_of_group = output[at(dimensions.output_batch)];
    outputs_of_feature_group =
        output_features / maps.instruction().integer(AttributeName::kFeatureGroupCount, 1);
    outputs_of_batch_group =
        output_features / maps.instruction().integer(AttributeName::kBatchGroupCount, 1);
  }

  // The input batch and feature that make an element of the result at this batch and feature, and
  // the kernel feature `in_group`.
  [[nodiscard]] Expr input_batch(Expr output_batch, Expr output_feature) const {
    return floor_div(output_feature, outputs_of_batch_group) * batches_of_group + output_batch;
  }
  [[nodiscard]] Expr input_feature(Expr output_feature, Expr in_group) const {
    return floor_div(output_feature, outputs_of_feature_group) * features_of_input_group + in_group;
  }
  // Where the place of a window lies in the kernel, and the other way round.
  [[nodiscard]] Expr mirrored(std::size_t i, Expr place) const {
    return window[i].reversal ? -place + (window[i].size - 1) : place;
  }
};

// An array without elements leaves nothing to say; groups of no features could not be divided by.
bool is_empty(InstructionMaps& maps) {
  return !has_elements(maps.output()) || !has_elements(maps.operand(0)) ||
         !has_elements(maps.operand(1));
}

}  // namespace

// f32[1, 8, 4] convolution(f32[1, 9, 6] p0, f32[2, 6, 4] p1), window={size=2},
// dim_labels=b0f_0io->b0f
//   o2i of p0: (d0, d1, d2)[s0, s1] -> (d0, d1 + s0, s1), domain: …, s0 in [0, 1], s1 in [0, 5]
//   o2i of p1: (d0, d1, d2)[s0, s1] -> (s0, s1, d2), the same domain
// The products that make an element are of the elements of the input that lie under the window:
// where it covers padding or gaps, neither operand is read.
void convolution_o2i(InstructionMaps& maps) {
  if (is_empty(maps)) return;
  const Convolution c(maps);
  MapBuilder map = maps.from(maps.output());
  const Expr batch = map.dim(at(c.dimensions.output_batch));
  const Expr feature = map.dim(at(c.dimensions.output_feature));
  std::vector<Expr> input(c.input.size());
  std::vector<Expr> kernel(c.kernel.size());
  for (std::size_t i = 0; i < c.window.size(); ++i) {
    const Expr place = map.range(c.window[i].size);
    const std::size_t spatial = at(c.dimensions.input_spatial[i]);
    kernel[at(c.dimensions.kernel_spatial[i])] = c.mirrored(i, place);
    input[spatial] = covered_element(map, c.window[i], map.dim(at(c.dimensions.output_spatial[i])),
                                     place, c.input[spatial]);
  }
  const Expr in_group = map.range(c.features_of_input_group);
  input[at(c.dimensions.input_batch)] = c.input_batch(batch, feature);
  input[at(c.dimensions.input_feature)] = c.input_feature(feature, in_group);
  kernel[at(c.dimensions.kernel_input_feature)] = in_group;
  kernel[at(c.dimensions.kernel_output_feature)] = feature;
  maps.add(0, map.to(std::move(input)));
  maps.add(1, map.to(std::move(kernel)));
}

namespace {

//   i2o of p0: (d0, d1, d2)[s0, s1] -> (d0, d1 - s0, s1),
//              domain: …, s0 in [0, 1], s1 in [0, 3], d1 - s0 in [0, 7]
void input_to_output(InstructionMaps& maps, const Convolution& c) {
  MapBuilder map = maps.from(maps.operand(0));
  const Expr batch = map.dim(at(c.dimensions.input_batch));
  const Expr feature = map.dim(at(c.dimensions.input_feature));
  std::vector<Expr> index(c.output.size());
  for (std::size_t i = 0; i < c.window.size(); ++i) {
    const Expr place = map.range(c.window[i].size);
    const std::size_t spatial = at(c.dimensions.output_spatial[i]);
    index[spatial] = covering_window(map, c.window[i], map.dim(at(c.dimensions.input_spatial[i])),
                                     place, c.output[spatial]);
  }
  // One of the two kinds of groups is a single group: its quotient is 0.
  const Expr feature_group = floor_div(feature, c.features_of_input_group);
  const Expr batch_group = floor_div(batch, c.batches_of_group);
  const Expr in_group = map.range(std::min(c.outputs_of_feature_group, c.outputs_of_batch_group));
  index[at(c.dimensions.output_batch)] = mod(batch, c.batches_of_group);
  index[at(c.dimensions.output_feature)] = feature_group * c.outputs_of_feature_group +
                                           batch_group * c.outputs_of_batch_group + in_group;
  maps.add(0, map.to(std::move(index)));
}

//   i2o of p1: (d0, d1, d2)[s0, s1] -> (s0, s1, d2),
//              domain: …, s0 in [0, 0], s1 in [0, 7], d0 + s1 in [0, 8]
void kernel_to_output(InstructionMaps& maps, const Convolution& c) {
  MapBuilder map = maps.from(maps.operand(1));
  std::vector<Expr> index(c.output.size());
  for (std::size_t i = 0; i < c.window.size(); ++i) {
    const std::size_t spatial = at(c.dimensions.output_spatial[i]);
    const Expr place = c.mirrored(i, map.dim(at(c.dimensions.kernel_spatial[i])));
    index[spatial] = map.range(c.output[spatial]);
    // Required, and not used.
    (void)covered_element(map, c.window[i], index[spatial], place,
                          c.input[at(c.dimensions.input_spatial[i])]);
  }
  index[at(c.dimensions.output_batch)] = map.range(c.batches_of_group);
  index[at(c.dimensions.output_feature)] = map.dim(at(c.dimensions.kernel_output_feature));
  maps.add(1, map.to(std::move(index)));
}

}  // namespace

void convolution_i2o(InstructionMaps& maps) {
  if (is_empty(maps)) return;
  const Convolution c(maps);
  input_to_output(maps, c);
  kernel_to_output(maps, c);
}

}  // namespace mercator::indexing
