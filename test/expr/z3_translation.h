// Expressions in the language of Z3. For z3_proof.cc only.

#pragma once

#include <fmt/format.h>
#include <z3++.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/text.h"
#include "test/expr/z3_proof.h"

namespace mercator::test {

// Expressions in the language of Z3, and what must hold of the unknowns that stand for their parts.
class Translation {
 public:
  Translation(z3::context& z3, const Z3Prover::Numbers& numbers)
      : z3_(z3), numbers_(numbers), facts_(z3) {}

  z3::expr value(Expr expr) {
    if (const auto known = values_.find(expr.id()); known != values_.end()) return known->second;
    const z3::expr value = compute(expr);
    values_.insert({expr.id(), value});
    return value;
  }

  // That the expression has a value: none of its divisors is zero.
  z3::expr has_value(Expr expr) {
    z3::expr all = z3_.bool_val(true);
    for (const Expr divisor : divisors_of(expr)) {
      if (!divisor.is(ExprKind::kConstant)) all = all && value(divisor) != 0;
    }
    return all.simplify();
  }

  z3::expr statement(const Condition& condition) {
    const z3::expr value = this->value(condition.expr);
    const z3::expr has_value = this->has_value(condition.expr);
    switch (condition.kind) {
      case Condition::Kind::kNotNegative:
        return (has_value && value >= 0).simplify();
      case Condition::Kind::kZero:
        return (has_value && value == 0).simplify();
      case Condition::Kind::kNotZero:
        return (has_value && value != 0).simplify();
      case Condition::Kind::kHasValue:
        return has_value;
    }
    __builtin_unreachable();
  }

  z3::expr statement(const Conditions& conditions) {
    z3::expr all = z3_.bool_val(true);
    for (const Condition& condition : conditions) all = all && statement(condition);
    return all;
  }

  // What is true of the unknowns, provided that no divisor is zero.
  const z3::expr_vector& facts() const { return facts_; }
  // Of all quotients and remainders so far.
  const std::vector<z3::expr>& divisors() const { return divisors_; }
  // That are known to be not negative, each if its sign condition holds: n*q <= x and the like.
  struct Implied {
    z3::expr condition;
    z3::expr not_negative;
  };
  const std::vector<Implied>& bounds_of_quotients() const { return bounds_; }
  const std::vector<z3::expr>& factors() const { return factors_; }
  const std::vector<z3::expr>& quotients() const { return unknown_quotients_; }
  const std::vector<std::pair<VariableId, z3::expr>>& variables() const { return variables_; }
  bool has_products() const { return has_products_; }

 private:
  z3::expr number(std::int64_t value) { return z3_.int_val(value); }
  z3::expr unknown(const char* kind) {
    return z3_.int_const(fmt::format("{}!{}", kind, ++unknowns_).c_str());
  }

  z3::expr compute(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return number(expr.value());
      case ExprKind::kVariable:
        return variable(expr.variable());
      case ExprKind::kSum: {
        z3::expr sum = number(expr.constant());
        for (std::size_t i = 0; i < expr.operands().size(); ++i) {
          sum = sum + number(expr.coefficients()[i]) * value(expr.operands()[i]);
        }
        return sum;
      }
      case ExprKind::kProduct:
        return product(expr);
      case ExprKind::kFloorDiv:
        return quotient(expr.dividend(), expr.divisor());
      case ExprKind::kMod: {
        const z3::expr q = quotient(expr.dividend(), expr.divisor());
        return value(expr.dividend()) - multiply(value(expr.divisor()), q);
      }
      case ExprKind::kMin:
      case ExprKind::kMax:
        return extremum(expr);
    }
    __builtin_unreachable();
  }

  z3::expr variable(VariableId id) {
    if (const auto set = numbers_.find(id); set != numbers_.end()) return number(set->second);
    const z3::expr result = z3_.int_const(default_variable_name(id).c_str());
    variables_.emplace_back(id, result);
    return result;
  }

  z3::expr multiply(const z3::expr& a, const z3::expr& b) {
    has_products_ = has_products_ || (!a.is_numeral() && !b.is_numeral());
    return a * b;
  }

  z3::expr product(Expr expr) {
    z3::expr result = value(expr.operands()[0]);
    factors_.push_back(result);
    for (const Expr operand : expr.operands().subspan(1)) {
      const z3::expr factor = value(operand).simplify();
      factors_.push_back(factor);
      const z3::expr next = multiply(result, factor);
      facts_.push_back(z3::implies(result == 0 || factor == 0, next == 0));
      result = next.simplify();
    }
    return result;
  }

  z3::expr quotient(Expr dividend, Expr divisor) {
    const auto key = std::pair(dividend.id(), divisor.id());
    if (const auto known = quotients_.find(key); known != quotients_.end()) return known->second;
    const z3::expr x = value(dividend);
    const z3::expr n = value(divisor).simplify();
    const z3::expr q = unknown("q");
    quotients_.insert({key, q});
    divisors_.push_back(n);
    unknown_quotients_.push_back(q);
    const z3::expr whole = multiply(n, q);
    bounds_.push_back({n > 0, x - whole});
    bounds_.push_back({n > 0, whole + n - 1 - x});
    bounds_.push_back({n < 0, whole - x});
    bounds_.push_back({n < 0, x - whole - n - 1});
    for (std::size_t i = bounds_.size() - 4; i < bounds_.size(); ++i) {
      facts_.push_back(z3::implies(bounds_[i].condition, bounds_[i].not_negative >= 0).simplify());
    }
    return q;
  }

  z3::expr extremum(Expr expr) {
    const z3::expr result = unknown("m");
    z3::expr is_one = z3_.bool_val(false);
    for (const Expr operand : expr.operands()) {
      const z3::expr one = value(operand);
      facts_.push_back(expr.is(ExprKind::kMin) ? result <= one : result >= one);
      is_one = is_one || result == one;
    }
    facts_.push_back(is_one);
    return result;
  }

  z3::context& z3_;
  const Z3Prover::Numbers& numbers_;
  z3::expr_vector facts_;
  std::map<std::uint32_t, z3::expr> values_;  // by the id of the expression
  std::map<std::pair<std::uint32_t, std::uint32_t>, z3::expr> quotients_;
  std::vector<z3::expr> divisors_;
  std::vector<z3::expr> unknown_quotients_;
  std::vector<z3::expr> factors_;
  std::vector<Implied> bounds_;
  std::vector<std::pair<VariableId, z3::expr>> variables_;
  int unknowns_ = 0;
  bool has_products_ = false;
};

}  // namespace mercator::test
