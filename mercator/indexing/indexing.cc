#include "mercator/indexing/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/backend_config.h"
#include "mercator/indexing/computation.h"
#include "mercator/indexing/devices.h"
#include "mercator/indexing/heroes.h"
#include "mercator/indexing/instruction_maps.h"
#include "mercator/indexing/kernel.h"
#include "mercator/indexing/loop.h"
#include "mercator/indexing/physical_layout.h"
#include "mercator/indexing/runtime_value.h"

namespace mercator {

const OperandMaps* InstructionIndexing::find(const ShapeIndex& output, std::int64_t operand,
                                             const ShapeIndex& operand_leaf) const {
  const auto key = [](const Pair& pair) {
    return std::tie(pair.output, pair.operand, pair.operand_leaf);
  };
  const auto place =
      std::ranges::lower_bound(pairs, std::tie(output, operand, operand_leaf), {}, key);
  const bool found = place != pairs.end() && key(*place) == std::tie(output, operand, operand_leaf);
  return found ? &place->maps : nullptr;
}

namespace {

// (device, d0, d1) -> …: with the names that the dimensions have there.
IndexMap with_device_name(const IndexMap& map) {
  std::vector<Variable> dimensions = map.dimensions();
  dimensions[0].name = "device";
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    dimensions[i].name = fmt::format("d{}", i - 1);
  }
  return IndexMap(map.context(), std::move(dimensions), map.ranges(), map.runtimes(), map.results(),
                  map.constraints());
}

// The elements that hold the runtime variables without the devices that they lie on.
IndexMap without_devices_of_runtimes(const IndexMap& map) {
  if (map.runtimes().empty()) return map;
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (RuntimeVariable& runtime : runtimes) runtime.index.erase(runtime.index.begin());
  // A range variable may have stood for nothing but a device.
  return simplify(IndexMap(map.context(), map.dimensions(), map.ranges(), std::move(runtimes),
                           map.results(), map.constraints()));
}

OperandMap operand_map(indexing::Analysis& analysis, const indexing::MapRef& ref) {
  const IndexMap& map = analysis.maps()[ref.map];
  if (!ref.across_devices) return {.map = map, .exact = ref.exact};
  const std::optional<indexing::MapId> all = analysis.maps().add(indexing::of_all_devices(map));
  // It has as many points as the map, which is not empty.
  const IndexMap& of_all = analysis.maps()[all.value_or(ref.map)];
  return {.map = without_devices_of_runtimes(of_all),
          .exact = ref.exact,
          .across_devices = with_device_name(analysis.maps()[ref.map])};
}

bool stands_before(const OperandMap& a, const OperandMap& b) {
  if (const auto order = a.map <=> b.map; order != 0) return order < 0;
  if (a.across_devices.has_value() != b.across_devices.has_value()) {
    return b.across_devices.has_value();
  }
  return a.across_devices.has_value() && *a.across_devices < *b.across_devices;
}

OperandMaps operand_maps(indexing::Analysis& analysis, std::span<const indexing::MapRef> refs,
                         const std::string* unknown) {
  OperandMaps maps;
  if (unknown != nullptr) {
    maps.unknown = *unknown;
    return maps;
  }
  maps.maps.reserve(refs.size());
  for (const indexing::MapRef& ref : refs) maps.maps.push_back(operand_map(analysis, ref));
  std::ranges::sort(maps.maps, stands_before);
  return maps;
}

}  // namespace

struct IndexingAnalysis::Impl {
  Impl(const hlo::Module& module, ExprContext& context, CustomCalls custom_calls)
      : analysis(module, context, std::move(custom_calls)) {}

  indexing::Analysis analysis;
};

IndexingAnalysis::IndexingAnalysis(const hlo::Module& module, ExprContext& context,
                                   CustomCalls custom_calls)
    : impl_(std::make_unique<Impl>(module, context, std::move(custom_calls))) {}
IndexingAnalysis::~IndexingAnalysis() = default;

InstructionIndexing IndexingAnalysis::indexing(const hlo::Instruction& instruction,
                                               Direction direction) {
  indexing::Analysis& analysis = impl_->analysis;
  const indexing::PairList& list = analysis.pairs(instruction, direction);
  InstructionIndexing result;
  if (list.unknown() != nullptr) {
    result.unknown = *list.unknown();
    return result;
  }
  result.pairs.reserve(list.pairs().size());
  for (const indexing::LeafPair& pair : list.pairs()) {
    result.pairs.push_back({.output = pair.output,
                            .operand = pair.operand,
                            .operand_leaf = pair.operand_leaf,
                            .maps = operand_maps(analysis, pair.maps, pair.unknown)});
  }
  return result;
}

GroupedIndexing IndexingAnalysis::grouped(const hlo::Instruction& call,
                                          const std::optional<ShapeIndex>& output) {
  indexing::Analysis& analysis = impl_->analysis;
  const indexing::CallSite site = indexing::call_sites(call)[0];
  const indexing::Inside inside = indexing::inside_of(analysis, *site.computation, output);
  GroupedIndexing result;
  if (inside.unknown != nullptr) result.unknown = *inside.unknown;
  for (const indexing::Inside::Part& part : inside.parts) {
    std::vector<indexing::MapRef> maps;
    for (const indexing::MapRef& ref : part.maps) {
      const auto in_caller = indexing::resolve_in_caller(analysis, ref, site);
      if (in_caller.has_value()) indexing::add_to_set(maps, *in_caller);
    }
    if (maps.empty() && part.unknown == nullptr) continue;
    result.groups.push_back({.output = part.output,
                             .instruction = part.instruction,
                             .leaf = part.leaf,
                             .maps = operand_maps(analysis, maps, part.unknown)});
  }
  return result;
}

GroupedIndexing IndexingAnalysis::below(const hlo::Instruction& instruction,
                                        const std::optional<ShapeIndex>& output) {
  indexing::Analysis& analysis = impl_->analysis;
  const indexing::Inside inside = indexing::below(analysis, instruction, output);
  GroupedIndexing result;
  if (inside.unknown != nullptr) result.unknown = *inside.unknown;
  for (const indexing::Inside::Part& part : inside.parts) {
    result.groups.push_back({.output = part.output,
                             .instruction = part.instruction,
                             .leaf = part.leaf,
                             .maps = operand_maps(analysis, part.maps, part.unknown)});
  }
  return result;
}

Result<KernelIndexing> IndexingAnalysis::kernel(const hlo::Instruction& call,
                                                const Kernel& kernel) {
  return indexing::kernel_indexing(impl_->analysis, call, kernel);
}

std::optional<std::int64_t> IndexingAnalysis::round_count(const hlo::Instruction& loop) {
  const auto counted = indexing::counted_loop(impl_->analysis, loop);
  return counted ? std::optional(counted->count) : indexing::read_known_trip_count(loop);
}

std::int64_t IndexingAnalysis::device_count() const { return impl_->analysis.devices().count(); }

std::chrono::nanoseconds IndexingAnalysis::simplify_time() const {
  return impl_->analysis.maps().simplify_time();
}

Result<IndexMap> IndexingAnalysis::physical_position(const hlo::Shape& array) {
  indexing::Analysis& analysis = impl_->analysis;
  indexing::MapBuilder map(analysis, array.dimensions);
  if (!indexing::has_elements(array)) {
    return IndexMap::empty(analysis.context(), array.dimensions.size(), 1);
  }
  const auto layout = MERCATOR_TRY(indexing::PhysicalLayout::of(array));
  const std::vector<Expr> physical = layout.to_physical(map.dims());
  std::vector<Term> terms;
  std::int64_t stride = 1;
  for (std::size_t i = physical.size(); i-- > 0;) {
    terms.push_back({physical[i], stride});
    stride *= layout.sizes()[i];
  }
  const std::optional<indexing::MapId> id =
      analysis.maps().add(map.to({analysis.context().sum(terms)}));
  return analysis.maps()[*id];
}

}  // namespace mercator
