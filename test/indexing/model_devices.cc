#include "test/indexing/model_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "test/indexing/model_definitions.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using Groups = std::vector<Index>;

bool is_start(Opcode opcode) {
  return opcode == Opcode::kAllGatherStart || opcode == Opcode::kCollectivePermuteStart;
}

}  // namespace

bool is_collective(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

namespace {

// The numbers in the attribute, in groups; none where it has none.
Groups listed_groups(const Instruction& instruction) {
  Groups result;
  const auto* groups = instruction.get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups == nullptr) return result;
  for (const auto& group : groups->groups) result.emplace_back(group.begin(), group.end());
  if (groups->iota_dimensions.empty()) return result;
  // The array 0, 1, … of shape `iota_reshape`, transposed, in row-major order.
  const Sizes sizes = groups->iota_reshape;
  Index order(groups->iota_transpose.begin(), groups->iota_transpose.end());
  if (order.empty()) order = others(std::ssize(sizes), {});
  const std::int64_t group_count = groups->iota_dimensions[0];
  Index numbers;
  for_each_index(chosen(sizes, order), [&](Sizes index) {
    Index source(index.size());
    assign(source, order, index);
    numbers.push_back(position_of(source, sizes));
  });
  const std::int64_t group_size = std::ssize(numbers) / group_count;
  for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
    if (i % group_size == 0) result.emplace_back();
    result.back().push_back(numbers[static_cast<std::size_t>(i)]);
  }
  return result;
}

// The devices of each group, in the order of their members.
//   without a channel, the numbers are replicas, and each partition is for itself;
//   with use_global_device_ids they are devices;
//   without it, they are replicas, all partitions of which take part: of the collectives that can
//     say it; of others they are partitions, and each replica is for itself.
Groups device_groups(const Instruction& instruction) {
  const hlo::Module& module = *instruction.parent->module;
  const std::int64_t replicas = module.replica_count;
  const std::int64_t partitions = module.partition_count;
  const bool has_channel = instruction.find(AttributeName::kChannelId) != nullptr;
  const bool global = instruction.get<bool>(AttributeName::kUseGlobalDeviceIds);
  bool can_be_global = false;
  switch (instruction.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      can_be_global = true;
      break;
    default:
      break;
  }
  Groups listed = listed_groups(instruction);
  if (listed.empty()) {
    const std::int64_t all = !has_channel     ? replicas
                             : global         ? replicas * partitions
                             : !can_be_global ? partitions
                                              : replicas;
    listed.push_back(others(all, {}));
  }
  if (global) return listed;
  Groups result;
  for (const Index& group : listed) {
    if (!has_channel) {
      for (std::int64_t partition = 0; partition < partitions; ++partition) {
        result.emplace_back();
        for (const std::int64_t replica : group) {
          result.back().push_back(replica * partitions + partition);
        }
      }
    } else if (!can_be_global) {
      for (std::int64_t replica = 0; replica < replicas; ++replica) {
        result.emplace_back();
        for (const std::int64_t partition : group) {
          result.back().push_back(replica * partitions + partition);
        }
      }
    } else {
      result.emplace_back();
      for (const std::int64_t replica : group) {
        for (std::int64_t partition = 0; partition < partitions; ++partition) {
          result.back().push_back(replica * partitions + partition);
        }
      }
    }
  }
  return result;
}

// The leaf of the result for operand k.
Index result_leaf(const Instruction& instruction, std::int64_t k) {
  Index leaf;
  if (is_start(instruction.opcode)) leaf.push_back(1);
  if (std::ssize(instruction.operands) > 1) leaf.push_back(k);
  return leaf;
}

// The operands of all members, one after another along `dimension`, are a whole of these sizes.
// Calls visit(member, position in the whole, position in the part).
template <class Visit>
void for_each_part(Sizes part, std::size_t dimension, std::int64_t members, Visit&& visit) {
  Index whole(part.begin(), part.end());
  whole[dimension] *= members;
  for (std::int64_t member = 0; member < members; ++member) {
    for_each_index(part, [&](Sizes index) {
      Index place(index.begin(), index.end());
      place[dimension] += member * part[dimension];
      visit(member, position_of(place, whole), position_of(index, part));
    });
  }
}

void read_all_gather(const Instruction& instruction, std::int64_t k, const Index& group,
                     const std::function<void(const DeviceRead&)>& read) {
  const auto dimension =
      static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  const Sizes part = instruction.operand(static_cast<std::size_t>(k)).shape.dimensions;
  for (const std::int64_t to : group) {
    for_each_part(part, dimension, std::ssize(group),
                  [&](std::int64_t member, std::int64_t in_whole, std::int64_t in_part) {
                    read({result_leaf(instruction, k), to, in_whole, k,
                          group[static_cast<std::size_t>(member)], in_part});
                  });
  }
}

void read_reduce_scatter(const Instruction& instruction, std::int64_t k, const Index& group,
                         const std::function<void(const DeviceRead&)>& read) {
  const auto dimension =
      static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  Index part(instruction.operand(static_cast<std::size_t>(k)).shape.dimensions.begin(),
             instruction.operand(static_cast<std::size_t>(k)).shape.dimensions.end());
  part[dimension] /= std::ssize(group);
  for (const std::int64_t from : group) {
    for_each_part(part, dimension, std::ssize(group),
                  [&](std::int64_t member, std::int64_t in_whole, std::int64_t in_part) {
                    read({result_leaf(instruction, k), group[static_cast<std::size_t>(member)],
                          in_part, k, from, in_whole});
                  });
  }
}

// Member `to` gets part `to` of each member, as its part `from`.
void read_all_to_all(const Instruction& instruction, const Index& group,
                     const std::function<void(const DeviceRead&)>& read) {
  const auto members = std::ssize(group);
  if (instruction.find(AttributeName::kDimensions) == nullptr) {
    const std::int64_t count = instruction.operand(0).shape.element_count();
    for (std::int64_t to = 0; to < members; ++to) {
      for (std::int64_t from = 0; from < members; ++from) {
        for (std::int64_t i = 0; i < count; ++i) {
          read({{from},
                group[static_cast<std::size_t>(to)],
                i,
                to,
                group[static_cast<std::size_t>(from)],
                i});
        }
      }
    }
    return;
  }
  const auto dimension =
      static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  const Sizes whole = instruction.shape.dimensions;
  Index part(whole.begin(), whole.end());
  part[dimension] /= members;
  for (std::int64_t to = 0; to < members; ++to) {
    for (std::int64_t from = 0; from < members; ++from) {
      for_each_index(part, [&](Sizes index) {
        Index sent(index.begin(), index.end());
        sent[dimension] += to * part[dimension];
        Index got(index.begin(), index.end());
        got[dimension] += from * part[dimension];
        read({{},
              group[static_cast<std::size_t>(to)],
              position_of(got, whole),
              0,
              group[static_cast<std::size_t>(from)],
              position_of(sent, whole)});
      });
    }
  }
}

// The offsets and sizes on a member have as many entries for each member of the group. Rows of
// operand 0 of `from` go where its entries for `to` say; what lands outside does not land. Which
// rows do, the entries of all members decide.
void read_ragged_all_to_all(const Instruction& instruction, const Index& group,
                            const DeviceValue& value,
                            const std::function<void(const DeviceRead&)>& read) {
  const Sizes in = instruction.operand(0).shape.dimensions;
  const Sizes out = instruction.shape.dimensions;
  const std::int64_t row = instruction.shape.element_count() / std::max<std::int64_t>(1, out[0]);
  const std::int64_t entries = instruction.operand(2).shape.element_count();
  const std::int64_t entries_of_member = entries / std::ssize(group);
  for (std::int64_t member = 0; member < std::ssize(group); ++member) {
    const std::int64_t to = group[static_cast<std::size_t>(member)];
    std::vector<bool> has_landed(static_cast<std::size_t>(out[0]), false);
    const auto send = [&](std::int64_t from, std::int64_t entry) {
      const std::int64_t first = value(2, from, entry);
      for (std::int64_t i = 0; i < in[0]; ++i) {
        const std::int64_t o = value(4, from, entry) + i - first;
        const bool is_sent = i >= first && i - first < value(3, from, entry);
        if (!is_sent || o < 0 || o >= out[0]) continue;
        has_landed[static_cast<std::size_t>(o)] = true;
        for (std::int64_t e = 0; e < row; ++e) read({{}, to, o * row + e, 0, from, i * row + e});
      }
    };
    for (const std::int64_t from : group) {
      for (std::int64_t c = 0; c < entries_of_member; ++c) {
        send(from, member * entries_of_member + c);
      }
    }
    for (std::int64_t output = 0; output < instruction.shape.element_count(); ++output) {
      if (!has_landed[static_cast<std::size_t>(output / row)])
        read({{}, to, output, 1, to, output});
      for (std::int64_t entry = 0; entry < entries; ++entry) {
        for (const std::int64_t from : group) {
          for (const std::int64_t k : {2, 3, 4}) read({{}, to, output, k, from, entry});
        }
        read({{}, to, output, 5, to, entry});
      }
    }
  }
}

void read_same(const Instruction& instruction, std::int64_t k, std::int64_t to, std::int64_t from,
               const std::function<void(const DeviceRead&)>& read) {
  const std::int64_t count = instruction.operand(static_cast<std::size_t>(k)).shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) read({result_leaf(instruction, k), to, i, k, from, i});
}

void read_permute(const Instruction& instruction,
                  const std::function<void(const DeviceRead&)>& read) {
  const hlo::Module& module = *instruction.parent->module;
  const bool has_channel = instruction.find(AttributeName::kChannelId) != nullptr;
  const std::int64_t partitions = module.partition_count;
  const auto pairs = instruction.get<std::span<const std::span<const std::int64_t>>>(
      AttributeName::kSourceTargetPairs);
  for (const auto& pair : pairs) {
    for (std::int64_t other = 0; other < (has_channel ? module.replica_count : partitions);
         ++other) {
      const auto device = [&](std::int64_t number) {
        return has_channel ? other * partitions + number : number * partitions + other;
      };
      for (std::int64_t k = 0; k < std::ssize(instruction.operands); ++k) {
        read_same(instruction, k, device(pair[1]), device(pair[0]), read);
      }
    }
  }
}

}  // namespace

Result<void> read_across_devices(const Instruction& instruction, const DeviceValue& value,
                                 const std::function<void(const DeviceRead&)>& read) {
  if (!is_collective(instruction)) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the model does not know '{}'", hlo::name(instruction.opcode)));
  }
  if (instruction.opcode == Opcode::kCollectivePermute ||
      instruction.opcode == Opcode::kCollectivePermuteStart) {
    read_permute(instruction, read);
    return {};
  }
  for (const Index& group : device_groups(instruction)) {
    if (instruction.opcode == Opcode::kAllToAll) {
      read_all_to_all(instruction, group, read);
      continue;
    }
    if (instruction.opcode == Opcode::kRaggedAllToAll) {
      read_ragged_all_to_all(instruction, group, value, read);
      continue;
    }
    for (std::int64_t k = 0; k < std::ssize(instruction.operands); ++k) {
      switch (instruction.opcode) {
        case Opcode::kAllGather:
        case Opcode::kAllGatherStart:
          read_all_gather(instruction, k, group, read);
          break;
        case Opcode::kReduceScatter:
          read_reduce_scatter(instruction, k, group, read);
          break;
        case Opcode::kCollectiveBroadcast:
          for (const std::int64_t to : group) read_same(instruction, k, to, group[0], read);
          break;
        default:
          for (const std::int64_t to : group) {
            for (const std::int64_t from : group) read_same(instruction, k, to, from, read);
          }
          break;
      }
    }
  }
  return {};
}

}  // namespace mercator::testing
