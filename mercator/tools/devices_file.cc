#include "mercator/tools/devices_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "mercator/support/suggestion.h"
#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

struct IntegerField {
  std::string_view key;
  std::int64_t Device::* member;
};
constexpr auto kIntegers = std::to_array<IntegerField>({
    {"warp_size", &Device::warp_size},
    {"sector_bytes", &Device::sector_bytes},
    {"cache_line_bytes", &Device::cache_line_bytes},
    {"multiprocessors", &Device::multiprocessors},
    {"max_threads_per_block", &Device::max_threads_per_block},
    {"shared_memory_bytes", &Device::shared_memory_bytes},
});

struct RateField {
  std::string_view key;
  double Device::* member;
};
constexpr auto kRates = std::to_array<RateField>({
    {"memory_bytes_per_second", &Device::memory_bytes_per_second},
    {"f64_flops", &Device::f64_flops},
    {"f32_flops", &Device::f32_flops},
    {"f16_flops", &Device::f16_flops},
    {"int32_ops", &Device::int32_ops},
    {"tensor_f64_flops", &Device::tensor_f64_flops},
    {"tensor_f32_flops", &Device::tensor_f32_flops},
    {"tensor_f16_flops", &Device::tensor_f16_flops},
    {"tensor_f8_flops", &Device::tensor_f8_flops},
    {"tensor_s8_ops", &Device::tensor_s8_ops},
});

// Larger ones are mistakes, and would not fit the counts.
constexpr std::int64_t kMostOfInteger = std::int64_t{1} << 30;

class Entry {
 public:
  Entry(std::string_view text, const Json& json) : text_(text), json_(json) {}

  Result<Device> read() {
    if (!json_.is_object()) return wrong("a device must be an object", "");
    const auto name = json_.find("name");
    if (name == json_.end() || !name->is_string() || name->get<std::string>().empty()) {
      return wrong("a device must have a \"name\"", "");
    }
    Device device;
    if (const auto like = json_.find("like"); like != json_.end()) {
      const Device* known = like->is_string() ? find_device(like->get<std::string>()) : nullptr;
      if (known == nullptr) return wrong("there is no device that it could be like", "like");
      device = *known;
    }
    device.name = name->get<std::string>();
    for (const auto& [key, value] : json_.items()) {
      if (key == "name" || key == "like") continue;
      MERCATOR_TRY_VOID(set(device, key, value));
    }
    for (const RateField& field : kRates) {
      if (device.*field.member > 0) continue;
      return wrong(
          fmt::format("'{}' must say \"{}\", or what it is \"like\"", device.name, field.key),
          "name");
    }
    return device;
  }

 private:
  Result<void> set(Device& device, const std::string& key, const Json& value) {
    for (const IntegerField& field : kIntegers) {
      if (field.key != key) continue;
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
          value.get<std::uint64_t>() > kMostOfInteger) {
        return wrong(fmt::format("\"{}\" must be a number from 1 to {}", key, kMostOfInteger), key);
      }
      device.*field.member = value.get<std::int64_t>();
      return {};
    }
    for (const RateField& field : kRates) {
      if (field.key != key) continue;
      if (!value.is_number() || !(value.get<double>() > 0) || std::isinf(value.get<double>())) {
        return wrong(fmt::format("\"{}\" must be a number greater than 0", key), key);
      }
      device.*field.member = value.get<double>();
      return {};
    }
    std::vector<std::string_view> keys = {"name", "like"};
    for (const IntegerField& field : kIntegers) keys.push_back(field.key);
    for (const RateField& field : kRates) keys.push_back(field.key);
    auto error = wrong(fmt::format("a device has no \"{}\"", key), key);
    error.error().hint = did_you_mean(nearest_words(key, keys));
    return error;
  }

  [[nodiscard]] std::unexpected<Error> wrong(std::string_view what, std::string_view key) const {
    const std::string quoted = fmt::format("\"{}\"", key);
    const std::size_t at = text_.find(quoted);
    if (at == std::string_view::npos) return fail(ErrorKind::kInvalidInput, std::string(what));
    return fail(ErrorKind::kInvalidInput, std::string(what),
                TextSpan{.begin = static_cast<std::uint32_t>(at),
                         .end = static_cast<std::uint32_t>(at + quoted.size())});
  }

  std::string_view text_;
  const Json& json_;
};

}  // namespace

Result<std::vector<Device>> read_devices(std::string_view text) {
  const Json json = MERCATOR_TRY(parse_json(text));
  if (!json.is_array()) {
    return fail(ErrorKind::kInvalidInput, "expected a list of devices",
                TextSpan{.begin = 0, .end = 1});
  }
  std::vector<Device> devices;
  for (const Json& entry : json) devices.push_back(MERCATOR_TRY(Entry(text, entry).read()));
  return devices;
}

}  // namespace mercator::tools
