// Instructions that sum over dimensions and windows.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "test/indexing/random_generators.h"

namespace mercator::testing {

// ---- sums over dimensions ----

MaybeTensor random_dot(Computation& c, const Tensor& x) {
  // What each dimension of the left side is for, in random order.
  const Dims order = c.random.some_of(x.rank(), x.rank());
  const std::int64_t batch_count = c.random.in(0, std::min<std::int64_t>(x.rank(), 2));
  const std::int64_t contracting_count =
      c.random.in(0, std::min<std::int64_t>(x.rank() - batch_count, 2));
  const Dims lhs_batch(order.begin(), order.begin() + batch_count);
  const Dims lhs_contracting(order.begin() + batch_count,
                             order.begin() + batch_count + contracting_count);
  const std::int64_t shared = batch_count + contracting_count;
  const std::int64_t rhs_free = c.random.in(
      0, std::max<std::int64_t>(0, std::min<std::int64_t>(2, c.program.options.max_rank - shared)));
  Dims rhs_sizes = c.program.sizes(shared + rhs_free, shared + rhs_free);
  const Dims places = c.random.some_of(shared + rhs_free, shared);
  for (std::int64_t i = 0; i < shared; ++i) {
    rhs_sizes[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] =
        x.sizes[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  }
  const Dims rhs_batch(places.begin(), places.begin() + batch_count);
  const Dims rhs_contracting(places.begin() + batch_count, places.end());
  Dims sizes;
  for (const std::int64_t d : lhs_batch) sizes.push_back(x.sizes[static_cast<std::size_t>(d)]);
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    if (!has(lhs_batch, d) && !has(lhs_contracting, d)) {
      sizes.push_back(x.sizes[static_cast<std::size_t>(d)]);
    }
  }
  for (std::int64_t d = 0; d < shared + rhs_free; ++d) {
    if (!has(places, d)) sizes.push_back(rhs_sizes[static_cast<std::size_t>(d)]);
  }
  if (too_large(c, sizes) || too_large(c, rhs_sizes)) return std::nullopt;
  const Tensor y = c.operand(x.type, rhs_sizes);
  std::string attributes;
  const auto attribute = [&](std::string_view name, const Dims& dims) {
    if (!dims.empty() || c.random.percent(20))
      attributes += fmt::format(", {}={}", name, braces(dims));
  };
  attribute("lhs_batch_dims", lhs_batch);
  attribute("lhs_contracting_dims", lhs_contracting);
  attribute("rhs_batch_dims", rhs_batch);
  attribute("rhs_contracting_dims", rhs_contracting);
  return c.emit(x.type, sizes, fmt::format("dot({}, {}){}", x.name, y.name, attributes));
}

namespace {

// The operands of a variadic reduction: inputs of the sizes of x, one of them x, then initial
// values.
struct VariadicOperands {
  std::vector<std::string> names;
  std::vector<std::string> types;
};

VariadicOperands variadic_operands(Computation& c, const Tensor& x, std::size_t inputs,
                                   std::int64_t constant_percent) {
  VariadicOperands result;
  for (std::size_t k = 0; k < inputs; ++k) {
    result.names.push_back(k == 0 ? x.name : c.operand(x.type, x.sizes).name);
    result.types.push_back(x.type);
  }
  for (std::size_t k = 0; k < inputs; ++k) {
    const std::string shape = fmt::format("{}[]", x.type);
    result.names.push_back(c.random.percent(constant_percent) ? c.emit_value(shape, "constant(1)")
                                                              : c.operand(x.type, {}).name);
  }
  return result;
}

// The instruction with one result or a tuple of them, of which a random one is returned.
Tensor emit_variadic(Computation& c, const Tensor& x, const Dims& sizes, std::size_t results,
                     std::string_view expression) {
  if (results == 1) return c.emit(x.type, sizes, expression);
  const std::string shape = fmt::format("{}[{}]", x.type, join(sizes));
  const std::vector<std::string> shapes(results, shape);
  const std::string tuple = c.emit_value(fmt::format("({})", fmt::join(shapes, ", ")), expression);
  const std::int64_t index = c.random.in(0, static_cast<std::int64_t>(results) - 1);
  return c.emit(x.type, sizes, Dims(),
                fmt::format("get-tuple-element({}), index={}", tuple, index));
}

std::size_t random_input_count(Computation& c) {
  return c.random.percent(75) ? 1 : static_cast<std::size_t>(c.random.in(2, 3));
}

}  // namespace

MaybeTensor random_reduce(Computation& c, const Tensor& x) {
  // XLA forgets the initial value where nothing is reduced.
  const std::int64_t least = c.program.options.monotone ? 1 : 0;
  if (x.rank() < least) return std::nullopt;
  const Dims dimensions = c.random.some_of(x.rank(), c.random.in(least, x.rank()));
  Dims sizes;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    if (!has(dimensions, d)) sizes.push_back(x.sizes[static_cast<std::size_t>(d)]);
  }
  const std::size_t inputs = random_input_count(c);
  const VariadicOperands operands = variadic_operands(c, x, inputs, 50);
  return emit_variadic(
      c, x, sizes, inputs,
      fmt::format("reduce({}), dimensions={}, to_apply={}", fmt::join(operands.names, ", "),
                  braces(dimensions), c.program.reducer(operands.types)));
}

namespace {

// ---- windows ----

struct RandomWindow {
  Dims size, stride, low, high, base_dilation, window_dilation, reversal;
  Dims output;  // how often the window fits

  // window={size=… …}; parts that say nothing new are left out at random.
  std::string text(Random& random, bool with_reversal) const;
};

std::string RandomWindow::text(Random& random, bool with_reversal) const {
  if (size.empty()) return {};
  const auto trivial = [](const Dims& values, std::int64_t value) {
    return std::ranges::all_of(values, [&](std::int64_t v) { return v == value; });
  };
  std::string result = fmt::format("size={}", join(size, "x"));
  const auto part = [&](std::string_view name, const Dims& values, std::int64_t usual) {
    if (!trivial(values, usual) || random.percent(10))
      result += fmt::format(" {}={}", name, join(values, "x"));
  };
  part("stride", stride, 1);
  if (!trivial(low, 0) || !trivial(high, 0) || random.percent(10)) {
    std::vector<std::string> pads;
    for (std::size_t d = 0; d < low.size(); ++d)
      pads.push_back(fmt::format("{}_{}", low[d], high[d]));
    result += fmt::format(" pad={}", fmt::join(pads, "x"));
  }
  part("lhs_dilate", base_dilation, 1);
  part("rhs_dilate", window_dilation, 1);
  if (with_reversal) part("rhs_reversal", reversal, 0);
  return result;
}

std::int64_t dilated(std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// A window over dimensions of these sizes; none if it would not fit even once (rarely allowed).
std::optional<RandomWindow> random_window(Random& random, const Dims& sizes) {
  RandomWindow window;
  const bool plain = random.percent(20);
  for (const std::int64_t size : sizes) {
    window.size.push_back(random.percent(25) ? 1 : random.in(1, 4));
    window.stride.push_back(plain || random.percent(40) ? 1 : random.in(1, 4));
    window.low.push_back(plain || random.percent(30) ? 0 : random.in(-3, 4));
    window.high.push_back(plain || random.percent(30) ? 0 : random.in(-3, 4));
    window.base_dilation.push_back(plain || random.percent(60) ? 1 : random.in(1, 3));
    window.window_dilation.push_back(plain || random.percent(60) ? 1 : random.in(1, 3));
    window.reversal.push_back(random.percent(25) ? 1 : 0);
    const std::int64_t padded =
        dilated(size, window.base_dilation.back()) + window.low.back() + window.high.back();
    const std::int64_t extent = dilated(window.size.back(), window.window_dilation.back());
    if (padded < 0) return std::nullopt;
    const bool fits = padded > 0 && extent <= padded;
    if (!fits && !random.percent(3)) return std::nullopt;
    window.output.push_back(fits ? (padded - extent) / window.stride.back() + 1 : 0);
  }
  return window;
}

}  // namespace

MaybeTensor random_reduce_window(Computation& c, const Tensor& x) {
  const std::optional<RandomWindow> window = random_window(c.random, x.sizes);
  if (!window || too_large(c, window->output)) return std::nullopt;
  const std::size_t inputs = random_input_count(c);
  // A window in which no element lies shows what it reads of the other initial values to nobody.
  const std::int64_t constants = inputs > 1 && c.program.options.monotone ? 100 : 50;
  const VariadicOperands operands = variadic_operands(c, x, inputs, constants);
  return emit_variadic(
      c, x, window->output, inputs,
      fmt::format("reduce-window({}), window={{{}}}, to_apply={}", fmt::join(operands.names, ", "),
                  window->text(c.random, false), c.program.reducer(operands.types)));
}

MaybeTensor random_select_and_scatter(Computation& c, const Tensor& x) {
  if (x.rank() == 0) return std::nullopt;
  const std::optional<RandomWindow> window = random_window(c.random, x.sizes);
  if (!window || too_large(c, window->output)) return std::nullopt;
  const std::string select = c.program.fresh_name("reducer");
  c.program.add_computation(
      fmt::format("{} {{\n  a = {}[] parameter(0)\n  b = {}[] parameter(1)\n"
                  "  ROOT r = pred[] compare(a, b), direction=GE\n}}\n",
                  select, x.type, x.type));
  const Tensor source = c.operand(x.type, window->output);
  const Tensor initial = c.operand(x.type, {});
  return c.emit(x.type, x.sizes,
                fmt::format("select-and-scatter({}, {}, {}), window={{{}}}, select={}, scatter={}",
                            x.name, source.name, initial.name, window->text(c.random, false),
                            select, c.program.reducer({x.type})));
}

namespace {

// Which character stands at which dimension: b, f (or i, o) and 0, 1, … in random order.
std::string random_labels(Random& random, std::string_view first_two, std::int64_t spatial) {
  std::vector<char> labels(first_two.begin(), first_two.end());
  for (std::int64_t d = 0; d < spatial; ++d) labels.push_back(static_cast<char>('0' + d));
  random.shuffle(labels);
  return {labels.begin(), labels.end()};
}

// The sizes of a tensor whose dimensions are labelled so.
Dims labelled_sizes(std::string_view labels, std::string_view first_two, std::int64_t first,
                    std::int64_t second, const Dims& spatial) {
  Dims sizes;
  for (const char label : labels) {
    sizes.push_back(label == first_two[0]   ? first
                    : label == first_two[1] ? second
                                            : spatial[static_cast<std::size_t>(label - '0')]);
  }
  return sizes;
}

struct RandomConvolution {
  Dims kernel;
  Dims output;
  std::string attributes;
};

std::optional<RandomConvolution> draw_convolution(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const std::int64_t spatial = x.rank() - 2;
  const std::string lhs_labels = random_labels(random, "bf", spatial);
  const auto size_of = [&](char label) { return x.sizes[lhs_labels.find(label)]; };
  Dims spatial_sizes;
  for (std::int64_t d = 0; d < spatial; ++d)
    spatial_sizes.push_back(size_of(static_cast<char>('0' + d)));
  const std::optional<RandomWindow> window = random_window(random, spatial_sizes);
  if (!window) return std::nullopt;
  const std::int64_t batch = size_of('b');
  const std::int64_t features = size_of('f');
  std::int64_t feature_groups = 1;
  std::int64_t batch_groups = 1;
  const auto divisor = [&](std::int64_t n) {
    Dims divisors;
    for (std::int64_t k = 1; k <= n; ++k) {
      if (n % k == 0) divisors.push_back(k);
    }
    return divisors.empty() ? 1 : random.pick(divisors);
  };
  if (random.percent(60)) (random.percent(50) ? feature_groups : batch_groups) = 0;
  if (feature_groups == 0) feature_groups = divisor(features);
  if (batch_groups == 0) batch_groups = divisor(batch);
  const std::int64_t groups = feature_groups * batch_groups;
  const std::int64_t output_features = groups * random.in(1, groups > 2 ? 2 : 3);
  const std::string kernel_labels = random_labels(random, "io", spatial);
  const std::string output_labels = random_labels(random, "bf", spatial);
  const Dims kernel_sizes =
      labelled_sizes(kernel_labels, "io", features / feature_groups, output_features, window->size);
  const Dims sizes =
      labelled_sizes(output_labels, "bf", batch / batch_groups, output_features, window->output);
  if (too_large(c, sizes) || too_large(c, kernel_sizes)) return std::nullopt;
  std::string attributes;
  if (spatial > 0) attributes += fmt::format(", window={{{}}}", window->text(random, true));
  attributes += fmt::format(", dim_labels={}_{}->{}", lhs_labels, kernel_labels, output_labels);
  if (feature_groups > 1 || random.percent(5))
    attributes += fmt::format(", feature_group_count={}", feature_groups);
  if (batch_groups > 1 || random.percent(5))
    attributes += fmt::format(", batch_group_count={}", batch_groups);
  return RandomConvolution{.kernel = kernel_sizes, .output = sizes, .attributes = attributes};
}

}  // namespace

MaybeTensor random_convolution(Computation& c, const Tensor& x) {
  const std::optional<RandomConvolution> convolution = draw_convolution(c, x);
  if (!convolution) return std::nullopt;
  return c.emit(x.type, convolution->output,
                fmt::format("convolution({}, {}){}", x.name,
                            c.operand(x.type, convolution->kernel).name, convolution->attributes));
}

MaybeTensor random_library_convolution(Computation& c, const Tensor& x) {
  const std::optional<RandomConvolution> convolution = draw_convolution(c, x);
  if (!convolution) return std::nullopt;
  struct Call {
    std::string_view target;
    std::array<Dims, 2> operands;
    Dims result;
  };
  const std::vector<Call> calls = {
      {"Forward", {x.sizes, convolution->kernel}, convolution->output},
      {"BackwardInput", {convolution->output, convolution->kernel}, x.sizes},
      {"BackwardFilter", {x.sizes, convolution->output}, convolution->kernel},
  };
  const Call& call = c.random.pick(calls);
  const std::string results = c.emit_value(
      fmt::format("({}[{}], u8[0])", x.type, join(call.result)),
      fmt::format("custom-call({}, {}){}, custom_call_target=\"__cudnn$conv{}\"",
                  c.operand(x.type, call.operands[0]).name,
                  c.operand(x.type, call.operands[1]).name, convolution->attributes, call.target));
  return c.emit(x.type, call.result, Dims(),
                fmt::format("get-tuple-element({}), index=0", results));
}

}  // namespace mercator::testing
