// Fourier transforms over the last one to three dimensions.

#include <algorithm>
#include <string_view>
#include <utility>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/fourier_transform.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/wide_elements.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

enum class Kind : std::uint8_t { kForward, kInverse, kRealForward, kRealInverse };

Kind kind_of(const hlo::Instruction& instruction) {
  const std::string_view name = instruction.get<hlo::Word>(hlo::AttributeName::kFftType).text;
  if (name == "RFFT") return Kind::kRealForward;
  if (name == "IRFFT") return Kind::kRealInverse;
  return name == "IFFT" ? Kind::kInverse : Kind::kForward;
}

// How many numbers of a spectrum a real transform keeps.
std::int64_t half_of(std::int64_t size) { return size == 0 ? 0 : size / 2 + 1; }

// One array of numbers that are transformed together, row-major, and how.
class Block {
 public:
  static Result<Block> make(std::span<const std::int64_t> sizes, bool is_inverse,
                            const RunContext& context) {
    Block block(sizes, is_inverse, context);
    const std::int64_t count = MERCATOR_TRY(element_count(sizes));
    block.numbers_ = MERCATOR_TRY(PoolArray<WideComplex>::allocate(count, context.pool));
    for (const std::int64_t size : sizes) {
      block.transforms_.push_back(MERCATOR_TRY(FourierTransform::make(size, context)));
    }
    block.line_ = MERCATOR_TRY(
        PoolArray<WideComplex>::allocate(*std::ranges::max_element(sizes), context.pool));
    return block;
  }

  [[nodiscard]] std::span<WideComplex> numbers() const { return numbers_.elements(); }
  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(sizes_.back()); }

  // Transforms along one dimension.
  Result<void> transform(std::size_t dimension) const {
    std::size_t stride = 1;
    for (std::size_t d = dimension + 1; d < sizes_.size(); ++d) {
      stride *= static_cast<std::size_t>(sizes_[d]);
    }
    const auto size = static_cast<std::size_t>(sizes_[dimension]);
    const std::span<WideComplex> line = line_.elements().first(size);
    const FourierTransform& transform = transforms_[dimension];
    for (std::size_t outer = 0; outer < numbers().size(); outer += size * stride) {
      for (std::size_t inner = 0; inner < stride; ++inner) {
        MERCATOR_TRY_VOID(check_stop(context_->stop));
        WideComplex* const first = &numbers()[outer + inner];
        for (std::size_t i = 0; i < size; ++i) line[i] = first[i * stride];
        MERCATOR_TRY_VOID(is_inverse_ ? transform.inverse(line, *context_)
                                      : transform.forward(line, *context_));
        for (std::size_t i = 0; i < size; ++i) first[i * stride] = line[i];
      }
    }
    return {};
  }

  // From the first half of each row the second, so that what is made from it is real.
  void complete_rows() const {
    const std::size_t n = row();
    for (std::size_t first = 0; first < numbers().size(); first += n) {
      const std::span<WideComplex> x = numbers().subspan(first, n);
      for (std::size_t k = n / 2 + 1; k < n; ++k) x[k] = std::conj(x[n - k]);
    }
  }

 private:
  Block(std::span<const std::int64_t> sizes, bool is_inverse, const RunContext& context)
      : sizes_(sizes), is_inverse_(is_inverse), context_(&context) {}

  std::span<const std::int64_t> sizes_;
  bool is_inverse_;
  const RunContext* context_;
  PoolArray<WideComplex> numbers_;
  PoolArray<WideComplex> line_;
  std::vector<FourierTransform> transforms_;
};

// Calls `visit(place in the block, number)` for each element that a block has in an array, whose
// rows may be shorter.
template <class Visit>
void for_each_place(const Block& block, std::size_t row, Visit visit) {
  std::size_t number = 0;
  for (std::size_t first = 0; first < block.numbers().size(); first += block.row()) {
    for (std::size_t i = 0; i < row; ++i) visit(first + i, static_cast<std::int64_t>(number++));
  }
}

// Reads a block, of real or complex numbers, from the elements of a tensor that start at `first`.
template <class Wide>
void load(const Tensor& tensor, std::int64_t first, std::size_t row, const Block& block) {
  const WideReader<Wide> reader(tensor);
  for_each_place(block, row, [&](std::size_t place, std::int64_t i) {
    block.numbers()[place] = reader[first + i];
  });
}

void store(Tensor& tensor, bool is_real, std::int64_t first, std::size_t row, const Block& block) {
  if (is_real) {
    const WideWriter<WideReal> writer(tensor);
    for_each_place(block, row, [&](std::size_t place, std::int64_t i) {
      writer.set(first + i, block.numbers()[place].real());
    });
  } else {
    const WideWriter<WideComplex> writer(tensor);
    for_each_place(block, row, [&](std::size_t place, std::int64_t i) {
      writer.set(first + i, block.numbers()[place]);
    });
  }
}

Result<void> transform(const Block& block, Kind kind, std::size_t rank) {
  const std::size_t last = rank - 1;
  for (std::size_t d = 0; d < last; ++d) MERCATOR_TRY_VOID(block.transform(d));
  if (kind == Kind::kRealInverse) block.complete_rows();
  return block.transform(last);
}

}  // namespace

// A real transform has half of the spectrum: of n numbers n / 2 + 1, the other ones being the
// conjugates of those. Its inverse takes no notice of what could not come from real numbers.
Result<Value> evaluate_fft(Evaluation& evaluation) {
  const Kind kind = kind_of(evaluation.instruction);
  const Tensor& operand = evaluation.tensor(0);
  const std::span<const std::int64_t> length =
      evaluation.instruction.integers(hlo::AttributeName::kFftLength);
  const std::span<const std::int64_t> operand_sizes = operand.dimensions();
  std::vector<std::int64_t> sizes = sizes_of(operand);
  std::vector<std::int64_t> transformed(length.begin(), length.end());
  if (kind == Kind::kRealInverse) transformed.back() = half_of(length.back());
  MERCATOR_TRY_VOID(
      expect_same_sizes(operand_sizes.last(length.size()), transformed, "operand and transform"));
  if (kind == Kind::kRealForward) sizes.back() = half_of(length.back());
  if (kind == Kind::kRealInverse) sizes.back() = length.back();
  Tensor result = MERCATOR_TRY(evaluation.allocate(std::move(sizes)));
  if (result.element_count() == 0) return result;

  const bool is_inverse = kind == Kind::kInverse || kind == Kind::kRealInverse;
  const RunContext& context = evaluation.evaluator.context();
  const Block block = MERCATOR_TRY(Block::make(length, is_inverse, context));
  const auto operand_row = static_cast<std::size_t>(operand_sizes.back());
  const auto result_row = static_cast<std::size_t>(result.dimensions().back());
  const std::int64_t rows = static_cast<std::int64_t>(block.numbers().size() / block.row());
  const std::int64_t batches = result.element_count() / (rows * result.dimensions().back());
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t from = batch * rows * operand_sizes.back();
    if (kind == Kind::kRealForward) {
      load<WideReal>(operand, from, operand_row, block);
    } else {
      load<WideComplex>(operand, from, operand_row, block);
    }
    MERCATOR_TRY_VOID(transform(block, kind, length.size()));
    store(result, kind == Kind::kRealInverse, batch * rows * result.dimensions().back(), result_row,
          block);
  }
  return result;
}

}  // namespace mercator::runtime
