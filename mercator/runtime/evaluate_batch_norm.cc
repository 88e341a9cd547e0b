// Batch normalisation: https://openxla.org/xla/operation_semantics#batchnormtraining and the
// sections after it. Everything is computed in f64 and rounded at the end.

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/wide_elements.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

// HLO keeps it as an f32, for all types.
float epsilon_of(const hlo::Instruction& instruction) {
  const std::string_view text = instruction.get<hlo::RawText>(hlo::AttributeName::kEpsilon).text;
  float epsilon = 0;
  std::from_chars(text.data(), text.data() + text.size(), epsilon);
  return epsilon;
}

// What the three instructions have in common. Operand 0 is seen as outer x features x inner
// elements; others are *vectors*, of a number for each feature.
class BatchNorm {
 public:
  // Operands 1 to `vectors` are vectors.
  [[nodiscard]] static Result<BatchNorm> make(const Evaluation& evaluation, std::size_t vectors) {
    BatchNorm result(evaluation);
    for (std::size_t i = 1; i <= vectors; ++i) {
      MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(i).dimensions(), {{result.features_}},
                                          "vector and features"));
    }
    return result;
  }

  [[nodiscard]] std::int64_t features() const { return features_; }
  // How many elements a feature has.
  [[nodiscard]] double elements() const { return static_cast<double>(outer_ * inner_); }
  [[nodiscard]] double deviation(double variance) const { return std::sqrt(variance + epsilon_); }

  [[nodiscard]] WideReader<double> operand(std::size_t i) const {
    return WideReader<double>(evaluation_.tensor(i));
  }
  [[nodiscard]] Result<Tensor> allocate_like_operand() const {
    const Tensor& operand = evaluation_.tensor(0);
    return evaluation_.allocate(operand.element_type(), sizes_of(operand));
  }
  [[nodiscard]] Result<Tensor> allocate_vector() const {
    return evaluation_.allocate(evaluation_.tensor(0).element_type(), {features_});
  }

  // Calls `visit(i)` for each element i of a feature.
  template <class Visit>
  Result<void> for_each_element(std::int64_t feature, Visit visit) const {
    StopCheck check_stop(evaluation_.evaluator.stop());
    for (std::int64_t o = 0; o < outer_; ++o) {
      const std::int64_t first = (o * features_ + feature) * inner_;
      for (std::int64_t i = first; i < first + inner_; ++i) {
        MERCATOR_TRY_VOID(check_stop());
        visit(i);
      }
    }
    return {};
  }

 private:
  explicit BatchNorm(const Evaluation& evaluation)
      : evaluation_(evaluation), epsilon_(epsilon_of(evaluation.instruction)) {
    const std::int64_t along = evaluation.instruction.integer(hlo::AttributeName::kFeatureIndex, 0);
    const std::span<const std::int64_t> sizes = evaluation.tensor(0).dimensions();
    for (std::int64_t d = 0; d < evaluation.tensor(0).rank(); ++d) {
      const std::int64_t size = sizes[static_cast<std::size_t>(d)];
      (d < along ? outer_ : d == along ? features_ : inner_) *= size;
    }
  }

  const Evaluation& evaluation_;
  float epsilon_;
  std::int64_t outer_ = 1;
  std::int64_t features_ = 1;
  std::int64_t inner_ = 1;
};

// x -> (x - mean) * scale + offset.
struct Normalisation {
  double mean = 0;
  double scale = 1;
  double offset = 0;

  [[nodiscard]] double operator()(double x) const { return (x - mean) * scale + offset; }
};

}  // namespace

// (operand, scale, offset) -> (normalised, mean, variance)
Result<Value> evaluate_batch_norm_training(Evaluation& evaluation) {
  const BatchNorm norm = MERCATOR_TRY(BatchNorm::make(evaluation, 2));
  Tensor result = MERCATOR_TRY(norm.allocate_like_operand());
  Tensor means = MERCATOR_TRY(norm.allocate_vector());
  Tensor variances = MERCATOR_TRY(norm.allocate_vector());

  const WideReader<double> operand = norm.operand(0);
  const WideReader<double> scale = norm.operand(1);
  const WideReader<double> offset = norm.operand(2);
  const WideWriter<double> normalised(result);
  for (std::int64_t f = 0; f < norm.features(); ++f) {
    double sum = 0;
    MERCATOR_TRY_VOID(norm.for_each_element(f, [&](std::int64_t i) { sum += operand[i]; }));
    const double mean = sum / norm.elements();
    double squares = 0;
    MERCATOR_TRY_VOID(norm.for_each_element(
        f, [&](std::int64_t i) { squares += (operand[i] - mean) * (operand[i] - mean); }));
    const double variance = squares / norm.elements();
    const Normalisation normalise{
        .mean = mean, .scale = scale[f] / norm.deviation(variance), .offset = offset[f]};
    MERCATOR_TRY_VOID(norm.for_each_element(
        f, [&](std::int64_t i) { normalised.set(i, normalise(operand[i])); }));
    WideWriter<double>(means).set(f, mean);
    WideWriter<double>(variances).set(f, variance);
  }
  return Value::tuple({std::move(result), std::move(means), std::move(variances)});
}

// (operand, scale, offset, mean, variance) -> normalised
Result<Value> evaluate_batch_norm_inference(Evaluation& evaluation) {
  const BatchNorm norm = MERCATOR_TRY(BatchNorm::make(evaluation, 4));
  Tensor result = MERCATOR_TRY(norm.allocate_like_operand());

  const WideReader<double> operand = norm.operand(0);
  const WideReader<double> scale = norm.operand(1);
  const WideReader<double> offset = norm.operand(2);
  const WideReader<double> mean = norm.operand(3);
  const WideReader<double> variance = norm.operand(4);
  const WideWriter<double> normalised(result);
  for (std::int64_t f = 0; f < norm.features(); ++f) {
    const Normalisation normalise{
        .mean = mean[f], .scale = scale[f] / norm.deviation(variance[f]), .offset = offset[f]};
    MERCATOR_TRY_VOID(norm.for_each_element(
        f, [&](std::int64_t i) { normalised.set(i, normalise(operand[i])); }));
  }
  return result;
}

// (operand, scale, mean, variance, gradient) -> the gradients by (operand, scale, offset)
Result<Value> evaluate_batch_norm_grad(Evaluation& evaluation) {
  const BatchNorm norm = MERCATOR_TRY(BatchNorm::make(evaluation, 3));
  MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(0), evaluation.tensor(4)));
  Tensor by_operand = MERCATOR_TRY(norm.allocate_like_operand());
  Tensor by_scale = MERCATOR_TRY(norm.allocate_vector());
  Tensor by_offset = MERCATOR_TRY(norm.allocate_vector());

  const WideReader<double> operand = norm.operand(0);
  const WideReader<double> scale = norm.operand(1);
  const WideReader<double> mean = norm.operand(2);
  const WideReader<double> variance = norm.operand(3);
  const WideReader<double> gradient = norm.operand(4);
  const WideWriter<double> result(by_operand);
  for (std::int64_t f = 0; f < norm.features(); ++f) {
    const double deviation = norm.deviation(variance[f]);
    const auto normalised = [&](std::int64_t i) { return (operand[i] - mean[f]) / deviation; };
    double sum = 0;
    double weighted_sum = 0;
    MERCATOR_TRY_VOID(norm.for_each_element(f, [&](std::int64_t i) {
      sum += gradient[i];
      weighted_sum += gradient[i] * normalised(i);
    }));
    // Mean and variance depend on the operand too.
    const double mean_gradient = sum / norm.elements();
    const double mean_weighted = weighted_sum / norm.elements();
    MERCATOR_TRY_VOID(norm.for_each_element(f, [&](std::int64_t i) {
      result.set(
          i, scale[f] / deviation * (gradient[i] - mean_gradient - normalised(i) * mean_weighted));
    }));
    WideWriter<double>(by_scale).set(f, weighted_sum);
    WideWriter<double>(by_offset).set(f, sum);
  }
  return Value::tuple({std::move(by_operand), std::move(by_scale), std::move(by_offset)});
}

}  // namespace mercator::runtime
