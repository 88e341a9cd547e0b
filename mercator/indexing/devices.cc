#include "mercator/indexing/devices.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/map_transform.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

namespace {

// The results, constrained expressions and indices of a map with its dimensions replaced.
IndexMap with_dimensions(const IndexMap& map, std::vector<Variable> dimensions,
                         std::vector<Variable> ranges,
                         const std::function<Expr(VariableId)>& replacement) {
  std::vector<Expr> results = map.results();
  substitute(results, replacement);
  std::vector<Constraint> constraints = map.constraints();
  for (Constraint& constraint : constraints) {
    constraint.expr = substitute(constraint.expr, replacement);
  }
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (RuntimeVariable& runtime : runtimes) substitute(runtime.index, replacement);
  return IndexMap(map.context(), std::move(dimensions), std::move(ranges), std::move(runtimes),
                  std::move(results), std::move(constraints));
}

}  // namespace

IndexMap on_each_device(const IndexMap& map, std::int64_t devices) {
  std::vector<Variable> dimensions = {{.bounds = Interval::indices(devices)}};
  dimensions.insert(dimensions.end(), map.dimensions().begin(), map.dimensions().end());
  const IndexMap moved =
      with_dimensions(map, std::move(dimensions), map.ranges(), [&](VariableId id) {
        return id.kind == VariableKind::kDimension ? map.context().dimension(id.index + 1) : Expr();
      });
  const Expr device = map.context().dimension(0);
  std::vector<Expr> results = {device};
  results.insert(results.end(), moved.results().begin(), moved.results().end());
  std::vector<RuntimeVariable> runtimes = moved.runtimes();
  for (RuntimeVariable& runtime : runtimes) runtime.index.insert(runtime.index.begin(), device);
  return IndexMap(map.context(), moved.dimensions(), moved.ranges(), std::move(runtimes),
                  std::move(results), moved.constraints());
}

namespace indexing {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// Whether it has replica_groups and use_global_device_ids.
bool has_global_ids(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool is_collective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
      return true;
    default:
      return has_global_ids(opcode);
  }
}

std::int64_t largest(std::span<const std::span<const std::int64_t>> lists) {
  std::int64_t result = -1;
  for (const std::span<const std::int64_t> list : lists) {
    for (const std::int64_t number : list) result = std::max(result, number);
  }
  return std::min(result, kMaxDevices);
}

// One more than the largest number that a collective gives; saturates, 0 if it gives none.
std::int64_t named_count(const Instruction& collective) {
  const auto* groups = collective.get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups == nullptr) {
    return largest(collective.get<std::span<const std::span<const std::int64_t>>>(
               AttributeName::kSourceTargetPairs)) +
           1;
  }
  if (groups->iota_dimensions.empty()) return largest(groups->groups) + 1;
  std::int64_t count = 1;
  for (const std::int64_t size : groups->iota_dimensions) {
    if (!checked_mul(count, size, &count)) return kMaxDevices + 1;
  }
  return std::min(count, kMaxDevices + 1);
}

bool says(const hlo::Module& module, std::string_view attribute) {
  return std::ranges::find(module.attributes, attribute, &hlo::ModuleAttribute::name) !=
         module.attributes.end();
}

}  // namespace

GroupMode group_mode(const Instruction& collective) {
  const bool has_channel = collective.find(AttributeName::kChannelId) != nullptr;
  if (!has_channel) return GroupMode::kCrossReplica;
  if (!has_global_ids(collective.opcode)) return GroupMode::kCrossPartition;
  return collective.get<bool>(AttributeName::kUseGlobalDeviceIds)
             ? GroupMode::kFlattenedId
             : GroupMode::kCrossReplicaAndPartition;
}

Devices devices_of(const hlo::Module& module) {
  Devices devices = {.replicas = std::max<std::int64_t>(module.replica_count, 1),
                     .partitions = std::max<std::int64_t>(module.partition_count, 1)};
  const bool replicas_known = says(module, "replica_count");
  const bool partitions_known = says(module, "num_partitions");
  if (replicas_known && partitions_known) return devices;
  std::int64_t flattened = 1;
  for (const Instruction* instruction : module.instructions) {
    if (!is_collective(instruction->opcode)) continue;
    const std::int64_t count = named_count(*instruction);
    switch (group_mode(*instruction)) {
      case GroupMode::kFlattenedId:
        flattened = std::max(flattened, count);
        break;
      case GroupMode::kCrossPartition:
        if (!partitions_known) devices.partitions = std::max(devices.partitions, count);
        break;
      case GroupMode::kCrossReplica:
      case GroupMode::kCrossReplicaAndPartition:
        if (!replicas_known) devices.replicas = std::max(devices.replicas, count);
        break;
    }
  }
  // The others are partitions of the replicas that there are, or replicas.
  const auto rounded_quotient = [&](std::int64_t divisor) {
    return (flattened + divisor - 1) / std::max<std::int64_t>(divisor, 1);
  };
  if (!partitions_known) {
    devices.partitions = std::max(devices.partitions, rounded_quotient(devices.replicas));
  } else {
    devices.replicas = std::max(devices.replicas, rounded_quotient(devices.partitions));
  }
  return devices;
}

IndexMap of_all_devices(const IndexMap& map) {
  std::vector<Variable> dimensions(map.dimensions().begin() + 1, map.dimensions().end());
  std::vector<Variable> ranges = map.ranges();
  const auto device = static_cast<std::uint32_t>(ranges.size());
  ranges.push_back({.bounds = map.dimensions()[0].bounds});
  const IndexMap all =
      with_dimensions(map, std::move(dimensions), std::move(ranges), [&](VariableId id) {
        if (id.kind != VariableKind::kDimension) return Expr();
        return id.index == 0 ? map.context().range(device) : map.context().dimension(id.index - 1);
      });
  std::vector<Expr> results(all.results().begin() + 1, all.results().end());
  return IndexMap(map.context(), all.dimensions(), all.ranges(), all.runtimes(), std::move(results),
                  all.constraints());
}

MapRef across_devices(Analysis& analysis, MapRef ref) {
  if (ref.across_devices) return ref;
  const IndexMap map = on_each_device(analysis.maps()[ref.map], analysis.devices().count());
  // It is not empty, since there is a device.
  return {.map = analysis.maps().add(map).value_or(ref.map),
          .exact = ref.exact,
          .across_devices = true,
          .widened = ref.widened};
}

std::optional<MapRef> compose(Analysis& analysis, MapRef first, MapRef second,
                              std::span<const std::int64_t> sizes) {
  MapRef result{.exact = first.exact && second.exact,
                .across_devices = first.across_devices || second.across_devices,
                .widened = first.widened || second.widened};
  std::vector<std::int64_t> all_sizes(sizes.begin(), sizes.end());
  if (result.across_devices) {
    first = across_devices(analysis, first);
    second = across_devices(analysis, second);
    all_sizes.insert(all_sizes.begin(), analysis.devices().count());
  }
  const std::optional<MapId> map = analysis.maps().compose(first.map, second.map, all_sizes);
  if (!map.has_value()) return std::nullopt;
  result.map = *map;
  return result;
}

std::optional<MapRef> widen(Analysis& analysis, std::vector<MapRef> refs,
                            std::span<const std::int64_t> sizes) {
  MapRef result{.exact = false,
                .across_devices = std::ranges::any_of(refs, &MapRef::across_devices),
                .widened = true};
  std::vector<std::int64_t> all_sizes(sizes.begin(), sizes.end());
  if (result.across_devices) {
    all_sizes.insert(all_sizes.begin(), analysis.devices().count());
    for (MapRef& ref : refs) ref = across_devices(analysis, ref);
  }
  std::vector<const IndexMap*> maps;
  for (const MapRef& ref : refs) maps.push_back(&analysis.maps()[ref.map]);
  const std::optional<MapId> id = analysis.maps().add(widen(maps, all_sizes));
  if (!id.has_value()) return std::nullopt;
  result.map = *id;
  return result;
}

}  // namespace indexing
}  // namespace mercator
