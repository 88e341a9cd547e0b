#include "mercator/tools/map_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>

#include "mercator/support/suggestion.h"

namespace mercator::tools {
namespace {

// How many elements --output can choose from.
std::int64_t output_count(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  return shape.is_tuple() ? static_cast<std::int64_t>(shape.elements.size()) : 1;
}

std::int64_t operand_count(const hlo::Instruction& instruction) {
  return static_cast<std::int64_t>(instruction.operands.size());
}

// Whether the instruction has the operand and the output that were asked for.
Result<void> check_choice(const hlo::Instruction& instruction, const MapRequest& request) {
  const auto check = [&](std::string_view what, std::optional<std::int64_t> chosen,
                         std::int64_t count) -> Result<void> {
    if (!chosen || *chosen < count) return {};
    return fail(ErrorKind::kUsage,
                fmt::format("no {} {}: '{}' has {} {}{}", what, *chosen, instruction.name, count,
                            what, count == 1 ? "" : "s"));
  };
  MERCATOR_TRY_VOID(check("operand", request.operand, operand_count(instruction)));
  return check("output", request.output, output_count(instruction));
}

// That no instruction has the operand and the output that were asked for.
std::unexpected<Error> no_choice(const MapRequest& request) {
  std::vector<std::string> chosen;
  if (request.operand) chosen.push_back(fmt::format("operand {}", *request.operand));
  if (request.output) chosen.push_back(fmt::format("output {}", *request.output));
  return fail(ErrorKind::kUsage,
              fmt::format("no instruction has an {}", fmt::join(chosen, " and an ")));
}

// The entry computation and the fused ones that it leads to.
std::vector<const hlo::Computation*> computations_to_list(const hlo::Module& module,
                                                          const MapRequest& request) {
  if (request.every_computation) return {module.computations.begin(), module.computations.end()};
  std::vector<const hlo::Computation*> computations = {module.entry};
  std::vector<bool> seen(module.computations.size());
  seen[module.entry->id] = true;
  for (std::size_t i = 0; i < computations.size(); ++i) {
    for (const hlo::Instruction* instruction : computations[i]->instructions) {
      if (instruction->opcode != hlo::Opcode::kFusion) continue;
      for (const hlo::Computation* called : instruction->called_computations()) {
        if (seen[called->id]) continue;
        seen[called->id] = true;
        computations.push_back(called);
      }
    }
  }
  return computations;
}

std::unexpected<Error> unknown_instruction(const hlo::Module& module, std::string_view name) {
  std::vector<std::string_view> names;
  for (const hlo::Instruction* instruction : module.instructions) {
    names.push_back(instruction->name);
  }
  return std::unexpected(Error{.kind = ErrorKind::kUsage,
                               .message = fmt::format("no instruction '{}'", name),
                               .hint = did_you_mean(nearest_words(name, names))});
}

hlo::Shape with_layouts(const hlo::Shape& shape, Arena& arena) {
  hlo::Shape result = shape;
  if (shape.is_array() && shape.layout == nullptr && shape.rank() > 0) {
    const std::vector<std::int64_t> order = hlo::minor_to_major(shape);
    result.layout = arena.make<hlo::Layout>(arena.copy(std::span<const std::int64_t>(order)));
  }
  const std::span<hlo::Shape> elements = arena.make_array<hlo::Shape>(shape.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = with_layouts(shape.elements[i], arena);
  }
  result.elements = elements;
  return result;
}

}  // namespace

Result<std::vector<const hlo::Instruction*>> select_instructions(const hlo::Module& module,
                                                                 const MapRequest& request) {
  std::vector<const hlo::Instruction*> selected;
  if (request.instructions.empty()) {
    for (const hlo::Computation* computation : computations_to_list(module, request)) {
      for (const hlo::Instruction* instruction : computation->instructions) {
        if (check_choice(*instruction, request)) selected.push_back(instruction);
      }
    }
    if (selected.empty()) return no_choice(request);
    return selected;
  }
  for (std::string_view name : request.instructions) {
    if (name.starts_with('%')) name.remove_prefix(1);
    const std::size_t before = selected.size();
    for (const hlo::Instruction* instruction : module.instructions) {
      if (instruction->name != name) continue;
      MERCATOR_TRY_VOID(check_choice(*instruction, request));
      selected.push_back(instruction);
    }
    if (selected.size() == before) return unknown_instruction(module, name);
  }
  return selected;
}

InstructionMaps::InstructionMaps(const hlo::Instruction& instruction, const MapRequest& request)
    : instruction_(&instruction) {
  for (hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
    const std::int64_t element = leaf.index.empty() ? 0 : leaf.index.front();
    if (!request.output || *request.output == element) outputs_.push_back(std::move(leaf.index));
  }
  for (std::int64_t i = 0; i < operand_count(instruction); ++i) {
    if (!request.operand || *request.operand == i) operands_.push_back(i);
  }
}

void InstructionMaps::set(Direction direction, InstructionIndexing indexing) {
  Answer& answer = direction == Direction::kOutputToInput ? output_to_input_ : input_to_output_;
  answer.all_unknown.unknown = indexing.unknown;
  answer.indexing = std::move(indexing);
}

std::vector<MapPair> InstructionMaps::pairs(Direction direction) const {
  return direction == Direction::kOutputToInput ? pairs_by_output() : pairs_by_operand();
}

std::vector<MapPair> InstructionMaps::pairs_by_output() const {
  using Pair = InstructionIndexing::Pair;
  std::map<std::tuple<ShapeIndex, std::int64_t, ShapeIndex>, const Pair*> known;
  for (const Pair& pair : output_to_input_.indexing->pairs) {
    known[{pair.output, pair.operand, pair.operand_leaf}] = &pair;
  }
  std::vector<MapPair> pairs;
  for (const ShapeIndex& output : outputs_) {
    for (const std::int64_t operand : operands_) {
      const std::size_t before = pairs.size();
      for (auto it = known.lower_bound({output, operand, {}}); it != known.end(); ++it) {
        const Pair& pair = *it->second;
        if (pair.output != output || pair.operand != operand) break;
        pairs.push_back({output, operand, pair.operand_leaf, &pair.maps});
      }
      if (pairs.size() == before) {
        pairs.push_back({output, operand, {}, output_to_input_.where_missing()});
      }
    }
  }
  return pairs;
}

std::vector<MapPair> InstructionMaps::pairs_by_operand() const {
  using Pair = InstructionIndexing::Pair;
  std::map<std::tuple<std::int64_t, ShapeIndex, ShapeIndex>, const Pair*> known;
  for (const Pair& pair : input_to_output_.indexing->pairs) {
    if (std::ranges::find(outputs_, pair.output) == outputs_.end()) continue;
    known[{pair.operand, pair.operand_leaf, pair.output}] = &pair;
  }
  std::vector<MapPair> pairs;
  for (const std::int64_t operand : operands_) {
    if (instruction_->operand(static_cast<std::size_t>(operand)).shape.is_tuple()) {
      const std::size_t before = pairs.size();
      for (auto it = known.lower_bound({operand, {}, {}}); it != known.end(); ++it) {
        const Pair& pair = *it->second;
        if (pair.operand != operand) break;
        pairs.push_back({pair.output, operand, pair.operand_leaf, &pair.maps});
      }
      if (pairs.size() != before) continue;
    }
    for (const ShapeIndex& output : outputs_) {
      const auto found = known.find({operand, {}, output});
      pairs.push_back(
          {output,
           operand,
           {},
           found != known.end() ? &found->second->maps : input_to_output_.where_missing()});
    }
  }
  return pairs;
}

InstructionMaps MapLister::operator()(const hlo::Instruction& instruction) {
  InstructionMaps maps(instruction, request_);
  const auto compute = [&](Direction direction) {
    const auto start = std::chrono::steady_clock::now();
    InstructionIndexing indexing = analysis_.indexing(instruction, direction);
    if (request_.physical) make_physical(instruction, direction, &indexing);
    time_ += std::chrono::steady_clock::now() - start;
    maps.set(direction, std::move(indexing));
  };
  if (request_.output_to_input) compute(Direction::kOutputToInput);
  if (request_.input_to_output) compute(Direction::kInputToOutput);
  return maps;
}

Result<InsideMaps> MapLister::inside(const hlo::Instruction& instruction) {
  const auto start = std::chrono::steady_clock::now();
  InsideMaps maps = MERCATOR_TRY(inside_of(instruction));
  if (request_.physical) {
    for (ArrayMaps& array : maps.arrays) {
      if (array.array->is_array()) make_physical(*array.array, &array.maps);
    }
  }
  time_ += std::chrono::steady_clock::now() - start;
  return maps;
}

Result<InsideMaps> MapLister::inside_of(const hlo::Instruction& instruction) {
  if (request_.kernel.has_value()) {
    KernelIndexing indexing = MERCATOR_TRY(analysis_.kernel(instruction, *request_.kernel));
    return kernel_maps(instruction, *request_.kernel, std::move(indexing));
  }
  if (instruction.opcode != hlo::Opcode::kFusion && instruction.opcode != hlo::Opcode::kCall) {
    return fail(
        ErrorKind::kUnsupported,
        fmt::format("'{}' is neither a fusion nor a call: nothing is inside", instruction.name));
  }
  return grouped_maps(instruction, analysis_.grouped(instruction));
}

void MapLister::make_physical(const hlo::Instruction& instruction, Direction direction,
                              InstructionIndexing* indexing) {
  for (InstructionIndexing::Pair& pair : indexing->pairs) {
    const auto operand = static_cast<std::size_t>(pair.operand);
    const hlo::Shape& target =
        direction == Direction::kOutputToInput
            ? leaf_shape(instruction.operand(operand).shape, pair.operand_leaf)
            : leaf_shape(instruction.shape, pair.output);
    make_physical(target, &pair.maps);
  }
}

void MapLister::make_physical(const hlo::Shape& target, OperandMaps* maps) {
  for (OperandMap& map : maps->maps) {
    const Result<void> made = make_physical(target, &map);
    if (made.has_value()) continue;
    *maps = {.maps = {}, .unknown = made.error().message};
    return;
  }
}

Result<void> MapLister::make_physical(const hlo::Shape& target, OperandMap* map) {
  map->map = MERCATOR_TRY(physical(map->map, target, /*across_devices=*/false));
  if (map->across_devices.has_value()) {
    map->across_devices = MERCATOR_TRY(physical(*map->across_devices, target, true));
  }
  return {};
}

Result<IndexMap> MapLister::physical(const IndexMap& map, const hlo::Shape& target,
                                     bool across_devices) {
  if (map.is_known_empty()) return map;
  // What stands before an index.
  const std::uint32_t prefix = across_devices ? 1 : 0;
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (RuntimeVariable& variable : runtimes) {
    if (!variable.tensor) continue;
    const IndexMap position =
        MERCATOR_TRY(analysis_.physical_position(module_.instructions[*variable.tensor]->shape));
    const Expr place = substitute(position.results().front(), [&](VariableId id) {
      return id.kind == VariableKind::kDimension ? variable.index[id.index + prefix] : Expr();
    });
    variable.index.resize(prefix);
    variable.index.push_back(place);
  }
  const IndexMap to_index(map.context(), map.dimensions(), map.ranges(), std::move(runtimes),
                          map.results(), map.constraints());
  IndexMap position = MERCATOR_TRY(analysis_.physical_position(target));
  if (across_devices) position = on_each_device(position, analysis_.device_count());
  return simplify_(compose(to_index, position));
}

IndexMap runtime_map(const IndexMap& map, const RuntimeVariable& variable) {
  // Of the runtime variables only those that the index itself depends on are kept, under their
  // names.
  const UsedVariables used = used_variables(variable.index);
  std::vector<Expr> renumbered(map.runtimes().size());
  std::vector<RuntimeVariable> runtimes;
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    const VariableId id{VariableKind::kRuntime, i};
    if (!used.contains(id)) continue;
    renumbered[i] = map.context().runtime(static_cast<std::uint32_t>(runtimes.size()));
    runtimes.push_back({.bounds = map.runtimes()[i].bounds, .name = map.name(id)});
  }
  const auto replacement = [&](VariableId id) {
    return id.kind == VariableKind::kRuntime ? renumbered[id.index] : Expr();
  };
  std::vector<Expr> results = variable.index;
  substitute(results, replacement);

  std::vector<Constraint> constraints;
  for (const Constraint& constraint : map.constraints()) {
    const std::vector<bool> runtime = used_variables(std::span(&constraint.expr, 1)).runtimes;
    const auto is_dropped = [&](std::uint32_t i) { return runtime[i] && !renumbered[i]; };
    const auto indices =
        std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(runtime.size()));
    if (std::ranges::any_of(indices, is_dropped)) continue;
    constraints.push_back({substitute(constraint.expr, replacement), constraint.range});
  }
  return IndexMap(map.context(), map.dimensions(), map.ranges(), std::move(runtimes),
                  std::move(results), std::move(constraints));
}

const hlo::Shape& leaf_shape(const hlo::Shape& shape, std::span<const std::int64_t> leaf) {
  const hlo::Shape* found = &shape;
  for (const std::int64_t i : leaf) found = &found->elements[static_cast<std::size_t>(i)];
  return *found;
}

std::string shape_text(const hlo::Shape& shape) {
  Arena arena;
  return hlo::to_string(with_layouts(shape, arena));
}

}  // namespace mercator::tools
