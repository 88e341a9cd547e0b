#include "test/indexing/random_computation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mercator::testing {
namespace {

// {{1, 2}, {3, 4}} for sizes {2, 2}; no braces for a scalar.
std::string literal(std::span<const std::int64_t> sizes, std::span<const std::int64_t> values) {
  if (sizes.empty()) return fmt::format("{}", values[0]);
  const std::size_t part = values.size() / static_cast<std::size_t>(sizes[0]);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sizes[0]); ++i) {
    parts.push_back(literal(sizes.subspan(1), values.subspan(i * part, part)));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

bool is_unsigned(std::string_view type) { return type.starts_with('u'); }

// The end of a reducer whose sums are there: a tuple of each sum with a part of all of them. The
// part is small where it can be, so that many steps do not drown the values in each other.
std::string mixed_results(const std::vector<std::string>& types) {
  const std::string& type = types[0];
  std::string text;
  std::string total = "sum0";
  for (std::size_t i = 1; i < types.size(); ++i) {
    text += fmt::format("  total{} = {}[] add({}, sum{})\n", i, type, total, i);
    total = fmt::format("total{}", i);
  }
  const std::string_view factor = type.starts_with('f') ? "0.015625" : "1";
  text += fmt::format("  factor = {}[] constant({})\n", type, factor);
  text += fmt::format("  part = {}[] multiply({}, factor)\n", type, total);
  std::vector<std::string> names;
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("  mix{} = {}[] add(sum{}, part)\n", i, type, i);
    names.push_back(fmt::format("mix{}", i));
    shapes.push_back(type + "[]");
  }
  return text + fmt::format("  ROOT mixes = ({}) tuple({})\n", fmt::join(shapes, ", "),
                            fmt::join(names, ", "));
}

}  // namespace

// ---- Random ----

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::int64_t Random::in(std::int64_t lo, std::int64_t hi) {
  const auto span = static_cast<std::uint64_t>(hi - lo) + 1;
  return lo + static_cast<std::int64_t>(next() % span);
}

std::vector<std::int64_t> Random::some_of(std::int64_t n, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  shuffle(all);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

// ---- Tensor ----

std::string join(std::span<const std::int64_t> numbers, std::string_view separator) {
  return fmt::format("{}", fmt::join(numbers, separator));
}

std::int64_t product(std::span<const std::int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Tensor::elements() const { return product(sizes); }

std::string Tensor::shape() const {
  std::string text = fmt::format("{}[{}]", type, join(sizes));
  if (!minor_to_major.empty()) text += fmt::format("{{{}}}", join(minor_to_major));
  return text;
}

// ---- Program ----

std::string Program::fresh_name(std::string_view stem) {
  return fmt::format("{}{}", stem, ++next_);
}

std::string Program::reducer(const std::vector<std::string>& types) {
  const std::string name = fresh_name("reducer");
  const std::size_t count = types.size();
  std::string text = fmt::format("{} {{\n", name);
  for (std::size_t i = 0; i < 2 * count; ++i) {
    text += fmt::format("  a{} = {}[] parameter({})\n", i, types[i % count], i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view root = count == 1 ? "ROOT " : "";
    text += fmt::format("  {}sum{} = {}[] add(a{}, a{})\n", root, i, types[i], i, count + i);
  }
  if (count > 1) text += mixed_results(types);
  add_computation(text + "}\n");
  return name;
}

std::string Program::text() const {
  std::string attributes;
  if (devices() > 1) {
    attributes = fmt::format(", replica_count={}, num_partitions={}", replicas, partitions);
  }
  return fmt::format("HloModule m{}\n\n{}", attributes, fmt::join(computations_, "\n"));
}

Dims Program::sizes(std::int64_t lo, std::int64_t hi) {
  // Scalars say little.
  const std::int64_t least = lo == 0 && hi > 0 && random.percent(70) ? 1 : lo;
  Dims result(static_cast<std::size_t>(random.in(least, hi)));
  for (std::int64_t& size : result) {
    size = random.in(2, options.max_size);
    if (random.percent(15)) size = 1;
    if (options.zero_sizes && random.percent(2)) size = 0;
  }
  while (product(result) > options.max_elements) {
    std::int64_t& size = result[static_cast<std::size_t>(random.in(0, std::ssize(result) - 1))];
    if (size > 1) --size;
  }
  return result;
}

Dims Program::sizes_of(std::int64_t elements) {
  const std::int64_t least = elements == 1 ? 0 : 1;
  Dims result(static_cast<std::size_t>(random.in(least, options.max_rank)), 1);
  if (elements == 0) {
    for (std::int64_t& size : result) size = random.in(0, 3);
    result[static_cast<std::size_t>(random.in(0, std::ssize(result) - 1))] = 0;
    return result;
  }
  for (std::int64_t factor = 2; elements > 1; ++factor) {
    for (; elements % factor == 0; elements /= factor) {
      result[static_cast<std::size_t>(random.in(0, std::ssize(result) - 1))] *= factor;
    }
  }
  return result;
}

// ---- Computation ----

Dims Computation::random_layout(std::int64_t rank, std::int64_t chance) {
  const bool has_layouts = !program.options.monotone && !program.options.moves;
  if (!has_layouts || !random.percent(chance)) return {};
  return random.some_of(rank, rank);
}

Tensor Computation::add_line(Tensor tensor, std::string_view expression) {
  tensor.name = emit_value(tensor.shape(), expression);
  return tensor;
}

Tensor Computation::emit(std::string_view type, Dims sizes, Dims minor_to_major,
                         std::string_view expression) {
  Tensor tensor = add_line({.name = {},
                            .type = std::string(type),
                            .sizes = std::move(sizes),
                            .minor_to_major = std::move(minor_to_major)},
                           expression);
  values_.push_back(tensor);
  return tensor;
}

Tensor Computation::emit(std::string_view type, Dims sizes, std::string_view expression) {
  Dims layout = random_layout(std::ssize(sizes), 10);
  return emit(type, std::move(sizes), std::move(layout), expression);
}

std::string Computation::emit_value(std::string_view shape, std::string_view expression) {
  const std::string name = program.fresh_name("x");
  lines_.push_back({name, fmt::format("{} = {} {}", name, shape, expression)});
  return name;
}

Tensor Computation::parameter(std::string_view type, Dims sizes, Role role, std::int64_t limit) {
  Dims layout = role == Role::kData ? random_layout(std::ssize(sizes), 25) : Dims();
  const Tensor tensor = add_line({.name = {},
                                  .type = std::string(type),
                                  .sizes = std::move(sizes),
                                  .minor_to_major = std::move(layout)},
                                 fmt::format("parameter({})", parameters_.size()));
  parameters_.push_back({tensor, role, limit});
  if (role == Role::kData) values_.push_back(tensor);
  return tensor;
}

Tensor Computation::parameter(const Tensor& like) {
  const Tensor tensor = add_line(like, fmt::format("parameter({})", parameters_.size()));
  parameters_.push_back({tensor, Role::kData, 0});
  values_.push_back(tensor);
  return tensor;
}

std::int64_t Computation::data_parameters() const {
  return std::ranges::count(parameters_, Role::kData, &Parameter::role);
}

Tensor Computation::operand(std::string_view type, const Dims& sizes) {
  std::vector<Tensor> same;
  std::vector<Tensor> as_many;
  for (const Tensor& value : values_) {
    if (value.type != type) continue;
    if (value.sizes == sizes) same.push_back(value);
    if (value.elements() == product(sizes)) as_many.push_back(value);
  }
  if (!same.empty() && random.percent(reuse ? 80 : 15)) return random.pick(same);
  if (!reuse || (data_parameters() < 3 && random.percent(40))) return parameter(type, sizes);
  if (!as_many.empty()) {
    return emit(type, sizes, fmt::format("reshape({})", random.pick(as_many).name));
  }
  const std::string one = emit_value(fmt::format("{}[]", type), "constant(1)");
  return emit(type, sizes, fmt::format("broadcast({}), dimensions={{}}", one));
}

std::optional<Tensor> Computation::operand_of_rank(std::int64_t lo, std::int64_t hi) {
  if (lo > hi) return std::nullopt;
  std::vector<Tensor> fitting;
  for (const Tensor& value : values_) {
    if (value.rank() < lo || value.rank() > hi) continue;
    // What came last is drawn more often, so that programs become deep; what is large, so that they
    // do not shrink to nothing.
    std::size_t weight = &value == &values_.back() ? values_.size() + 1 : 1;
    if (value.elements() >= 6) weight *= 4;
    fitting.insert(fitting.end(), weight, value);
  }
  if (!fitting.empty() && random.percent(reuse ? 90 : 10)) return random.pick(fitting);
  if (!reuse || data_parameters() < 3) {
    return parameter(program.options.data_type, program.sizes(lo, hi));
  }
  if (fitting.empty()) return std::nullopt;
  return random.pick(fitting);
}

// An index from instructions whose values follow from parameters and constants.
Tensor Computation::computed_index(std::string_view type, const Dims& sizes, std::int64_t limit) {
  const auto line = [&](Dims of, std::string_view expression) {
    return add_line({.name = {}, .type = std::string(type), .sizes = std::move(of)}, expression);
  };
  const auto constant = [&] {
    const std::string value =
        emit_value(fmt::format("{}[]", type), fmt::format("constant({})", random.in(0, 3)));
    if (sizes.empty()) return value;
    return line(sizes, fmt::format("broadcast({}), dimensions={{}}", value)).name;
  };
  switch (random.in(0, 4)) {
    case 0:
      return line(sizes, fmt::format("add({}, {})",
                                     parameter(type, sizes, Role::kIndex, limit).name, constant()));
    case 1:
      return line(sizes, fmt::format("multiply({}, {})", constant(),
                                     parameter(type, sizes, Role::kIndex, limit).name));
    case 2: {  // one part of a larger array of indices
      Dims larger = {random.in(1, 4)};
      larger.insert(larger.end(), sizes.begin(), sizes.end());
      const Tensor all = parameter(type, larger, Role::kIndex, limit);
      const std::int64_t row = random.in(0, larger[0] - 1);
      std::string slice = fmt::format("[{}:{}]", row, row + 1);
      for (const std::int64_t size : sizes) slice += fmt::format(", [0:{}]", size);
      Dims one_row = larger;
      one_row[0] = 1;
      const Tensor part = line(one_row, fmt::format("slice({}), slice={{{}}}", all.name, slice));
      return line(sizes, fmt::format("reshape({})", part.name));
    }
    case 3: {
      const std::string_view other = type == "s32" ? "s64" : "s32";
      return line(sizes,
                  fmt::format("convert({})", parameter(other, sizes, Role::kIndex, limit).name));
    }
    default:
      if (sizes.empty()) break;
      return line(sizes,
                  fmt::format("iota(), iota_dimension={}", random.in(0, std::ssize(sizes) - 1)));
  }
  return parameter(type, sizes, Role::kIndex, limit);
}

Tensor Computation::index_scalar(std::string_view type, std::int64_t limit) {
  if (program.options.moves) return index_from_program(type, {}, limit);
  std::vector<Tensor> same;
  for (const Tensor& index : indices_) {
    if (index.type == type) same.push_back(index);
  }
  if (!same.empty() && random.percent(30)) return random.pick(same);
  Tensor index;
  if (random.percent(30)) {
    const std::int64_t value = random.in(is_unsigned(type) ? 0 : -3, limit + 4);
    index = add_line({.name = {}, .type = std::string(type), .sizes = {}},
                     fmt::format("constant({})", value));
  } else if (random.percent(40)) {
    index = computed_index(type, {}, limit);
  } else {
    index = parameter(type, {}, Role::kIndex, limit);
  }
  indices_.push_back(index);
  return index;
}

Tensor Computation::index_array(std::string_view type, const Dims& sizes, std::int64_t limit) {
  if (program.options.moves) return index_from_program(type, sizes, limit);
  if (random.percent(20) && product(sizes) > 0) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(product(sizes)));
    for (std::int64_t& value : values) value = random.in(is_unsigned(type) ? 0 : -2, limit + 2);
    return add_line({.name = {}, .type = std::string(type), .sizes = sizes},
                    fmt::format("constant({})", literal(sizes, values)));
  }
  if (random.percent(40)) return computed_index(type, sizes, limit);
  return parameter(type, sizes, Role::kIndex, limit);
}

void Computation::finish(std::string_view name, std::string_view root_name, bool entry) {
  std::string text = fmt::format("{}{} {{\n", entry ? "ENTRY " : "", name);
  for (const Line& line : lines_) {
    text += fmt::format("  {}{}\n", line.name == root_name ? "ROOT " : "", line.text);
  }
  program.add_computation(text + "}\n");
}

}  // namespace mercator::testing
