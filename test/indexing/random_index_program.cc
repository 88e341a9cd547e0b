// Programs that make start indices: each instruction of one draws what its operands come from.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/indexing/random_generators.h"

namespace mercator::testing {

class IndexProgram {
 public:
  IndexProgram(Computation& c, std::int64_t limit) : c_(c), random_(c.random), limit_(limit) {}

  Tensor make(const std::string& type, const Dims& sizes, int depth) {
    if (product(sizes) > 0) {
      if (const MaybeTensor known = seen(type, sizes); known && random_.percent(30)) return *known;
    }
    const bool is_leaf =
        product(sizes) == 0 || type == "pred" || depth >= 4 || random_.percent(20 + 15 * depth);
    Tensor made = is_leaf ? leaf(type, sizes) : computed(type, sizes, depth);
    c_.indices_.push_back(made);
    return made;
  }

 private:
  Tensor line(std::string_view type, Dims sizes, std::string_view expression) {
    return c_.add_line({.name = {}, .type = std::string(type), .sizes = std::move(sizes)},
                       expression);
  }

  MaybeTensor seen(std::string_view type, const Dims& sizes) {
    std::vector<Tensor> same;
    for (const Tensor& index : c_.indices_) {
      if (index.type == type && index.sizes == sizes) same.push_back(index);
    }
    if (same.empty()) return std::nullopt;
    return random_.pick(same);
  }

  std::int64_t number(std::string_view type) {
    return random_.in(type.starts_with('u') ? 0 : -2, limit_ + 2);
  }

  Tensor constant(std::string_view type, const Dims& sizes, std::int64_t value) {
    Tensor one = line(type, {}, fmt::format("constant({})", value));
    if (sizes.empty()) return one;
    return line(type, sizes, fmt::format("broadcast({}), dimensions={{}}", one.name));
  }

  std::string literal(const std::string& type, std::span<const std::int64_t> sizes) {
    if (sizes.empty()) return fmt::format("{}", number(type));
    std::vector<std::string> parts;
    for (std::int64_t i = 0; i < sizes[0]; ++i) parts.push_back(literal(type, sizes.subspan(1)));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }

  Tensor leaf(const std::string& type, const Dims& sizes) {
    const std::int64_t kind = product(sizes) == 0 || type == "pred" ? 0 : random_.in(0, 9);
    if (kind < 6) return c_.parameter(type, sizes, Role::kIndex, limit_);
    if (kind < 8 || sizes.empty()) {
      return line(type, sizes, fmt::format("constant({})", literal(type, sizes)));
    }
    return line(type, sizes,
                fmt::format("iota(), iota_dimension={}", random_.in(0, std::ssize(sizes) - 1)));
  }

  Tensor computed(const std::string& type, const Dims& sizes, int depth) {
    switch (random_.in(0, 3)) {
      case 0:
        return arithmetic(type, sizes, depth);
      case 1:
        return moved(type, sizes, depth);
      case 2:
        return sizes.empty() ? element(type, depth) : indexed(type, sizes, depth);
      default:
        return random_.percent(50) ? indexed(type, sizes, depth) : moved(type, sizes, depth);
    }
  }

  Tensor arithmetic(const std::string& type, const Dims& sizes, int depth) {
    const auto operand = [&] { return make(type, sizes, depth + 1).name; };
    const auto some = [&] { return constant(type, sizes, number(type)).name; };
    switch (random_.in(0, 10)) {
      case 0:
        return line(type, sizes, fmt::format("add({}, {})", operand(), some()));
      case 1:
        return line(type, sizes, fmt::format("multiply({}, {})", operand(), some()));
      case 2:
        return line(type, sizes, fmt::format("subtract({}, {})", some(), operand()));
      case 3: {
        const Tensor once =
            line(type, sizes, fmt::format("clamp({}, {}, {})", some(), operand(), some()));
        return line(type, sizes,
                    fmt::format("clamp({}, {}, {})", constant(type, {}, 0).name, once.name,
                                constant(type, {}, limit_).name));
      }
      case 4:
        return line(type, sizes, fmt::format("minimum({}, {})", operand(), operand()));
      case 5:
        return line(type, sizes, fmt::format("maximum({}, {})", operand(), some()));
      case 6:
        return line(type, sizes, fmt::format("add({}, {})", operand(), operand()));
      case 7: {
        const std::string x = operand();
        const Tensor negative =
            line("pred", sizes, fmt::format("compare({}, {}), direction=LT", x, some()));
        const Tensor from_end = line(type, sizes, fmt::format("add({}, {})", x, some()));
        return line(type, sizes,
                    fmt::format("select({}, {}, {})", negative.name, from_end.name, x));
      }
      default: {
        static const std::vector<std::string> types = {"s32", "s64", "s8", "u8", "u32", "pred"};
        const std::string& other = random_.pick(types);
        if (other == "pred") {
          const Tensor truth = c_.parameter(other, sizes, Role::kIndex, 1);
          return line(type, sizes, fmt::format("convert({})", truth.name));
        }
        return line(type, sizes, fmt::format("convert({})", make(other, sizes, depth + 1).name));
      }
    }
  }

  // `[0:2], [1:2]` of an array that is larger in one dimension.
  Tensor slice(const std::string& type, const Dims& sizes, int depth) {
    Dims larger = sizes;
    std::vector<std::string> parts;
    for (std::int64_t& size : larger) {
      const std::int64_t start = random_.in(0, 2);
      const std::int64_t stride = random_.in(1, 2);
      const std::int64_t limit = start + (size - 1) * stride + 1;
      size = limit + random_.in(0, 1);
      parts.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
    }
    return line(type, sizes,
                fmt::format("slice({}), slice={{{}}}", make(type, larger, depth + 1).name,
                            fmt::join(parts, ", ")));
  }

  Tensor element(const std::string& type, int depth) {
    const Dims ones(static_cast<std::size_t>(random_.in(1, 2)), 1);
    const Tensor one = random_.percent(50) ? slice(type, ones, depth) : indexed(type, ones, depth);
    return line(type, {}, fmt::format("reshape({})", one.name));
  }

  Tensor moved(const std::string& type, const Dims& sizes, int depth) {
    const std::int64_t rank = std::ssize(sizes);
    const auto along = static_cast<std::size_t>(rank == 0 ? 0 : random_.in(0, rank - 1));
    switch (rank == 0 ? random_.in(5, 7) : random_.in(0, 8)) {
      case 0: {
        const Dims order = random_.some_of(rank, rank);
        Dims before(sizes.size());
        for (std::size_t d = 0; d < sizes.size(); ++d) {
          before[static_cast<std::size_t>(order[d])] = sizes[d];
        }
        return line(type, sizes,
                    fmt::format("transpose({}), dimensions={}", make(type, before, depth + 1).name,
                                braces(order)));
      }
      case 1:
        return line(type, sizes,
                    fmt::format("reverse({}), dimensions={{{}}}", make(type, sizes, depth + 1).name,
                                along));
      case 2:
        return slice(type, sizes, depth);
      case 3: {
        Dims kept = random_.some_of(rank, random_.in(0, rank - 1));
        std::ranges::sort(kept);
        Dims fewer;
        for (const std::int64_t d : kept) fewer.push_back(sizes[static_cast<std::size_t>(d)]);
        return line(type, sizes,
                    fmt::format("broadcast({}), dimensions={}", make(type, fewer, depth + 1).name,
                                braces(kept)));
      }
      case 4:
      case 8: {
        Dims first = sizes;
        Dims second = sizes;
        first[along] = random_.in(0, sizes[along]);
        second[along] -= first[along];
        const std::string a = make(type, first, depth + 1).name;
        const std::string b = make(type, second, depth + 1).name;
        return line(type, sizes,
                    fmt::format("concatenate({}, {}), dimensions={{{}}}", a, b, along));
      }
      case 5:
      case 6: {
        const Tensor x = make(type, sizes, depth + 1);
        const std::string pair =
            c_.emit_value(fmt::format("({}, {})", x.shape(), x.shape()),
                          fmt::format("tuple({}, {})", x.name, make(type, sizes, depth + 1).name));
        return line(type, sizes,
                    fmt::format("get-tuple-element({}), index={}", pair, random_.in(0, 1)));
      }
      default:
        return line(type, sizes,
                    fmt::format("reshape({})",
                                make(type, c_.program.sizes_of(product(sizes)), depth + 1).name));
    }
  }

  // Scalars that say where a window starts, each behind a comma.
  std::string starts(std::size_t count, int depth) {
    std::string names;
    for (std::size_t d = 0; d < count; ++d) names += ", " + make("s32", {}, depth + 1).name;
    return names;
  }

  Tensor indexed(const std::string& type, const Dims& sizes, int depth) {
    switch (random_.in(0, 3)) {
      case 0: {
        Dims larger = sizes;
        for (std::int64_t& size : larger) size += random_.in(0, 2);
        const std::string x = make(type, larger, depth + 1).name;
        return line(type, sizes,
                    fmt::format("dynamic-slice({}{}), dynamic_slice_sizes={}", x,
                                starts(sizes.size(), depth), braces(sizes)));
      }
      case 1: {
        const std::string table = make(type, {random_.in(1, 5)}, depth + 1).name;
        const std::string rows = make("s32", sizes, depth + 1).name;
        return line(type, sizes,
                    fmt::format("gather({}, {}), offset_dims={{}}, collapsed_slice_dims={{0}}, "
                                "start_index_map={{0}}, index_vector_dim={}, slice_sizes={{1}}",
                                table, rows, sizes.size()));
      }
      case 2: {
        Dims window = sizes;
        for (std::int64_t& size : window) size = random_.in(1, size);
        const std::string x = make(type, sizes, depth + 1).name;
        const std::string update = make(type, window, depth + 1).name;
        return line(
            type, sizes,
            fmt::format("dynamic-update-slice({}, {}{})", x, update, starts(sizes.size(), depth)));
      }
      default: {
        if (sizes.size() != 1) return arithmetic(type, sizes, depth);
        const Dims count = {random_.in(1, 3)};
        const std::string x = make(type, sizes, depth + 1).name;
        const std::string places = make("s32", count, depth + 1).name;
        const std::string updates = make(type, count, depth + 1).name;
        return line(type, sizes,
                    fmt::format("scatter({}, {}, {}), update_window_dims={{}}, "
                                "inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, "
                                "index_vector_dim=1, to_apply={}",
                                x, places, updates, replacer(type)));
      }
    }
  }

  std::string replacer(const std::string& type) {
    const std::string name = c_.program.fresh_name("reducer");
    c_.program.add_computation(fmt::format(
        "{} {{\n  a = {}[] parameter(0)\n  ROOT b = {}[] parameter(1)\n}}\n", name, type, type));
    return name;
  }

  Computation& c_;
  Random& random_;
  std::int64_t limit_;
};

Tensor Computation::index_from_program(std::string_view type, const Dims& sizes,
                                       std::int64_t limit) {
  return IndexProgram(*this, limit).make(std::string(type), sizes, 0);
}

}  // namespace mercator::testing
