#include "mercator/map/independent_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mercator {

namespace {

// Groups parts and constraints by the variables that connect them.
class Grouping {
 public:
  explicit Grouping(const IndexMap& map) : map_(map) {
    const auto add = [this](VariableKind kind, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) variables_.push_back({kind, i});
    };
    add(VariableKind::kDimension, map.dimensions().size());
    add(VariableKind::kRange, map.ranges().size());
    add(VariableKind::kRuntime, map.runtimes().size());
    leader_.resize(variables_.size());
    std::iota(leader_.begin(), leader_.end(), 0);
  }

  std::vector<IndependentGroup> group(std::span<const Expr> parts) {
    for (const Expr part : parts) {
      if (!part.is(ExprKind::kConstant)) connect(part);
    }
    for (const Constraint& constraint : map_.constraints()) connect(constraint.expr);
    std::vector<IndependentGroup> groups(variables_.size());
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      groups[leader(i)].variables.push_back(variables_[i]);
    }
    for (const Expr part : parts) {
      if (!part.is(ExprKind::kConstant)) groups[group_of(part)].parts.push_back(part);
    }
    for (const Constraint& constraint : map_.constraints()) {
      groups[group_of(constraint.expr)].constraints.push_back(constraint);
    }
    // The others say nothing: their variables have values, and no result depends on them.
    std::erase_if(groups, [](const IndependentGroup& group) {
      return group.parts.empty() && group.constraints.empty();
    });
    return groups;
  }

 private:
  std::size_t leader(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }

  std::size_t number(VariableId id) const {
    switch (id.kind) {
      case VariableKind::kDimension:
        return id.index;
      case VariableKind::kRange:
        return map_.dimensions().size() + id.index;
      case VariableKind::kRuntime:
        return map_.dimensions().size() + map_.ranges().size() + id.index;
    }
    __builtin_unreachable();
  }

  // The variables of an expression, by number; there is at least one.
  std::vector<std::size_t> numbers(Expr expr) const {
    std::vector<std::size_t> numbers;
    const UsedVariables used = used_variables(std::span(&expr, 1));
    for (const VariableId id : variables_) {
      if (used.contains(id)) numbers.push_back(number(id));
    }
    return numbers;
  }

  void connect(Expr expr) {
    const std::vector<std::size_t> connected = numbers(expr);
    for (const std::size_t i : connected) leader_[leader(i)] = leader(connected[0]);
  }

  std::size_t group_of(Expr expr) { return leader(numbers(expr)[0]); }

  const IndexMap& map_;
  std::vector<VariableId> variables_;
  std::vector<std::size_t> leader_;
};

}  // namespace

Interval bounds_of(const IndexMap& map, VariableId id) {
  switch (id.kind) {
    case VariableKind::kDimension:
      return map.dimensions()[id.index].bounds;
    case VariableKind::kRange:
      return map.ranges()[id.index].bounds;
    case VariableKind::kRuntime:
      return map.runtimes()[id.index].bounds;
  }
  __builtin_unreachable();
}

std::vector<IndependentGroup> independent_groups(const IndexMap& map, std::span<const Expr> parts) {
  return Grouping(map).group(parts);
}

IndexMap map_of(const IndexMap& map, const IndependentGroup& group) {
  ExprContext& context = map.context();
  std::vector<Variable> variables;
  for (const VariableId id : group.variables) {
    variables.push_back({.bounds = bounds_of(map, id), .name = map.name(id)});
  }
  const auto renumber = [&](VariableId id) {
    const auto place = std::ranges::find(group.variables, id);
    return context.dimension(static_cast<std::uint32_t>(place - group.variables.begin()));
  };
  std::vector<Expr> parts = group.parts;
  substitute(parts, renumber);
  std::vector<Constraint> constraints = group.constraints;
  for (Constraint& constraint : constraints) {
    constraint.expr = substitute(constraint.expr, renumber);
  }
  return IndexMap(context, std::move(variables), {}, {}, std::move(parts), std::move(constraints));
}

}  // namespace mercator
