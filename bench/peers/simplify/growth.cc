#include "bench/peers/simplify/growth.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

#include "bench/peers/simplify/lines.h"
#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"

namespace mercator::peers {
namespace {

constexpr int kRuns = 5;
// One run is enough of what takes this long.
constexpr std::int64_t kLong = 500'000'000;

struct Subject {
  Expr expr;
  std::vector<Interval> bounds;
};

Expr variable(ExprContext& context, std::int64_t i) {
  return context.dimension(static_cast<std::uint32_t>(i));
}

// (1*d0 + 8*d1 + 15*d2 + …) floordiv 64 * 100 + (the same) mod 48
Subject divided_sum(ExprContext& context, std::int64_t terms) {
  std::vector<Term> sum;
  for (std::int64_t i = 0; i < terms; ++i) sum.push_back({variable(context, i), 1 + 7 * i % 512});
  const Expr numerator = context.sum(sum);
  return {.expr = floor_div(numerator, 64) * 100 + mod(numerator, 48),
          .bounds = std::vector(static_cast<std::size_t>(terms), Interval{0, 15})};
}

// d0 floordiv 2 + 2*(d1 floordiv 3) + 3*(d2 floordiv 4) + …, with d_i mod … in between
Subject sum_of_quotients(ExprContext& context, std::int64_t terms) {
  std::vector<Term> sum;
  for (std::int64_t i = 0; i < terms; ++i) {
    const Expr x = variable(context, i / 2);
    const std::int64_t n = 2 + i / 2 % 13;
    sum.push_back({i % 2 == 0 ? floor_div(x, n) : mod(x, n), i % 2 == 0 ? n : 1 + i % 3});
  }
  return {.expr = context.sum(sum),
          .bounds = std::vector(static_cast<std::size_t>((terms + 1) / 2), Interval{0, 99})};
}

// s = (s*3 + d1) mod m + (d2*2 + d0) floordiv n, `depth` times, from s = d0.
Subject nested(ExprContext& context, std::int64_t depth, std::int64_t m, std::int64_t n) {
  const Expr d0 = variable(context, 0);
  const Expr d1 = variable(context, 1);
  const Expr d2 = variable(context, 2);
  Expr s = d0;
  for (std::int64_t i = 0; i < depth; ++i) {
    s = mod(s * 3 + d1, m) + floor_div(d2 * 2 + d0, n);
  }
  return {.expr = s, .bounds = std::vector(3, Interval{0, 63})};
}

// Nanoseconds in a context of its own, each run in a domain of its own.
template <class Make>
std::int64_t time_of(Make make) {
  ExprContext context;
  const Subject subject = make(context);
  Simplifier simplifier;
  const auto run = [&] {
    simplifier.set_bounds({.dimensions = subject.bounds});
    simplifier.simplify(subject.expr);
  };
  const std::int64_t first = fastest(1, run);
  return first > kLong ? first : std::min(first, fastest(kRuns - 1, run));
}

// `make(context, size)` for each size.
template <std::size_t N, class Make>
void print_series(const char* what, const char* unit, const std::array<std::int64_t, N>& sizes,
                  Make make) {
  fmt::print("{}\n", what);
  for (const std::int64_t size : sizes) {
    const auto nanoseconds =
        static_cast<double>(time_of([&](ExprContext& context) { return make(context, size); }));
    fmt::print("  {:>6} {}s {:>12.3f} us {:>10.3f} us a {}\n", size, unit, nanoseconds / 1e3,
               nanoseconds / 1e3 / static_cast<double>(size), unit);
  }
}

}  // namespace

void print_growth() {
  constexpr std::array<std::int64_t, 4> kTerms = {10, 100, 1'000, 10'000};
  print_series("sum under a quotient and a remainder", "term", kTerms, divided_sum);
  print_series("sum of quotients and remainders", "term", kTerms, sum_of_quotients);
  constexpr std::array<std::int64_t, 4> kDepths = {5, 10, 20, 30};
  for (const auto& [m, n] : {std::pair{7, 5}, std::pair{16, 4}, std::pair{100, 12}}) {
    const std::string what =
        fmt::format("s = (s*3 + d1) mod {} + (d2*2 + d0) floordiv {}, nested", m, n);
    print_series(what.c_str(), "level", kDepths, [&](ExprContext& context, std::int64_t depth) {
      return nested(context, depth, m, n);
    });
  }
}

}  // namespace mercator::peers
