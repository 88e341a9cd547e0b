#include "mercator/runtime/random_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "mercator/runtime/number.h"
#include "mercator/runtime/split_mix.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

class SplitMix64 {
 public:
  SplitMix64(std::uint64_t seed, std::uint64_t number)
      : state_(split_mix(split_mix(seed) + number)) {}

  std::uint64_t operator()() {
    state_ += kSplitMixGamma;
    return split_mix(state_);
  }

  // Of [0, count), for counts so small that its bias does not matter.
  std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>((*this)()) * count) >> 64);
  }

 private:
  std::uint64_t state_;
};

// True with probability exp(-x * (2k + x) / (2k + 2)), where x = fraction / 2^64: of the longest
// run x > u1 > u2 > … whose every step also survives with probability (2k + x) / (2k + 2), the
// length is even so often (von Neumann's series).
bool decays(SplitMix64& next, std::uint64_t k, std::uint64_t fraction) {
  std::uint64_t last = fraction;
  bool is_even = true;
  while (true) {
    const std::uint64_t u = next();
    if (u >= last) return is_even;
    const std::uint64_t choice = next.below(2 * k + 2);
    if (choice > 2 * k || (choice == 2 * k && next() >= fraction)) return is_even;
    last = u;
    is_even = !is_even;
  }
}

// True with probability exp(-1/2), in the same way.
bool halves(SplitMix64& next) {
  std::uint64_t last = std::uint64_t{1} << 63;
  bool is_even = true;
  while (true) {
    const std::uint64_t u = next();
    if (u >= last) return is_even;
    last = u;
    is_even = !is_even;
  }
}

template <class Event>
bool all_of(std::uint64_t times, Event event) {
  for (std::uint64_t i = 0; i < times; ++i) {
    if (!event()) return false;
  }
  return true;
}

// Algorithm N of Karney, Sampling exactly from the normal distribution (2016). It compares integers
// only, so that no machine rounds in its own way.
double standard_normal(SplitMix64& next) {
  while (true) {
    std::uint64_t k = 0;
    while (halves(next)) ++k;
    if (k > 0 && !all_of(k * (k - 1), [&] { return halves(next); })) continue;
    const std::uint64_t fraction = next();
    if (!all_of(k + 1, [&] { return decays(next, k, fraction); })) continue;
    // The fraction to 53 bits, of which a sum below 16 keeps 49.
    const double magnitude = static_cast<double>(k) + static_cast<double>(fraction >> 11) * 0x1p-53;
    return next() >> 63 == 0 ? magnitude : -magnitude;
  }
}

Number draw_integer(SplitMix64& next, hlo::ElementType type) {
  const std::int64_t bits = hlo::bit_width(type) - (hlo::is_signed(type) ? 1 : 0);
  const std::uint64_t all = bits < 4 ? std::uint64_t{1} << bits : 10;
  return {.u = next.below(type == hlo::ElementType::kPred ? 2 : all)};
}

Number draw(SplitMix64& next, hlo::ElementType type) {
  const NumberKind kind = number_kind(type);
  if (kind == NumberKind::kUnsigned || kind == NumberKind::kSigned) return draw_integer(next, type);
  const double first = standard_normal(next);
  const auto rounded = static_cast<float>(first);
  switch (kind) {
    case NumberKind::kSingle:
      return {.f = type == hlo::ElementType::kF8e8m0fnu ? std::abs(rounded) : rounded};
    case NumberKind::kComplexSingle:
      return {.c = {rounded, static_cast<float>(standard_normal(next))}};
    case NumberKind::kComplexDouble:
      return {.z = {first, standard_normal(next)}};
    default:
      return {.d = first};
  }
}

}  // namespace

Result<Tensor> random_tensor(hlo::ElementType type, std::vector<std::int64_t> dimensions,
                             std::uint64_t seed, std::uint64_t number, const MemoryPool& pool,
                             const std::stop_token& stop) {
  Tensor tensor = MERCATOR_TRY(Tensor::allocate(type, std::move(dimensions), pool));
  const Store store = store_function(type);
  SplitMix64 next(seed, number);
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  const auto width = static_cast<std::size_t>(hlo::element_bytes(type));
  StopCheck check_stop(stop);
  for (std::size_t i = 0; i < bytes.size(); i += width) {
    MERCATOR_TRY_VOID(check_stop());
    store(draw(next, type), &bytes[i]);
  }
  return tensor;
}

}  // namespace mercator::runtime
