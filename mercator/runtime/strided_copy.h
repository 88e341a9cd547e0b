// Copies elements between arrays that are walked with strides: what every movement of data is.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "mercator/runtime/run_context.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {

// Where the elements of a walk over an array lie: the first, and for each dimension of the walk the
// elements from one to the next. Strides may be zero or negative.
struct StridedPlaces {
  std::int64_t first = 0;
  std::vector<std::int64_t> strides;
};

// Walks over elements of two arrays at once, row by row: calls `visit(count, from, to)` for
// elements along the last dimension, the first of which lie at these places. Those of a long row
// come in several calls. An error of kind kInterrupted soon after a stop is requested.
template <class Visit>
[[nodiscard]] Result<void> for_each_row(std::span<const std::int64_t> sizes,
                                        const StridedPlaces& from, const StridedPlaces& to,
                                        const std::stop_token& stop, Visit visit) {
  constexpr std::int64_t kMostAtOnce = StopCheck::kStepsBetween;
  if (std::ranges::find(sizes, 0) != sizes.end()) return {};
  std::int64_t read = from.first;
  std::int64_t written = to.first;
  if (sizes.empty()) {
    visit(1, read, written);
    return {};
  }
  const std::size_t inner = sizes.size() - 1;
  const std::int64_t length = sizes[inner];
  std::vector<std::int64_t> index(inner, 0);
  std::int64_t left = kMostAtOnce;  // before a stop is looked for: rows may be short
  while (true) {
    if (length <= left) {
      left -= length;
      visit(length, read, written);
    } else {
      for (std::int64_t i = 0; i < length; i += kMostAtOnce) {
        MERCATOR_TRY_VOID(check_stop(stop));
        visit(std::min(length - i, kMostAtOnce), read + i * from.strides[inner],
              written + i * to.strides[inner]);
      }
      left = kMostAtOnce;
    }
    std::size_t d = inner;
    while (true) {
      if (d == 0) return {};
      --d;
      read += from.strides[d];
      written += to.strides[d];
      if (++index[d] < sizes[d]) break;
      read -= from.strides[d] * sizes[d];
      written -= to.strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

// Copies `sizes[0] * sizes[1] * …` elements of whole bytes, of the same element type, from the
// places in `source` to those in `target`. An error of kind kInterrupted soon after a stop is
// requested; some elements may have been copied then.
[[nodiscard]] Result<void> copy_elements(std::span<const std::int64_t> sizes, const Tensor& source,
                                         const StridedPlaces& from, Tensor& target,
                                         const StridedPlaces& to, const std::stop_token& stop);

// Sets every element of a dense tensor to the one element of `scalar`. Errors are those of
// copy_elements.
[[nodiscard]] Result<void> fill_elements(const Tensor& scalar, Tensor& target,
                                         const std::stop_token& stop);

// A dense tensor that may be written to: this one if nobody else holds its memory, otherwise a
// copy. Errors of kind kExhausted and kInterrupted.
[[nodiscard]] Result<Tensor> writable(Tensor tensor, const RunContext& context);

// Element `index` of a dense tensor of integers or pred; what is beyond int64 is the largest int64.
[[nodiscard]] std::int64_t integer_element(const Tensor& tensor, std::int64_t index);

}  // namespace mercator::runtime
