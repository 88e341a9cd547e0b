// What the custom calls of LAPACK's functions have in common. Internal to them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/matrix.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/wide_elements.h"
#include "mercator/support/error.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {

// The value of `name` in a configuration like {uplo = 76 : ui8, left = true}; none if it has none.
[[nodiscard]] std::optional<std::int64_t> lapack_setting(const hlo::Instruction& instruction,
                                                         std::string_view name);

// Whether a setting is one of two letters; an error for other values and if it is missing.
[[nodiscard]] Result<bool> is_letter(const hlo::Instruction& instruction, std::string_view name,
                                     char yes, char no);

// A call on numbers of type T: batches of matrices, which are operands, to batches that are
// results.
template <class T>
class LapackCall {
 public:
  // Allocates the results, of the shape of the instruction. All operands must be arrays, and
  // operand 0 must have matrices.
  static Result<LapackCall> make(const Evaluation& evaluation) {
    MERCATOR_TRY_VOID(expect_arrays(evaluation.operands));
    LapackCall call(evaluation);
    if (evaluation.tensor(0).rank() < 2) {
      return fail(ErrorKind::kUnsupported, "the first operand has no matrices");
    }
    const std::span<const std::int64_t> sizes = evaluation.tensor(0).dimensions();
    call.batch_sizes_.assign(sizes.begin(), sizes.end() - 2);
    call.batches_ = MERCATOR_TRY(element_count(call.batch_sizes_));
    const hlo::Shape& shape = evaluation.instruction.shape;
    for (const hlo::Shape& part : shape.is_tuple() ? shape.elements : std::span(&shape, 1)) {
      if (!part.is_array()) return fail(ErrorKind::kUnsupported, "a result is no array");
      Tensor result = MERCATOR_TRY(
          evaluation.allocate(part.element_type, {part.dimensions.begin(), part.dimensions.end()}));
      std::ranges::fill(result.mutable_bytes(), std::byte{0});
      call.results_.push_back(std::move(result));
    }
    return call;
  }

  [[nodiscard]] const hlo::Instruction& instruction() const { return evaluation_->instruction; }
  [[nodiscard]] const RunContext& context() const { return evaluation_->evaluator.context(); }
  [[nodiscard]] std::int64_t rows() const { return evaluation_->tensor(0).dimensions().end()[-2]; }
  [[nodiscard]] std::int64_t columns() const {
    return evaluation_->tensor(0).dimensions().end()[-1];
  }

  // That there are so many operands and results, and that operand 0 is square if it must be.
  [[nodiscard]] Result<void> expect(std::size_t operands, std::size_t results,
                                    bool square = false) const {
    if (evaluation_->operands.size() != operands || results_.size() != results) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("it has {} operands and {} results, not {} and {}",
                              evaluation_->operands.size(), results_.size(), operands, results));
    }
    if (square && rows() != columns()) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("{} has no square matrices", type_text(evaluation_->tensor(0))));
    }
    return {};
  }
  // That each batch of an operand or result has these sizes.
  [[nodiscard]] Result<void> expect_operand(std::size_t i,
                                            const std::vector<std::int64_t>& sizes) const {
    return expect_sizes(evaluation_->tensor(i), sizes, "operand");
  }
  [[nodiscard]] Result<void> expect_result(std::size_t i,
                                           const std::vector<std::int64_t>& sizes) const {
    return expect_sizes(results_[i], sizes, "result");
  }

  [[nodiscard]] Result<Matrix<T>> matrix(std::int64_t rows, std::int64_t columns) const {
    return Matrix<T>::make(rows, columns, context().pool);
  }
  // Of the last two sizes of a result, which has them.
  [[nodiscard]] Result<Matrix<T>> result_matrix(std::size_t i) const {
    const std::span<const std::int64_t> sizes = results_[i].dimensions().last(2);
    return matrix(sizes[0], sizes[1]);
  }
  template <class Element>
  [[nodiscard]] Result<PoolArray<Element>> vector(std::int64_t size) const {
    return PoolArray<Element>::allocate(size, context().pool);
  }

  // Calls `compute(batch)` for each batch, until one gives an error; for none where all results are
  // empty.
  template <class Function>
  [[nodiscard]] Result<void> for_each_batch(Function compute) const {
    const auto is_empty = [](const Tensor& result) { return result.element_count() == 0; };
    if (std::ranges::all_of(results_, is_empty)) return {};
    StopCheck check_stop(context().stop);
    for (std::int64_t batch = 0; batch < batches_; ++batch) {
      MERCATOR_TRY_VOID(check_stop());
      MERCATOR_TRY_VOID(compute(batch));
    }
    return {};
  }

  // Reads the numbers of a batch of an operand.
  void load(std::size_t operand, std::int64_t batch, std::span<T> numbers) const {
    const WideReader<T> reader(evaluation_->tensor(operand));
    std::int64_t i = batch * std::ssize(numbers);
    for (T& number : numbers) number = reader[i++];
  }
  // Writes those of a result, which may be real where T is complex.
  template <class Wide>
  void store(std::size_t result, std::int64_t batch, std::span<Wide> numbers) {
    const WideWriter<std::remove_const_t<Wide>> writer(results_[result]);
    std::int64_t i = batch * std::ssize(numbers);
    for (const Wide& number : numbers) writer.set(i++, number);
  }
  void store_integers(std::size_t result, std::int64_t batch,
                      std::span<const std::int64_t> numbers) {
    const ElementWriter writer(results_[result], hlo::ElementType::kS64);
    std::int64_t i = batch * std::ssize(numbers);
    for (const std::int64_t number : numbers) writer(i++, {.s = number});
  }
  // A result that LAPACK overwrites with nothing of use is the operand.
  void keep_operand(std::size_t result, std::size_t operand) {
    results_[result] = evaluation_->tensor(operand);
  }

  [[nodiscard]] Value results() && {
    if (!instruction().shape.is_tuple()) return std::move(results_[0]);
    std::vector<Value> values(std::make_move_iterator(results_.begin()),
                              std::make_move_iterator(results_.end()));
    return Value::tuple(std::move(values));
  }

 private:
  explicit LapackCall(const Evaluation& evaluation) : evaluation_(&evaluation) {}

  Result<void> expect_sizes(const Tensor& tensor, const std::vector<std::int64_t>& sizes,
                            std::string_view what) const {
    std::vector<std::int64_t> expected = batch_sizes_;
    expected.insert(expected.end(), sizes.begin(), sizes.end());
    if (std::ranges::equal(tensor.dimensions(), expected)) return {};
    return fail(ErrorKind::kUnsupported, fmt::format("a {} is {}, where [{}] is wanted", what,
                                                     type_text(tensor), fmt::join(expected, ",")));
  }

  const Evaluation* evaluation_;
  std::vector<std::int64_t> batch_sizes_;
  std::int64_t batches_ = 1;
  std::vector<Tensor> results_;
};

// Whether the lower triangle is meant, or the upper one.
template <class T>
[[nodiscard]] Result<bool> is_lower(const LapackCall<T>& call) {
  return is_letter(call.instruction(), "uplo", 'L', 'U');
}

}  // namespace mercator::runtime
