#include "mercator/map/index_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>
#include <utility>

#include "mercator/expr/text.h"
#include "mercator/expr/traversal.h"

namespace mercator {

namespace {

// The words of the text of maps and expressions, sorted.
constexpr std::array<std::string_view, 7> kWords = {"ceildiv", "domain", "floordiv", "in",
                                                    "max",     "min",    "mod"};

[[maybe_unused]] bool uses_only(const IndexMap& map, std::span<const Expr> exprs) {
  const Traversal traversal(exprs);
  return std::ranges::all_of(traversal.nodes(), [&](Expr node) {
    if (&node.context() != &map.context()) return false;
    if (!node.is(ExprKind::kVariable)) return true;
    const VariableId id = node.variable();
    switch (id.kind) {
      case VariableKind::kDimension:
        return id.index < map.dimensions().size();
      case VariableKind::kRange:
        return id.index < map.ranges().size();
      case VariableKind::kRuntime:
        return id.index < map.runtimes().size();
    }
    return false;
  });
}

[[maybe_unused]] bool is_well_formed(const IndexMap& map) {
  std::vector<Expr> exprs = map.expressions();
  for (const RuntimeVariable& runtime : map.runtimes()) {
    exprs.insert(exprs.end(), runtime.index.begin(), runtime.index.end());
  }
  return uses_only(map, exprs);
}

}  // namespace

bool is_variable_name(std::string_view name) {
  const ExprLexer lexer(name);
  return lexer.token() == ExprLexer::Token::kName && lexer.text().size() == name.size() &&
         !std::ranges::binary_search(kWords, name);
}

// ---- construction ----

IndexMap::IndexMap(ExprContext& context, std::vector<Variable> dimensions,
                   std::vector<Variable> ranges, std::vector<RuntimeVariable> runtimes,
                   std::vector<Expr> results, std::vector<Constraint> constraints)
    : context_(&context),
      dimensions_(std::move(dimensions)),
      ranges_(std::move(ranges)),
      runtimes_(std::move(runtimes)),
      results_(std::move(results)),
      constraints_(std::move(constraints)) {
  settle_names();
  assert(is_well_formed(*this));
}

std::vector<Variable> IndexMap::dimensions_of(std::span<const std::int64_t> sizes) {
  std::vector<Variable> dimensions;
  dimensions.reserve(sizes.size());
  for (const std::int64_t size : sizes) dimensions.push_back({.bounds = Interval::indices(size)});
  return dimensions;
}

IndexMap IndexMap::identity(ExprContext& context, std::span<const std::int64_t> sizes) {
  std::vector<Expr> results;
  results.reserve(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    results.push_back(context.dimension(static_cast<std::uint32_t>(i)));
  }
  return IndexMap(context, dimensions_of(sizes), {}, {}, std::move(results));
}

IndexMap IndexMap::empty(ExprContext& context, std::size_t dimensions, std::size_t results) {
  std::vector<Constraint> constraints;
  if (dimensions == 0) constraints.push_back({context.constant(0), Interval::empty()});
  return IndexMap(context, std::vector<Variable>(dimensions, {.bounds = Interval::empty()}), {}, {},
                  std::vector<Expr>(results, context.constant(0)), std::move(constraints));
}

// Keeps as many names as can stand together. A name falls if it equals the default name of a
// variable that has no other; that variable then prints under its default name, so others may fall
// in turn.
void IndexMap::settle_names() {
  const auto is_unnamed = [](const auto& variable) { return variable.name.empty(); };
  if (std::ranges::all_of(dimensions_, is_unnamed) && std::ranges::all_of(ranges_, is_unnamed) &&
      std::ranges::all_of(runtimes_, is_unnamed)) {
    return;
  }

  struct Owner {
    VariableId id;
    VariableName* name;
  };
  std::unordered_map<std::string, Owner> owners;
  std::vector<VariableId> unnamed;
  const auto collect = [&](VariableKind kind, auto& variables) {
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      const VariableId id = {kind, i};
      VariableName& name = variables[i].name;
      if (name.text() == default_variable_name(id)) name = {};
      if (!name.empty() &&
          (!is_variable_name(name.text()) ||
           !owners.try_emplace(std::string(name.text()), Owner{id, &name}).second)) {
        name = {};
      }
      if (name.empty()) unnamed.push_back(id);
    }
  };
  collect(VariableKind::kDimension, dimensions_);
  collect(VariableKind::kRange, ranges_);
  collect(VariableKind::kRuntime, runtimes_);

  while (!unnamed.empty()) {
    const std::string taken = default_variable_name(unnamed.back());
    unnamed.pop_back();
    const auto owner = owners.find(taken);
    if (owner == owners.end()) continue;
    *owner->second.name = {};
    unnamed.push_back(owner->second.id);
    owners.erase(owner);
  }
}

void IndexMap::settle_names_after_drop() {
  // Only a name in the form of a default name can meet another variable's new default name.
  const auto may_conflict = [](const auto& variable) {
    const std::string_view name = variable.name.text();
    return !name.empty() && (name[0] == 'd' || name[0] == 's' || name[0] == 'r') &&
           name.back() >= '0' && name.back() <= '9';
  };
  if (std::ranges::any_of(dimensions_, may_conflict) ||
      std::ranges::any_of(ranges_, may_conflict) || std::ranges::any_of(runtimes_, may_conflict)) {
    settle_names();
  }
}

// ---- queries ----

std::vector<Expr> IndexMap::expressions() const {
  std::vector<Expr> exprs = results_;
  for (const Constraint& constraint : constraints_) exprs.push_back(constraint.expr);
  return exprs;
}

bool IndexMap::is_known_empty() const {
  const auto has_no_value = [](const auto& variable) { return variable.bounds.is_empty(); };
  return std::ranges::any_of(dimensions_, has_no_value) ||
         std::ranges::any_of(ranges_, has_no_value) ||
         std::ranges::any_of(runtimes_, has_no_value) ||
         std::ranges::any_of(constraints_, [](const Constraint& constraint) {
           return constraint.range.is_empty() ||
                  (constraint.expr.is(ExprKind::kConstant) &&
                   !constraint.range.contains(constraint.expr.value()));
         });
}

std::string IndexMap::name(VariableId id) const {
  const VariableName* name = nullptr;
  switch (id.kind) {
    case VariableKind::kDimension:
      name = &dimensions_[id.index].name;
      break;
    case VariableKind::kRange:
      name = &ranges_[id.index].name;
      break;
    case VariableKind::kRuntime:
      name = &runtimes_[id.index].name;
      break;
  }
  return name->empty() ? default_variable_name(id) : std::string(name->text());
}

// ---- equality and order ----

bool operator==(const IndexMap& a, const IndexMap& b) {
  const auto same_bounds = [](const Variable& x, const Variable& y) {
    return x.bounds == y.bounds;
  };
  const auto same_runtime = [](const RuntimeVariable& x, const RuntimeVariable& y) {
    return x.bounds == y.bounds && x.tensor == y.tensor && x.index == y.index;
  };
  return a.results_ == b.results_ &&
         std::ranges::equal(a.dimensions_, b.dimensions_, same_bounds) &&
         std::ranges::equal(a.ranges_, b.ranges_, same_bounds) &&
         std::ranges::equal(a.runtimes_, b.runtimes_, same_runtime) &&
         a.constraints_ == b.constraints_;
}

namespace {

std::strong_ordering compare_intervals(Interval a, Interval b) {
  const auto order = a.lo <=> b.lo;
  return order != 0 ? order : a.hi <=> b.hi;
}

// Shorter lists first, lists of one length element by element.
template <class T, class Compare>
std::strong_ordering compare_lists(const std::vector<T>& a, const std::vector<T>& b,
                                   Compare compare_elements) {
  if (const auto order = a.size() <=> b.size(); order != 0) return order;
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                compare_elements);
}

std::strong_ordering compare_variables(const Variable& a, const Variable& b) {
  return compare_intervals(a.bounds, b.bounds);
}

std::strong_ordering compare_runtimes(const RuntimeVariable& a, const RuntimeVariable& b) {
  if (const auto order = compare_intervals(a.bounds, b.bounds); order != 0) return order;
  if (const auto order = a.tensor <=> b.tensor; order != 0) return order;
  return compare_lists(a.index, b.index, compare);
}

std::strong_ordering compare_constraints(const Constraint& a, const Constraint& b) {
  const auto order = compare(a.expr, b.expr);
  return order != 0 ? order : compare_intervals(a.range, b.range);
}

}  // namespace

std::strong_ordering operator<=>(const IndexMap& a, const IndexMap& b) {
  if (auto order = compare_lists(a.results_, b.results_, compare); order != 0) return order;
  if (auto order = compare_lists(a.dimensions_, b.dimensions_, compare_variables); order != 0) {
    return order;
  }
  if (auto order = compare_lists(a.ranges_, b.ranges_, compare_variables); order != 0) return order;
  if (auto order = compare_lists(a.runtimes_, b.runtimes_, compare_runtimes); order != 0) {
    return order;
  }
  return compare_lists(a.constraints_, b.constraints_, compare_constraints);
}

}  // namespace mercator
