#include "mercator/analysis/tile_congruence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "mercator/analysis/tile_uses.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// More multiples than that are not tried.
constexpr std::int64_t kMaxDivisor = 64;

// Whether factor * a and b have the same coefficients modulo n.
bool is_multiple(Expr a, std::int64_t factor, Expr b, std::int64_t n) {
  const auto agrees = [&](Expr term) {
    const std::int64_t one = floor_mod(coefficient_of(term, a), n);
    const std::int64_t other = floor_mod(coefficient_of(term, b), n);
    return floor_mod(one * factor, n) == other;
  };
  return std::ranges::all_of(a.operands(), agrees) && std::ranges::all_of(b.operands(), agrees);
}

// The factor with which a becomes b modulo n, constants aside.
std::optional<std::int64_t> factor_between(Expr a, Expr b, std::int64_t n) {
  for (std::int64_t factor = 1; factor < n; ++factor) {
    if (std::gcd(factor, n) == 1 && is_multiple(a, factor, b, n)) return factor;
  }
  return std::nullopt;
}

// The sums of several variables, but as dividends of remainders.
std::vector<Expr> other_sums(std::span<const Expr> roots) {
  std::vector<Expr> sums;
  const auto add = [&](Expr expr) {
    if (expr.is(ExprKind::kSum) && ranges_in(expr).size() > 1) sums.push_back(expr);
  };
  for (const Expr root : roots) add(root);
  for_each_node(roots, [&](Expr node) {
    if (node.is(ExprKind::kFloorDiv)) add(node.dividend());
  });
  return sums;
}

// Whether one of `sums` is the same but for a constant.
bool has_form_of(Expr sum, std::span<const Expr> sums) {
  return std::ranges::any_of(
      sums, [&](Expr other) { return other - other.constant() == sum - sum.constant(); });
}

// Of several variables, modulo a number.
bool is_remainder_of_sum(Expr expr) {
  return expr.is(ExprKind::kMod) && expr.dividend().is(ExprKind::kSum) &&
         expr.divisor().is(ExprKind::kConstant) && expr.divisor().value() <= kMaxDivisor &&
         ranges_in(expr.dividend()).size() > 1;
}

// The equation `root` = `range` with another sum modulo the same.
void align_equation(Expr& root, SymbolicRange& range, std::span<const Expr> sums) {
  const Expr sum = root.dividend();
  const std::int64_t n = root.divisor().value();
  for (const Expr other : sums) {
    const std::optional<std::int64_t> factor = factor_between(sum, other, n);
    if (!factor) continue;
    const Expr residue = mod((range.lo - sum.constant()) * *factor + other.constant(), n);
    root = mod(other, n);
    range = {residue, residue};
    return;
  }
}

// The same remainder, of a sum that has the form of one of these.
Expr aligned(Expr remainder, std::span<const Expr> sums) {
  const Expr sum = remainder.dividend();
  const std::int64_t n = remainder.divisor().value();
  for (const Expr other : sums) {
    if (!is_multiple(sum, 1, other, n)) continue;
    const bool is_same = floor_mod(sum.constant(), n) == floor_mod(other.constant(), n);
    return mod(is_same ? other : other - other.constant() + sum.constant(), n);
  }
  return remainder;
}

// The variables of each root.
using RootVariables = std::vector<std::vector<std::uint32_t>>;

// Whether several roots have both.
bool meet_elsewhere(std::uint32_t a, std::uint32_t b, const RootVariables& roots) {
  return std::ranges::count_if(roots, [&](const std::vector<std::uint32_t>& used) {
           return std::ranges::binary_search(used, a) && std::ranges::binary_search(used, b);
         }) > 1;
}

// Whether `term` is a variable that has to do with those of a quotient, and whose coefficient
// divided by that of the quotient is a number.
bool is_joined(Expr term, std::int64_t coefficient, Expr quotient, std::int64_t factor,
               const RootVariables& roots) {
  if (!term.is(ExprKind::kVariable) || term.variable().kind != VariableKind::kRange ||
      coefficient % factor != 0) {
    return false;
  }
  const std::uint32_t index = term.variable().index;
  return std::ranges::any_of(ranges_in(quotient.dividend()), [&](std::uint32_t other) {
    return other == index || meet_elsewhere(index, other, roots);
  });
}

// Of a sum with these operands: the first quotient of several variables takes what it can.
Expr joined(Expr sum, std::span<const Expr> operands, const RootVariables& roots) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Expr quotient = operands[i];
    const std::int64_t factor = sum.coefficients()[i];
    if (!quotient.is(ExprKind::kFloorDiv) || !quotient.divisor().is(ExprKind::kConstant) ||
        ranges_in(quotient.dividend()).size() < 2) {
      continue;
    }
    Expr dividend = quotient.dividend();
    std::vector<Term> rest;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      const std::int64_t coefficient = sum.coefficients()[j];
      if (j == i) continue;
      if (is_joined(operands[j], coefficient, quotient, factor, roots)) {
        dividend = dividend + operands[j] * (coefficient / factor) * quotient.divisor();
      } else {
        rest.push_back({operands[j], coefficient});
      }
    }
    if (rest.size() + 1 == operands.size()) continue;
    rest.push_back({floor_div(dividend, quotient.divisor()), factor});
    return sum.context().sum(rest, sum.constant());
  }
  return Expr();
}

}  // namespace

void join_quotients(std::vector<Expr>& roots) {
  const bool has_quotients = any_node(roots, [](Expr node) {
    return node.is(ExprKind::kFloorDiv) && node.dividend().is(ExprKind::kSum);
  });
  if (!has_quotients) return;
  RootVariables variables;
  for (const Expr root : roots) variables.push_back(ranges_in(root));
  rewrite(roots, [&](Expr old, std::span<const Expr> operands) {
    return old.is(ExprKind::kSum) ? joined(old, operands, variables) : Expr();
  });
}

void align_remainders(std::vector<Expr>& roots, std::size_t first,
                      std::span<SymbolicRange> ranges) {
  if (!any_node(roots, is_remainder_of_sum)) return;
  const std::vector<Expr> sums = other_sums(roots);
  if (sums.empty()) return;
  const auto needs_form = [&](Expr node) {
    return is_remainder_of_sum(node) && !has_form_of(node.dividend(), sums);
  };
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Expr& root = roots[first + i];
    if (ranges[i].is_point() && needs_form(root)) align_equation(root, ranges[i], sums);
  }
  rewrite(roots, [&](Expr old, std::span<const Expr>) {
    return needs_form(old) ? aligned(old, sums) : Expr();
  });
}

}  // namespace mercator::internal
