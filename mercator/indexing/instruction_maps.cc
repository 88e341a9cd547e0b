#include "mercator/indexing/instruction_maps.h"

#include <algorithm>

#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {

// ---- MapBuilder ----

MapBuilder::MapBuilder(Analysis& analysis, std::span<const std::int64_t> sizes)
    : analysis_(&analysis), dimensions_(IndexMap::dimensions_of(sizes)) {}

Expr MapBuilder::dim(std::size_t i) const {
  return context().dimension(static_cast<std::uint32_t>(i));
}

std::vector<Expr> MapBuilder::dims() const {
  std::vector<Expr> result;
  result.reserve(dimensions_.size());
  for (std::size_t i = 0; i < dimensions_.size(); ++i) result.push_back(dim(i));
  return result;
}

Expr MapBuilder::range(std::int64_t size) {
  ranges_.push_back({.bounds = Interval::indices(size)});
  return context().range(static_cast<std::uint32_t>(ranges_.size() - 1));
}

Expr MapBuilder::runtime(const hlo::Instruction& holder, std::vector<Expr> index, Interval clamp) {
  if (clamp.is_point()) return constant(clamp.lo);
  set_domain(*analysis_, dimensions_, ranges_, runtimes_);
  TracedElement traced = trace(*analysis_, {.tensor = &holder, .index = std::move(index)});
  if (traced.value) {
    if (const Expr value = clamped(*analysis_, traced.value, clamp)) return value;
  }
  runtimes_.push_back({.bounds = clamp,
                       .tensor = traced.element.tensor->id,
                       .index = std::move(traced.element.index)});
  return context().runtime(static_cast<std::uint32_t>(runtimes_.size() - 1));
}

Expr MapBuilder::runtime(const hlo::Instruction& holder, std::vector<Expr> index) {
  return runtime(holder, std::move(index),
                 values_of(holder.shape.element_type).value_or(Interval::all()));
}

Expr MapBuilder::index_in(Expr expr, std::int64_t size) {
  require(expr, Interval::indices(size));
  return size == 1 ? constant(0) : expr;
}

Expr MapBuilder::exact_quotient(Expr expr, std::int64_t divisor, std::int64_t size) {
  if (size == 1) return index_in(expr, size);
  require(expr, Interval::indices(size) * Interval::point(divisor));
  if (divisor != 1) require(mod(expr, divisor), Interval::point(0));
  return floor_div(expr, divisor);
}

IndexMap MapBuilder::to(std::vector<Expr> results) const {
  return IndexMap(context(), dimensions_, ranges_, runtimes_, std::move(results), constraints_);
}

// ---- InstructionMaps ----

void InstructionMaps::add(std::int64_t operand, const IndexMap& map, bool exact) {
  add({}, operand, {}, map, exact);
}

void InstructionMaps::add(const ShapeIndex& output, std::int64_t operand,
                          const ShapeIndex& operand_leaf, const IndexMap& map, bool exact) {
  const std::optional<MapId> id = analysis_.maps().add(map);
  if (!id.has_value()) return;
  add(LeafPair{.output = output,
               .operand = operand,
               .operand_leaf = operand_leaf,
               .maps = {{.map = *id, .exact = exact}}});
}

MapBuilder InstructionMaps::from_device(const hlo::Shape& array) {
  std::vector<std::int64_t> sizes = {analysis_.devices().count()};
  sizes.insert(sizes.end(), array.dimensions.begin(), array.dimensions.end());
  return MapBuilder(analysis_, sizes);
}

void InstructionMaps::add_across_devices(const ShapeIndex& output, std::int64_t operand,
                                         const ShapeIndex& operand_leaf, const IndexMap& map,
                                         bool exact) {
  const std::optional<MapId> id = analysis_.maps().add(map);
  if (!id.has_value()) return;
  add(LeafPair{.output = output,
               .operand = operand,
               .operand_leaf = operand_leaf,
               .maps = {{.map = *id, .exact = exact, .across_devices = true}}});
}

void InstructionMaps::add_identity(const ShapeIndex& output, std::int64_t operand,
                                   const ShapeIndex& operand_leaf, const hlo::Shape& array) {
  add(output, operand, operand_leaf, IndexMap::identity(analysis_.context(), array.dimensions));
}

void InstructionMaps::unknown(std::int64_t operand, std::string reason) {
  add(LeafPair{.operand = operand, .unknown = analysis_.reason(std::move(reason))});
}

void InstructionMaps::unknown(std::string reason) {
  unknown_ = analysis_.reason(std::move(reason));
}

PairList InstructionMaps::take() {
  if (unknown_ != nullptr) return PairList::not_known(unknown_);
  return PairList(std::move(pairs_));
}

// ---- shapes ----

bool has_elements(const hlo::Shape& array) {
  return std::ranges::find(array.dimensions, 0) == array.dimensions.end();
}

bool is_dynamic(const hlo::Shape& array, std::size_t dimension) {
  return !array.dynamic.empty() && array.dynamic[dimension];
}

std::vector<std::int64_t> other_dimensions(std::size_t rank, std::span<const std::int64_t> a,
                                           std::span<const std::int64_t> b) {
  std::vector<bool> taken(rank, false);
  for (const std::int64_t dimension : a) taken[static_cast<std::size_t>(dimension)] = true;
  for (const std::int64_t dimension : b) taken[static_cast<std::size_t>(dimension)] = true;
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!taken[i]) result.push_back(static_cast<std::int64_t>(i));
  }
  return result;
}

}  // namespace mercator::indexing
