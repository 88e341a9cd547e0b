// The table of all generators.

#include <array>

#include "test/indexing/random_generators.h"

namespace mercator::testing {
namespace {

MaybeTensor random_inner_fusion(Computation& c, const Tensor&) { return add_fusion(c, false, 1); }
MaybeTensor random_call(Computation& c, const Tensor&) { return add_fusion(c, true, 1); }

constexpr std::array kGenerators = std::to_array<NamedGenerator>({
    {"unary", random_unary, 0, false, 3},
    {"binary", random_binary, 0, true, 3},
    {"select", random_select, 0, false, 3},
    {"clamp", random_clamp, 0, false, 3},
    {"convert", random_convert, 0, false, 3},
    {"complex", random_complex, 0, false, 3},
    {"map", random_map, 0, false, 3},
    {"iota", random_iota, 1, true, 3},
    {"constant", random_constant, 0, true, 3},
    {"broadcast", random_broadcast, 0, true, 9},
    {"transpose", random_transpose, 0, true, 9},
    {"reverse", random_reverse, 0, true, 9},
    {"slice", random_slice, 0, true, 9},
    {"reshape", random_reshape, 0, true, 9},
    {"bitcast", random_bitcast, 0, false, 9},
    {"bitcast-convert", random_bitcast_convert, 0, false, 3},
    {"concatenate", random_concatenate, 1, true, 9},
    {"pad", random_pad, 1, true, 9},
    {"dot", random_dot, 0, true, 9},
    {"reduce", random_reduce, 0, true, 9},
    {"reduce-window", random_reduce_window, 0, true, 9},
    {"convolution", random_convolution, 2, true, 9},
    {"dynamic-slice", random_dynamic_slice, 0, true, 14},
    {"dynamic-update-slice", random_dynamic_update_slice, 0, true, 14},
    {"simple-gather", random_simple_gather, 0, true, 14},
    {"gather", random_gather, 0, true, 14},
    {"scatter", random_scatter, 0, true, 14},
    {"select-and-scatter", random_select_and_scatter, 0, false, 1},
    {"sort", random_sort, 1, false, 1},
    {"topk", random_topk, 1, false, 1},
    {"custom-call", random_custom_call, 1, false, 1},
    {"cholesky", random_cholesky, 0, false, 1},
    {"triangular-solve", random_triangular_solve, 0, false, 1},
    {"fft", random_fft, 1, false, 1},
    {"batch-norm-training", random_batch_norm_training, 1, false, 1},
    {"batch-norm-inference", random_batch_norm_inference, 1, false, 1},
    {"batch-norm-grad", random_batch_norm_grad, 1, false, 1},
    {"rng", random_rng, 0, false, 1},
    {"rng-bit-generator", random_rng_bit_generator, 0, false, 1},
    {"scan", random_scan, 1, false, 1},
    {"scaled-dot", random_scaled_dot, 0, false, 1},
    {"ragged-dot", random_ragged_dot, 0, false, 1},
    {"sparse-dot", random_sparse_dot, 0, false, 1},
    {"library-convolution", random_library_convolution, 2, false, 1},
    {"dynamic-reshape", random_dynamic_reshape, 0, false, 1},
    {"get-dimension-size", random_get_dimension_size, 1, false, 1},
    {"set-dimension-size", random_set_dimension_size, 1, false, 1},
    {"tuple", random_tuple, 0, true, 3},
    {"fusion", random_inner_fusion, 0, false, 3},
    {"call", random_call, 0, true, 3},
    {"async", random_async, 0, false, 3},
    {"conditional", random_conditional, 0, false, 3},
    {"while", random_while, 0, false, 3},
    {"all-gather", random_all_gather, 1, false, 9, true},
    {"all-reduce", random_all_reduce, 0, false, 9, true},
    {"reduce-scatter", random_reduce_scatter, 1, false, 9, true},
    {"all-to-all", random_all_to_all, 0, false, 9, true},
    {"ragged-all-to-all", random_ragged_all_to_all, 1, false, 9, true},
    {"collective-broadcast", random_collective_broadcast, 0, false, 9, true},
    {"collective-permute", random_collective_permute, 0, false, 9, true},
});

}  // namespace

std::span<const NamedGenerator> instruction_generators() { return kGenerators; }

}  // namespace mercator::testing
