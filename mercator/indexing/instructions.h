// The table of instructions: for each opcode the functions that yield its maps.

#pragma once

#include "mercator/hlo/opcode.h"
#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

using MapFunction = void (*)(InstructionMaps& maps);

struct MapFunctions {
  MapFunction output_to_input = nullptr;
  MapFunction input_to_output = nullptr;
};

// Never null.
[[nodiscard]] MapFunctions map_functions(hlo::Opcode opcode);

// The functions, by file. One that serves both directions has no suffix.

void reads_nothing(InstructionMaps& maps);  // instructions.cc

void elementwise(InstructionMaps& maps);  // elementwise.cc
void bitcast_convert_o2i(InstructionMaps& maps);
void bitcast_convert_i2o(InstructionMaps& maps);
void select(InstructionMaps& maps);  // select.cc

void broadcast_o2i(InstructionMaps& maps);  // movement.cc
void broadcast_i2o(InstructionMaps& maps);
void transpose_o2i(InstructionMaps& maps);
void transpose_i2o(InstructionMaps& maps);
void reverse(InstructionMaps& maps);
void slice_o2i(InstructionMaps& maps);
void slice_i2o(InstructionMaps& maps);
void concatenate_o2i(InstructionMaps& maps);
void concatenate_i2o(InstructionMaps& maps);

void pad_o2i(InstructionMaps& maps);  // pad.cc
void pad_i2o(InstructionMaps& maps);

void reshape(InstructionMaps& maps);  // reshape.cc
void bitcast(InstructionMaps& maps);  // bitcast.cc

void dot(InstructionMaps& maps);  // dot.cc
void ragged_dot(InstructionMaps& maps);
void scaled_dot(InstructionMaps& maps);

void reduce_o2i(InstructionMaps& maps);  // reduce.cc
void reduce_i2o(InstructionMaps& maps);
void reduce_window_o2i(InstructionMaps& maps);  // reduce_window.cc
void reduce_window_i2o(InstructionMaps& maps);
void convolution(InstructionMaps& maps);         // convolution.cc
void select_and_scatter(InstructionMaps& maps);  // select_and_scatter.cc
void scan(InstructionMaps& maps);                // scan.cc

void sort(InstructionMaps& maps);  // sort.cc
void topk(InstructionMaps& maps);
void cholesky(InstructionMaps& maps);  // matrix.cc
void triangular_solve(InstructionMaps& maps);
void fft(InstructionMaps& maps);
void batch_norm_training(InstructionMaps& maps);  // batch_norm.cc
void batch_norm_inference(InstructionMaps& maps);
void batch_norm_grad(InstructionMaps& maps);
void rng(InstructionMaps& maps);  // random_bits.cc
void rng_bit_generator(InstructionMaps& maps);
void dynamic_reshape(InstructionMaps& maps);  // dynamic_size.cc
void set_dimension_size(InstructionMaps& maps);

void dynamic_slice_o2i(InstructionMaps& maps);  // dynamic.cc
void dynamic_slice_i2o(InstructionMaps& maps);
void dynamic_update_slice_o2i(InstructionMaps& maps);
void dynamic_update_slice_i2o(InstructionMaps& maps);
void gather_o2i(InstructionMaps& maps);  // gather.cc
void gather_i2o(InstructionMaps& maps);
void scatter(InstructionMaps& maps);  // scatter.cc

void tuple(InstructionMaps& maps);  // structural.cc
void get_tuple_element(InstructionMaps& maps);
void pass_through(InstructionMaps& maps);
void copy_start(InstructionMaps& maps);
void copy_done(InstructionMaps& maps);
void second_part(InstructionMaps& maps);
void async_start(InstructionMaps& maps);
void send(InstructionMaps& maps);
void receive(InstructionMaps& maps);
void receive_done(InstructionMaps& maps);
void infeed(InstructionMaps& maps);
void outfeed(InstructionMaps& maps);
void called_computation(InstructionMaps& maps);

void conditional(InstructionMaps& maps);  // conditional.cc
void while_loop(InstructionMaps& maps);   // while.cc

void all_gather(InstructionMaps& maps);  // collective.cc
void all_gather_start(InstructionMaps& maps);
void all_reduce(InstructionMaps& maps);
void reduce_scatter(InstructionMaps& maps);
void all_to_all(InstructionMaps& maps);
void collective_permute(InstructionMaps& maps);
void collective_permute_start(InstructionMaps& maps);
void collective_broadcast(InstructionMaps& maps);
void ragged_all_to_all(InstructionMaps& maps);

void custom_call(InstructionMaps& maps);  // custom_call.cc

// The functions of some custom calls.

void gemm_call(InstructionMaps& maps);  // matrix_call.cc
void scaled_gemm_call(InstructionMaps& maps);
void grouped_gemm_call(InstructionMaps& maps);
void onednn_matmul_call(InstructionMaps& maps);
void convolution_call(InstructionMaps& maps);  // convolution_call.cc
void biased_convolution_call(InstructionMaps& maps);
void convolution_input_call(InstructionMaps& maps);
void convolution_kernel_call(InstructionMaps& maps);

}  // namespace mercator::indexing
