// Where simplifiers of index maps go wrong: each kind of input as a whole, on both sides of what
// decides about it, compared with the reference semantics point by point.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/certify.h"
#include "mercator/map/index_map.h"
#include "test/map/reference.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class SimplificationEdges : public testing::Test {
 protected:
  IndexMap parse(std::string_view text) {
    Result<IndexMap> map = parse_index_map(text, context_);
    EXPECT_TRUE(map) << text << "\n" << map.error().message;
    return map ? *std::move(map) : IndexMap(context_);
  }

  static std::string text(const IndexMap& map) { return to_string(map, MapStyle::kOneLine); }

  // Simplifies; a second time changes nothing.
  IndexMap simplified(const IndexMap& map) {
    IndexMap result = simplify_(map);
    EXPECT_TRUE(simplify_(result) == result)
        << text(map) << "\nbecame " << text(result) << "\nand then " << text(simplify_(result));
    return result;
  }

  // Simplifies a map with a small domain, and compares all pairs.
  IndexMap check(const IndexMap& map) {
    IndexMap result = simplified(map);
    EXPECT_TRUE(map_test::reference_relation_like(result, map) == map_test::reference_relation(map))
        << text(map) << "\nbecame " << text(result);
    return result;
  }
  IndexMap check(std::string_view text) { return check(parse(text)); }
  // The same, and it has to be found empty exactly if it is.
  void check_emptiness(std::string_view text) {
    const IndexMap map = parse(text);
    EXPECT_EQ(check(map).is_known_empty(), map_test::reference_relation(map).empty()) << text;
  }

  // Simplifies a map of dimensions with a large domain: isl compares all points, the reference
  // those with the given values.
  IndexMap check_at(std::string_view map_text, const std::vector<std::int64_t>& values) {
    const IndexMap map = parse(map_text);
    IndexMap result = simplified(map);
    const Certification answer = certify(map, result);
    EXPECT_TRUE(answer.certificate == Certificate::kEqual ||
                answer.certificate == Certificate::kNotQuasiAffine)
        << text(map) << "\nbecame " << text(result) << "\n"
        << answer.reason;
    std::vector<std::int64_t> point(map.dimensions().size());
    compare_at(map, result, values, 0, point);
    return result;
  }

 private:
  void compare_at(const IndexMap& map, const IndexMap& result,
                  const std::vector<std::int64_t>& values, std::size_t next,
                  std::vector<std::int64_t>& point) {
    if (next == point.size()) {
      EXPECT_TRUE(map_test::reference_results(map, {.dimensions = point}) ==
                  map_test::reference_results(result, {.dimensions = point}))
          << text(map) << "\nbecame " << text(result) << "\nat ("
          << fmt::format("{}", fmt::join(point, ", ")) << ")";
      return;
    }
    for (const std::int64_t value : values) {
      if (HasFailure()) return;
      point[next] = value;
      compare_at(map, result, values, next + 1, point);
    }
  }

  ExprContext context_;
  MapSimplifier simplify_;
};

// Values at both ends of int64, about zero and about powers of two.
std::vector<std::int64_t> far_values() {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i <= 9; ++i) {
    values.insert(values.end(), {kMin + i, kMax - i, i, -i});
    values.insert(values.end(),
                  {(std::int64_t{1} << 62) - 4 + i, -(std::int64_t{1} << 62) - 4 + i});
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

// ---- constraints on sums ----

TEST_F(SimplificationEdges, SumsWithACommonFactorAndARest) {
  for (const int g : {2, 3, 8, -2, -5}) {
    for (int b_lo = -4; b_lo <= 4; ++b_lo) {
      for (const int b_size : {1, 2, 3, 5, 8, 11}) {
        for (const int upper : {0, 1, 2, 4, 5, 7, 8, 15, 23}) {
          for (const int lower : {0, 1, -3}) {
            check(
                fmt::format("(a, b) -> (a, b), domain: a in [-3, 4], b in [{}, {}], "
                            "a * {} + b in [{}, {}]",
                            b_lo, b_lo + b_size - 1, g, lower, upper));
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(SimplificationEdges, SumsWithSeveralCommonFactors) {
  for (const int g : {2, 4, 6}) {
    for (int b_lo = -2; b_lo <= 3; ++b_lo) {
      for (int upper = -1; upper <= 25; ++upper) {
        check(fmt::format(
            "(a, b, c) -> (a * {0} + c * {1} + b), domain: a in [0, 3], b in [{2}, {3}], "
            "c in [-1, 1], a * {0} + c * {1} + b in [0, {4}]",
            g, g * 3, b_lo, b_lo + g - 1, upper));
        if (HasFailure()) return;
      }
    }
  }
}

// ---- residues ----

TEST_F(SimplificationEdges, OneResidue) {
  for (int c = 1; c <= 7; ++c) {
    for (int r = -2; r <= c + 2; ++r) {
      for (const int lo : {-15, -7, -1, 0, 3}) {
        for (const int size : {1, 2, 6, 20}) {
          const std::string domain = fmt::format("x in [{}, {}], ", lo, lo + size - 1);
          check_emptiness(fmt::format("(x) -> (x floordiv {0}), domain: {1}x mod {0} in [{2}, {2}]",
                                      c, domain, r));
          check_emptiness(fmt::format("(x) -> (x), domain: {1}(x * -1 + 3) mod {0} in [{2}, {2}]",
                                      c, domain, r));
          check(fmt::format("(y)[x] -> (x + y), domain: y in [0, 1], {1}x mod {0} in [{2}, {2}]", c,
                            domain, r));
          check(fmt::format("(x) -> (x), domain: {1}x mod -{0} in [{2}, {2}]", c, domain, -r));
          check(fmt::format("(x) -> (x), domain: {1}x mod {0} in [{2}, {3}]", c, domain, r, r + 1));
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SimplificationEdges, TwoResidues) {
  for (int c1 = 2; c1 <= 6; ++c1) {
    for (int r1 = 0; r1 < c1; ++r1) {
      for (int c2 = 2; c2 <= 6; ++c2) {
        for (int r2 = 0; r2 <= c2; ++r2) {
          check_emptiness(
              fmt::format("(x) -> (x mod 4), domain: x in [-40, 40], x mod {} in [{}, {}], "
                          "x mod {} in [{}, {}]",
                          c1, r1, r1, c2, r2, r2));
          check(
              fmt::format("()[x] -> (x), domain: x in [-31, 29], x mod {} in [{}, {}], "
                          "x mod {} in [{}, {}]",
                          c1, r1, r1, c2, r2, r2));
        }
        if (HasFailure()) return;
      }
    }
  }
}

// Bounds and a residue of what is itself a remainder or quotient.
TEST_F(SimplificationEdges, ResiduesOfRemaindersAndQuotients) {
  for (int c = 2; c <= 6; ++c) {
    for (const std::string& inner : {fmt::format("x mod {}", c), fmt::format("x floordiv {}", c)}) {
      for (int m = 2; m <= 4; ++m) {
        for (int r = -1; r <= m; ++r) {
          for (int lo = 0; lo <= 2; ++lo) {
            for (int hi = lo; hi <= 4; ++hi) {
              check(
                  fmt::format("(x) -> (x), domain: x in [0, 13], {0} in [{1}, {2}], "
                              "({0} - {3}) mod {4} in [0, 0]",
                              inner, lo, hi, r, m));
              check(fmt::format(
                  "(y)[x] -> (({0} - {3}) floordiv {4} + y), domain: y in [0, 1], "
                  "x in [-5, 8], {0} - {3} in [{1}, {2}], ({0} - {3}) mod {4} in [0, 0]",
                  inner, lo, hi, r, m));
            }
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

// A runtime variable has the values that the program gives it: its bounds and its meaning stay.
TEST_F(SimplificationEdges, RuntimeVariablesAreNotRescaled) {
  for (int c = 2; c <= 6; ++c) {
    for (int r = 0; r <= c; ++r) {
      for (const int lo : {-9, 0, 2}) {
        const IndexMap map =
            parse(fmt::format("(x){{rt}} -> (x + rt, rt floordiv {0}, rt mod {0}), domain: x in "
                              "[0, 3], rt in [{1}, {2}], "
                              "rt mod {0} in [{3}, {3}]",
                              c, lo, lo + 20, r));
        const IndexMap result = check(map);
        if (HasFailure()) return;
        if (result.is_known_empty()) continue;
        ASSERT_EQ(result.runtimes().size(), 1) << text(result);
        EXPECT_EQ(result.runtimes()[0].bounds, map.runtimes()[0].bounds) << text(result);
        EXPECT_EQ(certify(map, result).certificate, Certificate::kEqual) << text(result);
      }
    }
  }
}

// ---- quotients ----

TEST_F(SimplificationEdges, QuotientsByNegativeNumbers) {
  for (int n = -7; n <= 7; ++n) {
    if (n == 0) continue;
    for (int lo = -4; lo <= 4; ++lo) {
      for (int hi = lo - 1; hi <= lo + 3; ++hi) {
        check(
            fmt::format("(x) -> (x floordiv {0}, x mod {0}), domain: x in [-17, 17], x floordiv "
                        "{0} in [{1}, {2}]",
                        n, lo, hi));
        check(
            fmt::format("(x, y) -> (x), domain: x in [-9, 9], y in [-1, 1], (x * 2 + y) floordiv "
                        "{} in [{}, {}]",
                        n, lo, hi));
      }
      check(fmt::format("(x) -> (x), domain: x in [-17, 17], x floordiv {} in [{}, {}]", n, kMin,
                        lo));
      check(fmt::format("(x) -> (x), domain: x in [-17, 17], x floordiv {} in [{}, {}]", n, lo,
                        kMax));
      if (HasFailure()) return;
    }
  }
}

TEST_F(SimplificationEdges, DivisorsWhoseRangeContainsZero) {
  for (int lo = -3; lo <= 1; ++lo) {
    for (int hi = lo; hi <= 3; ++hi) {
      for (const std::string_view operation : {"floordiv", "mod", "ceildiv"}) {
        const std::string domain = fmt::format(", domain: x in [-5, 5], y in [{}, {}]", lo, hi);
        const std::string expr = fmt::format("x {} y", operation);
        check("(x, y) -> (" + expr + ")" + domain);
        check("(x, y) -> ((" + expr + ") * 0)" + domain);
        check("(x, y) -> (x)" + domain + ", " + expr + " in [-2, 1]");
        check("(x, y) -> (x)" + domain + ", " + expr + " in [-99, 99]");
        check("(x)[y] -> (min(" + expr + ", 2))" + domain);
        check("(x, y) -> ((x * y) floordiv y, (x * y) mod y)" + domain);
        check("(x, y) -> (x floordiv (y * 2), (x " + std::string(operation) + " y) mod 2)" +
              domain);
      }
      if (HasFailure()) return;
    }
  }
}

// ---- products ----

TEST_F(SimplificationEdges, ProductsOfVariables) {
  for (int x_lo = -2; x_lo <= 1; ++x_lo) {
    for (int x_hi = x_lo; x_hi <= 2; ++x_hi) {
      for (int y_lo = -2; y_lo <= 1; ++y_lo) {
        for (int y_hi = y_lo; y_hi <= 2; ++y_hi) {
          const std::string domain =
              fmt::format(", domain: x in [{}, {}], y in [{}, {}]", x_lo, x_hi, y_lo, y_hi);
          for (int lo = -1; lo <= 1; ++lo) {
            for (int hi = lo - 1; hi <= 1; ++hi) {
              check(fmt::format("(x, y) -> (x, y){}, x * y in [{}, {}]", domain, lo, hi));
              check(fmt::format("(x)[y] -> (x * y){}, x * y * 3 + 1 in [{}, {}]", domain, lo, hi));
            }
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

// ---- emptiness ----

TEST_F(SimplificationEdges, EmptyOnlyByTwoConstraintsTogether) {
  for (int gap = -3; gap <= 3; ++gap) {
    for (int slack = -1; slack <= 3; ++slack) {
      check(fmt::format(
          "(x, y) -> (x), domain: x in [0, 5], y in [0, 5], x - y in [{}, 9], y - x in [{}, 9]",
          gap, slack - gap));
      check(
          fmt::format("(x)[s] -> (x), domain: x in [0, 5], s in [0, 5], x + s in [{}, 20], x * 2 + "
                      "s * 2 in [0, {}]",
                      4 + gap, 8 + slack));
      check(fmt::format(
          "(x) -> (x), domain: x in [0, 20], x floordiv 4 in [{}, 9], x floordiv 3 in [0, {}]",
          2 + gap, 2 + slack));
      check(fmt::format("(x) -> (x), domain: x in [0, 20], x mod 4 in [{0}, {0}], x in [{1}, {2}]",
                        gap + 3, 8 + slack, 9 + slack));
      check(fmt::format(
          "(x, y) -> (x), domain: x in [0, 5], y in [0, 5], max(x, y) in [0, {}], x + y in [{}, 9]",
          2 + slack, 5 + gap));
    }
  }
}

TEST_F(SimplificationEdges, CrossedIntervalsAreEmpty) {
  const std::int64_t ends[] = {kMin, kMin + 1, -1, 0, 1, 7, kMax - 1, kMax};
  for (const std::int64_t lo : ends) {
    for (const std::int64_t hi : ends) {
      if (lo <= hi) continue;
      for (const std::string& map : {
               fmt::format("(x) -> (x floordiv 8), domain: x in [{}, {}]", lo, hi),
               fmt::format("(x)[s] -> (x), domain: x in [0, 9], s in [{}, {}]", lo, hi),
               fmt::format("(x){{r}} -> (x), domain: x in [0, 9], r in [{}, {}]", lo, hi),
               fmt::format("(x) -> (x mod 8), domain: x in [0, 9], x in [{}, {}]", lo, hi),
               fmt::format("(x, y) -> (x), domain: x in [0, 9], y in [0, 9], x + y in [{}, {}]", lo,
                           hi),
               fmt::format("(x, y) -> (x), domain: x in [0, 9], y in [0, 9], x * y in [{}, {}]", lo,
                           hi),
               fmt::format("(x) -> (x), domain: x in [0, 9], x mod 3 in [{}, {}]", lo, hi),
               fmt::format("(x) -> (x), domain: x in [0, 9], x floordiv 3 in [{}, {}]", lo, hi),
               fmt::format("(x) -> (x), domain: x in [0, 9], min(x, 4) in [{}, {}]", lo, hi),
               fmt::format("() -> (5), domain: 5 in [{}, {}]", lo, hi),
           }) {
        EXPECT_TRUE(simplified(parse(map)).is_known_empty()) << map;
      }
    }
  }
}

// ---- the ends of int64 ----

TEST_F(SimplificationEdges, EndsOfInt64ThatMeanUnbounded) {
  const std::vector<std::int64_t> values = far_values();
  for (const std::int64_t factor :
       {std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{-3}, kMax, kMin}) {
    for (const std::int64_t constant :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{5}, kMax, kMin + 1}) {
      for (const auto& [lo, hi] :
           std::vector<std::pair<std::int64_t, std::int64_t>>{{kMin, 5},
                                                              {-5, kMax},
                                                              {kMin, kMax},
                                                              {kMin + 1, 7},
                                                              {-7, kMax - 1},
                                                              {kMin, kMin},
                                                              {kMax, kMax}}) {
        check_at(
            fmt::format("(x) -> (x), domain: x * {} + {} in [{}, {}]", factor, constant, lo, hi),
            values);
        check_at(
            fmt::format("(x) -> (x), domain: (x + {}) floordiv 4 in [{}, {}]", constant, lo, hi),
            values);
        check_at(fmt::format("(x) -> (x), domain: x in [{}, {}], x - 3 in [-9, {}]", lo, hi, kMax),
                 values);
        check_at(
            fmt::format("(x) -> (x * {} + {}), domain: x in [{}, {}]", factor, constant, lo, hi),
            values);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SimplificationEdges, RemaindersOverDomainsThatReachTheEnds) {
  const std::vector<std::int64_t> values = far_values();
  const std::int64_t half = std::int64_t{1} << 62;
  for (const std::int64_t n :
       {std::int64_t{2}, std::int64_t{3}, std::int64_t{8}, std::int64_t{1000}, half, half + 1, kMax,
        kMin, kMin + 1, std::int64_t{-3}}) {
    for (const auto& [lo, hi] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{kMin, kMax},
                                                            {kMin + 1, kMax - 1},
                                                            {0, kMax},
                                                            {kMin, -1},
                                                            {half - 3, half + 3},
                                                            {-half, half},
                                                            {kMax - 5, kMax},
                                                            {kMin, kMin + 5}}) {
      const std::string domain = fmt::format(", domain: x in [{}, {}]", lo, hi);
      for (const std::string& expr : {
               fmt::format("x mod {}", n),
               fmt::format("x floordiv {}", n),
               fmt::format("(x + 7) mod {}", n),
               fmt::format("(x - 7) floordiv {}", n),
               fmt::format("(x * 3) mod {}", n),
               fmt::format("(x + {}) mod {}", kMax, n),
               fmt::format("(x * {}) floordiv {}", kMax, n),
               fmt::format("x - (x floordiv {0}) * {0}", n),
               fmt::format("(x mod {}) floordiv 2 + min(x, {})", n, kMax),
               fmt::format("(x floordiv {}) mod 4", n),
           }) {
        check_at("(x) -> (" + expr + ")" + domain, values);
        check_at("(x) -> (x)" + domain + ", " + expr + " in [0, 5]", values);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_F(SimplificationEdges, SumsThatLeaveInt64OnTheWay) {
  const std::vector<std::int64_t> values = {kMin, kMin + 1, -(kMax / 2), -7,       -1,  0,
                                            1,    5,        kMax / 2,    kMax - 1, kMax};
  for (const std::int64_t a : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{4}, kMax}) {
    for (const std::int64_t b : {std::int64_t{1}, std::int64_t{-4}, kMax}) {
      for (const auto& [lo, hi] : std::vector<std::pair<std::int64_t, std::int64_t>>{
               {0, kMax - 1}, {kMin + 1, 4}, {kMin, kMax}, {-5, 5}}) {
        const std::string sum = fmt::format("x * {} + y * {}", a, b);
        check_at(fmt::format("(x, y) -> (x, y), domain: {} in [{}, {}]", sum, lo, hi), values);
        check_at(fmt::format("(x, y) -> (({}) floordiv 4, ({}) mod 4), domain: x in [{}, {}]", sum,
                             sum, lo, hi),
                 values);
        if (HasFailure()) return;
      }
    }
  }
}

// ---- composition ----

TEST_F(SimplificationEdges, BoundsThatMeetInAConstraint) {
  for (int offset = -3; offset <= 3; ++offset) {
    for (const int stride : {1, 2, -1, -3}) {
      for (int size = 0; size <= 7; ++size) {
        for (int lo = -1; lo <= 1; ++lo) {
          const IndexMap first = parse(fmt::format(
              "(x)[s] -> (x * {} + s + {}, x), domain: x in [0, 4], s in [0, 1]", stride, offset));
          const IndexMap second =
              parse(fmt::format("(a, b)[s] -> (a floordiv 2, b + s), domain: a in [{}, {}], b in "
                                "[1, 3], s in [0, 2], a + s in [0, 6]",
                                lo, lo + size - 1));
          const IndexMap composed = compose(first, second);
          std::set<RelatedPair> joined;
          const std::set<RelatedPair> second_pairs = map_test::reference_relation(second);
          for (const RelatedPair& a : map_test::reference_relation(first)) {
            for (const RelatedPair& b : second_pairs) {
              if (a.to == b.from) joined.insert({.runtimes = {}, .from = a.from, .to = b.to});
            }
          }
          EXPECT_TRUE(map_test::reference_relation(composed) == joined) << text(composed);
          check(composed);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// The residues of coefficients near zero, of a divisor above half of int64.
TEST_F(SimplificationEdges, ResiduesOfLargeDivisors) {
  check(
      "(d0, d1) -> ((d0 * 4611686018427387900 + d1 * 9223372036854775756 + 57) floordiv "
      "9223372036854775780), domain: d0 in [0, 1], d1 in [0, 1]");
  check(
      "(d0, d1) -> ((d0 * 17 + d1 * 30 + 5) floordiv 9223372036854775807 + d0), domain: d0 in "
      "[0, 1], d1 in [0, 1]");
}

// Sums that do not fit int64 hold sums: nothing is moved within them, for it would not cancel.
TEST_F(SimplificationEdges, SumsThatHoldSums) {
  check(
      "(d0) -> ((-((d0 + 4) + ((d0 * 19 - 3) * -9223372036854775807))) mod 3), domain: d0 in "
      "[0, 8]");
  check(
      "(d0, d1) -> (max(d0 * -9223372036854775805 + d1 * 11 + 13, d0 * 5 - d1 * 69 - 16)), domain: "
      "d0 in [0, 9], d1 in [4611686018427387902, 4611686018427387902]");
}

// Of a grid the base, given the others, may become another expression; the residue goes with it.
TEST_F(SimplificationEdges, GridsGivenOtherConstraints) {
  check_at(
      "(d1, d2) -> (0), domain: d1 in [0, 4], d2 in [0, 20727639528], d2 - 3 in [0, 20727639526], "
      "((d1 * 20727639527 + d2 - 3) floordiv 14805456805) mod 7 - 3 in [0, 0], "
      "(((d1 * 20727639527 + d2 - 3) floordiv 14805456805) mod 7 - 3) mod 2 in [0, 0], "
      "(((d1 * 20727639527 + d2 - 3) floordiv 14805456805) mod 7 - 3) floordiv 2 in [0, 0]",
      {0, 2, 3, 4, 9602900271, 20727639528});
}

// The residue of a sum tells a quotient of one of its terms, but not where another term has just
// that quotient in it.
TEST_F(SimplificationEdges, ResidueOfSumThatHasTheQuotient) {
  const std::string sum = "t + min(a - s, -1) + min(r + (min(a - s, -1)) floordiv 6, s - 7) * 6";
  check("(a, s, t, r) -> ((" + sum +
        " + 1) floordiv 18), domain: a in [0, 11], s in [1, 12], t in [1, 6], r in [0, 2], "
        "t + min(a - s, -1) in [5, 6], (" +
        sum + " + 1) mod 18 in [0, 0]");
}

}  // namespace
}  // namespace mercator
