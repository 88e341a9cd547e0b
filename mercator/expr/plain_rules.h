// The rules for quotients by a constant that need to know no more of a numerator than its parts and
// their ranges. For the files of this folder only.
//
// They are templates, since most numerators are sums of variables, to which no other rules apply;
// such a quotient is solved without anything that the others need (plain_quotient.cc). A problem
// `p` is `outside + (constant + sum of parts) floordiv divisor`:
//
//   p.parts, p.constant, p.divisor, p.range   range: of the numerator
//   p.take_out(expr, c), p.take_out(c)        adds c * expr, or c, outside
//   p.solve()                                 nothing is left to divide
//   p.update()                                to be called when something has changed

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/sort_short.h"

namespace mercator::internal {

// The k with range within [k * n, k * n + n - 1], if there is one.
inline std::optional<std::int64_t> bucket_of(Interval range, std::int64_t n) {
  if (range.is_empty() || !range.is_bounded()) return std::nullopt;
  if (range.lo >= 0 && range.hi < n) return 0;
  if (static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo) >=
      static_cast<std::uint64_t>(n)) {
    return std::nullopt;
  }
  const std::int64_t k = floor_div(range.lo, n);
  if (floor_div(range.hi, n) != k) return std::nullopt;
  return k;
}

template <class Problem>
bool one_bucket(Problem& p) {
  const std::optional<std::int64_t> k = bucket_of(p.range, p.divisor);
  if (!k) return false;
  p.take_out(*k);
  p.solve();
  return true;
}

template <class Problem>
bool whole_multiples(Problem& p) {
  const std::int64_t n = p.divisor;
  const auto is_reduced = [n](std::int64_t c) { return c >= 0 && c < n; };
  Part* const end = p.parts.end();
  Part* const first = std::find_if(p.parts.begin(), end,
                                   [&](const Part& part) { return !is_reduced(part.coefficient); });
  if (first == end && is_reduced(p.constant)) return false;
  if (!is_reduced(p.constant)) {
    p.take_out(floor_div(p.constant, n));
    p.constant = floor_mod(p.constant, n);
  }
  Part* kept = first;
  for (Part* part = first; part != end; ++part) {
    if (!is_reduced(part->coefficient)) {
      p.take_out(part->expr, floor_div(part->coefficient, n));
      part->coefficient = floor_mod(part->coefficient, n);
    }
    if (part->coefficient != 0) *kept++ = *part;
  }
  p.parts.truncate(static_cast<std::size_t>(kept - p.parts.begin()));
  p.update();
  return true;
}

// The coefficients of parts, taken apart as wholes * n + residues, with the residues at first in
// [0, n - 1].
class Split {
 public:
  Split(std::span<const Part> parts, std::int64_t constant, std::int64_t n)
      : parts_(parts), constant_(constant), n_(n), wholes_(parts.size()), residues_(parts.size()) {
    may_stay_ = take_apart();
  }

  [[nodiscard]] std::span<const std::int64_t> wholes() const { return wholes_; }

  // The bucket that all values of the residues, with the constant, lie in, if there is one: with
  // those residues, else with those nearest to zero, of two equally near the positive ones, else
  // the negative ones.
  [[nodiscard]] std::optional<std::int64_t> bucket() {
    if (!may_stay_) return std::nullopt;
    const std::optional<std::int64_t> k = bucket_of_residues();
    return k ? k : bucket_near_zero();
  }
  // The same, with the residues nearest to zero only.
  [[nodiscard]] std::optional<std::int64_t> bucket_near_zero() {
    std::optional<std::int64_t> k;
    if (!may_stay_) return k;
    for (const bool down : {false, true}) {
      if (!k && move_near_zero(down)) k = bucket_of_residues();
    }
    return k;
  }

 private:
  // False if the residues cannot stay within one bucket: together they then spread over n values or
  // more, even where each is the nearer one to zero of its two residues.
  [[nodiscard]] bool take_apart() {
    std::int64_t spread = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const std::int64_t whole = floor_div(part.coefficient, n_);
      // In unsigned numbers, since whole * n may leave int64 though the difference does not.
      const auto residue = static_cast<std::int64_t>(static_cast<std::uint64_t>(part.coefficient) -
                                                     static_cast<std::uint64_t>(whole) *
                                                         static_cast<std::uint64_t>(n_));
      wholes_[i] = whole;
      residues_[i] = residue;
      if (residue == 0) continue;
      std::int64_t width = 0;
      if (!part.range.is_bounded() || !checked_sub(part.range.hi, part.range.lo, &width) ||
          !checked_mul(width, std::min(residue, n_ - residue), &width) ||
          !checked_add(spread, width, &spread) || spread >= n_) {
        return false;
      }
    }
    return true;
  }

  // The residues in (-n/2, n/2] or, with `down`, in [-n/2, n/2); those that are negative have been
  // moved. False if that changes nothing.
  bool move_near_zero(bool down) {
    bool changes = false;
    for (std::size_t i = 0; i < residues_.size(); ++i) {
      std::int64_t& residue = residues_[i];
      if (residue < 0) continue;
      const std::int64_t other = n_ - residue;
      if (residue < other || (residue == other && !down)) continue;
      residue -= n_;
      ++wholes_[i];
      changes = true;
    }
    return changes;
  }

  [[nodiscard, gnu::noinline]] std::optional<std::int64_t> bucket_of_residues() const {
    LinearRange range(constant_);
    for (std::size_t i = 0; i < residues_.size(); ++i) {
      if (residues_[i] != 0) range.add(parts_[i].range, residues_[i]);
    }
    return bucket_of(range.range(), n_);
  }

  std::span<const Part> parts_;
  std::int64_t constant_;
  std::int64_t n_;
  InlineVector<std::int64_t, 8> wholes_;
  InlineVector<std::int64_t, 8> residues_;
  bool may_stay_;
};

template <class Problem>
bool one_bucket_of_residues(Problem& p) {
  const std::int64_t n = p.divisor;
  const auto is_below_half = [n](const Part& part) {
    return part.coefficient >= 0 && part.coefficient < n - part.coefficient;
  };
  if (std::all_of(p.parts.begin(), p.parts.end(), is_below_half)) return false;
  Split split(p.parts, p.constant, n);
  // With residues from zero on it would have been one bucket as it was.
  const std::optional<std::int64_t> k = split.bucket_near_zero();
  if (!k) return false;
  for (std::size_t i = 0; i < p.parts.size(); ++i) p.take_out(p.parts[i].expr, split.wholes()[i]);
  p.take_out(*k);
  p.solve();
  return true;
}

template <class Problem>
bool two_values(Problem& p) {
  if (p.parts.size() != 1) return false;
  const Part part = p.parts[0];
  if (!part.range.is_bounded() || part.range.lo >= part.range.hi ||
      part.range.lo + 1 != part.range.hi) {
    return false;
  }
  const Interval numerator = part.range * part.coefficient + Interval::point(p.constant);
  if (!numerator.is_bounded()) return false;
  const bool rises = part.coefficient > 0;
  const std::int64_t at_lo = floor_div(rises ? numerator.lo : numerator.hi, p.divisor);
  const std::int64_t at_hi = floor_div(rises ? numerator.hi : numerator.lo, p.divisor);
  std::int64_t rise = 0;
  std::int64_t shift = 0;
  if (!checked_sub(at_hi, at_lo, &rise) || !checked_mul(rise, part.range.lo, &shift) ||
      !checked_sub(at_lo, shift, &shift)) {
    return false;
  }
  p.take_out(part.expr, rise);
  p.take_out(shift);
  p.solve();
  return true;
}

// Puts the quotient by f in place of the numerator: coefficients `wholes`, constant `constant`.
template <class Problem>
void divide_by(Problem& p, std::int64_t f, std::span<const std::int64_t> wholes,
               std::int64_t constant) {
  p.divisor /= f;
  p.constant = constant;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    if (wholes[i] != 0) {
      p.parts[kept] = p.parts[i];
      p.parts[kept++].coefficient = wholes[i];
    }
  }
  p.parts.truncate(kept);
  if (p.divisor == 1 || kept == 0) {
    for (const Part& part : p.parts) p.take_out(part.expr, part.coefficient);
    p.take_out(floor_div(p.constant, p.divisor));
    p.solve();
    return;
  }
  p.update();
}

// The common divisor of n > 0 and c, which is quick where one of them divides the other.
inline std::int64_t common_divisor(std::int64_t n, std::int64_t c) {
  if (c == 1) return 1;
  return c > 0 && floor_mod(n, c) == 0 ? c : gcd(n, c);
}

// Divisors of n worth dividing by first: those that take a coefficient of the parts whole, or all
// of them. Largest first.
inline InlineVector<std::int64_t, 8> factors_to_try(std::span<const Part> parts, std::int64_t n) {
  InlineVector<std::int64_t, 8> factors;
  std::int64_t of_all = n;
  for (const Part& part : parts) {
    if (part.coefficient == Interval::kMinusInfinity) return {};
    const std::int64_t factor = common_divisor(n, part.coefficient);
    if (factor > 1 && factor < n) factors.push_back(factor);
    of_all = common_divisor(of_all, factor);
  }
  if (of_all > 1 && of_all < n) factors.push_back(of_all);
  if (factors.size() < 2) return factors;
  sort_short(std::span(factors.begin(), factors.end()), std::greater());
  factors.truncate(
      static_cast<std::size_t>(std::unique(factors.begin(), factors.end()) - factors.begin()));
  return factors;
}

// Tries to take the quotient by f first.
template <class Problem>
bool divide_in_steps(Problem& p, std::int64_t f) {
  Split split(p.parts, p.constant, f);
  const std::optional<std::int64_t> k = split.bucket();
  if (!k) return false;
  divide_by(p, f, split.wholes(), *k);
  return true;
}

template <class Problem>
bool by_factor(Problem& p) {
  for (const std::int64_t f : factors_to_try(p.parts, p.divisor)) {
    if (divide_in_steps(p, f)) return true;
  }
  return false;
}

}  // namespace mercator::internal
