#include <algorithm>

#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/window.h"

namespace mercator::indexing {

// f32[6] select-and-scatter(f32[6] p0, f32[3] p1, f32[] p2), window={size=2 stride=2}, select=ge,
//     scatter=add: each element of p1 goes to the element that `select` chooses from its window
//   o2i of p0: (d0)[s0, s1] -> (d0 - s0 + s1), (d0 - s0) mod 2 = 0, s0 and s1 in [0, 1]: from place
//              s0 of a window that covers the element to its place s1
//   o2i of p1: (d0)[s0] -> ((d0 - s0) floordiv 2), (d0 - s0) mod 2 = 0: the windows that cover it,
//              as an over-approximation, since the choice is not known; exact for windows of one
//              place
//   o2i of p2: (d0) -> ()
// The elements between which is chosen count as read, as the indices of a gather do.
void select_and_scatter(InstructionMaps& maps) {
  const auto window = maps.instruction().get<hlo::Window>(hlo::AttributeName::kWindow);
  const std::span<const std::int64_t> sizes = maps.output().dimensions;
  const std::span<const std::int64_t> counts = maps.operand(1).dimensions;

  MapBuilder chosen_from = maps.from(maps.output());
  std::vector<Expr> neighbour;
  MapBuilder source = maps.from_here(1);
  std::vector<Expr> there;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const Expr place = chosen_from.range(window[i].size);
    const Expr other_place = chosen_from.range(window[i].size);
    const Expr covering =
        covering_window(chosen_from, window[i], chosen_from.dim(i), place, counts[i]);
    neighbour.push_back(covered_element(chosen_from, window[i], covering, other_place, sizes[i]));
    const Expr source_place = source.range(window[i].size);
    there.push_back(
        maps.is_output_to_input()
            ? covering_window(source, window[i], source.dim(i), source_place, counts[i])
            : covered_element(source, window[i], source.dim(i), source_place, sizes[i]));
  }
  maps.add(0, chosen_from.to(std::move(neighbour)));
  const bool has_choice = std::ranges::any_of(
      window, [](const hlo::WindowDimension& dimension) { return dimension.size > 1; });
  maps.add(1, source.to(std::move(there)), !has_choice);
  add_everything(maps, {}, 2);
}

}  // namespace mercator::indexing
