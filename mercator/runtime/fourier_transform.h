// The discrete Fourier transform of any length, in extended precision.

#pragma once

#include <cstdint>
#include <span>

#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/wide_elements.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

class FourierTransform {
 public:
  // Of `size` numbers, one at least. An error of kind kExhausted if its tables do not fit.
  [[nodiscard]] static Result<FourierTransform> make(std::int64_t size, const RunContext& context);

  [[nodiscard]] std::int64_t size() const { return size_; }

  // Replaces x[j] by the sum over k of x[k] * exp(-2 pi i j k / size), in O(size log size) steps.
  // Requires x.size() == size(). Uses memory of the transform: one call at a time.
  [[nodiscard]] Result<void> forward(std::span<WideComplex> x, const RunContext& context) const;
  // The inverse: with +2 pi, and divided by the size.
  [[nodiscard]] Result<void> inverse(std::span<WideComplex> x, const RunContext& context) const;

  // exp(-2 pi i k / n) for k in [0, n - 1], exact where it is 1, -1, i or -i.
  [[nodiscard]] static WideComplex unit_root(std::int64_t k, std::int64_t n);

 private:
  enum class Method : std::uint8_t { kPowerOfTwo, kDirect, kBluestein };

  void direct(std::span<WideComplex> x) const;
  [[nodiscard]] Result<void> power_of_two(std::span<WideComplex> x,
                                          const RunContext& context) const;
  [[nodiscard]] Result<void> bluestein(std::span<WideComplex> x, const RunContext& context) const;

  std::int64_t size_ = 1;
  Method method_ = Method::kPowerOfTwo;
  // unit_root(k, n): of the n = size numbers if direct, otherwise of the power of two that the
  // transform is computed with, which needs half of them.
  PoolArray<WideComplex> roots_;
  PoolArray<WideComplex> work_;
  PoolArray<WideComplex> chirp_;           // of Bluestein's algorithm: exp(-pi i k^2 / size)
  PoolArray<WideComplex> chirp_spectrum_;  // the transform of its conjugate
};

}  // namespace mercator::runtime
