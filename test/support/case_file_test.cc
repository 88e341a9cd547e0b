#include "test/support/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseCases, ReadsCasesAndSections) {
  const auto cases = parse_cases(
      "# a comment\n"
      "\n"
      "=== one, two\n"
      "--- hlo\n"
      "HloModule m\n"
      "\n"
      "ENTRY e {\n"
      "  # not a comment here\n"
      "}\n"
      "\n"
      "--- o2i operand 0\r\n"
      "(d0) -> (d0)  \r\n"
      "=== empty\n"
      "--- comment");
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  ASSERT_EQ(cases->size(), 2u);
  const Case& first = cases->front();
  EXPECT_EQ(first.name, "one, two");
  EXPECT_EQ(first.line, 3);
  ASSERT_EQ(first.sections.size(), 2u);
  ASSERT_NE(first.find("hlo"), nullptr);
  EXPECT_EQ(*first.find("hlo"), "HloModule m\n\nENTRY e {\n  # not a comment here\n}");
  ASSERT_NE(first.find("o2i operand 0"), nullptr);
  EXPECT_EQ(*first.find("o2i operand 0"), "(d0) -> (d0)");
  EXPECT_EQ(first.find("i2o operand 0"), nullptr);
  EXPECT_EQ(cases->back().name, "empty");
  ASSERT_NE(cases->back().find("comment"), nullptr);
  EXPECT_EQ(*cases->back().find("comment"), "");
}

TEST(ParseCases, RefusesWhatIsNotACase) {
  const auto message = [](std::string_view text) {
    const auto cases = parse_cases(text);
    return cases ? std::string("no error") : cases.error().message;
  };
  EXPECT_THAT(message("text\n"), HasSubstr("line 1: text outside a section"));
  EXPECT_THAT(message("=== a\ntext\n"), HasSubstr("line 2: text outside a section"));
  EXPECT_THAT(message("\n--- hlo\n"), HasSubstr("line 2: a section before the first case"));
  EXPECT_THAT(message("===\n"), HasSubstr("a case without a name"));
  EXPECT_THAT(message("=== a\n---\n"), HasSubstr("a section without a name"));
  EXPECT_THAT(message("=== a\n--- x\n--- x\n"), HasSubstr("line 3: the section occurs twice"));
}

TEST(ParseSectionName, TellsKindOperandAndOutput) {
  const auto plain = parse_section_name("runtime");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->kind, "runtime");
  EXPECT_EQ(plain->operand, -1);
  EXPECT_EQ(plain->output, -1);

  const auto operand = parse_section_name("o2i operand 12");
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, "o2i");
  EXPECT_EQ(operand->operand, 12);
  EXPECT_EQ(operand->output, 0);

  const auto output = parse_section_name("i2o operand 1 output 3");
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->operand, 1);
  EXPECT_EQ(output->output, 3);

  for (const std::string_view bad : {"", "o2i operand", "o2i operand x", "o2i operand -1",
                                     "o2i input 1", "o2i operand 1x", "o2i operand 99999999999"}) {
    EXPECT_FALSE(parse_section_name(bad).has_value()) << bad;
  }
}

TEST(SplitEntries, SeparatesAtLinesOfDashes) {
  const std::vector<SeparatedEntry> entries = split_entries(
      "# about the file\n"
      "# first\n"
      "(d0) -> (d0),\n"
      "domain: d0 in [0, 1]\n"
      "---\n"
      "# only a comment\n"
      "---\n"
      "(d0) -> (1)\n"
      "--- not a separator\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "first");
  EXPECT_EQ(entries[0].text, "(d0) -> (d0),\ndomain: d0 in [0, 1]");
  EXPECT_EQ(entries[1].name, "");
  EXPECT_EQ(entries[1].text, "(d0) -> (1)\n--- not a separator");
}

TEST(LinesOf, DropsBlankLinesAndOuterSpaces) {
  EXPECT_THAT(lines_of("  a b \n\n \r\n\tc"), ElementsAre("a b", "c"));
  EXPECT_TRUE(lines_of("").empty());
}

TEST(ReadFile, FailsForWhatIsNotThere) {
  const auto text = read_file("/nonexistent/file");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().kind, ErrorKind::kIo);
}

TEST(SharedCases, AllReadWhole) {
  const auto folder = shared_dir() / "cases";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "no folder " << folder << " with the expected results";
  }
  for (const char* name : {"indexing.cases", "simplify.cases"}) {
    const auto text = read_file(folder / name);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    const auto cases = parse_cases(*text);
    ASSERT_TRUE(cases.has_value()) << name << ": " << cases.error().message;
    EXPECT_GT(cases->size(), 20u) << name;
    for (const Case& c : *cases) {
      EXPECT_FALSE(c.sections.empty()) << name << ": " << c.name;
      for (const CaseSection& section : c.sections) {
        EXPECT_TRUE(parse_section_name(section.name).has_value()) << name << ": " << section.name;
      }
    }
  }
  const auto maps = read_file(folder / "bench.maps");
  ASSERT_TRUE(maps.has_value()) << maps.error().message;
  const std::vector<SeparatedEntry> entries = split_entries(*maps);
  EXPECT_EQ(entries.size(), 22u);
  for (const SeparatedEntry& entry : entries) EXPECT_NE(entry.name, "") << entry.text;
}

}  // namespace
}  // namespace mercator::testing
