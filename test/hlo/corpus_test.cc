// Real programs: each reads, verifies, prints, and reads back to the same module.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "mercator/hlo/module.h"
#include "test/hlo/hlo_testing.h"
#include "test/support/case_file.h"

namespace mercator::hlo {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> programs() {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& file :
       fs::recursive_directory_iterator(testing::shared_dir() / "corpus", missing)) {
    if (file.path().extension() == ".hlo") found.push_back(file.path());
  }
  std::ranges::sort(found);
  return found;
}

TEST(Corpus, EveryProgramReadsVerifiesAndReadsBack) {
  const std::vector<fs::path> files = programs();
  if (files.empty()) GTEST_SKIP() << "no programs in " << testing::shared_dir() / "corpus";
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const Result<std::string> text = testing::read_file(file);
    ASSERT_TRUE(text.has_value());
    const auto module = read(*text);
    ASSERT_NE(module, nullptr);
    const Result<void> verified = verify(*module);
    EXPECT_TRUE(verified.has_value()) << verified.error().message;
    round_trip(*text);
  }
}

// What follows from the operands is what XLA wrote: so leaving it out must not change the module.
TEST(Corpus, ShapesThatFollowAreInferred) {
  const std::vector<fs::path> files = programs();
  if (files.empty()) GTEST_SKIP() << "no programs in " << testing::shared_dir() / "corpus";
  std::size_t inferred = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const auto module = read(*testing::read_file(file));
    ASSERT_NE(module, nullptr);
    Arena arena;
    for (const Instruction* instruction : module->instructions) {
      const Result<std::optional<Shape>> shape = infer_shape(*instruction, arena);
      ASSERT_TRUE(shape.has_value()) << shape.error().message;
      if (!*shape) continue;
      ++inferred;
      EXPECT_TRUE(same_type_and_dimensions(**shape, instruction->shape)) << to_string(*instruction);
    }
  }
  EXPECT_GT(inferred, 20'000);
}

TEST(Corpus, EveryTruncationIsAnErrorOrAModule) {
  const std::vector<fs::path> files = programs();
  if (files.empty()) GTEST_SKIP() << "no programs in " << testing::shared_dir() / "corpus";
  int tried = 0;
  for (const fs::path& file : files) {
    if (fs::file_size(file) > 3'000 || ++tried > 8) continue;
    const std::string text = *testing::read_file(file);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const Result<std::unique_ptr<Module>> module = parse_module(text.substr(0, i));
      if (module) static_cast<void>(verify(**module));
    }
  }
}

}  // namespace
}  // namespace mercator::hlo
