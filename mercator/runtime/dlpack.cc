#include "mercator/runtime/dlpack.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/strided_copy.h"
#include "mercator/support/arithmetic.h"

namespace mercator::runtime {
namespace {

std::uint8_t type_code(hlo::ElementType type) {
  switch (type) {
    case hlo::ElementType::kPred:
      return kDLBool;
    case hlo::ElementType::kS1:
    case hlo::ElementType::kS2:
    case hlo::ElementType::kS4:
    case hlo::ElementType::kS8:
    case hlo::ElementType::kS16:
    case hlo::ElementType::kS32:
    case hlo::ElementType::kS64:
      return kDLInt;
    case hlo::ElementType::kU1:
    case hlo::ElementType::kU2:
    case hlo::ElementType::kU4:
    case hlo::ElementType::kU8:
    case hlo::ElementType::kU16:
    case hlo::ElementType::kU32:
    case hlo::ElementType::kU64:
      return kDLUInt;
    case hlo::ElementType::kF16:
    case hlo::ElementType::kF32:
    case hlo::ElementType::kF64:
      return kDLFloat;
    case hlo::ElementType::kBf16:
      return kDLBfloat;
    case hlo::ElementType::kF8e5m2:
      return kDLFloat8_e5m2;
    case hlo::ElementType::kF8e4m3:
      return kDLFloat8_e4m3;
    case hlo::ElementType::kF8e4m3fn:
      return kDLFloat8_e4m3fn;
    case hlo::ElementType::kF8e4m3b11fnuz:
      return kDLFloat8_e4m3b11fnuz;
    case hlo::ElementType::kF8e3m4:
      return kDLFloat8_e3m4;
    case hlo::ElementType::kF8e5m2fnuz:
      return kDLFloat8_e5m2fnuz;
    case hlo::ElementType::kF8e4m3fnuz:
      return kDLFloat8_e4m3fnuz;
    case hlo::ElementType::kF4e2m1fn:
      return kDLFloat4_e2m1fn;
    case hlo::ElementType::kF8e8m0fnu:
      return kDLFloat8_e8m0fnu;
    case hlo::ElementType::kC64:
    case hlo::ElementType::kC128:
      return kDLComplex;
  }
  return 0;
}

constexpr auto kElementTypes = std::to_array<hlo::ElementType>({
#define MERCATOR_X(id, name, bits) hlo::ElementType::id,
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
});

// ---- for others ----

// What a tensor for others points to, as long as they have it.
struct Exported {
  Tensor tensor;
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> strides;
  DLManagedTensor managed;
};

void delete_exported(DLManagedTensor* managed) {
  delete static_cast<Exported*>(managed->manager_ctx);
}

// ---- from others ----

std::unexpected<Error> senseless(std::string message) {
  return fail(ErrorKind::kUsage, "the DLPack tensor " + std::move(message));
}

// A DLTensor of the CPU in our terms.
struct Imported {
  hlo::ElementType element_type = hlo::ElementType::kPred;
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> strides;  // in elements
  std::int64_t element_count = 0;
  std::byte* first = nullptr;

  [[nodiscard]] bool is_narrow() const { return hlo::bit_width(element_type) < 8; }
};

Result<Imported> read_header(const DLTensor& tensor) {
  // More would be nonsense; numpy has at most 64.
  constexpr std::int32_t kMostDimensions = 1024;

  if (tensor.device.device_type != kDLCPU) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the DLPack tensor is on a device of type {}, and only those of the "
                            "CPU (type {}) are supported",
                            tensor.device.device_type, int{kDLCPU}));
  }
  const std::optional<hlo::ElementType> type = element_type_of(tensor.dtype);
  if (!type) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the DLPack tensor has elements of code {}, {} bits and {} lanes, "
                            "which is no type of HLO",
                            tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes));
  }
  if (tensor.ndim < 0 || tensor.ndim > kMostDimensions) {
    return senseless(fmt::format("has {} dimensions", tensor.ndim));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) return senseless("has no shape");

  Imported result;
  result.element_type = *type;
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  result.dimensions.assign(tensor.shape, tensor.shape + rank);
  for (const std::int64_t size : result.dimensions) {
    if (size < 0) return senseless(fmt::format("has a dimension of size {}", size));
  }
  result.element_count = MERCATOR_TRY(element_count(result.dimensions));
  MERCATOR_TRY_VOID(byte_size(*type, result.dimensions));
  if (result.element_count == 0) return result;

  result.strides = tensor.strides != nullptr ? std::vector(tensor.strides, tensor.strides + rank)
                                             : row_major_strides(result.dimensions);
  if (tensor.data == nullptr) return senseless("has elements, and no memory");
  result.first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  return result;
}

// The lowest and the highest element, from the first.
Result<std::pair<std::int64_t, std::int64_t>> extent(const Imported& tensor) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::int64_t bytes = 0;
  bool fits = true;
  for (std::size_t d = 0; d < tensor.dimensions.size(); ++d) {
    std::int64_t last = 0;
    fits = fits && checked_mul(tensor.strides[d], tensor.dimensions[d] - 1, &last);
    std::int64_t& end = last < 0 ? lowest : highest;
    fits = fits && checked_add(end, last, &end);
  }
  fits = fits && checked_sub(highest, lowest, &bytes) && checked_add(bytes, 1, &bytes) &&
         checked_mul(bytes, hlo::element_bytes(tensor.element_type), &bytes);
  if (!fits) return senseless("has strides that lead out of memory");
  return std::pair(lowest, highest);
}

// How it is stored, if it is without gaps.
std::optional<Storage> storage_without_gaps(const Imported& tensor) {
  std::vector<std::int64_t> order(tensor.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);  // row-major
  const auto size = [&](std::int64_t d) { return tensor.dimensions[static_cast<std::size_t>(d)]; };
  const auto stride = [&](std::int64_t d) { return tensor.strides[static_cast<std::size_t>(d)]; };
  const auto has_no_gaps = [&] {
    std::int64_t expected = 1;
    for (const std::int64_t d : order) {
      // The stride of a dimension of size 1 leads nowhere.
      if (size(d) == 1) continue;
      if (stride(d) != expected) return false;
      expected *= size(d);
    }
    return true;
  };

  Storage storage{.packed = tensor.is_narrow()};
  if (has_no_gaps()) return storage;
  std::ranges::sort(order, {}, [&](std::int64_t d) { return std::pair(stride(d), -d); });
  if (!has_no_gaps()) return std::nullopt;
  storage.minor_to_major = std::move(order);
  return storage;
}

bool is_aligned(const Imported& tensor) {
  const std::int64_t bytes = hlo::element_bytes(tensor.element_type);
  const std::int64_t alignment = hlo::is_complex(tensor.element_type) ? bytes / 2 : bytes;
  return reinterpret_cast<std::uintptr_t>(tensor.first) % static_cast<std::uintptr_t>(alignment) ==
         0;
}

// A tensor in the memory of somebody else, of which nobody needs to be told that it is done with.
Tensor borrowed(const Imported& tensor, std::byte* data, std::int64_t elements) {
  const std::int64_t bytes = elements * hlo::element_bytes(tensor.element_type);
  return Tensor(tensor.element_type, {elements}, Buffer(data, bytes, [] {}));
}

Result<Tensor> dense_copy(const Imported& tensor, const MemoryPool& pool) {
  Tensor result = MERCATOR_TRY(Tensor::allocate(tensor.element_type, tensor.dimensions, pool));
  if (tensor.element_count == 0) return result;
  const auto [lowest, highest] = MERCATOR_TRY(extent(tensor));
  std::byte* const data = tensor.first + lowest * hlo::element_bytes(tensor.element_type);
  MERCATOR_TRY_VOID(copy_elements(tensor.dimensions, borrowed(tensor, data, highest - lowest + 1),
                                  {.first = -lowest, .strides = tensor.strides}, result,
                                  {.strides = row_major_strides(tensor.dimensions)}, {}));
  return result;
}

void release(DLManagedTensor* managed) {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

}  // namespace

std::optional<hlo::ElementType> element_type_of(DLDataType type) {
  for (const hlo::ElementType candidate : kElementTypes) {
    const DLDataType known = dlpack_type(candidate);
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes) {
      return candidate;
    }
  }
  return std::nullopt;
}

DLDataType dlpack_type(hlo::ElementType type) {
  return {
      .code = type_code(type), .bits = static_cast<std::uint8_t>(hlo::bit_width(type)), .lanes = 1};
}

Result<void> check_bools(const Tensor& tensor) {
  if (tensor.element_type() != hlo::ElementType::kPred) return {};
  const bool are_bools =
      std::ranges::all_of(tensor.bytes(), [](std::byte byte) { return byte <= std::byte{1}; });
  if (are_bools) return {};
  return fail(ErrorKind::kInvalidInput, "the tensor holds a bool that is neither 0 nor 1");
}

Result<DLManagedTensor*> to_dlpack(const Tensor& tensor, const MemoryPool& pool) {
  Storage storage = tensor.storage();
  storage.packed = hlo::bit_width(tensor.element_type()) < 8;
  auto exported = std::make_unique<Exported>(
      Exported{.tensor = MERCATOR_TRY(with_storage(tensor, storage, pool)),
               .dimensions = {},
               .strides = {},
               .managed = {}});
  exported->dimensions.assign(tensor.dimensions().begin(), tensor.dimensions().end());
  exported->strides = element_strides(tensor.dimensions(), storage);
  exported->managed = {.dl_tensor = {.data = exported->tensor.buffer().data(),
                                     .device = {.device_type = kDLCPU, .device_id = 0},
                                     .ndim = static_cast<std::int32_t>(tensor.rank()),
                                     .dtype = dlpack_type(tensor.element_type()),
                                     .shape = exported->dimensions.data(),
                                     .strides = exported->strides.data(),
                                     .byte_offset = 0},
                       .manager_ctx = exported.get(),
                       .deleter = delete_exported};
  return &exported.release()->managed;
}

Result<Tensor> from_dlpack(DLManagedTensor* managed, const MemoryPool& pool) {
  const Imported imported = MERCATOR_TRY(read_header(managed->dl_tensor));
  std::optional<Storage> storage;
  if (imported.element_count > 0 && is_aligned(imported)) storage = storage_without_gaps(imported);
  if (!storage && imported.element_count > 0 && imported.is_narrow()) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the DLPack tensor of {} has gaps between its elements",
                            hlo::name(imported.element_type)));
  }
  if (!storage) {
    Tensor copy = MERCATOR_TRY(dense_copy(imported, pool));
    MERCATOR_TRY_VOID(check_bools(copy));
    release(managed);
    return copy;
  }

  const std::int64_t bytes =
      MERCATOR_TRY(byte_size(imported.element_type, imported.dimensions, *storage));
  MERCATOR_TRY_VOID(check_bools(
      borrowed(imported, imported.first, bytes / hlo::element_bytes(imported.element_type))));
  Buffer buffer(imported.first, bytes, [managed] { release(managed); });
  return Tensor(imported.element_type, imported.dimensions, std::move(buffer), *std::move(storage));
}

}  // namespace mercator::runtime
