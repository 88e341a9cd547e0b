#include "mercator/indexing/reshape.h"

#include <algorithm>

#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

// Consecutive dimensions of two arrays with the same number of elements.
struct Group {
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
};

// The smallest groups. Dimensions of size 1 are in none.
std::vector<Group> groups_of(std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
  std::vector<Group> groups;
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < from.size() && from[i] == 1) ++i;
    while (j < to.size() && to[j] == 1) ++j;
    if (i == from.size() || j == to.size()) return groups;
    Group group = {.from = {i}, .to = {j}};
    std::int64_t from_size = from[i++];
    std::int64_t to_size = to[j++];
    while (from_size != to_size) {
      if (from_size < to_size) {
        if (from[i] != 1) group.from.push_back(i);
        from_size *= from[i++];
      } else {
        if (to[j] != 1) group.to.push_back(j);
        to_size *= to[j++];
      }
    }
    groups.push_back(std::move(group));
  }
}

// The row-major position of an index in the dimensions of a group.
Expr position_in(std::span<const Expr> index, std::span<const std::int64_t> sizes,
                 const std::vector<std::size_t>& dimensions, ExprContext& context) {
  std::vector<Term> terms;
  std::int64_t stride = 1;
  for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
    terms.push_back({index[*d], stride});
    stride *= sizes[*d];
  }
  return context.sum(terms);
}

}  // namespace

std::vector<Expr> reshape_index(ExprContext& context, std::span<const Expr> index,
                                std::span<const std::int64_t> from,
                                std::span<const std::int64_t> to) {
  std::vector<Expr> result(to.size(), context.constant(0));
  for (const Group& group : groups_of(from, to)) {
    const Expr position = position_in(index, from, group.from, context);
    std::int64_t stride = 1;
    for (auto d = group.to.rbegin(); d != group.to.rend(); ++d) {
      const Expr quotient = floor_div(position, stride);
      const bool outermost = *d == group.to.front();
      result[*d] = outermost ? quotient : mod(quotient, to[*d]);
      stride *= to[*d];
    }
  }
  return result;
}

// f32[32, 3, 4] reshape(f32[4, 8, 12] p0)
//   o2i: (d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)
//   i2o: (d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)
void reshape(InstructionMaps& maps) {
  if (!has_elements(maps.output())) return;
  const bool forward = maps.is_output_to_input();
  const hlo::Shape& from = forward ? maps.output() : maps.operand(0);
  const hlo::Shape& to = forward ? maps.operand(0) : maps.output();
  // Neighbours of a dimension of dynamic size lie as far apart as its size says when the program
  // runs.
  for (const Group& group : groups_of(from.dimensions, to.dimensions)) {
    if (group.from.size() == 1 && group.to.size() == 1) continue;
    const auto dynamic_in = [](const hlo::Shape& array) {
      return [&array](std::size_t d) { return is_dynamic(array, d); };
    };
    if (std::ranges::any_of(group.from, dynamic_in(from)) ||
        std::ranges::any_of(group.to, dynamic_in(to))) {
      return maps.unknown(0, "a dimension of dynamic size is reshaped");
    }
  }
  const MapBuilder map = maps.from(from);
  maps.add(0, map.to(reshape_index(map.context(), map.dims(), from.dimensions, to.dimensions)));
}

}  // namespace mercator::indexing
