// Instructions with start indices that the program computes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/indexing/random_generators.h"

namespace mercator::testing {

namespace {

// ---- instructions with indices that the program computes ----

const std::string& index_type(Computation& c) {
  static const std::vector<std::string> common = {"s32", "s32", "s32", "s64", "u32"};
  static const std::vector<std::string> all = {"s32", "s32", "s32", "s64", "u32",
                                               "s8",  "u8",  "s16", "u16"};
  return c.random.pick(c.program.options.moves ? all : common);
}

Dims random_window_within(Computation& c, const Dims& sizes) {
  Dims window;
  for (const std::int64_t size : sizes) {
    const std::int64_t least = c.program.options.zero_sizes && c.random.percent(2) ? 0 : 1;
    window.push_back(c.random.percent(25) ? size : c.random.in(std::min(least, size), size));
  }
  return window;
}

std::vector<std::string> start_indices(Computation& c, const Dims& sizes, const Dims& window) {
  const std::string& type = index_type(c);
  std::vector<std::string> names;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    names.push_back(c.index_scalar(type, sizes[d] - window[d]).name);
  }
  return names;
}

}  // namespace

MaybeTensor random_dynamic_slice(Computation& c, const Tensor& x) {
  const Dims window = random_window_within(c, x.sizes);
  std::vector<std::string> names = start_indices(c, x.sizes, window);
  names.insert(names.begin(), x.name);
  return c.emit(x.type, window,
                fmt::format("dynamic-slice({}), dynamic_slice_sizes={}", fmt::join(names, ", "),
                            braces(window)));
}

MaybeTensor random_dynamic_update_slice(Computation& c, const Tensor& x) {
  const Dims window = random_window_within(c, x.sizes);
  std::vector<std::string> names = start_indices(c, x.sizes, window);
  names.insert(names.begin(), {x.name, c.operand(x.type, window).name});
  return c.emit(x.type, x.sizes, fmt::format("dynamic-update-slice({})", fmt::join(names, ", ")));
}

namespace {

std::int64_t largest_start(const Tensor& x, const Dims& window, const Dims& dimensions) {
  std::int64_t largest = 0;
  for (const std::int64_t d : dimensions) {
    const auto i = static_cast<std::size_t>(d);
    largest = std::max(largest, x.sizes[i] - window[i]);
  }
  return largest;
}

}  // namespace

// One index vector a row, the whole slice as the last dimensions of the result.
MaybeTensor random_simple_gather(Computation& c, const Tensor& x) {
  const Dims window = random_window_within(c, x.sizes);
  const std::int64_t mapped = c.random.in(0, x.rank());
  Dims start_index_map = c.random.some_of(x.rank(), mapped);
  if (c.random.percent(60)) {
    for (std::int64_t k = 0; k < mapped; ++k) start_index_map[static_cast<std::size_t>(k)] = k;
  }
  const std::int64_t rows =
      c.random.in(c.program.options.zero_sizes && c.random.percent(4) ? 0 : 1, 5);
  Dims sizes = {rows};
  sizes.insert(sizes.end(), window.begin(), window.end());
  if (too_large(c, sizes)) return std::nullopt;
  const Tensor indices =
      c.index_array(index_type(c), {rows, mapped}, largest_start(x, window, start_index_map));
  Dims offset_dims;
  for (std::int64_t d = 1; d <= x.rank(); ++d) offset_dims.push_back(d);
  return c.emit(x.type, sizes,
                fmt::format("gather({}, {}), offset_dims={}, collapsed_slice_dims={{}}, "
                            "start_index_map={}, index_vector_dim=1, slice_sizes={}",
                            x.name, indices.name, braces(offset_dims), braces(start_index_map),
                            braces(window)));
}

// Any gather: collapsed and batching dimensions, index vectors along any dimension.
MaybeTensor random_gather(Computation& c, const Tensor& x) {
  Random& random = c.random;
  Dims window = random_window_within(c, x.sizes);
  const Dims order = random.some_of(x.rank(), x.rank());
  const std::int64_t batching_count = random.percent(30) && x.rank() > 0 ? 1 : 0;
  const std::int64_t mapped = random.in(0, x.rank() - batching_count);
  Dims batching(order.begin(), order.begin() + batching_count);
  const Dims start_index_map(order.begin() + batching_count,
                             order.begin() + batching_count + mapped);
  Dims collapsed;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    if (has(batching, d)) {
      if (x.sizes[static_cast<std::size_t>(d)] == 0) return std::nullopt;
      window[static_cast<std::size_t>(d)] = 1;
    } else if (x.sizes[static_cast<std::size_t>(d)] > 0 && random.percent(40)) {
      window[static_cast<std::size_t>(d)] = 1;
      collapsed.push_back(d);
    }
  }
  const std::int64_t index_rank = random.in(batching_count, 3);
  Dims batch_sizes = c.program.sizes(index_rank, index_rank);
  Dims index_batching;
  if (batching_count == 1) {
    index_batching.push_back(random.in(0, index_rank - 1));
    batch_sizes[static_cast<std::size_t>(index_batching[0])] =
        x.sizes[static_cast<std::size_t>(batching[0])];
  }
  const std::int64_t vector_dim = random.in(0, index_rank);
  Dims index_sizes = batch_sizes;
  // Without a dimension of their own, indices are vectors of one.
  const bool implicit = vector_dim == index_rank && mapped == 1 && random.percent(50);
  if (!implicit) {
    index_sizes.insert(index_sizes.begin() + vector_dim, mapped);
    if (batching_count == 1 && index_batching[0] >= vector_dim) ++index_batching[0];
  }
  Dims slice;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    if (!has(batching, d) && !has(collapsed, d)) {
      slice.push_back(window[static_cast<std::size_t>(d)]);
    }
  }
  const std::int64_t rank = index_rank + std::ssize(slice);
  Dims offset_dims = random.some_of(rank, std::ssize(slice));
  std::ranges::sort(offset_dims);
  Dims sizes(static_cast<std::size_t>(rank));
  for (std::size_t d = 0, b = 0, s = 0; d < sizes.size(); ++d) {
    sizes[d] = has(offset_dims, static_cast<std::int64_t>(d)) ? slice[s++] : batch_sizes[b++];
  }
  if (too_large(c, sizes) || too_large(c, index_sizes)) return std::nullopt;
  const Tensor indices =
      c.index_array(index_type(c), index_sizes, largest_start(x, window, start_index_map));
  std::string attributes = fmt::format(
      ", offset_dims={}, collapsed_slice_dims={}, start_index_map={}, index_vector_dim={}, "
      "slice_sizes={}",
      braces(offset_dims), braces(collapsed), braces(start_index_map), vector_dim, braces(window));
  if (batching_count > 0) {
    attributes += fmt::format(", operand_batching_dims={}, start_indices_batching_dims={}",
                              braces(batching), braces(index_batching));
  }
  return c.emit(x.type, sizes, fmt::format("gather({}, {}){}", x.name, indices.name, attributes));
}

}  // namespace mercator::testing
