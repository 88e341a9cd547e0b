#include "mercator/tools/device_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/support/suggestion.h"
#include "mercator/tools/devices_file.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

void add_device_options(CLI::App& app, DeviceOptions& options) {
  std::string names;
  for (const Device& device : known_devices()) names += (names.empty() ? "" : ", ") + device.name;
  app.add_option("--device", options.device,
                 "The GPU: " + names + ",\nor one of --devices. Default: " + options.device)
      ->option_text("NAME");
  app.add_option("--devices", options.devices, "Describes other GPUs: a JSON file")
      ->option_text("FILE");
}

std::expected<Device, ExitStatus> choose_device(const DeviceOptions& options) {
  std::vector<Device> devices;
  if (!options.devices.empty()) {
    const std::string name = input_name(options.devices);
    const Result<std::string> text = read_input(options.devices);
    if (!text) return std::unexpected(report(text.error(), name));
    Result<std::vector<Device>> read = read_devices(*text);
    if (!read) return std::unexpected(report(read.error(), name, *text));
    devices = *std::move(read);
  }
  if (const Device* described = find_device(devices, options.device)) return *described;
  if (const Device* known = find_device(options.device)) return *known;

  std::vector<std::string_view> names;
  for (const Device& device : devices) names.push_back(device.name);
  for (const Device& device : known_devices()) names.push_back(device.name);
  return std::unexpected(report(Error{.kind = ErrorKind::kUsage,
                                      .message = fmt::format("no device '{}'", options.device),
                                      .hint = did_you_mean(nearest_words(options.device, names))},
                                "mercator"));
}

}  // namespace mercator::tools
