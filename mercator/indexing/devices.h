// The devices that a program runs on, and maps that lead from one device to another.
//
// A program may run on several devices at once: `replica_count` times `num_partitions`. A device is
// its number, replica * num_partitions + partition. Most instructions read what lies on their own
// device, and their maps say nothing of devices. The maps of a collective do: they lead from
// (device, index) to (device, index), `(device, d0) -> (d0 floordiv 4, d0 mod 4)`, and are called
// maps across devices. In such a map the index of the element that holds a runtime variable starts
// with a device, too.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/pairs.h"
#include "mercator/map/index_map.h"

namespace mercator::indexing {

class Analysis;

// More devices than this are not supported.
inline constexpr std::int64_t kMaxDevices = 65536;

struct Devices {
  std::int64_t replicas = 1;
  std::int64_t partitions = 1;

  [[nodiscard]] std::int64_t count() const { return replicas * partitions; }
};

// How devices are numbered where a collective names them.
enum class GroupMode : std::uint8_t {
  kCrossReplica,              // replicas; each partition for itself
  kCrossPartition,            // partitions; each replica for itself
  kCrossReplicaAndPartition,  // replicas, of which all partitions take part
  kFlattenedId,               // devices
};
// Requires a collective.
[[nodiscard]] GroupMode group_mode(const hlo::Instruction& collective);

// As the module says it. Where it does not say how many replicas or partitions there are, as many
// as its collectives name.
[[nodiscard]] Devices devices_of(const hlo::Module& module);

// (d0, …)[s0] -> (e0, …) for a map (device, d0, …) -> (…, e0, …): what it says of all devices
// together. The elements that hold runtime variables lie on some device, still.
[[nodiscard]] IndexMap of_all_devices(const IndexMap& map);

// `ref` as a map across devices.
[[nodiscard]] MapRef across_devices(Analysis& analysis, MapRef ref);

// `second` after `first`; `sizes` are those of the array between them. None if empty.
[[nodiscard]] std::optional<MapRef> compose(Analysis& analysis, MapRef first, MapRef second,
                                            std::span<const std::int64_t> sizes);

// One over-approximate map in place of several to an array of these sizes. Requires at least one.
[[nodiscard]] std::optional<MapRef> widen(Analysis& analysis, std::vector<MapRef> refs,
                                          std::span<const std::int64_t> sizes);

}  // namespace mercator::indexing
