// The maps of an analysis, each kept once under a number.
//
// Programs repeat themselves: the layers of a network have the same instructions over the same
// shapes. With equal maps under one number, a map is simplified once, two maps are composed once,
// and sets of maps are sets of numbers.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "mercator/map/index_map.h"

namespace mercator::indexing {

using MapId = std::uint32_t;

class MapTable {
 public:
  MapTable();
  MapTable(const MapTable&) = delete;
  MapTable& operator=(const MapTable&) = delete;

  // The number of the map that `map` simplifies to; none if its domain is empty. Simplified here
  // means, beyond MapSimplifier: runtime variables that stand for the same value are one, and
  // variables are numbered as `number_variables` does.
  std::optional<MapId> add(const IndexMap& map);
  // `second` after `first`, added; `sizes` are those of the array between them. Requires that the
  // results of `first` lie within the array.
  std::optional<MapId> compose(MapId first, MapId second, std::span<const std::int64_t> sizes);

  [[nodiscard]] const IndexMap& operator[](MapId id) const { return entries_[id].map; }
  // The time that simplifying took so far.
  [[nodiscard]] std::chrono::nanoseconds simplify_time() const { return simplify_time_; }
  // The maps that `add` was given, directly or by `compose`, each once and as it was: what a
  // comparison of simplifiers starts from.
  [[nodiscard]] std::vector<const IndexMap*> added() const;
  // A measure of how long the map is as a text, at least 1.
  [[nodiscard]] std::int64_t size(MapId id) const { return entries_[id].size; }

 private:
  struct Entry {
    IndexMap map;
    std::size_t hash = 0;
    std::int64_t size = 1;
    // Results are the dimensions in their order, and nothing restricts them beyond their bounds.
    bool is_identity = false;
    // `add` was given it.
    bool was_added = false;
    // Set when the entry is known to be, or not to be, its own simplified form.
    bool is_simplified = false;
    std::optional<MapId> simplified = std::nullopt;
  };
  struct Hash {
    const std::deque<Entry>* entries;
    std::size_t operator()(MapId id) const { return (*entries)[id].hash; }
  };
  struct Equal {
    const std::deque<Entry>* entries;
    bool operator()(MapId a, MapId b) const { return (*entries)[a].map == (*entries)[b].map; }
  };

  struct Pair {
    MapId first;
    MapId second;
    bool operator==(const Pair&) const = default;
  };
  // Few maps follow many: each half alone would put thousands of pairs in one place.
  struct PairHash {
    std::size_t operator()(Pair pair) const;
  };

  MapId intern(IndexMap map);
  std::optional<IndexMap> simplify(const IndexMap& map);

  MapSimplifier simplifier_;
  std::chrono::nanoseconds simplify_time_{};
  std::deque<Entry> entries_;
  tsl::robin_set<MapId, Hash, Equal> ids_;
  tsl::robin_map<Pair, std::optional<MapId>, PairHash> compositions_;
};

}  // namespace mercator::indexing
