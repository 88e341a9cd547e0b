// Where the parts of a JSON text stand, for messages about them.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/support/error.h"

namespace mercator::tools {

// An element of a list, or a member of an object.
struct JsonPart {
  std::string key = {};    // of a member, without escapes
  TextSpan key_span = {};  // with its quotes; of an element, the element itself
  TextSpan value = {};
};

// The parts of the list or object that stands at `whole` in `text`, in the order of the text;
// members with the same key are all there. None of other values. `text` must be JSON.
[[nodiscard]] std::vector<JsonPart> json_parts(std::string_view text, TextSpan whole);
// Of that which is all of the text.
[[nodiscard]] std::vector<JsonPart> json_parts(std::string_view text);

// An error, at the second one, if two members have the same key: JSON would let the last one win.
[[nodiscard]] Result<void> require_distinct_keys(std::string_view text,
                                                 std::span<const JsonPart> members);
// "3:14": where the other one of two stands, for a message about the second.
[[nodiscard]] std::string position_text(std::string_view text, TextSpan place);

}  // namespace mercator::tools
