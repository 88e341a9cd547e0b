#include "mercator/analysis/value_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace mercator {

namespace {

// Residues that are looked at for progressions of different steps.
constexpr std::int64_t kMaxPeriod = 4096;

// A progression that passes through a segment.
struct Strided {
  Mask bit;
  std::int64_t lo;
  std::int64_t step;
};

// Counts the values of [begin, end) by what they lie in: `mask`, and the progressions.
bool count_segment(std::int64_t begin, std::int64_t end, Mask mask,
                   std::span<const Strided> strided, Overlaps& overlaps) {
  const std::int64_t length = end - begin;
  std::int64_t period = 1;
  for (const Strided& progression : strided) {
    const std::int64_t factor = progression.step / gcd(period, progression.step);
    if (!checked_mul(period, factor, &period)) period = INT64_MAX;
    period = std::min(period, length);
  }
  if (period > kMaxPeriod) return false;
  for (std::int64_t offset = 0; offset < period; ++offset) {
    Mask here = mask;
    for (const Strided& progression : strided) {
      if ((begin + offset - progression.lo) % progression.step == 0) here |= progression.bit;
    }
    if (here != 0) overlaps[here] += (length - 1 - offset) / period + 1;
  }
  return true;
}

}  // namespace

std::int64_t size_of(const ValueSet& set) {
  std::int64_t size = 0;
  for (const ValueRun& run : set) size = saturating_add(size, run.size());
  return size;
}

std::optional<Overlaps> overlaps_of(std::span<const ValueSet> sets) {
  Overlaps overlaps;
  if (sets.size() == 1) {
    if (const std::int64_t size = size_of(sets[0]); size > 0) overlaps[1] = size;
    return overlaps;
  }
  // Between neighbouring ends, each set is a piece of one of its runs or nothing.
  std::vector<std::int64_t> ends;
  for (const ValueSet& set : sets) {
    for (const ValueRun& run : set) {
      ends.push_back(run.lo);
      ends.push_back(run.hi + 1);
    }
  }
  std::ranges::sort(ends);
  const auto rest = std::ranges::unique(ends);
  ends.erase(rest.begin(), rest.end());
  std::vector<std::size_t> next(sets.size());  // the first run that does not end before
  std::vector<Strided> strided;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    Mask mask = 0;
    strided.clear();
    for (std::size_t k = 0; k < sets.size(); ++k) {
      while (next[k] < sets[k].size() && sets[k][next[k]].hi < ends[i]) ++next[k];
      if (next[k] == sets[k].size()) continue;
      const ValueRun& run = sets[k][next[k]];
      if (run.lo > ends[i]) continue;
      if (run.step == 1) {
        mask |= Mask{1} << k;
      } else {
        strided.push_back({.bit = Mask{1} << k, .lo = run.lo, .step = run.step});
      }
    }
    if (!count_segment(ends[i], ends[i + 1], mask, strided, overlaps)) return std::nullopt;
  }
  return overlaps;
}

ValueSetBuilder::ValueSetBuilder(std::int64_t limit, std::int64_t runs) : limit_(limit) {
  // Clearing and reading a word is cheaper than sorting a run.
  constexpr std::int64_t kBitsPerRun = 1024;
  if (limit <= kMaxBits && limit / kBitsPerRun <= runs) {
    bits_.resize(static_cast<std::size_t>((limit >> 6) + 1));
  }
}

bool ValueSetBuilder::add(ValueRun run) {
  if (run.lo < 0 || run.hi >= limit_) return false;
  if (run.step == 1) {
    bits_.empty() ? add_to_runs(run.lo, run.hi) : set_bits(run.lo, run.hi);
    return true;
  }
  for (std::int64_t value = run.lo; value <= run.hi; value += run.step) {
    bits_.empty() ? add_to_runs(value, value) : set_bits(value, value);
  }
  return true;
}

void ValueSetBuilder::set_bits(std::int64_t lo, std::int64_t hi) {
  const auto first = static_cast<std::size_t>(lo >> 6);
  const auto last = static_cast<std::size_t>(hi >> 6);
  const std::uint64_t from_lo = ~std::uint64_t{0} << (lo & 63);
  const std::uint64_t to_hi = ~std::uint64_t{0} >> (63 - (hi & 63));
  if (first == last) {
    bits_[first] |= from_lo & to_hi;
    return;
  }
  bits_[first] |= from_lo;
  for (std::size_t i = first + 1; i < last; ++i) bits_[i] = ~std::uint64_t{0};
  bits_[last] |= to_hi;
}

void ValueSetBuilder::add_to_runs(std::int64_t lo, std::int64_t hi) {
  if (!runs_.empty() && runs_.back().lo <= lo && lo <= runs_.back().hi + 1) {
    runs_.back().hi = std::max(runs_.back().hi, hi);
  } else {
    runs_.push_back({.lo = lo, .hi = hi});
  }
}

void ValueSetBuilder::merge_runs() {
  ValueSet all = std::move(runs_);
  std::ranges::sort(all, {}, &ValueRun::lo);
  runs_.clear();
  for (const ValueRun& run : all) add_to_runs(run.lo, run.hi);
}

std::int64_t ValueSetBuilder::count() {
  merge_runs();
  std::int64_t count = size_of(runs_);
  for (const std::uint64_t word : bits_) count += std::popcount(word);
  return count;
}

ValueSet ValueSetBuilder::set() {
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    const auto base = static_cast<std::int64_t>(i) << 6;
    for (std::uint64_t word = bits_[i]; word != 0;) {
      const int first = std::countr_zero(word);
      const int length = std::countr_one(word >> first);
      add_to_runs(base + first, base + first + length - 1);
      if (first + length == 64) break;
      word &= ~std::uint64_t{0} << (first + length);
    }
  }
  merge_runs();
  return std::move(runs_);
}

}  // namespace mercator
