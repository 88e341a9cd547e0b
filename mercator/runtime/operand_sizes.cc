#include "mercator/runtime/operand_sizes.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace mercator::runtime {

std::vector<std::int64_t> sizes_of(const Tensor& tensor) {
  return {tensor.dimensions().begin(), tensor.dimensions().end()};
}

Result<void> expect_arrays(std::span<const Value> operands) {
  const auto is_tensor = [](const Value& value) { return value.is_tensor(); };
  if (!operands.empty() && std::ranges::all_of(operands, is_tensor)) return {};
  return fail(ErrorKind::kUnsupported, "it takes arrays, one at least, and nothing else");
}

Result<Tensor> size_scalar(std::int64_t size, const MemoryPool& pool) {
  if (size > std::numeric_limits<std::int32_t>::max()) {
    return fail(ErrorKind::kUnsupported, fmt::format("the size {} does not fit s32", size));
  }
  Tensor scalar = MERCATOR_TRY(Tensor::allocate(hlo::ElementType::kS32, {}, pool));
  const auto number = static_cast<std::int32_t>(size);
  std::memcpy(scalar.mutable_bytes().data(), &number, sizeof(number));
  return scalar;
}

Result<void> expect_same_sizes(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                               std::string_view what) {
  if (std::ranges::equal(a, b)) return {};
  return fail(ErrorKind::kInvalidInput,
              fmt::format("{} have the sizes [{}] and [{}], which must be the same", what,
                          fmt::join(a, ","), fmt::join(b, ",")));
}

Result<void> expect_same_sizes(const Tensor& a, const Tensor& b) {
  return expect_same_sizes(a.dimensions(), b.dimensions(), "operands");
}

bool contains(std::span<const std::int64_t> dimensions, std::int64_t d) {
  return std::ranges::find(dimensions, d) != dimensions.end();
}

}  // namespace mercator::runtime
