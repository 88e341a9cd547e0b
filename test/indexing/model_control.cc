// Conditionals and loops: which computations are evaluated.

#include <fmt/format.h>

#include <algorithm>

#include "test/indexing/model.h"
#include "test/indexing/model_pairs.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;

// A loop with more rounds is not evaluated.
constexpr std::size_t kMaxRounds = 12;

std::int64_t leaf_elements(const hlo::Shape& shape, const std::vector<std::int64_t>& leaf) {
  const hlo::Shape* at = &shape;
  for (const std::int64_t i : leaf) at = &at->elements[static_cast<std::size_t>(i)];
  return at->element_count();
}

}  // namespace

std::vector<Model::Call> Model::branches_of(const Instruction& conditional, Scope& scope) {
  std::vector<const hlo::Computation*> branches;
  for (const hlo::Computation* branch :
       conditional.get<std::span<hlo::Computation* const>>(AttributeName::kBranchComputations)) {
    branches.push_back(branch);
  }
  if (branches.empty()) {
    branches = {conditional.computation(AttributeName::kTrueComputation),
                conditional.computation(AttributeName::kFalseComputation)};
  }
  std::vector<Call> calls;
  for (const hlo::Computation* branch : branches) {
    calls.push_back({.computation = branch,
                     .caller = &conditional,
                     .first_operand = std::ssize(calls) + 1,
                     .outer = &scope});
  }
  return calls;
}

std::vector<std::size_t> Model::branches_taken(const Instruction& conditional, Scope& scope) {
  const std::size_t branches = conditional.operands.size() - 1;
  const bool by_pred = conditional.operand(0).shape.element_type == hlo::ElementType::kPred;
  std::vector<std::size_t> taken;
  for (const std::int64_t value : values_in(conditional.operand(0), {}, scope)) {
    if (by_pred) {
      taken.push_back(value != 0 ? 0 : 1);
    } else {
      const bool names_one = value >= 0 && value < static_cast<std::int64_t>(branches);
      taken.push_back(names_one ? static_cast<std::size_t>(value) : branches - 1);
    }
  }
  return taken;
}

Result<std::vector<ReadSet>> Model::reads_of_conditional(const Instruction& conditional,
                                                         Scope& scope) {
  const std::vector<Call> branches = branches_of(conditional, scope);
  const std::vector<std::size_t> taken = branches_taken(conditional, scope);
  std::vector<ReadSet> sets;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    // Of a branch that no device takes only the limits of its start indices are of interest.
    for (ReadSet& set :
         MERCATOR_TRY(reads_of_call(*branches[i].computation, scope_of(branches[i])))) {
      const std::int64_t elements = leaf_elements(conditional.shape, set.output);
      std::erase_if(set.pairs, [&](const ElementPair& pair) {
        return taken[static_cast<std::size_t>(pair.first / elements)] != i;
      });
      set.operand += branches[i].first_operand;
      sets.push_back(std::move(set));
    }
  }
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(conditional.shape)) {
    if (!leaf.shape.is_array()) continue;
    ReadSet chooser{leaf.index, 0, {}, {}};
    const std::int64_t elements = leaf.shape.element_count();
    for (std::int64_t i = 0; i < device_count_ * elements; ++i) {
      chooser.pairs.emplace_back(i, i / elements);
    }
    sets.push_back(std::move(chooser));
  }
  return sets;
}

std::vector<std::int64_t> Model::values_of_conditional(const Instruction& conditional,
                                                       const Leaf& leaf, Scope& scope) {
  const std::vector<Call> branches = branches_of(conditional, scope);
  const std::vector<std::size_t> taken = branches_taken(conditional, scope);
  const auto elements = static_cast<std::size_t>(leaf_elements(conditional.shape, leaf));
  std::vector<std::int64_t> values;
  for (std::size_t device = 0; device < taken.size(); ++device) {
    const Call& branch = branches[taken[device]];
    const auto& of_branch = values_in(*branch.computation->root, leaf, scope_of(branch));
    const auto first = of_branch.begin() + static_cast<std::ptrdiff_t>(device * elements);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(elements));
  }
  return values;
}

Result<std::vector<Model::Scope*>> Model::rounds_of(const Instruction& loop, Scope& scope) {
  std::vector<Scope*> rounds;
  while (rounds.size() <= kMaxRounds) {
    Call call{.computation = loop.computation(AttributeName::kCondition),
              .caller = &loop,
              .outer = &scope,
              .last_round = rounds.empty() ? nullptr : rounds.back()};
    const std::vector<std::int64_t>& goes_on =
        values_in(*call.computation->root, {}, scope_of(call));
    if (std::ranges::adjacent_find(goes_on, std::ranges::not_equal_to()) != goes_on.end()) {
      return fail(ErrorKind::kUnsupported, "the rounds differ between devices");
    }
    if (goes_on[0] == 0) return rounds;
    call.computation = loop.computation(AttributeName::kBody);
    rounds.push_back(&scope_of(call));
  }
  return fail(ErrorKind::kUnsupported, "there are too many rounds");
}

// The last round reads what the one before it left, and so on.
Result<std::vector<ReadSet>> Model::reads_of_while(const Instruction& loop, Scope& scope) {
  std::vector<ReadSet> sets;
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(loop.shape)) {
    if (!leaf.shape.is_array()) continue;
    sets.push_back(
        {leaf.index, 0, leaf.index, identity(device_count_ * leaf.shape.element_count())});
  }
  const std::vector<Scope*> rounds = MERCATOR_TRY(rounds_of(loop, scope));
  if (rounds.empty()) {
    // For the limits of the start indices in a first round.
    const hlo::Computation& body = *loop.computation(AttributeName::kBody);
    MERCATOR_TRY(
        reads_of_call(body, scope_of({.computation = &body, .caller = &loop, .outer = &scope})));
  }
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const std::vector<ReadSet> of_round =
        MERCATOR_TRY(reads_of_call(*(*round)->call.computation, **round));
    std::vector<ReadSet> before;
    for (const ReadSet& first : sets) {
      for (const ReadSet& second : of_round) {
        if (first.operand_leaf != second.output) continue;
        before.push_back({first.output, 0, second.operand_leaf, join(first.pairs, second.pairs)});
      }
    }
    sets = joined(std::move(before));
  }
  return sets;
}

}  // namespace mercator::testing
