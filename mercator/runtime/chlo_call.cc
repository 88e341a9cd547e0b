#include "mercator/runtime/chlo_call.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/element_access.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double erfc(double x) { return std::erfc(x); }

// Winitzki's approximation to the inverse of erf, to two digits, for 0 < y < 1.
double near_erf_inv(double y) {
  constexpr double kA = 0.147;
  const double log = std::log1p(-y * y);
  const double half = 2 / (std::numbers::pi * kA) + log / 2;
  return std::sqrt(std::sqrt(half * half - log / kA) - half);
}

// Halley's method, which triples the digits at each step. Near 1 it is done on erfc, which has
// digits where erf has none; 1 - y is exact there.
double erf_inv(double value) {
  const double y = std::abs(value);
  if (y == 0) return value;
  if (std::isnan(y) || y > 1) return kNan;
  if (y == 1) return std::copysign(kInfinity, value);
  double x = near_erf_inv(y);
  for (int step = 0; step < 3; ++step) {
    const double error = y < 0.5 ? std::erf(x) - y : (1 - y) - std::erfc(x);
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    const double newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, value);
}

double lgamma(double x) {
  if (x == -kInfinity) return kInfinity;
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// By recurrence to where the asymptotic series holds (Abramowitz and Stegun, 6.3.5 and 6.3.18);
// numbers below 1/2 are reflected (6.3.7).
double digamma(double x) {
  if (x == kInfinity) return kInfinity;
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return kNan;
  if (x < 0.5)
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::floor(x)));
  double result = 0;
  for (; x < 10; ++x) result -= 1 / x;
  // The Bernoulli numbers B(2n) / 2n.
  constexpr double kTerms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double square = 1 / (x * x);
  double power = square;
  for (const double term : kTerms) {
    result -= term * power;
    power *= square;
  }
  return result + std::log(x) - 1 / (2 * x);
}

template <double (*kFunction)(double)>
Result<Value> apply(Evaluation& evaluation) {
  const bool fits = evaluation.operands.size() == 1 && evaluation.operands[0].is_tensor() &&
                    evaluation.instruction.shape.is_array() &&
                    hlo::is_floating(evaluation.element_type()) &&
                    evaluation.tensor(0).element_type() == evaluation.element_type();
  if (!fits) return fail(ErrorKind::kUnsupported, "it takes one array of floating-point numbers");
  const Tensor& operand = evaluation.tensor(0);
  Tensor result =
      MERCATOR_TRY(evaluation.allocate({operand.dimensions().begin(), operand.dimensions().end()}));
  const ElementReader read(operand, hlo::ElementType::kF64);
  const ElementWriter write(result, hlo::ElementType::kF64);
  StopCheck check_stop(evaluation.evaluator.stop());
  for (std::int64_t i = 0; i < operand.element_count(); ++i) {
    MERCATOR_TRY_VOID(check_stop());
    write(i, {.d = kFunction(read(i).d)});
  }
  return result;
}

}  // namespace

EvaluateFunction chlo_function(std::string_view target) {
  if (target == "chlo.digamma") return apply<digamma>;
  if (target == "chlo.erf_inv") return apply<erf_inv>;
  if (target == "chlo.erfc") return apply<erfc>;
  if (target == "chlo.lgamma") return apply<lgamma>;
  return nullptr;
}

}  // namespace mercator::runtime
