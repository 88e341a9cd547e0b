// Counts that are known, or known to lie between two bounds.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "mercator/support/arithmetic.h"

namespace mercator {

struct Count {
  std::int64_t lo = 0;
  std::int64_t hi = 0;      // the largest int64 where it is larger, or without bound
  std::string reason = {};  // why it is not known exactly; empty if it is

  static Count exactly(std::int64_t count) { return {.lo = count, .hi = count}; }
  static Count between(std::int64_t lo, std::int64_t hi, std::string reason) {
    if (lo == hi) return exactly(lo);
    return {.lo = lo, .hi = hi, .reason = std::move(reason)};
  }

  [[nodiscard]] bool is_exact() const { return lo == hi; }
  // Adds `times` of another; the first reason stays.
  void add(const Count& other, std::int64_t times = 1) {
    lo = saturating_add(lo, saturating_mul(other.lo, times));
    hi = saturating_add(hi, saturating_mul(other.hi, times));
    if (reason.empty()) reason = other.reason;
  }
  friend bool operator==(const Count&, const Count&) = default;
};

}  // namespace mercator
