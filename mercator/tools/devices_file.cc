#include "mercator/tools/devices_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "mercator/support/suggestion.h"
#include "mercator/tools/json.h"
#include "mercator/tools/json_parts.h"

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
// Rates a second between which no time leaves the numbers that a double holds.
constexpr double kLeastRate = 1;
constexpr double kMostRate = 1e24;

// By which two devices are the same: names in lower case.
std::string name_key(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

class Entry {
 public:
  Entry(std::string_view text, const JsonPart& part, const ParsedJson& json)
      : text_(text), place_(part.value), parts_(json_parts(text, part.value)), json_(json) {}

  [[nodiscard]] Result<Device> read() const {
    if (!json_.is_object()) return wrong("a device must be an object", "");
    MERCATOR_TRY_VOID(require_distinct_keys(text_, parts_));
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
    for (const JsonPart& part : parts_) {
      if (part.key == "name" || part.key == "like") continue;
      MERCATOR_TRY_VOID(set(device, part.key, json_[part.key]));
    }
    for (const RateField& field : kRates) {
      if (device.*field.member > 0) continue;
      return wrong(
          fmt::format("'{}' must say \"{}\", or what it is \"like\"", device.name, field.key),
          "name");
    }
    return device;
  }

  // Of the member with this key; without one, of the device.
  [[nodiscard]] TextSpan place_of(std::string_view key) const {
    const auto part = std::ranges::find(parts_, key, &JsonPart::key);
    return part == parts_.end() ? place_ : part->key_span;
  }
  // About that.
  [[nodiscard]] std::unexpected<Error> wrong(std::string what, std::string_view key,
                                             std::string hint = "") const {
    auto error = fail(ErrorKind::kInvalidInput, std::move(what), place_of(key));
    error.error().hint = std::move(hint);
    return error;
  }

 private:
  [[nodiscard]] Result<void> set(Device& device, const std::string& key,
                                 const ParsedJson& value) const {
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
      if (!value.is_number() || value.get<double>() < kLeastRate ||
          value.get<double>() > kMostRate) {
        return wrong(
            fmt::format("\"{}\" must be a number from {} to {}", key, kLeastRate, kMostRate), key);
      }
      device.*field.member = value.get<double>();
      return {};
    }
    std::vector<std::string_view> keys = {"name", "like"};
    for (const IntegerField& field : kIntegers) keys.push_back(field.key);
    for (const RateField& field : kRates) keys.push_back(field.key);
    return wrong(fmt::format("a device has no \"{}\"", key), key,
                 did_you_mean(nearest_words(key, keys)));
  }

  std::string_view text_;
  TextSpan place_;
  std::vector<JsonPart> parts_;
  const ParsedJson& json_;
};

}  // namespace

Result<std::vector<Device>> read_devices(std::string_view text) {
  const ParsedJson json = MERCATOR_TRY(parse_json(text));
  if (!json.is_array()) {
    return fail(ErrorKind::kInvalidInput, "expected a list of devices",
                TextSpan{.begin = 0, .end = 1});
  }
  const std::vector<JsonPart> parts = json_parts(text);
  std::vector<Device> devices;
  std::map<std::string, TextSpan> places;  // of names
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Entry entry(text, parts[i], json[i]);
    Device device = MERCATOR_TRY(entry.read());
    if (find_device(device.name) != nullptr) {
      return entry.wrong(fmt::format("the device '{}' is built in", device.name), "name",
                         "give this one another name");
    }
    const auto [first, is_new] = places.emplace(name_key(device.name), entry.place_of("name"));
    if (!is_new) {
      return entry.wrong(fmt::format("there is a device '{}' at {} already", device.name,
                                     position_text(text, first->second)),
                         "name");
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace mercator::tools
