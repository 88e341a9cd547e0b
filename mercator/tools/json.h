// JSON as the command writes it: keys in the order in which they are set.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mercator::tools {

using Json = nlohmann::ordered_json;

// On one line. Bytes that are not UTF-8 become U+FFFD, so that the result is always valid.
[[nodiscard]] inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mercator::tools
