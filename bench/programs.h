// Programs that benchmarks run over.

#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"

namespace mercator {

// Of the entry computation and of the fusions called from it.
inline std::vector<const hlo::Instruction*> shown_instructions(const hlo::Module& module) {
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

// Null if the text is no program.
inline std::unique_ptr<hlo::Module> module_of(std::string text) {
  Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::move(text));
  if (!module.has_value() || !hlo::verify(**module).has_value()) return nullptr;
  return *std::move(module);
}

inline std::unique_ptr<hlo::Module> read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return module_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace mercator
