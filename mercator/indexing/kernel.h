// What the threads of a GPU kernel for a fusion read and write: thread maps (thread_map.h),
// composed with what the fusion computes.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/indexing/thread_map.h"
#include "mercator/support/error.h"

namespace mercator {

// How a kernel is written. All but the loop are about instructions of one kind, the heroes.
enum class Scheme : std::uint8_t {
  kLoop,             // each result is walked by a linear loop
  kTranspose,        // a tile of a transpose, or of a copy to another layout, by shared memory
  kRowReduction,     // threads share the rows that are reduced
  kColumnReduction,  // threads share the columns that are reduced
  kConcatenate,      // a loop over the largest operand of a concatenate
};
// "loop", "transpose", "row-reduction", "column-reduction", "concatenate"
[[nodiscard]] std::string_view name(Scheme scheme);

struct Kernel {
  Scheme scheme = Scheme::kLoop;
  Launch launch = {};
  // The consecutive elements that a thread takes at once.
  std::int64_t vector = 1;
  // The side of the tile of a transpose, the threads for each row of a row reduction, the columns
  // of a block of a column reduction; without meaning for others.
  std::int64_t tile = 32;
};

// The heroes that a kernel of this scheme for `call` would be about: those next to the result of
// the kind that the scheme is for, all of the same shapes. Of an instruction that is no fusion or
// call, at most itself. None for the loop, and where there are none.
[[nodiscard]] std::vector<const hlo::Instruction*> heroes_of(const hlo::Instruction& call,
                                                             Scheme scheme);

// From (th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk, element], see thread_map.h.
struct KernelIndexing {
  std::vector<const hlo::Instruction*> heroes = {};

  // The elements of the arrays of the operands that a thread reads. Each (operand, leaf) once, in
  // order; an array that is read at different places of the kernel has maps for all of them.
  struct Read {
    std::int64_t operand = 0;
    ShapeIndex leaf = {};
    OperandMaps maps = {};
  };
  std::vector<Read> reads = {};

  // The elements of the arrays of the result that a thread writes. Each leaf once, in order.
  struct Write {
    ShapeIndex output = {};
    OperandMaps maps = {};
  };
  std::vector<Write> writes = {};
};

}  // namespace mercator
