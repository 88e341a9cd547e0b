#include "mercator/indexing/map_transform.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace mercator::indexing {
namespace {

// The parts of a map that are rewritten together.
struct Parts {
  std::vector<Variable> ranges;
  std::vector<RuntimeVariable> runtimes;
  std::vector<Expr> results;
  std::vector<Constraint> constraints;
};

// `map` with its expressions rewritten; variables stay as they are.
Parts substitute_everywhere(const IndexMap& map,
                            const std::function<Expr(VariableId)>& replacement) {
  std::vector<Expr> exprs = map.expressions();
  for (const RuntimeVariable& runtime : map.runtimes()) {
    exprs.insert(exprs.end(), runtime.index.begin(), runtime.index.end());
  }
  substitute(exprs, replacement);

  Parts parts{.ranges = map.ranges(),
              .runtimes = map.runtimes(),
              .results = {},
              .constraints = map.constraints()};
  auto next = exprs.begin();
  for (std::size_t i = 0; i < map.results().size(); ++i) parts.results.push_back(*next++);
  for (Constraint& constraint : parts.constraints) constraint.expr = *next++;
  for (RuntimeVariable& runtime : parts.runtimes) {
    for (Expr& index : runtime.index) index = *next++;
  }
  return parts;
}

IndexMap with_parts(const IndexMap& map, Parts parts) {
  return IndexMap(map.context(), map.dimensions(), std::move(parts.ranges),
                  std::move(parts.runtimes), std::move(parts.results),
                  std::move(parts.constraints));
}

}  // namespace

IndexMap replace_runtime(const IndexMap& map, std::uint32_t runtime, Expr value) {
  return with_parts(map, substitute_everywhere(map, [&](VariableId id) {
                      const bool replaced = id == VariableId{VariableKind::kRuntime, runtime};
                      return replaced ? value : Expr();
                    }));
}

IndexMap range_for_runtime(const IndexMap& map, std::uint32_t runtime) {
  std::vector<Variable> ranges = map.ranges();
  ranges.push_back({.bounds = map.runtimes()[runtime].bounds});
  const Expr range = map.context().range(static_cast<std::uint32_t>(ranges.size() - 1));
  return replace_runtime(IndexMap(map.context(), map.dimensions(), std::move(ranges),
                                  map.runtimes(), map.results(), map.constraints()),
                         runtime, range);
}

namespace {

struct DeterminedRange {
  std::uint32_t range;
  Expr value;
};

// What `constraint` says a range variable is.
std::optional<DeterminedRange> determined_by(const Constraint& constraint) {
  const Expr sum = constraint.expr;
  if (!sum.is(ExprKind::kSum) || !constraint.range.is_point()) return std::nullopt;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    const Expr variable = sum.operands()[i];
    const std::int64_t coefficient = sum.coefficients()[i];
    const bool is_range =
        variable.is(ExprKind::kVariable) && variable.variable().kind == VariableKind::kRange;
    if (!is_range || (coefficient != 1 && coefficient != -1)) continue;
    const Expr others = sum - variable * coefficient;
    const std::uint32_t range = variable.variable().index;
    const UsedVariables used = used_variables(std::span(&others, 1));
    if (range < used.ranges.size() && used.ranges[range]) continue;
    const Expr value =
        coefficient == 1 ? -others + constraint.range.lo : others - constraint.range.lo;
    return DeterminedRange{.range = range, .value = value};
  }
  return std::nullopt;
}

}  // namespace

std::optional<IndexMap> without_determined_range(const IndexMap& map) {
  for (const Constraint& constraint : map.constraints()) {
    const std::optional<DeterminedRange> found = determined_by(constraint);
    if (!found.has_value()) continue;
    const auto [range, value] = *found;
    const auto renumbered = [&](VariableId id) {
      const bool comes_after = id.kind == VariableKind::kRange && id.index > range;
      return comes_after ? map.context().range(id.index - 1) : Expr();
    };
    std::vector<Expr> values = {value};
    substitute(values, renumbered);
    Parts parts = substitute_everywhere(map, [&](VariableId id) {
      return id == VariableId{VariableKind::kRange, range} ? values[0] : renumbered(id);
    });
    parts.ranges.erase(parts.ranges.begin() + range);
    parts.constraints.push_back({values[0], map.ranges()[range].bounds});
    return with_parts(map, std::move(parts));
  }
  return std::nullopt;
}

namespace {

// An order of runtime variables that does not depend on their numbers.
bool stands_before(const RuntimeVariable& a, const RuntimeVariable& b) {
  if (a.tensor != b.tensor) return a.tensor < b.tensor;
  const auto order = std::lexicographical_compare_three_way(
      a.index.begin(), a.index.end(), b.index.begin(), b.index.end(), compare);
  if (order != 0) return order < 0;
  return std::pair(a.bounds.lo, a.bounds.hi) < std::pair(b.bounds.lo, b.bounds.hi);
}

// For each runtime variable the first one that stands for the same value.
std::vector<std::uint32_t> first_of_same_value(const std::vector<RuntimeVariable>& runtimes) {
  const auto before = [&](std::uint32_t i, std::uint32_t j) {
    return stands_before(runtimes[i], runtimes[j]);
  };
  std::set<std::uint32_t, decltype(before)> firsts(before);
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < runtimes.size(); ++i) {
    result.push_back(runtimes[i].tensor.has_value() ? *firsts.insert(i).first : i);
  }
  return result;
}

}  // namespace

std::optional<IndexMap> merge_runtimes(const IndexMap& map) {
  if (map.runtimes().size() < 2) return std::nullopt;
  std::optional<IndexMap> merged;
  // Merging two may make the indices of two others equal. Each round takes away a variable.
  while (true) {
    const IndexMap& last = merged.has_value() ? *merged : map;
    const std::vector<std::uint32_t> firsts = first_of_same_value(last.runtimes());
    std::vector<std::uint32_t> numbers(firsts.size());
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < firsts.size(); ++i) {
      numbers[i] = firsts[i] == i ? kept++ : numbers[firsts[i]];
    }
    if (kept == firsts.size()) return merged;
    Parts parts = substitute_everywhere(last, [&](VariableId id) {
      const bool is_runtime = id.kind == VariableKind::kRuntime;
      return is_runtime ? last.context().runtime(numbers[id.index]) : Expr();
    });
    std::vector<RuntimeVariable> runtimes;
    for (std::uint32_t i = 0; i < firsts.size(); ++i) {
      if (firsts[i] == i) runtimes.push_back(std::move(parts.runtimes[i]));
    }
    parts.runtimes = std::move(runtimes);
    merged = with_parts(last, std::move(parts));
  }
}

namespace {

// Collects the range variables of a map in the order described in the header.
class RangeOccurrences {
 public:
  explicit RangeOccurrences(const IndexMap& map) : seen_(map.ranges().size(), false) {
    for (const Expr result : map.results()) visit(result);
    for (const Constraint& constraint : map.constraints()) visit(constraint.expr);
    for (const RuntimeVariable& runtime : map.runtimes()) {
      for (const Expr index : runtime.index) visit(index);
    }
    // Variables that occur nowhere keep their order, at the end.
    for (std::uint32_t i = 0; i < seen_.size(); ++i) note(i);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void note(std::uint32_t range) {
    if (seen_[range]) return;
    seen_[range] = true;
    order_.push_back(range);
  }

  // Depth first, with a stack of its own: expressions may be deep.
  void visit(Expr root) {
    std::vector<Expr> stack = {root};
    while (!stack.empty()) {
      const Expr expr = stack.back();
      stack.pop_back();
      if (!visited_.insert(expr.id()).second) continue;
      if (expr.is(ExprKind::kVariable)) {
        if (expr.variable().kind == VariableKind::kRange) note(expr.variable().index);
        continue;
      }
      const std::span<const Expr> operands = expr.operands();
      if (!expr.is(ExprKind::kSum)) {
        stack.insert(stack.end(), operands.rbegin(), operands.rend());
        continue;
      }
      std::vector<std::uint32_t> order(operands.size());
      std::iota(order.begin(), order.end(), 0);
      const std::span<const std::int64_t> coefficients = expr.coefficients();
      // By magnitude; unsigned, since the magnitude of INT64_MIN is no int64.
      const auto magnitude = [&](std::uint32_t i) {
        const auto bits = static_cast<std::uint64_t>(coefficients[i]);
        return coefficients[i] < 0 ? 0 - bits : bits;
      };
      std::ranges::stable_sort(order, std::ranges::greater(), magnitude);
      for (auto i = order.rbegin(); i != order.rend(); ++i) stack.push_back(operands[*i]);
    }
  }

  std::vector<bool> seen_;
  std::vector<std::uint32_t> order_;
  std::unordered_set<std::uint32_t> visited_;
};

// new_number[order[i]] = i
std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> numbers(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  return numbers;
}

template <class T>
std::vector<T> reorder(const std::vector<T>& elements, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const std::uint32_t i : order) result.push_back(elements[i]);
  return result;
}

// `map` with variable order[i] of `kind` as the i-th one; none if it is that already.
std::optional<IndexMap> reordered(const IndexMap& map, VariableKind kind,
                                  const std::vector<std::uint32_t>& order) {
  if (std::ranges::is_sorted(order)) return std::nullopt;
  const std::vector<std::uint32_t> numbers = inverse(order);
  Parts parts = substitute_everywhere(map, [&](VariableId id) {
    return id.kind == kind ? map.context().variable({kind, numbers[id.index]}) : Expr();
  });
  if (kind == VariableKind::kRange) {
    parts.ranges = reorder(parts.ranges, order);
  } else {
    parts.runtimes = reorder(parts.runtimes, order);
  }
  return with_parts(map, std::move(parts));
}

}  // namespace

std::optional<IndexMap> number_variables(const IndexMap& map) {
  std::optional<IndexMap> result;
  if (map.ranges().size() > 1) {
    result = reordered(map, VariableKind::kRange, RangeOccurrences(map).order());
  }
  if (map.runtimes().size() > 1) {
    const IndexMap& last = result.has_value() ? *result : map;
    std::vector<std::uint32_t> order(last.runtimes().size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, stands_before, [&](std::uint32_t i) -> const RuntimeVariable& {
      return last.runtimes()[i];
    });
    if (std::optional<IndexMap> next = reordered(last, VariableKind::kRuntime, order)) {
      result = std::move(next);
    }
  }
  return result;
}

IndexMap widen(std::span<const IndexMap* const> maps, std::span<const std::int64_t> result_sizes) {
  const IndexMap& first = *maps.front();
  std::vector<Variable> dimensions = first.dimensions();
  for (const IndexMap* map : maps) {
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      dimensions[i].bounds = hull(dimensions[i].bounds, map->dimensions()[i].bounds);
    }
  }
  std::vector<Variable> ranges;
  std::vector<Expr> results;
  std::vector<Constraint> constraints;
  for (std::size_t i = 0; i < result_sizes.size(); ++i) {
    const Expr result = first.results()[i];
    const UsedVariables used = used_variables(std::span(&result, 1));
    const bool fixed = std::ranges::find(used.ranges, true) == used.ranges.end() &&
                       std::ranges::find(used.runtimes, true) == used.runtimes.end();
    const auto agrees = [&](const IndexMap* map) { return map->results()[i] == result; };
    if (fixed && std::ranges::all_of(maps, agrees)) {
      results.push_back(result);
      constraints.push_back({result, Interval::indices(result_sizes[i])});
    } else {
      results.push_back(first.context().range(static_cast<std::uint32_t>(ranges.size())));
      ranges.push_back({.bounds = Interval::indices(result_sizes[i])});
    }
  }
  return IndexMap(first.context(), std::move(dimensions), std::move(ranges), {}, std::move(results),
                  std::move(constraints));
}

}  // namespace mercator::indexing
