// What an instruction computes: itself, or what is inside of a fusion.

#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::analysis {

// The instruction if it is no fusion; otherwise every instruction inside, also of fusions inside.
// However deeply fusions are nested, each computation is visited once.
template <class Visit>
void for_each_inside(const hlo::Instruction& instruction, Visit visit) {
  std::set<const hlo::Computation*> seen;
  std::vector<const hlo::Computation*> pending;
  const auto enter = [&](const hlo::Instruction& each) {
    if (each.opcode != hlo::Opcode::kFusion) return visit(each);
    const hlo::Computation* called = each.computation(hlo::AttributeName::kCalls);
    if (seen.insert(called).second) pending.push_back(called);
  };
  enter(instruction);
  while (!pending.empty()) {
    const hlo::Computation* next = pending.back();
    pending.pop_back();
    for (const hlo::Instruction* each : next->instructions) enter(*each);
  }
}

// A product of matrices, a convolution, or a call of a library for one.
[[nodiscard]] inline bool is_product(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kConvolution:
    case hlo::Opcode::kDot:
    case hlo::Opcode::kRaggedDot:
    case hlo::Opcode::kScaledDot:
      return true;
    case hlo::Opcode::kCustomCall: {
      const std::string_view target =
          instruction.get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget).text;
      return target.starts_with("__cublas$") || target.starts_with("__cudnn$conv") ||
             target == "__onednn$matmul";
    }
    default:
      return false;
  }
}

}  // namespace mercator::analysis
