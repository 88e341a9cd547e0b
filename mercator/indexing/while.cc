// while(p0), condition=c, body=b: what is left of the state after some rounds.
//
// A leaf of the state that the body passes on as it is is the leaf of the operand. Another is made
// from what the body reads for it, round by round: from the closure of the maps of the body, which
// are computed until nothing new comes, or given up for all elements of a leaf. That is exact where
// each round adds to the leaf: where it reads its own element, and others of leaves that do not
// change; and what a round writes to a part of a leaf that no other round writes to stays as it is.
// Where the rounds are counted, what depends on the counter is computed from the number of
// the round, a range variable:
//
//   body: sum + dynamic-slice(x, i), of x = f32[80,4], with i = 0 … 79
//   o2i of x: (d0)[s0] -> (s0, d0), s0 in [0, 79]

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/loop.h"
#include "mercator/indexing/map_transform.h"
#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {
namespace {

using hlo::Instruction;

// More maps than this between two leaves become one that leads to all elements.
constexpr std::size_t kMaxMaps = 16;
// So many compositions, and then whatever may be read is taken to be read; so many looks at what is
// read, and then nothing is known.
constexpr std::int64_t kMaxCompositions = 20'000;
constexpr std::int64_t kMaxSteps = 1'000'000;

// Sets of maps between two arrays, in both directions: the same relation.
struct Relation {
  std::vector<MapRef> output_to_input = {};
  std::vector<MapRef> input_to_output = {};
  const std::string* unknown = nullptr;  // not null: not known, for this reason
  bool is_all = false;                   // given up: all elements, of all devices if need be

  [[nodiscard]] bool is_settled() const { return is_all || unknown != nullptr; }
  [[nodiscard]] bool is_empty() const {
    return !is_settled() && output_to_input.empty() && input_to_output.empty();
  }
};

// By number of the array that is read, among those of the state.
using Row = std::map<std::size_t, Relation>;

// Whether every element is made from the one at the same index, among others.
bool reads_itself(const Row& row, std::size_t leaf, Analysis& analysis, const hlo::Shape& array) {
  const auto found = row.find(leaf);
  if (found == row.end()) return false;
  const std::optional<MapId> identity =
      analysis.maps().add(IndexMap::identity(analysis.context(), array.dimensions));
  return std::ranges::any_of(found->second.output_to_input, [&](const MapRef& ref) {
    return ref.exact && !ref.across_devices && ref.map == identity;
  });
}

class WhileMaps {
 public:
  explicit WhileMaps(InstructionMaps& maps)
      : maps_(maps), analysis_(maps.analysis()), loop_(maps.instruction()) {
    for (hlo::ShapeLeaf& leaf : hlo::leaves(loop_.shape)) {
      if (leaf.shape.is_array()) leaves_.push_back(std::move(leaf));
    }
    for (const hlo::ShapeLeaf& leaf : leaves_) {
      is_kept_.push_back(std::ranges::binary_search(analysis_.invariants(loop_), leaf.index));
    }
  }

  void add() {
    counted_ = counted_loop(analysis_, loop_);
    if (counted_.has_value() && counted_->count == 0) return add_kept(/*all=*/true);
    if (!read_body()) return;
    if (!counted_.has_value() && !read_condition()) return;
    find_overwriting();
    widened_rows_ = rows_;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      widen_identities(widened_rows_[i], /*kept=*/!is_apart(i));
    }
    widen_identities(condition_, /*kept=*/true);
    add_kept(/*all=*/false);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (!is_kept_[i]) add_row(i, row_of(i));
    }
    if (!counted_.has_value()) add_decided();
    if (steps_left_ < 0) maps_.unknown("not supported: too much of the state depends on the rest");
  }

 private:
  // ---- what one round reads ----

  // False, having said why, if it is not known.
  bool read_body() {
    rows_.resize(leaves_.size());
    const CallSite site = call_sites(loop_)[0];
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      const PairList& list = analysis_.pairs(*site.computation, direction);
      if (list.unknown() != nullptr) {
        maps_.unknown(*list.unknown());
        return false;
      }
      for (const LeafPair& pair : list.pairs()) {
        add_pair(rows_[leaf_number(pair.output)], pair, site, direction);
      }
    }
    return true;
  }

  bool read_condition() {
    const CallSite site = call_sites(loop_)[1];
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      const PairList& list = analysis_.pairs(*site.computation, direction);
      if (list.unknown() != nullptr) {
        maps_.unknown(*list.unknown());
        return false;
      }
      for (const LeafPair& pair : list.pairs()) add_pair(condition_, pair, site, direction);
    }
    return true;
  }

  void add_pair(Row& row, const LeafPair& pair, const CallSite& site, Direction direction) {
    Relation& relation = row[leaf_number(pair.operand_leaf)];
    if (pair.unknown != nullptr) relation.unknown = pair.unknown;
    std::vector<MapRef>& set = direction == Direction::kOutputToInput ? relation.output_to_input
                                                                      : relation.input_to_output;
    for (const MapRef& ref : pair.maps) {
      std::optional<MapRef> resolved = resolve_in_caller(analysis_, ref, site);
      if (resolved.has_value()) resolved = in_any_round(*resolved);
      if (!resolved.has_value()) continue;
      leads_across_devices_ = leads_across_devices_ || resolved->across_devices;
      add_to_set(set, *resolved);
    }
  }

  // The map of all rounds together: runtime variables whose values differ from round to round give
  // way to range variables, of the round where they follow from it, else of all that they may be.
  std::optional<MapRef> in_any_round(MapRef ref) {
    IndexMap map = analysis_.maps()[ref.map];
    std::optional<Expr> round;
    for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
      const RuntimeVariable runtime = map.runtimes()[i];
      const Instruction& tensor = *analysis_.module().instructions[*runtime.tensor];
      if (tensor.parent == loop_.parent) continue;
      if (!round.has_value() && counted_.has_value()) {
        map = with_range(map, Interval::indices(counted_->count));
        round = last_range(map);
      }
      Expr value;
      if (round.has_value()) {
        set_domain(analysis_, map.dimensions(), map.ranges(), map.runtimes());
        value = value_in_round(analysis_, loop_, *counted_, tensor, *round);
      }
      if (value) {
        value = min(max(value, analysis_.context().constant(runtime.bounds.lo)),
                    analysis_.context().constant(runtime.bounds.hi));
        map = replace_runtime(map, i, value);
      } else {
        map = range_for_runtime(map, i);
        ref.exact = false;
      }
    }
    std::optional<MapId> id = analysis_.maps().add(map);
    // Often an element says in which round it is read or written.
    while (id.has_value() && round.has_value()) {
      const std::optional<IndexMap> shorter = without_determined_range(analysis_.maps()[*id]);
      if (!shorter.has_value()) break;
      id = analysis_.maps().add(*shorter);
    }
    if (!id.has_value()) return std::nullopt;
    ref.map = *id;
    return ref;
  }

  static IndexMap with_range(const IndexMap& map, Interval bounds) {
    std::vector<Variable> ranges = map.ranges();
    ranges.push_back({.bounds = bounds});
    return IndexMap(map.context(), map.dimensions(), std::move(ranges), map.runtimes(),
                    map.results(), map.constraints());
  }
  static Expr last_range(const IndexMap& map) {
    return map.context().range(static_cast<std::uint32_t>(map.ranges().size() - 1));
  }

  // ---- what all rounds read ----

  void find_overwriting() {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const bool is_counted = counted_.has_value() && !is_kept_[i];
      overwriting_.push_back(is_counted ? overwriting(analysis_, loop_, *counted_, leaves_[i].index)
                                        : Overwriting::kUnknown);
    }
  }
  [[nodiscard]] bool is_apart(std::size_t leaf) const {
    return overwriting_[leaf] != Overwriting::kUnknown;
  }

  // Of a leaf that the body changes. One round leaves what it reads itself.
  Row row_of(std::size_t leaf) {
    if (counted_.has_value() && counted_->count == 1) return rows_[leaf];
    const bool adds_up = reads_itself(rows_[leaf], leaf, analysis_, leaves_[leaf].shape);
    Row row = widened_rows_[leaf];
    for (auto& [read, relation] : row) {
      const bool is_exact = (adds_up && read == leaf) ||
                            ((adds_up || is_apart(leaf)) && counted_.has_value() && is_kept_[read]);
      set_exact(relation, is_exact, read == leaf);
    }
    if (overwriting_[leaf] == Overwriting::kAll) row.erase(leaf);
    if (!counted_.has_value()) add_identity(row[leaf], leaves_[leaf].shape, adds_up);
    return closure(std::move(row), leaves_[leaf].shape);
  }

  // Where a map leads from some elements to those at the same index, the identity takes its place:
  // else there would be another map for each number of rounds. Without `kept` not where it leads to
  // leaves that stay.
  void widen_identities(Row& row, bool kept) {
    for (auto& [read, relation] : row) {
      if (!kept && is_kept_[read]) continue;
      const std::optional<MapId> identity = analysis_.maps().add(
          IndexMap::identity(analysis_.context(), leaves_[read].shape.dimensions));
      if (!identity.has_value()) continue;
      const auto is_part = [&](const MapRef& ref) {
        const IndexMap& map = analysis_.maps()[ref.map];
        const IndexMap& whole = analysis_.maps()[*identity];
        return !ref.across_devices && ref.map != *identity && map.results() == whole.results() &&
               map.dimensions().size() == whole.dimensions().size();
      };
      // In one direction it may be one that does not show it. So both get the identity.
      const std::size_t parts = std::erase_if(relation.output_to_input, is_part) +
                                std::erase_if(relation.input_to_output, is_part);
      if (parts > 0) add_identity(relation, leaves_[read].shape, /*exact=*/false);
    }
  }

  // Of the maps of a leaf to itself only the identity is known to be read in all rounds.
  void set_exact(Relation& relation, bool is_exact, bool is_own) {
    for (std::vector<MapRef>* set : {&relation.output_to_input, &relation.input_to_output}) {
      for (MapRef& ref : *set) {
        ref.exact = ref.exact && is_exact && (!is_own || is_identity(ref));
      }
    }
  }
  [[nodiscard]] bool is_identity(const MapRef& ref) {
    const IndexMap& map = analysis_.maps()[ref.map];
    std::vector<std::int64_t> sizes;
    for (const Variable& dimension : map.dimensions()) sizes.push_back(dimension.bounds.size());
    return !ref.across_devices &&
           analysis_.maps().add(IndexMap::identity(analysis_.context(), sizes)) == ref.map;
  }

  void add_identity(Relation& relation, const hlo::Shape& array, bool exact) {
    const std::optional<MapId> identity =
        analysis_.maps().add(IndexMap::identity(analysis_.context(), array.dimensions));
    if (!identity.has_value()) return;
    add_to_set(relation.output_to_input, {.map = *identity, .exact = exact});
    add_to_set(relation.input_to_output, {.map = *identity, .exact = exact});
  }

  // `row`, of an array like `from`, and what the rounds before it read.
  Row closure(Row row, const hlo::Shape& from) {
    Row last = row;
    while (!last.empty() && steps_left_ >= 0) {
      Row next;
      for (const auto& [middle, first] : last) {
        if (is_kept_[middle]) continue;
        for (const auto& [read, second] : widened_rows_[middle]) {
          if (--steps_left_ < 0) break;
          if (row[read].is_settled() || second.is_empty()) continue;
          compose_relations(first, second, middle, next[read]);
        }
      }
      last.clear();
      for (const auto& [read, relation] : next) {
        Relation added = merge(row[read], relation, from, leaves_[read].shape);
        if (!added.is_empty()) last[read] = std::move(added);
      }
    }
    std::erase_if(row, [](const auto& entry) { return entry.second.is_empty(); });
    return row;
  }

  void compose_relations(const Relation& first, const Relation& second, std::size_t middle,
                         Relation& result) {
    if (first.unknown != nullptr || second.unknown != nullptr) {
      result.unknown = first.unknown != nullptr ? first.unknown : second.unknown;
      return;
    }
    if (first.is_all || second.is_all ||
        (compositions_left_ -= static_cast<std::int64_t>(first.output_to_input.size() *
                                                         second.output_to_input.size())) < 0) {
      result.is_all = true;
      return;
    }
    const auto& sizes = leaves_[middle].shape.dimensions;
    for (const MapRef& x : first.output_to_input) {
      for (const MapRef& y : second.output_to_input) {
        add_inexact(result.output_to_input, compose(analysis_, x, y, sizes));
      }
    }
    for (const MapRef& y : second.input_to_output) {
      for (const MapRef& x : first.input_to_output) {
        add_inexact(result.input_to_output, compose(analysis_, y, x, sizes));
      }
    }
  }
  static void add_inexact(std::vector<MapRef>& set, std::optional<MapRef> ref) {
    if (!ref.has_value()) return;
    ref->exact = false;
    add_to_set(set, *ref);
  }

  // Adds `more` to `relation`, between arrays like `from` and `to`; returns what is new.
  Relation merge(Relation& relation, const Relation& more, const hlo::Shape& from,
                 const hlo::Shape& to) {
    Relation added;
    if (relation.is_settled()) return added;
    if (more.unknown != nullptr) {
      relation = {.unknown = more.unknown};
      return relation;
    }
    if (!more.is_all) {
      add_new(relation.output_to_input, more.output_to_input, added.output_to_input);
      add_new(relation.input_to_output, more.input_to_output, added.input_to_output);
      if (relation.output_to_input.size() <= kMaxMaps &&
          relation.input_to_output.size() <= kMaxMaps) {
        return added;
      }
    }
    relation = {.output_to_input = {all_to_all(from, to, leads_across_devices_)},
                .input_to_output = {all_to_all(to, from, leads_across_devices_)},
                .is_all = true};
    return relation;
  }
  static void add_new(std::vector<MapRef>& set, const std::vector<MapRef>& more,
                      std::vector<MapRef>& added) {
    for (const MapRef& ref : more) {
      if (std::ranges::binary_search(set, ref.map, {}, &MapRef::map)) continue;
      add_to_set(set, ref);
      add_to_set(added, ref);
    }
  }

  // Requires that both have elements.
  MapRef all_to_all(const hlo::Shape& from, const hlo::Shape& to, bool across) {
    MapBuilder map = across ? maps_.from_device(from) : maps_.from(from);
    std::vector<Expr> index;
    if (across) index.push_back(map.range(analysis_.devices().count()));
    for (const std::int64_t size : to.dimensions) index.push_back(map.range(size));
    return {.map = *analysis_.maps().add(map.to(std::move(index))),
            .exact = false,
            .across_devices = across};
  }

  // ---- the answer ----

  void add_kept(bool all) {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (!all && !is_kept_[i]) continue;
      maps_.add_identity(leaves_[i].index, 0, leaves_[i].index, leaves_[i].shape);
    }
  }

  void add_row(std::size_t leaf, const Row& row) {
    for (const auto& [read, relation] : row) {
      LeafPair pair{.output = leaves_[leaf].index,
                    .operand = 0,
                    .operand_leaf = leaves_[read].index,
                    .unknown = relation.unknown};
      if (pair.unknown == nullptr) {
        pair.maps =
            maps_.is_output_to_input() ? relation.output_to_input : relation.input_to_output;
      }
      maps_.add(std::move(pair));
    }
  }

  // How many rounds there are depends on what the condition reads, of each state on the way: and on
  // it depends every element that is not kept.
  void add_decided() {
    Row row = condition_;
    for (auto& [read, relation] : row) set_exact(relation, /*is_exact=*/false, /*is_own=*/false);
    const hlo::Shape& scalar = call_sites(loop_)[1].computation->root->shape;
    row = closure(std::move(row), scalar);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (is_kept_[i] || !has_elements(leaves_[i].shape)) continue;
      Relation decided;
      decided.output_to_input = {all_to_all(leaves_[i].shape, scalar, false)};
      decided.input_to_output = {all_to_all(scalar, leaves_[i].shape, false)};
      Row of_leaf;
      for (const auto& [read, relation] : row) {
        Relation& result = of_leaf[read];
        if (relation.unknown != nullptr) {
          result.unknown = relation.unknown;
          continue;
        }
        for (const MapRef& ref : relation.output_to_input) {
          add_inexact(result.output_to_input,
                      compose(analysis_, decided.output_to_input[0], ref, scalar.dimensions));
        }
        for (const MapRef& ref : relation.input_to_output) {
          add_inexact(result.input_to_output,
                      compose(analysis_, ref, decided.input_to_output[0], scalar.dimensions));
        }
      }
      add_row(i, of_leaf);
    }
  }

  [[nodiscard]] std::size_t leaf_number(const ShapeIndex& leaf) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(leaves_, leaf, {}, &hlo::ShapeLeaf::index) - leaves_.begin());
  }

  InstructionMaps& maps_;
  Analysis& analysis_;
  const Instruction& loop_;
  std::vector<hlo::ShapeLeaf> leaves_;  // of the state, that are arrays
  std::vector<bool> is_kept_;           // by leaf
  std::optional<CountedLoop> counted_;
  std::vector<Overwriting> overwriting_;  // by leaf
  std::vector<Row> rows_;                 // by leaf: what one round reads
  std::vector<Row> widened_rows_;         // the same as it is composed
  Row condition_;                         // what the condition reads
  bool leads_across_devices_ = false;
  std::int64_t compositions_left_ = kMaxCompositions;
  std::int64_t steps_left_ = kMaxSteps;
};

}  // namespace

void while_loop(InstructionMaps& maps) { WhileMaps(maps).add(); }

}  // namespace mercator::indexing
