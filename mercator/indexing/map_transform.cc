#include "mercator/indexing/map_transform.h"

#include <algorithm>
#include <numeric>
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
  std::vector<Expr> exprs = map.results();
  for (const Constraint& constraint : map.constraints()) exprs.push_back(constraint.expr);
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

std::optional<IndexMap> merge_runtimes(const IndexMap& map) {
  if (map.runtimes().size() < 2) return std::nullopt;
  std::optional<IndexMap> merged;
  // Merging two may make the indices of two others equal. Each step takes away a variable.
  const auto step = [](const IndexMap& from) -> std::optional<IndexMap> {
    const std::vector<RuntimeVariable>& runtimes = from.runtimes();
    for (std::uint32_t j = 1; j < runtimes.size(); ++j) {
      if (!runtimes[j].tensor.has_value()) continue;
      for (std::uint32_t i = 0; i < j; ++i) {
        if (runtimes[i].tensor != runtimes[j].tensor || runtimes[i].bounds != runtimes[j].bounds ||
            runtimes[i].index != runtimes[j].index) {
          continue;
        }
        Parts parts = substitute_everywhere(from, [&](VariableId id) {
          if (id.kind != VariableKind::kRuntime || id.index < j) return Expr();
          return from.context().runtime(id.index == j ? i : id.index - 1);
        });
        parts.runtimes.erase(parts.runtimes.begin() + j);
        return with_parts(from, std::move(parts));
      }
    }
    return std::nullopt;
  };
  while (std::optional<IndexMap> next = step(merged.has_value() ? *merged : map)) {
    merged = std::move(next);
  }
  return merged;
}

namespace {

// Collects the range and runtime variables of expressions in the order described in the header.
class Occurrences {
 public:
  explicit Occurrences(const IndexMap& map)
      : map_(map),
        seen_ranges_(map.ranges().size(), false),
        seen_runtimes_(map.runtimes().size(), false) {
    for (const Expr result : map.results()) visit(result);
    for (const Constraint& constraint : map.constraints()) visit(constraint.expr);
    for (std::size_t i = 0; i < runtimes_.size(); ++i) {
      for (const Expr index : map.runtimes()[runtimes_[i]].index) visit(index);
    }
    // Variables that occur nowhere keep their order, at the end.
    for (std::uint32_t i = 0; i < seen_ranges_.size(); ++i) note({VariableKind::kRange, i});
    for (std::uint32_t i = 0; i < seen_runtimes_.size(); ++i) note({VariableKind::kRuntime, i});
  }

  [[nodiscard]] const std::vector<std::uint32_t>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<std::uint32_t>& runtimes() const { return runtimes_; }

 private:
  void note(VariableId id) {
    if (id.kind == VariableKind::kDimension) return;
    const bool is_range = id.kind == VariableKind::kRange;
    std::vector<bool>& seen = is_range ? seen_ranges_ : seen_runtimes_;
    if (seen[id.index]) return;
    seen[id.index] = true;
    (is_range ? ranges_ : runtimes_).push_back(id.index);
  }

  // Depth first, with a stack of its own: expressions may be deep.
  void visit(Expr root) {
    std::vector<Expr> stack = {root};
    while (!stack.empty()) {
      const Expr expr = stack.back();
      stack.pop_back();
      if (!visited_.insert(expr.id()).second) continue;
      if (expr.is(ExprKind::kVariable)) {
        note(expr.variable());
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

  const IndexMap& map_;
  std::vector<bool> seen_ranges_;
  std::vector<bool> seen_runtimes_;
  std::vector<std::uint32_t> ranges_;
  std::vector<std::uint32_t> runtimes_;
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

}  // namespace

std::optional<IndexMap> number_by_occurrence(const IndexMap& map) {
  if (map.ranges().size() < 2 && map.runtimes().size() < 2) return std::nullopt;
  const Occurrences occurrences(map);
  if (std::ranges::is_sorted(occurrences.ranges()) &&
      std::ranges::is_sorted(occurrences.runtimes())) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> range_numbers = inverse(occurrences.ranges());
  const std::vector<std::uint32_t> runtime_numbers = inverse(occurrences.runtimes());
  Parts parts = substitute_everywhere(map, [&](VariableId id) {
    switch (id.kind) {
      case VariableKind::kDimension:
        return Expr();
      case VariableKind::kRange:
        return map.context().range(range_numbers[id.index]);
      case VariableKind::kRuntime:
        return map.context().runtime(runtime_numbers[id.index]);
    }
    return Expr();
  });
  parts.ranges = reorder(parts.ranges, occurrences.ranges());
  parts.runtimes = reorder(parts.runtimes, occurrences.runtimes());
  return with_parts(map, std::move(parts));
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
