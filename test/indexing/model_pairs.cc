#include "test/indexing/model_pairs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mercator::testing {

void sort_unique(Pairs& pairs) {
  std::ranges::sort(pairs);
  const auto rest = std::ranges::unique(pairs);
  pairs.erase(rest.begin(), rest.end());
}

Pairs join(const Pairs& first, const Pairs& second) {
  Pairs result;
  for (const auto& [a, b] : first) {
    auto it = std::ranges::lower_bound(second, b, {}, &ElementPair::first);
    for (; it != second.end() && it->first == b; ++it) result.emplace_back(a, it->second);
  }
  sort_unique(result);
  return result;
}

Pairs identity(std::int64_t elements) {
  Pairs pairs;
  for (std::int64_t i = 0; i < elements; ++i) pairs.emplace_back(i, i);
  return pairs;
}

std::vector<ReadSet> joined(std::vector<ReadSet> sets) {
  const auto place = [](const ReadSet& set) {
    return std::tie(set.output, set.operand, set.operand_leaf);
  };
  std::ranges::stable_sort(sets, {}, place);
  std::vector<ReadSet> result;
  for (ReadSet& set : sets) {
    if (set.pairs.empty()) continue;
    if (result.empty() || place(result.back()) != place(set)) {
      result.push_back(std::move(set));
    } else {
      Pairs& pairs = result.back().pairs;
      pairs.insert(pairs.end(), set.pairs.begin(), set.pairs.end());
    }
  }
  for (ReadSet& set : result) sort_unique(set.pairs);
  return result;
}

}  // namespace mercator::testing
