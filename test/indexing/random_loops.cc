// Loops over a state of a counter, a bound, an index, and arrays.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/indexing/random_generators.h"

namespace mercator::testing {
namespace {

// The state of a loop: three integers, then arrays of the same type.
struct State {
  std::vector<Tensor> arrays;

  [[nodiscard]] std::string shape() const {
    std::vector<std::string> shapes = {"s32[]", "s32[]", "s32[]"};
    for (const Tensor& array : arrays) {
      shapes.push_back(Tensor{.name = {}, .type = array.type, .sizes = array.sizes}.shape());
    }
    return fmt::format("({})", fmt::join(shapes, ", "));
  }
};

// How the counter goes on.
struct Counting {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t bound = 0;
  std::string direction = {};
  bool bound_in_state = false;
};

Counting random_counting(Random& random) {
  static const std::vector<std::string> up = {"LT", "LT", "LE", "NE"};
  static const std::vector<std::string> down = {"GT", "GE", "NE"};
  Counting counting{.first = random.in(-2, 3), .step = random.in(1, 2)};
  const std::int64_t count = random.percent(10) ? 0 : random.in(1, 5);
  const bool is_up = random.percent(75);
  counting.direction = random.pick(is_up ? up : down);
  if (!is_up) counting.step = -counting.step;
  counting.bound = counting.first + count * counting.step;
  // Between two values of the counter.
  if (counting.direction != "NE" && random.percent(40)) counting.bound -= is_up ? 1 : -1;
  counting.bound_in_state = random.percent(30);
  return counting;
}

std::string constant(Computation& c, std::int64_t value) {
  return c.emit_value("s32[]", fmt::format("constant({})", value));
}

std::string part(Computation& c, const std::string& state, std::string_view shape,
                 std::size_t index) {
  return c.emit_value(shape, fmt::format("get-tuple-element({}), index={}", state, index));
}

// `a opcode b`, within a fusion where that is drawn.
std::string emit_scalar(Computation& c, std::string_view shape, const std::string& a,
                        const std::string& b, const std::string& operation) {
  if (c.random.percent(70)) {
    return c.emit_value(shape, fmt::format(fmt::runtime(operation), a, b));
  }
  Computation inner(c.program, true);
  const std::string p = inner.emit_value("s32[]", "parameter(0)");
  const std::string q = inner.emit_value("s32[]", "parameter(1)");
  const std::string root = inner.emit_value(shape, fmt::format(fmt::runtime(operation), p, q));
  const std::string name = c.program.fresh_name("wrapped");
  inner.finish(name, root, false);
  return c.emit_value(shape, fmt::format("fusion({}, {}), kind=kLoop, calls={}", a, b, name));
}

std::string random_condition(Program& program, const State& state, const Counting& counting) {
  Computation c(program, true);
  const std::string s = c.emit_value(state.shape(), "parameter(0)");
  const std::string i = part(c, s, "s32[]", 0);
  const std::string bound =
      counting.bound_in_state ? part(c, s, "s32[]", 1) : constant(c, counting.bound);
  static const std::vector<std::string> directions = {"LT", "GT", "LE", "GE", "NE"};
  static const std::vector<std::string> mirrored = {"GT", "LT", "GE", "LE", "NE"};
  const auto place = std::ranges::find(directions, counting.direction) - directions.begin();
  const bool mirror = c.random.percent(30);
  const std::string& direction = (mirror ? mirrored : directions)[static_cast<std::size_t>(place)];
  const std::string root = emit_scalar(c, "pred[]", mirror ? bound : i, mirror ? i : bound,
                                       "compare({}, {}), direction=" + direction);
  const std::string name = program.fresh_name("condition");
  c.finish(name, root, false);
  return name;
}

// An index into rows: made from the counter, or the one in the state.
std::string random_index(Computation& c, const std::string& i, const std::string& j) {
  switch (c.random.in(0, 5)) {
    case 0:
      return i;
    case 1:
      return emit_scalar(c, "s32[]", i, constant(c, c.random.in(-2, 2)), "add({}, {})");
    case 2:
      return emit_scalar(c, "s32[]", constant(c, c.random.in(1, 4)), i, "subtract({}, {})");
    case 3:
      return emit_scalar(c, "s32[]", i, constant(c, 2), "multiply({}, {})");
    case 4: {
      // A negative index counts from the end.
      const std::string negative =
          c.emit_value("pred[]", fmt::format("compare({}, {}), direction=LT", i, constant(c, 0)));
      const std::string from_end =
          c.emit_value("s32[]", fmt::format("add({}, {})", i, constant(c, 4)));
      return c.emit_value("s32[]", fmt::format("select({}, {}, {})", negative, from_end, i));
    }
    default:
      return j;
  }
}

std::string index_list(Computation& c, const std::string& row, const Tensor& x) {
  std::vector<std::string> names = {row};
  while (std::ssize(names) < x.rank()) names.push_back(constant(c, 0));
  return fmt::format("{}", fmt::join(names, ", "));
}

// `x` as an array of these sizes, if that can be.
MaybeTensor fitted(Computation& c, const Tensor& x, const Dims& sizes) {
  if (x.sizes == sizes) return x;
  if (x.elements() == product(sizes)) {
    return c.emit(x.type, sizes, fmt::format("reshape({})", x.name));
  }
  if (x.rank() > 0 && x.rank() < std::ssize(sizes) &&
      std::ranges::equal(x.sizes, std::span(sizes).last(x.sizes.size()))) {
    Dims dimensions;
    for (std::int64_t d = std::ssize(sizes) - x.rank(); d < std::ssize(sizes); ++d) {
      dimensions.push_back(d);
    }
    return c.emit(x.type, sizes,
                  fmt::format("broadcast({}), dimensions={}", x.name, braces(dimensions)));
  }
  return std::nullopt;
}

Tensor row_of(Computation& c, const Tensor& x, const std::string& index) {
  Dims window = x.sizes;
  window[0] = 1;
  const Tensor row = c.emit(x.type, window,
                            fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={}", x.name,
                                        index_list(c, index, x), braces(window)));
  return c.emit(x.type, Dims(x.sizes.begin() + 1, x.sizes.end()),
                fmt::format("reshape({})", row.name));
}

// What becomes of an array of the state.
Tensor random_update(Computation& c, const Tensor& x, const std::vector<Tensor>& arrays,
                     const std::string& i, const std::string& j) {
  Random& random = c.random;
  const Tensor& other = random.pick(arrays);
  switch (random.in(0, 7)) {
    case 0:
      return x;
    case 1: {
      const MaybeTensor y = fitted(c, other, x.sizes);
      return y ? c.emit(x.type, x.sizes, fmt::format("add({}, {})", x.name, y->name)) : x;
    }
    case 2: {
      if (other.rank() == 0) return x;
      const MaybeTensor y = fitted(c, row_of(c, other, random_index(c, i, j)), x.sizes);
      return y ? c.emit(x.type, x.sizes, fmt::format("add({}, {})", x.name, y->name)) : x;
    }
    case 3: {
      if (x.rank() == 0) return x;
      Dims window = x.sizes;
      window[0] = 1;
      const MaybeTensor y = fitted(c, other, window);
      if (!y) return x;
      return c.emit(x.type, x.sizes,
                    fmt::format("dynamic-update-slice({}, {}, {})", x.name, y->name,
                                index_list(c, random_index(c, i, j), x)));
    }
    case 4: {
      const MaybeTensor y = random_reverse(c, x);
      return y ? *y : x;
    }
    case 5: {
      const MaybeTensor y = fitted(c, other, x.sizes);
      return y ? *y : x;
    }
    case 6: {
      // Row by row, as a scan stacks its results.
      if (x.rank() == 0 || other.rank() == 0) return x;
      Dims window = x.sizes;
      window[0] = 1;
      const MaybeTensor y = fitted(c, row_of(c, other, random.percent(70) ? i : j), window);
      if (!y) return x;
      return c.emit(x.type, x.sizes,
                    fmt::format("dynamic-update-slice({}, {}, {})", x.name, y->name,
                                index_list(c, random.percent(70) ? i : random_index(c, i, j), x)));
    }
    default:
      // A sum with what is negated may say less than it is made from.
      return c.emit(x.type, x.sizes,
                    fmt::format("{}({})", c.program.options.moves ? "copy" : "negate", x.name));
  }
}

std::string random_body(Program& program, const State& state, const Counting& counting) {
  Computation c(program, true);
  Random& random = c.random;
  const std::string s = c.emit_value(state.shape(), "parameter(0)");
  const std::string i = part(c, s, "s32[]", 0);
  const std::string n = part(c, s, "s32[]", 1);
  const std::string j = part(c, s, "s32[]", 2);
  std::vector<Tensor> arrays;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    arrays.push_back(c.emit(state.arrays[k].type, state.arrays[k].sizes,
                            fmt::format("get-tuple-element({}), index={}", s, k + 3)));
  }
  std::vector<std::string> roots = {
      random.percent(80)
          ? emit_scalar(c, "s32[]", i, constant(c, counting.step), "add({}, {})")
          : emit_scalar(c, "s32[]", i, constant(c, -counting.step), "subtract({}, {})"),
      n,
      random.percent(60) ? j
                         : c.emit_value("s32[]", fmt::format("add({}, {})", j, constant(c, 1)))};
  // Some use what others have become.
  std::vector<Tensor> seen = arrays;
  for (const Tensor& x : arrays) {
    const Tensor updated = random_update(c, x, seen, i, j);
    roots.push_back(updated.name);
    if (random.percent(30)) seen.push_back(updated);
  }
  const std::string root =
      c.emit_value(state.shape(), fmt::format("tuple({})", fmt::join(roots, ", ")));
  const std::string name = program.fresh_name("body");
  c.finish(name, root, false);
  return name;
}

}  // namespace

// A few rounds; how many is known or not.
MaybeTensor random_while(Computation& c, const Tensor& x) {
  Random& random = c.random;
  State state{.arrays = {x}};
  if (x.rank() > 0 && x.sizes[0] > 0 && random.percent(70)) {
    state.arrays.push_back(c.operand(x.type, Dims(x.sizes.begin() + 1, x.sizes.end())));
  }
  if (random.percent(60)) state.arrays.push_back(c.operand(x.type, x.sizes));
  for (const Tensor& array : state.arrays) {
    if (array.elements() == 0 || array.elements() > 40) return std::nullopt;
  }
  Counting counting = random_counting(random);
  // Each row once.
  if (x.rank() > 0 && x.sizes[0] <= 6 && random.percent(30)) {
    counting = {.first = 0, .step = 1, .bound = x.sizes[0], .direction = "LT"};
  }
  const std::string body = random_body(c.program, state, counting);
  const std::string condition = random_condition(c.program, state, counting);
  std::string bound = constant(c, counting.bound);
  // A bound that is not known, but not far away.
  if (counting.bound_in_state && counting.direction != "NE" && random.percent(60)) {
    const std::string unknown = c.parameter("s32", {}, Role::kIndex, 3).name;
    bound = c.emit_value("s32[]", fmt::format("clamp({}, {}, {})", constant(c, counting.bound - 2),
                                              unknown, constant(c, counting.bound + 2)));
  }
  std::vector<std::string> initial = {constant(c, counting.first), bound,
                                      c.parameter("s32", {}, Role::kIndex, 3).name};
  for (const Tensor& array : state.arrays) initial.push_back(array.name);
  const std::string tuple =
      c.emit_value(state.shape(), fmt::format("tuple({})", fmt::join(initial, ", ")));
  const std::string loop = c.emit_value(
      state.shape(), fmt::format("while({}), condition={}, body={}", tuple, condition, body));
  const auto k = static_cast<std::size_t>(random.in(0, std::ssize(state.arrays) - 1));
  return c.emit(x.type, state.arrays[k].sizes,
                fmt::format("get-tuple-element({}), index={}", loop, k + 3));
}

}  // namespace mercator::testing
