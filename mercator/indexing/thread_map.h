// Which elements each thread of a GPU kernel reads and writes.
//
//   (th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk, element] -> (index of an array)
//
// The dimensions say which thread of which block, `chunk` counts the steps of the loop that each
// thread runs, and `element` the consecutive elements that it takes in a step. Threads of a block
// are numbered with x innermost, and so are blocks. An array is walked in the order in which its
// elements lie in memory.
//
// Each function is for one of the schemes by which kernels are written. In all of them every
// element of the array that is walked belongs to exactly one (thread, chunk, element).

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercator/hlo/shape.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator {

// How many threads a block has, and how many blocks there are, along x, y and z.
struct Launch {
  std::array<std::int64_t, 3> threads = {1, 1, 1};
  std::array<std::int64_t, 3> blocks = {1, 1, 1};

  [[nodiscard]] std::int64_t threads_per_block() const {
    return threads[0] * threads[1] * threads[2];
  }
  [[nodiscard]] std::int64_t block_count() const { return blocks[0] * blocks[1] * blocks[2]; }
};

// What a kernel reads and what it writes, by thread.
struct ThreadAccess {
  IndexMap read;
  IndexMap write;
};

// All errors are kUnsupported: a scheme that does not suit the shapes, a launch too small for them,
// a layout that says more than order, tiles and memory space, or what no launch may be.

// What holds of any array: a launch has threads, and these take at most 2^62 elements together if
// each takes `vector` at once.
[[nodiscard]] Result<void> require_launch(const Launch& launch, std::int64_t vector);

// The linear loop: thread t of all T threads takes the elements [t * unroll, (t + 1) * unroll) of
// the array, then those T * unroll further on, and so forth.
[[nodiscard]] Result<IndexMap> linear_loop(ExprContext& context, const hlo::Shape& array,
                                           const Launch& launch, std::int64_t unroll);

// The tiled transpose, by way of shared memory: a block moves one tile of `tile` x `tile` elements,
// which the array read and the array written have in their innermost dimensions (of those that have
// more than one element). Rows of the tile are read along the innermost dimension of `from`, and
// written along that of `to`, whose dimension i is dimension permutation[i] of `from`. Each thread
// takes `vector` consecutive elements of a row at once, so that tile / vector threads share one.
[[nodiscard]] Result<ThreadAccess> tiled_transpose(ExprContext& context, const hlo::Shape& from,
                                                   const hlo::Shape& to,
                                                   std::span<const std::int64_t> permutation,
                                                   const Launch& launch, std::int64_t tile,
                                                   std::int64_t vector);

// The reduction of rows, the innermost dimensions: `threads_per_row` threads share a row, each
// taking `vector` consecutive elements at once; a block has as many rows as it has such groups of
// threads (several rows in a warp, where groups are smaller than one). Before the rows there may be
// other dimensions that are reduced. The first thread of a group writes the result, whose
// dimensions are those of `from` that are not reduced, in order.
[[nodiscard]] Result<ThreadAccess> row_reduction(ExprContext& context, const hlo::Shape& from,
                                                 std::span<const std::int64_t> reduced,
                                                 const Launch& launch, std::int64_t threads_per_row,
                                                 std::int64_t vector);

// The reduction of columns: the innermost dimensions stay, those before them are reduced. A block
// has `columns` consecutive ones, of which each thread takes `vector`; columns / vector threads
// share a row, and the others take the rows behind it. The threads of the first row write.
[[nodiscard]] Result<ThreadAccess> column_reduction(ExprContext& context, const hlo::Shape& from,
                                                    std::span<const std::int64_t> reduced,
                                                    const Launch& launch, std::int64_t columns,
                                                    std::int64_t vector);

// The concatenation along `dimension`: a linear loop over the largest of the operands, in each step
// of which every operand that has that index is copied. One access for each operand.
[[nodiscard]] Result<std::vector<ThreadAccess>> concatenation_loop(
    ExprContext& context, std::span<const hlo::Shape> operands, std::int64_t dimension,
    const Launch& launch, std::int64_t unroll);

}  // namespace mercator
