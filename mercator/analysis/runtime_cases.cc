// Where a runtime variable only moves results, any value will do. Where it moves the ends of
// intervals, the counts are linear in it from one crossing of two ends to the next, and in several
// variables linear in each, as long as these move ends in different places: the extremes lie at
// crossings. Otherwise a variable with few values has as many cases.

#include "mercator/analysis/runtime_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "mercator/map/expr_values.h"
#include "mercator/map/independent_groups.h"

namespace mercator {

namespace {

using Wide = __int128;

Wide floor_quotient(Wide a, Wide b) {
  const Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

bool contains(Expr expr, VariableId id) {
  return (variable_bits(expr) & variable_bit(id)) != 0 &&
         used_variables(std::span(&expr, 1)).contains(id);
}

bool uses_elements(Expr expr) {
  const UsedVariables used = used_variables(std::span(&expr, 1));
  return std::ranges::find(used.dimensions, true) != used.dimensions.end() ||
         std::ranges::find(used.ranges, true) != used.ranges.end();
}

// slope * value + start, of the value of a runtime variable.
struct End {
  Wide slope = 0;
  Wide start = 0;

  End operator+(const End& other) const { return {slope + other.slope, start + other.start}; }
  End operator-() const { return {-slope, -start}; }
};

// variable * own + end, for the one other variable there may be.
struct LinearForm {
  std::int64_t own = 0;
  End end;
};

std::optional<LinearForm> linear_form(Expr expr, std::optional<VariableId> variable,
                                      VariableId runtime) {
  LinearForm form;
  const auto add = [&](Expr term, std::int64_t coefficient) {
    if (term.is(ExprKind::kConstant)) {
      form.end.start += Wide{term.value()} * coefficient;
    } else if (!term.is(ExprKind::kVariable)) {
      return false;
    } else if (term.variable() == runtime) {
      form.end.slope += coefficient;
    } else if (term.variable() == variable && (coefficient == 1 || coefficient == -1)) {
      form.own = coefficient;
    } else {
      return false;
    }
    return true;
  };
  if (!expr.is(ExprKind::kSum)) return add(expr, 1) ? std::optional(form) : std::nullopt;
  form.end.start = expr.constant();
  for (std::size_t i = 0; i < expr.operands().size(); ++i) {
    if (!add(expr.operands()[i], expr.coefficients()[i])) return std::nullopt;
  }
  return form;
}

// Which ends cross at which values of one runtime variable.
class Crossings {
 public:
  explicit Crossings(Interval bounds) : bounds_(bounds) {
    values_.insert(bounds.lo);
    values_.insert(bounds.hi);
  }

  void cross(const std::vector<End>& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) cross(ends[i], ends[j]);
    }
  }
  void cross(const End& a, const End& b) {
    if (a.slope == b.slope) return;
    const Wide last_before = floor_quotient(b.start - a.start, a.slope - b.slope);
    for (const Wide value : {last_before, last_before + 1}) {
      if (bounds_.lo <= value && value <= bounds_.hi) {
        values_.insert(static_cast<std::int64_t>(value));
      }
    }
  }
  [[nodiscard]] std::vector<std::int64_t> values() const {
    return {values_.begin(), values_.end()};
  }

 private:
  Interval bounds_;
  std::set<std::int64_t> values_;
};

// A runtime variable of several maps.
struct Value {
  Interval bounds;
  std::vector<std::optional<std::uint32_t>> place;  // its number in each map, where it is there
};

class CaseFinder {
 public:
  CaseFinder(std::span<const IndexMap> maps, Counting counting)
      : maps_(maps), counting_(counting), value_of_(maps.size()) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      groups_.push_back(independent_groups(maps[i], maps[i].results()));
      for (std::uint32_t k = 0; k < maps[i].runtimes().size(); ++k) add_runtime(i, k);
    }
  }

  std::optional<std::vector<std::vector<IndexMap>>> find() const {
    constexpr std::size_t kMaxCases = 128;
    std::vector<std::vector<std::int64_t>> values;
    std::size_t cases = 1;
    for (const Value& value : values_) {
      auto found = values_of(value);
      if (!found || found->empty()) return std::nullopt;
      cases *= found->size();
      if (cases > kMaxCases) return std::nullopt;
      values.push_back(*std::move(found));
    }
    std::vector<std::vector<IndexMap>> result;
    for (std::size_t n = 0; n < cases; ++n) {
      std::vector<std::int64_t> chosen;
      std::size_t rest = n;
      for (const std::vector<std::int64_t>& of_one : values) {
        chosen.push_back(of_one[rest % of_one.size()]);
        rest /= of_one.size();
      }
      result.push_back(with_values(chosen));
    }
    return result;
  }

 private:
  void add_runtime(std::size_t map, std::uint32_t runtime) {
    const RuntimeVariable& variable = maps_[map].runtimes()[runtime];
    const auto is_same = [&](const Value& value) {
      for (std::size_t i = 0; i < map; ++i) {
        if (!value.place[i]) continue;
        const RuntimeVariable& other = maps_[i].runtimes()[*value.place[i]];
        return variable.tensor && other.tensor == variable.tensor &&
               other.bounds == variable.bounds && other.index == variable.index &&
               std::ranges::all_of(variable.index,
                                   [](Expr expr) { return expr.is(ExprKind::kConstant); });
      }
      return false;
    };
    auto value = std::ranges::find_if(values_, is_same);
    if (value == values_.end() || value->place[map]) {
      values_.push_back({.bounds = variable.bounds,
                         .place = std::vector<std::optional<std::uint32_t>>(maps_.size())});
      value = values_.end() - 1;
    }
    value->place[map] = runtime;
    value_of_[map].push_back(static_cast<std::size_t>(value - values_.begin()));
  }

  [[nodiscard]] std::vector<IndexMap> with_values(const std::vector<std::int64_t>& chosen) const {
    std::vector<IndexMap> result;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      std::vector<std::int64_t> of_map;
      for (const std::size_t value : value_of_[i]) of_map.push_back(chosen[value]);
      result.push_back(of_map.empty() ? maps_[i] : with_runtimes(maps_[i], of_map));
    }
    return result;
  }

  [[nodiscard]] std::optional<std::vector<std::int64_t>> values_of(const Value& value) const {
    constexpr std::int64_t kFew = 64;
    if (is_offset_everywhere(value)) return std::vector{any_value(value.bounds)};
    if (value.bounds.is_bounded() && !value.bounds.is_empty()) {
      if (auto crossings = crossings_of(value)) return crossings;
    }
    if (value.bounds.size() > kFew) return std::nullopt;
    std::vector<std::int64_t> all;
    for (std::int64_t i = value.bounds.lo; i <= value.bounds.hi; ++i) all.push_back(i);
    return all;
  }

  [[nodiscard]] bool is_offset_everywhere(const Value& value) const {
    if (counting_ == Counting::kTogether && maps_.size() > 1) return false;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (value.place[i] && !mercator::is_offset(maps_[i], *value.place[i])) return false;
    }
    return true;
  }

  // None unless the variable moves nothing but ends of intervals, in one place.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> crossings_of(const Value& value) const {
    Crossings crossings(value.bounds);
    std::optional<std::size_t> together;  // the result that it moves in all of the maps
    std::vector<End> ends;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (!value.place[i]) continue;
      const VariableId runtime{VariableKind::kRuntime, *value.place[i]};
      bool is_first = true;
      for (const IndependentGroup& group : groups_[i]) {
        if (std::ranges::find(group.variables, runtime) == group.variables.end()) continue;
        std::vector<End> of_group;
        if (!add_ends(group, maps_[i], runtime, crossings, of_group)) return std::nullopt;
        const std::optional<std::size_t> place = place_of(group, i);
        if (group.parts.empty()) {
          crossings.cross(of_group);
          // Whether the map has points at all is no linear factor, how many pairs it has is.
          if (counting_ == Counting::kTogether) continue;
        } else if (!place) {
          return std::nullopt;
        }
        if (counting_ == Counting::kApart) {
          if (!std::exchange(is_first, false)) return std::nullopt;
          crossings.cross(of_group);
          continue;
        }
        if (together && together != place) return std::nullopt;
        together = place;
        ends.insert(ends.end(), of_group.begin(), of_group.end());
      }
    }
    if (together) {
      for (std::size_t i = 0; i < maps_.size(); ++i) {
        if (!add_still_ends(i, *together, value.place[i], ends)) return std::nullopt;
      }
    }
    crossings.cross(ends);
    return crossings.values();
  }

  // The one result that is a part of the group.
  [[nodiscard]] std::optional<std::size_t> place_of(const IndependentGroup& group,
                                                    std::size_t map) const {
    std::optional<std::size_t> place;
    const std::vector<Expr>& results = maps_[map].results();
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (std::ranges::find(group.parts, results[i]) == group.parts.end()) continue;
      if (place) return std::nullopt;
      place = i;
    }
    return place;
  }

  // The ends, the upper ones exclusive, of the interval that the result of a group takes, or if
  // there is none, that its variable takes. False if that is not what it takes.
  static bool add_ends(const IndependentGroup& group, const IndexMap& map, VariableId runtime,
                       Crossings& crossings, std::vector<End>& ends) {
    std::optional<VariableId> variable;
    for (const VariableId id : group.variables) {
      if (id == runtime) continue;
      if (variable || id.kind == VariableKind::kRuntime) return false;
      variable = id;
    }
    std::vector<End> inner;
    if (variable) {
      const Interval bounds = bounds_of(map, *variable);
      inner.push_back({.start = bounds.lo});
      inner.push_back({.start = Wide{bounds.hi} + 1});
    }
    for (const Constraint& constraint : group.constraints) {
      const auto form = linear_form(constraint.expr, variable, runtime);
      if (!form || !constraint.range.is_bounded()) return false;
      const End lo{.start = constraint.range.lo};
      const End hi{.start = Wide{constraint.range.hi} + 1};
      if (form->own == 0) {
        crossings.cross(form->end, lo);
        crossings.cross(form->end, hi);
      } else if (form->own == 1) {
        inner.push_back(lo + -form->end);
        inner.push_back(hi + -form->end);
      } else {
        const End one{.start = 1};
        inner.push_back(form->end + -lo + one);
        inner.push_back(form->end + -hi + one);
      }
    }
    if (group.parts.empty()) {
      ends = std::move(inner);
      return true;
    }
    if (group.parts.size() != 1) return false;
    const auto result = linear_form(group.parts[0], variable, runtime);
    if (!result) return false;
    crossings.cross(inner);
    if (result->own == 0) {
      ends = {result->end, result->end + End{.start = 1}};
      return true;
    }
    for (const End& end : inner) {
      ends.push_back(result->end + (result->own == 1 ? end : -end + End{.start = 1}));
    }
    return true;
  }

  // The ends of the result of a map that the runtime variable does not move.
  [[nodiscard]] bool add_still_ends(std::size_t map, std::size_t place,
                                    std::optional<std::uint32_t> runtime,
                                    std::vector<End>& ends) const {
    const Expr result = maps_[map].results()[place];
    if (runtime && contains(result, {VariableKind::kRuntime, *runtime})) return true;
    if (result.is(ExprKind::kConstant)) {
      ends.push_back({.start = result.value()});
      ends.push_back({.start = Wide{result.value()} + 1});
      return true;
    }
    for (const IndependentGroup& group : groups_[map]) {
      if (std::ranges::find(group.parts, result) == group.parts.end()) continue;
      if (runtime &&
          std::ranges::find(group.variables, VariableId{VariableKind::kRuntime, *runtime}) !=
              group.variables.end()) {
        return true;
      }
      const bool is_still = std::ranges::none_of(
          group.variables, [](VariableId id) { return id.kind == VariableKind::kRuntime; });
      if (!is_still || !group.constraints.empty() || place_of(group, map) != place) return false;
      const auto values = mercator::values_of(maps_[map], result);
      if (!values || !values->is_evenly_spaced || (values->count > 1 && values->step != 1)) {
        return false;
      }
      ends.push_back({.start = values->lo});
      ends.push_back({.start = values->lo + values->span + 1});
      return true;
    }
    return false;
  }

  std::span<const IndexMap> maps_;
  Counting counting_;
  std::vector<std::vector<IndependentGroup>> groups_;  // of each map
  std::vector<Value> values_;
  std::vector<std::vector<std::size_t>> value_of_;  // of each map and runtime variable
};

}  // namespace

bool is_fixed(const IndexMap& map, std::uint32_t runtime) {
  const RuntimeVariable& variable = map.runtimes()[runtime];
  return variable.tensor.has_value() && std::ranges::none_of(variable.index, [&](Expr expr) {
           if (uses_elements(expr)) return true;
           const UsedVariables used = used_variables(std::span(&expr, 1));
           for (std::uint32_t i = 0; i < used.runtimes.size(); ++i) {
             // One that stands for an element whose place another one says comes after it.
             if (used.runtimes[i] && (i >= runtime || !is_fixed(map, i))) return true;
           }
           return false;
         });
}

bool is_offset(const IndexMap& map, std::uint32_t runtime) {
  const VariableId id{VariableKind::kRuntime, runtime};
  for (const Constraint& constraint : map.constraints()) {
    if (contains(constraint.expr, id)) return false;
  }
  return std::ranges::all_of(map.results(), [&](Expr result) {
    if (!contains(result, id)) return true;
    if (!result.is(ExprKind::kSum)) return !uses_elements(result);
    return std::ranges::none_of(
        result.operands(), [&](Expr term) { return contains(term, id) && uses_elements(term); });
  });
}

std::int64_t any_value(Interval bounds) {
  if (bounds.lo != Interval::kMinusInfinity) return bounds.lo;
  return bounds.hi != Interval::kPlusInfinity ? bounds.hi : 0;
}

IndexMap with_runtimes(const IndexMap& map, std::span<const std::int64_t> values) {
  const auto value_of = [&](VariableId id) {
    return id.kind == VariableKind::kRuntime ? map.context().constant(values[id.index]) : Expr();
  };
  std::vector<Expr> exprs = map.expressions();
  substitute(exprs, value_of);
  const auto results = static_cast<std::ptrdiff_t>(map.results().size());
  std::vector<Constraint> constraints = map.constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    constraints[i].expr = exprs[static_cast<std::size_t>(results) + i];
  }
  exprs.erase(exprs.begin() + results, exprs.end());
  return simplify(IndexMap(map.context(), map.dimensions(), map.ranges(), {}, std::move(exprs),
                           std::move(constraints)));
}

std::optional<std::vector<std::vector<IndexMap>>> runtime_cases(std::span<const IndexMap> maps,
                                                                Counting counting) {
  return CaseFinder(maps, counting).find();
}

}  // namespace mercator
