#include "mercator/indexing/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/computation.h"
#include "mercator/indexing/heroes.h"
#include "mercator/indexing/map_transform.h"
#include "mercator/indexing/runtime_value.h"
#include "mercator/indexing/sizes.h"

namespace mercator {

std::string_view name(Scheme scheme) {
  switch (scheme) {
    case Scheme::kLoop:
      return "loop";
    case Scheme::kTranspose:
      return "transpose";
    case Scheme::kRowReduction:
      return "row-reduction";
    case Scheme::kColumnReduction:
      return "column-reduction";
    case Scheme::kConcatenate:
      return "concatenate";
  }
  return "";
}

namespace indexing {
namespace {

using hlo::Instruction;

// What a kernel evaluates: the computation of a fusion, or an instruction by itself.
class Body {
 public:
  Body(Analysis& analysis, const Instruction& call, std::span<const Instruction* const> heroes)
      : analysis_(analysis), call_(call), heroes_(heroes) {
    const std::vector<CallSite> sites = call_sites(call);
    if (sites.size() == 1) site_ = sites.front();
  }

  // From a leaf of the result to the operands, not by way of a hero.
  [[nodiscard]] PairList beside_heroes(const ShapeIndex& output) {
    if (site_) return to_operands(*site_->computation->root, output, heroes_);
    if (!heroes_.empty()) return {};
    const PairList& all = analysis_.pairs(call_, Direction::kOutputToInput);
    if (all.unknown() != nullptr) return all;
    const std::span<const LeafPair> pairs = all.of_output(output);
    return PairList({pairs.begin(), pairs.end()});
  }
  // From operand k of a hero, which must be an array, to the operands of the call.
  [[nodiscard]] PairList behind_hero(const Instruction& hero, std::size_t k) {
    if (site_) return to_operands(*hero.operands[k], {}, {});
    return PairList({identity({}, static_cast<std::int64_t>(k), hero.operands[k]->shape)});
  }
  // From a leaf of the result of a hero to the leaves of the result of the call.
  [[nodiscard]] PairList before_hero(const Instruction& hero, const ShapeIndex& leaf) {
    if (!site_) return PairList({identity(leaf, 0, shape_at(hero.shape, leaf))});
    return in_caller(
        pairs_from(analysis_, *site_->computation, hero, leaf, Direction::kInputToOutput));
  }

 private:
  PairList to_operands(const Instruction& start, const ShapeIndex& leaf,
                       std::span<const Instruction* const> avoided) {
    return in_caller(pairs_from(analysis_, *site_->computation, start, leaf,
                                Direction::kOutputToInput, avoided));
  }
  PairList in_caller(PairList list) {
    if (list.unknown() != nullptr) return list;
    std::vector<LeafPair> pairs;
    for (const LeafPair& pair : list.pairs()) {
      if (auto resolved = resolve_in_caller(analysis_, pair, *site_)) {
        pairs.push_back(*std::move(resolved));
      }
    }
    return PairList(std::move(pairs));
  }
  LeafPair identity(const ShapeIndex& output, std::int64_t operand, const hlo::Shape& array) {
    LeafPair pair = {.output = output, .operand = operand};
    const auto id = analysis_.maps().add(IndexMap::identity(analysis_.context(), array.dimensions));
    if (id) pair.maps.push_back({.map = *id});
    return pair;
  }

  Analysis& analysis_;
  const Instruction& call_;
  std::span<const Instruction* const> heroes_;
  std::optional<CallSite> site_;
};

// Maps from threads to one array, in the making.
class ThreadMaps {
 public:
  void add(OperandMap map) {
    if (!maps_.unknown.empty() || map.map.is_known_empty()) return;
    const auto same = std::ranges::find(maps_.maps, map.map, &OperandMap::map);
    if (same == maps_.maps.end()) {
      maps_.maps.push_back(std::move(map));
    } else {
      same->exact |= map.exact;
    }
  }
  void not_known(std::string reason) {
    if (maps_.unknown.empty()) maps_ = {.maps = {}, .unknown = std::move(reason)};
  }
  [[nodiscard]] const OperandMaps& maps() const { return maps_; }
  [[nodiscard]] OperandMaps take() {
    std::ranges::sort(maps_.maps,
                      [](const OperandMap& a, const OperandMap& b) { return a.map < b.map; });
    return std::move(maps_);
  }

 private:
  OperandMaps maps_;
};

// One kernel.
class KernelMaps {
 public:
  KernelMaps(Analysis& analysis, const Instruction& call, const Kernel& kernel)
      : analysis_(analysis),
        call_(call),
        kernel_(kernel),
        heroes_(heroes_of(call, kernel.scheme)),
        body_(analysis, call, heroes_) {}

  Result<KernelIndexing> run() {
    if (call_.opcode == hlo::Opcode::kAsyncStart) {
      return fail(
          ErrorKind::kUnsupported,
          fmt::format("'{}' starts what another instruction ends: it is no kernel", call_.name));
    }
    // Also of what has no arrays.
    MERCATOR_TRY_VOID(require_launch(kernel_.launch, kernel_.vector));
    if (kernel_.scheme != Scheme::kLoop) {
      if (heroes_.empty()) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("'{}' has nothing for a kernel of scheme '{}'", call_.name,
                                name(kernel_.scheme)));
      }
      if (const Instruction* unfit = unfit_behind_heroes(call_, heroes_)) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("'{}' is behind '{}', and has other elements", unfit->name,
                                heroes_.front()->name));
      }
      accesses_ = MERCATOR_TRY(accesses_of_heroes());
      for (const Instruction* hero : heroes_) add_hero(*hero);
    }
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(call_.shape)) {
      if (!leaf.shape.is_array()) continue;
      ThreadMaps& written = writes_[leaf.index];
      if (!is_before_hero_.contains(leaf.index)) {
        written.add({.map = MERCATOR_TRY(write_of(leaf.shape, leaf.index))});
      }
      read_through(written.maps(), body_.beside_heroes(leaf.index));
    }
    return take();
  }

 private:
  // What the threads read of each array of the first hero, and write of its result.
  Result<std::vector<ThreadAccess>> accesses_of_heroes() {
    const Instruction& hero = *heroes_.front();
    const hlo::Shape& from = hero.operand(0).shape;
    const Launch& launch = kernel_.launch;
    ExprContext& context = analysis_.context();
    switch (kernel_.scheme) {
      case Scheme::kLoop:
        break;
      case Scheme::kTranspose:
        return one(tiled_transpose(context, from, hero.shape, permutation_of(hero), launch,
                                   kernel_.tile, kernel_.vector));
      case Scheme::kRowReduction:
        return one(row_reduction(context, from, hero.integers(hlo::AttributeName::kDimensions),
                                 launch, kernel_.tile, kernel_.vector));
      case Scheme::kColumnReduction:
        return one(column_reduction(context, from, hero.integers(hlo::AttributeName::kDimensions),
                                    launch, kernel_.tile, kernel_.vector));
      case Scheme::kConcatenate: {
        std::vector<hlo::Shape> operands;
        for (const Instruction* operand : hero.operands) operands.push_back(operand->shape);
        return concatenation_loop(context, operands,
                                  hero.integers(hlo::AttributeName::kDimensions)[0], launch,
                                  kernel_.vector);
      }
    }
    return std::vector<ThreadAccess>();
  }
  static Result<std::vector<ThreadAccess>> one(Result<ThreadAccess> access) {
    if (!access) return std::unexpected(access.error());
    return std::vector<ThreadAccess>{*std::move(access)};
  }

  void add_hero(const Instruction& hero) {
    const std::size_t arrays = array_count(hero);
    for (std::size_t k = 0; k < hero.operands.size(); ++k) {
      const bool is_array = k < arrays;
      const IndexMap& map = accesses_[is_array && accesses_.size() > 1 ? k : 0].read;
      read_through({.maps = {{.map = is_array ? map : to_scalar(accesses_[0].write)}}},
                   body_.behind_hero(hero, k));
    }
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(hero.shape)) {
      const PairList results = body_.before_hero(hero, leaf.index);
      if (results.unknown() != nullptr) {
        for (const hlo::ShapeLeaf& output : hlo::leaves(call_.shape)) {
          is_before_hero_.insert(output.index);
          writes_[output.index].not_known(*results.unknown());
        }
      }
      for (const LeafPair& pair : results.pairs()) {
        is_before_hero_.insert(pair.output);
        for (const ThreadAccess& access : accesses_) {
          add_through({.maps = {{.map = access.write}}}, pair, writes_[pair.output]);
        }
      }
    }
  }
  // What is there once, read by the threads that have something to write.
  static IndexMap to_scalar(const IndexMap& map) {
    return simplify(IndexMap(map.context(), map.dimensions(), map.ranges(), map.runtimes(), {},
                             map.constraints()));
  }

  // For a result that no hero leads to.
  Result<IndexMap> write_of(const hlo::Shape& array, const ShapeIndex& leaf) {
    if (heroes_.empty()) {
      return linear_loop(analysis_.context(), array, kernel_.launch, kernel_.vector);
    }
    const Instruction& hero = *heroes_.front();
    const auto fits = [&](const IndexMap& map, const hlo::Shape& other) {
      return map.results().size() == array.dimensions.size() &&
             std::ranges::equal(array.dimensions, other.dimensions);
    };
    const hlo::Shape& result = shape_at(hero.shape, hlo::leaves(hero.shape).front().index);
    if (accesses_.size() == 1) {
      if (fits(accesses_[0].read, hero.operand(0).shape)) return accesses_[0].read;
      if (fits(accesses_[0].write, result)) return accesses_[0].write;
    }
    return fail(ErrorKind::kUnsupported,
                fmt::format("output {{{}}} of '{}' does not depend on '{}', and has neither the "
                            "dimensions of its operand nor those of its result",
                            fmt::join(leaf, ", "), call_.name, hero.name));
  }

  // Adds what is read where threads have the elements of `first`.
  void read_through(const OperandMaps& first, const PairList& list) {
    if (list.unknown() != nullptr) {
      for (std::size_t k = 0; k < call_.operands.size(); ++k) {
        for (const hlo::ShapeLeaf& leaf : hlo::leaves(call_.operands[k]->shape)) {
          reads_[{static_cast<std::int64_t>(k), leaf.index}].not_known(*list.unknown());
        }
      }
    }
    for (const LeafPair& pair : list.pairs()) {
      add_through(first, pair, reads_[{pair.operand, pair.operand_leaf}]);
    }
  }
  // Adds the maps of `pair` after each of `first`.
  void add_through(const OperandMaps& first, const LeafPair& pair, ThreadMaps& maps) {
    if (!first.unknown.empty()) return maps.not_known(first.unknown);
    if (pair.unknown != nullptr) return maps.not_known(*pair.unknown);
    for (const OperandMap& before : first.maps) {
      for (const MapRef& ref : pair.maps) {
        if (ref.across_devices) return maps.not_known("elements of other devices take part");
        IndexMap map = simplify(compose(before.map, analysis_.maps()[ref.map]));
        if (const auto merged = merge_runtimes(map)) map = simplify(*merged);
        maps.add({.map = std::move(map), .exact = before.exact && ref.exact});
      }
    }
  }

  KernelIndexing take() {
    KernelIndexing result = {.heroes = std::move(heroes_)};
    for (auto& [key, maps] : reads_) {
      result.reads.push_back({.operand = key.first, .leaf = key.second, .maps = maps.take()});
    }
    for (auto& [output, maps] : writes_) {
      result.writes.push_back({.output = output, .maps = maps.take()});
    }
    std::erase_if(result.reads, [](const KernelIndexing::Read& read) {
      return read.maps.maps.empty() && read.maps.unknown.empty();
    });
    return result;
  }

  Analysis& analysis_;
  const Instruction& call_;
  const Kernel& kernel_;
  std::vector<const Instruction*> heroes_;
  Body body_;
  std::vector<ThreadAccess> accesses_;  // of the heroes: one for all arrays, or one each
  std::set<ShapeIndex> is_before_hero_;
  std::map<std::pair<std::int64_t, ShapeIndex>, ThreadMaps> reads_;
  std::map<ShapeIndex, ThreadMaps> writes_;
};

}  // namespace

Result<KernelIndexing> kernel_indexing(Analysis& analysis, const Instruction& call,
                                       const Kernel& kernel) {
  return KernelMaps(analysis, call, kernel).run();
}

}  // namespace indexing
}  // namespace mercator
