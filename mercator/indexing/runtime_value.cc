#include "mercator/indexing/runtime_value.h"

#include <algorithm>
#include <limits>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/array_source.h"
#include "mercator/indexing/loop.h"
#include "mercator/indexing/map_transform.h"

namespace mercator::indexing {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// Chains longer than this are not followed to their end, which keeps the analysis of a module of
// long chains linear. Where tracing stops, the value is just as right.
constexpr int kMaxSteps = 64;

std::optional<std::int64_t> largest_value(ElementType type) {
  const std::optional<Interval> values = values_of(type);
  if (!values.has_value()) return std::nullopt;
  return values->hi;
}

// Whether converting keeps the number, whichever it is.
bool keeps_every_value(ElementType from, ElementType to) {
  if (from == to) return true;
  if (!hlo::is_integral(to)) return false;
  if (from == ElementType::kPred) return largest_value(to) >= 1;
  if (!hlo::is_integral(from)) return false;
  if (hlo::is_signed(from)) {
    return hlo::is_signed(to) && hlo::bit_width(from) <= hlo::bit_width(to);
  }
  return hlo::is_signed(to) ? hlo::bit_width(from) < hlo::bit_width(to)
                            : hlo::bit_width(from) <= hlo::bit_width(to);
}

// The nearest instruction that yields on its own the array that `tensor` passes on. Where a
// parameter is reached, what `site` passes for it, if not null, is looked into. Null if there is
// none.
const Instruction* find_array(Analysis& analysis, const Instruction& tensor, const CallSite* site) {
  ArraySource source{.instruction = &tensor};
  for (int step = 0; step < kMaxSteps; ++step) {
    if (!step_back(source)) {
      const Instruction& origin = *source.instruction;
      if (site == nullptr || origin.opcode != Opcode::kParameter ||
          !stays_as_passed(analysis, *site, source.path)) {
        return nullptr;
      }
      const auto number = static_cast<std::size_t>(origin.parameter_number);
      source.instruction = site->call->operands[site->first_operand + number];
      site = nullptr;
    }
    if (source.path.empty() && site == nullptr) return source.instruction;
  }
  return nullptr;
}

// What the caller passes where `tensor` is a parameter, or part of one, of the computation that is
// called; null for other instructions.
const Instruction* passed_for(Analysis& analysis, const Instruction& tensor, const CallSite& site) {
  const bool is_argument =
      tensor.opcode == Opcode::kParameter || tensor.opcode == Opcode::kGetTupleElement;
  if (!is_argument || tensor.parent != site.computation) return nullptr;
  return find_array(analysis, tensor, &site);
}

// Through the o2i map of an instruction that moves elements of operand 0.
std::optional<Element> move_back(Analysis& analysis, const Element& element) {
  const PairList& list = analysis.pairs(*element.tensor, Direction::kOutputToInput);
  const std::span<const LeafPair> pairs = list.of_output({});
  if (pairs.size() != 1 || pairs[0].operand != 0 || pairs[0].maps.size() != 1) return std::nullopt;
  const IndexMap& map = analysis.maps()[pairs[0].maps[0].map];
  const bool is_total = map.constraints().empty() &&
                        std::ranges::equal(map.dimensions(), element.tensor->shape.dimensions, {},
                                           &Variable::bounds, &Interval::indices);
  if (!is_total || !map.ranges().empty() || !map.runtimes().empty()) return std::nullopt;
  std::vector<Expr> index = map.results();
  substitute(index, [&](VariableId id) { return element.index[id.index]; });
  return Element{.tensor = element.tensor->operands[0], .index = std::move(index)};
}

// The part that a known index falls into.
std::optional<Element> part_of_concatenation(const Element& element) {
  const Instruction& instruction = *element.tensor;
  const auto dimension =
      static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  if (!element.index[dimension].is(ExprKind::kConstant)) return std::nullopt;
  std::int64_t position = element.index[dimension].value();
  for (const Instruction* operand : instruction.operands) {
    const std::int64_t size = operand->shape.dimensions[dimension];
    if (position >= 0 && position < size) {
      std::vector<Expr> index = element.index;
      index[dimension] = element.index[dimension].context().constant(position);
      return Element{.tensor = operand, .index = std::move(index)};
    }
    position -= size;
  }
  return std::nullopt;
}

// The element that this one was moved from; none where the value is computed.
std::optional<Element> trace_step(Analysis& analysis, const Element& element) {
  const Instruction& instruction = *element.tensor;
  switch (instruction.opcode) {
    case Opcode::kConvert:
      if (!keeps_every_value(instruction.operand(0).shape.element_type,
                             instruction.shape.element_type)) {
        return std::nullopt;
      }
      return Element{.tensor = instruction.operands[0], .index = element.index};
    case Opcode::kCopy:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      return Element{.tensor = instruction.operands[0], .index = element.index};
    case Opcode::kBitcast:
      if (instruction.operand(0).shape.element_type != instruction.shape.element_type) {
        return std::nullopt;
      }
      return move_back(analysis, element);
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return move_back(analysis, element);
    case Opcode::kConcatenate:
      return part_of_concatenation(element);
    case Opcode::kGetTupleElement: {
      const Instruction* array = find_array(analysis, instruction, nullptr);
      if (array == nullptr) return std::nullopt;
      return Element{.tensor = array, .index = element.index};
    }
    default:
      return std::nullopt;
  }
}

// Null if it is not known.
Expr value_in_constant(ExprContext& context, const Element& element) {
  const Instruction& constant = *element.tensor;
  if (constant.literal == nullptr) return {};
  std::int64_t position = 0;
  for (std::size_t i = 0; i < element.index.size(); ++i) {
    if (!element.index[i].is(ExprKind::kConstant)) return {};
    const std::int64_t index = element.index[i].value();
    const std::int64_t size = constant.shape.dimensions[i];
    if (index < 0 || index >= size) return {};
    position = position * size + index;
  }
  const std::optional<std::int64_t> value = constant.literal->integer(position);
  if (!value.has_value()) return {};
  // Of an unsigned type too wide for int64.
  if (*value < 0 && !hlo::is_signed(constant.shape.element_type)) return {};
  return context.constant(*value);
}

// Null if it is not known, or if the counting may wrap around.
Expr value_in_iota(const Element& element) {
  const Instruction& iota = *element.tensor;
  const auto dimension = static_cast<std::size_t>(iota.integer(AttributeName::kIotaDimension, 0));
  const std::optional<std::int64_t> largest = largest_value(iota.shape.element_type);
  if (!largest.has_value() || iota.shape.dimensions[dimension] - 1 > *largest) return {};
  return element.index[dimension];
}

}  // namespace

std::optional<Interval> values_of(ElementType type) {
  if (type == ElementType::kPred) return Interval{0, 1};
  if (!hlo::is_integral(type)) return std::nullopt;
  const std::int64_t bits = hlo::bit_width(type) - (hlo::is_signed(type) ? 1 : 0);
  const std::int64_t largest =
      bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  return Interval{hlo::is_signed(type) ? -largest - 1 : 0, largest};
}

TracedElement trace(Analysis& analysis, Element element) {
  const auto simplify_index = [&] {
    for (Expr& index : element.index) index = analysis.simplifier().simplify(index);
  };
  simplify_index();
  for (int step = 0; step < kMaxSteps; ++step) {
    std::optional<Element> next = trace_step(analysis, element);
    if (!next.has_value()) break;
    element = *std::move(next);
    simplify_index();
  }
  TracedElement traced{.element = std::move(element)};
  if (traced.element.tensor->opcode == Opcode::kConstant) {
    traced.value = value_in_constant(analysis.context(), traced.element);
  } else if (traced.element.tensor->opcode == Opcode::kIota) {
    traced.value = value_in_iota(traced.element);
  }
  return traced;
}

void set_domain(Analysis& analysis, const std::vector<Variable>& dimensions,
                const std::vector<Variable>& ranges, const std::vector<RuntimeVariable>& runtimes) {
  const auto bounds_of = [](const auto& variables) {
    std::vector<Interval> bounds;
    bounds.reserve(variables.size());
    for (const auto& variable : variables) bounds.push_back(variable.bounds);
    return bounds;
  };
  const std::vector<Interval> dimension_bounds = bounds_of(dimensions);
  const std::vector<Interval> range_bounds = bounds_of(ranges);
  const std::vector<Interval> runtime_bounds = bounds_of(runtimes);
  analysis.simplifier().set_bounds(
      {.dimensions = dimension_bounds, .ranges = range_bounds, .runtimes = runtime_bounds});
}

Expr clamped(Analysis& analysis, Expr value, Interval clamp) {
  if (value.is(ExprKind::kConstant)) {
    return analysis.context().constant(std::clamp(value.value(), clamp.lo, clamp.hi));
  }
  return clamp.contains(analysis.simplifier().range(value)) ? value : Expr();
}

std::optional<MapRef> resolve_in_caller(Analysis& analysis, const MapRef& ref,
                                        const CallSite& site) {
  const IndexMap& map = analysis.maps()[ref.map];
  if (map.runtimes().empty()) return ref;
  set_domain(analysis, map.dimensions(), map.ranges(), map.runtimes());
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  std::vector<std::pair<std::uint32_t, Expr>> values;
  for (std::uint32_t i = 0; i < runtimes.size(); ++i) {
    RuntimeVariable& runtime = runtimes[i];
    if (!runtime.tensor.has_value()) continue;
    const Instruction& tensor = *analysis.module().instructions[*runtime.tensor];
    // In a map across devices the device stands first. The value stays on it.
    const auto device_end = runtime.index.begin() + (ref.across_devices ? 1 : 0);
    const std::vector<Expr> device(runtime.index.begin(), device_end);
    TracedElement traced =
        trace(analysis, {.tensor = &tensor, .index = {device_end, runtime.index.end()}});
    if (!traced.value) {
      if (const Instruction* passed = passed_for(analysis, *traced.element.tensor, site)) {
        traced = trace(analysis, {.tensor = passed, .index = std::move(traced.element.index)});
      }
    }
    if (traced.value) {
      if (const Expr value = clamped(analysis, traced.value, runtime.bounds)) {
        values.emplace_back(i, value);
        continue;
      }
    }
    runtime.tensor = traced.element.tensor->id;
    runtime.index = device;
    runtime.index.insert(runtime.index.end(), traced.element.index.begin(),
                         traced.element.index.end());
  }
  IndexMap resolved(map.context(), map.dimensions(), map.ranges(), std::move(runtimes),
                    map.results(), map.constraints());
  for (const auto& [runtime, value] : values) resolved = replace_runtime(resolved, runtime, value);
  const std::optional<MapId> id = analysis.maps().add(resolved);
  if (!id.has_value()) return std::nullopt;
  MapRef result = ref;
  result.map = *id;
  return result;
}

std::optional<MapRef> apart_from_other_calls(Analysis& analysis, const MapRef& ref,
                                             const hlo::Computation& within) {
  MapRef result = ref;
  std::optional<IndexMap> changed;
  const IndexMap& map = analysis.maps()[ref.map];
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    const std::optional<std::uint32_t> tensor = map.runtimes()[i].tensor;
    if (!tensor.has_value()) continue;
    const hlo::Computation& holder = *analysis.module().instructions[*tensor]->parent;
    if (&holder == &within || !analysis.call_paths().are_several(within, holder)) continue;
    changed = range_for_runtime(changed.value_or(map), i);
    result.exact = false;
  }
  if (!changed.has_value()) return ref;
  const std::optional<MapId> id = analysis.maps().add(*changed);
  if (!id.has_value()) return std::nullopt;
  result.map = *id;
  return result;
}

std::optional<LeafPair> resolve_in_caller(Analysis& analysis, const LeafPair& pair,
                                          const CallSite& site) {
  LeafPair result = pair;
  result.operand += static_cast<std::int64_t>(site.first_operand);
  result.maps.clear();
  for (const MapRef& ref : pair.maps) {
    const std::optional<MapRef> in_caller = resolve_in_caller(analysis, ref, site);
    if (in_caller.has_value()) add_to_set(result.maps, *in_caller);
  }
  if (result.maps.empty() && result.unknown == nullptr) return std::nullopt;
  return result;
}

}  // namespace mercator::indexing
