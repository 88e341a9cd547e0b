#include "mercator/analysis/device.h"

#include <gtest/gtest.h>

namespace mercator {
namespace {

TEST(Device, ByName) {
  for (const char* name : {"a100", "h100", "H200", "RTX-A6000", "mi300x"}) {
    const Device* device = find_device(name);
    ASSERT_NE(device, nullptr) << name;
    EXPECT_GT(device->memory_bytes_per_second, 5e11);
    EXPECT_GT(device->tensor_f16_flops, device->f32_flops);
  }
  EXPECT_EQ(find_device("h10"), nullptr);
  EXPECT_EQ(find_device(""), nullptr);
}

TEST(Device, ByNameOfOthers) {
  const Device devices[] = {{.name = "Mine"}, {.name = "a1"}};
  EXPECT_EQ(find_device(devices, "mINE"), &devices[0]);
  EXPECT_EQ(find_device(devices, "A1"), &devices[1]);
  EXPECT_EQ(find_device(devices, "a100"), nullptr);
}

}  // namespace
}  // namespace mercator
