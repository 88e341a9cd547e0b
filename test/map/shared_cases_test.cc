// The maps of the expected results that are kept outside the repository.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/case_file.h"

namespace mercator {
namespace {

std::vector<testing::Case> cases_of(const char* file) {
  const Result<std::string> text = testing::read_file(testing::shared_dir() / "cases" / file);
  if (!text) return {};
  const Result<std::vector<testing::Case>> cases = testing::parse_cases(*text);
  EXPECT_TRUE(cases) << cases.error().message;
  return cases ? *cases : std::vector<testing::Case>();
}

void expect_reads_back(std::string_view text) {
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  ASSERT_TRUE(map) << text << "\n" << map.error().message;
  for (const MapStyle style : {MapStyle::kLines, MapStyle::kOneLine}) {
    const Result<IndexMap> again = parse_index_map(to_string(*map, style), context);
    ASSERT_TRUE(again) << to_string(*map, style) << "\n" << again.error().message;
    EXPECT_TRUE(*again == *map) << text;
  }
}

std::int64_t weight(const IndexMap& map) { return cost(map.results()).weight(); }

TEST(SharedCases, MapsOfInstructionsReadBackAndAreSimple) {
  const std::vector<testing::Case> cases = cases_of("indexing.cases");
  if (cases.empty()) GTEST_SKIP() << "no indexing.cases in " << testing::shared_dir();
  int maps = 0;
  for (const testing::Case& one : cases) {
    for (const testing::CaseSection& section : one.sections) {
      if (!section.name.starts_with("o2i") && !section.name.starts_with("i2o")) continue;
      for (const std::string& line : testing::lines_of(section.text)) {
        if (line == "(none)") continue;
        ++maps;
        expect_reads_back(line);
        // The maps are in the form that simplification gives, but for dimensions of size 1, unless
        // there is a cheaper one.
        ExprContext context;
        const Result<IndexMap> map = parse_index_map(line, context);
        ASSERT_TRUE(map) << line;
        if (line.find("[0, 0], ") == std::string::npos) {
          const IndexMap simple = simplify(*map);
          if (weight(simple) < weight(*map)) continue;
          EXPECT_EQ(to_string(simple, MapStyle::kOneLine), line) << one.name;
        }
      }
    }
  }
  EXPECT_GT(maps, 40);
}

TEST(SharedCases, MapsBeforeSimplificationReadBack) {
  const Result<std::string> text =
      testing::read_file(testing::shared_dir() / "cases" / "bench.maps");
  if (!text) GTEST_SKIP() << text.error().message;
  const std::vector<testing::SeparatedEntry> entries = testing::split_entries(*text);
  EXPECT_EQ(entries.size(), 22);
  for (const testing::SeparatedEntry& entry : entries) expect_reads_back(entry.text);
}

TEST(SharedCases, SimplifiedMapsAreAsExpected) {
  const std::vector<testing::Case> cases = cases_of("simplify.cases");
  if (cases.empty()) GTEST_SKIP() << "no simplify.cases in " << testing::shared_dir();
  int maps = 0;
  for (const testing::Case& one : cases) {
    const std::string* input = one.find("input");
    const std::string* output = one.find("output");
    ASSERT_TRUE(input != nullptr && output != nullptr) << one.name;
    expect_reads_back(*input);
    if (is_bare_expression(*input)) continue;
    ++maps;
    ExprContext context;
    const Result<IndexMap> before = parse_index_map(*input, context);
    const Result<IndexMap> expected = parse_index_map(*output, context);
    ASSERT_TRUE(before && expected) << one.name;
    const IndexMap after = simplify(*before);
    EXPECT_TRUE(*same_relation(*before, after, 100'000)) << one.name;
    EXPECT_TRUE(after == *expected) << one.name << "\n" << to_string(after);
  }
  EXPECT_GT(maps, 4);
}

}  // namespace
}  // namespace mercator
