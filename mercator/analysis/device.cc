#include "mercator/analysis/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace mercator {
namespace {

// The same processor with other memory.
Device with_memory(Device device, std::string name, double bytes_per_second) {
  device.name = std::move(name);
  device.memory_bytes_per_second = bytes_per_second;
  return device;
}

}  // namespace

// From the vendors' data sheets: dense rates without sparsity, at boost clocks.
std::span<const Device> known_devices() {
  constexpr double kTera = 1e12;
  constexpr double kGiga = 1e9;
  constexpr std::int64_t kKibi = 1024;
  static const Device kH100 = {.name = "h100",  // H100 SXM 80 GB
                               .multiprocessors = 132,
                               .shared_memory_bytes = 227 * kKibi,
                               .memory_bytes_per_second = 3350 * kGiga,
                               .f64_flops = 34 * kTera,
                               .f32_flops = 67 * kTera,
                               .f16_flops = 134 * kTera,
                               .int32_ops = 33.5 * kTera,
                               .tensor_f64_flops = 67 * kTera,
                               .tensor_f32_flops = 494.5 * kTera,
                               .tensor_f16_flops = 989 * kTera,
                               .tensor_f8_flops = 1979 * kTera,
                               .tensor_s8_ops = 1979 * kTera};
  static const auto kDevices = std::to_array<Device>({
      {.name = "a100",  // A100 SXM 80 GB
       .multiprocessors = 108,
       .shared_memory_bytes = 163 * kKibi,
       .memory_bytes_per_second = 2039 * kGiga,
       .f64_flops = 9.7 * kTera,
       .f32_flops = 19.5 * kTera,
       .f16_flops = 78 * kTera,
       .int32_ops = 19.5 * kTera,
       .tensor_f64_flops = 19.5 * kTera,
       .tensor_f32_flops = 156 * kTera,
       .tensor_f16_flops = 312 * kTera,
       .tensor_f8_flops = 312 * kTera,
       .tensor_s8_ops = 624 * kTera},
      kH100,
      with_memory(kH100, "h200", 4800 * kGiga),
      {.name = "rtx-a6000",
       .multiprocessors = 84,
       .shared_memory_bytes = 99 * kKibi,
       .memory_bytes_per_second = 768 * kGiga,
       .f64_flops = 0.605 * kTera,
       .f32_flops = 38.7 * kTera,
       .f16_flops = 38.7 * kTera,
       .int32_ops = 19.4 * kTera,
       .tensor_f64_flops = 0.605 * kTera,
       .tensor_f32_flops = 77.4 * kTera,
       .tensor_f16_flops = 154.8 * kTera,
       .tensor_f8_flops = 154.8 * kTera,
       .tensor_s8_ops = 309.7 * kTera},
      {.name = "mi300x",
       .warp_size = 64,
       .sector_bytes = 64,  // half a line
       .multiprocessors = 304,
       .shared_memory_bytes = 64 * kKibi,
       .memory_bytes_per_second = 5300 * kGiga,
       .f64_flops = 81.7 * kTera,
       .f32_flops = 163.4 * kTera,
       .f16_flops = 163.4 * kTera,
       .int32_ops = 81.7 * kTera,
       .tensor_f64_flops = 163.4 * kTera,
       .tensor_f32_flops = 653.7 * kTera,
       .tensor_f16_flops = 1307.4 * kTera,
       .tensor_f8_flops = 2614.9 * kTera,
       .tensor_s8_ops = 2614.9 * kTera},
  });
  return kDevices;
}

const Device* find_device(std::string_view name) { return find_device(known_devices(), name); }

const Device* find_device(std::span<const Device> devices, std::string_view name) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto same = [&](const Device& device) {
    return std::ranges::equal(device.name, name, {}, lower, lower);
  };
  const auto found = std::ranges::find_if(devices, same);
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace mercator
