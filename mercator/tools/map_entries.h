// Files of index maps and bare expressions, as `mercator simplify` reads and prints them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercator/map/index_map.h"

namespace mercator::tools {

// `text` with every line that starts with '#' overwritten by spaces, so that positions stay.
[[nodiscard]] std::string blank_comments(std::string_view text);

// The parts of `text` between lines of `---` that hold more than white space, without white space
// at their ends. They are views into `text`.
[[nodiscard]] std::vector<std::string_view> split_entries(std::string_view text);

// `text` with each run of white space replaced by one space.
[[nodiscard]] std::string on_one_line(std::string_view text);

// `(d0 * 4 + d1) floordiv 8, domain: d0 in [0, 7], d1 in [0, 3]`: a map of one result without
// ranges and runtime variables, in the form in which bare expressions are read.
[[nodiscard]] std::string bare_expression_text(const IndexMap& map);

}  // namespace mercator::tools
