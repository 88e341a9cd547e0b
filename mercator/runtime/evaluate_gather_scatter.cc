// gather and scatter: windows of an array at places that are computed.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/hlo/index_numbers.h"
#include "mercator/runtime/element_access.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/reducer.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;
using Numbers = std::span<const std::int64_t>;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// The *stack* is the array with one window for each index: the result of gather, the updates of
// scatter.
using hlo::IndexNumbers;

// The sizes of the indices without the dimension along which an index lies.
Sizes batch_sizes(const IndexNumbers& numbers, const Tensor& indices) {
  Sizes sizes = sizes_of(indices);
  if (numbers.vector_dim < std::ssize(sizes)) {
    sizes.erase(sizes.begin() + numbers.vector_dim);
  }
  return sizes;
}

// That an index has a number for each dimension that is indexed.
Result<void> expect_whole_indices(const IndexNumbers& numbers, const Tensor& indices) {
  const std::span<const std::int64_t> sizes = indices.dimensions();
  const std::int64_t length =
      numbers.vector_dim < std::ssize(sizes) ? sizes[at(numbers.vector_dim)] : 1;
  if (length == std::ssize(numbers.indexed)) return {};
  return fail(ErrorKind::kInvalidInput, fmt::format("indices of {} numbers for {} dimensions",
                                                    length, numbers.indexed.size()));
}

// Walks over the windows, in row-major order of the indices. For each it knows where it begins in
// the array and in the stack.
class IndexedWindows {
 public:
  // With windows of the sizes `window`, by dimension of the array. The stack has one dimension for
  // each of the indices and for each that the array has in a window.
  IndexedWindows(const IndexNumbers& numbers, const Tensor& indices, Numbers array, Numbers window,
                 Numbers stack)
      : numbers_(numbers),
        indices_(indices),
        array_(array.begin(), array.end()),
        window_(window.begin(), window.end()),
        array_strides_(row_major_strides(array)),
        start_(array.size(), 0) {
    const Sizes stack_strides = row_major_strides(stack);
    Sizes batch_strides;
    for (std::size_t d = 0; d < stack.size(); ++d) {
      Sizes& strides = contains(numbers.window, d) ? in_stack_.strides : batch_strides;
      strides.push_back(stack_strides[d]);
    }
    for (std::size_t d = 0; d < array.size(); ++d) {
      if (contains(numbers.absent, d) || contains(numbers.operand_batch, d)) continue;
      walked_.push_back(window[d]);
      in_array_.strides.push_back(array_strides_[d]);
    }
    Sizes indices_strides = row_major_strides(indices.dimensions());
    if (numbers.vector_dim < std::ssize(indices_strides)) {
      const auto vector = indices_strides.begin() + numbers.vector_dim;
      component_stride_ = *vector;
      indices_strides.erase(vector);
    }
    batch_.restart(batch_sizes(numbers, indices), {indices_strides, batch_strides});
  }

  [[nodiscard]] bool at_end() const { return batch_.at_end(); }
  void next() { batch_.next(); }

  // Reads where the window begins in the array. False if a part of it lies outside.
  [[nodiscard]] bool find_start() {
    for (std::size_t i = 0; i < numbers_.indexed.size(); ++i) {
      start_[at(numbers_.indexed[i])] = integer_element(
          indices_, batch_.offset(0) + static_cast<std::int64_t>(i) * component_stride_);
    }
    for (std::size_t i = 0; i < numbers_.operand_batch.size(); ++i) {
      const std::int64_t in_indices = numbers_.indices_batch[i];
      start_[at(numbers_.operand_batch[i])] =
          batch_.index()[at(in_indices - (in_indices > numbers_.vector_dim ? 1 : 0))];
    }
    bool is_inside = true;
    for (std::size_t d = 0; d < start_.size(); ++d) {
      is_inside = is_inside && start_[d] >= 0 && start_[d] <= array_[d] - window_[d];
    }
    return is_inside;
  }
  // Moves the window so that it lies inside. Requires that it is not larger than the array.
  void clamp_start() {
    for (std::size_t d = 0; d < start_.size(); ++d) {
      start_[d] = std::clamp<std::int64_t>(start_[d], 0, array_[d] - window_[d]);
    }
  }

  // The sizes of the window without the dimensions that the stack does not have, and where its
  // elements lie. Requires that it is inside.
  [[nodiscard]] const Sizes& walked() const { return walked_; }
  [[nodiscard]] const StridedPlaces& in_array() {
    in_array_.first = 0;
    for (std::size_t d = 0; d < start_.size(); ++d) {
      in_array_.first += start_[d] * array_strides_[d];
    }
    return in_array_;
  }
  [[nodiscard]] const StridedPlaces& in_stack() {
    in_stack_.first = batch_.offset(1);
    return in_stack_;
  }

 private:
  IndexNumbers numbers_;
  const Tensor& indices_;
  Sizes array_;
  Sizes window_;
  Sizes array_strides_;
  Sizes start_;
  Sizes walked_;
  StridedPlaces in_array_;
  StridedPlaces in_stack_;
  std::int64_t component_stride_ = 0;
  IndexWalk<2> batch_;  // in the indices and in the stack
};

// The sizes of the stack: those of the indices, and at `window` those of the windows.
Sizes stack_sizes(const IndexNumbers& numbers, const Sizes& batch, Numbers array, Numbers window) {
  Sizes sizes = batch;
  std::size_t next = 0;
  for (std::size_t d = 0; d < array.size(); ++d) {
    if (contains(numbers.absent, d) || contains(numbers.operand_batch, d)) continue;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(numbers.window[next++]), window[d]);
  }
  return sizes;
}

}  // namespace

Result<Value> evaluate_gather(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const Tensor& indices = evaluation.tensor(1);
  const IndexNumbers numbers(evaluation.instruction);
  MERCATOR_TRY_VOID(expect_whole_indices(numbers, indices));
  const Numbers slice_sizes = evaluation.instruction.integers(hlo::AttributeName::kSliceSizes);
  Sizes window(slice_sizes.begin(), slice_sizes.end());
  for (std::size_t d = 0; d < window.size(); ++d) {
    const bool is_absent = contains(numbers.absent, d) || contains(numbers.operand_batch, d);
    window[d] = is_absent ? 1 : std::min(window[d], operand.dimensions()[d]);
  }
  const Sizes sizes =
      stack_sizes(numbers, batch_sizes(numbers, indices), operand.dimensions(), window);
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  if (result.element_count() == 0) return result;
  if (operand.element_count() == 0) {
    // Slices of an empty array that yet have elements: HLO does not say which.
    std::ranges::fill(result.mutable_bytes(), std::byte{0});
    return result;
  }
  StopCheck check_stop(evaluation.evaluator.stop());
  for (IndexedWindows windows(numbers, indices, operand.dimensions(), window, sizes);
       !windows.at_end(); windows.next()) {
    MERCATOR_TRY_VOID(check_stop());
    if (!windows.find_start()) windows.clamp_start();
    MERCATOR_TRY_VOID(copy_elements(windows.walked(), operand, windows.in_array(), result,
                                    windows.in_stack(), evaluation.evaluator.stop()));
  }
  return result;
}

namespace {

// An array that updates are added to, as it is and as accumulators of a type that may be wider.
struct Target {
  Tensor result;
  Tensor accumulators;  // shares the memory of `result` if the type is the same
};

Result<Target> make_target(Evaluation& evaluation, std::size_t operand, hlo::ElementType type) {
  Tensor result = MERCATOR_TRY(
      writable(std::move(evaluation.operands[operand].tensor()), evaluation.evaluator.context()));
  Tensor accumulators = type == result.element_type()
                            ? result
                            : MERCATOR_TRY(evaluation.allocate(type, sizes_of(result)));
  return Target{.result = std::move(result), .accumulators = std::move(accumulators)};
}

// The updates of one scatter, added to their targets element by element. Wider accumulators are
// begun with the first update of an element, and written to the result in the end: most scatters
// touch few elements.
class Scatter {
 public:
  [[nodiscard]] static Result<Scatter> make(Reducer reducer, std::vector<Target>& targets,
                                            std::span<const Value> updates,
                                            const MemoryPool& pool) {
    Scatter scatter(std::move(reducer), targets, updates);
    const bool is_widened = std::ranges::any_of(targets, [](const Target& target) {
      return target.accumulators.element_type() != target.result.element_type();
    });
    if (is_widened) {
      scatter.is_begun_ =
          MERCATOR_TRY(PoolArray<bool>::allocate(targets[0].result.element_count(), pool));
    }
    return scatter;
  }

  [[nodiscard]] Result<void> add(std::int64_t element, std::int64_t update) {
    const bool is_first =
        is_begun_ && !std::exchange((*is_begun_)[static_cast<std::size_t>(element)], true);
    const std::vector<ElementReader>& read = is_first ? read_results_ : read_sums_;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = read[i](element);
      values_[i] = read_updates_[i](update);
    }
    MERCATOR_TRY_VOID(reducer_(sums_, values_));
    for (std::size_t i = 0; i < sums_.size(); ++i) write_sums_[i](element, sums_[i]);
    return {};
  }

  // Whether `finish` is to be called for each element that something was added to.
  [[nodiscard]] bool is_widened() const { return is_begun_.has_value(); }
  void finish(std::int64_t element) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      write_results_[i](element, read_sums_[i](element));
    }
  }

 private:
  Scatter(Reducer reducer, std::vector<Target>& targets, std::span<const Value> updates)
      : reducer_(std::move(reducer)) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      Target& target = targets[i];
      const hlo::ElementType type = target.accumulators.element_type();
      read_results_.emplace_back(target.result, type);
      write_results_.emplace_back(target.result, type);
      read_sums_.emplace_back(target.accumulators, type);
      write_sums_.emplace_back(target.accumulators, type);
      read_updates_.emplace_back(updates[i].tensor(), reducer_.value_type(i));
    }
    sums_.resize(targets.size(), Number{});
    values_.resize(targets.size(), Number{});
  }

  Reducer reducer_;
  std::vector<ElementReader> read_results_;
  std::vector<ElementWriter> write_results_;
  std::vector<ElementReader> read_sums_;
  std::vector<ElementWriter> write_sums_;
  std::vector<ElementReader> read_updates_;
  std::vector<Number> sums_;
  std::vector<Number> values_;
  std::optional<PoolArray<bool>> is_begun_;  // by element, if the accumulators are wider
};

// Calls `function(element, update)` for all elements of windows that lie inside the array.
template <class Function>
Result<void> for_each_update(IndexedWindows windows, StopCheck& check_stop, Function function) {
  // Of windows without elements there may be any number.
  if (std::ranges::find(windows.walked(), 0) != windows.walked().end()) return {};
  IndexWalk<2> walk;
  for (; !windows.at_end(); windows.next()) {
    MERCATOR_TRY_VOID(check_stop());
    if (!windows.find_start()) continue;
    const StridedPlaces& array = windows.in_array();
    const StridedPlaces& updates = windows.in_stack();
    for (walk.restart(windows.walked(), {array.strides, updates.strides}); !walk.at_end();
         walk.next()) {
      MERCATOR_TRY_VOID(check_stop());
      MERCATOR_TRY_VOID(function(array.first + walk.offset(0), updates.first + walk.offset(1)));
    }
  }
  return {};
}

}  // namespace

// Windows that do not lie inside the array as a whole are dropped. The others are added in
// row-major order of the indices.
Result<Value> evaluate_scatter(Evaluation& evaluation) {
  const std::size_t count = evaluation.operands.size() / 2;
  const Tensor& indices = evaluation.tensor(count);
  const Sizes sizes = sizes_of(evaluation.tensor(0));
  const Sizes updates = sizes_of(evaluation.tensor(count + 1));
  const IndexNumbers numbers(evaluation.instruction);
  MERCATOR_TRY_VOID(expect_whole_indices(numbers, indices));
  Sizes window(sizes.size(), 1);
  std::size_t next = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (contains(numbers.absent, d) || contains(numbers.operand_batch, d)) continue;
    window[d] = updates[at(numbers.window[next++])];
  }
  MERCATOR_TRY_VOID(
      expect_same_sizes(updates, stack_sizes(numbers, batch_sizes(numbers, indices), sizes, window),
                        "the updates and the windows"));

  Reducer reducer = MERCATOR_TRY(Reducer::make(
      *evaluation.instruction.computation(hlo::AttributeName::kToApply), evaluation.evaluator));
  std::vector<Target> targets;
  for (std::size_t i = 0; i < count; ++i) {
    MERCATOR_TRY_VOID(expect_same_sizes(sizes, evaluation.tensor(i).dimensions(), "the operands"));
    MERCATOR_TRY_VOID(
        expect_same_sizes(updates, evaluation.tensor(count + 1 + i).dimensions(), "the updates"));
    targets.push_back(MERCATOR_TRY(make_target(evaluation, i, reducer.accumulator_type(i))));
  }
  Scatter scatter = MERCATOR_TRY(Scatter::make(
      std::move(reducer), targets, std::span<const Value>(evaluation.operands).subspan(count + 1),
      evaluation.evaluator.pool()));
  const IndexedWindows windows(numbers, indices, sizes, window, updates);
  StopCheck check_stop(evaluation.evaluator.stop());
  MERCATOR_TRY_VOID(for_each_update(
      windows, check_stop,
      [&](std::int64_t element, std::int64_t update) { return scatter.add(element, update); }));
  if (scatter.is_widened()) {
    MERCATOR_TRY_VOID(for_each_update(windows, check_stop,
                                      [&](std::int64_t element, std::int64_t) -> Result<void> {
                                        scatter.finish(element);
                                        return {};
                                      }));
  }
  std::vector<Tensor> results;
  for (Target& target : targets) results.push_back(std::move(target.result));
  return one_or_tuple(std::move(results));
}

}  // namespace mercator::runtime
