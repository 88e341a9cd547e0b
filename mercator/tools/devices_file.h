// Files that describe GPUs (docs/command-line.md).

#pragma once

#include <string_view>
#include <vector>

#include "mercator/analysis/device.h"
#include "mercator/support/error.h"

namespace mercator::tools {

// [{"name": "mine", "like": "h100", "memory_bytes_per_second": 2e12}]
//
// What an entry does not say is as of the device that it is `like`, and of a device of zeros
// otherwise; then it must say what the analyses divide by. Names differ, from each other and from
// those of known_devices(), by more than upper and lower case. An error carries the place in the
// text.
[[nodiscard]] Result<std::vector<Device>> read_devices(std::string_view text);

}  // namespace mercator::tools
