// Collectives as the one device that there is, device 0, sees them. It has nobody to talk to: a
// group of it alone gives back what it is given, and any other group is refused.

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

// Whether a channel means that the numbers in replica_groups are those of partitions; otherwise it
// means that all partitions of the replicas take part.
bool numbers_partitions(Opcode opcode) {
  return opcode == Opcode::kAllToAll || opcode == Opcode::kCollectiveBroadcast ||
         opcode == Opcode::kRaggedAllToAll;
}

// How many devices are in the group of device 0; 0 if it is in none.
std::int64_t group_size(const hlo::Instruction& instruction) {
  const hlo::Module& module = *instruction.parent->module;
  const bool has_channel = instruction.find(AttributeName::kChannelId) != nullptr;
  const bool global_ids = instruction.get<bool>(AttributeName::kUseGlobalDeviceIds);
  const std::int64_t partitions = has_channel ? module.partition_count : 1;
  const std::int64_t replicas =
      has_channel && numbers_partitions(instruction.opcode) ? 1 : module.replica_count;
  const std::int64_t all = saturating_mul(replicas, partitions);

  // Groups over a mesh with names are kept as text: they are of devices that the module has.
  const auto* const groups =
      instruction.get<const hlo::ReplicaGroups*>(AttributeName::kReplicaGroups);
  if (groups == nullptr) return all;
  const std::int64_t for_each_number =
      has_channel && !global_ids && !numbers_partitions(instruction.opcode) ? partitions : 1;
  if (!groups->iota_dimensions.empty()) {
    std::int64_t size = for_each_number;
    for (const std::int64_t n : groups->iota_dimensions.subspan(1)) size = saturating_mul(size, n);
    return size;
  }
  bool lists_none = true;
  for (const std::span<const std::int64_t> group : groups->groups) {
    if (!group.empty()) lists_none = false;
    if (std::ranges::find(group, 0) != group.end()) {
      return saturating_mul(static_cast<std::int64_t>(group.size()), for_each_number);
    }
  }
  return lists_none ? all : 0;
}

Result<void> expect_alone(const hlo::Instruction& instruction) {
  const std::int64_t size = group_size(instruction);
  if (size == 1) return {};
  if (size == 0) {
    return fail(ErrorKind::kUnsupported,
                "device 0, which is the one that runs, is in none of the replica_groups");
  }
  return fail(ErrorKind::kUnsupported,
              fmt::format("{} devices would have to take part, where one runs", size));
}

// What a group of one gives back to its member: an array for each that it put in.
Result<Value> given_back(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_alone(evaluation.instruction));
  Value result = one_or_tuple(evaluation.operands);
  const hlo::Shape& shape = evaluation.instruction.shape;
  const bool is_start = evaluation.instruction.opcode == Opcode::kAllGatherStart;
  const std::string wrong = mismatch(result, is_start ? shape.elements[1] : shape);
  if (!wrong.empty()) {
    // Verified shapes tell of another number of parts than the groups do.
    return fail(ErrorKind::kUnsupported, fmt::format("the result of a group of one {}", wrong));
  }
  return result;
}

// Over one array that has a part for each device, or over an array for each.
Result<Value> evaluate_all_to_all(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  if (instruction.find(AttributeName::kDimensions) != nullptr) return given_back(evaluation);
  MERCATOR_TRY_VOID(expect_alone(instruction));
  if (evaluation.operands.size() != 1) {
    return fail(ErrorKind::kUnsupported, fmt::format("{} arrays for the devices of a group of one",
                                                     evaluation.operands.size()));
  }
  return instruction.shape.is_tuple() ? Value::tuple(std::move(evaluation.operands))
                                      : std::move(evaluation.operands[0]);
}

Result<Value> evaluate_permute(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  if (instruction.find(AttributeName::kSliceSizes) != nullptr) {
    return fail(ErrorKind::kUnsupported, "a collective-permute in place is not supported");
  }
  const auto pairs = instruction.get<std::span<const std::span<const std::int64_t>>>(
      AttributeName::kSourceTargetPairs);
  const auto to_us = std::ranges::find_if(pairs, [](const auto& pair) { return pair[1] == 0; });
  if (to_us != pairs.end() && (*to_us)[0] != 0) {
    return fail(
        ErrorKind::kUnsupported,
        fmt::format("device {} would have to take part, where only device 0 runs", (*to_us)[0]));
  }
  if (to_us != pairs.end()) return one_or_tuple(evaluation.operands);
  std::vector<Value> results;
  for (const Value& operand : evaluation.operands) {
    Tensor result = MERCATOR_TRY(
        evaluation.allocate(operand.tensor().element_type(), sizes_of(operand.tensor())));
    std::ranges::fill(result.mutable_bytes(), std::byte{0});
    results.emplace_back(std::move(result));
  }
  return one_or_tuple(std::move(results));
}

// What the start of a collective gives: the operands, and the results.
Result<Value> collective_started(Evaluation& evaluation, Value results) {
  return started(evaluation, {one_or_tuple(evaluation.operands), std::move(results)});
}

// A run of rows: entries along dimension 0.
struct Rows {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] bool lie_in(std::int64_t size) const {
    return first >= 0 && count >= 0 && count <= size && first <= size - count;
  }
};

// (input, output, input offsets, send sizes, output offsets, receive sizes): the output with, for
// each update that we send to ourselves, rows of the input.
Result<Value> evaluate_ragged_all_to_all(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_alone(evaluation.instruction));
  const Tensor input = evaluation.tensor(0);
  const std::span<const std::int64_t> sizes = evaluation.tensor(1).dimensions();
  if (input.rank() == 0 || input.rank() != evaluation.tensor(1).rank() ||
      !std::ranges::equal(input.dimensions().subspan(1), sizes.subspan(1))) {
    return fail(ErrorKind::kUnsupported, fmt::format("rows of {} are none of {}", type_text(input),
                                                     type_text(evaluation.tensor(1))));
  }
  const std::int64_t updates = evaluation.tensor(2).element_count();
  for (std::size_t i = 3; i < 6; ++i) {
    if (evaluation.tensor(i).element_count() == updates) continue;
    return fail(
        ErrorKind::kUnsupported,
        fmt::format("operand {} does not have a number for each of {} updates", i, updates));
  }

  Tensor result = MERCATOR_TRY(
      writable(std::move(evaluation.operands[1].tensor()), evaluation.evaluator.context()));
  const std::int64_t input_rows = input.dimensions()[0];
  const std::int64_t row_bytes =
      input_rows == 0 ? 0 : static_cast<std::int64_t>(input.bytes().size()) / input_rows;
  for (std::int64_t i = 0; i < updates; ++i) {
    MERCATOR_TRY_VOID(check_stop(evaluation.evaluator.stop()));
    const Rows from{.first = integer_element(evaluation.tensor(2), i),
                    .count = integer_element(evaluation.tensor(3), i)};
    const Rows to{.first = integer_element(evaluation.tensor(4), i), .count = from.count};
    if (!from.lie_in(input_rows) || !to.lie_in(sizes[0])) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("update {} moves {} rows from {} of {} to {} of {}", i, from.count,
                              from.first, input_rows, to.first, sizes[0]));
    }
    std::memmove(result.mutable_bytes().data() + to.first * row_bytes,
                 input.bytes().data() + from.first * row_bytes,
                 static_cast<std::size_t>(from.count * row_bytes));
  }
  return result;
}

}  // namespace

Result<Value> evaluate_collective(Evaluation& evaluation) {
  switch (evaluation.instruction.opcode) {
    case Opcode::kAllGatherStart:
      return collective_started(evaluation, MERCATOR_TRY(given_back(evaluation)));
    case Opcode::kCollectivePermuteStart:
      return collective_started(evaluation, MERCATOR_TRY(evaluate_permute(evaluation)));
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
      return evaluation.operands[0].take_element(1);
    case Opcode::kAllReduceDone:
      return std::move(evaluation.operands[0]);
    case Opcode::kCollectivePermute:
      return evaluate_permute(evaluation);
    case Opcode::kAllToAll:
      return evaluate_all_to_all(evaluation);
    case Opcode::kRaggedAllToAll:
      return evaluate_ragged_all_to_all(evaluation);
    default:
      return given_back(evaluation);
  }
}

Result<Value> evaluate_device_id(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  const hlo::Module& module = *instruction.parent->module;
  const bool is_replica = instruction.opcode == hlo::Opcode::kReplicaId;
  const std::int64_t count = is_replica ? module.replica_count : module.partition_count;
  if (count > 1) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the program runs on one of {} {}, and which one is not said", count,
                            is_replica ? "replicas" : "partitions"));
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate({}));
  std::ranges::fill(result.mutable_bytes(), std::byte{0});
  return result;
}

}  // namespace mercator::runtime
