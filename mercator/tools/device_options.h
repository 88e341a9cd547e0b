// The options that say which GPU is meant.

#pragma once

#include <expected>
#include <string>

#include "mercator/analysis/device.h"
#include "mercator/tools/exit_status.h"

namespace CLI {
class App;
}

namespace mercator::tools {

struct DeviceOptions {
  std::string device = "a100";
  std::string devices;  // a file that describes others; "": none
};

// Adds --device and --devices, which set `options`; it must live as long as `app`.
void add_device_options(CLI::App& app, DeviceOptions& options);

// The device that is meant: one of those of the file, none of which is called like one that is
// known, or of those. Reports errors itself.
[[nodiscard]] std::expected<Device, ExitStatus> choose_device(const DeviceOptions& options);

}  // namespace mercator::tools
