// The rules of the interpreter, one for each instruction or few. Internal to the interpreter.

#pragma once

#include <cstdint>
#include <vector>

#include "mercator/runtime/evaluator.h"

namespace mercator::runtime {

// clang-format off
// evaluate_elementwise.cc
Result<Value> evaluate_elementwise(Evaluation& evaluation);
// evaluate_movement.cc
Result<Value> evaluate_broadcast(Evaluation& evaluation);
Result<Value> evaluate_reshape(Evaluation& evaluation);  // and dynamic-reshape
Result<Value> evaluate_transpose(Evaluation& evaluation);
Result<Value> evaluate_slice(Evaluation& evaluation);
Result<Value> evaluate_dynamic_slice(Evaluation& evaluation);
Result<Value> evaluate_dynamic_update_slice(Evaluation& evaluation);
Result<Value> evaluate_pad(Evaluation& evaluation);
Result<Value> evaluate_concatenate(Evaluation& evaluation);
Result<Value> evaluate_reverse(Evaluation& evaluation);
Result<Value> evaluate_iota(Evaluation& evaluation);
Result<Value> evaluate_get_dimension_size(Evaluation& evaluation);
Result<Value> evaluate_set_dimension_size(Evaluation& evaluation);
// evaluate_bitcast.cc
Result<Value> evaluate_bitcast(Evaluation& evaluation);
Result<Value> evaluate_bitcast_convert(Evaluation& evaluation);
// evaluate_control.cc
Result<Value> evaluate_constant(Evaluation& evaluation);
Result<Value> evaluate_tuple(Evaluation& evaluation);
Result<Value> evaluate_get_tuple_element(Evaluation& evaluation);
Result<Value> evaluate_forward(Evaluation& evaluation);  // its first operand, as it is
Result<Value> evaluate_opt_barrier(Evaluation& evaluation);
Result<Value> evaluate_after_all(Evaluation& evaluation);
Result<Value> evaluate_call(Evaluation& evaluation);     // and fusion
Result<Value> evaluate_conditional(Evaluation& evaluation);
Result<Value> evaluate_while(Evaluation& evaluation);
Result<Value> evaluate_async_start(Evaluation& evaluation);
Result<Value> evaluate_async_done(Evaluation& evaluation);
Result<Value> evaluate_copy_start(Evaluation& evaluation);
Result<Value> evaluate_copy_done(Evaluation& evaluation);
// evaluate_reduction.cc
Result<Value> evaluate_map(Evaluation& evaluation);
Result<Value> evaluate_reduce(Evaluation& evaluation);
Result<Value> evaluate_scan(Evaluation& evaluation);
// evaluate_window.cc
Result<Value> evaluate_reduce_window(Evaluation& evaluation);
Result<Value> evaluate_select_and_scatter(Evaluation& evaluation);
// evaluate_dot.cc
Result<Value> evaluate_dot(Evaluation& evaluation);
Result<Value> evaluate_ragged_dot(Evaluation& evaluation);
Result<Value> evaluate_scaled_dot(Evaluation& evaluation);
// evaluate_convolution.cc
Result<Value> evaluate_convolution(Evaluation& evaluation);
// evaluate_gather_scatter.cc
Result<Value> evaluate_gather(Evaluation& evaluation);
Result<Value> evaluate_scatter(Evaluation& evaluation);
// evaluate_sort.cc
Result<Value> evaluate_sort(Evaluation& evaluation);
Result<Value> evaluate_top_k(Evaluation& evaluation);
// evaluate_linear_algebra.cc
Result<Value> evaluate_cholesky(Evaluation& evaluation);
Result<Value> evaluate_triangular_solve(Evaluation& evaluation);
// evaluate_fft.cc
Result<Value> evaluate_fft(Evaluation& evaluation);
// evaluate_random.cc
Result<Value> evaluate_rng(Evaluation& evaluation);
Result<Value> evaluate_rng_bit_generator(Evaluation& evaluation);
Result<Value> evaluate_rng_get_and_update_state(Evaluation& evaluation);
// evaluate_batch_norm.cc
Result<Value> evaluate_batch_norm_training(Evaluation& evaluation);
Result<Value> evaluate_batch_norm_inference(Evaluation& evaluation);
Result<Value> evaluate_batch_norm_grad(Evaluation& evaluation);
// evaluate_collective.cc
Result<Value> evaluate_collective(Evaluation& evaluation);
Result<Value> evaluate_device_id(Evaluation& evaluation);
// evaluate_custom_call.cc
Result<Value> evaluate_custom_call(Evaluation& evaluation);
// clang-format on

// The first k of the last dimension of the one operand by the total order, the largest or the
// smallest, of equal ones those with the lowest index; and these indices. Requires rank >= 1.
Result<Value> top_k(Evaluation& evaluation, std::int64_t k, bool largest);

// The value of an asynchronous start: the given elements, then zeros for what its shape has beyond
// them.
Result<Value> started(const Evaluation& evaluation, std::vector<Value> elements);

}  // namespace mercator::runtime
