// Convolutions by cuDNN.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "mercator/indexing/convolution.h"
#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/library_call.h"
#include "mercator/indexing/sizes.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// The window, the labels and the groups are those of the convolution forward, whichever of its
// arrays is the result. Returns whether the call fits it.
bool library_convolution(InstructionMaps& maps, ConvolutionParts parts) {
  const hlo::Instruction& call = maps.instruction();
  const std::optional<ShapeIndex> result = result_leaf(maps);
  if (!result.has_value() || !has_array_operands(maps, 2)) {
    not_known(maps, "it needs two operands and a result that are arrays");
    return false;
  }
  std::array<hlo::Instruction, 3> arrays;  // by part
  const auto set = [&](ConvolutionPart part, const hlo::Shape& shape) {
    arrays[static_cast<std::size_t>(part)].shape = shape;
  };
  set(parts.result, shape_at(maps.output(), *result));
  for (const std::size_t k : {0U, 1U}) set(parts.operands[k], maps.operand(k));
  const std::array<hlo::Instruction*, 2> operands = {
      &arrays[static_cast<std::size_t>(ConvolutionPart::kInput)],
      &arrays[static_cast<std::size_t>(ConvolutionPart::kKernel)]};
  StandIn convolution(hlo::Opcode::kConvolution,
                      arrays[static_cast<std::size_t>(ConvolutionPart::kOutput)].shape, operands);
  for (const AttributeName name :
       {AttributeName::kWindow, AttributeName::kDimLabels, AttributeName::kFeatureGroupCount,
        AttributeName::kBatchGroupCount}) {
    convolution.copy(call, name);
  }
  if (const std::optional<std::string> fault = convolution.fault()) {
    not_known(maps, *fault);
    return false;
  }
  add_convolution(maps, convolution.instruction(), parts, *result);
  add_workspace(maps, 1);
  return true;
}

}  // namespace

// (f32[1, 8, 4], u8[0]) custom-call(f32[1, 9, 6] p0, f32[2, 6, 4] p1), window={size=2},
//     dim_labels=b0f_0io->b0f, custom_call_target="__cudnn$convForward"
//   as convolution(p0, p1)
void convolution_call(InstructionMaps& maps) {
  if (!library_convolution(maps,
                           {.result = ConvolutionPart::kOutput,
                            .operands = {ConvolutionPart::kInput, ConvolutionPart::kKernel}})) {
    return;
  }
  for (std::size_t k = 2; k < maps.instruction().operands.size(); ++k) {
    not_known(maps, *result_leaf(maps), k, "what the operand is for is not known");
  }
}

// The same with a bias for each feature, and perhaps an array that is added:
// "__cudnn$convBiasActivationForward"
//   o2i of p2: (d0, d1, d2) -> (d2)
//   o2i of p3: (d0, d1, d2) -> (d0, d1, d2)
void biased_convolution_call(InstructionMaps& maps) {
  if (!library_convolution(maps,
                           {.result = ConvolutionPart::kOutput,
                            .operands = {ConvolutionPart::kInput, ConvolutionPart::kKernel}})) {
    return;
  }
  const ShapeIndex output = *result_leaf(maps);
  const std::span<const std::int64_t> result = output_at(maps, output).dimensions;
  const std::array<std::int64_t, 1> feature = {
      maps.instruction()
          .get<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels)
          ->output_feature};
  for (std::size_t k = 2; k < maps.instruction().operands.size(); ++k) {
    const hlo::Shape& operand = maps.operand(k);
    if (k == 2 && operand.is_array() && operand.rank() == 1 &&
        operand.dimensions[0] == result[static_cast<std::size_t>(feature[0])]) {
      add_broadcast(maps, output, k, feature);
    } else if (k == 3 && operand.is_array() && std::ranges::equal(operand.dimensions, result)) {
      maps.add_identity(output, static_cast<std::int64_t>(k), {}, operand);
    } else {
      not_known(maps, output, k, "what the operand is for is not known");
    }
  }
}

// (f32[1, 9, 6], u8[0]) custom-call(f32[1, 8, 4] p0, f32[2, 6, 4] p1), window={size=2},
//     dim_labels=b0f_0io->b0f, custom_call_target="__cudnn$convBackwardInput"
//   o2i of p0: (d0, d1, d2)[s0, s1] -> (d0, d1 - s0, s1)
//   o2i of p1: (d0, d1, d2)[s0, s1] -> (s0, d2, s1)
void convolution_input_call(InstructionMaps& maps) {
  (void)library_convolution(maps,
                            {.result = ConvolutionPart::kInput,
                             .operands = {ConvolutionPart::kOutput, ConvolutionPart::kKernel}});
}

// (f32[2, 6, 4], u8[0]) custom-call(f32[1, 9, 6] p0, f32[1, 8, 4] p1), window={size=2},
//     dim_labels=b0f_0io->b0f, custom_call_target="__cudnn$convBackwardFilter"
//   o2i of p0: (d0, d1, d2)[s0, s1] -> (s1, d0 + s0, d1)
//   o2i of p1: (d0, d1, d2)[s0, s1] -> (s1, s0, d2)
void convolution_kernel_call(InstructionMaps& maps) {
  (void)library_convolution(maps,
                            {.result = ConvolutionPart::kKernel,
                             .operands = {ConvolutionPart::kInput, ConvolutionPart::kOutput}});
}

}  // namespace mercator::indexing
