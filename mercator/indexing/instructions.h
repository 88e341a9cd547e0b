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
void not_yet(InstructionMaps& maps);

void elementwise(InstructionMaps& maps);  // elementwise.cc
void bitcast_convert_o2i(InstructionMaps& maps);
void bitcast_convert_i2o(InstructionMaps& maps);

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

void dot_o2i(InstructionMaps& maps);  // dot.cc
void dot_i2o(InstructionMaps& maps);

void reduce_o2i(InstructionMaps& maps);  // reduce.cc
void reduce_i2o(InstructionMaps& maps);
void reduce_window_o2i(InstructionMaps& maps);  // reduce_window.cc
void reduce_window_i2o(InstructionMaps& maps);
void convolution_o2i(InstructionMaps& maps);  // convolution.cc
void convolution_i2o(InstructionMaps& maps);

void dynamic_slice_o2i(InstructionMaps& maps);  // dynamic.cc
void dynamic_slice_i2o(InstructionMaps& maps);
void dynamic_update_slice_o2i(InstructionMaps& maps);
void dynamic_update_slice_i2o(InstructionMaps& maps);
void gather_o2i(InstructionMaps& maps);  // gather.cc
void gather_i2o(InstructionMaps& maps);

void tuple(InstructionMaps& maps);  // structural.cc
void get_tuple_element(InstructionMaps& maps);
void pass_through(InstructionMaps& maps);
void copy_start(InstructionMaps& maps);
void copy_done(InstructionMaps& maps);
void called_computation(InstructionMaps& maps);

}  // namespace mercator::indexing
