#include "mercator/indexing/convolution.h"

#include <algorithm>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/window.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// The indices of the elements that meet in one product, by part.
struct Product {
  std::vector<Expr> input;
  std::vector<Expr> kernel;
  std::vector<Expr> output;

  [[nodiscard]] const std::vector<Expr>& of(ConvolutionPart part) const {
    switch (part) {
      case ConvolutionPart::kInput:
        return input;
      case ConvolutionPart::kKernel:
        return kernel;
      case ConvolutionPart::kOutput:
        break;
    }
    return output;
  }
};

// The dimensions of the three arrays, by the part that they play.
//
// Feature groups split the features of the input, and batch groups its batches, into as many parts
// as they split the features of the result: an element of the result is made from the part of its
// feature alone. Where there are no groups there is one.
class Convolution {
 public:
  explicit Convolution(const hlo::Instruction& convolution)
      : dimensions_(*convolution.get<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels)),
        input_(convolution.operand(0).shape),
        kernel_(convolution.operand(1).shape),
        output_(convolution.shape) {
    const auto given = convolution.get<hlo::Window>(AttributeName::kWindow);
    window_.assign(given.begin(), given.end());
    // Without a window the kernel has one place in each spatial dimension.
    window_.resize(dimensions_.input_spatial.size());
    const std::int64_t output_features = output_.dimensions[at(dimensions_.output_feature)];
    features_of_input_group_ = kernel_.dimensions[at(dimensions_.kernel_input_feature)];
    batches_of_group_ = output_.dimensions[at(dimensions_.output_batch)];
    outputs_of_feature_group_ =
        output_features / convolution.integer(AttributeName::kFeatureGroupCount, 1);
    outputs_of_batch_group_ =
        output_features / convolution.integer(AttributeName::kBatchGroupCount, 1);
  }

  // An array without elements leaves nothing to say; groups of no features could not be divided by.
  [[nodiscard]] bool is_empty() const {
    return !has_elements(input_) || !has_elements(kernel_) || !has_elements(output_);
  }
  [[nodiscard]] const hlo::Shape& shape(ConvolutionPart part) const {
    switch (part) {
      case ConvolutionPart::kInput:
        return input_;
      case ConvolutionPart::kKernel:
        return kernel_;
      case ConvolutionPart::kOutput:
        break;
    }
    return output_;
  }
  // The products of the element of this part that the map starts from.
  [[nodiscard]] Product products(ConvolutionPart part, MapBuilder& map) const {
    switch (part) {
      case ConvolutionPart::kInput:
        return products_of_input(map);
      case ConvolutionPart::kKernel:
        return products_of_kernel(map);
      case ConvolutionPart::kOutput:
        break;
    }
    return products_of_output(map);
  }

 private:
  [[nodiscard]] Product products_of_input(MapBuilder& map) const;
  [[nodiscard]] Product products_of_kernel(MapBuilder& map) const;
  [[nodiscard]] Product products_of_output(MapBuilder& map) const;

  // The input batch and feature that make an element of the result at this batch and feature, and
  // the kernel feature `in_group`.
  [[nodiscard]] Expr input_batch(Expr output_batch, Expr output_feature) const {
    return floor_div(output_feature, outputs_of_batch_group_) * batches_of_group_ + output_batch;
  }
  [[nodiscard]] Expr input_feature(Expr output_feature, Expr in_group) const {
    return floor_div(output_feature, outputs_of_feature_group_) * features_of_input_group_ +
           in_group;
  }
  // Where the place of a window lies in the kernel, and the other way round.
  [[nodiscard]] Expr mirrored(std::size_t i, Expr place) const {
    return window_[i].reversal ? -place + (window_[i].size - 1) : place;
  }

  const hlo::ConvolutionDimensions& dimensions_;
  std::vector<hlo::WindowDimension> window_;
  const hlo::Shape& input_;
  const hlo::Shape& kernel_;
  const hlo::Shape& output_;
  std::int64_t features_of_input_group_ = 0;   // input features that a kernel element runs over
  std::int64_t batches_of_group_ = 0;          // also the batches of the result
  std::int64_t outputs_of_feature_group_ = 0;  // features of the result of a feature group
  std::int64_t outputs_of_batch_group_ = 0;    // … of a batch group
};

// The elements of the input that lie under the window: where it covers padding or gaps, neither the
// input nor the kernel is read.
Product Convolution::products_of_output(MapBuilder& map) const {
  Product product{.input = std::vector<Expr>(input_.dimensions.size()),
                  .kernel = std::vector<Expr>(kernel_.dimensions.size()),
                  .output = map.dims()};
  const Expr batch = map.dim(at(dimensions_.output_batch));
  const Expr feature = map.dim(at(dimensions_.output_feature));
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const Expr place = map.range(window_[i].size);
    const std::size_t spatial = at(dimensions_.input_spatial[i]);
    product.kernel[at(dimensions_.kernel_spatial[i])] = mirrored(i, place);
    product.input[spatial] =
        covered_element(map, window_[i], map.dim(at(dimensions_.output_spatial[i])), place,
                        input_.dimensions[spatial]);
  }
  const Expr in_group = map.range(features_of_input_group_);
  product.input[at(dimensions_.input_batch)] = input_batch(batch, feature);
  product.input[at(dimensions_.input_feature)] = input_feature(feature, in_group);
  product.kernel[at(dimensions_.kernel_input_feature)] = in_group;
  product.kernel[at(dimensions_.kernel_output_feature)] = feature;
  return product;
}

Product Convolution::products_of_input(MapBuilder& map) const {
  Product product{.input = map.dims(),
                  .kernel = std::vector<Expr>(kernel_.dimensions.size()),
                  .output = std::vector<Expr>(output_.dimensions.size())};
  const Expr batch = map.dim(at(dimensions_.input_batch));
  const Expr feature = map.dim(at(dimensions_.input_feature));
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const Expr place = map.range(window_[i].size);
    const std::size_t spatial = at(dimensions_.output_spatial[i]);
    product.kernel[at(dimensions_.kernel_spatial[i])] = mirrored(i, place);
    product.output[spatial] =
        covering_window(map, window_[i], map.dim(at(dimensions_.input_spatial[i])), place,
                        output_.dimensions[spatial]);
  }
  // One of the two kinds of groups is a single group: its quotient is 0.
  const Expr feature_group = floor_div(feature, features_of_input_group_);
  const Expr batch_group = floor_div(batch, batches_of_group_);
  const Expr in_group = map.range(std::min(outputs_of_feature_group_, outputs_of_batch_group_));
  const Expr output_feature =
      feature_group * outputs_of_feature_group_ + batch_group * outputs_of_batch_group_ + in_group;
  product.output[at(dimensions_.output_batch)] = mod(batch, batches_of_group_);
  product.output[at(dimensions_.output_feature)] = output_feature;
  product.kernel[at(dimensions_.kernel_input_feature)] = mod(feature, features_of_input_group_);
  product.kernel[at(dimensions_.kernel_output_feature)] = output_feature;
  return product;
}

Product Convolution::products_of_kernel(MapBuilder& map) const {
  Product product{.input = std::vector<Expr>(input_.dimensions.size()),
                  .kernel = map.dims(),
                  .output = std::vector<Expr>(output_.dimensions.size())};
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const std::size_t spatial = at(dimensions_.output_spatial[i]);
    const std::size_t input_spatial = at(dimensions_.input_spatial[i]);
    const Expr place = mirrored(i, map.dim(at(dimensions_.kernel_spatial[i])));
    product.output[spatial] = map.range(output_.dimensions[spatial]);
    product.input[input_spatial] = covered_element(map, window_[i], product.output[spatial], place,
                                                   input_.dimensions[input_spatial]);
  }
  const Expr batch = map.range(batches_of_group_);
  const Expr feature = map.dim(at(dimensions_.kernel_output_feature));
  product.output[at(dimensions_.output_batch)] = batch;
  product.output[at(dimensions_.output_feature)] = feature;
  product.input[at(dimensions_.input_batch)] = input_batch(batch, feature);
  product.input[at(dimensions_.input_feature)] =
      input_feature(feature, map.dim(at(dimensions_.kernel_input_feature)));
  return product;
}

}  // namespace

void add_convolution(InstructionMaps& maps, const hlo::Instruction& convolution,
                     ConvolutionParts parts, const ShapeIndex& output) {
  const Convolution c(convolution);
  if (c.is_empty()) return;
  const bool is_o2i = maps.is_output_to_input();
  for (std::size_t k = 0; k < parts.operands.size(); ++k) {
    const ConvolutionPart from = is_o2i ? parts.result : parts.operands[k];
    const ConvolutionPart to = is_o2i ? parts.operands[k] : parts.result;
    MapBuilder map = maps.from(c.shape(from));
    const Product product = c.products(from, map);
    maps.add(output, static_cast<std::int64_t>(k), {}, map.to(product.of(to)));
  }
}

// f32[1, 8, 4] convolution(f32[1, 9, 6] p0, f32[2, 6, 4] p1), window={size=2},
// dim_labels=b0f_0io->b0f
//   o2i of p0: (d0, d1, d2)[s0, s1] -> (d0, d1 + s0, s1), domain: …, s0 in [0, 1], s1 in [0, 5]
//   o2i of p1: (d0, d1, d2)[s0, s1] -> (s0, s1, d2), the same domain
//   i2o of p0: (d0, d1, d2)[s0, s1] -> (d0, d1 - s0, s1),
//              domain: …, s0 in [0, 1], s1 in [0, 3], d1 - s0 in [0, 7]
//   i2o of p1: (d0, d1, d2)[s0, s1] -> (s0, s1, d2),
//              domain: …, s0 in [0, 0], s1 in [0, 7], d0 + s1 in [0, 8]
void convolution(InstructionMaps& maps) {
  add_convolution(maps, maps.instruction(),
                  {.result = ConvolutionPart::kOutput,
                   .operands = {ConvolutionPart::kInput, ConvolutionPart::kKernel}});
}

}  // namespace mercator::indexing
