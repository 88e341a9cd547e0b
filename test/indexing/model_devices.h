// What moves whole arrays, within a device and between devices; see model.h.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"

namespace mercator::testing {

// An array of the result that is an array of an operand.
struct Alias {
  std::vector<std::int64_t> output;
  std::int64_t operand = 0;
  std::vector<std::int64_t> operand_leaf;
  std::int64_t elements = 0;
};
// Of tuple, get-tuple-element, the parts of asynchronous instructions, and whatever else only
// passes on arrays.
[[nodiscard]] std::vector<Alias> aliases(const hlo::Instruction& instruction);
// Whether there is nothing else to say of what the instruction reads.
[[nodiscard]] bool is_only_aliases(const hlo::Instruction& instruction);

// Whether the instruction reads from other devices.
[[nodiscard]] bool is_collective(const hlo::Instruction& instruction);

// Element `element` of operand `operand` of device `from` is read for element `output` of leaf
// `output_leaf` of the result of device `to`.
struct DeviceRead {
  std::vector<std::int64_t> output_leaf;
  std::int64_t to = 0;
  std::int64_t output = 0;
  std::int64_t operand = 0;
  std::int64_t from = 0;
  std::int64_t element = 0;
};
// The integer in an element of an operand, on a device.
using DeviceValue =
    std::function<std::int64_t(std::size_t operand, std::int64_t device, std::int64_t element)>;
// Says all that a collective reads.
[[nodiscard]] Result<void> read_across_devices(const hlo::Instruction& instruction,
                                               const DeviceValue& value,
                                               const std::function<void(const DeviceRead&)>& read);

}  // namespace mercator::testing
