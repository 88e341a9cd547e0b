// Making and simplifying expressions.

#include <benchmark/benchmark.h>

#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"

namespace mercator {
namespace {

constexpr Interval kDigits[] = {{0, 11}, {0, 7}, {0, 7}, {0, 14}};

// The index of a tensor f32[12,8,8,15], linear and apart again: what chained reshapes compose to.
std::vector<Expr> delinearised(ExprContext& context) {
  const Expr linear = context.dimension(0) * 960 + context.dimension(1) * 120 +
                      context.dimension(2) * 15 + context.dimension(3);
  return {mod(floor_div(linear, 960), 12), floor_div(floor_div(mod(linear, 960), 60), 2),
          mod(floor_div(mod(linear, 960), 60), 2), mod(linear, 60)};
}

void BM_Construct(benchmark::State& state) {
  ExprContext context;
  for (auto _ : state) benchmark::DoNotOptimize(delinearised(context));
}
BENCHMARK(BM_Construct);

void BM_SimplifyWarm(benchmark::State& state) {
  ExprContext context;
  Simplifier simplifier;
  const std::vector<Expr> exprs = delinearised(context);
  for (auto _ : state) {
    simplifier.set_bounds({.dimensions = kDigits});
    for (const Expr expr : exprs) benchmark::DoNotOptimize(simplifier.simplify(expr));
  }
}
BENCHMARK(BM_SimplifyWarm);

void BM_SimplifyFresh(benchmark::State& state) {
  for (auto _ : state) {
    ExprContext context;
    Simplifier simplifier;
    simplifier.set_bounds({.dimensions = kDigits});
    for (const Expr expr : delinearised(context)) {
      benchmark::DoNotOptimize(simplifier.simplify(expr));
    }
  }
}
BENCHMARK(BM_SimplifyFresh);

void BM_Evaluate(benchmark::State& state) {
  ExprContext context;
  const std::vector<Expr> exprs = delinearised(context);
  Evaluator evaluator(exprs);
  std::int64_t point[] = {3, 5, 6, 7};
  std::int64_t values[4];
  for (auto _ : state) {
    point[3] = (point[3] + 1) % 15;
    benchmark::DoNotOptimize(evaluator({.dimensions = point}, values));
  }
}
BENCHMARK(BM_Evaluate);

}  // namespace
}  // namespace mercator
