#include "mercator/runtime/dlpack.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// A tensor of another library, which counts how often its deleter was called.
struct Foreign {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // empty: none
  DLManagedTensor managed = {};
  int deleted = 0;

  Foreign(void* memory, DLDataType type, std::vector<std::int64_t> dimensions,
          std::vector<std::int64_t> element_strides = {})
      : shape(std::move(dimensions)), strides(std::move(element_strides)) {
    managed.dl_tensor = {.data = memory,
                         .device = {.device_type = kDLCPU, .device_id = 0},
                         .ndim = static_cast<std::int32_t>(shape.size()),
                         .dtype = type,
                         .shape = shape.data(),
                         .strides = strides.empty() ? nullptr : strides.data(),
                         .byte_offset = 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  ~Foreign() = default;

  Result<Tensor> import(const MemoryPool& pool = MemoryPool()) {
    return from_dlpack(&managed, pool);
  }
};

constexpr DLDataType kI32 = {.code = kDLInt, .bits = 32, .lanes = 1};
constexpr DLDataType kU8 = {.code = kDLUInt, .bits = 8, .lanes = 1};

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  const Tensor dense = with_storage(tensor, {}, MemoryPool()).value();
  std::vector<T> result(static_cast<std::size_t>(dense.element_count()));
  std::memcpy(result.data(), dense.bytes().data(), result.size() * sizeof(T));
  return result;
}

TEST(FromDlpack, SharesMemoryWithoutGaps) {
  std::array<std::int32_t, 6> memory = {1, 2, 3, 4, 5, 6};
  Foreign foreign(memory.data(), kI32, {2, 3});
  const MemoryPool nothing(0);
  {
    const Tensor tensor = foreign.import(nothing).value();
    EXPECT_EQ(type_text(tensor), "s32[2,3]");
    EXPECT_TRUE(tensor.is_dense());
    EXPECT_EQ(static_cast<void*>(tensor.buffer().data()), memory.data());
    EXPECT_FALSE(tensor.buffer().is_exclusive());
    std::optional<Tensor> copy = tensor;
    copy.reset();
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(FromDlpack, SharesMemoryInAnotherOrderOfDimensions) {
  std::array<std::int32_t, 6> memory = {1, 2, 3, 4, 5, 6};
  // Column by column.
  Foreign foreign(memory.data(), kI32, {2, 3}, {1, 2});
  const Tensor tensor = foreign.import(MemoryPool(0)).value();
  EXPECT_THAT(tensor.storage().minor_to_major, ElementsAre(0, 1));
  EXPECT_EQ(static_cast<void*>(tensor.buffer().data()), memory.data());
  EXPECT_THAT(elements<std::int32_t>(tensor), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(FromDlpack, StridesOfDimensionsOfOneElementDoNotMatter) {
  std::array<std::int32_t, 6> memory = {1, 2, 3, 4, 5, 6};
  Foreign foreign(memory.data(), kI32, {2, 1, 3}, {3, -77, 1});
  EXPECT_TRUE(foreign.import(MemoryPool(0))->is_dense());
}

TEST(FromDlpack, CopiesMemoryWithGapsAndIsDoneWithItAtOnce) {
  std::array<std::int32_t, 8> memory = {1, 2, 3, 4, 5, 6, 7, 8};
  Foreign every_other(memory.data(), kI32, {2, 2}, {4, 2});
  const Tensor tensor = every_other.import().value();
  EXPECT_EQ(every_other.deleted, 1);
  EXPECT_TRUE(tensor.is_dense());
  EXPECT_THAT(elements<std::int32_t>(tensor), ElementsAre(1, 3, 5, 7));

  Foreign backwards(&memory[3], kI32, {4}, {-1});
  EXPECT_THAT(elements<std::int32_t>(*backwards.import()), ElementsAre(4, 3, 2, 1));

  Foreign broadcast(memory.data(), kI32, {3, 2}, {0, 1});
  EXPECT_THAT(elements<std::int32_t>(*broadcast.import()), ElementsAre(1, 2, 1, 2, 1, 2));

  Foreign both(&memory[4], kI32, {2, 3}, {-4, 1});
  EXPECT_THAT(elements<std::int32_t>(*both.import()), ElementsAre(5, 6, 7, 1, 2, 3));
}

TEST(FromDlpack, BeginsAtTheOffset) {
  std::array<std::int32_t, 4> memory = {1, 2, 3, 4};
  Foreign foreign(memory.data(), kI32, {2});
  foreign.managed.dl_tensor.byte_offset = 8;
  EXPECT_THAT(elements<std::int32_t>(*foreign.import(MemoryPool(0))), ElementsAre(3, 4));
}

TEST(FromDlpack, CopiesWhatIsNotAligned) {
  std::array<std::int32_t, 3> memory = {};
  const std::array<std::int32_t, 2> values = {1, 2};
  std::memcpy(reinterpret_cast<std::byte*>(memory.data()) + 1, values.data(), sizeof(values));
  Foreign foreign(memory.data(), kI32, {2});
  foreign.managed.dl_tensor.byte_offset = 1;
  const Tensor tensor = foreign.import().value();
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_THAT(elements<std::int32_t>(tensor), ElementsAre(1, 2));
}

TEST(FromDlpack, ScalarsAndEmptyTensors) {
  std::array<std::int32_t, 1> memory = {7};
  Foreign scalar(memory.data(), kI32, {});
  EXPECT_EQ(type_text(*scalar.import()), "s32[]");
  Foreign empty(nullptr, kI32, {std::int64_t{1} << 62, 0, 4});
  EXPECT_EQ(type_text(*empty.import()), "s32[4611686018427387904,0,4]");
  EXPECT_EQ(empty.deleted, 1);
}

TEST(FromDlpack, NarrowElementsShareBytes) {
  std::array<std::uint8_t, 2> memory = {0xE1, 0x07};
  Foreign foreign(memory.data(), {.code = kDLInt, .bits = 4, .lanes = 1}, {3});
  const Tensor tensor = foreign.import(MemoryPool(0)).value();
  EXPECT_TRUE(tensor.storage().packed);
  EXPECT_EQ(type_text(tensor), "s4[3]");
  EXPECT_THAT(elements<std::int8_t>(tensor), ElementsAre(1, -2, 7));

  Foreign gaps(memory.data(), {.code = kDLInt, .bits = 4, .lanes = 1}, {2}, {2});
  EXPECT_EQ(gaps.import().error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(gaps.deleted, 0);
}

TEST(FromDlpack, ADeleterMayBeMissing) {
  std::array<std::int32_t, 2> memory = {1, 2};
  Foreign foreign(memory.data(), kI32, {2});
  foreign.managed.deleter = nullptr;
  EXPECT_THAT(elements<std::int32_t>(*foreign.import()), ElementsAre(1, 2));
}

// What is refused, and stays the caller's.
TEST(FromDlpack, RefusesWhatMakesNoSense) {
  std::array<std::uint8_t, 16> memory = {0, 1, 2};
  const auto expect_error = [&](ErrorKind kind, const std::string& message, auto change) {
    Foreign foreign(memory.data(), kU8, {2, 2}, {2, 1});
    change(foreign);
    const Result<Tensor> result = foreign.import();
    ASSERT_FALSE(result.has_value()) << message;
    EXPECT_EQ(result.error().kind, kind) << message;
    EXPECT_THAT(result.error().message, HasSubstr(message));
    EXPECT_EQ(foreign.deleted, 0) << message;
  };
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  expect_error(ErrorKind::kUnsupported, "on a device of type 2",
               [](Foreign& foreign) { foreign.managed.dl_tensor.device.device_type = 2; });
  expect_error(ErrorKind::kUnsupported, "code 1, 8 bits and 4 lanes",
               [](Foreign& foreign) { foreign.managed.dl_tensor.dtype.lanes = 4; });
  expect_error(ErrorKind::kUnsupported, "code 2, 8 bits",
               [](Foreign& foreign) { foreign.managed.dl_tensor.dtype.code = kDLFloat; });
  expect_error(ErrorKind::kUsage, "has -1 dimensions",
               [](Foreign& foreign) { foreign.managed.dl_tensor.ndim = -1; });
  expect_error(ErrorKind::kUsage, "has 2000000000 dimensions",
               [](Foreign& foreign) { foreign.managed.dl_tensor.ndim = 2'000'000'000; });
  expect_error(ErrorKind::kUsage, "has no shape",
               [](Foreign& foreign) { foreign.managed.dl_tensor.shape = nullptr; });
  expect_error(ErrorKind::kUsage, "has a dimension of size -2",
               [](Foreign& foreign) { foreign.shape[1] = -2; });
  expect_error(ErrorKind::kUsage, "has elements, and no memory",
               [](Foreign& foreign) { foreign.managed.dl_tensor.data = nullptr; });
  expect_error(ErrorKind::kExhausted, "too many elements", [](Foreign& foreign) {
    foreign.shape = {kFar, kFar};
    foreign.managed.dl_tensor.shape = foreign.shape.data();
  });
  expect_error(ErrorKind::kUsage, "strides that lead out of memory",
               [](Foreign& foreign) { foreign.strides[0] = std::int64_t{-1} << 63; });
  expect_error(ErrorKind::kUsage, "strides that lead out of memory", [](Foreign& foreign) {
    foreign.strides[0] = kFar;
    foreign.strides[1] = -kFar;
  });
  expect_error(ErrorKind::kInvalidInput, "neither 0 nor 1",
               [](Foreign& foreign) { foreign.managed.dl_tensor.dtype.code = kDLBool; });
}

TEST(FromDlpack, BoolsAreZeroOrOneInSharedMemoryAndInACopy) {
  constexpr DLDataType kBool = {.code = kDLBool, .bits = 8, .lanes = 1};
  std::array<std::uint8_t, 4> memory = {1, 0, 0, 2};
  EXPECT_THAT(elements<std::uint8_t>(*Foreign(memory.data(), kBool, {3}).import(MemoryPool(0))),
              ElementsAre(true, false, false));
  EXPECT_THAT(elements<std::uint8_t>(*Foreign(memory.data(), kBool, {2}, {2}).import()),
              ElementsAre(true, false));
  for (const std::int64_t stride : {1, 3}) {
    Foreign wrong(memory.data(), kBool, {stride == 1 ? 4 : 2}, {stride});
    const Result<Tensor> result = wrong.import();
    ASSERT_FALSE(result.has_value()) << stride;
    EXPECT_EQ(result.error().message, "the tensor holds a bool that is neither 0 nor 1");
    EXPECT_EQ(wrong.deleted, 0);
  }
}

TEST(FromDlpack, NeedsMemoryForACopy) {
  std::array<std::int32_t, 8> memory = {};
  Foreign foreign(memory.data(), kI32, {4}, {2});
  EXPECT_EQ(foreign.import(MemoryPool(15)).error().kind, ErrorKind::kExhausted);
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(ToDlpack, SharesMemoryAndHoldsIt) {
  const MemoryPool pool;
  std::optional<Tensor> tensor = Tensor::allocate(hlo::ElementType::kF32, {2, 3}, pool).value();
  const void* const data = tensor->buffer().data();
  DLManagedTensor* const managed = to_dlpack(*tensor, pool).value();
  tensor.reset();
  EXPECT_EQ(pool.bytes_in_use(), 24);
  const DLTensor& view = managed->dl_tensor;
  EXPECT_EQ(view.data, data);
  EXPECT_EQ(view.device.device_type, kDLCPU);
  EXPECT_EQ(view.dtype.code, kDLFloat);
  EXPECT_EQ(view.dtype.bits, 32);
  EXPECT_EQ(view.dtype.lanes, 1);
  EXPECT_THAT(std::span(view.shape, 2), ElementsAre(2, 3));
  EXPECT_THAT(std::span(view.strides, 2), ElementsAre(3, 1));
  managed->deleter(managed);
  EXPECT_EQ(pool.bytes_in_use(), 0);
}

TEST(ToDlpack, NarrowElementsArePacked) {
  Tensor tensor = Tensor::allocate(hlo::ElementType::kU4, {3}, MemoryPool()).value();
  const std::array<std::uint8_t, 3> values = {1, 15, 2};
  std::memcpy(tensor.mutable_bytes().data(), values.data(), values.size());
  DLManagedTensor* const managed = to_dlpack(tensor, MemoryPool()).value();
  const auto* const bytes = static_cast<const std::uint8_t*>(managed->dl_tensor.data);
  EXPECT_THAT(std::span(bytes, 2), ElementsAre(0xF1, 0x02));
  managed->deleter(managed);
  EXPECT_EQ(to_dlpack(tensor, MemoryPool(1)).error().kind, ErrorKind::kExhausted);
}

// Every type of HLO, in every order of the dimensions, comes back from DLPack as it went.
TEST(Dlpack, RoundTrips) {
  const MemoryPool pool;
  for (const std::string_view name : hlo::element_type_names()) {
    const std::optional<hlo::ElementType> type = hlo::element_type(name);
    if (!type) continue;  // token
    for (const auto& order : {std::vector<std::int64_t>{}, {0, 1}, {1, 0}}) {
      Tensor tensor = Tensor::allocate(*type, {2, 3}, pool).value();
      const auto mask =
          static_cast<std::uint8_t>((1U << std::min<std::int64_t>(8, hlo::bit_width(*type))) - 1U);
      for (std::size_t i = 0; i < tensor.bytes().size(); ++i) {
        const bool is_bool = *type == hlo::ElementType::kPred;
        // Positive, so that no sign extends.
        tensor.mutable_bytes()[i] =
            static_cast<std::byte>(is_bool ? i % 2 : (i * 37 + 5) & (mask >> 1));
      }
      const Tensor stored = with_storage(tensor, {.minor_to_major = order}, pool).value();
      const Tensor back = from_dlpack(to_dlpack(stored, pool).value(), pool).value();
      EXPECT_EQ(back.element_type(), *type) << name;
      const Tensor dense = with_storage(back, {}, pool).value();
      EXPECT_THAT(dense.bytes(), ElementsAreArray(tensor.bytes())) << name;
    }
  }
  EXPECT_EQ(pool.bytes_in_use(), 0);
}

// The numbers of the standard.
TEST(Dlpack, TypeCodes) {
  const auto code = [](hlo::ElementType type) { return int{dlpack_type(type).code}; };
  EXPECT_EQ(code(hlo::ElementType::kS4), 0);
  EXPECT_EQ(code(hlo::ElementType::kU64), 1);
  EXPECT_EQ(code(hlo::ElementType::kF16), 2);
  EXPECT_EQ(code(hlo::ElementType::kBf16), 4);
  EXPECT_EQ(code(hlo::ElementType::kC64), 5);
  EXPECT_EQ(dlpack_type(hlo::ElementType::kC64).bits, 64);
  EXPECT_EQ(code(hlo::ElementType::kPred), 6);
  EXPECT_EQ(dlpack_type(hlo::ElementType::kPred).bits, 8);
  EXPECT_EQ(code(hlo::ElementType::kF8e3m4), 7);
  EXPECT_EQ(code(hlo::ElementType::kF8e4m3), 8);
  EXPECT_EQ(code(hlo::ElementType::kF8e4m3b11fnuz), 9);
  EXPECT_EQ(code(hlo::ElementType::kF8e4m3fn), 10);
  EXPECT_EQ(code(hlo::ElementType::kF8e4m3fnuz), 11);
  EXPECT_EQ(code(hlo::ElementType::kF8e5m2), 12);
  EXPECT_EQ(code(hlo::ElementType::kF8e5m2fnuz), 13);
  EXPECT_EQ(code(hlo::ElementType::kF8e8m0fnu), 14);
  EXPECT_EQ(code(hlo::ElementType::kF4e2m1fn), 17);
  EXPECT_EQ(dlpack_type(hlo::ElementType::kF4e2m1fn).bits, 4);
}

// The layout of the structures, on machines of 64 bits.
TEST(Dlpack, Layout) {
  EXPECT_EQ(sizeof(DLTensor), 48U);
  EXPECT_EQ(offsetof(DLTensor, device), 8U);
  EXPECT_EQ(offsetof(DLTensor, ndim), 16U);
  EXPECT_EQ(offsetof(DLTensor, dtype), 20U);
  EXPECT_EQ(offsetof(DLTensor, shape), 24U);
  EXPECT_EQ(offsetof(DLTensor, strides), 32U);
  EXPECT_EQ(offsetof(DLTensor, byte_offset), 40U);
  EXPECT_EQ(offsetof(DLManagedTensor, manager_ctx), 48U);
  EXPECT_EQ(offsetof(DLManagedTensor, deleter), 56U);
}

}  // namespace
}  // namespace mercator::runtime
