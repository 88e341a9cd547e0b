// GPUs, as data: what the analyses of memory and cost know of them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mercator {

struct Device {
  std::string name;                     // as the command line has it: "h100"
  std::int64_t warp_size = 32;          // threads
  std::int64_t sector_bytes = 32;       // the least that memory moves
  std::int64_t cache_line_bytes = 128;  // of the L2 cache
  std::int64_t multiprocessors = 0;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t shared_memory_bytes = 0;  // that a block may have
  double memory_bytes_per_second = 0;
  // Multiplications and additions count as one each. Of arithmetic that is not by tensor cores …
  double f64_flops = 0;
  double f32_flops = 0;
  double f16_flops = 0;  // f16 and bf16
  double int32_ops = 0;
  // … and of matrix products, which are.
  double tensor_f64_flops = 0;
  double tensor_f32_flops = 0;  // f32 by way of tf32
  double tensor_f16_flops = 0;  // f16 and bf16, accumulated in f32
  double tensor_f8_flops = 0;
  double tensor_s8_ops = 0;
};

// Those that are built in: A100, H100, H200, RTX A6000, MI300X.
[[nodiscard]] std::span<const Device> known_devices();
// One of them by name, upper or lower case; null if there is none.
[[nodiscard]] const Device* find_device(std::string_view name);
// One of others in the same way: the first.
[[nodiscard]] const Device* find_device(std::span<const Device> devices, std::string_view name);

}  // namespace mercator
