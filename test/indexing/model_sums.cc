// Definitions of the instructions that sum over dimensions and windows.

#include <array>

#include "test/indexing/model_definitions.h"

namespace mercator::testing {

using hlo::AttributeName;
using hlo::Instruction;

namespace {

// Which dimensions of one side of a dot play which part.
struct DotSide {
  Sizes sizes;
  Sizes batch;
  Sizes contracting;
  Index free;
};

DotSide dot_side(const Instruction& instruction, std::size_t operand) {
  const bool left = operand == 0;
  DotSide side{
      .sizes = instruction.operand(operand).shape.dimensions,
      .batch =
          instruction.integers(left ? AttributeName::kLhsBatchDims : AttributeName::kRhsBatchDims),
      .contracting = instruction.integers(left ? AttributeName::kLhsContractingDims
                                               : AttributeName::kRhsContractingDims),
      .free = {},
  };
  side.free = others(static_cast<std::int64_t>(side.sizes.size()), side.batch, side.contracting);
  return side;
}

}  // namespace

namespace {

// Where the elements of a sparse operand stand in the whole that it is a part of.
//
// The elements of the sparse operand come in groups of `kept`, each a group of `group` in the
// whole; metadata say the place in its group for each element, in as many bits as a place needs,
// the first elements in the lowest bits.
class SparseSide {
 public:
  SparseSide(const Instruction& dot, std::size_t metadata, const hlo::SparseOperand& sparse,
             const Reader& reader)
      : metadata_(metadata),
        sparse_(sparse),
        sizes_(dot.operand(metadata).shape.dimensions),
        reader_(reader),
        bits_(bits_of(sparse.group)),
        in_one_(hlo::bit_width(dot.operand(metadata).shape.element_type) / bits_) {}

  [[nodiscard]] std::size_t operand() const { return static_cast<std::size_t>(sparse_.operand); }
  [[nodiscard]] std::size_t dimension() const {
    return static_cast<std::size_t>(sparse_.dimension);
  }
  // Along the sparse dimension, of the element at this index.
  [[nodiscard]] std::int64_t place(Sizes index) const {
    const std::int64_t element = index[dimension()];
    const auto bits = static_cast<std::uint64_t>(reader_.value(metadata_, metadata_of(index))) >>
                      (element % in_one_ * bits_);
    const auto in_group =
        static_cast<std::int64_t>(bits % (std::uint64_t{1} << bits_)) % sparse_.group;
    return element / sparse_.kept * sparse_.group + in_group;
  }
  void read_metadata(std::int64_t output, Sizes index) const {
    reader_.read(metadata_, output, metadata_of(index));
  }

 private:
  static std::int64_t bits_of(std::int64_t group) {
    std::int64_t bits = 1;
    while ((std::int64_t{1} << bits) < group) ++bits;
    return bits;
  }
  [[nodiscard]] std::int64_t metadata_of(Sizes index) const {
    Index at(index.begin(), index.end());
    at[dimension()] /= in_one_;
    return position_of(at, sizes_);
  }

  std::size_t metadata_;
  const hlo::SparseOperand& sparse_;
  Sizes sizes_;
  const Reader& reader_;
  std::int64_t bits_;
  std::int64_t in_one_;
};

}  // namespace

// The same where one operand is sparse: its elements meet those at their places in the whole.
void read_sparse_dot(const Instruction& instruction, const Reader& reader) {
  const auto sparsity =
      instruction.get<std::span<const hlo::SparseOperand>>(AttributeName::kSparsity);
  const SparseSide sparse(instruction, 2, sparsity[0], reader);
  const std::size_t k = sparse.operand();
  const std::array<DotSide, 2> sides = {dot_side(instruction, 0), dot_side(instruction, 1)};
  const DotSide& here = sides[k];
  const DotSide& there = sides[1 - k];
  const auto along = static_cast<std::size_t>(there.contracting[static_cast<std::size_t>(
      std::ranges::find(here.contracting, sparsity[0].dimension) - here.contracting.begin())]);
  std::array<Index, 2> elements = {Index(sides[0].sizes.size()), Index(sides[1].sizes.size())};
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    const Sizes batch = index.first(sides[0].batch.size());
    assign(elements[0], sides[0].batch, batch);
    assign(elements[1], sides[1].batch, batch);
    assign(elements[0], sides[0].free, index.subspan(batch.size(), sides[0].free.size()));
    assign(elements[1], sides[1].free, index.last(sides[1].free.size()));
    for_each_index(chosen(here.sizes, here.contracting), [&](Sizes contracted) {
      assign(elements[k], here.contracting, contracted);
      assign(elements[1 - k], there.contracting, contracted);
      elements[1 - k][along] = sparse.place(elements[k]);
      reader.read(k, output, position_of(elements[k], here.sizes));
      reader.read(1 - k, output, position_of(elements[1 - k], there.sizes));
      sparse.read_metadata(output, elements[k]);
    });
  });
}

// result[batch, free of lhs, free of rhs] = sum over the contracted dimensions of lhs[…] * rhs[…].
void read_dot(const Instruction& instruction, const Reader& reader) {
  const DotSide left = dot_side(instruction, 0);
  const DotSide right = dot_side(instruction, 1);
  Index l(left.sizes.size());
  Index r(right.sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    const Sizes batch = index.first(left.batch.size());
    assign(l, left.batch, batch);
    assign(r, right.batch, batch);
    assign(l, left.free, index.subspan(batch.size(), left.free.size()));
    assign(r, right.free, index.last(right.free.size()));
    for_each_index(chosen(left.sizes, left.contracting), [&](Sizes contracted) {
      assign(l, left.contracting, contracted);
      assign(r, right.contracting, contracted);
      reader.read(0, output, position_of(l, left.sizes));
      reader.read(1, output, position_of(r, right.sizes));
    });
  });
}

namespace {

// The scale of an element: of the block that it lies in, or of the whole operand.
std::int64_t scale_of(Sizes index, Sizes sizes, Sizes scale_sizes) {
  if (scale_sizes.empty()) return 0;
  Index scale(index.begin(), index.end());
  for (std::size_t d = 0; d < scale.size(); ++d) scale[d] /= sizes[d] / scale_sizes[d];
  return position_of(scale, scale_sizes);
}

}  // namespace

void read_scaled_dot(const Instruction& instruction, const Reader& reader) {
  Reader with_scales = reader;
  with_scales.read = [&](std::size_t operand, std::int64_t output, std::int64_t element) {
    const Sizes sizes = instruction.operand(operand).shape.dimensions;
    reader.read(operand, output, element);
    reader.read(operand + 2, output,
                scale_of(index_at(element, sizes), sizes,
                         instruction.operand(operand + 2).shape.dimensions));
  };
  read_dot(instruction, with_scales);
}

// The ragged dimension of the left side is cut into groups, one after another, of sizes that the
// program computes; what lies behind the last one takes no part.
void read_ragged_dot(const Instruction& instruction, const Reader& reader) {
  const std::int64_t ragged = instruction.integers(AttributeName::kLhsRaggedDims)[0];
  const Sizes group_dims = instruction.integers(AttributeName::kRhsGroupDims);
  const DotSide left = dot_side(instruction, 0);
  DotSide right = dot_side(instruction, 1);
  std::erase_if(right.free, [&](std::int64_t d) { return contains(group_dims, d); });
  const bool by_group = contains(left.contracting, ragged);
  const std::int64_t groups = instruction.operand(2).shape.dimensions.back();
  const auto group_of = [&](std::int64_t position) {
    std::int64_t end = 0;
    for (std::int64_t group = 0; group < groups; ++group) {
      end += std::max<std::int64_t>(0, reader.value(2, group));
      if (position < end) return group;
    }
    return groups;
  };
  Index l(left.sizes.size());
  Index r(right.sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for (std::int64_t i = 0; i < instruction.operand(2).shape.element_count(); ++i) {
      reader.read(2, output, i);
    }
    const Sizes rest = by_group ? index.subspan(1) : index;
    const Sizes batch = rest.first(left.batch.size());
    assign(l, left.batch, batch);
    assign(r, right.batch, batch);
    assign(l, left.free, rest.subspan(batch.size(), left.free.size()));
    assign(r, right.free, rest.last(right.free.size()));
    for_each_index(chosen(left.sizes, left.contracting), [&](Sizes contracted) {
      assign(l, left.contracting, contracted);
      assign(r, right.contracting, contracted);
      const std::int64_t group = group_of(l[static_cast<std::size_t>(ragged)]);
      if (group == groups || (by_group && group != index[0])) return;
      for (const std::int64_t d : group_dims) r[static_cast<std::size_t>(d)] = group;
      reader.read(0, output, position_of(l, left.sizes));
      reader.read(1, output, position_of(r, right.sizes));
    });
  });
}

namespace {

void read_initial_values(const Instruction& instruction, const Reader& reader) {
  const std::size_t inputs = instruction.operands.size() / 2;
  for_each_output(instruction, [&](Sizes, std::int64_t output) {
    for (std::size_t k = inputs; k < 2 * inputs; ++k) reader.read(k, output, 0);
  });
}

}  // namespace

void read_reduce(const Instruction& instruction, const Reader& reader) {
  const std::size_t inputs = instruction.operands.size() / 2;
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Index kept = others(static_cast<std::int64_t>(sizes.size()),
                            instruction.integers(AttributeName::kDimensions));
  const Sizes output_sizes = result_sizes(instruction);
  std::int64_t element = 0;
  for_each_index(sizes, [&](Sizes index) {
    const std::int64_t output = position_of(chosen(index, kept), output_sizes);
    for (std::size_t k = 0; k < inputs; ++k) reader.read(k, output, element);
    ++element;
  });
  read_initial_values(instruction, reader);
}

namespace {

// The element of the operand that lies at place `window_index` of the window of `output_index`,
// along one dimension; -1 if there is only padding or a gap between elements.
std::int64_t element_under_window(const hlo::WindowDimension& window, std::int64_t output_index,
                                  std::int64_t window_index, std::int64_t size) {
  const std::int64_t padded = output_index * window.stride + window_index * window.window_dilation;
  const std::int64_t dilated = padded - window.padding_low;
  if (dilated < 0 || dilated % window.base_dilation != 0) return -1;
  const std::int64_t element = dilated / window.base_dilation;
  return element < size ? element : -1;
}

}  // namespace

void read_reduce_window(const Instruction& instruction, const Reader& reader) {
  const auto window = instruction.get<hlo::Window>(AttributeName::kWindow);
  const std::size_t inputs = instruction.operands.size() / 2;
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Index extents = window_sizes(window);
  Index source(sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for_each_index(extents, [&](Sizes w) {
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        source[d] = element_under_window(window[d], index[d], w[d], sizes[d]);
        if (source[d] < 0) return;
      }
      const std::int64_t element = position_of(source, sizes);
      for (std::size_t k = 0; k < inputs; ++k) reader.read(k, output, element);
    });
  });
  read_initial_values(instruction, reader);
}

namespace {

// For an output at (batch b, feature o, place p): the sum over kernel places w and input features i
// of
//   lhs[batch, feature, p * stride + w * window_dilation - padding_low] * kernel[i, o, w].
// With feature groups, o belongs to group o / (O / groups), which sees only the input features of
// that group: feature = group * I + i, where the kernel has I input features. With batch groups, o
// belongs to group o / (O / groups) too, which sees only the batches of that group: batch = group *
// (B / groups) + b.
void for_each_product(
    const Instruction& instruction, Sizes lhs_sizes, Sizes kernel_sizes, Sizes output_sizes,
    const std::function<void(std::int64_t lhs, std::int64_t kernel, std::int64_t output)>& visit) {
  const auto& numbers =
      *instruction.get<const hlo::ConvolutionDimensions*>(AttributeName::kDimLabels);
  const auto window = instruction.get<hlo::Window>(AttributeName::kWindow);
  const std::int64_t feature_groups = instruction.integer(AttributeName::kFeatureGroupCount, 1);
  const std::int64_t batch_groups = instruction.integer(AttributeName::kBatchGroupCount, 1);
  const auto size = [](Sizes sizes, std::int64_t d) { return sizes[static_cast<std::size_t>(d)]; };
  const std::int64_t output_features = size(kernel_sizes, numbers.kernel_output_feature);
  const std::int64_t group_features = size(kernel_sizes, numbers.kernel_input_feature);
  const std::int64_t group_batches = size(lhs_sizes, numbers.input_batch) / batch_groups;
  const Index extents = window_sizes(window);
  Index lhs(lhs_sizes.size());
  Index kernel(kernel_sizes.size());
  std::int64_t output = 0;
  for_each_index(output_sizes, [&](Sizes index) {
    const std::int64_t o = size(index, numbers.output_feature);
    const std::int64_t feature_group = o / (output_features / feature_groups);
    const std::int64_t batch_group = o / (output_features / batch_groups);
    for_each_index(extents, [&](Sizes w) {
      for (std::size_t d = 0; d < w.size(); ++d) {
        const auto lhs_dimension = static_cast<std::size_t>(numbers.input_spatial[d]);
        lhs[lhs_dimension] = element_under_window(window[d], size(index, numbers.output_spatial[d]),
                                                  w[d], lhs_sizes[lhs_dimension]);
        if (lhs[lhs_dimension] < 0) return;
        kernel[static_cast<std::size_t>(numbers.kernel_spatial[d])] =
            window[d].reversal ? window[d].size - 1 - w[d] : w[d];
      }
      for (std::int64_t i = 0; i < group_features; ++i) {
        lhs[static_cast<std::size_t>(numbers.input_batch)] =
            batch_group * group_batches + size(index, numbers.output_batch);
        lhs[static_cast<std::size_t>(numbers.input_feature)] = feature_group * group_features + i;
        kernel[static_cast<std::size_t>(numbers.kernel_input_feature)] = i;
        kernel[static_cast<std::size_t>(numbers.kernel_output_feature)] = o;
        visit(position_of(lhs, lhs_sizes), position_of(kernel, kernel_sizes), output);
      }
    });
    ++output;
  });
}

}  // namespace

void read_convolution(const Instruction& instruction, const Reader& reader) {
  for_each_product(instruction, instruction.operand(0).shape.dimensions,
                   instruction.operand(1).shape.dimensions, instruction.shape.dimensions,
                   [&](std::int64_t lhs, std::int64_t kernel, std::int64_t output) {
                     reader.read(0, output, lhs);
                     reader.read(1, output, kernel);
                   });
}

// The gradient of the input and that of the kernel are sums over the same products.
void read_library_convolution(const Instruction& call, const Reader& reader) {
  const std::string_view target =
      call.get<hlo::QuotedString>(AttributeName::kCustomCallTarget).text;
  const Sizes first = call.operand(0).shape.dimensions;
  const Sizes second = call.operand(1).shape.dimensions;
  const Sizes result = call.shape.elements[0].dimensions;
  if (target == "__cudnn$convForward") {
    for_each_product(call, first, second, result,
                     [&](std::int64_t lhs, std::int64_t kernel, std::int64_t output) {
                       reader.read_by(0, 0, output, lhs);
                       reader.read_by(0, 1, output, kernel);
                     });
  } else if (target == "__cudnn$convBackwardInput") {
    for_each_product(call, result, second, first,
                     [&](std::int64_t lhs, std::int64_t kernel, std::int64_t output) {
                       reader.read_by(0, 0, lhs, output);
                       reader.read_by(0, 1, lhs, kernel);
                     });
  } else {
    for_each_product(call, first, result, second,
                     [&](std::int64_t lhs, std::int64_t kernel, std::int64_t output) {
                       reader.read_by(0, 0, kernel, lhs);
                       reader.read_by(0, 1, kernel, output);
                     });
  }
}

}  // namespace mercator::testing
