// Congruences: constraints of the form `expr mod n in [r, r]`, which say that `expr` lies on a
// grid.
//
// Each has one normal form, `base = residue (mod modulus)`, so that congruences on one base can be
// joined ((x mod 4 = 0 and x mod 6 = 0) is x mod 12 = 0) and the bounds of the base moved inwards
// to the grid: d0 in [0, 49] with d0 mod 2 = 0 is d0 in [0, 48]. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// The points where `base` leaves the remainder `residue`, in [0, modulus - 1], when divided by
// `modulus`, which is at least 1. If `base` is a sum, it has no constant.
struct Congruence {
  Expr base;
  std::int64_t modulus = 1;
  std::int64_t residue = 0;

  friend bool operator==(const Congruence&, const Congruence&) = default;
};

// What is known of a condition.
enum class Truth : std::uint8_t { kAlways, kNever, kSometimes };

// The congruence that `constraint` is; none if it has another form.
[[nodiscard]] std::optional<Congruence> as_congruence(const Constraint& constraint);
// `(base - residue) mod modulus in [0, 0]`.
[[nodiscard]] Constraint as_constraint(const Congruence& congruence);

// Gives equal congruences of sums the same form where that is easy: coefficients in
// (-modulus/2, modulus/2], the first one positive, no common factor, a single term without
// coefficient. Terms whose coefficient is a multiple of the modulus disappear, so every term must
// have a value everywhere. If the answer is not kSometimes the congruence says nothing else and is
// left unspecified.
[[nodiscard]] Truth normalize(Congruence& congruence);

// Both congruences in one, for equal bases: kNever if they contradict each other, else kSometimes,
// with the result in `congruence`. None, with nothing changed, if the common modulus leaves int64.
[[nodiscard]] std::optional<Truth> conjoin(Congruence& congruence, const Congruence& other);

// What `congruence` says of `expr`, where that equals plus or minus its base up to multiples of the
// modulus (x + 2 * y, given a congruence of x - y modulo 3). None if it does not.
[[nodiscard]] std::optional<Congruence> implied_congruence(Expr expr, const Congruence& congruence);

// The least interval that contains all values in `range` that the congruence allows its base.
// Infinite ends stay.
[[nodiscard]] Interval tightened(Interval range, const Congruence& congruence);

}  // namespace mercator::internal
