#include "mercator/runtime/fourier_transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

// Up to here adding up the sums as they stand is as fast as Bluestein's algorithm.
constexpr std::int64_t kLargestDirect = 64;
// Beyond, the sizes of tables would not fit in memory anyway.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

void reverse_bits_of_places(std::span<WideComplex> x) {
  std::size_t reversed = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    std::size_t bit = x.size() / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed |= bit;
    if (i < reversed) std::swap(x[i], x[reversed]);
  }
}

}  // namespace

WideComplex FourierTransform::unit_root(std::int64_t k, std::int64_t n) {
  // The angle is reduced to [0, pi / 4] in integers: a / 4n of a turn.
  std::int64_t a = 4 * k;
  const bool below_axis = a > 2 * n;
  if (below_axis) a = 4 * n - a;
  const bool left = a > n;
  if (left) a = 2 * n - a;
  const bool steep = 2 * a > n;
  if (steep) a = n - a;
  const WideReal angle =
      std::numbers::pi_v<WideReal> / 2 * static_cast<WideReal>(a) / static_cast<WideReal>(n);
  WideReal x = std::cos(angle);
  WideReal y = std::sin(angle);
  if (steep) std::swap(x, y);
  return {left ? -x : x, below_axis ? y : -y};
}

Result<FourierTransform> FourierTransform::make(std::int64_t size, const RunContext& context) {
  if (size > kLargestSize) {
    return fail(ErrorKind::kExhausted,
                fmt::format("a transform of {} numbers does not fit in memory", size));
  }
  FourierTransform transform;
  transform.size_ = size;
  const auto unsigned_size = static_cast<std::uint64_t>(size);
  std::int64_t turn = size;
  std::int64_t root_count = size;
  if (std::has_single_bit(unsigned_size)) {
    root_count = size / 2;
  } else if (size <= kLargestDirect) {
    transform.method_ = Method::kDirect;
  } else {
    transform.method_ = Method::kBluestein;
    turn = static_cast<std::int64_t>(std::bit_ceil(2 * unsigned_size - 1));
    root_count = turn / 2;
  }
  transform.roots_ = MERCATOR_TRY(PoolArray<WideComplex>::allocate(root_count, context.pool));
  StopCheck check_stop(context.stop);
  for (std::int64_t k = 0; k < root_count; ++k) {
    MERCATOR_TRY_VOID(check_stop());
    transform.roots_[static_cast<std::size_t>(k)] = unit_root(k, turn);
  }
  if (transform.method_ == Method::kPowerOfTwo) return transform;
  transform.work_ = MERCATOR_TRY(PoolArray<WideComplex>::allocate(turn, context.pool));
  if (transform.method_ == Method::kDirect) return transform;

  transform.chirp_ = MERCATOR_TRY(PoolArray<WideComplex>::allocate(size, context.pool));
  transform.chirp_spectrum_ = MERCATOR_TRY(PoolArray<WideComplex>::allocate(turn, context.pool));
  for (std::int64_t k = 0; k < size; ++k) {
    MERCATOR_TRY_VOID(check_stop());
    const WideComplex chirp = unit_root(multiply_mod(k, k, 2 * size), 2 * size);
    transform.chirp_[k] = chirp;
    transform.chirp_spectrum_[k] = std::conj(chirp);
    transform.chirp_spectrum_[(turn - k) % turn] = std::conj(chirp);
  }
  MERCATOR_TRY_VOID(transform.power_of_two(transform.chirp_spectrum_.elements(), context));
  return transform;
}

Result<void> FourierTransform::forward(std::span<WideComplex> x, const RunContext& context) const {
  switch (method_) {
    case Method::kPowerOfTwo:
      return power_of_two(x, context);
    case Method::kDirect:
      direct(x);
      return {};
    case Method::kBluestein:
      return bluestein(x, context);
  }
  return {};
}

Result<void> FourierTransform::inverse(std::span<WideComplex> x, const RunContext& context) const {
  // With real and imaginary parts exchanged the roots of unity turn the other way.
  for (WideComplex& number : x) number = {number.imag(), number.real()};
  MERCATOR_TRY_VOID(forward(x, context));
  const auto size = static_cast<WideReal>(size_);
  for (WideComplex& number : x) number = {number.imag() / size, number.real() / size};
  return {};
}

void FourierTransform::direct(std::span<WideComplex> x) const {
  const std::span<WideComplex> given = work_.elements();
  std::ranges::copy(x, given.begin());
  for (std::size_t j = 0; j < x.size(); ++j) {
    WideComplex sum = 0;
    for (std::size_t k = 0, turn = 0; k < x.size(); ++k, turn = (turn + j) % x.size()) {
      sum += given[k] * roots_.elements()[turn];
    }
    x[j] = sum;
  }
}

// Cooley and Tukey's algorithm: from the transforms of the even and the odd numbers.
Result<void> FourierTransform::power_of_two(std::span<WideComplex> x,
                                            const RunContext& context) const {
  reverse_bits_of_places(x);
  const std::size_t turn = 2 * roots_.elements().size();
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    const std::size_t step = turn / (2 * half);
    for (std::size_t first = 0; first < x.size(); first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const WideComplex even = x[first + k];
        const WideComplex odd = x[first + half + k] * roots_.elements()[k * step];
        x[first + k] = even + odd;
        x[first + half + k] = even - odd;
      }
    }
  }
  return {};
}

// With -2jk = (j - k)^2 - j^2 - k^2 the transform is a convolution with the chirp, which transforms
// of a power of two compute. L. I. Bluestein, IEEE Trans. Audio Electroacoustics 18, 1970.
Result<void> FourierTransform::bluestein(std::span<WideComplex> x,
                                         const RunContext& context) const {
  const std::span<WideComplex> work = work_.elements();
  const std::span<const WideComplex> chirp = chirp_.elements();
  for (std::size_t k = 0; k < x.size(); ++k) work[k] = x[k] * chirp[k];
  std::fill(work.begin() + static_cast<std::ptrdiff_t>(x.size()), work.end(), WideComplex(0));
  MERCATOR_TRY_VOID(power_of_two(work, context));
  for (std::size_t k = 0; k < work.size(); ++k) {
    work[k] = std::conj(work[k] * chirp_spectrum_.elements()[k]);
  }
  // The inverse, by way of conjugates.
  MERCATOR_TRY_VOID(power_of_two(work, context));
  const auto scale = static_cast<WideReal>(work.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::conj(work[k]) / scale * chirp[k];
  return {};
}

}  // namespace mercator::runtime
