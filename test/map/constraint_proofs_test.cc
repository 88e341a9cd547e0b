// Every rule for constraints is proved by Z3, twice: what its text says, for all integers under its
// guard; and each step that the simplifier of maps reports, for all points of the domain.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/text.h"
#include "mercator/map/index_map.h"
#include "test/expr/rule_proof.h"
#include "test/expr/z3_proof.h"
#include "test/map/random_chain.h"
#include "test/map/random_map.h"
#include "test/support/case_file.h"

namespace mercator {
namespace {

using test::Conditions;
using test::Equivalence;
using test::Proof;
using test::StatementProof;
using test::Verdict;
using test::Z3Prover;

// ---- what a rule says ----

// The line about a rule in docs/rules.md.
std::string documented(const SimplifierRule& rule, std::string_view method) {
  const std::string guard = rule.guard.empty() ? "" : fmt::format(" `{}`", rule.guard);
  return fmt::format("| {} | `{}` |{} | {} |\n", rule.name, rule.algebra, guard, method);
}

std::string rules_page() {
  std::ifstream file(MERCATOR_SOURCE_DIR "/docs/rules.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ConstraintProofs, WhatTheRulesSay) {
  std::string table;
  for (const SimplifierRule& rule : constraint_rules()) {
    Z3Prover prover;  // its own: Z3 gets slower with what it has learnt
    const StatementProof result = test::prove_statement(rule, prover);
    fmt::print("{:42} {}\n", rule.name, result.method);
    table += documented(rule, result.method);
    EXPECT_EQ(result.proof.verdict, Verdict::kProved)
        << rule.name << ": " << rule.algebra << " if " << rule.guard << "\n"
        << result.method << " " << result.proof.counterexample;
  }
  EXPECT_NE(rules_page().find("|---|\n" + table + "\n"), std::string::npos)
      << "docs/rules.md should have this table:\n"
      << table;
}

struct RuleText {
  std::string_view algebra;
  std::string_view guard;
};

TEST(ConstraintProofs, WrongStatementsAreRefuted) {
  static constexpr RuleText kWrong[] = {
      {"x in [a, b] -> nothing", "x in [p, q], p >= a"},
      {"f*x + c in [a, b] -> x in [(a - c) floordiv f, (b - c) floordiv f]", ""},
      {"x floordiv n in [a, b] -> x in [a*n, b*n + n]", ""},
      {"x floordiv n in [a, b] -> x in [a*n, b*n]", ""},
      {"max(x, y) in [a, b] -> x in [a, b] and y in [a, b]", ""},
      {"x in [a, b] and x in [p, q] -> x in [min(a, p), max(b, q)]", ""},
      {"x in [a, b] and x in [p, q] -> x in [p, min(b, q)]", ""},
      // No inverse.
      {"(2*x) mod n = 0 -> x mod n = 0", ""},
      {"x mod 4 = a and x mod 6 = b -> x mod 24 = c", "c mod 4 = a, c mod 6 = b"},
      // The first statement is right.
      {"x in [a, b] -> x in [a, b]; x in [a, b] -> x >= a", ""},
      {"x in [a, b] -> x in [a + (r - a) mod m, b - (r - b) mod m]", "(x - r) mod m = 0"},
      {"(x - r) mod m = 0 -> x in [k, k]", "(k - r) mod m = 0, x in [k - m, k + m - 1]"},
      {"x in [a, b] and y in [p, q] -> y in [p, q]", "y in [p, q] where x in [a, b]"},
      {"s in [a, b] -> s = m*t + r and t in [(a - r) ceildiv m, (b - r) floordiv m] for some t",
       ""},
      {"(s - r) mod m = 0 and s in [a, b] -> s = m*t + r and t in [a ceildiv m, b floordiv m] "
       "for some t",
       ""},
  };
  for (const RuleText& wrong : kWrong) {
    Z3Prover prover;
    const SimplifierRule rule = {"wrong", wrong.algebra, wrong.guard, false};
    const StatementProof result = test::prove_statement(rule, prover);
    EXPECT_EQ(result.proof.verdict, Verdict::kRefuted) << wrong.algebra << " " << result.method;
    EXPECT_FALSE(result.proof.counterexample.empty());
  }
}

TEST(ConstraintProofs, UnreadableStatementsAreNotProved) {
  static constexpr RuleText kUnreadable[] = {
      {"x in [a, b]", ""},
      {"x in [a, b] -> less", ""},
      {"x in [a, b] -> x in [a, b] for some u", ""},
      {"x in [a, b] -> x = t and t in [a, b] and s*t = 1 for some s", ""},
      {"x in [a, b] -> x*t = 1 for some t", ""},
      {"x in [a, b] -> x in [a, b]; x = y -> y = x", "a = b; b = a; a = b"},
      {"x in [a, b] -> x in [a, b]", "x in [a, b] where y = 1 where y = 2"},
      {"x in [a, b] or y = 1 -> x in [a, b]", ""},
  };
  for (const RuleText& text : kUnreadable) {
    Z3Prover prover;
    const SimplifierRule rule = {"unreadable", text.algebra, text.guard, false};
    EXPECT_EQ(test::prove_statement(rule, prover).proof.verdict, Verdict::kUnknown) << text.algebra;
  }
}

// ---- the steps of the simplifier ----

std::string text_of(const Constraint& constraint) {
  return fmt::format("{} in {}", to_string(constraint.expr), to_string(constraint.range));
}

void require(Conditions& conditions, const Constraint& constraint) {
  test::require_in(conditions, constraint.expr, constraint.range);
}

// Calls `visit` with every point of the bounds. False if there are many, or endlessly many.
template <class Visit>
bool for_each_value(const VariableBounds& bounds, Visit visit) {
  constexpr std::int64_t kMaxPoints = 20'000;
  std::vector<Interval> all;
  for (const auto some : {bounds.dimensions, bounds.ranges, bounds.runtimes}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::int64_t count = 1;
  for (const Interval one : all) {
    if (!one.is_bounded() || one.size() > kMaxPoints) return false;
    count *= one.size();
    if (count > kMaxPoints) return false;
  }
  std::vector<std::int64_t> point;
  for (const Interval one : all) point.push_back(one.lo);
  const std::span<const std::int64_t> values = point;
  const std::size_t d = bounds.dimensions.size();
  const std::size_t s = bounds.ranges.size();
  for (; count > 0; --count) {
    visit(VariableValues{values.first(d), values.subspan(d, s), values.subspan(d + s)});
    for (std::size_t i = 0; i < all.size() && ++point[i] > all[i].hi; ++i) point[i] = all[i].lo;
  }
  return true;
}

bool holds(const Constraint& constraint, const VariableValues& point) {
  const std::optional<std::int64_t> value = evaluate(constraint.expr, point);
  return value && constraint.range.contains(*value);
}

// Listens to a simplifier of maps and proves what it hears.
class StepProver {
 public:
  explicit StepProver(Z3Prover& prover) : prover_(prover) {}

  void hear(const ConstraintStep& step) {
    const Equivalence claim = claim_of(step);
    std::string text = fmt::format("{}: {} ->", step.rule->name, text_of(step.before));
    for (const Constraint& constraint : step.after) text += " " + text_of(constraint);
    text += fmt::format(" given {}", test::describe(claim.given));
    if (!seen_.insert(text).second) return;
    const Proof proof = prover_.prove(claim);
    if (proof.verdict == Verdict::kProved) {
      ++counts_[step.rule->name];
    } else if (proof.verdict == Verdict::kUnknown && holds_at_every_point(step)) {
      ++counts_[step.rule->name];
      ++by_evaluation_;
    } else {
      failures_.push_back(text + ": " + proof.counterexample);
    }
  }

  [[nodiscard]] std::int64_t count(std::string_view rule) const {
    const auto found = counts_.find(rule);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::int64_t by_evaluation() const { return by_evaluation_; }
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  static bool is_rescaling(const ConstraintStep& step) {
    return step.rule->name == "range-variable-rescaled";
  }

  static Equivalence claim_of(const ConstraintStep& step) {
    ExprContext& context = step.before.expr.context();
    Equivalence claim;
    const auto add_bounds = [&](VariableKind kind, std::span<const Interval> bounds) {
      for (std::uint32_t i = 0; i < bounds.size(); ++i) {
        test::require_in(claim.given, context.variable({kind, i}), bounds[i]);
      }
    };
    add_bounds(VariableKind::kDimension, step.bounds.dimensions);
    add_bounds(VariableKind::kRange, step.bounds.ranges);
    add_bounds(VariableKind::kRuntime, step.bounds.runtimes);
    for (const Constraint& other : step.others) require(claim.given, other);
    require(claim.before, step.before);
    if (is_rescaling(step)) {
      // s = m*t + r for some t within the bounds: m divides s - r, and the quotient is within them.
      const Expr expr = step.after[0].expr;
      const Expr s = step.after[1].expr;
      const Expr rest = s - expr.constant();
      const std::int64_t m = expr.coefficients()[0];
      claim.after.push_back({mod(rest, m), test::Condition::Kind::kZero});
      test::require_in(claim.after, floor_div(rest, m), step.after[1].range);
    } else {
      for (const Constraint& constraint : step.after) require(claim.after, constraint);
    }
    return claim;
  }

  // For what Z3 cannot decide.
  static bool holds_at_every_point(const ConstraintStep& step) {
    if (is_rescaling(step)) return false;
    bool is_sound = true;
    const bool is_small = for_each_value(step.bounds, [&](const VariableValues& point) {
      const auto is_true = [&](const Constraint& constraint) { return holds(constraint, point); };
      if (!std::ranges::all_of(step.others, is_true)) return;
      is_sound = is_sound && is_true(step.before) == std::ranges::all_of(step.after, is_true);
    });
    return is_small && is_sound;
  }

  Z3Prover& prover_;
  std::set<std::string> seen_;
  std::map<std::string_view, std::int64_t> counts_;
  std::int64_t by_evaluation_ = 0;
  std::vector<std::string> failures_;
};

// Make every rule fire.
constexpr std::string_view kMaps[] = {
    "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [0, 8]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 mod 10 in [0, 9]",
    "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], 3 - (d0 + d1) * 4 in [-14, 1]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], (d0 + d1) floordiv 4 in [1, 2]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], max(d0, d1 + d0) in [2, 4]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], min(d0, d1 * 2) in [3, 9]",
    "(d0) -> (d0), domain: d0 in [0, 40], (d0 - 3) floordiv 8 in [1, 2]",
    "(d0) -> (d0), domain: d0 in [0, 27], d0 * 4 mod 18 in [2, 2]",
    "(d0, d1) -> (d0), domain: d0 in [0, 27], d1 in [0, 9], (d0 * 14 - d1 * 4 + 2) mod 12 in [4, "
    "4]",
    "(d0) -> (d0), domain: d0 in [0, 50], d0 mod 4 in [1, 1], d0 mod 6 in [3, 3]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 9], d0 + d1 + 2 in [7, "
    "14]",
    "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 13], "
    "(d0 + d1) mod 4 in [0, 0]",
    "(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [3, 9], (d0 + d1) mod 10 in [7, 7]",
    "(d0, d1, d2) -> (d0), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 2], d0 + d1 in [2, 5], "
    "d0 + d1 + d2 in [2, 7]",
    "(d0, d1, d2) -> (d0), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 9], d0 + d1 in [0, 7], "
    "d2 + (d0 + d1) mod 8 in [0, 9]",
    "(d0) -> (d0), domain: d0 in [-9, 9], d0 * d0 in [0, 10]",
    "()[s0, s1] -> (s0 + s1), domain: s0 in [0, 29], s1 in [0, 9], s0 mod 6 in [3, 3], "
    "s0 + s1 in [5, 30]",
};

void simplify_and_prove(const IndexMap& map, StepProver& steps, std::vector<std::uint64_t>& fired) {
  const MapStepListener listener = {
      .on_expression = [](const SimplifierStep&) {},
      .on_constraint = [&](const ConstraintStep& step) { steps.hear(step); }};
  MapSimplifier simplifier;
  simplifier.set_listener(&listener);
  (void)simplifier(map);
  for (std::size_t i = 0; i < fired.size(); ++i) fired[i] += simplifier.constraint_rule_counts()[i];
}

// The maps of the expected results that are kept outside the repository; none if they are missing.
std::vector<std::string> shared_maps() {
  const auto text = testing::read_file(testing::shared_dir() / "cases" / "simplify.cases");
  if (!text) return {};
  const auto cases = testing::parse_cases(*text);
  std::vector<std::string> maps;
  if (!cases) return maps;
  for (const testing::Case& one : *cases) {
    for (const testing::CaseSection& section : one.sections) {
      if (section.name == "input") maps.push_back(section.text);
    }
  }
  return maps;
}

TEST(ConstraintProofs, EveryStepOfTheSimplifier) {
  Z3Prover prover;
  StepProver steps(prover);
  std::vector<std::uint64_t> fired(constraint_rules().size());
  std::vector<std::string> texts = shared_maps();
  texts.insert(texts.end(), std::begin(kMaps), std::end(kMaps));
  for (const std::string& text : texts) {
    ExprContext context;
    const Result<IndexMap> map = parse_index_map(text, context);
    ASSERT_TRUE(map) << text;
    simplify_and_prove(*map, steps, fired);
  }
  constexpr std::uint64_t kRandom = 300;
  for (std::uint64_t seed = 0; seed < kRandom; ++seed) {
    ExprContext context;
    simplify_and_prove(map_test::RandomMaps(context, 9000 + seed).map(), steps, fired);
    const map_test::ChainOptions options = {.max_steps = 3, .max_elements = 64};
    simplify_and_prove(map_test::RandomChains(context, 9000 + seed).map(options), steps, fired);
  }
  fmt::print("{} steps with products checked by evaluation\n", steps.by_evaluation());
  for (std::size_t i = 0; i < fired.size(); ++i) {
    const std::string_view name = constraint_rules()[i].name;
    fmt::print("{:42} used {} times, {} distinct steps proved\n", name, fired[i],
               steps.count(name));
    EXPECT_GT(steps.count(name), 0) << name;
  }
  EXPECT_TRUE(steps.failures().empty()) << steps.failures().size() << " steps, the first:\n"
                                        << steps.failures()[0];
}

// Steps that say too much, too little, or what does not hold given the others.
TEST(ConstraintProofs, WrongStepsAreRefuted) {
  ExprContext context;
  const auto read = [&](std::string_view text) {
    ExprLexer lexer(text);
    const auto lookup = [&](std::string_view name) {
      return name == "s0" ? context.range(0) : context.dimension(name == "d0" ? 0 : 1);
    };
    return *parse_expr(lexer, context, lookup);
  };
  const auto rule = [](std::string_view name) {
    return &*std::ranges::find(constraint_rules(), name, &SimplifierRule::name);
  };
  const std::array<Interval, 2> bounds = {{{0, 9}, {0, 9}}};
  const std::array<Interval, 1> ranges = {{{0, 29}}};
  const Expr sum = read("d0 + d1");
  struct Step {
    std::string_view rule;
    Constraint before;
    std::vector<Constraint> after;
    std::vector<Constraint> others;
  };
  const auto failures = [&](const Step& step) {
    Z3Prover prover;
    StepProver steps(prover);
    steps.hear({.rule = rule(step.rule),
                .before = step.before,
                .after = step.after,
                .bounds = {.dimensions = bounds, .ranges = ranges},
                .others = step.others});
    return steps.failures().size();
  };
  const Constraint low = {sum, {0, 7}};
  const Step kRight[] = {
      {"constraint-always-holds", {sum, {0, 18}}, {}, {}},
      {"constraint-implied", {read("d0 + d1 * 2"), {0, 16}}, {}, {low}},
      {"range-variable-rescaled",
       {read("s0 mod 6"), {3, 3}},
       {{read("s0 * 6 + 3"), {0, 29}}, {read("s0"), {0, 4}}},
       {}},
      {"constraint-by-trial", {read("d0 * d0"), {0, 10}}, {{read("d0"), {0, 3}}}, {}},
  };
  const Step kWrong[] = {
      {"constraint-always-holds", {sum, {0, 17}}, {}, {}},
      {"constraint-implied", {read("d0 + d1 * 2"), {0, 13}}, {}, {low}},
      {"constraint-implied", {read("d0 + d1 * 2"), {0, 16}}, {}, {}},
      {"constraint-sum-moved", {read("d0 + d0"), {0, 9}}, {{read("d0"), {0, 5}}}, {}},
      {"constraint-extremum-split", {read("max(d0, d1)"), {2, 4}}, {{read("d0"), {0, 4}}}, {}},
      {"range-variable-rescaled",
       {read("s0 mod 6"), {3, 3}},
       {{read("s0 * 6 + 3"), {0, 29}}, {read("s0"), {0, 3}}},
       {}},
      {"range-variable-rescaled",
       {read("s0 mod 6"), {3, 3}},
       {{read("s0 * 6 + 4"), {0, 29}}, {read("s0"), {0, 4}}},
       {}},
      {"constraint-by-trial", {read("d0 * d0"), {0, 10}}, {{read("d0"), {0, 4}}}, {}},
      // A divisor that may be zero takes points out of the domain.
      {"constraint-always-holds", {read("d0 mod d1"), Interval::all()}, {}, {}},
  };
  for (const Step& step : kRight) EXPECT_EQ(failures(step), 0u) << text_of(step.before);
  for (const Step& step : kWrong) EXPECT_EQ(failures(step), 1u) << text_of(step.before);
}

}  // namespace
}  // namespace mercator
