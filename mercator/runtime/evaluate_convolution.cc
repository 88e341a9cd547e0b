// convolution: for each place of a window over the spatial dimensions of the input, the sum over
// what the window meets, and over the input features.

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/product_sum.h"
#include "mercator/runtime/sliding_window.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;
using Numbers = std::span<const std::int64_t>;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// One operand, as factors, with its dimensions in the order: what is outermost (the batch of the
// input, the output features of the kernel), spatial dimensions, input features.
struct Side {
  Tensor factors;
  std::int64_t outer = 0;
  Sizes spatial;
  std::int64_t features = 0;
  std::int64_t outer_stride = 0;
  Sizes spatial_strides;
};

Result<Side> make_side(const Tensor& tensor, std::int64_t outer, Numbers spatial,
                       std::int64_t feature, SumKind kind, const RunContext& context) {
  Sizes order = {outer};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(feature);
  Tensor factors = MERCATOR_TRY(as_factors(tensor, order, kind, context));
  const Sizes sizes = sizes_of(factors);
  const Sizes strides = row_major_strides(sizes);
  return Side{.factors = std::move(factors),
              .outer = sizes.front(),
              .spatial = {sizes.begin() + 1, sizes.end() - 1},
              .features = sizes.back(),
              .outer_stride = strides.front(),
              .spatial_strides = {strides.begin() + 1, strides.end() - 1}};
}

// Where the input features of a tap of the kernel lie, and those of the input that they meet.
struct Meeting {
  std::int64_t input = 0;
  std::int64_t kernel = 0;
};

// What a window meets at a place.
class Meetings {
 public:
  // The operands must stay.
  static Result<Meetings> make(hlo::Window window, SlidingWindow sliding, const Side& input,
                               const Side& kernel, const MemoryPool& pool) {
    Meetings meetings(window, std::move(sliding), input, kernel);
    if (!meetings.has_products()) return meetings;
    // At one place a tap meets one element at most, and an element one tap.
    Sizes most(window.size());
    for (std::size_t d = 0; d < most.size(); ++d) {
      most[d] = std::min(input.spatial[d], kernel.spatial[d]);
    }
    meetings.meetings_ =
        MERCATOR_TRY(PoolArray<Meeting>::allocate(MERCATOR_TRY(element_count(most)), pool));
    return meetings;
  }

  // Valid until the next call. Nothing if the taps have no features.
  [[nodiscard]] Result<std::span<const Meeting>> find(Numbers place, StopCheck& check_stop) {
    if (!has_products()) return std::span<const Meeting>();
    const std::span<const WindowOverlap> overlaps = sliding_.overlaps(place);
    Meeting first;
    for (std::size_t d = 0; d < overlaps.size(); ++d) {
      const WindowOverlap& overlap = overlaps[d];
      counts_[d] = overlap.count;
      input_strides_[d] = overlap.element_step * input_.spatial_strides[d];
      first.input += overlap.first_element * input_.spatial_strides[d];
      const bool reversal = window_[d].reversal;
      const std::int64_t tap =
          reversal ? window_[d].size - 1 - overlap.first_tap : overlap.first_tap;
      kernel_strides_[d] =
          (reversal ? -overlap.tap_step : overlap.tap_step) * kernel_.spatial_strides[d];
      first.kernel += tap * kernel_.spatial_strides[d];
    }
    std::size_t count = 0;
    for (walk_.restart(counts_, {input_strides_, kernel_strides_}); !walk_.at_end(); walk_.next()) {
      MERCATOR_TRY_VOID(check_stop());
      meetings_[count++] = {.input = first.input + walk_.offset(0),
                            .kernel = first.kernel + walk_.offset(1)};
    }
    return meetings_.elements().first(count);
  }

 private:
  Meetings(hlo::Window window, SlidingWindow sliding, const Side& input, const Side& kernel)
      : window_(window),
        sliding_(std::move(sliding)),
        input_(input),
        kernel_(kernel),
        counts_(window.size()),
        input_strides_(window.size()),
        kernel_strides_(window.size()) {}

  [[nodiscard]] bool has_products() const {
    return input_.factors.element_count() != 0 && kernel_.factors.element_count() != 0;
  }

  hlo::Window window_;
  SlidingWindow sliding_;
  const Side& input_;
  const Side& kernel_;
  Sizes counts_;
  Sizes input_strides_;
  Sizes kernel_strides_;
  IndexWalk<2> walk_;
  PoolArray<Meeting> meetings_;
};

// Output features belong to a group of input features, or to a group of the batch.
struct Groups {
  std::int64_t features = 1;
  std::int64_t batches = 1;
};

Result<Groups> make_groups(const hlo::Instruction& convolution, const Side& input,
                           const Side& kernel) {
  const Groups groups{.features = convolution.integer(hlo::AttributeName::kFeatureGroupCount, 1),
                      .batches = convolution.integer(hlo::AttributeName::kBatchGroupCount, 1)};
  if (input.features % groups.features != 0 ||
      input.features / groups.features != kernel.features || input.outer % groups.batches != 0 ||
      kernel.outer % groups.features != 0 || kernel.outer % groups.batches != 0) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("{} input features and a batch of {} in groups do not fit {} input "
                            "and {} output features of the kernel",
                            input.features, input.outer, kernel.features, kernel.outer));
  }
  return groups;
}

Sizes window_sizes(hlo::Window window) {
  Sizes sizes;
  for (const hlo::WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

// Where the elements of the result go.
struct Output {
  Tensor tensor;
  Sizes places;
  Sizes place_strides;
  std::int64_t batch = 0;
  std::int64_t batch_stride = 0;
  std::int64_t feature_stride = 0;
};

Result<Output> make_output(const Evaluation& evaluation, const hlo::ConvolutionDimensions& labels,
                           Sizes places, std::int64_t batch, std::int64_t features) {
  Sizes sizes(places.size() + 2);
  sizes[at(labels.output_batch)] = batch;
  sizes[at(labels.output_feature)] = features;
  for (std::size_t d = 0; d < places.size(); ++d) sizes[at(labels.output_spatial[d])] = places[d];
  const Sizes strides = row_major_strides(sizes);
  Output output{.tensor = MERCATOR_TRY(evaluation.allocate(sizes)),
                .places = std::move(places),
                .place_strides = {},
                .batch = batch,
                .batch_stride = strides[at(labels.output_batch)],
                .feature_stride = strides[at(labels.output_feature)]};
  for (const std::int64_t d : labels.output_spatial) output.place_strides.push_back(strides[at(d)]);
  return output;
}

template <class Sum>
Result<void> convolve(const Side& input, const Side& kernel, const Groups& groups,
                      Meetings& meetings, Output& output, StopCheck check_stop) {
  const typename Sum::Factor* const inputs = factors<Sum>(input.factors).data();
  const typename Sum::Factor* const kernels = factors<Sum>(kernel.factors).data();
  const ElementWriter write(output.tensor, Sum::kFactorType);
  const std::int64_t features_in_group = kernel.outer / groups.features;
  const std::int64_t features_in_batch_group = kernel.outer / groups.batches;
  for (IndexWalk<1> place(output.places, {output.place_strides}); !place.at_end(); place.next()) {
    const std::span<const Meeting> met = MERCATOR_TRY(meetings.find(place.index(), check_stop));
    for (std::int64_t batch = 0; batch < output.batch; ++batch) {
      for (std::int64_t feature = 0; feature < kernel.outer; ++feature) {
        MERCATOR_TRY_VOID(check_stop(1 + static_cast<std::int64_t>(met.size()) * kernel.features));
        const std::int64_t in_batch = feature / features_in_batch_group * output.batch + batch;
        const typename Sum::Factor* const in =
            inputs + in_batch * input.outer_stride + feature / features_in_group * kernel.features;
        const typename Sum::Factor* const taps = kernels + feature * kernel.outer_stride;
        Sum sum;
        for (const Meeting& meeting : met) {
          for (std::int64_t i = 0; i < kernel.features; ++i) {
            sum.add(in[meeting.input + i], taps[meeting.kernel + i]);
          }
        }
        write(place.offset(0) + batch * output.batch_stride + feature * output.feature_stride,
              sum.number());
      }
    }
  }
  return {};
}

}  // namespace

Result<Value> evaluate_convolution(Evaluation& evaluation) {
  const hlo::Instruction& convolution = evaluation.instruction;
  const auto& labels =
      *convolution.get<const hlo::ConvolutionDimensions*>(hlo::AttributeName::kDimLabels);
  const auto window = convolution.get<hlo::Window>(hlo::AttributeName::kWindow);
  const RunContext& context = evaluation.evaluator.context();
  const SumKind kind = sum_kind({evaluation.tensor(0).element_type(),
                                 evaluation.tensor(1).element_type(), evaluation.element_type()});
  const Side input =
      MERCATOR_TRY(make_side(evaluation.tensor(0), labels.input_batch, labels.input_spatial,
                             labels.input_feature, kind, context));
  const Side kernel =
      MERCATOR_TRY(make_side(evaluation.tensor(1), labels.kernel_output_feature,
                             labels.kernel_spatial, labels.kernel_input_feature, kind, context));
  MERCATOR_TRY_VOID(
      expect_same_sizes(window_sizes(window), kernel.spatial, "the window and the kernel"));
  const Groups groups = MERCATOR_TRY(make_groups(convolution, input, kernel));
  SlidingWindow sliding = MERCATOR_TRY(SlidingWindow::make(window, input.spatial));
  Output output = MERCATOR_TRY(make_output(evaluation, labels, sliding.places(),
                                           input.outer / groups.batches, kernel.outer));
  if (output.tensor.element_count() == 0) return std::move(output.tensor);
  Meetings meetings =
      MERCATOR_TRY(Meetings::make(window, std::move(sliding), input, kernel, context.pool));
  MERCATOR_TRY_VOID(with_sum(kind, [&](auto sum) {
    return convolve<decltype(sum)>(input, kernel, groups, meetings, output,
                                   StopCheck(evaluation.evaluator.stop()));
  }));
  return std::move(output.tensor);
}

}  // namespace mercator::runtime
