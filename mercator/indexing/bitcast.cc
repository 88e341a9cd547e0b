#include <numeric>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/physical_layout.h"
#include "mercator/indexing/reshape.h"
#include "mercator/support/arithmetic.h"

namespace mercator::indexing {
namespace {

// Whether `parts` elements in memory of `a` take as much space as the elements of `b` do.
bool same_size_in_memory(const PhysicalLayout& a, std::int64_t parts, const PhysicalLayout& b) {
  const auto count = [](const PhysicalLayout& layout) {
    const auto sizes = layout.sizes();
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  };
  std::int64_t total = 0;
  return checked_mul(count(a), parts, &total) && total == count(b);
}

// How many elements of `b` take the bits of one of `a`; 0 if that is no whole number.
std::int64_t parts_in(const PhysicalLayout& a, const PhysicalLayout& b) {
  return a.element_bits() % b.element_bits() == 0 ? a.element_bits() / b.element_bits() : 0;
}

}  // namespace

// A bitcast names the bits of an array anew: elements belong together that lie at the same place in
// memory.
//
// f32[8,4]{1,0} bitcast(f32[4,8]{0,1} p0)
//   o2i, i2o: (d0, d1) -> (d1, d0)
// s16[20] bitcast(s32[10] p0): the parts of an element are one more physical dimension
//   o2i: (d0) -> (d0 floordiv 2)
//   i2o: (d0)[s0] -> (d0 * 2 + s0)
void bitcast(InstructionMaps& maps) {
  if (!maps.output().is_array() || !maps.operand(0).is_array()) {
    return maps.unknown("a bitcast of something that is not an array");
  }
  if (!has_elements(maps.output())) return;
  const bool forward = maps.is_output_to_input();
  const hlo::Shape& from_shape = forward ? maps.output() : maps.operand(0);
  const hlo::Shape& to_shape = forward ? maps.operand(0) : maps.output();
  const Result<PhysicalLayout> from = PhysicalLayout::of(from_shape);
  if (!from.has_value()) return maps.unknown(0, "not supported: " + from.error().message);
  const Result<PhysicalLayout> to = PhysicalLayout::of(to_shape);
  if (!to.has_value()) return maps.unknown(0, "not supported: " + to.error().message);

  const std::int64_t to_parts = parts_in(*from, *to);    // > 1: to narrower elements
  const std::int64_t from_parts = parts_in(*to, *from);  // > 1: to wider elements
  const bool fits = (to_parts > 0 && same_size_in_memory(*from, to_parts, *to)) ||
                    (from_parts > 0 && same_size_in_memory(*to, from_parts, *from));
  if (!fits) {
    return maps.unknown(0, "the bitcast is between arrays of different size in memory");
  }

  MapBuilder map = maps.from(from_shape);
  std::vector<std::int64_t> from_sizes(from->sizes().begin(), from->sizes().end());
  std::vector<std::int64_t> to_sizes(to->sizes().begin(), to->sizes().end());
  std::vector<Expr> physical = from->to_physical(map.dims());
  if (to_parts > 1) {
    from_sizes.push_back(to_parts);
    physical.push_back(map.range(to_parts));
  }
  if (from_parts > 1) to_sizes.push_back(from_parts);
  physical = reshape_index(map.context(), physical, from_sizes, to_sizes);
  if (from_parts > 1) physical.pop_back();
  std::vector<Constraint> constraints;
  std::vector<Expr> index = to->from_physical(physical, constraints);
  for (const Constraint& constraint : constraints) map.require(constraint.expr, constraint.range);
  maps.add(0, map.to(std::move(index)));
}

}  // namespace mercator::indexing
