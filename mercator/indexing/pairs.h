// What is known of one instruction or computation in one direction, while it is being worked on:
// maps are numbers of a MapTable.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercator/indexing/indexing.h"
#include "mercator/indexing/map_table.h"

namespace mercator::indexing {

// An instruction or computation with more pairs than this is not known: hundreds of results that
// all depend on hundreds of operands.
inline constexpr std::int64_t kMaxPairs = 1'000'000;

struct MapRef {
  MapId map = 0;
  // See OperandMap.
  bool exact = true;
  // Whether it is a map across devices (devices.h).
  bool across_devices = false;
  // Whether it stands in place of maps that were too many. Then it is over-approximate.
  bool widened = false;
};

// Adds `ref` to a set that is sorted by map: of maps between the same two arrays, among which no
// number is that of a map across devices and of another. Of an exact and an over-approximate map
// that are the same the exact one stays.
void add_to_set(std::vector<MapRef>& set, MapRef ref);

// The maps between a leaf of a result and a leaf of an operand (of a computation: of a parameter).
struct LeafPair {
  ShapeIndex output = {};
  std::int64_t operand = 0;
  ShapeIndex operand_leaf = {};
  std::vector<MapRef> maps = {};         // a set
  const std::string* unknown = nullptr;  // null: known
};

class PairList {
 public:
  PairList() = default;
  // Pairs of the same leaves become one; those without a map that are known are left out.
  explicit PairList(std::vector<LeafPair> pairs);
  static PairList not_known(const std::string* reason);

  // Not null: nothing is known, for this reason.
  [[nodiscard]] const std::string* unknown() const { return unknown_; }
  // In the order (output, operand, operand_leaf).
  [[nodiscard]] const std::vector<LeafPair>& pairs() const { return pairs_; }
  [[nodiscard]] std::span<const LeafPair> of_output(const ShapeIndex& output) const;
  // Places in pairs().
  [[nodiscard]] std::span<const std::uint32_t> of_operand(std::int64_t operand,
                                                          const ShapeIndex& leaf) const;

 private:
  std::vector<LeafPair> pairs_;
  std::vector<std::uint32_t> by_operand_;  // places in pairs_ in the order (operand, leaf, output)
  const std::string* unknown_ = nullptr;
};

}  // namespace mercator::indexing
