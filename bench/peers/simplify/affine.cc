#include "bench/peers/simplify/affine.h"

#include <fmt/format.h>
#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/MLIRContext.h>

#include <algorithm>
#include <optional>

namespace mercator::peers {
namespace {

bool has_product(Expr expr) {
  return expr.is(ExprKind::kProduct) || std::ranges::any_of(expr.operands(), has_product);
}

// Turns expressions into affine ones, and back into text.
class Translator {
 public:
  Translator(mlir::MLIRContext& context, std::span<const Expr> exprs, VariableCounts counts)
      : context_(context), counts_(counts), all_symbols_(std::ranges::any_of(exprs, has_product)) {}

  [[nodiscard]] std::optional<mlir::AffineExpr> translate(Expr expr) const;
  [[nodiscard]] std::string text(mlir::AffineExpr expr,
                                 const std::function<std::string(VariableId)>& name) const;

  [[nodiscard]] std::size_t dimension_count() const {
    return all_symbols_ ? 0 : counts_.dimensions;
  }
  [[nodiscard]] std::size_t symbol_count() const {
    return counts_.dimensions - dimension_count() + counts_.ranges + counts_.runtimes;
  }

 private:
  // Symbols stand in the order ranges, runtimes, dimensions.
  [[nodiscard]] std::size_t position(VariableId id) const;
  [[nodiscard]] VariableId variable(std::size_t position) const;

  mlir::MLIRContext& context_;
  VariableCounts counts_;
  bool all_symbols_;
};

std::size_t Translator::position(VariableId id) const {
  switch (id.kind) {
    case VariableKind::kRange:
      return id.index;
    case VariableKind::kRuntime:
      return counts_.ranges + id.index;
    case VariableKind::kDimension:
      break;
  }
  return counts_.ranges + counts_.runtimes + id.index;
}

VariableId Translator::variable(std::size_t position) const {
  const auto [dimensions, ranges, runtimes] = counts_;
  const auto id = [](VariableKind kind, std::size_t index) {
    return VariableId{kind, static_cast<std::uint32_t>(index)};
  };
  if (position < ranges) return id(VariableKind::kRange, position);
  if (position < ranges + runtimes) return id(VariableKind::kRuntime, position - ranges);
  return id(VariableKind::kDimension, position - ranges - runtimes);
}

std::optional<mlir::AffineExpr> Translator::translate(Expr expr) const {
  std::vector<mlir::AffineExpr> operands;
  for (const Expr operand : expr.operands()) {
    const std::optional<mlir::AffineExpr> translated = translate(operand);
    if (!translated) return std::nullopt;
    operands.push_back(*translated);
  }
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return mlir::getAffineConstantExpr(expr.value(), &context_);
    case ExprKind::kVariable: {
      const VariableId id = expr.variable();
      if (id.kind == VariableKind::kDimension && !all_symbols_) {
        return mlir::getAffineDimExpr(id.index, &context_);
      }
      return mlir::getAffineSymbolExpr(static_cast<unsigned>(position(id)), &context_);
    }
    case ExprKind::kSum: {
      mlir::AffineExpr sum = operands[0] * expr.coefficients()[0];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        sum = sum + operands[i] * expr.coefficients()[i];
      }
      return sum + expr.constant();
    }
    case ExprKind::kProduct: {
      mlir::AffineExpr product = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) product = product * operands[i];
      return product;
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kMod: {
      const Expr divisor = expr.divisor();
      if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return std::nullopt;
      return expr.is(ExprKind::kMod) ? operands[0] % operands[1]
                                     : operands[0].floorDiv(operands[1]);
    }
    case ExprKind::kMin:
    case ExprKind::kMax:
      break;
  }
  return std::nullopt;
}

std::string Translator::text(mlir::AffineExpr expr,
                             const std::function<std::string(VariableId)>& name) const {
  const auto binary = [&](const char* symbol) {
    const auto pair = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
    return fmt::format("({} {} {})", text(pair.getLHS(), name), symbol, text(pair.getRHS(), name));
  };
  switch (expr.getKind()) {
    case mlir::AffineExprKind::Add:
      return binary("+");
    case mlir::AffineExprKind::Mul:
      return binary("*");
    case mlir::AffineExprKind::Mod:
      return binary("mod");
    case mlir::AffineExprKind::FloorDiv:
      return binary("floordiv");
    case mlir::AffineExprKind::CeilDiv:
      return binary("ceildiv");
    case mlir::AffineExprKind::Constant:
      return fmt::format("({})", mlir::cast<mlir::AffineConstantExpr>(expr).getValue());
    case mlir::AffineExprKind::DimId:
      return name({VariableKind::kDimension, mlir::cast<mlir::AffineDimExpr>(expr).getPosition()});
    case mlir::AffineExprKind::SymbolId:
      return name(variable(mlir::cast<mlir::AffineSymbolExpr>(expr).getPosition()));
  }
  return {};
}

}  // namespace

struct AffineContext::Impl {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

AffineContext::AffineContext() : impl_(std::make_unique<Impl>()) {}
AffineContext::~AffineContext() = default;

struct AffineMap::Impl {
  Translator translator;
  mlir::AffineMap map = {};
  mlir::AffineMap simplified = {};
};

AffineMap::AffineMap(AffineContext& context, std::span<const Expr> results, VariableCounts counts)
    : impl_(std::make_unique<Impl>(
          Impl{.translator = Translator(context.impl_->context, results, counts)})) {
  const Translator& translator = impl_->translator;
  std::vector<mlir::AffineExpr> translated;
  for (const Expr result : results) {
    const std::optional<mlir::AffineExpr> affine = translator.translate(result);
    if (!affine) return;
    translated.push_back(*affine);
  }
  impl_->map = mlir::AffineMap::get(static_cast<unsigned>(translator.dimension_count()),
                                    static_cast<unsigned>(translator.symbol_count()), translated,
                                    &context.impl_->context);
}
AffineMap::~AffineMap() = default;

bool AffineMap::is_expressible() const { return static_cast<bool>(impl_->map); }

void AffineMap::simplify() { impl_->simplified = mlir::simplifyAffineMap(impl_->map); }

std::vector<std::string> AffineMap::results(
    const std::function<std::string(VariableId)>& name) const {
  std::vector<std::string> texts;
  for (const mlir::AffineExpr result : impl_->simplified.getResults()) {
    texts.push_back(impl_->translator.text(result, name));
  }
  return texts;
}

}  // namespace mercator::peers
