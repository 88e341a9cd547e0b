#include "mercator/analysis/step_sectors.h"

#include <algorithm>
#include <limits>

#include "mercator/analysis/shift.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::analysis {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void add_scaled(StepCount::Bounds& total, const StepCount::Bounds& one, std::int64_t times) {
  total.lo = saturating_add(total.lo, saturating_mul(one.lo, times));
  total.hi = saturating_add(total.hi, saturating_mul(one.hi, times));
}

// Whether the position moves by the same for each step of the variable.
std::optional<std::int64_t> coefficient_of(const IndexMap& map, VariableId runtime) {
  const std::optional<Shift> shift = shift_of(map.results()[0], runtime);
  if (!shift || shift->period != 1) return std::nullopt;
  return shift->delta;
}

// The results, the constraints, and the elements that hold runtime variables.
std::vector<Expr> all_exprs(const IndexMap& map, std::span<const Constraint> constraints) {
  std::vector<Expr> exprs = {map.results()[0]};
  for (const Constraint& constraint : constraints) exprs.push_back(constraint.expr);
  for (const RuntimeVariable& runtime : map.runtimes()) {
    exprs.insert(exprs.end(), runtime.index.begin(), runtime.index.end());
  }
  return exprs;
}

}  // namespace

void StepTotals::add(const StepCount& step, std::int64_t occurrences) {
  if (step.active_lanes == 0) return;
  steps_ = saturating_add(steps_, occurrences);
  add_scaled(sectors_, step.sectors, occurrences);
  add_scaled(elements_, step.elements, occurrences);
  add_scaled(ideal_sectors_, step.ideal_sectors, occurrences);
  most_lanes_ = std::max(most_lanes_, step.active_lanes);
  // A full warp says more than a part of one.
  if (step.active_lanes <= stride_lanes_ || step.active_lanes == 1) return;
  stride_lanes_ = step.active_lanes;
  stride_ = step.stride;
}

WarpSectors StepTotals::result(const std::string& reason) const {
  const auto count = [&](const StepCount::Bounds& bounds, std::int64_t unit = 1) {
    return Count::between(saturating_mul(bounds.lo, unit), saturating_mul(bounds.hi, unit), reason);
  };
  return {.steps = Count::exactly(steps_),
          .sectors = count(sectors_),
          .ideal_sectors = count(ideal_sectors_),
          .useful_bits = count(elements_, element_bits_),
          .stride = stride_,
          .has_neighbours = most_lanes_ > 1};
}

StepSectors::StepSectors(std::int64_t element_bits, const MemoryGeometry& geometry)
    : element_bits_(element_bits), sector_bits_(geometry.sector_bytes * 8) {}

std::int64_t StepSectors::elements_per_alignment() const {
  return sector_bits_ / gcd(sector_bits_, element_bits_);
}

std::int64_t StepSectors::most_sectors_per_element() const {
  // It starts at the end of a sector.
  const std::int64_t grain = gcd(sector_bits_, element_bits_);
  return (sector_bits_ - grain + element_bits_ - 1) / sector_bits_ + 1;
}

std::int64_t StepSectors::ideal_sectors(std::int64_t elements) const {
  return ceil_div(elements * element_bits_, sector_bits_);
}

std::string StepSectors::why_not(const IndexMap& map) const {
  const std::vector<Expr> exprs = all_exprs(map, map.constraints());
  if (std::ranges::any_of(exprs, &Expr::has_variable_divisor)) {
    return "a divisor is not a constant";
  }
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    const VariableId id{VariableKind::kRuntime, i};
    if (!coefficient_of(map, id)) return "the order of elements is known at run time only";
    // The index of one may depend on the value of another.
    if (std::ranges::any_of(map.runtimes(), [&](const RuntimeVariable& other) {
          return used_variables(other.index).contains(id);
        })) {
      return "which runtime values are the same is known at run time only";
    }
  }
  return "";
}

std::string StepSectors::runtime_reason(const IndexMap& map) const {
  return map.runtimes().empty() ? "" : "depends on values that are known at run time only";
}

StepProgram StepSectors::program(const IndexMap& map,
                                 std::span<const Constraint> constraints) const {
  return StepProgram(*this, map, constraints);
}

StepProgram::StepProgram(const StepSectors& geometry, const IndexMap& map,
                         std::span<const Constraint> constraints)
    : geometry_(geometry), program_(all_exprs(map, constraints), map.dimensions()[0].bounds) {
  for (const Constraint& constraint : constraints) constraint_ranges_.push_back(constraint.range);
  alignment_step_bits_ = geometry.sector_bits_;
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    runtimes_.push_back(map.runtimes()[i].bounds.lo);
    index_count_ += map.runtimes()[i].index.size();
    if (map.runtimes()[i].bounds.is_point()) continue;
    const std::int64_t moved =
        floor_mod(*coefficient_of(map, {VariableKind::kRuntime, i}), geometry.sector_bits_);
    alignment_step_bits_ = gcd(alignment_step_bits_, moved * geometry.element_bits_);
  }
}

StepCount StepProgram::run(std::span<const std::int64_t> dimensions,
                           std::span<const std::int64_t> ranges) {
  program_.run({.dimensions = dimensions, .ranges = ranges, .runtimes = runtimes_});
  const std::span<const std::int64_t> all = program_[0];
  const std::size_t constraints = constraint_ranges_.size();
  keyed_.clear();
  positions_.clear();
  for (std::size_t lane = 0; lane < all.size(); ++lane) {
    bool is_active = true;
    for (std::size_t i = 0; i < constraints && is_active; ++i) {
      is_active = constraint_ranges_[i].contains(program_[1 + i][lane]);
    }
    if (!is_active) continue;
    positions_.push_back(all[lane]);
    if (index_count_ == 0) continue;
    std::vector<std::int64_t> key;
    for (std::size_t i = 0; i < index_count_; ++i) {
      key.push_back(program_[1 + constraints + i][lane]);
    }
    keyed_.emplace_back(std::move(key), all[lane]);
  }

  StepCount step = {.active_lanes = static_cast<std::int64_t>(positions_.size())};
  if (positions_.empty()) return step;
  const bool is_one_group = index_count_ == 0 || std::ranges::all_of(keyed_, [&](const auto& lane) {
                              return lane.first == keyed_.front().first;
                            });
  if (is_one_group) {
    if (positions_.size() > 1) {
      step.stride = positions_[1] - positions_[0];
      for (std::size_t i = 1; i < positions_.size(); ++i) {
        if (positions_[i] - positions_[i - 1] != *step.stride) step.stride.reset();
        if (!step.stride) break;
      }
    }
    count_group(positions_, step);
    return step;
  }
  std::ranges::sort(keyed_);
  for (auto first = keyed_.begin(); first != keyed_.end();) {
    const auto last = std::find_if(first, keyed_.end(),
                                   [&](const auto& lane) { return lane.first != first->first; });
    positions_.clear();
    for (auto lane = first; lane != last; ++lane) positions_.push_back(lane->second);
    count_group(positions_, step);
    first = last;
  }
  return step;
}

void StepProgram::count_group(std::span<std::int64_t> positions, StepCount& step) {
  if (!std::ranges::is_sorted(positions)) std::ranges::sort(positions);
  const auto [end, tail] = std::ranges::unique(positions);
  const std::span<std::int64_t> distinct =
      positions.first(static_cast<std::size_t>(std::distance(positions.begin(), end)));
  StepCount::Bounds sectors_here = {.lo = kMost, .hi = 0};
  for (std::int64_t offset = 0; offset < geometry_.sector_bits_; offset += alignment_step_bits_) {
    const std::int64_t count = sectors(distinct, offset);
    sectors_here.lo = std::min(sectors_here.lo, count);
    sectors_here.hi = std::max(sectors_here.hi, count);
  }
  // Another group may access the same elements, or none of them.
  const auto join = [](StepCount::Bounds& all, const StepCount::Bounds& group) {
    all.lo = std::max(all.lo, group.lo);
    all.hi += group.hi;
  };
  const auto elements = static_cast<std::int64_t>(distinct.size());
  join(step.sectors, sectors_here);
  join(step.elements, {.lo = elements, .hi = elements});
  step.ideal_sectors = {.lo = geometry_.ideal_sectors(step.elements.lo),
                        .hi = geometry_.ideal_sectors(step.elements.hi)};
}

std::int64_t StepProgram::sectors(std::span<const std::int64_t> sorted, std::int64_t offset_bits) {
  std::int64_t count = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t position : sorted) {
    const std::int64_t start = position * geometry_.element_bits_ + offset_bits;
    const std::int64_t first = std::max(floor_div(start, geometry_.sector_bits_), last + 1);
    const std::int64_t end = floor_div(start + geometry_.element_bits_ - 1, geometry_.sector_bits_);
    if (end < first) continue;
    count += end - first + 1;
    last = end;
  }
  return count;
}

}  // namespace mercator::analysis
