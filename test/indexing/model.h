// Which elements an instruction reads, straight from the meaning of HLO: what index maps are
// compared with.
//
// Nothing here knows of expressions or maps. An element is its row-major position in its array;
// where the module runs on several devices, it comes behind the elements that lie on those before:
// device * elements of the array + position, where device = replica * partitions + partition. Each
// definition is a loop over concrete indices that says, pair by pair, "this element of the
// result is made from that element of the operand". A fusion or call joins the pairs of what is
// inside it.
//
// "Reads" means:
//   - pad: the padding value where no element of the operand lands;
//   - dynamic-update-slice: the operand where the update does not overwrite it;
//   - reduce, reduce-window: each initial value, for every element of every result;
//   - dot, convolution: both factors of each product that lies inside both operands;
//   - select: the predicate, and both branches unless the program alone says which;
//   - index operands (dynamic-slice, dynamic-update-slice): for every element of the result;
//     gather: the whole index vector of the element; scatter: all vectors, but those of other
//     batches;
//   - scatter: what the combiner makes of an operand and the updates that land, one after another;
//   - sort: the element itself, and all of the line of each operand that the comparator looks at;
//     topk: the line; select-and-scatter: of the operand all elements of the windows that cover the
//     element, of the source those that are sent to it, and the initial value;
//   - cholesky, triangular-solve, scan: what the recurrence goes through;
//   - sizes that the program computes (dynamic-reshape, set-dimension-size): for every element;
//   - conditional: which branch is taken, for every element of the result, and of the branches only
//     what the one that is taken reads;
//   - while: what the rounds read, not what the condition does.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"
#include "test/indexing/model_instructions.h"

namespace mercator::testing {

// (element of the result, element of the operand).
using ElementPair = std::pair<std::int64_t, std::int64_t>;

// What one leaf of the result reads of one leaf of one operand.
struct ReadSet {
  std::vector<std::int64_t> output;
  std::int64_t operand = 0;  // of a computation: the number of the parameter
  std::vector<std::int64_t> operand_leaf;
  std::vector<ElementPair> pairs;  // sorted, distinct, not empty
};

// The integer in element `element` of leaf `leaf` of an instruction whose value does not follow
// from the program: a parameter, or something that the model does not compute. `scope` numbers the
// call that the instruction is evaluated in, 0 being the computation of the instruction that was
// asked for.
using UnknownValues = std::function<std::int64_t(const hlo::Instruction& instruction,
                                                 const std::vector<std::int64_t>& leaf,
                                                 std::int64_t element, std::size_t scope)>;

// The meaning of the instructions of one module for one assignment of values to what is unknown.
class Model {
 public:
  // `max_work` bounds the (result, operand) combinations that any one instruction is asked for.
  Model(const hlo::Module& module, UnknownValues unknown_values, std::int64_t max_work = 4'000'000);

  // What the instruction reads, in the order (output, operand, operand_leaf). Only sets that are
  // not empty. kUnsupported for an instruction that the model does not know or that is too large.
  [[nodiscard]] Result<std::vector<ReadSet>> reads(const hlo::Instruction& instruction);
  // What the root reads of the parameters.
  [[nodiscard]] Result<std::vector<ReadSet>> reads(const hlo::Computation& computation);

  // ---- about the last call of `reads` ----

  // How many devices the module runs on.
  [[nodiscard]] std::int64_t device_count() const { return device_count_; }
  // The values that the element has in the calls that were looked into; several where a computation
  // is called more than once. Empty: not an integer array, no such element, or not looked into.
  [[nodiscard]] std::set<std::int64_t> values(std::uint32_t instruction_id, std::int64_t element);
  // Start indices are clamped to [0, limit]: the limits that occurred.
  [[nodiscard]] const std::set<std::int64_t>& clamp_limits() const { return clamp_limits_; }
  // Whether values decide what is read.
  [[nodiscard]] bool depends_on_values() const { return depends_on_values_; }

 private:
  using Leaf = std::vector<std::int64_t>;
  struct Scope;
  // Which evaluation of a computation.
  struct Call {
    const hlo::Computation* computation = nullptr;
    const hlo::Instruction* caller = nullptr;  // null in the outermost scope
    std::int64_t first_operand = 0;            // of the caller: what parameter 0 is
    Scope* outer = nullptr;
    Scope* last_round = nullptr;  // not null: its root is parameter 0

    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Scope {
    std::size_t number = 0;
    Call call = {};
    std::map<const hlo::Instruction*, std::vector<ReadSet>> reads = {};
    std::map<std::pair<const hlo::Instruction*, Leaf>, std::vector<std::int64_t>> values = {};
  };

  void start(const hlo::Computation& computation);
  Scope& scope_of(const Call& call);
  Scope& scope_of_call(const hlo::Instruction& caller, Scope& outer);
  Result<const std::vector<ReadSet>*> reads_in(const hlo::Instruction& instruction, Scope& scope);
  Result<std::vector<ReadSet>> compute_reads(const hlo::Instruction& instruction, Scope& scope);
  Result<std::vector<ReadSet>> reads_of_call(const hlo::Computation& computation, Scope& inner);
  Result<std::vector<ReadSet>> reads_of_conditional(const hlo::Instruction& conditional,
                                                    Scope& scope);
  Result<std::vector<ReadSet>> reads_of_while(const hlo::Instruction& loop, Scope& scope);
  // The branches, in their order.
  std::vector<Call> branches_of(const hlo::Instruction& conditional, Scope& scope);
  // The branch that is taken on each device.
  std::vector<std::size_t> branches_taken(const hlo::Instruction& conditional, Scope& scope);
  // The rounds of a loop, in their order. kUnsupported if there are too many, or if devices differ.
  Result<std::vector<Scope*>> rounds_of(const hlo::Instruction& loop, Scope& scope);
  std::vector<std::int64_t> values_of_conditional(const hlo::Instruction& conditional,
                                                  const Leaf& leaf, Scope& scope);
  Result<std::vector<ReadSet>> reads_across_devices(const hlo::Instruction& instruction,
                                                    Scope& scope);
  Result<std::vector<ReadSet>> reads_of_elements(const hlo::Instruction& instruction, Scope& scope);
  Result<std::vector<FunctionRead>> reads_of_function(const hlo::Computation& function);

  const std::vector<std::int64_t>& values_in(const hlo::Instruction& instruction, const Leaf& leaf,
                                             Scope& scope);
  std::vector<std::int64_t> compute_values(const hlo::Instruction& instruction, const Leaf& leaf,
                                           Scope& scope);
  // Null if the instruction does not just pass on values that others have; else those of the leaf.
  const std::vector<std::int64_t>* passed_values(const hlo::Instruction& instruction,
                                                 const Leaf& leaf, Scope& scope);
  std::vector<std::int64_t> moved_values(const hlo::Instruction& instruction, Scope& scope);
  std::vector<std::int64_t> arithmetic_values(const hlo::Instruction& instruction, Scope& scope);

  const hlo::Module* module_;
  UnknownValues unknown_values_;
  std::int64_t max_work_;
  std::int64_t device_count_;
  std::deque<Scope> scopes_;  // scopes_[0] is the outermost
  std::set<std::int64_t> clamp_limits_;
  bool depends_on_values_ = false;
};

}  // namespace mercator::testing
