// Maps as programs have them: chains of reshapes, transposes, slices, pads, concatenations, tiles,
// windows and reductions over random shapes, each composed with what comes before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/random_draw.h"

namespace mercator::map_test {

struct ChainOptions {
  int max_steps = 6;
  // Of the tensor at the end of the chain, the one whose elements the map leads to.
  std::int64_t max_elements = 64;
  // Whether there may be range variables and runtime variables.
  bool has_ranges = true;
  bool has_runtimes = true;
};

// Draws maps from the indices of a result to those of an operand.
class RandomChains {
 public:
  RandomChains(ExprContext& context, test::Draw draw) : context_(context), draw_(std::move(draw)) {}
  RandomChains(ExprContext& context, std::uint64_t seed)
      : RandomChains(context, test::seeded_draw(seed)) {}

  std::int64_t uniform(std::int64_t lo, std::int64_t hi) { return draw_(lo, hi); }
  bool one_in(std::int64_t n) { return uniform(1, n) == 1; }

  IndexMap map(const ChainOptions& options);

 private:
  using Shape = std::vector<std::int64_t>;

  // A step leads from the indices of its result, whose shape it puts in `shape`, to those of its
  // operand, which had the shape that was there.
  IndexMap step(Shape& shape, const ChainOptions& options);
  IndexMap reshape(Shape& shape);
  IndexMap transpose(Shape& shape);
  IndexMap reverse(Shape& shape);
  IndexMap slice(Shape& shape);
  IndexMap dynamic_slice(Shape& shape);
  IndexMap pad(Shape& shape);
  IndexMap concatenate(Shape& shape);
  IndexMap broadcast(Shape& shape);
  IndexMap reduce(Shape& shape);
  IndexMap window(Shape& shape);
  IndexMap split(Shape& shape);
  IndexMap threads(Shape& shape);

  Shape random_shape(std::int64_t max_elements);
  // Sizes whose product is `elements`.
  Shape factors_of(std::int64_t elements);
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::int64_t i = std::ssize(list) - 1; i > 0; --i) {
      std::swap(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(uniform(0, i))]);
    }
  }
  std::size_t random_axis(const Shape& shape) {
    return static_cast<std::size_t>(uniform(0, static_cast<std::int64_t>(shape.size()) - 1));
  }
  std::vector<Expr> dimensions(std::size_t count);
  IndexMap make(const Shape& shape, std::vector<Expr> results, std::vector<Constraint> constraints,
                std::vector<Variable> ranges = {}, std::vector<RuntimeVariable> runtimes = {});

  ExprContext& context_;
  test::Draw draw_;
  int runtime_count_ = 0;
};

}  // namespace mercator::map_test
