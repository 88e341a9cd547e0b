#include "test/indexing/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>

#include "test/indexing/model_instructions.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using Leaf = std::vector<std::int64_t>;
using Pairs = std::vector<ElementPair>;

void sort_unique(Pairs& pairs) {
  std::ranges::sort(pairs);
  const auto rest = std::ranges::unique(pairs);
  pairs.erase(rest.begin(), rest.end());
}

void append(Pairs& pairs, const Pairs& more) {
  pairs.insert(pairs.end(), more.begin(), more.end());
}

// (a, c) with (a, b) in `first` and (b, c) in `second`, which is sorted.
Pairs join(const Pairs& first, const Pairs& second) {
  Pairs result;
  for (const auto& [a, b] : first) {
    auto it = std::ranges::lower_bound(second, b, {}, &ElementPair::first);
    for (; it != second.end() && it->first == b; ++it) result.emplace_back(a, it->second);
  }
  sort_unique(result);
  return result;
}

Pairs identity(std::int64_t elements) {
  Pairs pairs;
  for (std::int64_t i = 0; i < elements; ++i) pairs.emplace_back(i, i);
  return pairs;
}

// Drops empty sets and sorts the others.
void tidy(std::vector<ReadSet>& sets) {
  std::erase_if(sets, [](const ReadSet& set) { return set.pairs.empty(); });
  std::ranges::sort(sets, {}, [](const ReadSet& set) {
    return std::tie(set.output, set.operand, set.operand_leaf);
  });
}

Leaf prefixed(std::int64_t first, const Leaf& rest) {
  Leaf leaf = {first};
  leaf.insert(leaf.end(), rest.begin(), rest.end());
  return leaf;
}

// The computation that the instruction stands for, if it is one of those.
const hlo::Computation* computation_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kFusion) return instruction.computation(AttributeName::kCalls);
  if (instruction.opcode == Opcode::kCall) return instruction.computation(AttributeName::kToApply);
  return nullptr;
}

// The sizes of a leaf that is an array; none for other leaves.
const Shape* leaf_shape(const Shape& shape, const Leaf& leaf) {
  const Shape* at = &shape;
  for (const std::int64_t i : leaf) {
    if (!at->is_tuple() || i < 0 || i >= std::ssize(at->elements)) return nullptr;
    at = &at->elements[static_cast<std::size_t>(i)];
  }
  return at->is_array() ? at : nullptr;
}

bool is_index_type(ElementType type) {
  return hlo::is_integral(type) || type == ElementType::kPred;
}

// The value as an element of this type holds it.
std::int64_t wrap(std::int64_t value, ElementType type) {
  if (type == ElementType::kPred) return value != 0 ? 1 : 0;
  const std::int64_t bits = hlo::bit_width(type);
  if (bits >= 64) return value;
  const std::int64_t mask = (std::int64_t{1} << bits) - 1;
  const std::int64_t low = value & mask;
  const bool negative = hlo::is_signed(type) && ((low >> (bits - 1)) & 1) != 0;
  return negative ? low - mask - 1 : low;
}

// How many of the operands hold data that the instruction moves from place to place; 0 if it does
// something else.
std::size_t moved_operands(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return 1;
    case Opcode::kBitcast: {
      const Shape& from = instruction.operand(0).shape;
      return from.element_type == instruction.shape.element_type ? 1 : 0;
    }
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kPad:
      return 2;
    case Opcode::kConcatenate:
      return instruction.operands.size();
    default:
      return 0;
  }
}

// The value of an arithmetic instruction from those of its operands; none for other instructions.
std::optional<std::int64_t> arithmetic(Opcode opcode, std::span<const std::int64_t> x) {
  std::int64_t result = 0;
  switch (opcode) {
    case Opcode::kAdd:
      static_cast<void>(__builtin_add_overflow(x[0], x[1], &result));
      return result;
    case Opcode::kSubtract:
      static_cast<void>(__builtin_sub_overflow(x[0], x[1], &result));
      return result;
    case Opcode::kMultiply:
      static_cast<void>(__builtin_mul_overflow(x[0], x[1], &result));
      return result;
    case Opcode::kNegate:
      static_cast<void>(__builtin_sub_overflow(0, x[0], &result));
      return result;
    case Opcode::kConvert:
      return x[0];
    case Opcode::kMinimum:
      return std::min(x[0], x[1]);
    case Opcode::kMaximum:
      return std::max(x[0], x[1]);
    case Opcode::kSelect:
      return x[0] != 0 ? x[1] : x[2];
    case Opcode::kClamp:
      return std::min(std::max(x[1], x[0]), x[2]);
    default:
      return std::nullopt;
  }
}

}  // namespace

Model::Model(const hlo::Module& module, UnknownValues unknown_values, std::int64_t max_work)
    : module_(&module), unknown_values_(std::move(unknown_values)), max_work_(max_work) {}

void Model::start(const hlo::Computation& computation) {
  scopes_.clear();
  clamp_limits_.clear();
  scopes_.push_back({.number = 0, .computation = &computation});
}

Model::Scope& Model::scope_of_call(const Instruction& caller, Scope& outer) {
  for (Scope& scope : scopes_) {
    if (scope.caller == &caller && scope.outer == &outer) return scope;
  }
  scopes_.push_back({.number = scopes_.size(),
                     .computation = computation_of(caller),
                     .caller = &caller,
                     .outer = &outer});
  return scopes_.back();
}

Result<std::vector<ReadSet>> Model::reads(const Instruction& instruction) {
  start(*instruction.parent);
  return *MERCATOR_TRY(reads_in(instruction, scopes_.front()));
}

Result<std::vector<ReadSet>> Model::reads(const hlo::Computation& computation) {
  start(computation);
  std::vector<ReadSet> sets = MERCATOR_TRY(reads_of_call(computation, scopes_.front()));
  tidy(sets);
  return sets;
}

Result<const std::vector<ReadSet>*> Model::reads_in(const Instruction& instruction, Scope& scope) {
  const auto known = scope.reads.find(&instruction);
  if (known != scope.reads.end()) return &known->second;
  std::vector<ReadSet> sets = MERCATOR_TRY(compute_reads(instruction, scope));
  tidy(sets);
  return &scope.reads.emplace(&instruction, std::move(sets)).first->second;
}

Result<std::vector<ReadSet>> Model::compute_reads(const Instruction& instruction, Scope& scope) {
  if (const hlo::Computation* called = computation_of(instruction)) {
    return reads_of_call(*called, scope_of_call(instruction, scope));
  }
  std::vector<ReadSet> sets;
  if (instruction.opcode == Opcode::kTuple) {
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      const auto number = static_cast<std::int64_t>(k);
      for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.operand(k).shape)) {
        if (!leaf.shape.is_array()) continue;
        sets.push_back({prefixed(number, leaf.index), number, leaf.index,
                        identity(leaf.shape.element_count())});
      }
    }
    return sets;
  }
  if (instruction.opcode == Opcode::kGetTupleElement) {
    const std::int64_t index = instruction.integer(AttributeName::kIndex, -1);
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
      if (!leaf.shape.is_array()) continue;
      sets.push_back(
          {leaf.index, 0, prefixed(index, leaf.index), identity(leaf.shape.element_count())});
    }
    return sets;
  }
  return reads_of_elements(instruction, scope);
}

Result<std::vector<ReadSet>> Model::reads_of_elements(const Instruction& instruction,
                                                      Scope& scope) {
  if (instruction.opcode == Opcode::kParameter) return std::vector<ReadSet>{};
  if (work_of(instruction) > max_work_) {
    return fail(ErrorKind::kUnsupported, fmt::format("'{}' is too large", instruction.name));
  }
  std::vector<Pairs> pairs(instruction.operands.size());
  const Reader reader{
      .read = [&](std::size_t operand, std::int64_t output,
                  std::int64_t element) { pairs[operand].emplace_back(output, element); },
      .value =
          [&](std::size_t operand, std::int64_t element) {
            return values_in(instruction.operand(operand), {},
                             scope)[static_cast<std::size_t>(element)];
          },
      .clamp =
          [&](std::int64_t value, std::int64_t limit) {
            clamp_limits_.insert(limit);
            return std::min(std::max<std::int64_t>(value, 0), limit);
          },
  };
  MERCATOR_TRY_VOID(read_elements(instruction, reader));
  std::vector<ReadSet> sets;
  for (Pairs& operand_pairs : pairs) sort_unique(operand_pairs);
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      sets.push_back({leaf.index, static_cast<std::int64_t>(k), {}, pairs[k]});
    }
  }
  return sets;
}

Result<std::vector<ReadSet>> Model::reads_of_call(const hlo::Computation& computation,
                                                  Scope& inner) {
  const std::vector<const Instruction*> order = computation.post_order();
  std::vector<ReadSet> sets;
  for (const hlo::ShapeLeaf& root_leaf : hlo::leaves(computation.root->shape)) {
    if (!root_leaf.shape.is_array()) continue;
    // What this leaf of the root reads of each leaf of each instruction.
    std::map<const Instruction*, std::map<Leaf, Pairs>> reached;
    reached[computation.root][root_leaf.index] = identity(root_leaf.shape.element_count());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Instruction& instruction = **it;
      const auto found = reached.find(&instruction);
      if (found == reached.end()) continue;
      for (auto& [leaf, pairs] : found->second) sort_unique(pairs);
      if (instruction.opcode == Opcode::kParameter) {
        for (auto& [leaf, pairs] : found->second) {
          sets.push_back({root_leaf.index, instruction.parameter_number, leaf, std::move(pairs)});
        }
        continue;
      }
      for (const ReadSet& set : *MERCATOR_TRY(reads_in(instruction, inner))) {
        const auto pairs = found->second.find(set.output);
        if (pairs == found->second.end()) continue;
        const Instruction* operand = instruction.operands[static_cast<std::size_t>(set.operand)];
        append(reached[operand][set.operand_leaf], join(pairs->second, set.pairs));
      }
    }
  }
  return sets;
}

std::set<std::int64_t> Model::values(std::uint32_t instruction_id, std::int64_t element) {
  if (instruction_id >= module_->instructions.size()) return {};
  const Instruction& instruction = *module_->instructions[instruction_id];
  const Shape& shape = instruction.shape;
  if (!shape.is_array() || !is_index_type(shape.element_type)) return {};
  if (element < 0 || element >= shape.element_count()) return {};
  std::set<std::int64_t> result;
  // Evaluation may add scopes at the end; those that are there by now are the ones looked into.
  for (std::size_t i = 0, count = scopes_.size(); i < count; ++i) {
    if (scopes_[i].computation != instruction.parent) continue;
    result.insert(values_in(instruction, {}, scopes_[i])[static_cast<std::size_t>(element)]);
  }
  return result;
}

const std::vector<std::int64_t>& Model::values_in(const Instruction& instruction, const Leaf& leaf,
                                                  Scope& scope) {
  const auto key = std::make_pair(&instruction, leaf);
  const auto known = scope.values.find(key);
  if (known != scope.values.end()) return known->second;
  std::vector<std::int64_t> values = compute_values(instruction, leaf, scope);
  const Shape* shape = leaf_shape(instruction.shape, leaf);
  for (std::int64_t& value : values) value = wrap(value, shape->element_type);
  return scope.values.emplace(key, std::move(values)).first->second;
}

std::vector<std::int64_t> Model::compute_values(const Instruction& instruction, const Leaf& leaf,
                                                Scope& scope) {
  const Shape& shape = *leaf_shape(instruction.shape, leaf);
  const std::int64_t count = shape.element_count();
  std::vector<std::int64_t> values;
  switch (instruction.opcode) {
    case Opcode::kParameter:
      if (scope.caller != nullptr) {
        const auto number = static_cast<std::size_t>(instruction.parameter_number);
        return values_in(scope.caller->operand(number), leaf, *scope.outer);
      }
      break;
    case Opcode::kConstant:
      for (std::int64_t i = 0; i < count; ++i) {
        const auto value = leaf.empty() ? instruction.literal->integer(i) : std::nullopt;
        values.push_back(value ? *value : unknown_values_(instruction, leaf, i, scope.number));
      }
      return values;
    case Opcode::kIota: {
      const auto d =
          static_cast<std::size_t>(instruction.integer(AttributeName::kIotaDimension, 0));
      for_each_index(shape.dimensions, [&](Sizes index) { values.push_back(index[d]); });
      return values;
    }
    case Opcode::kTuple:
      return values_in(instruction.operand(static_cast<std::size_t>(leaf[0])),
                       Leaf(leaf.begin() + 1, leaf.end()), scope);
    case Opcode::kGetTupleElement:
      return values_in(instruction.operand(0),
                       prefixed(instruction.integer(AttributeName::kIndex, -1), leaf), scope);
    case Opcode::kFusion:
    case Opcode::kCall:
      return values_in(*computation_of(instruction)->root, leaf, scope_of_call(instruction, scope));
    default:
      if (!leaf.empty()) break;
      if (moved_operands(instruction) > 0) return moved_values(instruction, scope);
      values = arithmetic_values(instruction, scope);
      if (std::ssize(values) == count) return values;
      break;
  }
  values.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(unknown_values_(instruction, leaf, i, scope.number));
  }
  return values;
}

// Each element is the one element that it reads.
std::vector<std::int64_t> Model::moved_values(const Instruction& instruction, Scope& scope) {
  const std::size_t data_operands = moved_operands(instruction);
  std::vector<std::int64_t> values(static_cast<std::size_t>(instruction.shape.element_count()));
  const auto value = [&](std::size_t operand, std::int64_t element) {
    return values_in(instruction.operand(operand), {}, scope)[static_cast<std::size_t>(element)];
  };
  const Reader reader{
      .read =
          [&](std::size_t operand, std::int64_t output, std::int64_t element) {
            if (operand < data_operands) {
              values[static_cast<std::size_t>(output)] = value(operand, element);
            }
          },
      .value = value,
      .clamp = [](std::int64_t start,
                  std::int64_t limit) { return std::min(std::max<std::int64_t>(start, 0), limit); },
  };
  static_cast<void>(read_elements(instruction, reader));
  return values;
}

// Empty for what is not integer arithmetic.
std::vector<std::int64_t> Model::arithmetic_values(const Instruction& instruction, Scope& scope) {
  if (!hlo::is_elementwise(instruction.opcode) && instruction.opcode != Opcode::kClamp) return {};
  for (const Instruction* operand : instruction.operands) {
    if (!operand->shape.is_array() || !is_index_type(operand->shape.element_type)) return {};
  }
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> arguments(instruction.operands.size());
  const std::int64_t count = instruction.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Instruction& operand = instruction.operand(k);
      const bool scalar = operand.shape.rank() == 0;
      arguments[k] = values_in(operand, {}, scope)[scalar ? 0 : static_cast<std::size_t>(i)];
    }
    const std::optional<std::int64_t> value = arithmetic(instruction.opcode, arguments);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

}  // namespace mercator::testing
