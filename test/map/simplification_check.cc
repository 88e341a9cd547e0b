#include "test/map/simplification_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/support/arithmetic.h"
#include "test/map/reference.h"

namespace mercator::map_test {

namespace {

using Draw = std::function<std::int64_t(std::int64_t, std::int64_t)>;

constexpr int kSamples = 200;

std::string text(const IndexMap& map) { return to_string(map, MapStyle::kOneLine); }

// Calls `visit(point)` with corners of the box and with points drawn from it, until it says false.
template <class Visit>
void sample(std::span<const Interval> bounds, const Draw& draw, Visit visit) {
  std::vector<std::int64_t> point(bounds.size());
  for (int i = 0; i < kSamples; ++i) {
    for (std::size_t d = 0; d < bounds.size(); ++d) {
      const auto [lo, hi] = bounds[d];
      switch (i < kSamples / 2 ? draw(0, 3) : 4) {
        case 0:
          point[d] = lo;
          break;
        case 1:
          point[d] = hi;
          break;
        case 2:
          point[d] = std::min(lo, hi - 1) + 1;
          break;
        default:
          point[d] = draw(lo, hi);
      }
    }
    if (!visit(point)) return;
  }
}

std::optional<std::string> find_different_point(const IndexMap& before, const IndexMap& after,
                                                const Draw& draw) {
  std::vector<Interval> bounds;
  for (const Variable& dimension : before.dimensions()) bounds.push_back(dimension.bounds);
  std::optional<std::string> fault;
  sample(bounds, draw, [&](const std::vector<std::int64_t>& point) {
    if (reference_results(before, {.dimensions = point}) !=
        reference_results(after, {.dimensions = point})) {
      fault = fmt::format("they differ at ({})", fmt::join(point, ", "));
    }
    return !fault;
  });
  return fault;
}

std::optional<std::string> find_different_pair(const IndexMap& before, const IndexMap& after) {
  const std::set<RelatedPair> pairs = reference_relation(before);
  const std::set<RelatedPair> others = reference_relation_like(after, before);
  if (pairs == others) return std::nullopt;
  std::vector<RelatedPair> lost, gained;
  std::ranges::set_difference(pairs, others, std::back_inserter(lost));
  std::ranges::set_difference(others, pairs, std::back_inserter(gained));
  const RelatedPair& pair = lost.empty() ? gained[0] : lost[0];
  return fmt::format("only {} has {{{}}} ({}) -> ({})", lost.empty() ? "the second" : "the first",
                     fmt::join(pair.runtimes, ", "), fmt::join(pair.from, ", "),
                     fmt::join(pair.to, ", "));
}

// What the results, and the constraints if so wanted, cost together, but for constants that are
// added last: they end up as offsets of addresses.
std::int64_t weight(const IndexMap& map, bool with_constraints) {
  std::int64_t weight = cost(with_constraints ? map.expressions() : map.results()).weight();
  std::set<std::uint32_t> sums;  // equal ones count once
  for (const Expr result : map.results()) {
    if (!result.is(ExprKind::kSum) || result.constant() == 0) continue;
    if (sums.insert(result.id()).second) --weight;
  }
  return weight;
}

// Results may cost more where constraints went into them (a variable on a grid that becomes another
// one: dearer results, but a constraint less), and constraints may where they had parts in common
// with results; not both.
bool costs_more(const IndexMap& after, const IndexMap& before) {
  return weight(after, false) > weight(before, false) && weight(after, true) > weight(before, true);
}

}  // namespace

std::int64_t point_count(const IndexMap& map) {
  std::int64_t count = 1;
  const auto multiply = [&](const auto& variables) {
    for (const auto& variable : variables) {
      if (!checked_mul(count, variable.bounds.size(), &count)) count = Interval::kPlusInfinity;
    }
  };
  multiply(map.dimensions());
  multiply(map.ranges());
  multiply(map.runtimes());
  return count;
}

std::optional<std::string> find_fault(const IndexMap& map, MapSimplifier& simplifier,
                                      const Draw& draw) {
  const IndexMap after = simplifier(map);
  std::optional<std::string> fault = point_count(map) <= kMaxPoints
                                         ? find_different_pair(map, after)
                                         : find_different_point(map, after, draw);
  const IndexMap again = simplifier(after);
  if (!fault && again != after) fault = "and then " + text(again);
  if (!fault && costs_more(after, map)) {
    fault = fmt::format("which costs {} instead of {}", weight(after, false), weight(map, false));
  }
  if (!fault) return std::nullopt;
  return fmt::format("{}\nbecame {}\n{}", text(map), text(after), *fault);
}

}  // namespace mercator::map_test
