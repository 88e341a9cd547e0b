// Real programs: every instruction of the entry computations and of the fusions called from them is
// answered, in both directions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"
#include "test/support/case_file.h"

namespace mercator::testing {
namespace {

std::vector<std::filesystem::path> corpus_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = shared_dir() / "corpus";
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// The instructions that `mercator map` shows.
std::vector<const hlo::Instruction*> shown_instructions(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> result;
  std::vector<const hlo::Computation*> computations = {module.entry};
  std::set<const hlo::Computation*> seen = {module.entry};
  for (std::size_t i = 0; i < computations.size(); ++i) {
    for (const hlo::Instruction* instruction : computations[i]->instructions) {
      result.push_back(instruction);
      if (instruction->opcode != hlo::Opcode::kFusion) continue;
      const hlo::Computation* fused = instruction->computation(hlo::AttributeName::kCalls);
      if (seen.insert(fused).second) computations.push_back(fused);
    }
  }
  return result;
}

struct Counts {
  std::int64_t instructions = 0;
  std::int64_t maps = 0;
  std::int64_t inexact = 0;
  std::map<std::string, std::int64_t> unknown_by_opcode;  // instructions with something unknown
  std::map<std::string, std::int64_t> reasons;
};

void check_pair(const hlo::Instruction& instruction, const InstructionIndexing::Pair& pair,
                Counts& counts) {
  ASSERT_GE(pair.operand, 0);
  ASSERT_LT(pair.operand, std::ssize(instruction.operands));
  if (!pair.maps.unknown.empty()) {
    EXPECT_TRUE(pair.maps.maps.empty());
    return;
  }
  EXPECT_FALSE(pair.maps.maps.empty());
  for (std::size_t i = 0; i < pair.maps.maps.size(); ++i) {
    const OperandMap& map = pair.maps.maps[i];
    EXPECT_FALSE(map.map.is_known_empty());
    if (i > 0) {
      EXPECT_LT(pair.maps.maps[i - 1].map, map.map);
    }
    for (const RuntimeVariable& runtime : map.map.runtimes()) {
      EXPECT_TRUE(runtime.tensor.has_value());
    }
    ++counts.maps;
    counts.inexact += map.exact ? 0 : 1;
  }
}

void check_instruction(IndexingAnalysis& analysis, const hlo::Instruction& instruction,
                       Counts& counts) {
  ++counts.instructions;
  std::set<std::string> reasons;
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    const InstructionIndexing indexing = analysis.indexing(instruction, direction);
    if (!indexing.unknown.empty()) {
      EXPECT_TRUE(indexing.pairs.empty());
      reasons.insert(indexing.unknown);
    }
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      check_pair(instruction, pair, counts);
      if (!pair.maps.unknown.empty()) reasons.insert(pair.maps.unknown);
    }
  }
  if (!reasons.empty()) ++counts.unknown_by_opcode[std::string(hlo::name(instruction.opcode))];
  for (const std::string& reason : reasons) {
    // Without the name of the instruction.
    const std::size_t place = reason.find("not yet");
    ++counts.reasons[place == std::string::npos ? reason : reason.substr(place)];
  }
}

TEST(IndexingCorpus, EveryInstructionIsAnswered) {
  const std::vector<std::filesystem::path> files = corpus_files();
  if (files.empty()) GTEST_SKIP() << "no programs in " << shared_dir();
  Counts counts;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file);
    Result<std::string> text = read_file(file);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    const Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(*std::move(text));
    ASSERT_TRUE(module.has_value()) << module.error().message;
    ASSERT_TRUE(hlo::verify(**module).has_value());
    ExprContext context;
    IndexingAnalysis analysis(**module, context);
    for (const hlo::Instruction* instruction : shown_instructions(**module)) {
      check_instruction(analysis, *instruction, counts);
    }
  }
  fmt::print("{} files, {} instructions, {} maps, {} of them over-approximate\n", files.size(),
             counts.instructions, counts.maps, counts.inexact);
  fmt::print("instructions with something unknown, by opcode:\n");
  for (const auto& [opcode, count] : counts.unknown_by_opcode) {
    fmt::print("  {:>6} {}\n", count, opcode);
  }
  fmt::print("reasons:\n");
  for (const auto& [reason, count] : counts.reasons) fmt::print("  {:>6} {}\n", count, reason);
}

}  // namespace
}  // namespace mercator::testing
