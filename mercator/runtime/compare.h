// Comparing the tensors that a program gave with those that it should have given.

#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// An element that is not as expected.
struct Difference {
  std::vector<std::int64_t> index;
  std::string actual;  // the values as HLO writes them
  std::string expected;
  // |actual - expected| / |expected|; infinite where one of them is nan or an infinity, or where 0
  // was expected.
  double relative = 0;
  // How many values of the type lie between the two, the further one counted: ulps of floats; of a
  // complex number those of the parts that are further apart. 0 where one is nan.
  std::uint64_t steps = 0;
};

struct Comparison {
  std::int64_t elements = 0;
  std::int64_t differing = 0;
  // Those of the differing elements that are furthest from what is tolerated, the worst first; of
  // equally bad ones the first of the array.
  std::vector<Difference> worst;
  // Of the elements that are tolerated, the largest |actual - expected|, as a part of the magnitude
  // that it is measured by.
  double largest_error = 0;
};

// Compares dense tensors of the same type and dimensions, element by element. Integers, pred, and
// all types where `tolerance` is 0 must be equal; zeros of either sign are equal, and so are nans.
// Otherwise the distance of finite numbers, complex ones in the plane, may be up to `tolerance`
// times their *magnitude*: the larger of |expected| and the median of |expected| over the elements
// that are finite and not zero (of a large array, over a million of them), since an element that is
// small because terms cancel has the error of its terms; and at least the smallest normal number of
// the type, below which some machines round to zero. An infinity equals only itself. Keeps the
// `most` worst differences. An error of kind kInterrupted if a stop is requested.
[[nodiscard]] Result<Comparison> compare(const Tensor& actual, const Tensor& expected,
                                         double tolerance, const std::stop_token& stop = {},
                                         std::size_t most = 3);

}  // namespace mercator::runtime
