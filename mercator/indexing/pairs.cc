#include "mercator/indexing/pairs.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace mercator::indexing {

void add_to_set(std::vector<MapRef>& set, MapRef ref) {
  const auto place = std::ranges::lower_bound(set, ref.map, {}, &MapRef::map);
  if (place == set.end() || place->map != ref.map) {
    set.insert(place, ref);
  } else {
    place->exact = place->exact || ref.exact;
    place->widened = place->widened && ref.widened;
  }
}

PairList::PairList(std::vector<LeafPair> pairs) {
  const auto key = [](const LeafPair& pair) {
    return std::tie(pair.output, pair.operand, pair.operand_leaf);
  };
  std::ranges::stable_sort(pairs, {}, key);
  for (LeafPair& pair : pairs) {
    if (pairs_.empty() || key(pairs_.back()) != key(pair)) {
      pairs_.push_back(std::move(pair));
      continue;
    }
    LeafPair& last = pairs_.back();
    for (const MapRef& ref : pair.maps) add_to_set(last.maps, ref);
    if (last.unknown == nullptr) last.unknown = pair.unknown;
  }
  std::erase_if(pairs_,
                [](const LeafPair& pair) { return pair.maps.empty() && pair.unknown == nullptr; });
  by_operand_.resize(pairs_.size());
  std::iota(by_operand_.begin(), by_operand_.end(), 0);
  std::ranges::stable_sort(by_operand_, {}, [&](std::uint32_t i) {
    return std::tie(pairs_[i].operand, pairs_[i].operand_leaf);
  });
}

PairList PairList::not_known(const std::string* reason) {
  PairList list;
  list.unknown_ = reason;
  return list;
}

std::span<const LeafPair> PairList::of_output(const ShapeIndex& output) const {
  return std::ranges::equal_range(pairs_, output, {}, &LeafPair::output);
}

std::span<const std::uint32_t> PairList::of_operand(std::int64_t operand,
                                                    const ShapeIndex& leaf) const {
  return std::ranges::equal_range(by_operand_, std::tie(operand, leaf), {}, [&](std::uint32_t i) {
    return std::tie(pairs_[i].operand, pairs_[i].operand_leaf);
  });
}

}  // namespace mercator::indexing
