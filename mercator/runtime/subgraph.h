// Subgraphs: the parts of a module that engines compile.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/call_graph.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Some instructions of the entry computation of a module, which stays as long as the subgraph.
struct Subgraph {
  // The place of its engine in the list of those that are asked for.
  std::size_t engine = 0;
  // Operands first.
  std::vector<const hlo::Instruction*> instructions;
  // Those of `instructions` that other subgraphs may have too, each for itself.
  std::vector<const hlo::Instruction*> copies;
  // What it reads: parameters of the module, and instructions of other subgraphs.
  std::vector<const hlo::Instruction*> inputs;
  // Those of `instructions` that others read, or the caller of the module.
  std::vector<const hlo::Instruction*> outputs;
};

// The instructions that `roots` are made from, themselves too, operands first. The order follows
// from the order of the roots and of operands, whatever the order of the text. Those that `enter`
// refuses are left out, with what only they are made from.
[[nodiscard]] std::vector<const hlo::Instruction*> operands_first(
    std::span<const hlo::Instruction* const> roots,
    const std::function<bool(const hlo::Instruction&)>& enter);

// The subgraph of these instructions, which it has alone, and of those of `copies` that it needs.
// Sets `instructions`, `copies` and `inputs`.
[[nodiscard]] Subgraph make_subgraph(std::size_t engine,
                                     std::span<const hlo::Instruction* const> instructions,
                                     std::span<const hlo::Instruction* const> copies,
                                     std::vector<const hlo::Instruction*> outputs,
                                     const Effects& effects);

// What an instruction of a canonical module stands for.
struct Origin {
  TextSpan span;                                  // in the text of the canonical module
  const hlo::Instruction* instruction = nullptr;  // null for the tuple at the root
};

// A subgraph as a module of its own.
struct SubgraphModule {
  // Verified if the whole is. Its entry computation has the inputs as parameters, and a tuple of
  // the outputs as its root. Its text is canonical: names are numbers, what no value and no effect
  // is made from is left out, and so are metadata. So subgraphs that compute the same in the same
  // way have the same text, whatever they are called and wherever they stand.
  std::shared_ptr<const hlo::Module> module;
  std::vector<Origin> origins;  // of the instructions of `module`, by id
};

// Linear in the size of the subgraph and of the computations that it calls. An error if its text is
// too long to be read (4 GiB).
[[nodiscard]] Result<SubgraphModule> module_of(const Subgraph& subgraph, const Effects& effects);

}  // namespace mercator::runtime
