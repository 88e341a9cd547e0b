#include "mercator/expr/rules.h"

namespace mercator::internal {
namespace {

// In the algebra, x, y, z are expressions, a, b, c, f, k, m, n integers with f, m, n > 0, and d is
// an expression that is not a constant. `x in [lo, hi]` in a guard means: everywhere in the domain.
// Both are in the language of expressions, so that a program can read them and prove the rule.
constexpr std::array<SimplifierRule, kRuleCount> kDescriptions = {{
    {"one-value", "x -> k", "x in [k, k]", false},
    {"extremum-of-ordered", "min(x, y) -> x", "y - x >= 0", false},
    {"extremum-common-part", "min(x + z, y + z) -> min(x, y) + z", "", false},
    {"quotient-one-bucket", "x floordiv n -> k", "x in [k*n, k*n + n - 1]", false},
    {"quotient-needless-remainder",
     "(k*(x mod m) + y) floordiv n -> (k*x + y) floordiv n - c*(x floordiv m)", "k*m = c*n", false},
    {"quotient-one-bucket-of-remainder",
     "(k*x + (c*n - k*m)*(x floordiv m) + y) floordiv n -> c*(x floordiv m) + b",
     "k*(x mod m) + y in [b*n, b*n + n - 1]", false},
    {"quotient-whole-multiples", "((a*n + b)*x + y) floordiv n -> a*x + (b*x + y) floordiv n", "",
     false},
    {"quotient-one-bucket-of-residues", "((a*n + b)*x + y) floordiv n -> a*x + k",
     "b*x + y in [k*n, k*n + n - 1]", false},
    {"quotient-two-values",
     "(a*x + b) floordiv n -> (b floordiv n) + ((a + b) floordiv n - b floordiv n)*x",
     "x in [0, 1]", false},
    {"quotient-known-residue", "(k*x + y) floordiv n -> c*(x floordiv m) + (k*b + y) floordiv n",
     "x mod m = b, k*m = c*n", false},
    {"quotient-known-in-sum", "k*m*(x floordiv m) + y -> k*(x - b) + y", "x mod m = b", false},
    {"quotient-by-factor", "(f*x + y) floordiv (f*n) -> (x + k) floordiv n",
     "y in [k*f, k*f + f - 1]", false},
    {"quotient-by-factor-of-remainder",
     "(k*x + (a*f - k*m)*(x floordiv m) + f*z + y) floordiv (f*n) -> "
     "(a*(x floordiv m) + z + b) floordiv n",
     "k*(x mod m) + y in [b*f, b*f + f - 1]", false},
    {"quotient-of-quotient", "(x floordiv m + y) floordiv n -> (x + m*y) floordiv (m*n)", "",
     false},
    {"quotient-remainder-of-residues",
     "(k*x + (c*n - k*m)*(x floordiv m) + y) floordiv n -> "
     "c*(x floordiv m) + (k*(x mod m) + y) floordiv n",
     "", false},
    {"variable-common-factor", "(x*d) floordiv (y*d) -> x floordiv y", "", false},
    {"variable-multiples", "(x*d + y) floordiv d -> x + y floordiv d", "", false},
    {"variable-one-bucket", "x floordiv d -> k", "x floordiv d in [k, k]", false},
    {"remainder-found", "k*x - k*m*(x floordiv m) -> k*(x mod m)", "", false},
    {"term-absorbed", "k*(x floordiv n) + k*a*y -> k*((x + a*n*y) floordiv n)", "", false},
    {"shared-dividend", "x mod n -> (x + n*y) mod n", "", false},
    {"like-terms", "a*x + b*x -> (a + b)*x", "", true},
    {"quotient-plus-remainder", "x mod n + n*(x floordiv n) -> x", "", true},
    {"composed-quotient-plus-remainder",
     "(x floordiv m) mod n + n*(x floordiv (m*n)) -> x floordiv m", "", true},
    {"scaled-quotient-plus-remainder", "k*(x mod n) + k*n*(x floordiv n) -> k*x", "", true},
    {"remainder-of-remainder", "(k*(x mod m) + y) mod n -> (k*x + y) mod n", "k*m = c*n", true},
    {"remainder-in-range", "x mod n -> x - k*n", "x in [k*n, k*n + n - 1]", true},
    {"quotient-common-factor", "(f*x + b) floordiv (f*n) -> (x + b floordiv f) floordiv n", "",
     true},
    {"negative-divisor", "x floordiv (-n) -> (-x) floordiv n", "", true},
    {"quotient-rounded-up", "x ceildiv n -> (x + n - 1) floordiv n", "", true},
    {"variable-quotient-plus-remainder", "x mod d + d*(x floordiv d) -> x", "", true},
}};

}  // namespace

std::span<const SimplifierRule, kRuleCount> rule_descriptions() { return kDescriptions; }

void RuleLog::report(Rule rule, Expr before, Expr after, std::span<const KnownRange> ranges) const {
  if (listener_ == nullptr || before == after) return;
  (*listener_)({.rule = &kDescriptions[static_cast<std::size_t>(rule)],
                .before = before,
                .after = after,
                .ranges = ranges});
}

}  // namespace mercator::internal
