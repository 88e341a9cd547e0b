#include "mercator/indexing/device_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace mercator::indexing {

using hlo::AttributeName;
using Groups = std::vector<std::vector<std::int64_t>>;

namespace {

// Where there would be more maps than this, there is one to all devices.
constexpr std::int64_t kMaxPairings = 256;

std::unexpected<Error> unknown(std::string message) {
  return fail(ErrorKind::kUnsupported, std::move(message));
}

// The product, if it is that of positive numbers and not too large.
std::optional<std::int64_t> device_product(std::span<const std::int64_t> sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMaxDevices || (product *= size) > kMaxDevices) return std::nullopt;
  }
  return product;
}

// The numbers 0 … count-1 in the order that an iota gives them: [2,4]<=[4,2]T(1,0). None if that is
// not an order of them.
std::vector<std::int64_t> iota_numbers(const hlo::ReplicaGroups& groups, std::int64_t count) {
  const std::size_t rank = groups.iota_reshape.size();
  const std::span<const std::int64_t> transpose = groups.iota_transpose;
  const bool is_order = std::ranges::all_of(transpose, [&](std::int64_t i) {
    return i >= 0 && i < static_cast<std::int64_t>(rank) && std::ranges::count(transpose, i) == 1;
  });
  if (!is_order || (!transpose.empty() && transpose.size() != rank) ||
      device_product(groups.iota_reshape) != count) {
    return {};
  }
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * groups.iota_reshape[i];
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rank; ++i) {
    order.push_back(transpose.empty() ? i : static_cast<std::size_t>(transpose[i]));
  }
  std::vector<std::int64_t> numbers = {0};
  for (const std::size_t dimension : order) {
    std::vector<std::int64_t> next;
    for (const std::int64_t number : numbers) {
      for (std::int64_t i = 0; i < groups.iota_reshape[dimension]; ++i) {
        next.push_back(number + i * strides[dimension]);
      }
    }
    numbers = std::move(next);
  }
  return numbers;
}

// As the attribute lists them, of `count` replicas, partitions or devices; all in one group where
// it lists none.
Result<Groups> listed_groups(const hlo::Instruction& collective, std::int64_t count) {
  const auto* groups = collective.get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups == nullptr && collective.find(AttributeName::kReplicaGroups) != nullptr) {
    return unknown("replica_groups over a mesh are not supported");
  }
  Groups result;
  if (groups != nullptr && !groups->iota_dimensions.empty()) {
    const std::optional<std::int64_t> total = device_product(groups->iota_dimensions);
    if (!total.has_value()) {
      return unknown(fmt::format("replica_groups list none or more than {}", kMaxDevices));
    }
    const std::vector<std::int64_t> numbers = iota_numbers(*groups, *total);
    if (numbers.empty()) return unknown("replica_groups do not list each number once");
    const std::int64_t size = *total / groups->iota_dimensions[0];
    for (auto at = numbers.begin(); at != numbers.end(); at += size) {
      result.emplace_back(at, at + size);
    }
  } else if (groups != nullptr) {
    for (const std::span<const std::int64_t> group : groups->groups) {
      if (!group.empty()) result.emplace_back(group.begin(), group.end());
    }
  }
  if (result.empty()) {
    result.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) result[0].push_back(i);
  }
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  for (const std::vector<std::int64_t>& group : result) {
    for (const std::int64_t number : group) {
      if (number < 0 || number >= count) {
        return unknown(fmt::format("replica_groups name {}, of {}", number, count));
      }
      if (seen[static_cast<std::size_t>(number)]) {
        return unknown(fmt::format("replica_groups name {} twice", number));
      }
      seen[static_cast<std::size_t>(number)] = true;
    }
  }
  return result;
}

// How many of what the numbers in the attributes count.
std::int64_t numbered(GroupMode mode, const Devices& devices) {
  switch (mode) {
    case GroupMode::kCrossPartition:
      return devices.partitions;
    case GroupMode::kFlattenedId:
      return devices.count();
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      break;
  }
  return devices.replicas;
}

// The groups of devices that a group of replicas or partitions stands for.
void add_device_groups(const std::vector<std::int64_t>& group, GroupMode mode,
                       const Devices& devices, Groups& result) {
  const auto collect = [&](std::int64_t count, const auto& device) {
    for (std::int64_t other = 0; other < count; ++other) {
      std::vector<std::int64_t>& added = result.emplace_back();
      for (const std::int64_t number : group) added.push_back(device(number, other));
    }
  };
  switch (mode) {
    case GroupMode::kCrossReplica:
      return collect(devices.partitions, [&](std::int64_t replica, std::int64_t partition) {
        return replica * devices.partitions + partition;
      });
    case GroupMode::kCrossPartition:
      return collect(devices.replicas, [&](std::int64_t partition, std::int64_t replica) {
        return replica * devices.partitions + partition;
      });
    case GroupMode::kFlattenedId:
      result.push_back(group);
      return;
    case GroupMode::kCrossReplicaAndPartition:
      break;
  }
  std::vector<std::int64_t>& added = result.emplace_back();
  for (const std::int64_t replica : group) {
    for (std::int64_t partition = 0; partition < devices.partitions; ++partition) {
      added.push_back(replica * devices.partitions + partition);
    }
  }
}

Result<void> check_count(const Devices& devices) {
  if (devices.count() <= kMaxDevices) return {};
  return unknown(fmt::format("more than {} devices are not supported", kMaxDevices));
}

}  // namespace

// ---- DeviceGroups ----

Result<DeviceGroups> DeviceGroups::of(const hlo::Instruction& collective, const Devices& devices) {
  MERCATOR_TRY_VOID(check_count(devices));
  const GroupMode mode = group_mode(collective);
  DeviceGroups result;
  result.device_count_ = devices.count();
  for (const std::vector<std::int64_t>& group :
       MERCATOR_TRY(listed_groups(collective, numbered(mode, devices)))) {
    add_device_groups(group, mode, devices, result.groups_);
  }
  result.find_digits();
  return result;
}

std::optional<std::int64_t> DeviceGroups::size() const {
  const auto size = [](const auto& group) { return std::ssize(group); };
  const bool differ =
      std::ranges::adjacent_find(groups_, std::ranges::not_equal_to(), size) != groups_.end();
  if (differ) return std::nullopt;
  return std::ssize(groups_.front());
}

// The digits of the place in the list, so that number = numbers[0] + the sum of digit * stride.
std::optional<DeviceGroups::Digits> DeviceGroups::digits_of(std::span<const std::int64_t> numbers) {
  Digits digits;
  // Each block of `block` numbers is the first one, shifted.
  std::size_t block = 1;
  while (block < numbers.size()) {
    const std::int64_t stride = numbers[block] - numbers[0];
    std::size_t count = 1;
    const auto is_next_block = [&] {
      const std::size_t start = count * block;
      if (start + block > numbers.size()) return false;
      const std::int64_t shift = static_cast<std::int64_t>(count) * stride;
      for (std::size_t i = 0; i < block; ++i) {
        if (numbers[start + i] != numbers[i] + shift) return false;
      }
      return true;
    };
    while (is_next_block()) ++count;
    if (count == 1 || numbers.size() % (block * count) != 0) return std::nullopt;
    digits.insert(digits.begin(), {.size = static_cast<std::int64_t>(count), .stride = stride});
    block *= count;
  }
  return digits;
}

// The groups are even if each is the first one, shifted, and if the digits of groups and of members
// together are those of the number of the device, in some order.
void DeviceGroups::find_digits() {
  if (!size().has_value()) return;
  const std::vector<std::int64_t>& first = groups_.front();
  std::vector<std::int64_t> starts;
  for (const std::vector<std::int64_t>& group : groups_) {
    starts.push_back(group.front());
    for (std::size_t m = 0; m < group.size(); ++m) {
      if (group[m] - group[0] != first[m] - first[0]) return;
    }
  }
  const std::optional<Digits> groups = digits_of(starts);
  const std::optional<Digits> members = digits_of(first);
  if (first[0] != 0 || !groups.has_value() || !members.has_value()) return;
  Digits all = *groups;
  all.insert(all.end(), members->begin(), members->end());
  std::ranges::sort(all, {}, &Digit::stride);
  std::int64_t count = 1;
  for (const Digit& digit : all) {
    if (digit.stride != count) return;
    count *= digit.size;
  }
  if (count != device_count_) return;
  is_even_ = true;
  group_digits_ = *groups;
  member_digits_ = *members;
}

void DeviceGroups::for_each_pairing(const MapBuilder& from, const NameMember& member,
                                    const AddPairing& add) const {
  if (is_even_) return add_even(from, member, add);
  std::int64_t pairs = 0;
  for (const auto& group : groups_) pairs += std::ssize(group) * std::ssize(group);
  if (pairs <= kMaxPairings) return add_pairs(from, member, add);
  MapBuilder map = from;
  std::int64_t largest = 1;
  for (const auto& group : groups_) largest = std::max<std::int64_t>(largest, std::ssize(group));
  const Expr there = map.range(device_count_);
  const Expr here_member = map.range(largest);
  add(map, {.there = there, .here_member = here_member, .exact = false});
}

void DeviceGroups::add_even(MapBuilder map, const NameMember& member, const AddPairing& add) const {
  const Expr device = map.dim(0);
  const auto digit_of = [](Expr number, const Digit& digit, std::int64_t stride) {
    return mod(floor_div(number, stride), digit.size);
  };
  Expr here_member = map.constant(0);
  std::int64_t size = 1;
  for (auto digit = member_digits_.rbegin(); digit != member_digits_.rend(); ++digit) {
    here_member = here_member + digit_of(device, *digit, digit->stride) * size;
    size *= digit->size;
  }
  const Expr there_member = member ? member(map) : map.range(size);
  Expr there = map.constant(0);
  for (const Digit& digit : group_digits_) {
    there = there + digit_of(device, digit, digit.stride) * digit.stride;
  }
  std::int64_t place = 1;
  for (auto digit = member_digits_.rbegin(); digit != member_digits_.rend(); ++digit) {
    there = there + digit_of(there_member, *digit, place) * digit->stride;
    place *= digit->size;
  }
  add(map, {.there = there, .here_member = here_member});
}

void DeviceGroups::add_pairs(const MapBuilder& from, const NameMember& member,
                             const AddPairing& add) const {
  for (const std::vector<std::int64_t>& group : groups_) {
    for (std::size_t here = 0; here < group.size(); ++here) {
      for (std::size_t there = 0; there < group.size(); ++there) {
        MapBuilder map = from;
        map.require(map.dim(0), Interval::point(group[here]));
        if (member) map.require(member(map), Interval::point(static_cast<std::int64_t>(there)));
        add(map, {.there = map.constant(group[there]),
                  .here_member = map.constant(static_cast<std::int64_t>(here))});
      }
    }
  }
}

// ---- DevicePairs ----

Result<DevicePairs> DevicePairs::of(const hlo::Instruction& permute, const Devices& devices) {
  MERCATOR_TRY_VOID(check_count(devices));
  const auto pairs = permute.get<std::span<const std::span<const std::int64_t>>>(
      AttributeName::kSourceTargetPairs);
  const GroupMode mode = group_mode(permute);
  const std::int64_t count = numbered(mode, devices);
  std::vector<std::pair<std::int64_t, std::int64_t>> by_target;
  for (const std::span<const std::int64_t> pair : pairs) {
    for (const std::int64_t number : pair) {
      if (number < count) continue;
      return unknown(fmt::format("source_target_pairs name {}, of {}", number, count));
    }
    Groups expanded;
    add_device_groups({pair[0], pair[1]}, mode, devices, expanded);
    for (const auto& group : expanded) by_target.emplace_back(group[1], group[0]);
  }
  std::ranges::sort(by_target);
  DevicePairs result;
  result.device_count_ = devices.count();
  for (const auto& [target, source] : by_target) {
    const std::int64_t distance = target - source;
    if (!result.runs_.empty()) {
      Run& run = result.runs_.back();
      const std::int64_t step = target - (run.first + (run.count - 1) * run.step);
      if (distance == run.distance && step > 0 && (run.count == 1 || step == run.step)) {
        run.step = step;
        ++run.count;
        continue;
      }
    }
    result.runs_.push_back({.first = target, .distance = distance});
  }
  return result;
}

void DevicePairs::for_each_pairing(const MapBuilder& from, bool from_target,
                                   const DeviceGroups::AddPairing& add) const {
  if (std::ssize(runs_) > kMaxPairings) {
    MapBuilder map = from;
    const Expr there = map.range(device_count_);
    return add(map, {.there = there, .here_member = map.constant(0), .exact = false});
  }
  for (const Run& run : runs_) {
    MapBuilder map = from;
    const std::int64_t first = from_target ? run.first : run.first - run.distance;
    const Expr behind_first = map.dim(0) - first;
    map.require(behind_first, {0, (run.count - 1) * run.step});
    if (run.step != 1) map.require(mod(behind_first, run.step), Interval::point(0));
    const Expr there = from_target ? map.dim(0) - run.distance : map.dim(0) + run.distance;
    add(map, {.there = there, .here_member = map.constant(0)});
  }
}

}  // namespace mercator::indexing
