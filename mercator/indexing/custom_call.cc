#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mercator/indexing/custom_calls.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

std::string_view target_of(const InstructionMaps& maps) {
  return maps.instruction().get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget).text;
}

// f32[8] custom-call(f32[8] p0), custom_call_target="Sharding"
//   (d0) -> (d0)
void identity_call(InstructionMaps& maps) {
  if (maps.instruction().operands.empty() ||
      !hlo::same_type_and_dimensions(maps.operand(0), maps.output())) {
    return maps.unknown(
        fmt::format("the result of '{}' has another shape than the operand, which part a device "
                    "has is not known",
                    target_of(maps)));
  }
  pass_through(maps);
}

// (f32[4,3], s32[4,3]) custom-call(f32[4,10] p0), custom_call_target="TopK"
//   o2i: (d0, d1)[s0] -> (d0, s0)
//   i2o: (d0, d1)[s0] -> (d0, s0)
void top_k_call(InstructionMaps& maps) {
  const auto fits = [&](const hlo::Shape& result) {
    const hlo::Shape& operand = maps.operand(0);
    return result.is_array() && operand.is_array() && operand.rank() > 0 &&
           result.rank() == operand.rank() &&
           std::ranges::equal(result.dimensions.first(result.dimensions.size() - 1),
                              operand.dimensions.first(operand.dimensions.size() - 1));
  };
  if (maps.instruction().operands.size() != 1 || !maps.output().is_tuple() ||
      !std::ranges::all_of(maps.output().elements, fits)) {
    return maps.unknown("the shapes are not those of a TopK");
  }
  for (std::size_t i = 0; i < maps.output().elements.size(); ++i) {
    const hlo::Shape& result = maps.output().elements[i];
    const bool o2i = maps.is_output_to_input();
    MapBuilder map = maps.from(o2i ? result : maps.operand(0));
    std::vector<Expr> index = map.dims();
    index.back() = map.range((o2i ? maps.operand(0) : result).dimensions.back());
    maps.add({static_cast<std::int64_t>(i)}, 0, {}, map.to(std::move(index)));
  }
}

// The array at a leaf; null if there is none.
const hlo::Shape* array_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
  const hlo::Shape* at = &shape;
  for (const std::int64_t i : leaf) {
    if (!at->is_tuple() || i < 0 || i >= std::ssize(at->elements)) return nullptr;
    at = &at->elements[static_cast<std::size_t>(i)];
  }
  return at->is_array() ? at : nullptr;
}

// The map from an array of sizes `from` to one of sizes `to`: what it says, within both.
IndexMap within(const IndexMap& map, std::span<const std::int64_t> from,
                std::span<const std::int64_t> to) {
  std::vector<Variable> dimensions = map.dimensions();
  for (std::size_t i = 0; i < from.size(); ++i) {
    dimensions[i] = {.bounds = intersect(dimensions[i].bounds, Interval::indices(from[i]))};
  }
  std::vector<Variable> ranges = map.ranges();
  for (Variable& range : ranges) range.name = {};
  std::vector<Constraint> constraints = map.constraints();
  for (std::size_t i = 0; i < to.size(); ++i) {
    constraints.push_back({map.results()[i], Interval::indices(to[i])});
  }
  return IndexMap(map.context(), std::move(dimensions), std::move(ranges), {}, map.results(),
                  std::move(constraints));
}

// The inverse relation: the variables of the map become range variables, of which those that are
// results give way to the dimensions.
//   (d0, d1)[s0] -> (d0, s0 + d1)  becomes  (d0, d1)[s0, s1] -> (d0, s0), s1 + s0 - d1 in [0, 0]
IndexMap inverse(const IndexMap& map, std::span<const std::int64_t> sizes) {
  ExprContext& context = map.context();
  std::vector<Variable> ranges = map.dimensions();
  ranges.insert(ranges.end(), map.ranges().begin(), map.ranges().end());
  std::vector<Expr> values;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) values.push_back(context.range(i));
  const auto place_of = [&](VariableId id) {
    return id.kind == VariableKind::kDimension ? id.index : map.dimensions().size() + id.index;
  };
  std::vector<Constraint> constraints;
  std::vector<bool> is_replaced(ranges.size(), false);
  for (std::uint32_t k = 0; k < map.results().size(); ++k) {
    const Expr result = map.results()[k];
    if (!result.is(ExprKind::kVariable)) continue;
    const std::size_t place = place_of(result.variable());
    if (is_replaced[place]) continue;
    is_replaced[place] = true;
    values[place] = context.dimension(k);
    constraints.push_back({values[place], ranges[place].bounds});
  }
  const auto replacement = [&](VariableId id) { return values[place_of(id)]; };
  for (std::uint32_t k = 0; k < map.results().size(); ++k) {
    constraints.push_back(
        {substitute(map.results()[k], replacement) - context.dimension(k), Interval::point(0)});
  }
  for (const Constraint& constraint : map.constraints()) {
    constraints.push_back({substitute(constraint.expr, replacement), constraint.range});
  }
  std::vector<Expr> results(values.begin(),
                            values.begin() + static_cast<std::ptrdiff_t>(map.dimensions().size()));
  return IndexMap(context, IndexMap::dimensions_of(sizes), std::move(ranges), {},
                  std::move(results), std::move(constraints));
}

// Says why the map does not fit; adds it otherwise.
void add_given(InstructionMaps& maps, const CustomCallMap& given) {
  const auto unfit = [&](std::string_view why) {
    maps.unknown(fmt::format("the map given for '{}' does not fit: {}", target_of(maps), why));
  };
  if (given.operand < 0 || given.operand >= std::ssize(maps.instruction().operands)) {
    return unfit(fmt::format("there is no operand {}", given.operand));
  }
  const hlo::Shape* output = array_at(maps.output(), given.output);
  const hlo::Shape* operand =
      array_at(maps.operand(static_cast<std::size_t>(given.operand)), given.operand_leaf);
  if (output == nullptr || operand == nullptr) return unfit("there is no such array");
  if (std::ssize(given.map.dimensions()) != output->rank() ||
      std::ssize(given.map.results()) != operand->rank()) {
    return unfit(fmt::format("it is from {} to {} dimensions, the arrays have {} and {}",
                             given.map.dimensions().size(), given.map.results().size(),
                             output->rank(), operand->rank()));
  }
  // Simplified, so that bounds of range variables that follow from those of the results are there.
  const IndexMap map = simplify(within(given.map, output->dimensions, operand->dimensions));
  if (map.is_known_empty()) return;
  for (const Variable& range : map.ranges()) {
    if (!range.bounds.is_bounded()) return unfit("a range variable has no bounds");
  }
  maps.add(given.output, given.operand, given.operand_leaf,
           maps.is_output_to_input() ? map : inverse(map, operand->dimensions), given.exact);
}

// Those whose meaning is public, and that an instruction says all of.
MapFunction known_call(std::string_view target) {
  struct Known {
    std::string_view target;
    MapFunction function;
  };
  static constexpr auto kKnown = std::to_array<Known>({
      {"MoveToDevice", identity_call},
      {"MoveToHost", identity_call},
      {"SPMDFullToShardShape", identity_call},
      {"SPMDShardToFullShape", identity_call},
      {"Sharding", identity_call},
      {"TopK", top_k_call},
      {"__cublas$gemm", gemm_call},
      {"__cublas$lt$groupedMatmul", grouped_gemm_call},
      {"__cublas$lt$matmul", gemm_call},
      {"__cublas$lt$matmul$f8", gemm_call},
      {"__cublas$lt$matmul$mx", scaled_gemm_call},
      {"__cudnn$convBackwardFilter", convolution_kernel_call},
      {"__cudnn$convBackwardInput", convolution_input_call},
      {"__cudnn$convBiasActivationForward", biased_convolution_call},
      {"__cudnn$convForward", convolution_call},
      {"__onednn$matmul", onednn_matmul_call},
      {"annotate_device_placement", identity_call},
  });
  const auto known = std::ranges::find(kKnown, target, &Known::target);
  return known == kKnown.end() ? nullptr : known->function;
}

}  // namespace

// custom-call(p0, p1), custom_call_target="…": what is given for its name, or else is known of it
void custom_call(InstructionMaps& maps) {
  const std::string_view target = target_of(maps);
  const CustomCallMeaning* given = maps.analysis().custom_call(target);
  if (given == nullptr) {
    if (const MapFunction known = known_call(target)) return known(maps);
    return maps.unknown(fmt::format("what the custom call '{}' reads is not known", target));
  }
  switch (given->kind) {
    case CustomCallMeaning::Kind::kIdentity:
      return identity_call(maps);
    case CustomCallMeaning::Kind::kElementwise:
      return elementwise(maps);
    case CustomCallMeaning::Kind::kMaps:
      for (const CustomCallMap& map : given->maps) add_given(maps, map);
  }
}

}  // namespace mercator::indexing
