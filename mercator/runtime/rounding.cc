#include "mercator/runtime/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "mercator/hlo/float_format.h"

namespace mercator::runtime {
namespace {

constexpr double kFunctionRoundings = 4;
// What a loop is taken to turn where that cannot be told.
constexpr double kAssumedTurns = 100;

Rounding joined(const Rounding& a, const Rounding& b) {
  return {.roundings = std::max(a.roundings, b.roundings),
          .reduction_length = std::max(a.reduction_length, b.reduction_length),
          .unit_roundoff = std::max(a.unit_roundoff, b.unit_roundoff)};
}

// What happens to a value that comes by `first`, then goes by `second`.
Rounding followed(const Rounding& first, const Rounding& second) {
  return {.roundings = first.roundings + second.roundings,
          .reduction_length = first.reduction_length * second.reduction_length,
          .unit_roundoff = std::max(first.unit_roundoff, second.unit_roundoff)};
}

// 0 for types of exact numbers.
double unit_roundoff(hlo::ElementType type) {
  if (type == hlo::ElementType::kC64) type = hlo::ElementType::kF32;
  if (type == hlo::ElementType::kC128) type = hlo::ElementType::kF64;
  if (!hlo::is_floating(type)) return 0;
  return std::ldexp(1.0, -1 - hlo::float_format(type).mantissa_bits);
}

double product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
}

double product_at(std::span<const std::int64_t> sizes, std::span<const std::int64_t> places) {
  double result = 1;
  for (const std::int64_t d : places)
    result *= static_cast<double>(sizes[static_cast<std::size_t>(d)]);
  return result;
}

double window_size(const hlo::Instruction& instruction) {
  double size = 1;
  for (const hlo::WindowDimension& dimension :
       instruction.get<hlo::Window>(hlo::AttributeName::kWindow)) {
    size *= static_cast<double>(dimension.size);
  }
  return size;
}

// How many updates may fall on the same element.
double updates_of_scatter(const hlo::Instruction& scatter) {
  const hlo::Shape& updates = scatter.operand(scatter.operands.size() - 1).shape;
  const double window =
      product_at(updates.dimensions, scatter.integers(hlo::AttributeName::kUpdateWindowDims));
  return window > 0 ? product(updates.dimensions) / window : 0;
}

double contracted_by_convolution(const hlo::Instruction& convolution) {
  const auto* const numbers =
      convolution.get<const hlo::ConvolutionDimensions*>(hlo::AttributeName::kDimLabels);
  const std::span<const std::int64_t> kernel = convolution.operand(1).shape.dimensions;
  if (numbers == nullptr) return product(kernel);
  const auto features =
      static_cast<double>(kernel[static_cast<std::size_t>(numbers->kernel_output_feature)]);
  return features > 0 ? product(kernel) / features : 0;
}

// The elements that an element of the result sums up, where the instruction does that.
double reduced_elements(const hlo::Instruction& instruction) {
  const auto operand_sizes = [&]() { return instruction.operand(0).shape.dimensions; };
  switch (instruction.opcode) {
    case hlo::Opcode::kBatchNormGrad:
    case hlo::Opcode::kBatchNormTraining: {
      const std::int64_t feature = instruction.integer(hlo::AttributeName::kFeatureIndex, 0);
      const auto features = static_cast<double>(operand_sizes()[static_cast<std::size_t>(feature)]);
      return features > 0 ? product(operand_sizes()) / features : 0;
    }
    case hlo::Opcode::kCholesky:
    case hlo::Opcode::kTriangularSolve:
      return static_cast<double>(operand_sizes().back());
    case hlo::Opcode::kConvolution:
      return contracted_by_convolution(instruction);
    case hlo::Opcode::kDot:
    case hlo::Opcode::kRaggedDot:
    case hlo::Opcode::kScaledDot:
      return product_at(operand_sizes(),
                        instruction.integers(hlo::AttributeName::kLhsContractingDims));
    case hlo::Opcode::kFft:
      return product(instruction.integers(hlo::AttributeName::kFftLength));
    case hlo::Opcode::kReduce:
      return product_at(operand_sizes(), instruction.integers(hlo::AttributeName::kDimensions));
    case hlo::Opcode::kReduceWindow:
    case hlo::Opcode::kSelectAndScatter:
      return window_size(instruction);
    case hlo::Opcode::kScatter:
      return updates_of_scatter(instruction);
    case hlo::Opcode::kCustomCall:
    case hlo::Opcode::kScan: {
      // Of what a library sums up nothing is known; it cannot be more than there is.
      double most = 1;
      for (const hlo::Instruction* operand : instruction.operands) {
        if (operand->shape.is_array()) most = std::max(most, product(operand->shape.dimensions));
      }
      return most;
    }
    default:
      return 1;
  }
}

// The roundings of one element by the instruction itself, what it calls left aside.
double own_roundings(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kAdd:
    case hlo::Opcode::kDivide:
    case hlo::Opcode::kMultiply:
    case hlo::Opcode::kRemainder:
    case hlo::Opcode::kSqrt:
    case hlo::Opcode::kSubtract:
    case hlo::Opcode::kCholesky:
    case hlo::Opcode::kConvolution:
    case hlo::Opcode::kDot:
    case hlo::Opcode::kFft:
    case hlo::Opcode::kRaggedDot:
    case hlo::Opcode::kScaledDot:
    case hlo::Opcode::kTriangularSolve:
      return 1;
    case hlo::Opcode::kAcos:
    case hlo::Opcode::kAcosh:
    case hlo::Opcode::kAsin:
    case hlo::Opcode::kAsinh:
    case hlo::Opcode::kAtan2:
    case hlo::Opcode::kAtanh:
    case hlo::Opcode::kBatchNormGrad:
    case hlo::Opcode::kBatchNormInference:
    case hlo::Opcode::kBatchNormTraining:
    case hlo::Opcode::kCbrt:
    case hlo::Opcode::kCosh:
    case hlo::Opcode::kCosine:
    case hlo::Opcode::kErf:
    case hlo::Opcode::kExp:
    case hlo::Opcode::kExpm1:
    case hlo::Opcode::kLog:
    case hlo::Opcode::kLog1p:
    case hlo::Opcode::kLogistic:
    case hlo::Opcode::kPower:
    case hlo::Opcode::kRng:
    case hlo::Opcode::kRsqrt:
    case hlo::Opcode::kSine:
    case hlo::Opcode::kSinh:
    case hlo::Opcode::kTan:
    case hlo::Opcode::kTanh:
      return kFunctionRoundings;
    case hlo::Opcode::kAbs:  // of a complex number it is a root
      return hlo::is_complex(instruction.operand(0).shape.element_type) ? kFunctionRoundings : 0;
    case hlo::Opcode::kSign:
      return hlo::is_complex(instruction.shape.element_type) ? kFunctionRoundings : 0;
    case hlo::Opcode::kCustomCall:
      return instruction.get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget).text ==
                     "TopK"
                 ? 0
                 : kFunctionRoundings;
    default:
      return 0;
  }
}

// The most that the condition of a loop compares its counter with.
double turns_of(const hlo::Instruction& loop) {
  const hlo::Computation* const condition = loop.computation(hlo::AttributeName::kCondition);
  double most = 0;
  for (const hlo::Instruction* instruction : condition->instructions) {
    const hlo::Literal* const literal = instruction->literal;
    if (literal == nullptr || !instruction->shape.is_array()) continue;
    if (!hlo::is_integral(instruction->shape.element_type) || instruction->shape.rank() != 0)
      continue;
    most = std::max(most, static_cast<double>(literal->integer(0).value_or(0)));
  }
  return most > 0 ? most : kAssumedTurns;
}

std::ptrdiff_t leaf_count(const hlo::Shape& shape) { return std::ssize(hlo::leaves(shape)); }

// One entry for each leaf of a shape.
using Leaves = std::vector<Rounding>;

class RoundingAnalysis {
 public:
  [[nodiscard]] bool has_result(const hlo::Computation& computation) const {
    return results_.contains(&computation);
  }
  // What the result of a computation adds to its arguments.
  const Leaves& result(const hlo::Computation& computation) {
    if (const auto found = results_.find(&computation); found != results_.end()) {
      return found->second;
    }
    return results_.emplace(&computation, evaluate(computation)).first->second;
  }

 private:
  Leaves evaluate(const hlo::Computation& computation) {
    std::unordered_map<const hlo::Instruction*, Leaves> values;
    for (const hlo::Instruction* instruction : computation.post_order()) {
      std::vector<const Leaves*> operands;
      for (const hlo::Instruction* operand : instruction->operands) {
        operands.push_back(&values.at(operand));
      }
      Leaves value = evaluate(*instruction, operands);
      forget_exact(*instruction, value);
      values.emplace(instruction, std::move(value));
    }
    return std::move(values.at(computation.root));
  }

  Leaves evaluate(const hlo::Instruction& instruction, std::span<const Leaves* const> operands) {
    const auto count = static_cast<std::size_t>(leaf_count(instruction.shape));
    if (instruction.opcode == hlo::Opcode::kParameter) return Leaves(count);
    if (instruction.opcode == hlo::Opcode::kTuple) {
      Leaves value;
      for (const Leaves* operand : operands) {
        value.insert(value.end(), operand->begin(), operand->end());
      }
      return value;
    }
    if (instruction.opcode == hlo::Opcode::kGetTupleElement) {
      const std::span<const hlo::Shape> elements = instruction.operand(0).shape.elements;
      const std::int64_t index = instruction.integer(hlo::AttributeName::kIndex, 0);
      auto first = operands[0]->begin();
      for (const hlo::Shape& before : elements.first(static_cast<std::size_t>(index))) {
        first += leaf_count(before);
      }
      return {first, first + leaf_count(instruction.shape)};
    }

    Rounding read;
    for (const Leaves* operand : operands) {
      for (const Rounding& leaf : *operand) read = joined(read, leaf);
    }
    Leaves called = called_results(instruction);
    Leaves value(count);
    for (std::size_t i = 0; i < count; ++i) {
      value[i] = followed(read, own(instruction, called, i, count));
    }
    return value;
  }

  // What the computations that an instruction calls may add, a leaf for each of theirs.
  Leaves called_results(const hlo::Instruction& instruction) {
    Leaves all;
    for (const hlo::Computation* computation : instruction.called_computations()) {
      const Leaves& one = result(*computation);
      if (all.size() < one.size()) all.resize(one.size());
      for (std::size_t i = 0; i < one.size(); ++i) all[i] = joined(all[i], one[i]);
    }
    return all;
  }

  // What an instruction adds to the leaf `place` of its result.
  static Rounding own(const hlo::Instruction& instruction, const Leaves& called, std::size_t place,
                      std::size_t count) {
    Rounding inside;
    if (called.size() == count) {
      inside = called[place];
    } else {
      for (const Rounding& leaf : called) inside = joined(inside, leaf);
    }
    Rounding own{.roundings = own_roundings(instruction) + inside.roundings,
                 .reduction_length = inside.reduction_length,
                 .unit_roundoff = inside.unit_roundoff};
    if (own.roundings > 0) {
      own.reduction_length *= std::max(1.0, reduced_elements(instruction));
    }
    if (instruction.opcode == hlo::Opcode::kWhile) own.roundings *= turns_of(instruction);
    return own;
  }

  // Values of exact types must be equal, whatever they were made from; others are as imprecise as
  // the type that they are rounded to.
  static void forget_exact(const hlo::Instruction& instruction, Leaves& value) {
    const std::vector<hlo::ShapeLeaf> shapes = leaves(instruction.shape);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double roundoff =
          shapes[i].shape.is_array() ? unit_roundoff(shapes[i].shape.element_type) : 0;
      if (roundoff == 0) {
        value[i] = {};
      } else if (value[i].roundings > 0) {
        value[i].unit_roundoff = std::max(value[i].unit_roundoff, roundoff);
      }
    }
  }

  std::unordered_map<const hlo::Computation*, Leaves> results_;
};

}  // namespace

std::vector<Rounding> result_roundings(const hlo::Computation& computation) {
  RoundingAnalysis analysis;
  // Callees first, so that no call goes deeper than one.
  std::vector<const hlo::Computation*> waiting = {&computation};
  while (!waiting.empty()) {
    const hlo::Computation& next = *waiting.back();
    const std::size_t before = waiting.size();
    if (!analysis.has_result(next)) {
      for (const hlo::Instruction* instruction : next.instructions) {
        for (const hlo::Computation* callee : instruction->called_computations()) {
          if (!analysis.has_result(*callee)) waiting.push_back(callee);
        }
      }
    }
    if (waiting.size() > before) continue;
    (void)analysis.result(next);
    waiting.pop_back();
  }
  const Leaves& all = analysis.result(computation);
  const std::vector<hlo::ShapeLeaf> shapes = leaves(computation.root->shape);
  std::vector<Rounding> arrays;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const hlo::ShapeKind kind = shapes[i].shape.kind;
    if (kind == hlo::ShapeKind::kArray || kind == hlo::ShapeKind::kBuffer) arrays.push_back(all[i]);
  }
  return arrays;
}

double tolerance(const Rounding& rounding) {
  const double error =
      4 * rounding.unit_roundoff * rounding.roundings * std::sqrt(rounding.reduction_length);
  return std::min(error, std::sqrt(rounding.unit_roundoff));
}

}  // namespace mercator::runtime
