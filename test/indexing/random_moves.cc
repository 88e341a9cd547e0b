// Instructions that act element by element, and those that move elements.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/indexing/random_generators.h"

namespace mercator::testing {
namespace {

bool is_float(const Tensor& x) { return x.type.starts_with('f') || x.type.starts_with("bf"); }

}  // namespace

// ---- instructions that act element by element ----

MaybeTensor random_unary(Computation& c, const Tensor& x) {
  if (c.program.options.moves) return c.emit(x.type, x.sizes, fmt::format("copy({})", x.name));
  static const std::vector<std::string> for_floats = {
      "abs",         "cbrt",   "ceil",  "cosine",
      "exponential", "floor",  "log",   "exponential-minus-one",
      "logistic",    "negate", "rsqrt", "log-plus-one",
      "sign",        "sine",   "sqrt",  "round-nearest-afz",
      "tan",         "tanh",   "erf",   "round-nearest-even",
  };
  static const std::vector<std::string> for_integers = {"not", "popcnt", "count-leading-zeros"};
  const std::string& op = c.random.pick(is_float(x) ? for_floats : for_integers);
  return c.emit(x.type, x.sizes, fmt::format("{}({})", op, x.name));
}

MaybeTensor random_binary(Computation& c, const Tensor& x) {
  static const std::vector<std::string> sum = {"add"};
  static const std::vector<std::string> always = {"add", "multiply"};
  static const std::vector<std::string> for_all = {"add",     "subtract", "multiply", "maximum",
                                                   "minimum", "divide",   "power",    "remainder"};
  const std::string& op = c.random.pick(c.program.options.moves      ? sum
                                        : c.program.options.monotone ? always
                                                                     : for_all);
  Tensor a = x;
  Tensor b = c.operand(x.type, x.sizes);
  if (c.random.percent(50)) std::swap(a, b);
  return c.emit(x.type, x.sizes, fmt::format("{}({}, {})", op, a.name, b.name));
}

namespace {

// Truth values that follow from the index: comparisons of sums of iotas and constants, perhaps
// joined.
std::string known_predicate(Computation& c, const Dims& sizes, int depth) {
  static const std::vector<std::string> directions = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  static const std::vector<std::string> types = {"s32", "s64", "s8", "u8"};
  Random& random = c.random;
  const std::string pred = fmt::format("pred[{}]", join(sizes));
  if (depth < 2 && random.percent(30)) {
    const std::string a = known_predicate(c, sizes, depth + 1);
    if (random.percent(30)) return c.emit_value(pred, fmt::format("not({})", a));
    const std::string b = known_predicate(c, sizes, depth + 1);
    return c.emit_value(pred, fmt::format("{}({}, {})", random.percent(50) ? "and" : "or", a, b));
  }
  const std::string& type = random.pick(types);
  const std::string shape = fmt::format("{}[{}]", type, join(sizes));
  const auto constant = [&] {
    const std::int64_t least = type == "u8" ? 0 : -2;
    const std::string value =
        c.emit_value(fmt::format("{}[]", type), fmt::format("constant({})", random.in(least, 4)));
    return c.emit_value(shape, fmt::format("broadcast({}), dimensions={{}}", value));
  };
  const auto term = [&] {
    if (sizes.empty() || random.percent(30)) return constant();
    const std::string iota = c.emit_value(
        shape, fmt::format("iota(), iota_dimension={}", random.in(0, std::ssize(sizes) - 1)));
    if (random.percent(50)) return iota;
    static const std::vector<std::string> operations = {"add", "subtract", "multiply"};
    return c.emit_value(shape,
                        fmt::format("{}({}, {})", random.pick(operations), iota, constant()));
  };
  const std::string a = term();
  const std::string b = term();
  return c.emit_value(pred,
                      fmt::format("compare({}, {}), direction={}", a, b, random.pick(directions)));
}

}  // namespace

MaybeTensor random_select(Computation& c, const Tensor& x) {
  static const std::vector<std::string> directions = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const Tensor y = c.operand(x.type, x.sizes);
  const Tensor z = c.operand(x.type, x.sizes);
  std::string pred;
  if (c.program.options.moves || c.random.percent(50)) {
    pred = known_predicate(c, c.random.percent(15) ? Dims() : x.sizes, 0);
  } else {
    pred = c.emit_value(
        fmt::format("pred[{}]", join(x.sizes)),
        fmt::format("compare({}, {}), direction={}", x.name, y.name, c.random.pick(directions)));
  }
  return c.emit(x.type, x.sizes, fmt::format("select({}, {}, {})", pred, y.name, z.name));
}

MaybeTensor random_clamp(Computation& c, const Tensor& x) {
  const Tensor lo = c.operand(x.type, c.random.percent(50) ? Dims() : x.sizes);
  const Tensor hi = c.operand(x.type, c.random.percent(50) ? Dims() : x.sizes);
  return c.emit(x.type, x.sizes, fmt::format("clamp({}, {}, {})", lo.name, x.name, hi.name));
}

MaybeTensor random_convert(Computation& c, const Tensor& x) {
  if (c.random.percent(40)) return c.emit(x.type, x.sizes, fmt::format("copy({})", x.name));
  if (is_float(x) && c.random.percent(40)) {
    return c.emit(x.type, x.sizes,
                  fmt::format("reduce-precision({}), exponent_bits=8, mantissa_bits=7", x.name));
  }
  static const std::vector<std::string> types = {"f16", "bf16", "f32", "f64", "s32", "u8", "s4"};
  return c.emit(c.random.pick(types), x.sizes, fmt::format("convert({})", x.name));
}

MaybeTensor random_complex(Computation& c, const Tensor& x) {
  if (x.type != "f32" && x.type != "f64") return std::nullopt;
  const Tensor y = c.operand(x.type, x.sizes);
  const std::string z =
      c.emit_value(fmt::format("{}[{}]", x.type == "f32" ? "c64" : "c128", join(x.sizes)),
                   fmt::format("complex({}, {})", x.name, y.name));
  const std::string_view part = c.random.percent(50) ? "real" : "imag";
  return c.emit(x.type, x.sizes, fmt::format("{}({})", part, z));
}

MaybeTensor random_map(Computation& c, const Tensor& x) {
  const Tensor y = c.operand(x.type, x.sizes);
  Dims all(x.sizes.size());
  for (std::size_t d = 0; d < all.size(); ++d) all[d] = static_cast<std::int64_t>(d);
  return c.emit(x.type, x.sizes,
                fmt::format("map({}, {}), dimensions={}, to_apply={}", x.name, y.name, braces(all),
                            c.program.reducer({x.type})));
}

// ---- no operands ----

MaybeTensor random_iota(Computation& c, const Tensor& x) {
  const std::int64_t dimension = c.random.in(0, x.rank() - 1);
  const Tensor numbers =
      c.emit(x.type, x.sizes, fmt::format("iota(), iota_dimension={}", dimension));
  return c.emit(x.type, x.sizes, fmt::format("add({}, {})", x.name, numbers.name));
}

MaybeTensor random_constant(Computation& c, const Tensor& x) {
  const std::string value =
      c.emit_value(fmt::format("{}[]", x.type), fmt::format("constant({})", c.random.in(1, 7)));
  const Tensor all = c.emit(x.type, x.sizes, fmt::format("broadcast({}), dimensions={{}}", value));
  return c.emit(x.type, x.sizes, fmt::format("multiply({}, {})", x.name, all.name));
}

// ---- instructions that move elements ----

MaybeTensor random_broadcast(Computation& c, const Tensor& x) {
  const std::int64_t rank = c.random.in(x.rank(), std::max(x.rank(), c.program.options.max_rank));
  Dims dimensions = c.random.some_of(rank, x.rank());
  if (c.random.percent(60)) std::ranges::sort(dimensions);
  Dims sizes = c.program.sizes(rank, rank);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    sizes[static_cast<std::size_t>(dimensions[d])] = x.sizes[d];
  }
  if (too_large(c, sizes)) return std::nullopt;
  return c.emit(x.type, sizes,
                fmt::format("broadcast({}), dimensions={}", x.name, braces(dimensions)));
}

MaybeTensor random_transpose(Computation& c, const Tensor& x) {
  const Dims dimensions = c.random.some_of(x.rank(), x.rank());
  Dims sizes;
  for (const std::int64_t d : dimensions) sizes.push_back(x.sizes[static_cast<std::size_t>(d)]);
  return c.emit(x.type, sizes,
                fmt::format("transpose({}), dimensions={}", x.name, braces(dimensions)));
}

MaybeTensor random_reverse(Computation& c, const Tensor& x) {
  const Dims dimensions = c.random.some_of(x.rank(), c.random.in(0, x.rank()));
  return c.emit(x.type, x.sizes,
                fmt::format("reverse({}), dimensions={}", x.name, braces(dimensions)));
}

MaybeTensor random_slice(Computation& c, const Tensor& x) {
  Dims sizes;
  std::vector<std::string> parts;
  const bool may_be_empty = c.program.options.zero_sizes && c.random.percent(4);
  for (const std::int64_t size : x.sizes) {
    std::int64_t start = c.random.percent(30) ? 0 : c.random.in(0, size);
    std::int64_t limit = c.random.percent(30) ? size : c.random.in(start, size);
    if (start == limit && !may_be_empty) {
      start = 0;
      limit = size;
    }
    const std::int64_t stride = c.random.percent(50) ? 1 : c.random.in(1, 4);
    sizes.push_back((limit - start + stride - 1) / stride);
    parts.push_back(stride == 1 && c.random.percent(50)
                        ? fmt::format("[{}:{}]", start, limit)
                        : fmt::format("[{}:{}:{}]", start, limit, stride));
  }
  return c.emit(x.type, sizes,
                fmt::format("slice({}), slice={{{}}}", x.name, fmt::join(parts, ", ")));
}

MaybeTensor random_reshape(Computation& c, const Tensor& x) {
  return c.emit(x.type, c.program.sizes_of(x.elements()), fmt::format("reshape({})", x.name));
}

namespace {

// An element type of another width, with how many elements of it have the bits of `elements`
// elements of f32; none if that is no whole number.
struct OtherWidth {
  std::string type;
  std::int64_t elements;
};
std::optional<OtherWidth> random_width(Random& random, std::int64_t elements) {
  static const std::vector<OtherWidth> widths = {{"f16", 16}, {"u8", 8}, {"f64", 64}, {"c64", 64}};
  const OtherWidth& width = random.pick(widths);
  const std::int64_t bits = elements * 32;
  if (bits % width.elements != 0) return std::nullopt;
  return OtherWidth{width.type, bits / width.elements};
}

}  // namespace

MaybeTensor random_bitcast(Computation& c, const Tensor& x) {
  if (x.type == "f32" && !c.reuse && c.random.percent(15)) {
    const std::optional<OtherWidth> other = random_width(c.random, x.elements());
    if (!other) return std::nullopt;
    const Dims sizes = c.program.sizes_of(other->elements);
    return c.emit(other->type, sizes, c.random.some_of(std::ssize(sizes), std::ssize(sizes)),
                  fmt::format("bitcast({})", x.name));
  }
  const Dims sizes = c.program.sizes_of(x.elements());
  Dims layout = c.random.some_of(std::ssize(sizes), std::ssize(sizes));
  // Keeping the sizes and the layout apart makes pure transposes and pure changes of layout common.
  if (c.random.percent(30)) {
    const Dims order = c.random.some_of(x.rank(), x.rank());
    Dims permuted;
    for (const std::int64_t d : order) permuted.push_back(x.sizes[static_cast<std::size_t>(d)]);
    return c.emit(x.type, permuted, c.random.some_of(x.rank(), x.rank()),
                  fmt::format("bitcast({})", x.name));
  }
  return c.emit(x.type, sizes, layout, fmt::format("bitcast({})", x.name));
}

MaybeTensor random_bitcast_convert(Computation& c, const Tensor& x) {
  static const std::vector<std::vector<std::string>> groups = {{"f16", "bf16", "s16", "u16"},
                                                               {"f32", "s32", "u32"},
                                                               {"f64", "s64", "u64"},
                                                               {"u8", "s8", "f8e4m3fn"}};
  if (x.type == "f32" && !c.reuse && c.random.percent(15)) {
    Dims sizes = x.sizes;
    if (!sizes.empty() && sizes.back() == 2) {
      sizes.pop_back();
      return c.emit("u64", sizes, fmt::format("bitcast-convert({})", x.name));
    }
    sizes.push_back(2);
    return c.emit("s16", sizes, fmt::format("bitcast-convert({})", x.name));
  }
  for (const auto& group : groups) {
    if (std::ranges::find(group, x.type) == group.end()) continue;
    const Tensor bits =
        c.emit(c.random.pick(group), x.sizes, fmt::format("bitcast-convert({})", x.name));
    return c.emit(x.type, x.sizes, fmt::format("bitcast-convert({})", bits.name));
  }
  return std::nullopt;
}

MaybeTensor random_concatenate(Computation& c, const Tensor& x) {
  const auto dimension = static_cast<std::size_t>(c.random.in(0, x.rank() - 1));
  std::vector<std::string> names = {x.name};
  Dims sizes = x.sizes;
  for (std::int64_t more = c.random.in(0, 3); more > 0; --more) {
    Dims other = x.sizes;
    if (c.random.percent(70)) {
      other[dimension] =
          c.random.in(c.program.options.zero_sizes ? 0 : 1, c.program.options.max_size);
    }
    Dims all = sizes;
    all[dimension] += other[dimension];
    if (too_large(c, all)) break;
    sizes = all;
    names.push_back(c.operand(x.type, other).name);
  }
  c.random.shuffle(names);
  // The order of the operands does not change the sizes of the result.
  return c.emit(
      x.type, sizes,
      fmt::format("concatenate({}), dimensions={{{}}}", fmt::join(names, ", "), dimension));
}

MaybeTensor random_pad(Computation& c, const Tensor& x) {
  Dims sizes;
  std::vector<std::string> parts;
  for (const std::int64_t size : x.sizes) {
    const std::int64_t low = c.random.percent(25) ? 0 : c.random.in(-3, 3);
    const std::int64_t high = c.random.percent(25) ? 0 : c.random.in(-3, 3);
    const std::int64_t interior = c.random.percent(50) ? 0 : c.random.in(0, 3);
    const std::int64_t padded = size + low + high + std::max<std::int64_t>(size - 1, 0) * interior;
    if (padded < 0 || (padded == 0 && !c.random.percent(5))) return std::nullopt;
    sizes.push_back(padded);
    parts.push_back(interior == 0 && c.random.percent(50)
                        ? fmt::format("{}_{}", low, high)
                        : fmt::format("{}_{}_{}", low, high, interior));
  }
  if (too_large(c, sizes)) return std::nullopt;
  const Tensor value = c.operand(x.type, {});
  return c.emit(x.type, sizes,
                fmt::format("pad({}, {}), padding={}", x.name, value.name, fmt::join(parts, "x")));
}

// ---- structure ----

MaybeTensor random_tuple(Computation& c, const Tensor& x) {
  const Tensor y = c.operand(x.type, x.sizes);
  if (c.random.percent(50)) {
    const std::string pair = c.emit_value(fmt::format("({}, {})", y.shape(), x.shape()),
                                          fmt::format("tuple({}, {})", y.name, x.name));
    return c.emit(x.type, x.sizes, x.minor_to_major,
                  fmt::format("get-tuple-element({}), index=1", pair));
  }
  const std::string inner_shape = fmt::format("({}, {})", x.shape(), y.shape());
  const std::string inner = c.emit_value(inner_shape, fmt::format("tuple({}, {})", x.name, y.name));
  const std::string outer = c.emit_value(fmt::format("({}, {})", y.shape(), inner_shape),
                                         fmt::format("tuple({}, {})", y.name, inner));
  const std::string part =
      c.emit_value(inner_shape, fmt::format("get-tuple-element({}), index=1", outer));
  return c.emit(x.type, x.sizes, x.minor_to_major,
                fmt::format("get-tuple-element({}), index=0", part));
}

}  // namespace mercator::testing
