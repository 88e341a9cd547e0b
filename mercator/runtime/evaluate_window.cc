// Instructions that slide a window over arrays.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/reduction.h"
#include "mercator/runtime/scalar_function.h"
#include "mercator/runtime/sliding_window.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// The elements of an array that a window meets, in row-major order.
class WindowElements {
 public:
  WindowElements(SlidingWindow& window, const Tensor& array)
      : window_(window), array_strides_(row_major_strides(array.dimensions())) {
    counts_.resize(array_strides_.size());
    strides_.resize(array_strides_.size());
  }

  void move_to(std::span<const std::int64_t> place) {
    const std::span<const WindowOverlap> overlaps = window_.overlaps(place);
    first_ = 0;
    for (std::size_t d = 0; d < overlaps.size(); ++d) {
      counts_[d] = overlaps[d].count;
      strides_[d] = overlaps[d].element_step * array_strides_[d];
      first_ += overlaps[d].first_element * array_strides_[d];
    }
    walk_.restart(counts_, {strides_});
  }
  [[nodiscard]] bool at_end() const { return walk_.at_end(); }
  void next() { walk_.next(); }
  // The place of the element in the array.
  [[nodiscard]] std::int64_t element() const { return first_ + walk_.offset(0); }

 private:
  SlidingWindow& window_;
  Sizes array_strides_;
  Sizes counts_;
  Sizes strides_;
  std::int64_t first_ = 0;
  IndexWalk<1> walk_;
};

Result<SlidingWindow> sliding_window(const Evaluation& evaluation) {
  return SlidingWindow::make(evaluation.instruction.get<hlo::Window>(hlo::AttributeName::kWindow),
                             evaluation.tensor(0).dimensions());
}

// The function (a, b) -> pred that says whether a stays selected when b comes.
class Selector {
 public:
  [[nodiscard]] static Result<Selector> make(const Evaluation& evaluation) {
    return Selector(MERCATOR_TRY(ScalarFunction::make(
                        *evaluation.instruction.computation(hlo::AttributeName::kSelect),
                        evaluation.evaluator)),
                    evaluation.tensor(0));
  }

  [[nodiscard]] Result<bool> keeps(std::int64_t selected, std::int64_t element) {
    const std::array<Number, 2> arguments = {read_first_(selected), read_second_(element)};
    Number keeps{};
    MERCATOR_TRY_VOID(function_(arguments, {&keeps, 1}));
    return keeps.u != 0;
  }

 private:
  Selector(ScalarFunction function, const Tensor& array)
      : function_(std::move(function)),
        read_first_(array, function_.parameter_types()[0]),
        read_second_(array, function_.parameter_types()[1]) {}

  ScalarFunction function_;
  ElementReader read_first_;
  ElementReader read_second_;
};

// The element of a window that is selected; -1 if the window meets none.
Result<std::int64_t> select_element(WindowElements& window, Selector& selector,
                                    StopCheck& check_stop) {
  std::int64_t selected = -1;
  for (; !window.at_end(); window.next()) {
    MERCATOR_TRY_VOID(check_stop());
    const bool keeps = selected >= 0 && MERCATOR_TRY(selector.keeps(selected, window.element()));
    if (!keeps) selected = window.element();
  }
  return selected;
}

}  // namespace

// The initial value counts once for each window, however much padding there is.
Result<Value> evaluate_reduce_window(Evaluation& evaluation) {
  SlidingWindow window = MERCATOR_TRY(sliding_window(evaluation));
  const Sizes places = window.places();
  Reduction reduction = MERCATOR_TRY(Reduction::make(evaluation, places));
  WindowElements elements(window, evaluation.tensor(0));
  StopCheck check_stop(evaluation.evaluator.stop());
  std::int64_t output = 0;
  for (IndexWalk<0> place(places, {}); !place.at_end(); place.next()) {
    MERCATOR_TRY_VOID(check_stop());
    reduction.begin();
    for (elements.move_to(place.index()); !elements.at_end(); elements.next()) {
      MERCATOR_TRY_VOID(check_stop());
      MERCATOR_TRY_VOID(reduction.add(elements.element()));
    }
    reduction.finish(output++);
  }
  return std::move(reduction).result();
}

// In each window one element is selected, and the source of the window is added to the result at
// its place.
Result<Value> evaluate_select_and_scatter(Evaluation& evaluation) {
  const Tensor& array = evaluation.tensor(0);
  const Tensor& source = evaluation.tensor(1);
  SlidingWindow window = MERCATOR_TRY(sliding_window(evaluation));
  const Sizes places = window.places();
  MERCATOR_TRY_VOID(
      expect_same_sizes(places, source.dimensions(), "the places of the window and the source"));
  Selector selector = MERCATOR_TRY(Selector::make(evaluation));
  Reducer scatter = MERCATOR_TRY(Reducer::make(
      *evaluation.instruction.computation(hlo::AttributeName::kScatter), evaluation.evaluator));
  const hlo::ElementType type = scatter.accumulator_type(0);
  const RunContext& context = evaluation.evaluator.context();
  Tensor sums = MERCATOR_TRY(evaluation.allocate(type, sizes_of(array)));
  MERCATOR_TRY_VOID(fill_elements(MERCATOR_TRY(converted(evaluation.tensor(2), type, context)),
                                  sums, context.stop));
  const ElementReader read_sum(sums, type);
  const ElementWriter write_sum(sums, type);
  const ElementReader read_source(source, scatter.value_type(0));

  WindowElements elements(window, array);
  StopCheck check_stop(evaluation.evaluator.stop());
  std::int64_t input = 0;
  for (IndexWalk<0> place(places, {}); !place.at_end(); place.next()) {
    elements.move_to(place.index());
    const std::int64_t selected = MERCATOR_TRY(select_element(elements, selector, check_stop));
    const Number value = read_source(input++);
    if (selected < 0) continue;
    Number sum = read_sum(selected);
    MERCATOR_TRY_VOID(scatter({&sum, 1}, {&value, 1}));
    write_sum(selected, sum);
  }
  return converted(sums, evaluation.element_type(), context);
}

}  // namespace mercator::runtime
