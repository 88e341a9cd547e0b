// Memory for tensors: counted, limited, and shared by whoever reads it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "mercator/support/error.h"

namespace mercator::runtime {

// A piece of memory that copies of the buffer share. It is freed with the last of them.
class Buffer {
 public:
  // Of no bytes.
  Buffer() = default;
  // Memory of somebody else, who is told by `release` that the last copy is gone.
  Buffer(std::byte* data, std::int64_t size, std::function<void()> release);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  // Whether there is no other copy, and the memory is ours: then it may be written anew.
  [[nodiscard]] bool is_exclusive() const {
    if (!owned_ || block_.use_count() != 1) return false;
    // What other threads read through their copies must come before what is written now.
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }

 private:
  friend class MemoryPool;
  std::shared_ptr<void> block_;  // frees the memory
  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  bool owned_ = false;
};

// Hands out buffers and knows how many bytes are in use. Copies are the same pool; it may be used
// by several threads at once. Buffers may outlive it.
class MemoryPool {
 public:
  // The bytes that the machine has, less those that it keeps for itself.
  [[nodiscard]] static std::int64_t machine_memory();

  // Never has more than `limit` bytes in use; by default than the machine has.
  MemoryPool() : MemoryPool(machine_memory()) {}
  explicit MemoryPool(std::int64_t limit);

  // Uninitialised memory, aligned to 64 bytes. An error of kind kExhausted beyond the limit. The
  // bytes that are asked for are counted, not what the alignment adds.
  [[nodiscard]] Result<Buffer> allocate(std::int64_t bytes) const;

  [[nodiscard]] std::int64_t bytes_in_use() const;
  // The most bytes that were in use at once.
  [[nodiscard]] std::int64_t peak_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace mercator::runtime
