// The cases of the shared folder: programs, and the maps of their root instructions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"
#include "test/support/case_file.h"

namespace mercator::testing {
namespace {

// How a runtime variable of a case is described: `rt0: NAME (d0, d1) -> (d0, 0)`.
struct RuntimeLine {
  std::string tensor;
  IndexMap element;
};

// The operations and constraints of a set of maps.
struct Work {
  std::int64_t operations = 0;
  std::int64_t constraints = 0;
};

Work work_of(const std::vector<IndexMap>& maps) {
  Work work;
  for (const IndexMap& map : maps) {
    work.operations += cost(map.expressions()).weight();
    work.constraints += static_cast<std::int64_t>(map.constraints().size());
  }
  return work;
}

class Case {
 public:
  Case(const testing::Case& text, std::unique_ptr<hlo::Module> module)
      : text_(text), module_(std::move(module)), analysis_(*module_, context_) {}

  void check() {
    read_runtime_lines();
    for (const CaseSection& section : text_.sections) {
      const Result<CaseSectionKind> kind = parse_section_name(section.name);
      ASSERT_TRUE(kind.has_value()) << kind.error().message;
      if (kind->kind != "o2i" && kind->kind != "i2o") continue;
      SCOPED_TRACE(section.name);
      check_section(*kind, section.text);
    }
  }

  [[nodiscard]] int texts() const { return texts_; }
  [[nodiscard]] int equal_texts() const { return equal_texts_; }

 private:
  [[nodiscard]] const hlo::Instruction& root() const { return *module_->entry->root; }

  void read_runtime_lines() {
    const std::string* section = text_.find("runtime");
    if (section == nullptr) return;
    for (const std::string& line : lines_of(*section)) {
      const std::size_t colon = line.find(": ");
      const std::size_t space = line.find(' ', colon + 2);
      ASSERT_NE(space, std::string::npos) << line;
      const Result<IndexMap> element = parse_index_map(line.substr(space + 1), context_);
      ASSERT_TRUE(element.has_value()) << element.error().message;
      runtime_lines_.emplace(line.substr(0, colon),
                             RuntimeLine{line.substr(colon + 2, space - colon - 2), *element});
    }
  }

  // The expected map, with its runtime variables bound to elements where the case says so.
  IndexMap expected_map(const std::string& line, Direction direction) {
    const Result<IndexMap> map = parse_index_map(line, context_);
    EXPECT_TRUE(map.has_value()) << line;
    if (!map.has_value()) return IndexMap(context_);
    std::vector<RuntimeVariable> runtimes = map->runtimes();
    for (std::uint32_t i = 0; i < runtimes.size(); ++i) {
      const auto known = runtime_lines_.find(map->name({VariableKind::kRuntime, i}));
      if (known == runtime_lines_.end() || direction != Direction::kOutputToInput) continue;
      const hlo::Instruction* tensor = module_->entry->find(known->second.tensor);
      EXPECT_NE(tensor, nullptr) << known->second.tensor;
      if (tensor != nullptr) runtimes[i].tensor = tensor->id;
      runtimes[i].index = known->second.element.results();
    }
    return IndexMap(context_, map->dimensions(), map->ranges(), std::move(runtimes), map->results(),
                    map->constraints());
  }

  void check_section(const CaseSectionKind& kind, const std::string& text) {
    const Direction direction =
        kind.kind == "o2i" ? Direction::kOutputToInput : Direction::kInputToOutput;
    std::vector<std::string> lines = lines_of(text);
    if (lines == std::vector<std::string>{"(none)"}) lines.clear();
    std::vector<IndexMap> expected;
    for (const std::string& line : lines) expected.push_back(expected_map(line, direction));

    const InstructionIndexing indexing = analysis_.indexing(root(), direction);
    ASSERT_EQ(indexing.unknown, "");
    const ShapeIndex output = root().shape.is_tuple() ? ShapeIndex{kind.output} : ShapeIndex{};
    const OperandMaps* found = indexing.find(output, kind.operand);
    std::vector<IndexMap> actual;
    if (found != nullptr) {
      ASSERT_EQ(found->unknown, "");
      for (const OperandMap& map : found->maps) {
        EXPECT_TRUE(map.exact);
        actual.push_back(map.map);
      }
    }
    compare_texts(lines, actual);
    compare_work(expected, actual);
    compare_meaning(expected, actual);
  }

  void compare_texts(std::vector<std::string> expected, const std::vector<IndexMap>& actual) {
    std::vector<std::string> texts;
    for (const IndexMap& map : actual) texts.push_back(to_string(map, MapStyle::kOneLine));
    std::ranges::sort(expected);
    std::ranges::sort(texts);
    ++texts_;
    if (texts == expected) {
      ++equal_texts_;
      return;
    }
    // Allowed, as long as the meaning is the same: for people to read.
    fmt::print("{}: text differs\n  case: {}\n  here: {}\n", text_.name,
               fmt::join(expected, "\n        "), fmt::join(texts, "\n        "));
  }

  static void compare_work(const std::vector<IndexMap>& expected,
                           const std::vector<IndexMap>& actual) {
    EXPECT_LE(work_of(actual).operations, work_of(expected).operations);
    EXPECT_LE(work_of(actual).constraints, work_of(expected).constraints);
    EXPECT_LE(actual.size(), expected.size());
  }

  // The same set after simplification, or else the same relation.
  void compare_meaning(const std::vector<IndexMap>& expected, const std::vector<IndexMap>& actual) {
    std::vector<IndexMap> simplified;
    for (const IndexMap& map : expected) simplified.push_back(simplify(map));
    if (std::ranges::is_permutation(simplified, actual)) return;
    constexpr std::int64_t kBudget = 4'000'000;
    ASSERT_EQ(simplified.size(), actual.size());
    for (const IndexMap& map : actual) {
      const auto means_the_same = [&](const IndexMap& other) {
        const Result<bool> same = same_relation(map, other, kBudget);
        return same.has_value() && *same;
      };
      EXPECT_TRUE(std::ranges::any_of(simplified, means_the_same))
          << "no map of the case has the meaning of " << to_string(map, MapStyle::kOneLine);
    }
  }

  const testing::Case& text_;
  std::unique_ptr<hlo::Module> module_;
  ExprContext context_;
  IndexingAnalysis analysis_;
  std::map<std::string, RuntimeLine> runtime_lines_;
  int texts_ = 0;
  int equal_texts_ = 0;
};

TEST(IndexingCases, All) {
  const std::filesystem::path path = shared_dir() / "cases" / "indexing.cases";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Result<std::string> file = read_file(path);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const Result<std::vector<testing::Case>> cases = parse_cases(*file);
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  ASSERT_FALSE(cases->empty());
  int texts = 0;
  int equal_texts = 0;
  for (const testing::Case& text : *cases) {
    SCOPED_TRACE(text.name);
    const std::string* hlo = text.find("hlo");
    ASSERT_NE(hlo, nullptr);
    Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(*hlo);
    ASSERT_TRUE(module.has_value()) << module.error().message;
    ASSERT_TRUE(hlo::verify(**module).has_value());
    Case one(text, *std::move(module));
    one.check();
    texts += one.texts();
    equal_texts += one.equal_texts();
  }
  fmt::print("{} cases; {} of {} sets of maps have the text of the case\n", cases->size(),
             equal_texts, texts);
}

}  // namespace
}  // namespace mercator::testing
