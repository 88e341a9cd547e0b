#include "mercator/runtime/tensor.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;

Tensor bytes_tensor(hlo::ElementType type, std::vector<std::int64_t> dimensions,
                    std::vector<int> bytes) {
  Tensor tensor = Tensor::allocate(type, std::move(dimensions), MemoryPool()).value();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    tensor.mutable_bytes()[i] = static_cast<std::byte>(bytes[i]);
  }
  return tensor;
}

std::vector<int> bytes_of(const Tensor& tensor) {
  std::vector<int> result;
  for (const std::byte byte : tensor.bytes()) result.push_back(std::to_integer<int>(byte));
  return result;
}

TEST(Tensor, OtherLayoutsTransposeTheMemory) {
  const Tensor dense = bytes_tensor(hlo::ElementType::kU8, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Storage column_major{.minor_to_major = {0, 1}};
  const Tensor columns = with_storage(dense, column_major, MemoryPool()).value();
  EXPECT_THAT(bytes_of(columns), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(bytes_of(with_storage(columns, {}, MemoryPool()).value()),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Tensor, PackedElementsShareBytesTheFirstInTheLowBits) {
  const Tensor dense = bytes_tensor(hlo::ElementType::kS4, {3}, {1, 0xFE, 7});
  const Tensor packed = with_storage(dense, {.packed = true}, MemoryPool()).value();
  EXPECT_THAT(bytes_of(packed), ElementsAre(0xE1, 0x07));
  EXPECT_THAT(bytes_of(with_storage(packed, {}, MemoryPool()).value()), ElementsAre(1, 0xFE, 7));
}

TEST(Tensor, PackedUnsignedElementsAreNotSignExtended) {
  const Tensor dense = bytes_tensor(hlo::ElementType::kU2, {5}, {3, 0, 2, 1, 3});
  const Tensor packed = with_storage(dense, {.packed = true}, MemoryPool()).value();
  EXPECT_THAT(bytes_of(packed), ElementsAre(0b01'10'00'11, 3));
  EXPECT_THAT(bytes_of(with_storage(packed, {}, MemoryPool()).value()), ElementsAre(3, 0, 2, 1, 3));
}

TEST(Tensor, SizesThatDoNotFitAreErrors) {
  EXPECT_EQ(byte_size(hlo::ElementType::kF32, std::vector<std::int64_t>{1LL << 40, 1LL << 22})
                .error()
                .kind,
            ErrorKind::kExhausted);
  EXPECT_EQ(element_count(std::vector<std::int64_t>{1LL << 62, 4, 0}).value(), 0);
  const MemoryPool small(100);
  EXPECT_EQ(Tensor::allocate(hlo::ElementType::kF32, {26}, small).error().kind,
            ErrorKind::kExhausted);
  EXPECT_TRUE(Tensor::allocate(hlo::ElementType::kF32, {25}, small).has_value());
  EXPECT_EQ(small.bytes_in_use(), 0);
  EXPECT_EQ(small.peak_bytes(), 100);
}

TEST(Tensor, BytesAreThoseOfItsElements) {
  const MemoryPool pool;
  const Tensor tensor(hlo::ElementType::kU8, {3}, pool.allocate(64).value());
  EXPECT_EQ(tensor.bytes().size(), 3);
  const Tensor empty(hlo::ElementType::kF64, {1LL << 40, 1LL << 40, 0}, Buffer());
  EXPECT_EQ(empty.element_count(), 0);
  EXPECT_EQ(empty.bytes().size(), 0);
  EXPECT_EQ(MemoryPool(std::numeric_limits<std::int64_t>::max())
                .allocate(std::numeric_limits<std::int64_t>::max())
                .error()
                .kind,
            ErrorKind::kExhausted);
}

TEST(Buffer, IsExclusiveWhileThereIsNoCopy) {
  const Tensor tensor = bytes_tensor(hlo::ElementType::kU8, {1}, {1});
  EXPECT_TRUE(tensor.buffer().is_exclusive());
  {
    const Tensor copy = tensor;
    EXPECT_FALSE(tensor.buffer().is_exclusive());
  }
  EXPECT_TRUE(tensor.buffer().is_exclusive());
}

}  // namespace
}  // namespace mercator::runtime
