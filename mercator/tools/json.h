// JSON as the command writes and reads it.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator::tools {

// What is written: keys in the order in which they are set.
using Json = nlohmann::ordered_json;
// What is read: keys in order, so that objects may have very many; json_parts.h has those of the
// text.
using ParsedJson = nlohmann::json;

// On one line. Bytes that are not UTF-8 become U+FFFD, so that the result is always valid.
[[nodiscard]] inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An error carries the place at which the text stops to be JSON.
[[nodiscard]] Result<ParsedJson> parse_json(std::string_view text);

}  // namespace mercator::tools
