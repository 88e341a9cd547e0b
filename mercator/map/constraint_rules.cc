#include "mercator/map/constraint_rules.h"

namespace mercator {
namespace {

// x is an expression, s a range variable, v any other; a, b, c, k, r integers, m, n positive ones.
constexpr std::array<SimplifierRule, internal::kConstraintRuleCount> kRules = {{
    {"constraint-always-holds", "x in [a, b] -> nothing", "the values of x lie in [a, b]", false},
    {"constraint-simpler", "x in [a, b] -> y in [a, b]", "x = y by the rules for expressions",
     false},
    {"constraint-sum-moved", "k*x + c in [a, b] -> x in [(a - c) ceildiv k, (b - c) floordiv k]",
     "k > 0; for k < 0 the ends change places", false},
    {"constraint-quotient-moved", "x floordiv n in [a, b] -> x in [a*n, b*n + n - 1]", "", false},
    {"constraint-extremum-split", "max(x, y) in [a, b] -> x <= b and y <= b and max(x, y) >= a", "",
     false},
    {"constraint-into-bounds", "v in [a, b] -> the bounds of v within [a, b]", "", false},
    {"grid-form", "(k*x + y) mod n in [r, r] -> (x + j*y - i) mod (n / f) in [0, 0]",
     "f divides k, y, n and r; j * (k / f) = 1 modulo n / f", false},
    {"constraints-joined",
     "x in [a, b] and x in [c, d] -> x in [max(a, c), min(b, d)]; "
     "x mod m = r and x mod n = q -> x mod lcm(m, n) = p",
     "", false},
    {"range-on-grid", "x in [a, b] -> the least and the greatest x in [a, b] with x mod m = r",
     "x mod m = r", false},
    {"grid-of-one-point", "x mod m = r -> x in [k, k]", "k is the only value of x with k mod m = r",
     false},
    {"constraint-implied", "x in [a, b] -> nothing",
     "the values of x, given the others, lie in [a, b]", false},
    {"constraint-simpler-given-others", "x in [a, b] -> y in [a, b]",
     "x = y wherever the others hold", false},
    {"constraint-by-trial", "x in [a, b] -> the bounds of v",
     "v is the only variable of x; no more than 1024 values are tried at each end", false},
    {"range-variable-rescaled", "s mod m = r -> m*s + r in the place of s", "", false},
}};

}  // namespace

std::span<const SimplifierRule> constraint_rules() { return kRules; }

void internal::ConstraintLog::tell(ConstraintRule rule, const Restriction& before,
                                   const Restriction& after) const {
  (*listener_)({.rule = &kRules[static_cast<std::size_t>(rule)],
                .before = constraint_of(before),
                .after = after.base() ? constraint_of(after) : Constraint()});
}

}  // namespace mercator
