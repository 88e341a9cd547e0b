// Index expressions: immutable, hash-consed, in a form that is canonical by construction.
//
// An expression denotes a function from the values of its variables to the integers (unbounded:
// int64 is a limit of representation, not of meaning). It is partial: a quotient or remainder has
// no value where its divisor is zero.
//
//   ExprContext context;
//   Expr d0 = context.dimension(0), d1 = context.dimension(1);
//   Expr e = floor_div(d0 * 512 + d1, 512);      // d0 + d1 floordiv 512
//   evaluate(e, {.dimensions = {3, 700}})        // 4
//
// Equal structure is the same node, so equality is a comparison of pointers. Construction applies
// the identities that hold whatever the ranges of the variables are and that cost no search:
//   - a sum is one node: a constant and `coefficient * term` pairs with distinct, sorted terms;
//   - a product is one node of sorted non-constant factors; constants move out into a sum;
//   - constants are folded; x * 1, x floordiv 1, x mod 1, min(x, x) disappear;
//   - a constant divisor is positive: x floordiv -n = (-x) floordiv n, x mod -n = -((-x) mod n);
//   - x ceildiv n is (x + n - 1) floordiv n, for a divisor that is not constant -((-x) floordiv n).
// What needs ranges is the work of the simplifier (simplifier.h). A fold that would overflow int64
// is not done: the operation then stays in the expression as it was written (so that a sum may have
// a constant or a sum among its terms).

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercator {

class ExprContext;

enum class ExprKind : std::uint8_t {  // in the order in which kinds sort within sums
  kVariable,                          // a dimension, range or runtime variable
  kProduct,                           // factors[0] * factors[1] * …, at least two, none constant
  kFloorDiv,  // the largest integer q with q * divisor <= dividend (for a positive divisor)
  kMod,       // dividend - divisor * (dividend floordiv divisor)
  kMin,       // the least of at least two operands
  kMax,       // the greatest of at least two operands
  kSum,       // constant + coefficients[i] * terms[i]
  kConstant,  // value
};

// What a variable of an index map stands for; see map/index_map.h.
enum class VariableKind : std::uint8_t { kDimension, kRange, kRuntime };

// The `index`-th variable of its kind: d0, s1, rt2.
struct VariableId {
  VariableKind kind = VariableKind::kDimension;
  std::uint32_t index = 0;

  friend auto operator<=>(const VariableId&, const VariableId&) = default;
};

namespace internal {
struct ExprNode;
}

// A handle to an expression, as cheap to copy as a pointer. It is valid as long as its context. A
// default-made handle is null and may only be assigned to, compared and tested.
class Expr {
 public:
  Expr() = default;

  explicit operator bool() const { return node_ != nullptr; }
  // The same structure. Expressions of two contexts are never equal.
  friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }

  [[nodiscard]] ExprKind kind() const;
  [[nodiscard]] bool is(ExprKind kind) const { return this->kind() == kind; }
  [[nodiscard]] ExprContext& context() const;
  // The length of the longest chain of subexpressions: 1 for constants and variables.
  [[nodiscard]] std::uint32_t depth() const;
  // Numbers the expressions of a context from 0 in the order of their making: an index for side
  // tables.
  [[nodiscard]] std::uint32_t id() const;

  // kConstant.
  [[nodiscard]] std::int64_t value() const;
  [[nodiscard]] bool is_constant(std::int64_t value) const;
  // kVariable.
  [[nodiscard]] VariableId variable() const;
  // kFloorDiv, kMod.
  [[nodiscard]] Expr dividend() const;
  [[nodiscard]] Expr divisor() const;
  // kSum: constant() + sum of coefficients()[i] * operands()[i].
  [[nodiscard]] std::int64_t constant() const;
  [[nodiscard]] std::span<const std::int64_t> coefficients() const;
  // The terms of a sum, the factors of a product, the operands of min and max, dividend and
  // divisor; empty for constants and variables. Sorted by `compare`, except dividend and divisor.
  [[nodiscard]] std::span<const Expr> operands() const;

 private:
  friend class ExprContext;
  explicit Expr(const internal::ExprNode* node) : node_(node) {}
  const internal::ExprNode* node_ = nullptr;
};

// One `coefficient * expr` of a sum that is being built.
struct Term {
  Expr expr;
  std::int64_t coefficient = 1;
};

// Owns expressions. Not to be used by two threads at once. Neither copied nor moved: expressions
// point to it.
class ExprContext {
 public:
  ExprContext();
  ~ExprContext();
  ExprContext(const ExprContext&) = delete;
  ExprContext& operator=(const ExprContext&) = delete;

  Expr constant(std::int64_t value);
  Expr variable(VariableId id);
  Expr dimension(std::uint32_t index) { return variable({VariableKind::kDimension, index}); }
  Expr range(std::uint32_t index) { return variable({VariableKind::kRange, index}); }
  Expr runtime(std::uint32_t index) { return variable({VariableKind::kRuntime, index}); }

  // constant + sum of the terms, in any order, with repetitions.
  Expr sum(std::span<const Term> terms, std::int64_t constant = 0);
  // The product of any number of factors; 1 for none.
  Expr product(std::span<const Expr> factors);
  // Requires that `divisor` is not the constant 0.
  Expr floor_div(Expr dividend, Expr divisor);
  Expr mod(Expr dividend, Expr divisor);
  Expr ceil_div(Expr dividend, Expr divisor);
  // Of at least one operand.
  Expr min(std::span<const Expr> operands);
  Expr max(std::span<const Expr> operands);

  // The number of expressions made, one more than the largest id.
  [[nodiscard]] std::size_t size() const;

 private:
  Expr extremum(ExprKind kind, std::span<const Expr> operands);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Expr operator+(Expr a, Expr b);
Expr operator+(Expr a, std::int64_t b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a, std::int64_t b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator*(Expr a, std::int64_t b);
Expr floor_div(Expr a, Expr b);
Expr floor_div(Expr a, std::int64_t b);
Expr mod(Expr a, Expr b);
Expr mod(Expr a, std::int64_t b);
Expr ceil_div(Expr a, Expr b);
Expr ceil_div(Expr a, std::int64_t b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);

// A total order by structure: the same on every run and machine, whatever order things were made
// in. Kinds sort as `ExprKind` lists them, variables dimension < range < runtime, then by index.
[[nodiscard]] std::strong_ordering compare(Expr a, Expr b);

// The values of the variables, by kind.
struct VariableValues {
  std::span<const std::int64_t> dimensions;
  std::span<const std::int64_t> ranges = {};
  std::span<const std::int64_t> runtimes = {};
};

// The value of `expr`; none where a divisor is zero or where the value (or that of a subexpression)
// leaves int64. Requires a value for each variable that occurs. Visits shared subexpressions once.
[[nodiscard]] std::optional<std::int64_t> evaluate(Expr expr, const VariableValues& values);

// Many evaluations of the same expressions: `evaluate` compiled to a list of instructions.
class Evaluator {
 public:
  explicit Evaluator(std::span<const Expr> exprs);
  // Writes the value of each expression to `out`; false when one has none (see `evaluate`).
  [[nodiscard]] bool operator()(const VariableValues& values, std::span<std::int64_t> out);

 private:
  struct Instruction {
    ExprKind kind;
    VariableKind variable_kind;
    std::uint32_t variable_index;
    std::int64_t constant;
    std::uint32_t first_operand;  // into operands_ and, for sums, coefficients_
    std::uint32_t operand_count;
  };
  [[nodiscard]] std::optional<std::int64_t> evaluate(const Instruction& instruction,
                                                     const VariableValues& values) const;

  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::int64_t> coefficients_;
  std::vector<std::uint32_t> results_;
  std::vector<std::int64_t> values_;
};

// `expr` with each variable replaced by what `replacement` gives for it (a null Expr: left as it
// is). `replacement` is asked once for each distinct variable.
[[nodiscard]] Expr substitute(Expr expr, const std::function<Expr(VariableId)>& replacement);
// The same for several expressions that share subexpressions; visits each of those once.
void substitute(std::span<Expr> exprs, const std::function<Expr(VariableId)>& replacement);

// Which variables occur.
struct UsedVariables {
  std::vector<bool> dimensions;  // by index; may be shorter than the number of variables
  std::vector<bool> ranges;
  std::vector<bool> runtimes;

  [[nodiscard]] bool contains(VariableId id) const;
};
[[nodiscard]] UsedVariables used_variables(std::span<const Expr> exprs);

// How many operations it takes to compute expressions, shared subexpressions once: what the
// simplifier makes small. A subtraction or negation counts as an addition; a multiplication by -1
// is free.
struct ExprCost {
  std::int64_t div = 0;
  std::int64_t mod = 0;
  std::int64_t mul = 0;
  std::int64_t add = 0;
  std::int64_t minmax = 0;

  friend bool operator==(const ExprCost&, const ExprCost&) = default;
  // One number to compare by: a division or remainder counts as 20 additions, a multiplication
  // as 2.
  [[nodiscard]] std::int64_t weight() const { return 20 * (div + mod) + 2 * mul + add + minmax; }
};
[[nodiscard]] ExprCost cost(std::span<const Expr> exprs);

}  // namespace mercator
