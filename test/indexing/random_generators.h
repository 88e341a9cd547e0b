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
MaybeTensor random_library_convolution(Computation& c, const Tensor& x);
MaybeTensor random_dynamic_slice(Computation& c, const Tensor& x);
MaybeTensor random_dynamic_update_slice(Computation& c, const Tensor& x);
MaybeTensor random_simple_gather(Computation& c, const Tensor& x);
MaybeTensor random_gather(Computation& c, const Tensor& x);
MaybeTensor random_select_and_scatter(Computation& c, const Tensor& x);
MaybeTensor random_scatter(Computation& c, const Tensor& x);
MaybeTensor random_sort(Computation& c, const Tensor& x);
MaybeTensor random_topk(Computation& c, const Tensor& x);
MaybeTensor random_custom_call(Computation& c, const Tensor& x);
MaybeTensor random_cholesky(Computation& c, const Tensor& x);
MaybeTensor random_triangular_solve(Computation& c, const Tensor& x);
MaybeTensor random_fft(Computation& c, const Tensor& x);
MaybeTensor random_batch_norm_training(Computation& c, const Tensor& x);
MaybeTensor random_batch_norm_inference(Computation& c, const Tensor& x);
MaybeTensor random_batch_norm_grad(Computation& c, const Tensor& x);
MaybeTensor random_rng(Computation& c, const Tensor& x);
MaybeTensor random_rng_bit_generator(Computation& c, const Tensor& x);
MaybeTensor random_scan(Computation& c, const Tensor& x);
MaybeTensor random_scaled_dot(Computation& c, const Tensor& x);
MaybeTensor random_ragged_dot(Computation& c, const Tensor& x);
MaybeTensor random_sparse_dot(Computation& c, const Tensor& x);
MaybeTensor random_dynamic_reshape(Computation& c, const Tensor& x);
MaybeTensor random_get_dimension_size(Computation& c, const Tensor& x);
MaybeTensor random_set_dimension_size(Computation& c, const Tensor& x);
MaybeTensor random_tuple(Computation& c, const Tensor& x);
MaybeTensor random_all_gather(Computation& c, const Tensor& x);
MaybeTensor random_all_reduce(Computation& c, const Tensor& x);
MaybeTensor random_reduce_scatter(Computation& c, const Tensor& x);
MaybeTensor random_all_to_all(Computation& c, const Tensor& x);
MaybeTensor random_ragged_all_to_all(Computation& c, const Tensor& x);
MaybeTensor random_collective_broadcast(Computation& c, const Tensor& x);
MaybeTensor random_collective_permute(Computation& c, const Tensor& x);
MaybeTensor random_async(Computation& c, const Tensor& x);
MaybeTensor random_conditional(Computation& c, const Tensor& x);
MaybeTensor random_while(Computation& c, const Tensor& x);

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
