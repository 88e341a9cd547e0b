// Random numbers: bits from a state, the same as XLA's, and distributions from the run's seed.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/counter_based_random.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/number.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using hlo::AttributeName;
using hlo::ElementType;

// ---- rng-bit-generator ----

// Which block of random words each element of an array takes its bits from, and where in it.
struct Blocks {
  std::int64_t count = 0;
  // Element (a, i, b) of the array as outer x size x inner has part i mod `parts` of block
  // (a, i / parts, b).
  std::int64_t size = 1;
  std::int64_t inner = 1;
  std::int64_t parts = 1;

  struct Place {
    std::int64_t block = 0;
    std::int64_t part = 0;
  };
  [[nodiscard]] Place place(std::int64_t element) const {
    const std::int64_t b = element % inner;
    const std::int64_t i = element / inner % size;
    const std::int64_t a = element / inner / size;
    return {.block = (a * ceil_div(size, parts) + i / parts) * inner + b, .part = i % parts};
  }
};

// Elements in row-major order share blocks.
Blocks consecutive(std::int64_t elements, std::int64_t parts) {
  return {.count = ceil_div(elements, parts), .size = elements, .parts = parts};
}

// Neighbours along one dimension share a block: along the first of even size, or else the first of
// the largest size. (So XLA can split the work along the other dimensions.)
Blocks paired(std::span<const std::int64_t> sizes) {
  auto along = std::ranges::find_if(sizes, [](std::int64_t size) { return size % 2 == 0; });
  if (along == sizes.end()) along = std::ranges::max_element(sizes);
  Blocks blocks{.count = 1, .parts = 2};
  if (along == sizes.end()) return blocks;  // a scalar
  blocks.size = *along;
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    blocks.count *= size == along ? ceil_div(*size, 2) : *size;
    if (size > along) blocks.inner *= *size;
  }
  return blocks;
}

// A generator with its state.
struct Generator {
  enum class Algorithm : std::uint8_t { kThreefry, kPhilox };
  Algorithm algorithm = Algorithm::kPhilox;
  std::uint64_t key = 0;
  // The 128 bits that blocks are counted in; Threefry has the low 64.
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  [[nodiscard]] Blocks blocks_for(std::span<const std::int64_t> sizes, std::int64_t elements,
                                  std::int64_t words_each) const {
    if (elements == 0) return {};
    if (algorithm == Algorithm::kPhilox) return consecutive(elements, 4 / words_each);
    return words_each == 2 ? consecutive(elements, 1) : paired(sizes);
  }

  // Moves on by a number of blocks.
  void advance(std::uint64_t blocks) {
    low += blocks;
    if (low < blocks) ++high;
  }

  // The words of a block, counted from the state; Threefry has two.
  [[nodiscard]] PhiloxBlock block(std::uint64_t number) const {
    Generator at = *this;
    at.advance(number);
    const auto [low0, low1] = words(at.low);
    if (algorithm == Algorithm::kThreefry) {
      const auto [first, second] = threefry_2x32({low0, low1}, words(key));
      return {first, second, 0, 0};
    }
    const auto [high0, high1] = words(at.high);
    return philox_4x32({low0, low1, high0, high1}, words(key));
  }
};

// State {key, counter}, or for Philox {key, low half, high half of the counter}. With two numbers
// Philox has the key for the high half, as XLA does.
Result<Generator> generator_of(const hlo::Instruction& instruction, const Tensor& state) {
  const std::string_view algorithm = instruction.get<hlo::Word>(AttributeName::kAlgorithm).text;
  Generator generator;
  if (algorithm == "rng_three_fry") {
    generator.algorithm = Generator::Algorithm::kThreefry;
  } else if (algorithm != "rng_philox" && algorithm != "rng_default") {
    return fail(ErrorKind::kUnsupported, fmt::format("there is no algorithm {}", algorithm));
  }
  const std::int64_t longest = generator.algorithm == Generator::Algorithm::kThreefry ? 2 : 3;
  if (state.element_type() != ElementType::kU64 || state.rank() != 1 || state.element_count() < 2 ||
      state.element_count() > longest) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("{} has a state of u64[2]{}, not {}", algorithm,
                            longest == 3 ? " or u64[3]" : "", type_text(state)));
  }
  std::uint64_t numbers[3] = {};
  std::memcpy(numbers, state.bytes().data(), state.bytes().size());
  generator.key = numbers[0];
  generator.low = numbers[1];
  generator.high = state.element_count() == 3 ? numbers[2] : numbers[0];
  return generator;
}

// The state that the generator is in now.
Result<Tensor> state_of(const Generator& generator, std::int64_t size, const MemoryPool& pool) {
  Tensor state = MERCATOR_TRY(Tensor::allocate(ElementType::kU64, {size}, pool));
  const std::uint64_t numbers[3] = {generator.key, generator.low, generator.high};
  std::memcpy(state.mutable_bytes().data(), numbers, state.bytes().size());
  return state;
}

// Fills an array with bits, and moves the generator on.
Result<void> fill_with_bits(Generator& generator, Tensor& bits, const Evaluator& evaluator) {
  const ElementType type = bits.element_type();
  if (type == ElementType::kPred || hlo::is_complex(type)) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("there are no random bits of type {}", hlo::name(type)));
  }
  const std::int64_t words_each = hlo::bit_width(type) > 32 ? 2 : 1;
  const Blocks blocks = generator.blocks_for(bits.dimensions(), bits.element_count(), words_each);
  const auto bytes = static_cast<std::size_t>(hlo::element_bytes(type));
  const Store store = hlo::is_integral(type) ? store_function(type) : nullptr;
  // Narrow types take the low bits of a word.
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - hlo::bit_width(type));
  StopCheck check_stop(evaluator.stop());
  std::byte* element = bits.mutable_bytes().data();
  for (std::int64_t i = 0; i < bits.element_count(); ++i, element += bytes) {
    MERCATOR_TRY_VOID(check_stop());
    const Blocks::Place place = blocks.place(i);
    const PhiloxBlock block = generator.block(static_cast<std::uint64_t>(place.block));
    const auto first = static_cast<std::size_t>(place.part * words_each);
    const std::uint64_t word =
        (words_each == 2 ? from_words(block[first], block[first + 1]) : block[first]) & mask;
    if (store != nullptr) {
      store({.u = word}, element);
    } else {
      std::memcpy(element, &word, bytes);
    }
  }
  generator.advance(static_cast<std::uint64_t>(blocks.count));
  return {};
}

// ---- rng ----
//
// Number i of the run, counted over all rng instructions in the order of their evaluation, is made
// from Philox-4x32 with the seed as the key and {i, attempt}, two words each, as the counter. The
// state of the run (Evaluator::random_state) starts at the seed and counts these numbers.

// The 128 random bits of a number, as two integers.
struct RandomBits {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
class RandomNumbers {
 public:
  RandomNumbers(std::uint64_t seed, std::uint64_t state) : key_(words(seed)), state_(state) {}

  [[nodiscard]] RandomBits operator()(std::int64_t number, std::uint32_t attempt) const {
    const auto [low, high] = words(state_ + static_cast<std::uint64_t>(number));
    const PhiloxBlock block = philox_4x32({low, high, attempt, 0}, key_);
    return {.first = from_words(block[0], block[1]), .second = from_words(block[2], block[3])};
  }

 private:
  RandomKey key_;
  std::uint64_t state_;
};

// In [0, 1), a multiple of 2^-53.
double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// An integer of [low, high), as the bits of Number::u; `low` if there is none. All 128 bits
// take part, so that no integer is more likely than another by more than 2^-64.
std::uint64_t uniform_integer(std::uint64_t low, std::uint64_t size, const RandomBits& bits) {
  const auto product = static_cast<unsigned __int128>(bits.first) * size +
                       (static_cast<unsigned __int128>(bits.second) * size >> 64);
  return low + static_cast<std::uint64_t>(product >> 64);
}

// What makes a number of the result from its random bits; `attempt` counts up where that fails.
using Distribution = std::function<Number(std::int64_t number)>;

Result<Distribution> uniform(const Evaluation& evaluation, const RandomNumbers& random) {
  const ElementType type = evaluation.element_type();
  const Load load = load_function(type);
  const Number low = load(evaluation.tensor(0).element(0));
  const Number high = load(evaluation.tensor(1).element(0));
  switch (number_kind(type)) {
    case NumberKind::kUnsigned:
    case NumberKind::kSigned: {
      const bool is_empty =
          number_kind(type) == NumberKind::kSigned ? high.s <= low.s : high.u <= low.u;
      const std::uint64_t size = is_empty ? 0 : high.u - low.u;
      return
          [=](std::int64_t i) { return Number{.u = uniform_integer(low.u, size, random(i, 0))}; };
    }
    case NumberKind::kSingle:
    case NumberKind::kDouble: {
      const Convert widen = convert_function(type, ElementType::kF64);
      const Convert narrow = convert_function(ElementType::kF64, type);
      const double from = widen(low).d;
      const double to = widen(high).d;
      return [=](std::int64_t i) {
        // Rounding to a short type may reach the upper bound, which is not part of the interval.
        constexpr std::uint32_t kAttempts = 64;
        for (std::uint32_t attempt = 0; attempt < kAttempts && from < to; ++attempt) {
          const double u = unit_interval(random(i, attempt).first);
          const Number number = narrow({.d = from * (1 - u) + to * u});
          const double rounded = widen(number).d;
          if (rounded >= from && rounded < to) return number;
        }
        return low;
      };
    }
    default:
      return fail(ErrorKind::kUnsupported,
                  fmt::format("rng_uniform does not give {}", hlo::name(type)));
  }
}

// Mean and standard deviation by Box and Muller's transform.
Result<Distribution> normal(const Evaluation& evaluation, const RandomNumbers& random) {
  const ElementType type = evaluation.element_type();
  if (!hlo::is_floating(type)) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("rng_normal does not give {}", hlo::name(type)));
  }
  const Load load = load_function(type);
  const Convert widen = convert_function(type, ElementType::kF64);
  const Convert narrow = convert_function(ElementType::kF64, type);
  const double mean = widen(load(evaluation.tensor(0).element(0))).d;
  const double deviation = widen(load(evaluation.tensor(1).element(0))).d;
  return [=](std::int64_t i) {
    const RandomBits bits = random(i, 0);
    const double radius = std::sqrt(-2 * std::log1p(-unit_interval(bits.first)));
    const double angle = 2 * std::numbers::pi * unit_interval(bits.second);
    return narrow({.d = mean + deviation * radius * std::cos(angle)});
  };
}

}  // namespace

Result<Value> evaluate_rng_bit_generator(Evaluation& evaluation) {
  const Tensor& state = evaluation.tensor(0);
  Generator generator = MERCATOR_TRY(generator_of(evaluation.instruction, state));
  const hlo::Shape& shape = evaluation.instruction.shape;
  const hlo::Shape& array = shape.is_tuple() ? shape.elements[1] : shape;
  Tensor bits = MERCATOR_TRY(
      evaluation.allocate(array.element_type, {array.dimensions.begin(), array.dimensions.end()}));
  MERCATOR_TRY_VOID(fill_with_bits(generator, bits, evaluation.evaluator));
  if (!shape.is_tuple()) return bits;
  Tensor next =
      MERCATOR_TRY(state_of(generator, state.element_count(), evaluation.evaluator.pool()));
  return Value::tuple({std::move(next), std::move(bits)});
}

Result<Value> evaluate_rng(Evaluation& evaluation) {
  const std::span<const std::int64_t> sizes = evaluation.instruction.shape.dimensions;
  Tensor result = MERCATOR_TRY(evaluation.allocate({sizes.begin(), sizes.end()}));
  std::uint64_t& state = evaluation.evaluator.random_state();
  const RandomNumbers random(evaluation.evaluator.context().seed, state);
  const std::string_view name =
      evaluation.instruction.get<hlo::Word>(AttributeName::kDistribution).text;
  const bool is_uniform = name == "rng_uniform";
  if (!is_uniform && name != "rng_normal") {
    return fail(ErrorKind::kUnsupported, fmt::format("there is no distribution {}", name));
  }
  const Distribution distribution =
      MERCATOR_TRY(is_uniform ? uniform(evaluation, random) : normal(evaluation, random));

  const Store store = store_function(result.element_type());
  const std::int64_t bytes = hlo::element_bytes(result.element_type());
  StopCheck check_stop(evaluation.evaluator.stop());
  std::byte* element = result.mutable_bytes().data();
  for (std::int64_t i = 0; i < result.element_count(); ++i, element += bytes) {
    MERCATOR_TRY_VOID(check_stop());
    store(distribution(i), element);
  }
  state += static_cast<std::uint64_t>(result.element_count());
  return result;
}

// The state, as a number of 128 bits of which the low half comes first; then it moves on by delta.
Result<Value> evaluate_rng_get_and_update_state(Evaluation& evaluation) {
  std::uint64_t& state = evaluation.evaluator.random_state();
  Tensor result = MERCATOR_TRY(evaluation.allocate({2}));
  const std::uint64_t numbers[2] = {state, 0};
  std::memcpy(result.mutable_bytes().data(), numbers, sizeof numbers);
  state += static_cast<std::uint64_t>(evaluation.instruction.integer(AttributeName::kDelta, 0));
  return result;
}

}  // namespace mercator::runtime
