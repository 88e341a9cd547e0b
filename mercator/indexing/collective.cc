// Collectives: what is read of other devices. Their maps are maps across devices (devices.h).

#include <fmt/format.h>

#include "mercator/indexing/device_groups.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/sizes.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// The leaf of the result for operand `operand`, below `prefix`: a tuple if there are several.
ShapeIndex leaf_of_operand(const InstructionMaps& maps, std::size_t operand,
                           ShapeIndex prefix = {}) {
  if (maps.instruction().operands.size() > 1) {
    prefix.push_back(static_cast<std::int64_t>(operand));
  }
  return prefix;
}

// The index in the map, without the device.
std::vector<Expr> index_of(const MapBuilder& map) {
  std::vector<Expr> index = map.dims();
  index.erase(index.begin());
  return index;
}

// (device, index) -> (there, index), as a finished map.
IndexMap to_device(const MapBuilder& map, Expr there, std::vector<Expr> index) {
  index.insert(index.begin(), there);
  return map.to(std::move(index));
}

// The groups; none, having said why, if they are not known.
std::optional<DeviceGroups> groups_of(InstructionMaps& maps) {
  Result<DeviceGroups> groups = DeviceGroups::of(maps.instruction(), maps.analysis().devices());
  if (groups.has_value()) return *std::move(groups);
  maps.unknown(groups.error().message);
  return std::nullopt;
}

// The groups, of one size, into whose members dimension `dimension` of `whole` is cut, and how much
// of it each has.
struct Parts {
  DeviceGroups groups;
  std::size_t dimension = 0;
  std::int64_t size = 1;
};

// None, having said why, if the dimension cannot be cut so; `part` is a shape that is a part.
std::optional<Parts> parts_of(InstructionMaps& maps, const hlo::Shape& whole,
                              const hlo::Shape* part) {
  const std::optional<DeviceGroups> groups = groups_of(maps);
  if (!groups.has_value()) return std::nullopt;
  const std::optional<std::int64_t> count = groups->size();
  if (!count.has_value()) {
    maps.unknown("replica_groups are of different sizes");
    return std::nullopt;
  }
  const auto dimension =
      static_cast<std::size_t>(maps.instruction().integers(AttributeName::kDimensions)[0]);
  const std::int64_t size = whole.dimensions[dimension];
  if (size % *count != 0 || (part != nullptr && part->dimensions[dimension] != size / *count)) {
    maps.unknown(
        fmt::format("dimension {} of size {} is not cut into a part for each of {} devices",
                    dimension, size, *count));
    return std::nullopt;
  }
  return Parts{.groups = *groups, .dimension = dimension, .size = size / *count};
}

// From a whole to the part of it that a member has: the member that has component `dimension` of
// the index.
//   (device, d0) -> (device of member d0 floordiv 4, d0 mod 4)
void whole_to_part(InstructionMaps& maps, const Parts& parts, const hlo::Shape& whole,
                   const ShapeIndex& output, std::int64_t operand) {
  if (!has_elements(whole)) return;
  const auto member = [&](const MapBuilder& map) {
    return floor_div(map.dim(parts.dimension + 1), parts.size);
  };
  parts.groups.for_each_pairing(
      maps.from_device(whole), member, [&](MapBuilder& map, const DevicePairing& pairing) {
        std::vector<Expr> index = index_of(map);
        index[parts.dimension] = mod(index[parts.dimension], parts.size);
        maps.add_across_devices(output, operand, {},
                                to_device(map, pairing.there, std::move(index)), pairing.exact);
      });
}

// The inverse: from the part that this device has to the whole that each member has.
//   (device, d0)[s0] -> (device of member s0, d0 + 4 * (the member that the device is))
void part_to_whole(InstructionMaps& maps, const Parts& parts, const hlo::Shape& part,
                   const ShapeIndex& output, std::int64_t operand) {
  if (!has_elements(part)) return;
  parts.groups.for_each_pairing(
      maps.from_device(part), {}, [&](MapBuilder& map, const DevicePairing& pairing) {
        std::vector<Expr> index = index_of(map);
        index[parts.dimension] = index[parts.dimension] + pairing.here_member * parts.size;
        maps.add_across_devices(output, operand, {},
                                to_device(map, pairing.there, std::move(index)), pairing.exact);
      });
}

// From an index on this device to the same on each member of its group.
void same_on_each_member(InstructionMaps& maps, const DeviceGroups& groups,
                         const ShapeIndex& output, std::int64_t operand, const hlo::Shape& array) {
  groups.for_each_pairing(
      maps.from_device(array), {}, [&](MapBuilder& map, const DevicePairing& pairing) {
        maps.add_across_devices(output, operand, {}, to_device(map, pairing.there, index_of(map)),
                                pairing.exact);
      });
}

void gather_parts(InstructionMaps& maps, const ShapeIndex& prefix) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const ShapeIndex output = leaf_of_operand(maps, k, prefix);
    const hlo::Shape& whole = shape_at(maps.output(), output);
    const std::optional<Parts> parts = parts_of(maps, whole, &maps.operand(k));
    if (!parts.has_value()) return;
    if (maps.is_output_to_input()) {
      whole_to_part(maps, *parts, whole, output, static_cast<std::int64_t>(k));
    } else {
      part_to_whole(maps, *parts, maps.operand(k), output, static_cast<std::int64_t>(k));
    }
  }
}

// The operands of a start are part of its result, at {0}.
void add_operands_of_start(InstructionMaps& maps) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    maps.add_identity(leaf_of_operand(maps, k, {0}), static_cast<std::int64_t>(k), {},
                      maps.operand(k));
  }
}

}  // namespace

// f32[8] all-gather(f32[4] p0), replica_groups={{0,1},{2,3}}, dimensions={0}
//   o2i: (device, d0) -> ((device floordiv 2) * 2 + d0 floordiv 4, d0 mod 4)
//   i2o: (device, d0)[s0] -> ((device floordiv 2) * 2 + s0, (device mod 2) * 4 + d0)
void all_gather(InstructionMaps& maps) { gather_parts(maps, {}); }

// (f32[4], f32[8]) all-gather-start(f32[4] p0): the operands, then the results
void all_gather_start(InstructionMaps& maps) {
  add_operands_of_start(maps);
  gather_parts(maps, {1});
}

// f32[8] all-reduce(f32[8] p0), replica_groups={{0,1},{2,3}}
//   (device, d0)[s0] -> ((device floordiv 2) * 2 + s0, d0)
void all_reduce(InstructionMaps& maps) {
  const std::optional<DeviceGroups> groups = groups_of(maps);
  if (!groups.has_value()) return;
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    same_on_each_member(maps, *groups, leaf_of_operand(maps, k), static_cast<std::int64_t>(k),
                        maps.operand(k));
  }
}

// f32[4] reduce-scatter(f32[8] p0), replica_groups={{0,1},{2,3}}, dimensions={0}
//   o2i: (device, d0)[s0] -> ((device floordiv 2) * 2 + s0, (device mod 2) * 4 + d0)
//   i2o: (device, d0) -> ((device floordiv 2) * 2 + d0 floordiv 4, d0 mod 4)
void reduce_scatter(InstructionMaps& maps) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const ShapeIndex output = leaf_of_operand(maps, k);
    const hlo::Shape& part = shape_at(maps.output(), output);
    const std::optional<Parts> parts = parts_of(maps, maps.operand(k), &part);
    if (!parts.has_value()) return;
    if (maps.is_output_to_input()) {
      part_to_whole(maps, *parts, part, output, static_cast<std::int64_t>(k));
    } else {
      whole_to_part(maps, *parts, maps.operand(k), output, static_cast<std::int64_t>(k));
    }
  }
}

namespace {

// Each result has maps of each operand: beyond this many, they are not said.
constexpr std::int64_t kMaxOperands = 256;

// (f32[8], f32[8]) all-to-all(f32[8] p0, f32[8] p1): part m of the result of member k is operand k
// of member m
void all_to_all_of_operands(InstructionMaps& maps) {
  const std::optional<DeviceGroups> groups = groups_of(maps);
  if (!groups.has_value()) return;
  const auto count = std::ssize(maps.instruction().operands);
  if (count > kMaxOperands) {
    return maps.unknown(fmt::format("all-to-all of {} operands is not supported", count));
  }
  if (groups->size() != count) {
    return maps.unknown(
        fmt::format("the groups do not have a device for each of {} operands", count));
  }
  if (!has_elements(maps.operand(0))) return;
  for (std::int64_t output = 0; output < count; ++output) {
    for (std::int64_t operand = 0; operand < count; ++operand) {
      const bool o2i = maps.is_output_to_input();
      groups->for_each_pairing(
          maps.from_device(maps.operand(0)),
          [&](const MapBuilder& map) { return map.constant(o2i ? output : operand); },
          [&](MapBuilder& map, const DevicePairing& pairing) {
            if (pairing.exact) {
              map.require(pairing.here_member, Interval::point(o2i ? operand : output));
            }
            maps.add_across_devices({output}, operand, {},
                                    to_device(map, pairing.there, index_of(map)), pairing.exact);
          });
    }
  }
}

}  // namespace

// f32[8] all-to-all(f32[8] p0), replica_groups={{0,1},{2,3}}, dimensions={0}: part m of the result
// of member k is part k of the operand of member m
//   (device, d0) -> ((device floordiv 2) * 2 + d0 floordiv 4, (device mod 2) * 4 + d0 mod 4)
void all_to_all(InstructionMaps& maps) {
  if (maps.instruction().find(AttributeName::kDimensions) == nullptr) {
    return all_to_all_of_operands(maps);
  }
  const std::optional<Parts> parts = parts_of(maps, maps.output(), nullptr);
  if (!parts.has_value() || !has_elements(maps.output())) return;
  const auto member = [&](const MapBuilder& map) {
    return floor_div(map.dim(parts->dimension + 1), parts->size);
  };
  parts->groups.for_each_pairing(
      maps.from_device(maps.output()), member, [&](MapBuilder& map, const DevicePairing& pairing) {
        std::vector<Expr> index = index_of(map);
        Expr& component = index[parts->dimension];
        component = mod(component, parts->size) + pairing.here_member * parts->size;
        maps.add_across_devices({}, 0, {}, to_device(map, pairing.there, std::move(index)),
                                pairing.exact);
      });
}

namespace {

void permute(InstructionMaps& maps, const ShapeIndex& prefix) {
  if (maps.instruction().find(AttributeName::kSliceSizes) != nullptr) {
    return maps.unknown("collective-permute of slices in place is not supported");
  }
  const Result<DevicePairs> pairs = DevicePairs::of(maps.instruction(), maps.analysis().devices());
  if (!pairs.has_value()) return maps.unknown(pairs.error().message);
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    pairs->for_each_pairing(maps.from_device(maps.operand(k)), maps.is_output_to_input(),
                            [&](MapBuilder& map, const DevicePairing& pairing) {
                              maps.add_across_devices(
                                  leaf_of_operand(maps, k, prefix), static_cast<std::int64_t>(k),
                                  {}, to_device(map, pairing.there, index_of(map)), pairing.exact);
                            });
  }
}

}  // namespace

// f32[8] collective-permute(f32[8] p0), source_target_pairs={{0,1},{1,2},{2,3}}: a device that is
// no target gets zeros
//   o2i: (device, d0) -> (device - 1, d0), device in [1, 3]
//   i2o: (device, d0) -> (device + 1, d0), device in [0, 2]
void collective_permute(InstructionMaps& maps) { permute(maps, {}); }

// (f32[8], f32[8]) collective-permute-start(f32[8] p0): the operands, then the results
void collective_permute_start(InstructionMaps& maps) {
  add_operands_of_start(maps);
  permute(maps, {1});
}

// f32[8] collective-broadcast(f32[8] p0), replica_groups={{1,0},{2,3}}: from the first of the group
//   o2i: (device, d0) -> (1, d0), device in [0, 1]; (device, d0) -> (2, d0), device in [2, 3]
void collective_broadcast(InstructionMaps& maps) {
  const std::optional<DeviceGroups> groups = groups_of(maps);
  if (!groups.has_value()) return;
  const auto first = [](const MapBuilder& map) { return map.constant(0); };
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const bool o2i = maps.is_output_to_input();
    groups->for_each_pairing(
        maps.from_device(maps.operand(k)), o2i ? first : DeviceGroups::NameMember(),
        [&](MapBuilder& map, const DevicePairing& pairing) {
          if (!o2i && pairing.exact) map.require(pairing.here_member, Interval::point(0));
          maps.add_across_devices(leaf_of_operand(maps, k), static_cast<std::int64_t>(k), {},
                                  to_device(map, pairing.there, index_of(map)), pairing.exact);
        });
  }
}

// f32[8,4] ragged-all-to-all(f32[6,4] p0, f32[8,4] p1, offsets, sizes, offsets, sizes): rows of p0
// of the group's members where they send them, of p1 elsewhere. Which ones, the values of the other
// operands decide; every row may be read, and so may all of those.
//   o2i of p0: (device, d0, d1)[s0, s1] -> (a member of its group, s1, d1), over-approximate
//   o2i of p1: (device, d0, d1) -> (device, d0, d1), over-approximate
void ragged_all_to_all(InstructionMaps& maps) {
  const std::optional<DeviceGroups> groups = groups_of(maps);
  if (!groups.has_value()) return;
  if (!has_elements(maps.output())) return;
  maps.add({}, 1, {}, maps.from(maps.output()).to(maps.from(maps.output()).dims()),
           /*exact=*/false);
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    if (k == 1) continue;
    const bool o2i = maps.is_output_to_input();
    const hlo::Shape& here = o2i ? maps.output() : maps.operand(k);
    const hlo::Shape& there = o2i ? maps.operand(k) : maps.output();
    if (!has_elements(here)) continue;
    const auto is_same_in_row = [&](std::size_t i) {
      return k == 0 && i > 0 && i < here.dimensions.size() &&
             here.dimensions[i] == there.dimensions[i];
    };
    groups->for_each_pairing(
        maps.from_device(here), {}, [&](MapBuilder& map, const DevicePairing& pairing) {
          std::vector<Expr> index;
          for (std::size_t i = 0; i < there.dimensions.size(); ++i) {
            index.push_back(is_same_in_row(i) ? map.dim(i + 1) : map.range(there.dimensions[i]));
          }
          maps.add_across_devices({}, static_cast<std::int64_t>(k), {},
                                  to_device(map, pairing.there, std::move(index)),
                                  /*exact=*/false);
        });
  }
}

}  // namespace mercator::indexing
