// One function an instruction: draws its attributes over all that HLO allows. See `Generator`.

#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "test/indexing/random_computation.h"

namespace mercator::testing {

using MaybeTensor = std::optional<Tensor>;

MaybeTensor random_unary(Computation& c, const Tensor& x);
MaybeTensor random_binary(Computation& c, const Tensor& x);
MaybeTensor random_select(Computation& c, const Tensor& x);
MaybeTensor random_clamp(Computation& c, const Tensor& x);
MaybeTensor random_convert(Computation& c, const Tensor& x);
MaybeTensor random_complex(Computation& c, const Tensor& x);
MaybeTensor random_map(Computation& c, const Tensor& x);
MaybeTensor random_iota(Computation& c, const Tensor& x);
MaybeTensor random_constant(Computation& c, const Tensor& x);
MaybeTensor random_broadcast(Computation& c, const Tensor& x);
MaybeTensor random_transpose(Computation& c, const Tensor& x);
MaybeTensor random_reverse(Computation& c, const Tensor& x);
MaybeTensor random_slice(Computation& c, const Tensor& x);
MaybeTensor random_reshape(Computation& c, const Tensor& x);
MaybeTensor random_bitcast(Computation& c, const Tensor& x);
MaybeTensor random_bitcast_convert(Computation& c, const Tensor& x);
MaybeTensor random_concatenate(Computation& c, const Tensor& x);
MaybeTensor random_pad(Computation& c, const Tensor& x);
MaybeTensor random_dot(Computation& c, const Tensor& x);
MaybeTensor random_reduce(Computation& c, const Tensor& x);
MaybeTensor random_reduce_window(Computation& c, const Tensor& x);
MaybeTensor random_convolution(Computation& c, const Tensor& x);
MaybeTensor random_dynamic_slice(Computation& c, const Tensor& x);
MaybeTensor random_dynamic_update_slice(Computation& c, const Tensor& x);
MaybeTensor random_simple_gather(Computation& c, const Tensor& x);
MaybeTensor random_gather(Computation& c, const Tensor& x);
MaybeTensor random_tuple(Computation& c, const Tensor& x);

// ---- used by them ----

inline bool has(const Dims& numbers, std::int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}
// More elements than a result may have.
inline bool too_large(const Computation& c, const Dims& sizes) {
  return product(sizes) > 2 * c.program.options.max_elements;
}
// {0,1}
inline std::string braces(const Dims& numbers) { return "{" + join(numbers) + "}"; }

}  // namespace mercator::testing
