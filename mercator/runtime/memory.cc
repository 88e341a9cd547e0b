#include "mercator/runtime/memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace mercator::runtime {

Buffer::Buffer(std::byte* data, std::int64_t size, std::function<void()> release)
    : block_(data, [release = std::move(release)](void* /*data*/) { release(); }),
      data_(data),
      size_(size) {}

struct MemoryPool::State {
  std::int64_t limit = 0;
  std::atomic<std::int64_t> in_use = 0;
  std::atomic<std::int64_t> peak = 0;

  // Whether there was room for so many bytes more.
  bool take(std::int64_t bytes) {
    std::int64_t before = in_use.load();
    do {
      if (bytes > limit - before) return false;
    } while (!in_use.compare_exchange_weak(before, before + bytes));
    std::int64_t peak_before = peak.load();
    while (peak_before < before + bytes &&
           !peak.compare_exchange_weak(peak_before, before + bytes)) {
    }
    return true;
  }
};

std::int64_t MemoryPool::machine_memory() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  // An eighth is left to the system and to what is not a tensor.
  return pages > 0 && page > 0 ? pages / 8 * 7 * page : std::int64_t{1} << 32;
}

MemoryPool::MemoryPool(std::int64_t limit) : state_(std::make_shared<State>()) {
  state_->limit = limit;
}

Result<Buffer> MemoryPool::allocate(std::int64_t bytes) const {
  constexpr std::int64_t kAlignment = 64;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() - kAlignment;
  if (bytes > kMost || !state_->take(bytes)) {
    return fail(ErrorKind::kExhausted,
                fmt::format("{} bytes do not fit in memory: {} of at most {} are in use", bytes,
                            bytes_in_use(), state_->limit));
  }
  // At least one byte, so that every buffer has a place of its own.
  const std::int64_t room = (std::max<std::int64_t>(bytes, 1) + kAlignment - 1) & -kAlignment;
  void* const data = std::aligned_alloc(kAlignment, static_cast<std::size_t>(room));
  if (data == nullptr) {
    state_->in_use -= bytes;
    return fail(ErrorKind::kExhausted,
                fmt::format("{} bytes do not fit in memory: the system has no more", bytes));
  }
  Buffer buffer;
  buffer.data_ = static_cast<std::byte*>(data);
  buffer.size_ = bytes;
  buffer.owned_ = true;
  buffer.block_ = std::shared_ptr<void>(data, [state = state_, bytes](void* block) {
    std::free(block);
    state->in_use -= bytes;
  });
  return buffer;
}

std::int64_t MemoryPool::bytes_in_use() const { return state_->in_use; }
std::int64_t MemoryPool::peak_bytes() const { return state_->peak; }

}  // namespace mercator::runtime
