// Real programs: the maps of every instruction that is small enough, against the model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "test/indexing/model_check.h"
#include "test/support/case_file.h"

namespace mercator::testing {
namespace {

// Instructions inside of reducers and loops count like others: their computations are not called
// here.
CheckCounts check_all(const hlo::Module& module, const std::string& place,
                      const CheckOptions& options) {
  CheckCounts counts;
  ExprContext context;
  IndexingAnalysis analysis(module, context);
  for (const hlo::Instruction* instruction : module.instructions) {
    const auto fault = check_with_model(module, *instruction, analysis, options, counts);
    EXPECT_FALSE(fault.has_value()) << place << ": " << hlo::to_string(*instruction) << "\n"
                                    << *fault;
    if (::testing::Test::HasFailure()) return counts;
  }
  return counts;
}

CheckCounts check_text(const std::string& text, const std::string& place,
                       const CheckOptions& options) {
  const auto module = hlo::parse_module(text);
  EXPECT_TRUE(module.has_value()) << place << ": " << module.error().message;
  return module ? check_all(**module, place, options) : CheckCounts();
}

void print(const CheckCounts& c, std::int64_t programs) {
  fmt::print(
      "{} programs: {} instructions, {} maps ({} with runtime variables, {} over-approximate), "
      "{} pairs; {} unknown, {} skipped\n",
      programs, c.instructions, c.maps, c.runtime_maps, c.inexact_maps, c.pairs, c.unknown,
      c.skipped);
}

TEST(ModelCorpus, CasesReadWhatTheModelReads) {
  const auto path = shared_dir() / "cases" / "indexing.cases";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path;
  const auto cases = parse_cases(*read_file(path));
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  CheckCounts counts;
  for (const Case& c : *cases) {
    const std::string* text = c.find("hlo");
    ASSERT_NE(text, nullptr) << c.name;
    counts += check_text(*text, c.name, {});
  }
  print(counts, std::ssize(*cases));
  EXPECT_GT(counts.instructions, 20);
}

TEST(ModelCorpus, ProgramsReadWhatTheModelReads) {
  const auto folder = shared_dir() / "corpus" / "run";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no folder " << folder;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == "before.hlo" || name == "after.hlo") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  CheckCounts counts;
  for (const auto& path : paths) {
    const auto text = read_file(path);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    counts += check_text(*text, path.string(), {.draws = 2});
    if (HasFailure()) return;
  }
  print(counts, std::ssize(paths));
  EXPECT_GT(counts.instructions, 20 * std::ssize(paths));
}

}  // namespace
}  // namespace mercator::testing
