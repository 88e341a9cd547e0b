#include "test/indexing/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "test/indexing/model_devices.h"
#include "test/indexing/model_instructions.h"
#include "test/indexing/model_pairs.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using Leaf = std::vector<std::int64_t>;

void append(Pairs& pairs, const Pairs& more) {
  pairs.insert(pairs.end(), more.begin(), more.end());
}

Leaf prefixed(std::int64_t first, const Leaf& rest) {
  Leaf leaf = {first};
  leaf.insert(leaf.end(), rest.begin(), rest.end());
  return leaf;
}

// The computation that the instruction stands for, if it is one of those.
const hlo::Computation* computation_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kFusion || instruction.opcode == Opcode::kAsyncStart) {
    return instruction.computation(AttributeName::kCalls);
  }
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

std::int64_t compare(std::string_view direction, std::int64_t a, std::int64_t b) {
  if (direction == "EQ") return a == b ? 1 : 0;
  if (direction == "NE") return a != b ? 1 : 0;
  if (direction == "LT") return a < b ? 1 : 0;
  if (direction == "LE") return a <= b ? 1 : 0;
  if (direction == "GT") return a > b ? 1 : 0;
  return a >= b ? 1 : 0;
}

// The value of an arithmetic instruction from those of its operands; none for other instructions.
std::optional<std::int64_t> arithmetic(const Instruction& instruction,
                                       std::span<const std::int64_t> x) {
  std::int64_t result = 0;
  switch (instruction.opcode) {
    case Opcode::kAnd:
      return x[0] & x[1];
    case Opcode::kOr:
      return x[0] | x[1];
    case Opcode::kNot:
      return instruction.shape.element_type == ElementType::kPred ? 1 - x[0] : ~x[0];
    case Opcode::kCompare:
      return compare(instruction.get<hlo::Word>(AttributeName::kDirection).text, x[0], x[1]);
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
    : module_(&module),
      unknown_values_(std::move(unknown_values)),
      max_work_(max_work),
      device_count_(module.replica_count * module.partition_count) {}

void Model::start(const hlo::Computation& computation) {
  scopes_.clear();
  clamp_limits_.clear();
  depends_on_values_ = false;
  scopes_.push_back({.call = {.computation = &computation}});
}

Model::Scope& Model::scope_of(const Call& call) {
  for (Scope& scope : scopes_) {
    if (scope.call == call) return scope;
  }
  scopes_.push_back({.number = scopes_.size(), .call = call});
  return scopes_.back();
}

Model::Scope& Model::scope_of_call(const Instruction& caller, Scope& outer) {
  return scope_of({.computation = computation_of(caller), .caller = &caller, .outer = &outer});
}

Result<std::vector<ReadSet>> Model::reads(const Instruction& instruction) {
  start(*instruction.parent);
  return *MERCATOR_TRY(reads_in(instruction, scopes_.front()));
}

Result<std::vector<ReadSet>> Model::reads(const hlo::Computation& computation) {
  start(computation);
  return joined(MERCATOR_TRY(reads_of_call(computation, scopes_.front())));
}

Result<const std::vector<ReadSet>*> Model::reads_in(const Instruction& instruction, Scope& scope) {
  const auto known = scope.reads.find(&instruction);
  if (known != scope.reads.end()) return &known->second;
  std::vector<ReadSet> sets = joined(MERCATOR_TRY(compute_reads(instruction, scope)));
  return &scope.reads.emplace(&instruction, std::move(sets)).first->second;
}

Result<std::vector<ReadSet>> Model::compute_reads(const Instruction& instruction, Scope& scope) {
  if (instruction.opcode == Opcode::kConditional) return reads_of_conditional(instruction, scope);
  if (instruction.opcode == Opcode::kWhile) return reads_of_while(instruction, scope);
  std::vector<ReadSet> sets;
  if (const hlo::Computation* called = computation_of(instruction)) {
    sets = MERCATOR_TRY(reads_of_call(*called, scope_of_call(instruction, scope)));
    if (instruction.opcode == Opcode::kAsyncStart) {
      for (ReadSet& set : sets) set.output = prefixed(1, set.output);
    }
  }
  // What is the same array elsewhere.
  for (const Alias& alias : aliases(instruction)) {
    sets.push_back({alias.output, alias.operand, alias.operand_leaf,
                    identity(device_count_ * alias.elements)});
  }
  if (is_only_aliases(instruction)) return sets;
  std::vector<ReadSet> elements = MERCATOR_TRY(reads_of_elements(instruction, scope));
  std::ranges::move(elements, std::back_inserter(sets));
  return sets;
}

Result<std::vector<ReadSet>> Model::reads_across_devices(const Instruction& instruction,
                                                         Scope& scope) {
  std::map<std::pair<Leaf, std::int64_t>, Pairs> pairs;
  const auto add = [&](const DeviceRead& read) {
    const auto operand = static_cast<std::size_t>(read.operand);
    const Shape& result = *leaf_shape(instruction.shape, read.output_leaf);
    pairs[{read.output_leaf, read.operand}].emplace_back(
        read.to * result.element_count() + read.output,
        read.from * instruction.operand(operand).shape.element_count() + read.element);
  };
  const auto value = [&](std::size_t operand, std::int64_t device, std::int64_t element) {
    depends_on_values_ = true;
    const Instruction& of = instruction.operand(operand);
    const std::int64_t at = device * of.shape.element_count() + element;
    return values_in(of, {}, scope)[static_cast<std::size_t>(at)];
  };
  MERCATOR_TRY_VOID(read_across_devices(instruction, value, add));
  std::vector<ReadSet> sets;
  for (auto& [place, of_place] : pairs) {
    sets.push_back({place.first, place.second, {}, std::move(of_place)});
  }
  return sets;
}

Result<std::vector<ReadSet>> Model::reads_of_elements(const Instruction& instruction,
                                                      Scope& scope) {
  if (instruction.opcode == Opcode::kParameter) return std::vector<ReadSet>{};
  if (work_of(instruction) > max_work_) {
    return fail(ErrorKind::kUnsupported, fmt::format("'{}' is too large", instruction.name));
  }
  if (is_collective(instruction)) return reads_across_devices(instruction, scope);
  const std::vector<hlo::ShapeLeaf> leaves = hlo::leaves(instruction.shape);
  std::vector<std::vector<Pairs>> pairs(leaves.size(),
                                        std::vector<Pairs>(instruction.operands.size()));
  for (std::int64_t device = 0; device < device_count_; ++device) {
    const auto in_result = [&](std::size_t result, std::int64_t element) {
      return device * leaves[result].shape.element_count() + element;
    };
    const auto in_operand = [&](std::size_t operand, std::int64_t element) {
      return device * instruction.operand(operand).shape.element_count() + element;
    };
    const Reader reader{
        .read =
            [&](std::size_t operand, std::int64_t output, std::int64_t element) {
              for (std::size_t result = 0; result < pairs.size(); ++result) {
                pairs[result][operand].emplace_back(in_result(result, output),
                                                    in_operand(operand, element));
              }
            },
        .read_by =
            [&](std::size_t result, std::size_t operand, std::int64_t output,
                std::int64_t element) {
              pairs[result][operand].emplace_back(in_result(result, output),
                                                  in_operand(operand, element));
            },
        .value =
            [&](std::size_t operand, std::int64_t element) {
              depends_on_values_ = true;
              return values_in(instruction.operand(operand), {},
                               scope)[static_cast<std::size_t>(in_operand(operand, element))];
            },
        .clamp =
            [&](std::int64_t value, std::int64_t limit) {
              clamp_limits_.insert(limit);
              return std::min(std::max<std::int64_t>(value, 0), limit);
            },
        .function_reads =
            [&](const hlo::Computation& function) { return reads_of_function(function); },
    };
    MERCATOR_TRY_VOID(read_elements(instruction, reader));
  }
  std::vector<ReadSet> sets;
  for (std::size_t j = 0; j < leaves.size(); ++j) {
    for (std::size_t k = 0; k < pairs[j].size(); ++k) {
      sort_unique(pairs[j][k]);
      sets.push_back({leaves[j].index, static_cast<std::int64_t>(k), {}, std::move(pairs[j][k])});
    }
  }
  return sets;
}

Result<std::vector<FunctionRead>> Model::reads_of_function(const hlo::Computation& function) {
  scopes_.push_back({.number = scopes_.size(), .call = {.computation = &function}});
  std::vector<FunctionRead> reads;
  for (ReadSet& set : MERCATOR_TRY(reads_of_call(function, scopes_.back()))) {
    const std::size_t result = set.output.empty() ? 0 : static_cast<std::size_t>(set.output[0]);
    const auto parameter = static_cast<std::size_t>(set.operand);
    // All devices apply the same function, each to what it has: the first stands for all.
    const hlo::Shape& root = function.root->shape;
    const std::int64_t elements =
        (set.output.empty() ? root : root.elements[result]).element_count();
    std::erase_if(set.pairs, [&](const ElementPair& pair) { return pair.first >= elements; });
    reads.push_back({result, parameter, std::move(set.pairs)});
  }
  return reads;
}

Result<std::vector<ReadSet>> Model::reads_of_call(const hlo::Computation& computation,
                                                  Scope& inner) {
  const std::vector<const Instruction*> order = computation.post_order();
  std::vector<ReadSet> sets;
  for (const hlo::ShapeLeaf& root_leaf : hlo::leaves(computation.root->shape)) {
    if (!root_leaf.shape.is_array()) continue;
    // What this leaf of the root reads of each leaf of each instruction.
    std::map<const Instruction*, std::map<Leaf, Pairs>> reached;
    reached[computation.root][root_leaf.index] =
        identity(device_count_ * root_leaf.shape.element_count());
    std::set<const Instruction*> live;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Instruction& instruction = **it;
      const auto found = reached.find(&instruction);
      if (found == reached.end()) {
        // Over-approximate maps may come by here: for what is clamped to what.
        if (!live.contains(&instruction)) continue;
        static_cast<void>(reads_in(instruction, inner));
        live.insert(instruction.operands.begin(), instruction.operands.end());
        continue;
      }
      live.insert(instruction.operands.begin(), instruction.operands.end());
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
  if (element < 0 || element >= device_count_ * shape.element_count()) return {};
  std::set<std::int64_t> result;
  // Evaluation may add scopes at the end; those that are there by now are the ones looked into.
  for (std::size_t i = 0, count = scopes_.size(); i < count; ++i) {
    if (scopes_[i].call.computation != instruction.parent) continue;
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

const std::vector<std::int64_t>* Model::passed_values(const Instruction& instruction,
                                                      const Leaf& leaf, Scope& scope) {
  if (instruction.opcode == Opcode::kParameter) {
    const Call& call = scope.call;
    if (call.last_round != nullptr) {
      return &values_in(*call.last_round->call.computation->root, leaf, *call.last_round);
    }
    if (call.caller == nullptr) return nullptr;
    const auto number = static_cast<std::size_t>(call.first_operand + instruction.parameter_number);
    return &values_in(call.caller->operand(number), leaf, *call.outer);
  }
  for (const Alias& alias : aliases(instruction)) {
    if (alias.output != leaf) continue;
    return &values_in(instruction.operand(static_cast<std::size_t>(alias.operand)),
                      alias.operand_leaf, scope);
  }
  if (const hlo::Computation* called = computation_of(instruction)) {
    Leaf of_root = leaf;
    if (instruction.opcode == Opcode::kAsyncStart) {
      if (leaf[0] != 1) return nullptr;
      of_root.erase(of_root.begin());
    }
    return &values_in(*called->root, of_root, scope_of_call(instruction, scope));
  }
  if (instruction.opcode == Opcode::kWhile) {
    const auto rounds = rounds_of(instruction, scope);
    if (!rounds) return nullptr;
    if (rounds->empty()) return &values_in(instruction.operand(0), leaf, scope);
    return &values_in(*rounds->back()->call.computation->root, leaf, *rounds->back());
  }
  return nullptr;
}

std::vector<std::int64_t> Model::compute_values(const Instruction& instruction, const Leaf& leaf,
                                                Scope& scope) {
  if (const auto* passed = passed_values(instruction, leaf, scope)) return *passed;
  if (instruction.opcode == Opcode::kConditional) {
    return values_of_conditional(instruction, leaf, scope);
  }
  const Shape& shape = *leaf_shape(instruction.shape, leaf);
  const std::int64_t count = device_count_ * shape.element_count();
  std::vector<std::int64_t> values;
  if (leaf.empty() && instruction.opcode == Opcode::kConstant) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = instruction.literal->integer(i % shape.element_count());
      values.push_back(value ? *value : unknown_values_(instruction, leaf, i, scope.number));
    }
    return values;
  }
  if (instruction.opcode == Opcode::kIota) {
    const auto d = static_cast<std::size_t>(instruction.integer(AttributeName::kIotaDimension, 0));
    for (std::int64_t device = 0; device < device_count_; ++device) {
      for_each_index(shape.dimensions, [&](Sizes index) { values.push_back(index[d]); });
    }
    return values;
  }
  if (leaf.empty()) {
    if (moved_operands(instruction) > 0) return moved_values(instruction, scope);
    values = arithmetic_values(instruction, scope);
    if (std::ssize(values) == count) return values;
    values.clear();
  }
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(unknown_values_(instruction, leaf, i, scope.number));
  }
  return values;
}

// Each element is the one element that it reads.
std::vector<std::int64_t> Model::moved_values(const Instruction& instruction, Scope& scope) {
  const std::size_t data_operands = moved_operands(instruction);
  const std::int64_t count = instruction.shape.element_count();
  std::vector<std::int64_t> values(static_cast<std::size_t>(device_count_ * count));
  for (std::int64_t device = 0; device < device_count_; ++device) {
    const auto value = [&](std::size_t operand, std::int64_t element) {
      const Instruction& from = instruction.operand(operand);
      const std::int64_t at = device * from.shape.element_count() + element;
      return values_in(from, {}, scope)[static_cast<std::size_t>(at)];
    };
    const Reader reader{
        .read =
            [&](std::size_t operand, std::int64_t output, std::int64_t element) {
              if (operand < data_operands) {
                values[static_cast<std::size_t>(device * count + output)] = value(operand, element);
              }
            },
        .value = value,
        .clamp =
            [](std::int64_t start, std::int64_t limit) {
              return std::min(std::max<std::int64_t>(start, 0), limit);
            },
    };
    static_cast<void>(read_elements(instruction, reader));
  }
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
  for (std::int64_t i = 0; i < device_count_ * count; ++i) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Instruction& operand = instruction.operand(k);
      const bool scalar = operand.shape.rank() == 0;
      arguments[k] =
          values_in(operand, {}, scope)[static_cast<std::size_t>(scalar ? i / count : i)];
    }
    const std::optional<std::int64_t> value = arithmetic(instruction, arguments);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

}  // namespace mercator::testing
