// Scatter, and the instructions that stand for a whole algorithm.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "test/indexing/random_generators.h"

namespace mercator::testing {
namespace {

bool is_float(const Tensor& x) { return x.type.starts_with('f') || x.type.starts_with("bf"); }

// What one result of an instruction is like.
struct Part {
  std::string type;
  Dims sizes;
};

// The instruction with one result or, if `tuple`, a tuple, of which a random part is returned.
Tensor emit_parts(Computation& c, const std::vector<Part>& parts, bool tuple,
                  std::string_view expression) {
  if (!tuple) return c.emit(parts[0].type, parts[0].sizes, expression);
  std::vector<std::string> shapes;
  for (const Part& part : parts) {
    shapes.push_back(fmt::format("{}[{}]", part.type, join(part.sizes)));
  }
  const std::string name = c.emit_value(fmt::format("({})", fmt::join(shapes, ", ")), expression);
  const std::int64_t index = c.random.in(0, std::ssize(parts) - 1);
  const Part& part = parts[static_cast<std::size_t>(index)];
  return c.emit(part.type, part.sizes, Dims(),
                fmt::format("get-tuple-element({}), index={}", name, index));
}

// A function of `count` values and as many new ones of one type, with as many results, each the sum
// of some of all.
std::string random_combiner(Computation& c, const std::string& type, std::int64_t count) {
  Random& random = c.random;
  const std::string name = c.program.fresh_name("reducer");
  std::string text = fmt::format("{} {{\n", name);
  for (std::int64_t i = 0; i < 2 * count; ++i) {
    text += fmt::format("  a{} = {}[] parameter({})\n", i, type, i);
  }
  std::vector<std::string> results;
  for (std::int64_t j = 0; j < count; ++j) {
    Dims used = random.some_of(2 * count, random.in(1, 2 * count));
    // Often what there was and what is new, or what is new alone.
    if (random.percent(40)) used = {j, count + j};
    if (random.percent(30)) used = {count + j};
    std::string sum = fmt::format("a{}", used[0]);
    for (std::size_t i = 1; i < used.size(); ++i) {
      text += fmt::format("  sum{}_{} = {}[] add({}, a{})\n", j, i, type, sum, used[i]);
      sum = fmt::format("sum{}_{}", j, i);
    }
    text += fmt::format("  {}r{} = {}[] copy({})\n", count == 1 ? "ROOT " : "", j, type, sum);
    results.push_back(fmt::format("r{}", j));
  }
  if (count > 1) {
    const std::vector<std::string> shapes(results.size(), type + "[]");
    text += fmt::format("  ROOT all = ({}) tuple({})\n", fmt::join(shapes, ", "),
                        fmt::join(results, ", "));
  }
  c.program.add_computation(text + "}\n");
  return name;
}

// The dimension numbers of a scatter on an array of these sizes.
struct RandomScatter {
  Dims window;  // sizes, by dimension of the operand
  Dims inserted;
  Dims batching;
  Dims indexed;
  Dims index_sizes;
  Dims index_batching;
  std::int64_t vector_dim = 0;
  Dims update_sizes;
  Dims update_window_dims;
  std::int64_t vectors = 1;

  RandomScatter(Computation& c, const Tensor& x);
};

RandomScatter::RandomScatter(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const Dims order = random.some_of(x.rank(), x.rank());
  const std::int64_t batch_count = random.percent(30) && x.rank() > 0 ? 1 : 0;
  // XLA takes indices without components for none.
  const std::int64_t least_mapped = c.program.options.monotone ? 1 : 0;
  const std::int64_t mapped =
      random.in(std::min(least_mapped, x.rank() - batch_count), x.rank() - batch_count);
  batching.assign(order.begin(), order.begin() + batch_count);
  indexed.assign(order.begin() + batch_count, order.begin() + batch_count + mapped);
  Dims window_elements;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    const std::int64_t size = x.sizes[static_cast<std::size_t>(d)];
    window.push_back(1);
    if (has(batching, d)) continue;
    if (random.percent(40)) {
      inserted.push_back(d);
      continue;
    }
    const std::int64_t least = c.program.options.zero_sizes && random.percent(3) ? 0 : 1;
    window.back() = random.in(std::min(least, size), std::max(std::min(least, size), size - 1));
    if (random.percent(25)) window.back() = size;
    window_elements.push_back(window.back());
  }
  const std::int64_t index_rank = random.in(batch_count, 2);
  Dims batch_sizes = c.program.sizes(index_rank, index_rank);
  if (batch_count == 1) {
    index_batching = {random.in(0, index_rank - 1)};
    batch_sizes[static_cast<std::size_t>(index_batching[0])] =
        x.sizes[static_cast<std::size_t>(batching[0])];
  }
  vectors = product(batch_sizes);
  vector_dim = random.in(0, index_rank);
  index_sizes = batch_sizes;
  // Without a dimension of their own, indices are vectors of one.
  if (vector_dim != index_rank || mapped != 1 || random.percent(50)) {
    index_sizes.insert(index_sizes.begin() + vector_dim, mapped);
    if (batch_count == 1 && index_batching[0] >= vector_dim) ++index_batching[0];
  }
  const std::int64_t rank = index_rank + std::ssize(window_elements);
  update_window_dims = random.some_of(rank, std::ssize(window_elements));
  std::ranges::sort(update_window_dims);
  for (std::int64_t d = 0, b = 0, w = 0; d < rank; ++d) {
    const bool in_window = has(update_window_dims, d);
    update_sizes.push_back(in_window ? window_elements[static_cast<std::size_t>(w++)]
                                     : batch_sizes[static_cast<std::size_t>(b++)]);
  }
}

}  // namespace

MaybeTensor random_scatter(Computation& c, const Tensor& x) {
  static const std::vector<std::string> index_types = {"s32", "s32", "s64", "u32", "u8"};
  const RandomScatter scatter(c, x);
  if (too_large(c, scatter.update_sizes) || too_large(c, scatter.index_sizes)) return std::nullopt;
  std::int64_t limit = 0;
  for (const std::int64_t d : scatter.indexed) {
    const auto i = static_cast<std::size_t>(d);
    limit = std::max(limit, x.sizes[i] - scatter.window[i]);
  }
  const std::int64_t count = c.random.percent(75) ? 1 : c.random.in(2, 3);
  const auto inputs = static_cast<std::size_t>(count);
  std::vector<std::string> operands = {x.name};
  for (std::size_t k = 1; k < inputs; ++k) {
    operands.push_back(c.operand(x.type, x.sizes).name);
    // XLA gives other results at each run where the operands share an array.
    if (c.program.options.monotone && std::ranges::count(operands, operands.back()) > 1)
      return std::nullopt;
  }
  operands.push_back(c.index_array(c.random.pick(index_types), scatter.index_sizes, limit).name);
  for (std::size_t k = 0; k < inputs; ++k) {
    operands.push_back(c.operand(x.type, scatter.update_sizes).name);
  }
  std::string attributes = fmt::format(
      ", update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
      "index_vector_dim={}",
      braces(scatter.update_window_dims), braces(scatter.inserted), braces(scatter.indexed),
      scatter.vector_dim);
  if (!scatter.batching.empty()) {
    attributes += fmt::format(", input_batching_dims={}, scatter_indices_batching_dims={}",
                              braces(scatter.batching), braces(scatter.index_batching));
  }
  // Where values are not known, the promise is made only where it must hold.
  const bool may_promise = scatter.vectors <= 1 || c.program.options.moves;
  if (may_promise && c.random.percent(30)) attributes += ", unique_indices=true";
  const std::string combiner = c.program.options.monotone
                                   ? c.program.reducer(std::vector<std::string>(inputs, x.type))
                                   : random_combiner(c, x.type, count);
  return emit_parts(
      c, std::vector<Part>(inputs, {x.type, x.sizes}), count > 1,
      fmt::format("scatter({}){}, to_apply={}", fmt::join(operands, ", "), attributes, combiner));
}

namespace {

// Compares by some of the operands, or by none.
std::string random_comparator(Computation& c, const std::string& type, std::int64_t count) {
  const std::string name = c.program.fresh_name("reducer");
  std::string text = fmt::format("{} {{\n", name);
  for (std::int64_t i = 0; i < 2 * count; ++i) {
    text += fmt::format("  a{} = {}[] parameter({})\n", i, type, i);
  }
  std::string result = "no";
  text += "  no = pred[] constant(false)\n";
  for (const std::int64_t key : c.random.some_of(count, c.random.in(0, count))) {
    text += fmt::format("  less{} = pred[] compare(a{}, a{}), direction=LT\n", key, 2 * key,
                        2 * key + 1);
    text += fmt::format("  or{} = pred[] or({}, less{})\n", key, result, key);
    result = fmt::format("or{}", key);
  }
  c.program.add_computation(text + fmt::format("  ROOT r = pred[] copy({})\n}}\n", result));
  return name;
}

}  // namespace

MaybeTensor random_sort(Computation& c, const Tensor& x) {
  const std::int64_t count = c.random.in(1, 3);
  std::vector<std::string> operands = {x.name};
  for (std::int64_t k = 1; k < count; ++k) operands.push_back(c.operand(x.type, x.sizes).name);
  return emit_parts(c, std::vector<Part>(operands.size(), {x.type, x.sizes}), count > 1,
                    fmt::format("sort({}), dimensions={{{}}}, is_stable=true, to_apply={}",
                                fmt::join(operands, ", "), c.random.in(0, x.rank() - 1),
                                random_comparator(c, x.type, count)));
}

MaybeTensor random_topk(Computation& c, const Tensor& x) {
  const std::int64_t k = c.random.in(x.sizes.back() > 0 ? 1 : 0, x.sizes.back());
  Dims sizes = x.sizes;
  sizes.back() = k;
  return emit_parts(c, {{x.type, sizes}, {"s32", sizes}}, true,
                    fmt::format("topk({}), k={}, largest=true", x.name, k));
}

// One that is known.
MaybeTensor random_custom_call(Computation& c, const Tensor& x) {
  static const std::vector<std::string> passing = {"MoveToDevice", "MoveToHost", "Sharding",
                                                   "annotate_device_placement"};
  if (c.random.percent(50)) {
    return c.emit(
        x.type, x.sizes,
        fmt::format("custom-call({}), custom_call_target=\"{}\"", x.name, c.random.pick(passing)));
  }
  Dims sizes = x.sizes;
  sizes.back() = c.random.in(std::min<std::int64_t>(1, sizes.back()), sizes.back());
  return emit_parts(c, {{x.type, sizes}, {"s32", sizes}}, true,
                    fmt::format("custom-call({}), custom_call_target=\"TopK\"", x.name));
}

namespace {

// Matrices of floats: x itself if it is made of them.
Tensor square_matrices(Computation& c, const Tensor& x) {
  const auto rank = static_cast<std::size_t>(x.rank());
  if (is_float(x) && rank >= 2 && x.sizes[rank - 1] == x.sizes[rank - 2]) return x;
  Dims sizes = c.program.sizes(1, 2);
  sizes.push_back(sizes.back());
  return c.operand(c.program.options.data_type, sizes);
}

std::string_view truth(Random& random) { return random.percent(50) ? "true" : "false"; }

}  // namespace

MaybeTensor random_cholesky(Computation& c, const Tensor& x) {
  const Tensor a = square_matrices(c, x);
  return c.emit(a.type, a.sizes, fmt::format("cholesky({}), lower={}", a.name, truth(c.random)));
}

MaybeTensor random_triangular_solve(Computation& c, const Tensor& x) {
  static const std::vector<std::string> transposes = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const Tensor a = square_matrices(c, x);
  const bool left = c.random.percent(50);
  Dims sizes = a.sizes;
  sizes[sizes.size() - (left ? 1 : 2)] = c.random.in(1, 3);
  const Tensor b = c.operand(a.type, sizes);
  return c.emit(a.type, sizes,
                fmt::format("triangular-solve({}, {}), left_side={}, lower={}, unit_diagonal={}, "
                            "transpose_a={}",
                            a.name, b.name, left, truth(c.random), truth(c.random),
                            c.random.pick(transposes)));
}

MaybeTensor random_fft(Computation& c, const Tensor& x) {
  if (x.type != "f32" && x.type != "f64") return std::nullopt;
  const std::string_view complex = x.type == "f32" ? "c64" : "c128";
  static const std::vector<std::string> kinds = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const std::string& kind = c.random.pick(kinds);
  const std::int64_t count = c.random.in(1, std::min<std::int64_t>(3, x.rank()));
  Dims length(x.sizes.end() - count, x.sizes.end());
  Dims sizes = x.sizes;
  std::string operand = x.name;
  if (kind != "RFFT") {
    operand = c.emit_value(fmt::format("{}[{}]", complex, join(x.sizes)),
                           fmt::format("complex({}, {})", x.name, x.name));
  }
  if (kind == "RFFT") sizes.back() = length.back() == 0 ? 0 : length.back() / 2 + 1;
  if (kind == "IRFFT") {
    // Half of the spectrum of an even or of an odd length.
    length.back() = std::max<std::int64_t>(0, 2 * length.back() - 2 + c.random.in(0, 1));
    if (x.sizes.back() > 0 && length.back() == 0) length.back() = 1;
    sizes.back() = length.back();
    if (too_large(c, sizes)) return std::nullopt;
  }
  const std::string expression =
      fmt::format("fft({}), fft_type={}, fft_length={}", operand, kind, braces(length));
  if (kind == "IRFFT") return c.emit(x.type, sizes, expression);
  const std::string result = c.emit_value(fmt::format("{}[{}]", complex, join(sizes)), expression);
  return c.emit(x.type, sizes, fmt::format("real({})", result));
}

namespace {

MaybeTensor random_batch_norm(Computation& c, const Tensor& x, std::string_view name,
                              std::size_t vectors, bool with_gradient, bool tuple) {
  if (!is_float(x)) return std::nullopt;
  const std::int64_t feature = c.random.in(0, x.rank() - 1);
  const Dims features = {x.sizes[static_cast<std::size_t>(feature)]};
  std::vector<std::string> operands = {x.name};
  for (std::size_t k = 0; k < vectors; ++k) operands.push_back(c.operand(x.type, features).name);
  if (with_gradient) operands.push_back(c.operand(x.type, x.sizes).name);
  return emit_parts(c, {{x.type, x.sizes}, {x.type, features}, {x.type, features}}, tuple,
                    fmt::format("{}({}), epsilon=0.001, feature_index={}", name,
                                fmt::join(operands, ", "), feature));
}

}  // namespace

MaybeTensor random_batch_norm_training(Computation& c, const Tensor& x) {
  return random_batch_norm(c, x, "batch-norm-training", 2, false, true);
}

MaybeTensor random_batch_norm_inference(Computation& c, const Tensor& x) {
  return random_batch_norm(c, x, "batch-norm-inference", 4, false, false);
}

MaybeTensor random_batch_norm_grad(Computation& c, const Tensor& x) {
  return random_batch_norm(c, x, "batch-norm-grad", 3, true, true);
}

MaybeTensor random_rng(Computation& c, const Tensor& x) {
  const Tensor low = x.rank() == 0 ? x : c.operand(x.type, {});
  const Tensor high = c.operand(x.type, {});
  return c.emit(x.type, c.program.sizes(0, 3),
                fmt::format("rng({}, {}), distribution=rng_uniform", low.name, high.name));
}

MaybeTensor random_rng_bit_generator(Computation& c, const Tensor&) {
  static const std::vector<std::string> algorithms = {"rng_default", "rng_philox", "rng_three_fry"};
  const std::string& algorithm = c.random.pick(algorithms);
  const Dims state = {algorithm == "rng_three_fry" ? 2 : c.random.in(2, 3)};
  const Tensor old = c.index_array("u64", state, 100);
  const Dims sizes = c.program.sizes(0, 3);
  const std::string expression =
      fmt::format("rng-bit-generator({}), algorithm={}", old.name, algorithm);
  if (c.random.percent(30)) return c.emit("u32", sizes, expression);
  return emit_parts(c, {{"u64", state}, {"u32", sizes}}, true, expression);
}

namespace {

// The body of a scan of slices of these sizes: each result is a sum of some of the parameters,
// perhaps mixed up.
std::string random_scan_body(Computation& c, const std::string& type, const Dims& slice,
                             std::int64_t parameters, std::int64_t results) {
  const std::string name = c.program.fresh_name("reducer");
  const std::string shape = fmt::format("{}[{}]", type, join(slice));
  std::string text = fmt::format("{} {{\n", name);
  for (std::int64_t i = 0; i < parameters; ++i) {
    text += fmt::format("  a{} = {} parameter({})\n", i, shape, i);
  }
  std::vector<std::string> names;
  for (std::int64_t j = 0; j < results; ++j) {
    const Dims used = c.random.some_of(parameters, c.random.in(1, parameters));
    std::string sum = fmt::format("a{}", used[0]);
    for (std::size_t i = 1; i < used.size(); ++i) {
      text += fmt::format("  sum{}_{} = {} add({}, a{})\n", j, i, shape, sum, used[i]);
      sum = fmt::format("sum{}_{}", j, i);
    }
    const bool mixes = !slice.empty() && c.random.percent(15);
    text += mixes ? fmt::format("  r{} = {} reverse({}), dimensions={{0}}\n", j, shape, sum)
                  : fmt::format("  r{} = {} negate({})\n", j, shape, sum);
    names.push_back(fmt::format("r{}", j));
  }
  const std::vector<std::string> shapes(names.size(), shape);
  text +=
      fmt::format("  ROOT all = ({}) tuple({})\n", fmt::join(shapes, ", "), fmt::join(names, ", "));
  c.program.add_computation(text + "}\n");
  return name;
}

}  // namespace

MaybeTensor random_scan(Computation& c, const Tensor& x) {
  const std::int64_t along = c.random.in(0, x.rank() - 1);
  Dims slice = x.sizes;
  slice.erase(slice.begin() + along);
  const std::int64_t inputs = c.random.in(1, 2);
  const std::int64_t carries = c.random.in(0, 2);
  const std::int64_t outputs = c.random.in(carries == 0 ? 1 : 0, 2);
  std::vector<std::string> operands = {x.name};
  for (std::int64_t k = 1; k < inputs; ++k) operands.push_back(c.operand(x.type, x.sizes).name);
  for (std::int64_t k = 0; k < carries; ++k) operands.push_back(c.operand(x.type, slice).name);
  std::vector<Part> parts(static_cast<std::size_t>(outputs), {x.type, x.sizes});
  parts.insert(parts.end(), static_cast<std::size_t>(carries), {x.type, slice});
  return emit_parts(
      c, parts, true,
      fmt::format("scan({}), dimensions={{{}}}, num_carries={}, is_reverse={}, to_apply={}",
                  fmt::join(operands, ", "), along, carries, truth(c.random),
                  random_scan_body(c, x.type, slice, inputs + carries, outputs + carries)));
}

MaybeTensor random_scaled_dot(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const std::int64_t blocks = random.in(1, 3);
  const Dims sizes = {random.in(1, 3), blocks * random.in(1, 3)};
  const Dims other = {random.in(1, 3), sizes[1]};
  const bool first = random.percent(50);  // the contracted dimension comes first
  const auto turned = [&](Dims dims) {
    if (first) std::swap(dims[0], dims[1]);
    return dims;
  };
  const auto scales = [&](const Dims& of) {
    return random.percent(20) ? Dims() : turned({of[0], blocks});
  };
  const Dims result = {sizes[0], other[0]};
  return c.emit(
      x.type, result,
      fmt::format("scaled-dot({}, {}, {}, {}), lhs_contracting_dims={{{}}}, "
                  "rhs_contracting_dims={{{}}}",
                  c.operand(x.type, turned(sizes)).name, c.operand(x.type, turned(other)).name,
                  c.operand(x.type, scales(sizes)).name, c.operand(x.type, scales(other)).name,
                  first ? 0 : 1, first ? 0 : 1));
}

MaybeTensor random_sparse_dot(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const std::vector<std::pair<std::int64_t, std::int64_t>> kinds = {{2, 4}, {1, 4}, {1, 2}};
  const auto [kept, group] = random.pick(kinds);
  const std::int64_t groups = random.in(1, 5);
  const std::int64_t free = random.in(1, 3);
  // The contracted dimension comes first or last.
  const auto placed = [&](std::int64_t size, std::int64_t contracted, std::int64_t place) {
    return place == 0 ? Dims{contracted, size} : Dims{size, contracted};
  };
  const std::int64_t sparse_place = random.in(0, 1);
  const std::int64_t dense_place = random.in(0, 1);
  const std::int64_t dense_free = random.in(1, 3);
  const Tensor sparse = c.operand(x.type, placed(free, groups * kept, sparse_place));
  const Tensor dense = c.operand(x.type, placed(dense_free, groups * group, dense_place));
  // 16 bits hold the places of as many elements.
  const std::int64_t in_one = group == 4 ? 8 : 16;
  const Tensor metadata =
      c.index_array("u16", placed(free, (groups * kept + in_one - 1) / in_one, sparse_place), 255);
  const bool is_left = random.percent(60);
  return c.emit(
      x.type, is_left ? Dims{free, dense_free} : Dims{dense_free, free},
      fmt::format("dot({}, {}, {}), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}, "
                  "sparsity={}.{}@{}:{}",
                  is_left ? sparse.name : dense.name, is_left ? dense.name : sparse.name,
                  metadata.name, is_left ? sparse_place : dense_place,
                  is_left ? dense_place : sparse_place, is_left ? 'L' : 'R', sparse_place, kept,
                  group));
}

// The ragged dimension is free, contracting, or a batch.
MaybeTensor random_ragged_dot(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const std::int64_t groups = random.in(1, 3);
  const std::int64_t batch = random.in(1, 2);
  const std::int64_t rows = random.in(1, 4);
  const std::int64_t inner = random.in(1, 4);
  const std::int64_t columns = random.in(1, 3);
  const std::int64_t mode = random.in(0, 2);
  const Tensor left = c.operand(x.type, {batch, rows, inner});
  Dims right_sizes = {batch, inner, columns};
  if (mode == 0) right_sizes.insert(right_sizes.begin(), groups);
  const Tensor right = c.operand(x.type, right_sizes);
  const Tensor sizes = c.index_array("s32", {groups}, 3);
  Dims result = {batch, rows, columns};
  if (mode == 1) result.insert(result.begin(), groups);
  const std::int64_t shift = mode == 0 ? 1 : 0;
  const Dims ragged = {mode == 0 ? 1 : mode == 1 ? 2 : 0};
  return c.emit(
      x.type, result,
      fmt::format("ragged-dot({}, {}, {}), lhs_batch_dims={{0}}, rhs_batch_dims={{{}}}, "
                  "lhs_contracting_dims={{2}}, rhs_contracting_dims={{{}}}, lhs_ragged_dims={}{}",
                  left.name, right.name, sizes.name, shift, shift + 1, braces(ragged),
                  mode == 0 ? ", rhs_group_dims={0}" : ""));
}

MaybeTensor random_dynamic_reshape(Computation& c, const Tensor& x) {
  const Dims sizes = c.program.sizes_of(x.elements());
  std::vector<std::string> operands = {x.name};
  for (const std::int64_t size : sizes) operands.push_back(c.index_scalar("s32", size).name);
  return c.emit(x.type, sizes, fmt::format("dynamic-reshape({})", fmt::join(operands, ", ")));
}

MaybeTensor random_get_dimension_size(Computation& c, const Tensor& x) {
  return c.emit("s32", {},
                fmt::format("get-dimension-size({}), dimensions={{{}}}", x.name,
                            c.random.in(0, x.rank() - 1)));
}

MaybeTensor random_set_dimension_size(Computation& c, const Tensor& x) {
  const std::int64_t dimension = c.random.in(0, x.rank() - 1);
  const Tensor size = c.index_scalar("s32", x.sizes[static_cast<std::size_t>(dimension)]);
  return c.emit(
      x.type, x.sizes,
      fmt::format("set-dimension-size({}, {}), dimensions={{{}}}", x.name, size.name, dimension));
}

}  // namespace mercator::testing
