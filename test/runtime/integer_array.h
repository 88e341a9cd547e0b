// Arrays of 32-bit integers: what second definitions of instructions are written with. Their
// arithmetic wraps, as that of s32 does, so results are the same to the last bit.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercator/runtime/tensor.h"
#include "test/runtime/interpreter_testing.h"
#include "test/support/random_draw.h"

namespace mercator::runtime {

using Index = std::vector<std::int64_t>;

struct IntegerArray {
  Index sizes;
  std::vector<std::int32_t> values;  // row-major

  explicit IntegerArray(Index s, std::int32_t value = 0) : sizes(std::move(s)) {
    std::size_t count = 1;
    for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
    values.assign(count, value);
  }
  [[nodiscard]] std::int32_t& operator[](const Index& index) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      EXPECT_TRUE(index[d] >= 0 && index[d] < sizes[d]);
      place = place * static_cast<std::size_t>(sizes[d]) + static_cast<std::size_t>(index[d]);
    }
    return values[place];
  }
  // s32[2,3]
  [[nodiscard]] std::string type() const { return fmt::format("s32[{}]", fmt::join(sizes, ",")); }
  friend bool operator==(const IntegerArray&, const IntegerArray&) = default;
};

// Calls `function` for every index below `sizes`, in row-major order.
inline void for_each_index(const Index& sizes, const std::function<void(const Index&)>& function) {
  Index index(sizes.size(), 0);
  for (const std::int64_t size : sizes) {
    if (size == 0) return;
  }
  while (true) {
    function(index);
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

inline IntegerArray random_array(const test::Draw& draw, Index sizes) {
  IntegerArray array(std::move(sizes));
  for (std::int32_t& value : array.values) value = static_cast<std::int32_t>(draw(-9, 9));
  return array;
}

inline Index random_sizes(const test::Draw& draw, std::int64_t rank, std::int64_t largest) {
  Index sizes;
  for (std::int64_t d = 0; d < rank; ++d) sizes.push_back(draw(1, largest));
  return sizes;
}

// 0, …, n - 1 in some order.
inline Index random_permutation(const test::Draw& draw, std::int64_t n) {
  Index permutation;
  for (std::int64_t i = 0; i < n; ++i) {
    permutation.insert(permutation.begin() + draw(0, i), i);
  }
  return permutation;
}

// The order of what is accumulated can be told from the result.
inline std::int32_t ordered_sum(std::int32_t sum, std::int32_t value) {
  return static_cast<std::int32_t>(3 * static_cast<std::uint32_t>(sum) +
                                   static_cast<std::uint32_t>(value));
}
constexpr std::string_view kOrderedSum = R"(
ordered_sum {
  sum = s32[] parameter(0)
  value = s32[] parameter(1)
  three = s32[] constant(3)
  product = s32[] multiply(sum, three)
  ROOT next = s32[] add(product, value)
}
)";

inline Tensor to_tensor(const IntegerArray& array) {
  Tensor tensor = Tensor::allocate(hlo::ElementType::kS32, array.sizes, MemoryPool()).value();
  std::ranges::copy(std::as_bytes(std::span(array.values)), tensor.mutable_bytes().begin());
  return tensor;
}

inline IntegerArray from_tensor(const Tensor& tensor) {
  EXPECT_EQ(tensor.element_type(), hlo::ElementType::kS32);
  IntegerArray array({tensor.dimensions().begin(), tensor.dimensions().end()});
  EXPECT_EQ(array.values.size() * sizeof(std::int32_t), tensor.bytes().size());
  std::ranges::copy(tensor.bytes(), std::as_writable_bytes(std::span(array.values)).begin());
  return array;
}

// The results of a program of arrays of s32; the test fails where it fails.
inline std::vector<IntegerArray> run_integers(const std::string& hlo,
                                              const std::vector<IntegerArray>& arguments) {
  std::vector<Value> values;
  for (const IntegerArray& argument : arguments) values.emplace_back(to_tensor(argument));
  const Result<std::vector<Tensor>> results = run_program(hlo, std::move(values));
  if (!results) {
    ADD_FAILURE() << results.error().message << "\n" << hlo;
    return {};
  }
  std::vector<IntegerArray> arrays;
  for (const Tensor& result : *results) arrays.push_back(from_tensor(result));
  return arrays;
}

}  // namespace mercator::runtime
