// Collectives, and instructions that decide what is evaluated.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/indexing/random_generators.h"

namespace mercator::testing {

namespace {

// ---- collectives ----

void need_devices(Program& program) {
  if (program.devices() > 1) return;
  program.replicas = program.random.in(1, 3);
  program.partitions = program.random.in(1, 4);
  if (program.devices() == 1) program.partitions = 2;
}

std::string group_list(const Dims& numbers, std::size_t size) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < numbers.size(); i += size) {
    const Dims group(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                     numbers.begin() + static_cast<std::ptrdiff_t>(i + size));
    groups.push_back(braces(group));
  }
  return fmt::format("{{{}}}", fmt::join(groups, ","));
}

// The sizes that are factors of n in some order.
Dims factors(Random& random, std::int64_t n) {
  Dims result;
  for (std::int64_t f = 2; n > 1; ++f) {
    for (; n % f == 0; n /= f) result.push_back(f);
  }
  if (result.empty()) result.push_back(1);
  random.shuffle(result);
  return result;
}

struct Groups {
  std::string text;       // with the channel, as attributes
  std::int64_t size = 1;  // of each group
};

// Any way to group the devices. Collectives that cannot have use_global_device_ids number the
// partitions where they have a channel.
Groups random_groups(Computation& c, bool can_be_global) {
  Random& random = c.random;
  const bool channel = random.percent(60);
  const bool global = channel && can_be_global && random.percent(60);
  std::int64_t count = c.program.replicas;
  if (global) count = c.program.devices();
  if (channel && !can_be_global) count = c.program.partitions;
  Dims sizes;
  for (std::int64_t size = 1; size <= count; ++size) {
    if (count % size == 0) sizes.push_back(size);
  }
  Groups groups{.text = {}, .size = random.pick(sizes)};
  const Dims order = random.some_of(count, count);
  Dims ascending = order;
  std::ranges::sort(ascending);
  // Groups of devices must be listed.
  const std::int64_t form = random.in(0, global ? 2 : 3);
  if (form == 0) {
    Dims strided;
    for (std::int64_t g = 0; g < count / groups.size; ++g) {
      for (std::int64_t m = 0; m < groups.size; ++m)
        strided.push_back(g + m * (count / groups.size));
    }
    groups.text =
        group_list(random.percent(50) ? strided : ascending, static_cast<std::size_t>(groups.size));
  } else if (form == 1) {
    groups.text = group_list(order, static_cast<std::size_t>(groups.size));
  } else if (form == 2) {
    const Dims reshape = factors(random, count);
    groups.text = fmt::format("[{},{}]<=[{}]", count / groups.size, groups.size, join(reshape));
    const Dims transpose = random.some_of(std::ssize(reshape), std::ssize(reshape));
    if (random.percent(60)) groups.text += fmt::format("T({})", join(transpose));
  } else {
    groups.text = "{}";
    groups.size = count;
  }
  groups.text = ", replica_groups=" + groups.text;
  if (channel) groups.text += ", channel_id=1";
  if (global) groups.text += ", use_global_device_ids=true";
  if (channel && can_be_global && !global) groups.size *= c.program.partitions;
  return groups;
}

// A dimension of x that can be cut into this many parts; none if there is none.
std::optional<std::size_t> dimension_to_cut(Random& random, const Tensor& x, std::int64_t parts) {
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < x.sizes.size(); ++d) {
    if (x.sizes[d] % parts == 0) found.push_back(d);
  }
  if (found.empty()) return std::nullopt;
  return random.pick(found);
}

// Makes an instruction with a -start and a -done of it where that is drawn. The result of the start
// is the operand and the result.
Tensor emit_collective(Computation& c, std::string_view name, const Tensor& x, const Dims& sizes,
                       const std::string& attributes, bool can_start) {
  if (!can_start || c.random.percent(70)) {
    return c.emit(x.type, sizes, fmt::format("{}({}){}", name, x.name, attributes));
  }
  const Tensor result{.name = {}, .type = x.type, .sizes = sizes};
  const Tensor operand{.name = {}, .type = x.type, .sizes = x.sizes};
  const bool in_tuple = name != "all-reduce";
  const std::string shape =
      in_tuple ? fmt::format("({}, {})", operand.shape(), result.shape()) : result.shape();
  const std::string start =
      c.emit_value(shape, fmt::format("{}-start({}){}", name, x.name, attributes));
  return c.emit(x.type, sizes, fmt::format("{}-done({})", name, start));
}

}  // namespace

MaybeTensor random_all_gather(Computation& c, const Tensor& x) {
  need_devices(c.program);
  const Groups groups = random_groups(c, true);
  const auto d = static_cast<std::size_t>(c.random.in(0, x.rank() - 1));
  Dims sizes = x.sizes;
  sizes[d] *= groups.size;
  if (too_large(c, sizes)) return std::nullopt;
  return emit_collective(c, "all-gather", x, sizes,
                         fmt::format("{}, dimensions={{{}}}", groups.text, d), true);
}

MaybeTensor random_all_reduce(Computation& c, const Tensor& x) {
  need_devices(c.program);
  std::string attributes = random_groups(c, true).text;
  attributes += ", to_apply=" + c.program.reducer({x.type});
  return emit_collective(c, "all-reduce", x, x.sizes, attributes, true);
}

MaybeTensor random_reduce_scatter(Computation& c, const Tensor& x) {
  need_devices(c.program);
  const Groups groups = random_groups(c, true);
  const std::optional<std::size_t> d = dimension_to_cut(c.random, x, groups.size);
  if (!d) return std::nullopt;
  Dims sizes = x.sizes;
  sizes[*d] /= groups.size;
  return emit_collective(c, "reduce-scatter", x, sizes,
                         fmt::format("{}, dimensions={{{}}}, to_apply={}", groups.text, *d,
                                     c.program.reducer({x.type})),
                         false);
}

MaybeTensor random_all_to_all(Computation& c, const Tensor& x) {
  need_devices(c.program);
  const Groups groups = random_groups(c, false);
  if (c.random.percent(40)) {
    std::vector<std::string> names = {x.name};
    std::vector<std::string> shapes = {
        Tensor{.name = {}, .type = x.type, .sizes = x.sizes}.shape()};
    while (std::ssize(names) < groups.size) {
      names.push_back(c.operand(x.type, x.sizes).name);
      shapes.push_back(shapes[0]);
    }
    const std::string tuple =
        c.emit_value(fmt::format("({})", fmt::join(shapes, ", ")),
                     fmt::format("all-to-all({}){}", fmt::join(names, ", "), groups.text));
    return c.emit(
        x.type, x.sizes,
        fmt::format("get-tuple-element({}), index={}", tuple, c.random.in(0, groups.size - 1)));
  }
  const std::optional<std::size_t> d = dimension_to_cut(c.random, x, groups.size);
  if (!d) return std::nullopt;
  return c.emit(x.type, x.sizes,
                fmt::format("all-to-all({}){}, dimensions={{{}}}", x.name, groups.text, *d));
}

// Offsets and sizes mostly say rows that are there.
MaybeTensor random_ragged_all_to_all(Computation& c, const Tensor& x) {
  need_devices(c.program);
  const Groups groups = random_groups(c, false);
  Dims sizes = x.sizes;
  if (c.random.percent(70)) sizes[0] = c.random.in(1, 5);
  // Every row may come from every row of every member.
  if (x.elements() > 24 || product(sizes) > 24) return std::nullopt;
  std::vector<std::string> names = {x.name, c.operand(x.type, sizes).name};
  const Dims entries = {groups.size * (c.random.percent(80) ? 1 : 2)};
  for (int k = 0; k < 4; ++k) names.push_back(c.index_array("s32", entries, 2).name);
  return c.emit(x.type, sizes,
                fmt::format("ragged-all-to-all({}){}", fmt::join(names, ", "), groups.text));
}

MaybeTensor random_collective_broadcast(Computation& c, const Tensor& x) {
  need_devices(c.program);
  return c.emit(x.type, x.sizes,
                fmt::format("collective-broadcast({}){}", x.name, random_groups(c, false).text));
}

MaybeTensor random_collective_permute(Computation& c, const Tensor& x) {
  need_devices(c.program);
  const bool channel = c.random.percent(60);
  const std::int64_t count = channel ? c.program.partitions : c.program.replicas;
  const std::int64_t shift = c.random.in(1, std::max<std::int64_t>(1, count - 1));
  const Dims targets = c.random.some_of(count, count);
  const bool is_shift = c.random.percent(50);
  std::vector<std::string> pairs;
  for (std::int64_t source = 0; source < count; ++source) {
    if (c.random.percent(15)) continue;
    const std::int64_t target =
        is_shift ? (source + shift) % count : targets[static_cast<std::size_t>(source)];
    pairs.push_back(fmt::format("{{{},{}}}", source, target));
  }
  return emit_collective(c, "collective-permute", x, x.sizes,
                         fmt::format(", source_target_pairs={{{}}}{}", fmt::join(pairs, ","),
                                     channel ? ", channel_id=1" : ""),
                         true);
}

// ---- what is evaluated ----

namespace {

// Some instruction that moves elements of x.
MaybeTensor random_movement(Computation& c, const Tensor& x) {
  static const std::vector<Generator> generators = {random_transpose, random_reverse,
                                                    random_slice,     random_reshape,
                                                    random_unary,     random_broadcast};
  return c.random.pick(generators)(c, x);
}

}  // namespace

// An async-start of a computation, and its done.
MaybeTensor random_async(Computation& c, const Tensor& x) {
  Computation inner(c.program, true);
  const Tensor parameter = inner.parameter(x);
  const MaybeTensor y = random_movement(inner, parameter);
  if (!y) return std::nullopt;
  const std::string name = c.program.fresh_name("wrapped");
  inner.finish(name, y->name, false);
  if (inner.parameters().size() != 1) return std::nullopt;
  const std::string shape = fmt::format("(({}), {}, u32[])", x.shape(), y->shape());
  std::string last = c.emit_value(shape, fmt::format("async-start({}), calls={}", x.name, name));
  if (c.random.percent(50)) {
    last = c.emit_value(shape, fmt::format("async-update({})", last));
  }
  return c.emit(y->type, y->sizes, y->minor_to_major, fmt::format("async-done({})", last));
}

// Branches that take an array each and give arrays of one shape, chosen by a value that is known or
// not.
MaybeTensor random_conditional(Computation& c, const Tensor& x) {
  Random& random = c.random;
  const bool by_pred = random.percent(40);
  const std::int64_t count = by_pred ? 2 : random.in(1, 3);
  std::vector<std::string> names;
  std::vector<std::string> operands;
  for (std::int64_t i = 0; i < count; ++i) {
    Computation inner(c.program, true);
    // Each branch may start from an array of other sizes.
    const MaybeTensor operand = i == 0 ? x : c.operand_of_rank(0, c.program.options.max_rank);
    if (!operand || operand->type != x.type) return std::nullopt;
    const MaybeTensor moved = random_movement(inner, inner.parameter(*operand));
    if (!moved) return std::nullopt;
    Tensor root = *moved;
    if (root.sizes != x.sizes || root.type != x.type) {
      if (root.type != x.type) return std::nullopt;
      if (root.elements() == x.elements()) {
        root = inner.emit(x.type, x.sizes, fmt::format("reshape({})", root.name));
      } else if (root.rank() == 0) {
        root =
            inner.emit(x.type, x.sizes, fmt::format("broadcast({}), dimensions={{}}", root.name));
      } else {
        return std::nullopt;
      }
    }
    names.push_back(c.program.fresh_name("branch"));
    inner.finish(names.back(), root.name, false);
    if (inner.parameters().size() != 1) return std::nullopt;
    operands.push_back(operand->name);
  }
  std::string chooser;
  if (by_pred && random.percent(30)) {
    chooser = c.emit_value("pred[]", fmt::format("constant({})", random.percent(50)));
  } else if (by_pred) {
    const Tensor index = c.index_scalar("s32", 2);
    chooser = c.emit_value("pred[]", fmt::format("compare({}, {}), direction=LT", index.name,
                                                 c.emit_value("s32[]", "constant(1)")));
  } else {
    chooser = c.index_scalar("s32", count).name;
  }
  const std::string attributes =
      by_pred ? fmt::format("true_computation={}, false_computation={}", names[0], names[1])
              : fmt::format("branch_computations={{{}}}", fmt::join(names, ", "));
  return c.emit(
      x.type, x.sizes,
      fmt::format("conditional({}, {}), {}", chooser, fmt::join(operands, ", "), attributes));
}

}  // namespace mercator::testing
