// Reads any bytes as a map. What reads must print to a text that reads back to the same map, and
// simplify to a map with the same meaning, which is checked point by point where the domain is
// small.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/map/index_map.h"
#include "mercator/support/diagnostic.h"

namespace mercator {
namespace {

constexpr std::int64_t kMaxPoints = 1000;

void require(bool condition, std::string_view what, const IndexMap& before, const IndexMap& after) {
  if (condition) return;
  fmt::print(stderr, "{}\n  {}\n  {}\n", what, to_string(before, MapStyle::kOneLine),
             to_string(after, MapStyle::kOneLine));
  std::abort();
}

void check_text(const IndexMap& map) {
  if (map.is_known_empty()) return;  // the text does not say of which variables
  for (const MapStyle style : {MapStyle::kLines, MapStyle::kOneLine}) {
    const Result<IndexMap> again = parse_index_map(to_string(map, style), map.context());
    require(again.has_value(), "a printed map does not read back", map, map);
    require(*again == map, "a printed map reads as another", map, *again);
  }
}

// The same map with its runtime variables as further dimensions, which simplification never drops.
IndexMap with_dimensions_only(const IndexMap& map) {
  std::vector<Variable> dimensions = map.dimensions();
  const auto offset = static_cast<std::uint32_t>(dimensions.size());
  for (const RuntimeVariable& runtime : map.runtimes()) {
    dimensions.push_back({.bounds = runtime.bounds});
  }
  const auto renumber = [&](VariableId id) {
    return id.kind == VariableKind::kRuntime ? map.context().dimension(offset + id.index) : Expr();
  };
  std::vector<Expr> results = map.results();
  substitute(results, renumber);
  std::vector<Constraint> constraints = map.constraints();
  for (Constraint& constraint : constraints) {
    constraint.expr = substitute(constraint.expr, renumber);
  }
  return IndexMap(map.context(), std::move(dimensions), map.ranges(), {}, std::move(results),
                  std::move(constraints));
}

void check_simplification(const IndexMap& map) {
  const IndexMap simplified = simplify(map);
  require(simplify(simplified) == simplified, "simplifying twice changes more than once", map,
          simplified);

  const IndexMap plain = with_dimensions_only(map);
  const Result<std::set<RelatedPair>> pairs = relation(plain, kMaxPoints);
  if (!pairs) return;  // too large, or with values beyond int64
  const IndexMap plain_simplified = simplify(plain);
  const Result<std::set<RelatedPair>> simplified_pairs = relation(plain_simplified, kMaxPoints);
  require(simplified_pairs.has_value(), "simplification makes values leave int64", plain,
          plain_simplified);
  require(*pairs == *simplified_pairs, "simplification changes the relation", plain,
          plain_simplified);

  const Result<std::set<std::vector<std::int64_t>>> distinct = image(map, kMaxPoints);
  const Result<std::int64_t> count = count_image(map, kMaxPoints);
  if (!distinct) return;
  require(count.has_value() && *count == static_cast<std::int64_t>(distinct->size()),
          "the image is counted wrong", map, simplified);
}

}  // namespace
}  // namespace mercator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mercator::ExprContext context;
  const mercator::Result<mercator::IndexMap> map = mercator::parse_index_map(text, context);
  if (!map) {
    mercator::render(map.error(), "fuzz", text);
    return 0;
  }
  mercator::check_text(*map);
  mercator::check_simplification(*map);
  return 0;
}
