// Which devices of a collective read from which, as expressions.
//
// The devices of a collective fall into groups; a device is a member of one group, and members are
// numbered. Where the numbers are laid out evenly, as in {{0,2},{1,3}} or [2,4]<=[8], device and
// member are computed from each other:
//
//   {{0,2},{1,3}}: member = device floordiv 2, device = group + 2 * member, group = device mod 2
//
// Otherwise there is a map for each two devices of a group, or, where those are too many, one map
// to all devices, over-approximate.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/devices.h"
#include "mercator/indexing/instruction_maps.h"
#include "mercator/support/error.h"

namespace mercator::indexing {

// How a device, dimension 0 of a map, and one that belongs to it are said in that map.
struct DevicePairing {
  Expr there;        // the other device
  Expr here_member;  // the number of this device in the group of both
  bool exact = true;
};

class DeviceGroups {
 public:
  // The groups of a collective with replica_groups. An error, in words, if they are not known.
  static Result<DeviceGroups> of(const hlo::Instruction& collective, const Devices& devices);

  // The size of each group; none if they differ.
  [[nodiscard]] std::optional<std::int64_t> size() const;

  // Calls `add` for each way in which a device is in a group together with a member that `member`
  // names in terms of the map; with any member where that is empty. `add` gets a copy of `from`, a
  // map across devices in the making, restricted to that way.
  using NameMember = std::function<Expr(const MapBuilder&)>;
  using AddPairing = std::function<void(MapBuilder& map, const DevicePairing& pairing)>;
  void for_each_pairing(const MapBuilder& from, const NameMember& member,
                        const AddPairing& add) const;

 private:
  // A digit of the number of a member (or group), and what it adds to the number of the device.
  struct Digit {
    std::int64_t size = 1;
    std::int64_t stride = 1;
  };
  // From the most significant digit. The digits of all even numberings together count all devices.
  using Digits = std::vector<Digit>;

  static std::optional<Digits> digits_of(std::span<const std::int64_t> numbers);
  void find_digits();
  void add_even(MapBuilder map, const NameMember& member, const AddPairing& add) const;
  void add_pairs(const MapBuilder& from, const NameMember& member, const AddPairing& add) const;

  std::int64_t device_count_ = 1;
  std::vector<std::vector<std::int64_t>> groups_;
  bool is_even_ = false;
  Digits group_digits_;
  Digits member_digits_;
};

// The devices of a collective-permute, from source to target. Requires source_target_pairs.
class DevicePairs {
 public:
  static Result<DevicePairs> of(const hlo::Instruction& permute, const Devices& devices);

  // Calls `add` for each way in which a device, dimension 0 of a map across devices, is a target
  // (or a source), with the device that is its source (its target).
  void for_each_pairing(const MapBuilder& from, bool from_target,
                        const DeviceGroups::AddPairing& add) const;

 private:
  // Targets first, first + step, …, each with the source `distance` behind it.
  struct Run {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t count = 1;
    std::int64_t distance = 0;
  };

  std::int64_t device_count_ = 1;
  std::vector<Run> runs_;
};

}  // namespace mercator::indexing
