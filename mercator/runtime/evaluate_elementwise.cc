#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/scalar_operation.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

// No elementwise instruction has more operands.
constexpr std::size_t kMostOperands = 3;
// So many elements are computed between two questions whether to stop.
constexpr std::int64_t kBlock = 65536;

// An operand as it is read: a scalar stands for a tensor that has it everywhere.
struct Source {
  const std::byte* data = nullptr;
  std::int64_t step = 0;  // the bytes from one element to the next
  Load load = nullptr;
};

// Memory for the result: that of an operand that nobody reads any more, or new.
Result<Tensor> target(const Evaluation& evaluation, std::span<const std::int64_t> dimensions) {
  const std::vector<std::int64_t> sizes(dimensions.begin(), dimensions.end());
  const std::int64_t bytes = MERCATOR_TRY(byte_size(evaluation.element_type(), sizes));
  const std::int64_t element_bytes = hlo::element_bytes(evaluation.element_type());
  for (const Value& operand : evaluation.operands) {
    const Tensor& tensor = operand.tensor();
    if (tensor.buffer().is_exclusive() && tensor.buffer().size() == bytes &&
        hlo::element_bytes(tensor.element_type()) == element_bytes) {
      return Tensor(evaluation.element_type(), sizes, tensor.buffer());
    }
  }
  return evaluation.allocate(sizes);
}

std::vector<Source> sources(const Evaluation& evaluation) {
  std::vector<Source> result;
  for (const Value& operand : evaluation.operands) {
    const Tensor& tensor = operand.tensor();
    result.push_back({.data = tensor.buffer().data(),
                      .step = tensor.rank() == 0 ? 0 : hlo::element_bytes(tensor.element_type()),
                      .load = load_function(tensor.element_type())});
  }
  return result;
}

// Element `i` of the result, for all i in [begin, end).
void compute(const ScalarOperation& operation, std::span<const Source> sources, Store store,
             std::span<std::byte> out, std::int64_t element_bytes, std::int64_t begin,
             std::int64_t end) {
  std::array<Number, kMostOperands> operands{};
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      operands[k] = sources[k].load(sources[k].data + i * sources[k].step);
    }
    store(operation(operands.data()), out.data() + i * element_bytes);
  }
}

// `select` moves elements as they are, payloads of nan included.
void select(std::span<const Source> sources, std::span<std::byte> out, std::int64_t element_bytes,
            std::int64_t begin, std::int64_t end) {
  const auto size = static_cast<std::size_t>(element_bytes);
  for (std::int64_t i = begin; i < end; ++i) {
    const bool which = sources[0].data[i * sources[0].step] != std::byte{0};
    const Source& source = which ? sources[1] : sources[2];
    std::memmove(out.data() + i * element_bytes, source.data + i * source.step, size);
  }
}

// Where dimensions are dynamic, nobody has seen to it yet.
Result<void> expect_fitting_sizes(const Evaluation& evaluation, const Tensor& shaped) {
  for (const Value& operand : evaluation.operands) {
    if (operand.tensor().rank() == 0) continue;
    MERCATOR_TRY_VOID(expect_same_sizes(shaped, operand.tensor()));
  }
  return {};
}

}  // namespace

Result<Value> evaluate_elementwise(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  ScalarOperation operation = MERCATOR_TRY(scalar_operation(instruction));
  // Storing rounds f32 too.
  if (number_kind(operation.computed) == number_kind(operation.result) &&
      hlo::is_floating(operation.result)) {
    operation.rounding = nullptr;
  }
  assert(evaluation.operands.size() <= kMostOperands);
  // Bounds of `clamp` and the condition of `select` may be scalars, but never the second operand.
  const Tensor& shaped = evaluation.tensor(instruction.operands.size() == 3 ? 1 : 0);
  MERCATOR_TRY_VOID(expect_fitting_sizes(evaluation, shaped));
  Tensor result = MERCATOR_TRY(target(evaluation, shaped.dimensions()));

  const std::int64_t count = result.element_count();
  const std::vector<Source> operands = sources(evaluation);
  const Store store = store_function(evaluation.element_type());
  const std::int64_t element_bytes = hlo::element_bytes(evaluation.element_type());
  const std::span<std::byte> out = result.mutable_bytes();
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    MERCATOR_TRY_VOID(check_stop(evaluation.evaluator.stop()));
    const std::int64_t end = std::min(count, begin + kBlock);
    if (instruction.opcode == hlo::Opcode::kSelect) {
      select(operands, out, element_bytes, begin, end);
    } else {
      compute(operation, operands, store, out, element_bytes, begin, end);
    }
  }
  return Value(std::move(result));
}

}  // namespace mercator::runtime
