// The maps of a program do not depend on the form that it was read from: StableHLO in both of its
// forms, and HLO text of the same function of JAX (test/hlo/forms).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"
#include "test/support/case_file.h"

namespace mercator {
namespace {

namespace fs = std::filesystem;

// The instructions that have the same maps whatever stands around them. XLA folds others on the way
// from StableHLO to HLO: padding by nothing goes away, two transpositions are none, a loop carries
// its values in another order.
bool is_hero(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kAllGather:
    case hlo::Opcode::kAllReduce:
    case hlo::Opcode::kCholesky:
    case hlo::Opcode::kCollectivePermute:
    case hlo::Opcode::kConcatenate:
    case hlo::Opcode::kConditional:
    case hlo::Opcode::kConvolution:
    case hlo::Opcode::kDot:
    case hlo::Opcode::kDynamicSlice:
    case hlo::Opcode::kDynamicUpdateSlice:
    case hlo::Opcode::kFft:
    case hlo::Opcode::kGather:
    case hlo::Opcode::kReduce:
    case hlo::Opcode::kReducePrecision:
    case hlo::Opcode::kReduceScatter:
    case hlo::Opcode::kReduceWindow:
    case hlo::Opcode::kReverse:
    case hlo::Opcode::kRngBitGenerator:
    case hlo::Opcode::kScatter:
    case hlo::Opcode::kSelect:
    case hlo::Opcode::kSelectAndScatter:
    case hlo::Opcode::kSort:
    case hlo::Opcode::kTopK:
    case hlo::Opcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
}

// A reason why maps are unknown names an instruction, whose name depends on the form.
std::string describe(const InstructionIndexing& indexing) {
  std::string text = indexing.unknown.empty() ? "" : " unknown";
  for (const InstructionIndexing::Pair& pair : indexing.pairs) {
    text += fmt::format("\n  {{{}}} of operand {} {{{}}}: {}", fmt::join(pair.output, ","),
                        pair.operand, fmt::join(pair.operand_leaf, ","),
                        pair.maps.unknown.empty() ? "" : "unknown");
    for (const OperandMap& map : pair.maps.maps) {
      text += fmt::format(" {} exact={}", to_string(map.map, MapStyle::kOneLine), map.exact);
    }
  }
  return text;
}

std::unique_ptr<hlo::Module> read(const std::string& bytes) {
  Result<std::unique_ptr<hlo::Module>> module = hlo::read_module(bytes);
  const Result<void> verified = module ? hlo::verify(**module) : Result<void>();
  if (module && verified) return *std::move(module);
  ADD_FAILURE() << (module ? verified.error().message : module.error().message) << "\n" << bytes;
  return nullptr;
}

std::unique_ptr<hlo::Module> read_file(const fs::path& path) {
  const Result<std::string> bytes = testing::read_file(path);
  if (bytes) return read(*bytes);
  ADD_FAILURE() << path << " is missing";
  return nullptr;
}

// Of every hero: its opcode, its shape, and its maps in both directions.
std::vector<std::string> maps_of_heroes(const fs::path& path) {
  std::vector<std::string> maps;
  const std::unique_ptr<hlo::Module> module = read_file(path);
  if (module == nullptr) return maps;
  ExprContext context;
  IndexingAnalysis analysis(*module, context);
  for (const hlo::Instruction* instruction : module->instructions) {
    if (!is_hero(*instruction)) continue;
    maps.push_back(
        fmt::format("{} {}{}{}", name(instruction->opcode), to_string(instruction->shape, false),
                    describe(analysis.indexing(*instruction, Direction::kOutputToInput)),
                    describe(analysis.indexing(*instruction, Direction::kInputToOutput))));
  }
  std::ranges::sort(maps);
  return maps;
}

// The maps from the results of the program to its parameters, and back: those of a fusion of all
// of it.
std::vector<std::string> maps_of_results(const fs::path& path) {
  const std::unique_ptr<hlo::Module> module = read_file(path);
  if (module == nullptr) return {};
  std::string text = to_string(*module);
  text.erase(text.find("ENTRY "), std::string_view("ENTRY ").size());
  text += "ENTRY %the_program {\n";
  std::string operands;
  for (const hlo::Instruction* parameter : module->entry->parameters) {
    const std::int64_t number = parameter->parameter_number;
    text += fmt::format("  %p{0} = {1} parameter({0})\n", number, to_string(parameter->shape));
    operands += fmt::format("{}%p{}", number == 0 ? "" : ", ", number);
  }
  text += fmt::format("  ROOT %all = {} fusion({}), kind=kLoop, calls=%{}\n}}\n",
                      to_string(module->entry->root->shape), operands, module->entry->name);
  const std::unique_ptr<hlo::Module> fused = read(text);
  if (fused == nullptr) return {};
  ExprContext context;
  IndexingAnalysis analysis(*fused, context);
  const hlo::Instruction& all = *fused->entry->root;
  return {describe(analysis.indexing(all, Direction::kOutputToInput)),
          describe(analysis.indexing(all, Direction::kInputToOutput))};
}

using MapsOf = std::vector<std::string>(const fs::path&);

void expect_same(MapsOf* maps_of, std::string_view extension, std::string_view other) {
  std::size_t compared = 0;
  std::size_t maps = 0;
  for (const auto& file : fs::directory_iterator(MERCATOR_HLO_FORMS_DIR)) {
    const std::string path = file.path().string();
    if (!path.ends_with(extension)) continue;
    if (extension == ".mlir" && path.ends_with(".generic.mlir")) continue;
    SCOPED_TRACE(path);
    const std::string stem = path.substr(0, path.size() - extension.size());
    const std::vector<std::string> a = maps_of(path);
    const std::vector<std::string> b = maps_of(stem + std::string(other));
    EXPECT_EQ(fmt::format("{}", fmt::join(a, "\n")), fmt::format("{}", fmt::join(b, "\n")));
    maps += a.size();
    ++compared;
  }
  EXPECT_GE(compared, 9U);
  EXPECT_GE(maps, 18U);
}

TEST(Forms, StableHloHasTheHeroesOfHlo) { expect_same(maps_of_heroes, ".mlir", ".hlo.txt"); }
TEST(Forms, StableHloHasTheResultsOfHlo) { expect_same(maps_of_results, ".mlir", ".hlo.txt"); }
TEST(Forms, TheGenericFormHasTheMapsOfThePrettyOne) {
  expect_same(maps_of_heroes, ".generic.mlir", ".mlir");
  expect_same(maps_of_results, ".generic.mlir", ".mlir");
}
TEST(Forms, ProtosHaveTheMapsOfTheirText) { expect_same(maps_of_heroes, ".pb", ".hlo.txt"); }

}  // namespace
}  // namespace mercator
