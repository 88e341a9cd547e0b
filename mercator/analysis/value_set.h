// Sets of integers, and how several of them overlap. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mercator/analysis/count.h"

namespace mercator {

// lo, lo + step, …, hi.
struct ValueRun {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  std::int64_t step = 1;

  [[nodiscard]] std::int64_t size() const { return (hi - lo) / step + 1; }
  friend bool operator==(const ValueRun&, const ValueRun&) = default;
};

// Ascending; none reaches into the next.
using ValueSet = std::vector<ValueRun>;

[[nodiscard]] std::int64_t size_of(const ValueSet& set);

// Bit k stands for the k-th set.
using Mask = std::uint64_t;
inline constexpr std::size_t kMaxSets = 64;
// How many values lie in exactly the sets of a mask, for each mask that is not 0.
using Overlaps = std::unordered_map<Mask, std::int64_t>;

// Of at most `kMaxSets` sets. None if progressions with too many different steps overlap.
[[nodiscard]] std::optional<Overlaps> overlaps_of(std::span<const ValueSet> sets);

// The largest limit up to which a set may be kept as one bit for each value while it is made.
inline constexpr std::int64_t kMaxBits = std::int64_t{1} << 23;

// A set that is made run by run, in any order, of values in [0, limit).
class ValueSetBuilder {
 public:
  // `runs` are about as many as will be added.
  ValueSetBuilder(std::int64_t limit, std::int64_t runs);

  // False if a value is not within the limit.
  [[nodiscard]] bool add(ValueRun run);

  // One of these can be asked, once.
  [[nodiscard]] std::int64_t count();
  [[nodiscard]] ValueSet set();

 private:
  void set_bits(std::int64_t lo, std::int64_t hi);
  void add_to_runs(std::int64_t lo, std::int64_t hi);
  void merge_runs();

  std::int64_t limit_;
  std::vector<std::uint64_t> bits_;  // one for each value where they are not too many …
  ValueSet runs_;                    // … otherwise runs without steps
};

}  // namespace mercator
