// The examples of docs/map-format.md are what the program prints.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/case_file.h"

namespace mercator {
namespace {

struct Example {
  std::string kind;  // what follows the ``` that opens it
  std::string text;
};

// The fenced blocks that name a kind, taken apart at blank lines.
std::vector<Example> examples() {
  const Result<std::string> page =
      testing::read_file(std::string(MERCATOR_SOURCE_DIR) + "/docs/map-format.md");
  EXPECT_TRUE(page);
  std::vector<Example> examples;
  std::string kind;
  bool is_inside = false;
  std::string_view rest = page ? std::string_view(*page) : std::string_view();
  while (!rest.empty()) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("```")) {
      is_inside = !is_inside;
      kind = is_inside ? line.substr(3) : "";
      if (is_inside && !kind.empty()) examples.push_back({kind, ""});
    } else if (!kind.empty() && line.empty()) {
      examples.push_back({kind, ""});
    } else if (!kind.empty()) {
      examples.back().text += (examples.back().text.empty() ? "" : "\n") + line;
    }
  }
  return examples;
}

// What stands before and after `=> `.
std::pair<std::string, std::string> sides(const std::string& text) {
  const std::size_t arrow = text.find("\n=> ");
  if (arrow == std::string::npos) return {text, ""};
  return {text.substr(0, arrow), text.substr(arrow + 4)};
}

IndexMap parsed(ExprContext& context, std::string_view text) {
  const Result<IndexMap> map = parse_index_map(text, context);
  EXPECT_TRUE(map) << text << "\n" << map.error().message;
  return map ? *map : IndexMap(context);
}

TEST(MapFormatDoc, ExamplesAreTrue) {
  std::map<std::string, int> counts;
  for (const Example& example : examples()) {
    ++counts[example.kind];
    ExprContext context;
    const auto [input, output] = sides(example.text);
    if (example.kind == "map") {
      const IndexMap map = parsed(context, input);
      const bool has_lines = input.find('\n') != std::string::npos;
      EXPECT_EQ(to_string(map, has_lines ? MapStyle::kLines : MapStyle::kOneLine), input);
    } else if (example.kind == "read") {
      EXPECT_EQ(to_string(parsed(context, input), MapStyle::kOneLine), output);
    } else if (example.kind == "simplify") {
      const IndexMap map = parsed(context, input);
      EXPECT_EQ(to_string(simplify(map), MapStyle::kOneLine), output);
    } else if (example.kind == "compose") {
      const std::size_t line_end = input.find('\n');
      const IndexMap first = parsed(context, input.substr(0, line_end));
      const IndexMap second = parsed(context, input.substr(line_end + 1));
      EXPECT_EQ(to_string(simplify(compose(first, second)), MapStyle::kOneLine), output);
    } else {
      ADD_FAILURE() << "an example of unknown kind " << example.kind;
    }
  }
  EXPECT_GE(counts["map"], 3);
  EXPECT_GE(counts["read"], 5);
  EXPECT_GE(counts["simplify"], 8);
  EXPECT_GE(counts["compose"], 1);
}

}  // namespace
}  // namespace mercator
