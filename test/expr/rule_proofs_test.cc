// Every rule of the simplifier is proved by Z3, three times: what its text says, for all integers
// under its guard; what its code makes of many problems, for all values of their variables; and
// each step that the simplifier reports, for all points of the domain.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "test/expr/parsed_exprs.h"
#include "test/expr/random_expr.h"
#include "test/expr/rule_proof.h"
#include "test/expr/z3_proof.h"

namespace mercator {
namespace {

using internal::QuotientProblem;
using test::Claim;
using test::CodeProof;
using test::CodeProver;
using test::Proof;
using test::QuotientInstance;
using test::StatementProof;
using test::Verdict;
using test::Z3Prover;

const SimplifierRule& description(internal::Rule rule) {
  return simplifier_rules()[static_cast<std::size_t>(rule)];
}

// ---- what a rule says ----

// What is proved of a rule.
std::string proofs_of(const SimplifierRule& rule) {
  std::string proofs = "statement";
  const auto is_of_rule = [&](const internal::QuotientRule& quotient_rule) {
    return &description(quotient_rule.rule) == &rule;
  };
  if (std::ranges::any_of(internal::quotient_rules(internal::kAllFeatures), is_of_rule))
    proofs += ", code";
  if (!rule.by_construction) proofs += ", steps";
  return proofs;
}

// The line about a rule in docs/rules.md.
std::string documented(const SimplifierRule& rule, std::string_view method) {
  const std::string guard = rule.guard.empty() ? "" : fmt::format(" `{}`", rule.guard);
  return fmt::format("| {} | `{}` |{} | {} | {} |\n", rule.name, rule.algebra, guard,
                     proofs_of(rule), method);
}

std::string rules_page() {
  std::ifstream file(MERCATOR_SOURCE_DIR "/docs/rules.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RuleProofs, WhatTheRulesSay) {
  Z3Prover prover;
  ASSERT_TRUE(prover.law_of_products_holds());
  const std::string page = rules_page();
  std::string table;
  for (const SimplifierRule& rule : simplifier_rules()) {
    const StatementProof result = test::prove_statement(rule, prover);
    fmt::print("{:42} {}\n", rule.name, result.method);
    table += documented(rule, result.method);
    EXPECT_EQ(result.proof.verdict, Verdict::kProved)
        << rule.name << ": " << rule.algebra << " if " << rule.guard << "\n"
        << result.method << " " << result.proof.counterexample;
  }
  // The page lists exactly these rules, as they are, and how each was proved.
  EXPECT_NE(page.find("|---|\n" + table + "\n"), std::string::npos)
      << "docs/rules.md should have this table:\n"
      << table;
}

struct WrongRule {
  std::string_view algebra;
  std::string_view guard;
};

TEST(RuleProofs, WrongStatementsAreRefuted) {
  static constexpr WrongRule kWrong[] = {
      {"x floordiv n -> k", "x in [k*n, k*n + n]"},
      {"x mod n -> x", "x in [0, n]"},
      {"(x floordiv m + y) floordiv n -> (x + y) floordiv (m*n)", ""},
      {"(x floordiv m) floordiv n -> x floordiv (m + n)", ""},
      {"(f*x + y) floordiv (f*n) -> x floordiv n", "y in [0, f]"},
      {"(k*(x mod m) + y) mod n -> (k*x + y) mod n", ""},
      {"min(x, y) -> x", "x - y >= 0"},
      {"min(x*z, y*z) -> min(x, y)*z", ""},
      {"(x*d + y) floordiv d -> y floordiv d", ""},
      {"x ceildiv n -> (x + n) floordiv n", ""},
      {"x floordiv (-n) -> -(x floordiv n)", ""},
      // Right where it has a value, but it may have none.
      {"x -> (x*y) floordiv y", ""},
  };
  Z3Prover prover;
  for (const WrongRule& wrong : kWrong) {
    const SimplifierRule rule = {"wrong", wrong.algebra, wrong.guard, false};
    const StatementProof result = test::prove_statement(rule, prover);
    EXPECT_EQ(result.proof.verdict, Verdict::kRefuted) << wrong.algebra << " " << result.method;
    EXPECT_FALSE(result.proof.counterexample.empty());
  }
}

TEST(RuleProofs, UnreadableStatementsAreNotProved) {
  static constexpr WrongRule kUnreadable[] = {
      {"x floordiv n", ""},         {"x floordiv n -> 0 -> 1", ""}, {"x -> u", ""},
      {"x -> x", "x is positive"},  {"x -> x", "x in [0, n"},       {"x -> x y", ""},
      {"x -> x", "x in [0, 1, 2]"},
  };
  Z3Prover prover;
  for (const WrongRule& wrong : kUnreadable) {
    const SimplifierRule rule = {"unreadable", wrong.algebra, wrong.guard, false};
    EXPECT_EQ(test::prove_statement(rule, prover).proof.verdict, Verdict::kUnknown);
  }
}

// ---- what its code does ----

// Draws problems for the rules of quotients.
class RandomQuotients {
 public:
  RandomQuotients(ExprContext& context, std::uint64_t seed)
      : context_(context), draw_(test::seeded_draw(seed)) {}

  QuotientInstance instance() {
    QuotientInstance instance;
    for (int i = 0; i < 2; ++i) instance.bounds.push_back(bounds());
    instance.divisor = draw_(2, 32);
    if (draw_(0, 7) == 0) add_grid(instance);
    if (draw_(0, 9) == 0) {
      const std::int64_t lo = draw_(-5, 5);
      instance.facts.push_back({variable() - variable() * small(), {lo, lo + draw_(0, 40)}});
    }
    const auto parts = draw_(1, 3);
    instance.numerator = context_.constant(draw_(0, 1) == 0 ? 0 : draw_(-40, 40));
    for (std::int64_t i = 0; i < parts; ++i) {
      instance.numerator = instance.numerator + part() * coefficient(instance.divisor);
    }
    if (draw_(0, 7) == 0) {
      // k*(x mod m) + c*n*(x floordiv m), with the remainder written out.
      const Expr x = variable();
      const std::int64_t m = small();
      const std::int64_t k = draw_(1, 3);
      instance.numerator =
          instance.numerator + x * k + floor_div(x, m) * (draw_(-2, 2) * instance.divisor - k * m);
    }
    if (!instance.facts.empty() && draw_(0, 1) == 0) {
      instance.numerator =
          instance.numerator + instance.facts[0].expr * coefficient(instance.divisor);
    }
    return instance;
  }

 private:
  Interval bounds() {
    const std::int64_t lo = draw_(-9, 9);
    switch (draw_(0, 7)) {
      case 0:
        return Interval::all();
      case 1:
        return {0, Interval::kPlusInfinity};
      case 2:
        return {lo, lo + 1};
      case 3:
        return {lo, lo + draw_(0, 40)};
      default:
        return {0, draw_(1, 31)};
    }
  }
  void add_grid(QuotientInstance& instance) {
    const std::int64_t n = draw_(2, 12);
    instance.facts.push_back(
        {mod(variable() + variable() * draw_(0, 2), n), Interval::point(draw_(0, n - 1))});
  }
  Expr variable() { return context_.dimension(static_cast<std::uint32_t>(draw_(0, 1))); }
  std::int64_t small() { return draw_(2, 8); }
  // Often one that has something to do with the divisor.
  std::int64_t coefficient(std::int64_t divisor) {
    switch (draw_(0, 5)) {
      case 0:
        return draw_(-32, 32);
      case 1:
        return draw_(0, 1) == 0 ? 1 : -1;
      case 2:
        return divisor * draw_(-2, 2) + draw_(-1, 1);
      default: {
        std::int64_t factor = draw_(1, divisor);
        while (divisor % factor != 0) --factor;
        return factor * draw_(1, 3);
      }
    }
  }
  Expr part() {
    const Expr x = draw_(0, 2) == 0 ? variable() * small() + variable() : variable();
    switch (draw_(0, 5)) {
      case 0:
        return floor_div(x, small());
      case 1:
        return mod(x, small());
      case 2:
        return mod(floor_div(x, small()), small());
      case 3:
        return floor_div(x + draw_(-5, 5), small()) * small() - x;
      default:
        return x;
    }
  }

  ExprContext& context_;
  test::Draw draw_;
};

// Gives every problem of a fixed list to `visit`, with its context.
template <class Visit>
void for_each_quotient(Visit visit) {
  // All of: one variable, small numbers.
  for (std::int64_t divisor = 2; divisor <= 8; ++divisor) {
    for (std::int64_t coefficient = -9; coefficient <= 9; ++coefficient) {
      for (const std::int64_t constant : {-9, -1, 0, 1, 4}) {
        for (const Interval bounds : {Interval{0, 3}, {-2, 1}, {4, 5}, Interval::all()}) {
          ExprContext context;
          const Expr numerator = context.dimension(0) * coefficient + constant;
          visit(QuotientInstance{{bounds}, {}, numerator, divisor}, context);
        }
      }
    }
  }
  // A sample of the rest.
  constexpr int kBatches = 40;
  constexpr int kInstances = 1000;
  for (int batch = 0; batch < kBatches; ++batch) {
    ExprContext context;
    RandomQuotients random(context, 300 + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < kInstances; ++i) visit(random.instance(), context);
  }
}

TEST(RuleProofs, WhatTheirCodeDoes) {
  constexpr std::int64_t kClaims = 800;  // to prove, of each rule
  Z3Prover prover;
  CodeProver code(prover, kClaims);
  std::vector<CodeProver::Apply> functions;
  for (const internal::QuotientRule& rule : internal::quotient_rules(internal::kAllFeatures)) {
    functions.emplace_back(rule.apply);
  }
  std::vector<CodeProof> results(functions.size());
  std::int64_t instances = 0;
  for_each_quotient([&](const QuotientInstance& instance, ExprContext& context) {
    ++instances;
    code.add(instance, context, functions, results);
  });
  fmt::print("{} instances\n", instances);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string_view name =
        description(internal::quotient_rules(internal::kAllFeatures)[i].rule).name;
    fmt::print("{:42} fired {} times, {} distinct changes proved\n", name, results[i].fired,
               results[i].proved);
    EXPECT_GT(results[i].proved, 50) << name;
    EXPECT_TRUE(results[i].failures.empty())
        << name << ", " << results[i].failures.size() << " times:\n"
        << results[i].failures[0];
  }
}

// The code of rules, each with one mistake that is easily made.
bool takes_out_too_little(QuotientProblem& problem) {
  if (problem.parts.empty() || problem.parts[0].coefficient < problem.divisor) return false;
  problem.take_out(problem.parts[0].expr, 1);
  problem.parts[0].coefficient -= problem.divisor + 1;
  problem.update();
  return true;
}

bool rounds_to_zero(QuotientProblem& problem) {
  if (problem.range.lo <= -problem.divisor || problem.range.hi >= problem.divisor) return false;
  problem.solve();
  return true;
}

bool drops_the_rest(QuotientProblem& problem) {
  const auto divides = [&](const internal::Part& part) {
    return part.coefficient % problem.divisor == 0;
  };
  if (problem.constant == 0 || problem.parts.size() != 1 || !divides(problem.parts[0])) {
    return false;
  }
  problem.take_out(problem.parts[0].expr, problem.parts[0].coefficient / problem.divisor);
  problem.solve();
  return true;
}

TEST(RuleProofs, WrongCodeIsRefuted) {
  Z3Prover prover;
  CodeProver code(prover, /*limit=*/200);
  const std::vector<CodeProver::Apply> wrong = {takes_out_too_little, rounds_to_zero,
                                                drops_the_rest};
  std::vector<CodeProof> results(wrong.size());
  int instances = 0;
  for_each_quotient([&](const QuotientInstance& instance, ExprContext& context) {
    if (instances++ < 3000) code.add(instance, context, wrong, results);
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_FALSE(results[i].failures.empty()) << i;
    for (const std::string& failure : results[i].failures) {
      EXPECT_NE(failure.find("wrong at"), std::string::npos) << failure;
    }
  }
}

// ---- the steps of the simplifier ----

// Expressions, separated by commas, and their domain.
struct Example {
  std::string_view text;
  std::vector<Interval> bounds;
  std::vector<std::pair<std::string_view, Interval>> facts = {};
};

// Make every rule fire that has code of its own.
std::vector<Example> examples() {
  const Interval any = Interval::all();
  return {
      {"d0 + d1", {{3, 3}, {0, 9}}},
      {"(d0 mod 8) floordiv 8 + d1", {any, any}},
      {"min(d0, 9) + max(d0, d1)", {{0, 9}, {9, 12}}},
      {"min(d0, d1)", {{0, 6}, {5, 9}}},
      {"max(d0, d1)", {{5, 9}, {0, 6}}},
      {"min(d0 + d2, d1 + d2) + max(3*d0 - d1, 3*d0 + d1*2)", {any, any, any}},
      {"d0 floordiv 16 + d1 floordiv 7", {{-16, -1}, {14, 20}}},
      {"(d0 mod 16) floordiv 4 + (6*(d0 mod 4) + d1) mod 8", {any, any}},
      {"(d0 mod 6 + d1) floordiv 8", {any, {0, 2}}},
      {"(d0 floordiv 4 * 4 + d1) floordiv 8", {any, {0, 3}}},
      {"(16*d0 + 4*d1 + d2) floordiv 8", {any, any, any}},
      {"-((-11*d0 - d1 + 109) floordiv 11) + 9", {any, {0, 10}}},
      {"(7*d0 + d1) floordiv 8 + (15*d0 + d1) floordiv 16", {{0, 2}, {5, 6}}},
      {"(d0 * 3 + 2) mod 5 + (d0 * -3 + 20) floordiv 5", {{3, 4}}},
      {"(d0 * 4 + 1) floordiv 8 + (6*d0 + 4*d1) floordiv 12", {any, any}},
      {"(d0 * 4 + d1 mod 4) floordiv 12 + (d0 mod 6 + 6*d1) floordiv 12", {any, any}},
      {"(d0 floordiv 4 + 3) floordiv 5 + (d0 floordiv 3) floordiv 7", {any}},
      {"(d0 floordiv 4) mod 4 + (d0 mod 3) * 5 + 4 * (d0 floordiv 4)", {any}},
      {"(d0*d1 + d0) floordiv d0 + (d0*d1) mod (d0*d2)", {any, any, any}},
      {"(d0*d1 + d2) floordiv d1 + d2 mod d1", {any, any, any}},
      {"d0 floordiv d1 + d0 mod d1 + (d0*d1 + d2) mod d1", {{0, 4}, {5, 9}, any}},
      {"d0 mod d1 + d1*(d0 floordiv d1)", {any, any}},
      {"d0 floordiv 6 + d0 mod 18 + (d0 + 3) floordiv 3", {any}, {{"d0 mod 6", {3, 3}}}},
      {"(d0 + d1) floordiv 4 + (d0 + d1) mod 8", {any, any}, {{"(d0 + d1) mod 4", {1, 1}}}},
      {"d0 mod 4 + d1", {any, any}, {{"d0 mod 4", {2, 2}}}},
      {"(d0 + 5*(d0 floordiv 3) + d1) floordiv 8", {any, {0, 5}}},
      {"(3*d0 + 4*d1 + d2) floordiv 8, (3*d0 + d2) mod 4", {any, any, any}},
      {"(d0 + d1) mod 6 + (d0 + d1) floordiv 12", {{0, 9}, {0, 9}}, {{"d0 + d1", {0, 5}}}},
      {"(d0 + d1) floordiv 4 + 2*d0", {any, any}},
      {"(d0 + 7) floordiv 10 - d0 + (2*d0 + d1) floordiv 4 * 3 + d0 * 6", {any, any}},
      {"(d0 + 3) floordiv 8 + ((d0 + 3) mod 8) * 3", {any}},
      {"min(d0, d1) - d0 + max((d0 + d1) mod 5, d1 floordiv 3)", {any, any}},
      {"(d0 - 3) ceildiv 4 + d0 floordiv -3 + d0 mod -5", {any}},
      {"d0 floordiv 8", {{0, 15}}},
      {"(d0 * 10 + d1) floordiv 16 + (d0 * 10 + d1) mod 16", {{0, 9}, {0, 9}}},
  };
}

// Listens to a simplifier and proves what it hears.
class StepProver {
 public:
  explicit StepProver(Z3Prover& prover) : prover_(prover) {}

  // The domain of the steps that follow.
  void set_domain(ExprContext& context, const std::vector<Interval>& bounds) {
    given_.clear();
    bounds_ = bounds;
    for (std::uint32_t i = 0; i < bounds.size(); ++i) {
      test::require_in(given_, context.dimension(i), bounds[i]);
    }
  }
  void add_fact(Expr expr, Interval range) { test::require_in(given_, expr, range); }

  void hear(const SimplifierStep& step) {
    for (const KnownRange& known : step.ranges) check_range(known);
    const Claim claim = {.given = given_, .before = step.before, .after = step.after};
    if (!seen_.insert(std::string(step.rule->name) + describe(claim)).second) return;
    const Proof proof = prover_.prove(claim);
    std::int64_t& count = counts_[step.rule->name];
    if (proof.verdict == Verdict::kProved) {
      ++count;
    } else if (proof.verdict == Verdict::kUnknown && holds_at_every_point(claim)) {
      ++count;
      ++by_evaluation_;
    } else {
      failures_.push_back(
          fmt::format("{}: {}: {}", step.rule->name, describe(claim), proof.counterexample));
    }
  }

  [[nodiscard]] std::int64_t count(std::string_view rule) const {
    const auto found = counts_.find(rule);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::int64_t ranges() const { return ranges_; }
  [[nodiscard]] std::int64_t by_evaluation() const { return by_evaluation_; }
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  // An expression lies in a range if to clamp it changes nothing.
  void check_range(const KnownRange& known) {
    ExprContext& context = known.expr.context();
    Expr clamped = known.expr;
    const Interval range = known.range;
    if (range.lo != Interval::kMinusInfinity) clamped = max(clamped, context.constant(range.lo));
    if (range.hi != Interval::kPlusInfinity) clamped = min(clamped, context.constant(range.hi));
    const Claim claim = {.given = given_, .before = known.expr, .after = clamped};
    if (clamped == known.expr || !seen_.insert(describe(claim)).second) return;
    ++ranges_;
    const Proof proof = prover_.prove(claim);
    if (proof.verdict == Verdict::kProved) return;
    if (proof.verdict == Verdict::kUnknown && holds_at_every_point(claim)) return;
    failures_.push_back(
        fmt::format("range {} of {}: {}", to_string(range), describe(claim), proof.counterexample));
  }

  // For what Z3 cannot decide, over a small box.
  [[nodiscard]] bool holds_at_every_point(const Claim& claim) const {
    constexpr std::int64_t kMaxSize = 100;
    const auto is_large = [](Interval i) { return i.size() > kMaxSize; };
    if (std::ranges::any_of(bounds_, is_large)) return false;
    bool holds = true;
    test::for_each_point(bounds_, [&](const std::vector<std::int64_t>& point) {
      const std::optional<std::int64_t> before = evaluate(claim.before, {.dimensions = point});
      if (before) holds = holds && evaluate(claim.after, {.dimensions = point}) == before;
    });
    return holds;
  }

  Z3Prover& prover_;
  std::vector<test::Condition> given_;
  std::vector<Interval> bounds_;
  std::set<std::string> seen_;
  std::map<std::string_view, std::int64_t> counts_;
  std::int64_t ranges_ = 0;
  std::int64_t by_evaluation_ = 0;
  std::vector<std::string> failures_;
};

Expr parsed(std::string_view text, ExprContext& context) {
  return test::parsed_exprs(text, context)[0];
}

TEST(RuleProofs, EveryStepOfTheSimplifier) {
  Z3Prover prover;
  StepProver steps(prover);
  const StepListener listener = [&](const SimplifierStep& step) { steps.hear(step); };
  std::vector<std::uint64_t> fired(simplifier_rules().size());
  const auto add_counts = [&](const Simplifier& simplifier) {
    for (std::size_t i = 0; i < fired.size(); ++i) fired[i] += simplifier.rule_counts()[i];
  };
  for (const Example& example : examples()) {
    ExprContext context;
    Simplifier simplifier;
    simplifier.set_listener(&listener);
    simplifier.set_bounds({.dimensions = example.bounds});
    steps.set_domain(context, example.bounds);
    for (const auto& [text, range] : example.facts) {
      const Expr fact = parsed(text, context);
      steps.add_fact(fact, range);
      simplifier.assume(fact, range);
    }
    std::vector<Expr> exprs = test::parsed_exprs(example.text, context);
    simplifier.simplify(exprs);
    add_counts(simplifier);
  }
  constexpr std::uint64_t kRandom = 400;
  for (std::uint64_t seed = 0; seed < kRandom; ++seed) {
    ExprContext context;
    Simplifier simplifier;
    simplifier.set_listener(&listener);
    test::RandomExprs random(context, 7000 + seed);
    const std::vector<Interval> bounds = random.bounds(2);
    simplifier.set_bounds({.dimensions = bounds});
    steps.set_domain(context, bounds);
    (void)simplifier.simplify(random.expr(2, static_cast<int>(random.uniform(2, 4))));
    add_counts(simplifier);
  }
  fmt::print("{} ranges proved, {} steps with products checked by evaluation\n", steps.ranges(),
             steps.by_evaluation());
  for (std::size_t i = 0; i < fired.size(); ++i) {
    const SimplifierRule& rule = simplifier_rules()[i];
    if (rule.by_construction) continue;
    fmt::print("{:42} used {} times, {} distinct steps proved\n", rule.name, fired[i],
               steps.count(rule.name));
    EXPECT_GT(fired[i], 0) << rule.name;
    EXPECT_GT(steps.count(rule.name), 0) << rule.name;
  }
  EXPECT_TRUE(steps.failures().empty()) << steps.failures().size() << " steps, the first:\n"
                                        << steps.failures()[0];
}

// A step that is wrong is found out, whether Z3 decides it or evaluation; so is a range.
TEST(RuleProofs, WrongStepsAreRefuted) {
  Z3Prover prover;
  ExprContext context;
  for (const char* texts :
       {"d0 floordiv 4 -> d0 floordiv 5", "d0*d1 -> d0*d1 + d0 floordiv 9", "d0 mod 8 -> d0"}) {
    const std::string_view text = texts;
    const std::size_t arrow = text.find(" -> ");
    StepProver steps(prover);
    steps.set_domain(context, {{0, 9}, {0, 9}});
    steps.hear({.rule = &simplifier_rules()[0],
                .before = parsed(text.substr(0, arrow), context),
                .after = parsed(text.substr(arrow + 4), context),
                .ranges = {}});
    EXPECT_EQ(steps.failures().size(), 1u) << text;
  }
  StepProver steps(prover);
  steps.set_domain(context, {{0, 9}, {0, 9}});
  const Expr sum = parsed("d0 + d1 * 2", context);
  for (const Interval range : {Interval{0, 26}, {1, 27}, {0, 27}, {-9, Interval::kPlusInfinity}}) {
    const KnownRange known[] = {{sum, range}};
    steps.hear({.rule = &simplifier_rules()[0], .before = sum, .after = sum, .ranges = known});
  }
  EXPECT_EQ(steps.failures().size(), 2u);
}

}  // namespace
}  // namespace mercator
