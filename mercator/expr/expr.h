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

#include <cassert>
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
class ExprTable;
class NodePlaces;
}  // namespace internal

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

  // Whether it is a constant, a variable, or a sum of multiples of variables.
  [[nodiscard]] bool is_affine() const;
  // Whether it may lack a value: it divides, somewhere, by what is not a constant.
  [[nodiscard]] bool has_variable_divisor() const;
  // The number of constants, variables and operators when it is written out, shared subexpressions
  // as often as they occur. May be exponential in the number of distinct ones, hence floating
  // point.
  [[nodiscard]] double written_size() const;
  // What the operation costs, its operands being there: the weight of its ExprCost.
  [[nodiscard]] std::int64_t operation_weight() const;
  // Whether, for certain, no operation occurs in it twice. What it costs is then `tree_weight`, the
  // sum of the weights of all operations.
  [[nodiscard]] bool is_tree() const;
  [[nodiscard]] std::int64_t tree_weight() const;

 private:
  friend class ExprContext;
  friend class internal::ExprTable;
  friend std::uint64_t variable_bits(Expr expr);
  friend std::strong_ordering compare(Expr a, Expr b);
  friend bool sorts_before(Expr a, Expr b);
  explicit Expr(const internal::ExprNode* node) : node_(node) {}
  const internal::ExprNode* node_ = nullptr;
};

namespace internal {

struct ExprNode {
  ExprContext* context;
  const Expr* operands;
  const std::int64_t* coefficients;  // of sums, as many as operands
  std::int64_t value;                // of constants; of sums the constant; of variables the index
  double written_size;
  std::uint64_t variable_bits;
  std::uint64_t sort_key;  // what sorts before has no greater one; of variables, each has its own
  std::uint32_t id;
  std::uint32_t depth;
  std::uint32_t operand_count;
  std::uint32_t operation_weight;
  std::uint32_t tree_weight;
  ExprKind kind;
  VariableKind variable_kind;
  bool is_affine;
  bool has_variable_divisor;
  bool is_tree;
};

}  // namespace internal

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

  // Scratch memory of Traversal.
  [[nodiscard]] internal::NodePlaces& places();

 private:
  Expr extremum(ExprKind kind, std::span<const Expr> operands);
  Expr large_sum(std::span<const Term> terms, std::int64_t constant);
  template <class Sum>
  Expr node_of(const Sum& sum);

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

// Whether a < b in that order.
[[nodiscard]] bool sorts_before(Expr a, Expr b);

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
// A quick summary of the same: a bit for each variable that occurs. The variables of a kind from
// `kOwnVariableBits` on share one.
inline constexpr std::uint32_t kOwnVariableBits = 20;
[[nodiscard]] std::uint64_t variable_bit(VariableId id);
[[nodiscard]] std::uint64_t variable_bits(Expr expr);

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
  ExprCost& operator+=(const ExprCost& other) {
    div += other.div;
    mod += other.mod;
    mul += other.mul;
    add += other.add;
    minmax += other.minmax;
    return *this;
  }
  // One number to compare by: a division or remainder counts as 20 additions, a multiplication
  // as 2.
  [[nodiscard]] std::int64_t weight() const { return 20 * (div + mod) + 2 * mul + add + minmax; }
};
[[nodiscard]] ExprCost cost(std::span<const Expr> exprs);
// Of the operation of `expr` alone, its operands being there.
[[nodiscard]] ExprCost operation_cost(Expr expr);

// ---- what is short enough to be inlined ----

inline ExprKind Expr::kind() const { return node_->kind; }
inline ExprContext& Expr::context() const { return *node_->context; }
inline std::uint32_t Expr::depth() const { return node_->depth; }
inline std::uint32_t Expr::id() const { return node_->id; }
inline std::int64_t Expr::value() const {
  assert(is(ExprKind::kConstant));
  return node_->value;
}
inline bool Expr::is_constant(std::int64_t value) const {
  return is(ExprKind::kConstant) && node_->value == value;
}
inline VariableId Expr::variable() const {
  assert(is(ExprKind::kVariable));
  return {node_->variable_kind, static_cast<std::uint32_t>(node_->value)};
}
inline Expr Expr::dividend() const {
  assert(is(ExprKind::kFloorDiv) || is(ExprKind::kMod));
  return node_->operands[0];
}
inline Expr Expr::divisor() const {
  assert(is(ExprKind::kFloorDiv) || is(ExprKind::kMod));
  return node_->operands[1];
}
inline std::int64_t Expr::constant() const {
  assert(is(ExprKind::kSum));
  return node_->value;
}
inline std::span<const std::int64_t> Expr::coefficients() const {
  assert(is(ExprKind::kSum));
  return {node_->coefficients, node_->operand_count};
}
inline std::span<const Expr> Expr::operands() const {
  return {node_->operands, node_->operand_count};
}
inline bool Expr::is_affine() const { return node_->is_affine; }
inline bool Expr::has_variable_divisor() const { return node_->has_variable_divisor; }
inline double Expr::written_size() const { return node_->written_size; }
inline std::int64_t Expr::operation_weight() const { return node_->operation_weight; }
inline bool Expr::is_tree() const { return node_->is_tree; }
inline std::int64_t Expr::tree_weight() const { return node_->tree_weight; }

inline bool sorts_before(Expr a, Expr b) {
  const std::uint64_t key_a = a.node_->sort_key;
  const std::uint64_t key_b = b.node_->sort_key;
  return key_a != key_b ? key_a < key_b : !a.is(ExprKind::kVariable) && compare(a, b) < 0;
}
inline std::uint64_t variable_bit(VariableId id) {
  const std::uint32_t place = id.index < kOwnVariableBits ? id.index : kOwnVariableBits;
  return std::uint64_t{1} << (static_cast<std::uint32_t>(id.kind) * (kOwnVariableBits + 1) + place);
}
inline std::uint64_t variable_bits(Expr expr) { return expr.node_->variable_bits; }

}  // namespace mercator
