#include "mercator/map/certify_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercator/expr/traversal.h"

namespace mercator::internal {

namespace {

using isl::Affine;
using isl::Map;
using isl::Pieces;
using isl::Set;
using isl::Space;
using isl::Value;

bool is_quasi_affine(Expr node) {
  const auto is_constant = [](Expr operand) { return operand.is(ExprKind::kConstant); };
  switch (node.kind()) {
    case ExprKind::kProduct:
      return std::ranges::count_if(node.operands(), is_constant) + 1 >= std::ssize(node.operands());
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return is_constant(node.divisor()) && node.divisor().value() != 0;
    default:
      return true;
  }
}

// A function of the variables: one quasi-affine expression, or, if a minimum or maximum is part of
// it, several with their domains. What isl does with pieces takes it much longer.
class Function {
 public:
  explicit Function(isl_aff* affine) : affine_(affine) {}
  explicit Function(isl_pw_aff* pieces) : pieces_(pieces) {}

  // *this + factor * other.
  [[nodiscard]] Function plus(const Function& other, isl_val* factor) const {
    const Function term = other.times(factor);
    if (affine_ && term.affine_) {
      return Function(isl_aff_add(isl::copy(affine_), isl::copy(term.affine_)));
    }
    return Function(isl_pw_aff_add(pieces(), term.pieces()));
  }
  [[nodiscard]] Function times(isl_val* factor) const {
    return affine_ ? Function(isl_aff_scale_val(isl::copy(affine_), factor))
                   : Function(isl_pw_aff_scale_val(pieces(), factor));
  }
  // Requires that one of the two is constant.
  [[nodiscard]] Function times(const Function& other) const {
    return affine_ && other.affine_
               ? Function(isl_aff_mul(isl::copy(affine_), isl::copy(other.affine_)))
               : Function(isl_pw_aff_mul(pieces(), other.pieces()));
  }
  // Requires a positive divisor.
  [[nodiscard]] Function floor_div(isl_val* divisor) const {
    return affine_ ? Function(isl_aff_floor(isl_aff_scale_down_val(isl::copy(affine_), divisor)))
                   : Function(isl_pw_aff_floor(isl_pw_aff_scale_down_val(pieces(), divisor)));
  }

  [[nodiscard]] isl_pw_aff* pieces() const {
    return affine_ ? isl_pw_aff_from_aff(isl::copy(affine_)) : isl::copy(pieces_);
  }
  // The points where *this >= other.
  [[nodiscard]] isl_set* at_least(const Function& other) const {
    return affine_ && other.affine_ ? isl_aff_ge_set(isl::copy(affine_), isl::copy(other.affine_))
                                    : isl_pw_aff_ge_set(pieces(), other.pieces());
  }
  // {variables -> value}.
  [[nodiscard]] isl_map* as_map() const {
    return affine_ ? isl_map_from_aff(isl::copy(affine_)) : isl_map_from_pw_aff(pieces());
  }

 private:
  Affine affine_;
  Pieces pieces_;
};

// Makes the relation of one map.
class RelationMaker {
 public:
  RelationMaker(isl_ctx* context, const RelationSource& source, const Parameters& parameters)
      : context_(context), source_(source), parameters_(parameters) {}

  Map make() {
    make_space();
    const std::vector<Expr> exprs = source_.exprs();
    const Traversal traversal(exprs);
    for (std::size_t i = 0; i < traversal.nodes().size(); ++i) {
      functions_.push_back(make_function(traversal, i));
    }

    Set domain = within_bounds();
    const std::size_t output_count = exprs.size() - source_.map.constraints().size();
    for (std::size_t i = output_count; i < exprs.size(); ++i) {
      restrict(domain, functions_[traversal.roots()[i]],
               source_.map.constraints()[i - output_count].range);
    }
    Map relation(isl_map_from_domain(domain.release()));
    for (std::size_t i = 0; i < output_count; ++i) {
      isl_map* output = functions_[traversal.roots()[i]].as_map();
      relation.reset(isl_map_flat_range_product(relation.release(), output));
    }
    return relation;
  }

 private:
  [[nodiscard]] std::size_t dimension_count() const { return source_.map.dimensions().size(); }

  void make_space() {
    const auto parameter_count = static_cast<unsigned>(parameters_.bounds.size());
    const auto variable_count =
        static_cast<unsigned>(dimension_count() + source_.map.ranges().size());
    space_.reset(isl_space_set_alloc(context_, parameter_count, variable_count));
    for (unsigned i = 0; i < parameter_count; ++i) {
      const std::string name = fmt::format("p{}", i);
      space_.reset(isl_space_set_dim_name(space_.release(), isl_dim_param, i, name.c_str()));
    }
  }

  [[nodiscard]] isl_val* value(std::int64_t value) const {
    static_assert(sizeof(long) == sizeof(std::int64_t));
    return isl_val_int_from_si(context_, value);
  }
  [[nodiscard]] isl_local_space* local_space() const {
    return isl_local_space_from_space(isl::copy(space_));
  }
  [[nodiscard]] Function constant(std::int64_t constant) const {
    return Function(isl_aff_val_on_domain(local_space(), value(constant)));
  }
  [[nodiscard]] Function variable(isl_dim_type type, std::size_t position) const {
    return Function(isl_aff_var_on_domain(local_space(), type, static_cast<unsigned>(position)));
  }

  [[nodiscard]] Function variable(VariableId id) const {
    switch (id.kind) {
      case VariableKind::kDimension:
        return variable(isl_dim_set, id.index);
      case VariableKind::kRange:
        return variable(isl_dim_set, dimension_count() + id.index);
      case VariableKind::kRuntime:
        return variable(isl_dim_param, source_.parameter_of_runtime[id.index]);
    }
    __builtin_unreachable();
  }

  Function make_function(const Traversal& traversal, std::size_t node) {
    const Expr expr = traversal.nodes()[node];
    const std::size_t operand_count = expr.operands().size();
    const auto operand = [&](std::size_t i) -> const Function& {
      return functions_[traversal.operands(node)[i]];
    };
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return constant(expr.value());
      case ExprKind::kVariable:
        return variable(expr.variable());
      case ExprKind::kSum: {
        Function sum = constant(expr.constant());
        for (std::size_t i = 0; i < operand_count; ++i) {
          sum = sum.plus(operand(i), value(expr.coefficients()[i]));
        }
        return sum;
      }
      case ExprKind::kProduct: {
        // At most one factor is not a constant.
        Function product = constant(1);
        for (std::size_t i = 0; i < operand_count; ++i) product = product.times(operand(i));
        return product;
      }
      case ExprKind::kFloorDiv:
        return quotient(operand(0), expr.divisor().value());
      case ExprKind::kMod: {
        const std::int64_t divisor = expr.divisor().value();
        return operand(0).plus(quotient(operand(0), divisor), isl_val_neg(value(divisor)));
      }
      case ExprKind::kMin:
      case ExprKind::kMax: {
        const auto extremum = expr.is(ExprKind::kMin) ? isl_pw_aff_min : isl_pw_aff_max;
        Pieces result(operand(0).pieces());
        for (std::size_t i = 1; i < operand_count; ++i) {
          result.reset(extremum(result.release(), operand(i).pieces()));
        }
        return Function(result.release());
      }
    }
    __builtin_unreachable();
  }

  // x floordiv n; isl divides by positive numbers only.
  [[nodiscard]] Function quotient(const Function& dividend, std::int64_t n) const {
    if (n > 0) return dividend.floor_div(value(n));
    return dividend.times(value(-1)).floor_div(isl_val_neg(value(n)));
  }

  // Intersects `set` with the points where `function` lies in `range`.
  void restrict(Set& set, const Function& function, Interval range) const {
    if (range.is_empty()) set.reset(isl_set_empty(isl::copy(space_)));
    if (range.lo != Interval::kMinusInfinity) {
      isl_set* above = function.at_least(constant(range.lo));
      set.reset(isl_set_intersect(set.release(), above));
    }
    if (range.hi != Interval::kPlusInfinity) {
      isl_set* below = constant(range.hi).at_least(function);
      set.reset(isl_set_intersect(set.release(), below));
    }
  }

  [[nodiscard]] Set within_bounds() const {
    Set set(isl_set_universe(isl::copy(space_)));
    for (std::size_t i = 0; i < parameters_.bounds.size(); ++i) {
      restrict(set, variable(isl_dim_param, i), parameters_.bounds[i]);
    }
    for (std::size_t i = 0; i < dimension_count(); ++i) {
      restrict(set, variable(isl_dim_set, i), source_.map.dimensions()[i].bounds);
    }
    for (std::size_t i = 0; i < source_.map.ranges().size(); ++i) {
      restrict(set, variable(isl_dim_set, dimension_count() + i), source_.map.ranges()[i].bounds);
    }
    return set;
  }

  isl_ctx* context_;
  const RelationSource& source_;
  const Parameters& parameters_;
  Space space_;
  std::vector<Function> functions_;  // of the nodes of the traversal
};

}  // namespace

std::vector<Expr> RelationSource::outputs() const {
  std::vector<Expr> outputs = map.results();
  for (const std::uint32_t runtime : indexed_runtimes) {
    const std::vector<Expr>& index = map.runtimes()[runtime].index;
    outputs.insert(outputs.end(), index.begin(), index.end());
  }
  return outputs;
}

std::vector<Expr> RelationSource::exprs() const {
  std::vector<Expr> exprs = outputs();
  for (const Constraint& constraint : map.constraints()) exprs.push_back(constraint.expr);
  return exprs;
}

std::optional<Expr> find_not_quasi_affine(std::span<const Expr> exprs) {
  const Traversal traversal(exprs);
  for (const Expr node : traversal.nodes()) {
    if (!is_quasi_affine(node)) return node;
  }
  return std::nullopt;
}

Map make_relation(isl_ctx* context, const RelationSource& source, const Parameters& parameters) {
  return RelationMaker(context, source, parameters).make();
}

}  // namespace mercator::internal
