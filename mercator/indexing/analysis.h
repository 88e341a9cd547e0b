// The tables of an analysis, and how its parts ask each other.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/call_paths.h"
#include "mercator/indexing/custom_calls.h"
#include "mercator/indexing/devices.h"
#include "mercator/indexing/map_table.h"
#include "mercator/indexing/pairs.h"

namespace mercator::indexing {

// An instruction and a computation that it evaluates once, or, for a while, again and again.
struct CallSite {
  const hlo::Instruction* call = nullptr;
  const hlo::Computation* computation = nullptr;
  // Parameter k of the computation is operand first_operand + k; in the first round, for a while.
  std::size_t first_operand = 0;
};

// What a fusion, a call, an async-start, a conditional (each branch) or a while (the body, the
// condition) evaluates; nothing for other instructions, whose computations compute elements.
[[nodiscard]] std::vector<CallSite> call_sites(const hlo::Instruction& instruction);

class Analysis {
 public:
  Analysis(const hlo::Module& module, ExprContext& context, CustomCalls custom_calls = {});
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  [[nodiscard]] const hlo::Module& module() const { return module_; }
  [[nodiscard]] ExprContext& context() { return context_; }
  [[nodiscard]] MapTable& maps() { return maps_; }
  [[nodiscard]] const Devices& devices() const { return devices_; }
  [[nodiscard]] const CallPaths& call_paths() const { return call_paths_; }
  // For the domain of one map at a time: set the bounds first.
  [[nodiscard]] Simplifier& simplifier() { return simplifier_; }

  // The maps of one instruction. Computed once.
  const PairList& pairs(const hlo::Instruction& instruction, Direction direction);
  // The maps between the root of a computation and its parameters. Computed once. However deeply
  // calls are nested, this does not recurse deeply.
  const PairList& pairs(const hlo::Computation& computation, Direction direction);

  // See loop_invariants. Requires a while.
  const std::vector<ShapeIndex>& invariants(const hlo::Instruction& loop);

  // What is given for custom calls of that name; null if nothing is.
  [[nodiscard]] const CustomCallMeaning* custom_call(std::string_view target) const;

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
  Devices devices_;
  CallPaths call_paths_;
  CustomCalls custom_calls_;
  Simplifier simplifier_;
  std::set<std::string> reasons_;
  std::map<std::uint32_t, std::vector<ShapeIndex>> invariants_;  // by id of the while
  std::array<Tables, 2> tables_;                                 // by direction
};

}  // namespace mercator::indexing
