#include "mercator/analysis/work.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mercator/analysis/count.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

const hlo::Shape& first_array(const hlo::Shape& shape) {
  const hlo::Shape* at = &shape;
  while (at->is_tuple() && !at->elements.empty()) at = &at->elements.front();
  return *at;
}
std::int64_t elements(const hlo::Shape& shape) {
  const hlo::Shape& array = first_array(shape);
  return array.is_array() ? array.element_count() : 0;
}
std::int64_t size_of(const hlo::Shape& array, std::int64_t dimension) {
  return array.dimensions[static_cast<std::size_t>(dimension)];
}

// log2 n, rounded up.
std::int64_t log2_of(std::int64_t n) {
  return n <= 1 ? 0 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

// The multiplications of a matrix product, each with an addition.
Work products(std::int64_t count, const hlo::Shape& result) {
  const bool is_complex = hlo::is_complex(first_array(result).element_type);
  return {.flops = saturating_mul(count, is_complex ? 8 : 2)};
}

Work dot(const Instruction& instruction) {
  std::int64_t contracted = 1;
  for (const std::int64_t d : instruction.integers(AttributeName::kLhsContractingDims)) {
    contracted = saturating_mul(contracted, size_of(instruction.operand(0).shape, d));
  }
  return products(saturating_mul(elements(instruction.shape), contracted), instruction.shape);
}

// The pairs of a position of the window along one dimension and a place in it that lies on an
// element.
std::int64_t window_pairs(const hlo::WindowDimension& window, std::int64_t input,
                          std::int64_t output) {
  std::int64_t pairs = 0;
  for (std::int64_t k = 0; k < window.size; ++k) {
    // Position o meets the dilated input at o * stride + start: a multiple of the dilation between
    // 0 and the last element.
    const std::int64_t start = k * window.window_dilation - window.padding_low;
    const std::int64_t last = (input - 1) * window.base_dilation;
    if (input == 0) continue;
    const std::int64_t from =
        std::max<std::int64_t>(0, start >= 0 ? 0 : ceil_div(-start, window.stride));
    const std::int64_t to = std::min(output - 1, floor_div(last - start, window.stride));
    if (to < from) continue;
    const std::int64_t step = window.base_dilation / gcd(window.base_dilation, window.stride);
    for (std::int64_t o = from; o < std::min(from + step, to + 1); ++o) {
      if ((o * window.stride + start) % window.base_dilation == 0) {
        pairs += (to - o) / step + 1;
        break;
      }
    }
  }
  return pairs;
}

Work convolution(const Instruction& instruction) {
  const hlo::Window window = instruction.get<hlo::Window>(AttributeName::kWindow);
  const auto& labels =
      *instruction.get<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels);
  const hlo::Shape& lhs = instruction.operand(0).shape;
  const hlo::Shape& kernel = instruction.operand(1).shape;
  std::int64_t count =
      saturating_mul(size_of(instruction.shape, labels.output_batch),
                     saturating_mul(size_of(instruction.shape, labels.output_feature),
                                    size_of(kernel, labels.kernel_input_feature)));
  for (std::size_t i = 0; i < window.size(); ++i) {
    count =
        saturating_mul(count, window_pairs(window[i], size_of(lhs, labels.input_spatial[i]),
                                           size_of(instruction.shape, labels.output_spatial[i])));
  }
  // With groups of the batch, each kernel meets the part of the batch that is its own.
  return products(count, instruction.shape);
}

std::int64_t window_size(const Instruction& instruction) {
  std::int64_t size = 1;
  for (const hlo::WindowDimension& dimension :
       instruction.get<hlo::Window>(AttributeName::kWindow)) {
    size = saturating_mul(size, dimension.size);
  }
  return size;
}

// Of one element of an elementwise instruction other than a map.
Work elementwise(const Instruction& instruction) {
  const bool is_complex = hlo::is_complex(first_array(instruction.shape).element_type);
  switch (instruction.opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kComplex:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kImag:
    case Opcode::kReal:
      return {};
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return {.transcendentals = 1};
    case Opcode::kMultiply:
      return {.flops = is_complex ? 6 : 1};
    default:
      return {.flops = is_complex ? 2 : 1};
  }
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  flops = saturating_add(flops, other.flops);
  transcendentals = saturating_add(transcendentals, other.transcendentals);
  return *this;
}

Work operator*(const Work& work, std::int64_t count) {
  return {.flops = saturating_mul(work.flops, count),
          .transcendentals = saturating_mul(work.transcendentals, count)};
}

Work WorkCounter::of(const hlo::Computation& computation) {
  // A computation that calls itself finds nothing of itself.
  const auto [known, is_new] = computations_.try_emplace(&computation);
  if (!is_new) return known->second;
  Work work;
  for (const Instruction* instruction : computation.instructions) work += (*this)(*instruction);
  return computations_[&computation] = work;
}

Work WorkCounter::operator()(const Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  const auto called = [&](AttributeName attribute) {
    const hlo::Computation* computation = instruction.computation(attribute);
    return computation != nullptr ? of(*computation) : Work{};
  };
  switch (instruction.opcode) {
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot:
      return dot(instruction);
    case Opcode::kConvolution:
      return convolution(instruction);
    case Opcode::kMap:
      return called(AttributeName::kToApply) * elements(shape);
    case Opcode::kClamp:
      return Work{.flops = 2} * elements(shape);
    case Opcode::kReduce:
      return called(AttributeName::kToApply) *
             std::max<std::int64_t>(0, elements(instruction.operand(0).shape) - elements(shape));
    case Opcode::kReduceWindow:
      return called(AttributeName::kToApply) *
             saturating_mul(elements(shape),
                            std::max<std::int64_t>(0, window_size(instruction) - 1));
    case Opcode::kSelectAndScatter: {
      const std::int64_t sources = elements(instruction.operand(1).shape);
      Work work = called(AttributeName::kSelect) *
                  saturating_mul(sources, std::max<std::int64_t>(0, window_size(instruction) - 1));
      return work += called(AttributeName::kScatter) * sources;
    }
    case Opcode::kScatter: {
      const std::size_t arrays = instruction.operands.size() / 2;
      return called(AttributeName::kToApply) * elements(instruction.operand(arrays + 1).shape);
    }
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return called(AttributeName::kToApply) * elements(instruction.operand(0).shape);
    case Opcode::kScan:
      return called(AttributeName::kToApply) * elements(instruction.operand(0).shape);
    case Opcode::kSort: {
      const std::int64_t all = elements(instruction.operand(0).shape);
      const auto dimensions = instruction.integers(AttributeName::kDimensions);
      const std::int64_t along =
          dimensions.empty() ? 1 : size_of(instruction.operand(0).shape, dimensions.front());
      return called(AttributeName::kToApply) * saturating_mul(all, log2_of(along));
    }
    case Opcode::kTopK: {
      const hlo::Shape& operand = instruction.operand(0).shape;
      return Work{.flops = 1} *
             saturating_mul(elements(operand),
                            operand.rank() == 0 ? 0 : log2_of(operand.dimensions.back()));
    }
    case Opcode::kFft: {
      std::int64_t transformed = 1;
      for (const std::int64_t length : instruction.integers(AttributeName::kFftLength)) {
        transformed = saturating_mul(transformed, length);
      }
      const std::int64_t all = std::max(elements(shape), elements(instruction.operand(0).shape));
      return {.flops = saturating_mul(saturating_mul(5, all), log2_of(transformed))};
    }
    case Opcode::kCholesky: {
      const std::int64_t n = shape.dimensions.back();
      return {.flops = saturating_mul(elements(shape), n) / 3};
    }
    case Opcode::kTriangularSolve: {
      const std::int64_t n = instruction.operand(0).shape.dimensions.back();
      return {.flops = saturating_mul(elements(shape), n)};
    }
    case Opcode::kBatchNormGrad:
      return {.flops = saturating_mul(elements(instruction.operand(0).shape), 9)};
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return {.flops = saturating_mul(elements(instruction.operand(0).shape), 5)};
    case Opcode::kFusion:
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kAsyncStart: {
      Work work;
      for (const hlo::Computation* computation : instruction.called_computations()) {
        work += of(*computation);
      }
      return work;
    }
    default:
      if (!hlo::is_elementwise(instruction.opcode)) return {};
      return elementwise(instruction) * elements(shape);
  }
}

}  // namespace mercator
