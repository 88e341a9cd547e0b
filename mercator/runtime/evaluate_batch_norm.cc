// Batch normalisation: https://openxla.org/xla/operation_semantics#batchnormtraining and the
// sections after it. Everything is computed in f64 and rounded at the end.

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/stop_check.h"
#include "mercator/runtime/wide_elements.h"

namespace mercator::runtime {
namespace {

// The operand as outer x features x inner elements.
struct Features {
  std::int64_t outer = 1;
  std::int64_t count = 1;
  std::int64_t inner = 1;

  explicit Features(const Evaluation& evaluation) {
    const std::int64_t along = evaluation.instruction.integer(hlo::AttributeName::kFeatureIndex, 0);
    const std::span<const std::int64_t> sizes = evaluation.tensor(0).dimensions();
    for (std::int64_t d = 0; d < evaluation.tensor(0).rank(); ++d) {
      const std::int64_t size = sizes[static_cast<std::size_t>(d)];
      (d < along ? outer : d == along ? count : inner) *= size;
    }
  }

  // How many elements a feature has.
  [[nodiscard]] double elements() const { return static_cast<double>(outer * inner); }
};

// Operands `first` to `last` have a number for each feature.
Result<void> expect_vectors(const Evaluation& evaluation, const Features& features,
                            std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(i).dimensions(), {{features.count}},
                                        "vector and features"));
  }
  return {};
}

// HLO keeps it as an f32, for all types.
float epsilon_of(const hlo::Instruction& instruction) {
  const std::string_view text = instruction.get<hlo::RawText>(hlo::AttributeName::kEpsilon).text;
  float epsilon = 0;
  std::from_chars(text.data(), text.data() + text.size(), epsilon);
  return epsilon;
}

// Calls `visit(i)` for each element i of a feature.
template <class Visit>
Result<void> for_each_element(const Evaluation& evaluation, const Features& features,
                              std::int64_t feature, Visit visit) {
  StopCheck check_stop(evaluation.evaluator);
  for (std::int64_t o = 0; o < features.outer; ++o) {
    const std::int64_t first = (o * features.count + feature) * features.inner;
    for (std::int64_t i = first; i < first + features.inner; ++i) {
      MERCATOR_TRY_VOID(check_stop());
      visit(i);
    }
  }
  return {};
}

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
  const Features features(evaluation);
  MERCATOR_TRY_VOID(expect_vectors(evaluation, features, 1, 2));
  const float epsilon = epsilon_of(evaluation.instruction);
  const hlo::ElementType type = evaluation.tensor(0).element_type();
  Tensor result = MERCATOR_TRY(evaluation.allocate(type, sizes_of(evaluation.tensor(0))));
  Tensor means = MERCATOR_TRY(evaluation.allocate(type, {features.count}));
  Tensor variances = MERCATOR_TRY(evaluation.allocate(type, {features.count}));

  const WideReader<double> operand(evaluation.tensor(0));
  const WideReader<double> scale(evaluation.tensor(1));
  const WideReader<double> offset(evaluation.tensor(2));
  const WideWriter<double> normalised(result);
  for (std::int64_t f = 0; f < features.count; ++f) {
    double sum = 0;
    MERCATOR_TRY_VOID(
        for_each_element(evaluation, features, f, [&](std::int64_t i) { sum += operand[i]; }));
    const double mean = sum / features.elements();
    double squares = 0;
    MERCATOR_TRY_VOID(for_each_element(evaluation, features, f, [&](std::int64_t i) {
      squares += (operand[i] - mean) * (operand[i] - mean);
    }));
    const double variance = squares / features.elements();
    const Normalisation normalise{
        .mean = mean, .scale = scale[f] / std::sqrt(variance + epsilon), .offset = offset[f]};
    MERCATOR_TRY_VOID(for_each_element(evaluation, features, f, [&](std::int64_t i) {
      normalised.set(i, normalise(operand[i]));
    }));
    WideWriter<double>(means).set(f, mean);
    WideWriter<double>(variances).set(f, variance);
  }
  return Value::tuple({std::move(result), std::move(means), std::move(variances)});
}

// (operand, scale, offset, mean, variance) -> normalised
Result<Value> evaluate_batch_norm_inference(Evaluation& evaluation) {
  const Features features(evaluation);
  MERCATOR_TRY_VOID(expect_vectors(evaluation, features, 1, 4));
  const float epsilon = epsilon_of(evaluation.instruction);
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes_of(evaluation.tensor(0))));

  const WideReader<double> operand(evaluation.tensor(0));
  const WideReader<double> scale(evaluation.tensor(1));
  const WideReader<double> offset(evaluation.tensor(2));
  const WideReader<double> mean(evaluation.tensor(3));
  const WideReader<double> variance(evaluation.tensor(4));
  const WideWriter<double> normalised(result);
  for (std::int64_t f = 0; f < features.count; ++f) {
    const Normalisation normalise{
        .mean = mean[f], .scale = scale[f] / std::sqrt(variance[f] + epsilon), .offset = offset[f]};
    MERCATOR_TRY_VOID(for_each_element(evaluation, features, f, [&](std::int64_t i) {
      normalised.set(i, normalise(operand[i]));
    }));
  }
  return result;
}

// (operand, scale, mean, variance, gradient) -> the gradients by (operand, scale, offset)
Result<Value> evaluate_batch_norm_grad(Evaluation& evaluation) {
  const Features features(evaluation);
  MERCATOR_TRY_VOID(expect_vectors(evaluation, features, 1, 3));
  MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(0), evaluation.tensor(4)));
  const float epsilon = epsilon_of(evaluation.instruction);
  const hlo::ElementType type = evaluation.tensor(0).element_type();
  Tensor by_operand = MERCATOR_TRY(evaluation.allocate(type, sizes_of(evaluation.tensor(0))));
  Tensor by_scale = MERCATOR_TRY(evaluation.allocate(type, {features.count}));
  Tensor by_offset = MERCATOR_TRY(evaluation.allocate(type, {features.count}));

  const WideReader<double> operand(evaluation.tensor(0));
  const WideReader<double> scale(evaluation.tensor(1));
  const WideReader<double> mean(evaluation.tensor(2));
  const WideReader<double> variance(evaluation.tensor(3));
  const WideReader<double> gradient(evaluation.tensor(4));
  const WideWriter<double> result(by_operand);
  for (std::int64_t f = 0; f < features.count; ++f) {
    const double deviation = std::sqrt(variance[f] + epsilon);
    const auto normalised = [&](std::int64_t i) { return (operand[i] - mean[f]) / deviation; };
    double sum = 0;
    double weighted_sum = 0;
    MERCATOR_TRY_VOID(for_each_element(evaluation, features, f, [&](std::int64_t i) {
      sum += gradient[i];
      weighted_sum += gradient[i] * normalised(i);
    }));
    // Mean and variance depend on the operand too.
    const double mean_gradient = sum / features.elements();
    const double mean_weighted = weighted_sum / features.elements();
    MERCATOR_TRY_VOID(for_each_element(evaluation, features, f, [&](std::int64_t i) {
      result.set(
          i, scale[f] / deviation * (gradient[i] - mean_gradient - normalised(i) * mean_weighted));
    }));
    WideWriter<double>(by_scale).set(f, weighted_sum);
    WideWriter<double>(by_offset).set(f, sum);
  }
  return Value::tuple({std::move(by_operand), std::move(by_scale), std::move(by_offset)});
}

}  // namespace mercator::runtime
