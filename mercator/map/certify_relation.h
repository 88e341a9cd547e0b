// The relation that a map denotes, as isl represents it. For the files of certify.h only.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/map/certify_isl.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// The runtime variables of two maps, numbered together: the parameters of their relations.
struct Parameters {
  std::vector<Interval> bounds;
};

// One map and how it takes part in a comparison.
struct RelationSource {
  const IndexMap& map;
  // The number of each runtime variable among the parameters.
  std::vector<std::uint32_t> parameter_of_runtime;
  // The runtime variables whose indices are to be part of the relation.
  std::vector<std::uint32_t> indexed_runtimes;

  // Results, indices and constraints: everything that the relation is made from.
  [[nodiscard]] std::vector<Expr> exprs() const;
  // Results and indices: what dimensions are related to.
  [[nodiscard]] std::vector<Expr> outputs() const;
};

// A subexpression that is neither affine nor a quotient, remainder, minimum or maximum of what is.
[[nodiscard]] std::optional<Expr> find_not_quasi_affine(std::span<const Expr> exprs);

// {(dimensions, ranges) -> outputs} over the domain, or null if isl failed. Requires quasi-affine
// expressions.
[[nodiscard]] isl::Map make_relation(isl_ctx* context, const RelationSource& source,
                                     const Parameters& parameters);

}  // namespace mercator::internal
