#include "mercator/indexing/map_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mercator/indexing/map_transform.h"

namespace mercator::indexing {
namespace {

class Hasher {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 29U;
  }
  void add(Interval interval) {
    add(static_cast<std::uint64_t>(interval.lo));
    add(static_cast<std::uint64_t>(interval.hi));
  }
  // Equal expressions of one context are the same node.
  void add(Expr expr) { add(std::uint64_t{expr.id()}); }
  [[nodiscard]] std::size_t hash() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

// Of everything that operator== compares.
std::size_t hash_of(const IndexMap& map) {
  Hasher hasher;
  hasher.add(map.dimensions().size());
  for (const Variable& variable : map.dimensions()) hasher.add(variable.bounds);
  hasher.add(map.ranges().size());
  for (const Variable& variable : map.ranges()) hasher.add(variable.bounds);
  for (const RuntimeVariable& runtime : map.runtimes()) {
    hasher.add(runtime.bounds);
    hasher.add(std::uint64_t{runtime.tensor.value_or(0)});
    for (const Expr index : runtime.index) hasher.add(index);
  }
  for (const Expr result : map.results()) hasher.add(result);
  for (const Constraint& constraint : map.constraints()) {
    hasher.add(constraint.expr);
    hasher.add(constraint.range);
  }
  return hasher.hash();
}

std::int64_t size_of(const IndexMap& map) {
  std::vector<Expr> exprs = map.expressions();
  std::size_t variables = map.ranges().size() + map.runtimes().size();
  for (const RuntimeVariable& runtime : map.runtimes()) {
    exprs.insert(exprs.end(), runtime.index.begin(), runtime.index.end());
  }
  const ExprCost operations = cost(exprs);
  return 1 + static_cast<std::int64_t>(variables + map.constraints().size()) + operations.div +
         operations.mod + operations.mul + operations.add + operations.minmax;
}

// A dimension of size 1 may stand as the constant that it is.
bool is_identity(const IndexMap& map) {
  if (!map.ranges().empty() || !map.runtimes().empty() || !map.constraints().empty() ||
      map.results().size() != map.dimensions().size()) {
    return false;
  }
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    const Expr result = map.results()[i];
    const Interval bounds = map.dimensions()[i].bounds;
    const bool same = result == map.context().dimension(static_cast<std::uint32_t>(i)) ||
                      (bounds.is_point() && result.is_constant(bounds.lo));
    if (!same) return false;
  }
  return true;
}

}  // namespace

std::size_t MapTable::PairHash::operator()(Pair pair) const {
  Hasher hasher;
  hasher.add(std::uint64_t{pair.first});
  hasher.add(std::uint64_t{pair.second});
  return hasher.hash();
}

MapTable::MapTable() : ids_(64, Hash{&entries_}, Equal{&entries_}) {}

MapId MapTable::intern(IndexMap map) {
  const auto id = static_cast<MapId>(entries_.size());
  const std::size_t hash = hash_of(map);
  entries_.push_back({.map = std::move(map), .hash = hash});
  const auto [found, inserted] = ids_.insert(id);
  if (!inserted) entries_.pop_back();
  return *found;
}

std::optional<IndexMap> MapTable::simplify(const IndexMap& map) {
  const std::optional<IndexMap> merged = merge_runtimes(map);
  IndexMap result = simplifier_(merged.has_value() ? *merged : map);
  // What was different before may be equal now.
  if (std::optional<IndexMap> again = merge_runtimes(result)) result = simplifier_(*again);
  if (std::optional<IndexMap> numbered = number_variables(result)) {
    result = simplifier_(*numbered);
  }
  if (result.is_known_empty()) return std::nullopt;
  return result;
}

std::optional<MapId> MapTable::add(const IndexMap& map) {
  const MapId raw = intern(map);
  entries_[raw].was_added = true;
  if (entries_[raw].is_simplified) return entries_[raw].simplified;
  const auto start = std::chrono::steady_clock::now();
  std::optional<IndexMap> simplified = simplify(map);
  simplify_time_ += std::chrono::steady_clock::now() - start;
  std::optional<MapId> id;
  if (simplified.has_value()) {
    id = intern(*std::move(simplified));
    Entry& entry = entries_[*id];
    entry.is_simplified = true;
    entry.simplified = id;
    entry.size = size_of(entry.map);
    entry.is_identity = indexing::is_identity(entry.map);
  }
  entries_[raw].is_simplified = true;
  entries_[raw].simplified = id;
  return id;
}

std::vector<const IndexMap*> MapTable::added() const {
  std::vector<const IndexMap*> maps;
  for (const Entry& entry : entries_) {
    if (entry.was_added) maps.push_back(&entry.map);
  }
  return maps;
}

namespace {

bool are_indices(const std::vector<Variable>& dimensions, std::span<const std::int64_t> sizes) {
  return std::ranges::equal(dimensions, sizes, [](const Variable& dimension, std::int64_t size) {
    return dimension.bounds == Interval::indices(size);
  });
}

}  // namespace

std::optional<MapId> MapTable::compose(MapId first, MapId second,
                                       std::span<const std::int64_t> sizes) {
  const Entry& x = entries_[first];
  const Entry& y = entries_[second];
  if (y.is_identity && are_indices(y.map.dimensions(), sizes)) return first;
  if (x.is_identity && are_indices(x.map.dimensions(), sizes)) return second;

  const Pair key{.first = first, .second = second};
  if (const auto known = compositions_.find(key); known != compositions_.end()) {
    return known->second;
  }
  const std::optional<MapId> composed = add(mercator::compose(x.map, y.map));
  compositions_.emplace(key, composed);
  return composed;
}

}  // namespace mercator::indexing
