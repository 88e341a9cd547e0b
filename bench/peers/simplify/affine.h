// MLIR's simplifier of affine maps, for expressions of Mercator. Nothing of MLIR shows here.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator::peers {

// An mlir::MLIRContext without threads.
class AffineContext {
 public:
  AffineContext();
  ~AffineContext();
  AffineContext(const AffineContext&) = delete;
  AffineContext& operator=(const AffineContext&) = delete;

 private:
  friend class AffineMap;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How many variables of each kind there are.
struct VariableCounts {
  std::size_t dimensions = 0;
  std::size_t ranges = 0;
  std::size_t runtimes = 0;
};

// Expressions as an mlir::AffineMap. Dimensions are dimensions and all other variables symbols;
// where a product of variables occurs, which is allowed of symbols only, all are symbols.
class AffineMap {
 public:
  // Requires that `context` outlives this.
  AffineMap(AffineContext& context, std::span<const Expr> results, VariableCounts counts);
  ~AffineMap();

  // False for min, max, and divisors that are not positive constants. The rest requires true.
  [[nodiscard]] bool is_expressible() const;
  // mlir::simplifyAffineMap, of the map as it was made.
  void simplify();
  // What the last call of `simplify` made, as text that Mercator reads.
  [[nodiscard]] std::vector<std::string> results(
      const std::function<std::string(VariableId)>& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator::peers
