#include <algorithm>

#include "mercator/hlo/inference.h"
#include "mercator/support/arithmetic.h"

namespace mercator::hlo {
namespace {

std::vector<Shape> bare_operands(const Inference& inference) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    shapes.push_back(inference.bare(inference.operand(i)));
  }
  return shapes;
}

// How many devices take part in one group of a collective; none if the module does not say.
std::optional<std::int64_t> group_size(const Instruction& instruction) {
  const auto* groups = instruction.get<const ReplicaGroups*>(AttributeName::kReplicaGroups);
  const Module& module = *instruction.parent->module;
  const bool has_channel = instruction.find(AttributeName::kChannelId) != nullptr;
  const bool global_ids = instruction.get<bool>(AttributeName::kUseGlobalDeviceIds);
  // Groups over a mesh are kept as text.
  if (groups == nullptr && instruction.find(AttributeName::kReplicaGroups) != nullptr) {
    return std::nullopt;
  }
  std::int64_t size = 0;
  if (groups != nullptr && !groups->groups.empty()) {
    size = static_cast<std::int64_t>(groups->groups[0].size());
  } else if (groups != nullptr && groups->iota_dimensions.size() > 1) {
    size = 1;
    for (const std::int64_t n : groups->iota_dimensions.subspan(1)) {
      if (!checked_mul(size, n, &size)) return std::nullopt;
    }
  } else {
    size = module.replica_count;
  }
  // Groups of replicas, of which every partition takes part.
  if (has_channel && !global_ids && !checked_mul(size, module.partition_count, &size)) {
    return std::nullopt;
  }
  if (size <= 1) return std::nullopt;
  return size;
}

// Of an instruction that gathers or scatters along a dimension: how many parts the longer side has.
Result<std::int64_t> part_count(const Inference& inference, const Shape& part, const Shape& whole,
                                std::int64_t along) {
  if (!part.is_array() || !whole.is_array() || whole.rank() != part.rank()) {
    return inference.fail("{} and {} do not fit", text(part), text(whole));
  }
  const std::int64_t part_size = part.dimensions[static_cast<std::size_t>(along)];
  const std::int64_t whole_size = whole.dimensions[static_cast<std::size_t>(along)];
  if (part_size == 0) return 1;
  if (whole_size % part_size != 0) {
    return inference.fail("dimension {} of {} is no multiple of that of {}", along, text(whole),
                          text(part));
  }
  const std::int64_t count = whole_size / part_size;
  const std::optional<std::int64_t> expected = group_size(inference.instruction());
  // A cross-partition group may be named by a channel alone.
  const bool channel_only = inference.instruction().find(AttributeName::kChannelId) != nullptr &&
                            !inference.instruction().get<bool>(AttributeName::kUseGlobalDeviceIds);
  if (expected && count != *expected && !channel_only) {
    return inference.fail("the sizes of {} and {} differ by a factor of {}, in groups of {}",
                          text(part), text(whole), count, *expected);
  }
  return count;
}

// Result i of a declared shape that is one array or a tuple of them.
const Shape* declared_part(const Shape* declared, std::size_t i, std::size_t count) {
  if (count == 1) return declared;
  if (!declared->is_tuple() || declared->elements.size() != count) return nullptr;
  return &declared->elements[i];
}

// The results of gathering (or, the other way, scattering) the operands, as far as `declared` says
// how many parts there are.
Inferred gathered(const Inference& inference, const Shape* declared, bool scatter) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const std::size_t count = inference.operand_count();
  std::vector<Shape> results;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& operand = inference.operand(i);
    const std::int64_t along = MERCATOR_TRY(inference.one_dimension(operand.rank()));
    const Shape* result = declared_part(declared, i, count);
    if (result == nullptr || !result->is_array()) {
      return inference.fail("the result must have an array for each of {} operands, not be {}",
                            count, text(*declared));
    }
    const std::int64_t parts = MERCATOR_TRY(
        part_count(inference, scatter ? *result : operand, scatter ? operand : *result, along));
    Sizes sizes(operand.dimensions.begin(), operand.dimensions.end());
    std::int64_t& size = sizes[static_cast<std::size_t>(along)];
    if (scatter) {
      size /= std::max<std::int64_t>(parts, 1);
    } else if (!checked_mul(size, parts, &size)) {
      return inference.fail("the result is too large");
    }
    results.push_back(inference.array(operand.element_type, sizes));
  }
  return inference.one_or_tuple(results);
}

// That the reducer of a collective, if it is there, takes two scalars of the operands' kind of
// number.
Result<void> check_reducer(const Inference& inference) {
  const Computation* reducer = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    MERCATOR_TRY_VOID(inference.expect_array(i));
    MERCATOR_TRY_VOID(inference.expect_reducer(*reducer, {{inference.operand(i).element_type}}));
  }
  return {};
}

Result<void> check_pairs(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kSourceTargetPairs));
  const auto pairs = inference.instruction().get<std::span<const std::span<const std::int64_t>>>(
      AttributeName::kSourceTargetPairs);
  for (const std::span<const std::int64_t> pair : pairs) {
    if (pair.size() == 2 && pair[0] >= 0 && pair[1] >= 0) continue;
    return inference.fail("source_target_pairs has {}, which is no pair of devices", text(pair));
  }
  return {};
}

// In place, with offsets: the source, the target, and where in each.
bool in_place(const Inference& inference) {
  return inference.instruction().find(AttributeName::kSliceSizes) != nullptr;
}

}  // namespace

Inferred infer_all_gather(const Inference& inference) {
  if (inference.declared() == nullptr) return std::nullopt;
  return gathered(inference, inference.declared(), false);
}

// (operands, results), more parts may follow.
Inferred infer_all_gather_start(const Inference& inference) {
  const Shape* declared = inference.declared();
  if (declared == nullptr) return std::nullopt;
  if (!declared->is_tuple() || declared->elements.size() < 2) {
    return inference.fail("the result must be a tuple of operands and results, not {}",
                          text(*declared));
  }
  const std::optional<Shape> results =
      MERCATOR_TRY(gathered(inference, &declared->elements[1], false));
  std::vector<Shape> parts = {inference.one_or_tuple(bare_operands(inference)), *results};
  for (const Shape& part : declared->elements.subspan(2)) parts.push_back(inference.bare(part));
  return inference.tuple(parts);
}

Inferred infer_all_reduce(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(check_reducer(inference));
  return inference.one_or_tuple(bare_operands(inference));
}

Inferred infer_reduce_scatter(const Inference& inference) {
  MERCATOR_TRY_VOID(check_reducer(inference));
  if (inference.declared() == nullptr) return std::nullopt;
  return gathered(inference, inference.declared(), true);
}

// Over one array, cut along a dimension, or over as many arrays as there are devices.
Inferred infer_all_to_all(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  if (inference.instruction().find(AttributeName::kDimensions) == nullptr) {
    for (std::size_t i = 1; i < inference.operand_count(); ++i) {
      if (same_type_and_dimensions(inference.operand(0), inference.operand(i))) continue;
      return inference.fail("the operands must have the same shape: {} and {}",
                            text(inference.operand(0)), text(inference.operand(i)));
    }
    return inference.tuple(bare_operands(inference));
  }
  MERCATOR_TRY_VOID(inference.expect_operands(1));
  const Shape& operand = inference.operand(0);
  const std::int64_t along = MERCATOR_TRY(inference.one_dimension(operand.rank()));
  const std::optional<std::int64_t> parts = group_size(inference.instruction());
  const std::int64_t size = operand.dimensions[static_cast<std::size_t>(along)];
  const bool channel = inference.instruction().find(AttributeName::kChannelId) != nullptr;
  if (parts && !channel && size % *parts != 0) {
    return inference.fail("dimension {} of {} cannot be cut into {} parts", along, text(operand),
                          *parts);
  }
  return inference.bare(operand);
}

// The result has the shape of operand 1, which it overwrites in part.
Inferred infer_ragged_all_to_all(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  if (inference.operand(0).element_type != inference.operand(1).element_type) {
    return inference.fail("operands 0 and 1 must have the same type: {} and {}",
                          text(inference.operand(0)), text(inference.operand(1)));
  }
  for (std::size_t i = 2; i < inference.operand_count(); ++i) {
    if (is_integral(inference.operand(i).element_type) && inference.operand(i).rank() >= 1)
      continue;
    return inference.fail("operand {} must be an array of integers, not {}", i,
                          text(inference.operand(i)));
  }
  return inference.bare(inference.operand(1));
}

Inferred infer_collective_permute(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(check_pairs(inference));
  if (!in_place(inference)) return inference.one_or_tuple(bare_operands(inference));
  MERCATOR_TRY_VOID(inference.expect_operands(4));
  return inference.bare(inference.operand(1));
}

// (operands, results), context may follow.
Inferred infer_collective_permute_start(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(check_pairs(inference));
  std::vector<Shape> parts;
  if (in_place(inference)) {
    MERCATOR_TRY_VOID(inference.expect_operands(4));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      parts.push_back(inference.bare(inference.operand(i)));
    }
  } else {
    parts.assign(2, inference.one_or_tuple(bare_operands(inference)));
  }
  const Shape* declared = inference.declared();
  if (declared != nullptr && declared->is_tuple() && declared->elements.size() > 2) {
    for (const Shape& part : declared->elements.subspan(2)) parts.push_back(inference.bare(part));
  }
  return inference.tuple(parts);
}

Inferred infer_collective_broadcast(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  return inference.one_or_tuple(bare_operands(inference));
}

Inferred infer_second_of_operand(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_tuple(0, 2));
  return inference.bare(inference.operand(0).elements[1]);
}

Inferred infer_device_number(const Inference& inference) {
  return inference.scalar(ElementType::kU32);
}

}  // namespace mercator::hlo
