#include <algorithm>

#include "mercator/indexing/dependence.h"
#include "mercator/indexing/indexed_windows.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// operands: N arrays, the indices, N updates; N results. Where a window of the updates does not fit
// the operand as a whole, nothing of it lands.
//
// The combiner makes, from an element of each operand and one of each update, an element of each
// result. A result whose combiner looks at its own operand is made from the operand and from
// all updates that land. A result whose combiner does not is made from the operand only where no
// update lands, and from the last update that does: in which order they land is not defined, so all
// of them are named, as an over-approximation.
class Scatter {
 public:
  explicit Scatter(InstructionMaps& maps)
      : maps_(maps),
        count_(maps.instruction().operands.size() / 2),
        windows_(IndexedWindows::of_scatter(maps.instruction())),
        combiner_(*maps.instruction().computation(AttributeName::kToApply)) {
    has_updates_ = has_elements(maps.operand(count_ + 1));
    const auto window_dims = maps.instruction().integers(AttributeName::kUpdateWindowDims);
    const bool is_one_window = std::ranges::all_of(
        other_dimensions(windows_.windows().size(), window_dims), [&](std::int64_t dimension) {
          return windows_.windows()[static_cast<std::size_t>(dimension)] <= 1;
        });
    // Unique indices promise that no two updates land on one element.
    lands_once_ = is_one_window || maps.instruction().get<bool>(AttributeName::kUniqueIndices);
    find_sources();
  }

  void add_maps() {
    const std::optional<MapId> everywhere =
        maps_.analysis().maps().add(IndexMap::identity(context(), windows_.operand()));
    const std::optional<MapId> landing = maps_.analysis().maps().add(landing_map());
    const std::optional<MapId> updates = maps_.analysis().maps().add(updates_map());
    const std::optional<MapId> indices = maps_.analysis().maps().add(indices_map());
    for (std::size_t j = 0; j < count_; ++j) {
      for (std::size_t k = 0; k < count_; ++k) {
        if (j == k) {
          add(j, k, everywhere, keeps(j) || !has_updates_);
        } else if (operand_source_[j][k] != Source::kNone) {
          add(j, k, landing, operand_source_[j][k] == Source::kAlways);
        }
      }
      add(j, count_, indices, true);
      for (std::size_t k = 0; k < count_; ++k) {
        if (update_source_[j][k] == Source::kNone) continue;
        add(j, count_ + 1 + k, updates, update_source_[j][k] == Source::kAlways);
      }
    }
  }

 private:
  // Whether, where an update lands, a result is made from something.
  enum class Source : std::uint8_t { kNone, kSometimes, kAlways };

  [[nodiscard]] ExprContext& context() { return maps_.analysis().context(); }

  // Whether result `j` stays made from what it was made from when an update lands.
  [[nodiscard]] bool keeps(std::size_t j) const {
    return combiner_(j, j) == Dependence::kElementwise;
  }

  void find_sources() {
    operand_source_.assign(count_, std::vector<Source>(count_, Source::kNone));
    update_source_ = operand_source_;
    for (std::size_t j = 0; j < count_; ++j) {
      const bool is_certain = lands_once_ || keeps(j);
      for (std::size_t k = 0; k < 2 * count_; ++k) {
        const Dependence dependence = combiner_(j, k);
        if (dependence == Dependence::kNone) continue;
        Source& source = k < count_ ? operand_source_[j][k] : update_source_[j][k - count_];
        source = is_certain && dependence == Dependence::kElementwise ? Source::kAlways
                                                                      : Source::kSometimes;
      }
    }
    if (!lands_once_) close_sources();
  }

  // Through other results, where several updates land on one element.
  void close_sources() {
    for (std::size_t through = 0; through < count_; ++through) {
      for (std::size_t j = 0; j < count_; ++j) {
        if (j == through || operand_source_[j][through] == Source::kNone) continue;
        for (std::size_t k = 0; k < count_; ++k) {
          join(operand_source_[j][k], operand_source_[through][k]);
        }
      }
    }
    const auto direct_updates = update_source_;
    for (std::size_t j = 0; j < count_; ++j) {
      for (std::size_t through = 0; through < count_; ++through) {
        if (j == through || operand_source_[j][through] == Source::kNone) continue;
        for (std::size_t k = 0; k < count_; ++k) {
          join(update_source_[j][k], direct_updates[through][k]);
        }
      }
    }
  }
  static void join(Source& source, Source through) {
    if (source == Source::kNone && through != Source::kNone) source = Source::kSometimes;
  }

  void add(std::size_t result, std::size_t operand, std::optional<MapId> map, bool exact) {
    if (!map.has_value()) return;
    LeafPair pair{.operand = static_cast<std::int64_t>(operand),
                  .maps = {{.map = *map, .exact = exact}}};
    if (maps_.output().is_tuple()) pair.output = {static_cast<std::int64_t>(result)};
    maps_.add(std::move(pair));
  }

  // The element of the updates that lands on an element of the result.
  [[nodiscard]] std::vector<Expr> landing_update(MapBuilder& map) const {
    std::vector<Expr> update = windows_.any_window(map, map.dims());
    const std::vector<Expr> start = windows_.fitting_start(map, update);
    windows_.locate(map, map.dims(), start, update);
    return update;
  }

  // Between a result and an operand, where an update lands.
  [[nodiscard]] IndexMap landing_map() {
    MapBuilder map = maps_.from(maps_.operand(0));
    static_cast<void>(landing_update(map));
    return map.to(map.dims());
  }

  [[nodiscard]] IndexMap updates_map() {
    if (maps_.is_output_to_input()) {
      MapBuilder map = maps_.from(maps_.operand(0));
      return map.to(landing_update(map));
    }
    MapBuilder map = maps_.from(maps_.operand(count_ + 1));
    const std::vector<Expr> start = windows_.fitting_start(map, map.dims());
    return map.to(windows_.element_of_operand(map.dims(), start));
  }

  // An element of the result is made from all indices that could have let an update land there.
  [[nodiscard]] IndexMap indices_map() {
    if (maps_.is_output_to_input()) {
      MapBuilder map = maps_.from(maps_.operand(0));
      const std::vector<Expr> update = windows_.any_window(map, map.dims());
      return map.to(windows_.element_of_indices(update, map.range(windows_.components())));
    }
    MapBuilder map = maps_.from(maps_.operand(count_));
    return map.to(windows_.elements_near_vector(map, map.dims()));
  }

  InstructionMaps& maps_;
  std::size_t count_;
  IndexedWindows windows_;
  FunctionDependence combiner_;
  bool has_updates_ = false;
  // No element is landed on by two updates.
  bool lands_once_ = false;
  std::vector<std::vector<Source>> operand_source_;
  std::vector<std::vector<Source>> update_source_;
};

}  // namespace

// f32[10, 4] scatter(f32[10, 4] p0, s32[3, 1] p1, f32[3, 2, 4] p2), update_window_dims={1, 2},
//     inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
//   o2i of p0: (d0, d1) -> (d0, d1)
//   o2i of p1: (d0, d1)[s0] -> (s0, 0)
//   o2i of p2: (d0, d1)[s0]{rt0} -> (s0, d0 - rt0, d1), d0 - rt0 in [0, 1], rt0 in [0, 8]
//   i2o of p1: (d0, d1)[s0, s1] -> (s0, s1)
//   i2o of p2: (d0, d1, d2){rt0} -> (d1 + rt0, d2), rt0 in [0, 8]
//   rt0 is the element (s0, 0) of p1, here (d0, 0). It is not clamped: its bounds are those of its
//   type, and where it fails the constraint `rt0 in [0, 8]` nothing lands.
void scatter(InstructionMaps& maps) {
  const std::size_t count = maps.instruction().operands.size() / 2;
  if (3 * count * count > static_cast<std::size_t>(kMaxPairs)) {
    return maps.unknown("not supported: a scatter of that many operands");
  }
  // Windows of one element, too, do not fit a dimension without elements.
  if (has_elements(maps.operand(0))) Scatter(maps).add_maps();
}

}  // namespace mercator::indexing
