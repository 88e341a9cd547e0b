// Constraints as the simplifier works with them. For the files of this folder only.

#pragma once

#include <optional>

#include "mercator/map/congruence.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// Restricts an expression to a range or, with a modulus above 1, to a grid.
struct Restriction {
  Congruence grid;  // modulus 1: none. The base is what is restricted, either way.
  Interval range = Interval::all();

  Restriction() = default;
  Restriction(Expr base, Interval range) : grid{.base = base}, range(range) {}
  explicit Restriction(const Congruence& grid) : grid(grid) {}

  [[nodiscard]] Expr base() const { return grid.base; }
  [[nodiscard]] bool is_grid() const { return grid.modulus > 1; }

  friend bool operator==(const Restriction&, const Restriction&) = default;
};

[[nodiscard]] Restriction restriction_of(const Constraint& constraint);
[[nodiscard]] Constraint constraint_of(const Restriction& restriction);

// The order of constraints: by what is restricted; grids first, by modulus and residue.
[[nodiscard]] bool sorts_before(const Restriction& a, const Restriction& b);

// Joins `other` into `restriction` where they restrict the same in the same way: kNever if they
// contradict each other, else kSometimes. None if they stay apart.
[[nodiscard]] std::optional<Truth> join(Restriction& restriction, const Restriction& other);

// c + k * x in [lo, hi] -> x in [ceil((lo - c) / k), floor((hi - c) / k)], for a range. False if
// there is nothing to move.
bool move_sum(Restriction& restriction);
// x floordiv n in [lo, hi] -> x in [lo * n, hi * n + n - 1], likewise.
bool move_quotient(Restriction& restriction);

}  // namespace mercator::internal
