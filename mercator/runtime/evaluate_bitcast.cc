// The same bits as other elements: in the order of memory (bitcast), or element by element
// (bitcast-convert).

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/operand_sizes.h"

namespace mercator::runtime {
namespace {

std::vector<std::int64_t> sizes_of(const hlo::Shape& shape) {
  return {shape.dimensions.begin(), shape.dimensions.end()};
}

// How elements of a type and their number are told from bytes.
struct Reading {
  hlo::ElementType element_type;
  std::vector<std::int64_t> dimensions;
  Storage storage;
};

// Of pred: every byte but 0 is true, and 1 from now on. The memory may be that of another tensor.
Result<Tensor> with_true_as_one(const Tensor& tensor, const MemoryPool& pool) {
  Tensor result = MERCATOR_TRY(Tensor::allocate(tensor.element_type(), sizes_of(tensor), pool));
  const std::span<std::byte> bytes = result.mutable_bytes();
  std::ranges::transform(tensor.bytes().first(bytes.size()), bytes.begin(),
                         [](std::byte value) { return std::min(value, std::byte{1}); });
  return result;
}

// The dense tensor of what memory that holds `tensor` in `storage` says when it is read as `to`.
Result<Tensor> read_as(const Tensor& tensor, const Storage& storage, const Reading& to,
                       const RunContext& context) {
  const Tensor stored = MERCATOR_TRY(with_storage(tensor, storage, context.pool, context.stop));
  const Tensor read(to.element_type, to.dimensions, stored.buffer(), to.storage);
  Tensor dense = MERCATOR_TRY(with_storage(read, {}, context.pool, context.stop));
  return to.element_type == hlo::ElementType::kPred ? with_true_as_one(dense, context.pool) : dense;
}

// The bytes that an array takes in `storage`.
Result<std::int64_t> bytes_of(const hlo::Shape& shape, const Storage& storage) {
  return byte_size(shape.element_type, shape.dimensions, storage);
}

}  // namespace

Result<Value> evaluate_bitcast(Evaluation& evaluation) {
  const hlo::Shape& from = evaluation.instruction.operand(0).shape;
  const hlo::Shape& to = evaluation.instruction.shape;
  if (!from.is_array() || identical(from, to)) return std::move(evaluation.operands[0]);

  const Tensor& operand = evaluation.tensor(0);
  if (!std::ranges::equal(operand.dimensions(), from.dimensions)) {
    // Where elements of an array below its bounds lie in memory is for a compiler to say.
    return fail(ErrorKind::kUnsupported,
                fmt::format("a bitcast of {}, which has a dynamic size, is not supported",
                            type_text(operand)));
  }
  Storage source = MERCATOR_TRY(storage_of(from));
  Storage target = MERCATOR_TRY(storage_of(to));
  if (MERCATOR_TRY(bytes_of(from, source)) != MERCATOR_TRY(bytes_of(to, target))) {
    // Before layouts are assigned narrow types do not say that they will be packed.
    source.packed = true;
    target.packed = true;
    if (MERCATOR_TRY(bytes_of(from, source)) != MERCATOR_TRY(bytes_of(to, target))) {
      return fail(ErrorKind::kUnsupported, fmt::format("{} and {} do not take the same memory",
                                                       to_string(from), to_string(to)));
    }
  }
  return MERCATOR_TRY(read_as(
      operand, source,
      {.element_type = to.element_type, .dimensions = sizes_of(to), .storage = std::move(target)},
      evaluation.evaluator.context()));
}

Result<Value> evaluate_bitcast_convert(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const hlo::ElementType to = evaluation.element_type();
  const std::int64_t from_bits = hlo::bit_width(operand.element_type());
  const std::int64_t to_bits = hlo::bit_width(to);
  std::vector<std::int64_t> dimensions = sizes_of(operand);
  if (from_bits < to_bits) {
    const std::int64_t parts = to_bits / from_bits;
    if (dimensions.empty() || dimensions.back() != parts) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("the last dimension of {} is not {}", type_text(operand), parts));
    }
    dimensions.pop_back();
  }
  if (from_bits > to_bits) dimensions.push_back(from_bits / to_bits);
  // The parts of an element are in the order of significance, the lowest first: the order that
  // they have in memory, where narrow ones are packed.
  const Storage packed{.packed = true};
  return MERCATOR_TRY(read_as(
      operand, packed, {.element_type = to, .dimensions = std::move(dimensions), .storage = packed},
      evaluation.evaluator.context()));
}

}  // namespace mercator::runtime
