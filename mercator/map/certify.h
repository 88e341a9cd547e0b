// Certificates: whether two index maps denote the same relation, decided exactly by isl.
//
//   ExprContext context;
//   IndexMap map = *parse_index_map("(d0) -> ((d0 * 4) floordiv 8), domain: d0 in [0, 7]",
//   context); certify(map, simplify(map)).certificate  // kEqual
//
// Nothing here knows the rules of the simplifier. Integers are without limit. It can be decided for
// maps that are quasi-affine: sums with constant coefficients, quotients and remainders by
// constants, `min` and `max`. What two maps must agree on is set out in index_map.h ("Index maps"):
// for each value of the runtime variables the pairs (dimensions, results). Of the runtime variables
// that both maps have, it is also where their values lie that must agree: the tensor, and the index
// for each of those pairs.
//
// This is a library of its own, mercator::map_certify, so that the one that has the maps does not
// need isl.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/map/index_map.h"

namespace mercator {

enum class Certificate : std::uint8_t {
  kEqual,           // the same relation
  kDifferent,       // not the same relation
  kNotQuasiAffine,  // a product of variables, or a divisor that is not a constant
  kUndecided,       // it would take more than the limits allow
};

// A pair that one of two maps has and the other lacks.
struct Difference {
  // `runtimes` are those of `before`, then those that only `after` has.
  RelatedPair pair;
  bool is_in_before;  // otherwise in `after`
};

struct Certification {
  Certificate certificate;
  // What stands behind the answer, on one line: the difference, the expression that is not
  // quasi-affine, or the limit. Empty for kEqual.
  std::string reason = {};
  // For kDifferent, if it is a pair with values in int64.
  std::optional<Difference> difference = std::nullopt;
};

struct CertifyLimits {
  // Steps of isl, for each of a few stages. Most maps take a few thousand, which are milliseconds;
  // a million take some seconds. Where there are many variables and quotients a step is dearer and
  // counts for more.
  std::uint64_t max_steps = 1'000'000;
};

// Whether `before` and `after` denote the same relation. Runtime variables of the same name are the
// same one; one that only one of the maps has may take all values within its bounds. Maps of
// different numbers of dimensions or results denote the same relation if both have no pairs. The
// maps may be of two contexts.
[[nodiscard]] Certification certify(const IndexMap& before, const IndexMap& after,
                                    const CertifyLimits& limits = {});
// The same, where the i-th runtime variable of `after` is number `kept_runtimes[i]` of `before`,
// whatever their names. Requires one distinct number for each.
[[nodiscard]] Certification certify(const IndexMap& before, const IndexMap& after,
                                    std::span<const std::uint32_t> kept_runtimes,
                                    const CertifyLimits& limits = {});
// Whether two expressions have the same value for all values of their variables within `bounds`.
// A difference has the values of dimensions and ranges, in this order, as `from`.
[[nodiscard]] Certification certify(Expr before, Expr after, const VariableBounds& bounds,
                                    const CertifyLimits& limits = {});

}  // namespace mercator
