#include "mercator/map/constraint_rules.h"

#include <vector>

#include "mercator/map/domain.h"

namespace mercator {
namespace {

// In the language of rules for expressions, and what constraint_rules() says of constraints.
constexpr std::array<SimplifierRule, internal::kConstraintRuleCount> kRules = {{
    {"constraint-always-holds", "x in [a, b] -> nothing", "x in [p, q], p >= a, b >= q", false},
    {"constraint-simpler", "x in [a, b] -> y in [a, b]", "x = y", false},
    {"constraint-sum-moved",
     "f*x + c in [a, b] -> x in [(a - c) ceildiv f, (b - c) floordiv f]; "
     "c - f*x in [a, b] -> x in [(c - b) ceildiv f, (c - a) floordiv f]",
     "", false},
    {"constraint-quotient-moved", "x floordiv n in [a, b] -> x in [a*n, b*n + n - 1]", "", false},
    {"constraint-extremum-split",
     "max(x, y) in [a, b] -> max(x, y) >= a and x <= b and y <= b; "
     "min(x, y) in [a, b] -> min(x, y) <= b and x >= a and y >= a",
     "", false},
    {"constraint-into-bounds", "v in [a, b] and v in [p, q] -> v in [max(a, p), min(b, q)]", "",
     false},
    {"grid-form",
     "(x - a + b*n + r) mod n = r -> (x - a) mod n = 0; "
     "(f*x - f*a) mod (f*n) = 0 -> (x - a) mod n = 0; "
     "(a*x + n*y - b) mod n = 0 -> (x - c) mod n = 0",
     "r in [0, n - 1]; nothing; (a*c - b) mod n = 0, a*k = j*n + 1", false},
    {"constraints-joined",
     "x in [a, b] and x in [p, q] -> x in [max(a, p), min(b, q)]; "
     "(x - r + f*m*a) mod (f*m) = 0 and (x - r + f*n*b) mod (f*n) = 0 -> "
     "(x - r) mod (f*m*n) = 0",
     "nothing; i*m + j*n = 1", false},
    {"range-on-grid", "x in [a, b] -> x in [a + (r - a) mod m, b - (b - r) mod m]",
     "(x - r) mod m = 0", false},
    {"grid-of-one-point", "(x - r) mod m = 0 -> x in [k, k]",
     "(k - r) mod m = 0, x in [k - m + 1, k + m - 1]", false},
    {"constraint-implied", "x in [a, b] and y in [p, q] -> y in [p, q]",
     "x in [a, b] where y in [p, q]", false},
    {"constraint-simpler-given-others",
     "x in [a, b] and z in [p, q] -> y in [a, b] and z in [p, q]", "x = y where z in [p, q]",
     false},
    {"constraint-by-trial", "x in [a, b] and v in [p, q] -> v in [c, k]",
     "v in [c, k] where x in [a, b] and v in [p, q], x in [a, b] where v in [c, k], "
     "c >= p, q >= k",
     false},
    {"range-variable-rescaled",
     "(s - r) mod m = 0 and s in [a, b] -> "
     "s = m*t + r and t in [(a - r) ceildiv m, (b - r) floordiv m] for some t",
     "", false},
}};

}  // namespace

std::span<const SimplifierRule> constraint_rules() { return kRules; }

void internal::ConstraintLog::tell(ConstraintRule rule, const Restriction& before,
                                   std::span<const Restriction> after) const {
  std::vector<Constraint> others;
  for (const std::span<const Restriction> some : {domain_->restrictions(), domain_->pending()}) {
    for (const Restriction& other : some) {
      if (other != before) others.push_back(constraint_of(other));
    }
  }
  std::vector<Constraint> results;
  for (const Restriction& restriction : after) results.push_back(constraint_of(restriction));
  (*listener_)({.rule = &kRules[static_cast<std::size_t>(rule)],
                .before = constraint_of(before),
                .after = results,
                .bounds = domain_->variable_bounds(),
                .others = others});
}

}  // namespace mercator
