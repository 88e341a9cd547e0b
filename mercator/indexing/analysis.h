// The tables of an analysis, and how its parts ask each other.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/map_table.h"
#include "mercator/indexing/pairs.h"

namespace mercator::indexing {

// The computation that a fusion or a call evaluates; null for other instructions.
[[nodiscard]] const hlo::Computation* callee(const hlo::Instruction& instruction);

class Analysis {
 public:
  Analysis(const hlo::Module& module, ExprContext& context);
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  [[nodiscard]] const hlo::Module& module() const { return module_; }
  [[nodiscard]] ExprContext& context() { return context_; }
  [[nodiscard]] MapTable& maps() { return maps_; }
  // For the domain of one map at a time: set the bounds first.
  [[nodiscard]] Simplifier& simplifier() { return simplifier_; }

  // The maps of one instruction. Computed once.
  const PairList& pairs(const hlo::Instruction& instruction, Direction direction);
  // The maps between the root of a computation and its parameters. Computed once. However deeply
  // calls are nested, this does not recurse deeply.
  const PairList& pairs(const hlo::Computation& computation, Direction direction);

  // The text, kept as long as the analysis; equal texts at one address.
  const std::string* reason(std::string text);

 private:
  struct Tables {
    std::vector<std::unique_ptr<const PairList>> instructions;  // by id; null: not computed yet
    std::vector<std::unique_ptr<const PairList>> computations;
    std::vector<bool> entered;  // computations whose callees have been asked for
  };

  const hlo::Module& module_;
  ExprContext& context_;
  MapTable maps_;
  Simplifier simplifier_;
  std::set<std::string> reasons_;
  std::array<Tables, 2> tables_;  // by direction
};

}  // namespace mercator::indexing
