#include "test/indexing/model_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "mercator/support/arithmetic.h"
#include "test/indexing/model_definitions.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

void read_elementwise(const Instruction& instruction, const Reader& reader) {
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      // The predicate of a select and the bounds of a clamp may be scalars.
      const bool scalar = instruction.operand(k).shape.rank() == 0 && !index.empty();
      reader.read(k, output, scalar ? 0 : output);
    }
  });
}

// Whether the program alone, without what it is given, says what the values of an array are.
bool follows_from_program(const Instruction& instruction) {
  std::set<const Instruction*> found;
  std::vector<const Instruction*> rest = {&instruction};
  while (!rest.empty()) {
    const Instruction& next = *rest.back();
    rest.pop_back();
    if (!found.insert(&next).second) continue;
    const bool given = next.opcode != Opcode::kConstant && next.opcode != Opcode::kIota;
    if (next.operands.empty() && given) return false;
    rest.insert(rest.end(), next.operands.begin(), next.operands.end());
  }
  return true;
}

}  // namespace

// Both branches, unless the program says which.
void read_select(const Instruction& instruction, const Reader& reader) {
  const Instruction& predicate = instruction.operand(0);
  const bool known = follows_from_program(predicate);
  for_each_output(instruction, [&](Sizes, std::int64_t output) {
    const std::int64_t which = predicate.shape.rank() == 0 ? 0 : output;
    reader.read(0, output, which);
    if (!known || reader.value(0, which) != 0) reader.read(1, output, output);
    if (!known || reader.value(0, which) == 0) reader.read(2, output, output);
  });
}

namespace {

void read_broadcast(const Instruction& instruction, const Reader& reader) {
  const Sizes dimensions = instruction.integers(AttributeName::kDimensions);
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    reader.read(0, output, position_of(chosen(index, dimensions), sizes));
  });
}

void read_transpose(const Instruction& instruction, const Reader& reader) {
  const Sizes dimensions = instruction.integers(AttributeName::kDimensions);
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  Index source(sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    assign(source, dimensions, index);
    reader.read(0, output, position_of(source, sizes));
  });
}

void read_reverse(const Instruction& instruction, const Reader& reader) {
  const Sizes dimensions = instruction.integers(AttributeName::kDimensions);
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    Index source(index.begin(), index.end());
    for (std::size_t d = 0; d < source.size(); ++d) {
      if (contains(dimensions, static_cast<std::int64_t>(d))) source[d] = sizes[d] - 1 - source[d];
    }
    reader.read(0, output, position_of(source, sizes));
  });
}

void read_slice(const Instruction& instruction, const Reader& reader) {
  const auto slice = instruction.get<std::span<const hlo::SliceDimension>>(AttributeName::kSlice);
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  Index source(sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for (std::size_t d = 0; d < source.size(); ++d) {
      source[d] = slice[d].start + index[d] * slice[d].stride;
    }
    reader.read(0, output, position_of(source, sizes));
  });
}

// Row-major order is kept.
void read_reshape(const Instruction& instruction, const Reader& reader) {
  for_each_output(instruction, [&](Sizes, std::int64_t output) { reader.read(0, output, output); });
}

// Elements that share bits in memory.
Result<void> read_bitcast(const Instruction& instruction, const Reader& reader) {
  const Shape& from = instruction.operand(0).shape;
  const Shape& to = instruction.shape;
  for (const Shape* shape : {&from, &to}) {
    if (shape->layout != nullptr && !shape->layout->tiles.empty()) {
      return fail(ErrorKind::kUnsupported, "the model does not know tiled layouts");
    }
  }
  const std::int64_t from_bits = hlo::bit_width(from.element_type);
  const std::int64_t to_bits = hlo::bit_width(to.element_type);
  if (from_bits != to_bits && (from_bits < 8 || to_bits < 8)) {
    return fail(ErrorKind::kUnsupported, "the model does not know how narrow types are packed");
  }
  std::vector<std::int64_t> at_place(static_cast<std::size_t>(from.element_count()));
  std::int64_t position = 0;
  for_each_index(from.dimensions, [&](Sizes index) {
    at_place[static_cast<std::size_t>(place_in_memory(index, from))] = position++;
  });
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    const std::int64_t first_bit = place_in_memory(index, to) * to_bits;
    const std::int64_t last_bit = first_bit + to_bits - 1;
    for (std::int64_t place = first_bit / from_bits; place <= last_bit / from_bits; ++place) {
      reader.read(0, output, at_place[static_cast<std::size_t>(place)]);
    }
  });
  return {};
}

// The bits of each element are read anew, one after another; a narrower or wider type adds or takes
// away a last dimension.
void read_bitcast_convert(const Instruction& instruction, const Reader& reader) {
  const std::int64_t from_bits = hlo::bit_width(instruction.operand(0).shape.element_type);
  const std::int64_t to_bits = hlo::bit_width(instruction.shape.element_type);
  const std::int64_t parts = std::max(from_bits, to_bits) / std::min(from_bits, to_bits);
  for_each_output(instruction, [&](Sizes, std::int64_t output) {
    if (from_bits >= to_bits) return reader.read(0, output, output / parts);
    for (std::int64_t part = 0; part < parts; ++part) reader.read(0, output, output * parts + part);
  });
}

void read_concatenate(const Instruction& instruction, const Reader& reader) {
  const auto dimension =
      static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  const Sizes output_sizes = instruction.shape.dimensions;
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const Sizes sizes = instruction.operand(k).shape.dimensions;
    std::int64_t element = 0;
    for_each_index(sizes, [&](Sizes index) {
      Index target(index.begin(), index.end());
      target[dimension] += offset;
      reader.read(k, position_of(target, output_sizes), element++);
    });
    offset += sizes[dimension];
  }
}

void read_pad(const Instruction& instruction, const Reader& reader) {
  const auto padding =
      instruction.get<std::span<const hlo::PaddingDimension>>(AttributeName::kPadding);
  const Sizes output_sizes = instruction.shape.dimensions;
  std::vector<bool> covered(static_cast<std::size_t>(instruction.shape.element_count()), false);
  std::int64_t element = 0;
  for_each_index(instruction.operand(0).shape.dimensions, [&](Sizes index) {
    Index target(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) {
      target[d] = padding[d].low + index[d] * (1 + padding[d].interior);
    }
    if (is_inside(target, output_sizes)) {
      const std::int64_t output = position_of(target, output_sizes);
      covered[static_cast<std::size_t>(output)] = true;
      reader.read(0, output, element);
    }
    ++element;
  });
  for (std::size_t output = 0; output < covered.size(); ++output) {
    if (!covered[output]) reader.read(1, static_cast<std::int64_t>(output), 0);
  }
}

std::int64_t element_count(Sizes sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count = saturating_mul(count, size);
  return std::ranges::find(sizes, 0) != sizes.end() ? 0 : count;
}

std::string_view target_of(const Instruction& custom_call) {
  return custom_call.get<hlo::QuotedString>(AttributeName::kCustomCallTarget).text;
}
bool is_topk(const Instruction& custom_call) { return target_of(custom_call) == "TopK"; }

}  // namespace

std::int64_t position_of(Sizes index, Sizes sizes) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}

std::vector<std::int64_t> index_at(std::int64_t position, Sizes sizes) {
  Index index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

std::int64_t place_in_memory(Sizes index, const Shape& shape) {
  std::int64_t place = 0;
  std::int64_t stride = 1;
  for (const std::int64_t d : hlo::minor_to_major(shape)) {
    place += index[static_cast<std::size_t>(d)] * stride;
    stride *= shape.dimensions[static_cast<std::size_t>(d)];
  }
  return place;
}

bool is_inside(Sizes index, Sizes sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (index[d] < 0 || index[d] >= sizes[d]) return false;
  }
  return true;
}

bool has_definition(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kCholesky:
    case Opcode::kClamp:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kConvolution:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kFft:
    case Opcode::kGather:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kParameter:
    case Opcode::kRaggedDot:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSetDimensionSize:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kTranspose:
    case Opcode::kTriangularSolve:
      return true;
    case Opcode::kDot:
      return instruction.operands.size() <= 3;
    case Opcode::kCustomCall:
      return is_topk(instruction) || (target_of(instruction).starts_with("__cudnn$conv") &&
                                      instruction.operands.size() == 2);
    default:
      return hlo::is_elementwise(instruction.opcode) && instruction.shape.is_array();
  }
}

std::int64_t work_of(const Instruction& instruction) {
  std::int64_t most = 1;
  for (const Instruction* operand : instruction.operands) {
    if (operand->shape.is_array()) most = std::max(most, element_count(operand->shape.dimensions));
  }
  const auto window = instruction.get<hlo::Window>(AttributeName::kWindow);
  const std::int64_t places = std::max(most, element_count(window_sizes(window)));
  std::int64_t outputs = 1;
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
    if (leaf.shape.is_array()) outputs = std::max(outputs, element_count(leaf.shape.dimensions));
  }
  return saturating_mul(saturating_mul(outputs, places),
                        std::max<std::int64_t>(1, std::ssize(instruction.operands)));
}

Result<void> read_elements(const Instruction& instruction, const Reader& reader) {
  if (!has_definition(instruction)) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the model does not know '{}'", hlo::name(instruction.opcode)));
  }
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kParameter:
      return {};
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      read_batch_norm(instruction, reader);
      return {};
    case Opcode::kBitcast:
      return read_bitcast(instruction, reader);
    case Opcode::kBitcastConvert:
      read_bitcast_convert(instruction, reader);
      return {};
    case Opcode::kBroadcast:
      read_broadcast(instruction, reader);
      return {};
    case Opcode::kConcatenate:
      read_concatenate(instruction, reader);
      return {};
    case Opcode::kConvolution:
      read_convolution(instruction, reader);
      return {};
    case Opcode::kCustomCall:
      is_topk(instruction) ? read_topk(instruction, reader)
                           : read_library_convolution(instruction, reader);
      return {};
    case Opcode::kDot:
      instruction.operands.size() == 2 ? read_dot(instruction, reader)
                                       : read_sparse_dot(instruction, reader);
      return {};
    case Opcode::kDynamicSlice:
      read_dynamic_slice(instruction, reader);
      return {};
    case Opcode::kDynamicUpdateSlice:
      read_dynamic_update_slice(instruction, reader);
      return {};
    case Opcode::kGather:
      read_gather(instruction, reader);
      return {};
    case Opcode::kPad:
      read_pad(instruction, reader);
      return {};
    case Opcode::kReduce:
      read_reduce(instruction, reader);
      return {};
    case Opcode::kReduceWindow:
      read_reduce_window(instruction, reader);
      return {};
    case Opcode::kReshape:
      read_reshape(instruction, reader);
      return {};
    case Opcode::kReverse:
      read_reverse(instruction, reader);
      return {};
    case Opcode::kSlice:
      read_slice(instruction, reader);
      return {};
    case Opcode::kTranspose:
      read_transpose(instruction, reader);
      return {};
    case Opcode::kCholesky:
      read_cholesky(instruction, reader);
      return {};
    case Opcode::kFft:
      read_fft(instruction, reader);
      return {};
    case Opcode::kRaggedDot:
      read_ragged_dot(instruction, reader);
      return {};
    case Opcode::kRng:
      read_rng(instruction, reader);
      return {};
    case Opcode::kRngBitGenerator:
      read_rng_bit_generator(instruction, reader);
      return {};
    case Opcode::kScaledDot:
      read_scaled_dot(instruction, reader);
      return {};
    case Opcode::kSelectAndScatter:
      read_select_and_scatter(instruction, reader);
      return {};
    case Opcode::kTopK:
      read_topk(instruction, reader);
      return {};
    case Opcode::kTriangularSolve:
      read_triangular_solve(instruction, reader);
      return {};
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
      read_dynamic_size(instruction, reader);
      return {};
    case Opcode::kScan:
      return read_scan(instruction, reader);
    case Opcode::kScatter:
      return read_scatter(instruction, reader);
    case Opcode::kSort:
      return read_sort(instruction, reader);
    case Opcode::kSelect:
      read_select(instruction, reader);
      return {};
    default:
      read_elementwise(instruction, reader);
      return {};
  }
}

}  // namespace mercator::testing
