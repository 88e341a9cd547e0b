#include "mercator/runtime/sparse_operand.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// Where the elements of a sparse operand belong along its sparse dimension.
class SparsePlaces {
 public:
  SparsePlaces(const Tensor& metadata, const hlo::SparseOperand& sparse)
      : metadata_(metadata),
        load_(load_function(metadata.element_type())),
        sparse_(sparse),
        bits_(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::bit_width(
                                            static_cast<std::uint64_t>(sparse.group - 1))))),
        in_one_(hlo::bit_width(metadata.element_type()) / bits_) {}

  // That there are metadata for `count` elements along the sparse dimension.
  [[nodiscard]] Result<void> check(std::int64_t count) const {
    const std::int64_t numbers =
        metadata_.dimensions()[static_cast<std::size_t>(sparse_.dimension)];
    if (in_one_ == 0 || ceil_div(count, in_one_) > numbers) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("{} numbers of the type {} do not hold the places of {} elements",
                              numbers, hlo::name(metadata_.element_type()), count));
    }
    return {};
  }

  // How many elements have their place in one number.
  [[nodiscard]] std::int64_t in_one() const { return in_one_; }

  // Of element `index` along the dimension, whose number is element `number` of the metadata.
  [[nodiscard]] Result<std::int64_t> place(std::int64_t index, std::int64_t number) const {
    const std::uint64_t shifted = load_(metadata_.element(number)).u >> (index % in_one_ * bits_);
    const auto in_group = static_cast<std::int64_t>(shifted & ((std::uint64_t{1} << bits_) - 1));
    if (in_group >= sparse_.group) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("place {} in a group of {} elements", in_group, sparse_.group));
    }
    return index / sparse_.kept * sparse_.group + in_group;
  }

 private:
  const Tensor& metadata_;
  Load load_;
  const hlo::SparseOperand& sparse_;
  std::int64_t bits_;
  std::int64_t in_one_;
};

// Adds the elements to the whole: nothing says that their places differ.
template <class Sum>
Result<void> add_elements(const Tensor& operand, const Tensor& metadata,
                          const hlo::SparseOperand& sparse, WholeOperand& whole,
                          StopCheck check_stop) {
  using Factor = typename Sum::Factor;
  const auto along = static_cast<std::size_t>(sparse.dimension);
  const std::int64_t whole_size = whole.factors.dimensions()[along];
  const SparsePlaces places(metadata, sparse);
  MERCATOR_TRY_VOID(places.check(operand.dimensions()[along]));
  const ElementReader read(operand, Sum::kFactorType);
  auto* const factors = reinterpret_cast<Factor*>(whole.factors.mutable_bytes().data());
  auto* const present = reinterpret_cast<std::int64_t*>(whole.present.mutable_bytes().data());

  Sizes whole_strides = row_major_strides(whole.factors.dimensions());
  Sizes metadata_strides = row_major_strides(metadata.dimensions());
  const std::int64_t whole_stride = std::exchange(whole_strides[along], 0);
  const std::int64_t metadata_stride = std::exchange(metadata_strides[along], 0);
  std::int64_t element = 0;
  for (IndexWalk<2> walk(operand.dimensions(), {whole_strides, metadata_strides}); !walk.at_end();
       walk.next()) {
    MERCATOR_TRY_VOID(check_stop());
    const std::int64_t index = walk.index()[along];
    const std::int64_t number = walk.offset(1) + index / places.in_one() * metadata_stride;
    const std::int64_t place = MERCATOR_TRY(places.place(index, number));
    if (place >= whole_size) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("place {} in a dimension of {} elements", place, whole_size));
    }
    const auto target = walk.offset(0) + place * whole_stride;
    factors[target] += Sum::factor(read(element++));
    present[target] = 1;
  }
  return {};
}

// The sizes of the whole.
Result<Sizes> whole_sizes(const Tensor& operand, const hlo::SparseOperand& sparse) {
  Sizes sizes = sizes_of(operand);
  std::int64_t& size = sizes[static_cast<std::size_t>(sparse.dimension)];
  if (!checked_mul(size, sparse.group, &size)) {
    return fail(ErrorKind::kExhausted, "the size of the whole operand does not fit int64");
  }
  size /= sparse.kept;
  return sizes;
}

}  // namespace

Result<WholeOperand> expand_sparse(const Tensor& operand, const Tensor& metadata,
                                   const hlo::SparseOperand& sparse, SumKind kind,
                                   const RunContext& context) {
  Sizes metadata_sizes = sizes_of(metadata);
  const auto along = static_cast<std::size_t>(sparse.dimension);
  metadata_sizes[along] = operand.dimensions()[along];
  MERCATOR_TRY_VOID(expect_same_sizes(metadata_sizes, operand.dimensions(),
                                      "the metadata and the sparse operand"));
  const Sizes sizes = MERCATOR_TRY(whole_sizes(operand, sparse));
  return with_sum(kind, [&](auto sum) -> Result<WholeOperand> {
    using Sum = decltype(sum);
    WholeOperand whole{
        .factors = MERCATOR_TRY(Tensor::allocate(Sum::kFactorType, sizes, context.pool)),
        .present = MERCATOR_TRY(Tensor::allocate(hlo::ElementType::kS64, sizes, context.pool))};
    std::ranges::fill(whole.factors.mutable_bytes(), std::byte{0});
    std::ranges::fill(whole.present.mutable_bytes(), std::byte{0});
    MERCATOR_TRY_VOID(add_elements<Sum>(operand, metadata, sparse, whole, StopCheck(context.stop)));
    return whole;
  });
}

}  // namespace mercator::runtime
