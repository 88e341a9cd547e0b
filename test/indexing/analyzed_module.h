// A module read from text, with its maps as text: what the tests of instructions are written in.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/text.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"

namespace mercator::testing {

class AnalyzedModule {
 public:
  // The test fails if the module does not read or is not right.
  explicit AnalyzedModule(std::string_view text) {
    Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::string(text));
    if (!module.has_value()) {
      ADD_FAILURE() << module.error().message;
      return;
    }
    if (const Result<void> verified = hlo::verify(**module); !verified.has_value()) {
      ADD_FAILURE() << verified.error().message;
      return;
    }
    module_ = *std::move(module);
    analysis_ = std::make_unique<IndexingAnalysis>(*module_, context_);
  }

  [[nodiscard]] const hlo::Module& module() const { return *module_; }
  [[nodiscard]] IndexingAnalysis& analysis() { return *analysis_; }
  [[nodiscard]] ExprContext& context() { return context_; }
  [[nodiscard]] const hlo::Instruction& root() const { return *module_->entry->root; }
  [[nodiscard]] const hlo::Instruction& instruction(std::string_view name) const {
    for (const hlo::Instruction* instruction : module_->instructions) {
      if (instruction->name == name) return *instruction;
    }
    ADD_FAILURE() << "no instruction " << name;
    return root();
  }

  // The maps between the result and an operand of the root of the entry computation, across devices
  // where there are such: one line each,
  // ending in " ~" if over-approximate. Runtime variables are listed behind the map as
  // " | rt0: NAME[index]". One line "unknown: …" if the maps are not known; nothing if the operand
  // is not read.
  std::vector<std::string> o2i(std::int64_t operand, const ShapeIndex& output = {},
                               const ShapeIndex& operand_leaf = {}) {
    return maps(root(), Direction::kOutputToInput, output, operand, operand_leaf);
  }
  std::vector<std::string> i2o(std::int64_t operand, const ShapeIndex& output = {},
                               const ShapeIndex& operand_leaf = {}) {
    return maps(root(), Direction::kInputToOutput, output, operand, operand_leaf);
  }

  std::vector<std::string> maps(const hlo::Instruction& instruction, Direction direction,
                                const ShapeIndex& output, std::int64_t operand,
                                const ShapeIndex& operand_leaf) {
    const InstructionIndexing indexing = analysis_->indexing(instruction, direction);
    if (!indexing.unknown.empty()) return {"unknown: " + indexing.unknown};
    const OperandMaps* found = indexing.find(output, operand, operand_leaf);
    if (found == nullptr) return {};
    if (!found->unknown.empty()) return {"unknown: " + found->unknown};
    std::vector<std::string> lines;
    for (const OperandMap& map : found->maps) lines.push_back(line(map));
    return lines;
  }

 private:
  [[nodiscard]] std::string line(const OperandMap& operand_map) const {
    const IndexMap map = operand_map.across_devices.value_or(operand_map.map);
    std::string text = to_string(map, MapStyle::kOneLine);
    for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
      const RuntimeVariable& runtime = map.runtimes()[i];
      text += " | " + map.name({VariableKind::kRuntime, i}) + ": ";
      text += runtime.tensor.has_value() ? std::string(module_->instructions[*runtime.tensor]->name)
                                         : "?";
      text += "[";
      for (std::size_t k = 0; k < runtime.index.size(); ++k) {
        text += (k == 0 ? "" : ", ") +
                to_string(runtime.index[k], [&](VariableId id) { return map.name(id); });
      }
      text += "]";
    }
    return text + (operand_map.exact ? "" : " ~");
  }

  ExprContext context_;
  std::unique_ptr<hlo::Module> module_;
  std::unique_ptr<IndexingAnalysis> analysis_;
};

}  // namespace mercator::testing
