#include "mercator/analysis/roofline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "mercator/analysis/inside.h"

namespace mercator::analysis {
namespace {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

// An access is what a kernel waits for if it takes this part of the time or more.
constexpr double kMainPart = 0.3;

// Where the time of a kernel goes.
struct Part {
  double us = 0;
  std::string what;
};

ElementType first_type(const hlo::Shape& shape) {
  const hlo::Shape* at = &shape;
  while (at->is_tuple() && !at->elements.empty()) at = &at->elements.front();
  return at->element_type;
}

ElementType wider(ElementType a, ElementType b) {
  return hlo::bit_width(b) > hlo::bit_width(a) ? b : a;
}

// What is computed inside: with which types.
struct Types {
  std::optional<ElementType> product;  // that products multiply, if there are any
  ElementType other;                   // the widest that is computed with element by element
};

Types types_of(const Instruction& instruction) {
  Types types = {.product = std::nullopt, .other = first_type(instruction.shape)};
  for_each_inside(instruction, [&](const Instruction& inside) {
    if (is_product(inside) && inside.operands.size() >= 2) {
      const ElementType type =
          wider(first_type(inside.operand(0).shape), first_type(inside.operand(1).shape));
      types.product = types.product ? wider(*types.product, type) : type;
    }
    const ElementType type = first_type(inside.shape);
    const bool counts = hlo::is_elementwise(inside.opcode) && inside.shape.is_array() &&
                        (hlo::is_floating(type) || hlo::is_complex(type));
    if (!counts) return;
    const bool is_first = !hlo::is_floating(types.other) && !hlo::is_complex(types.other);
    types.other = is_first ? type : wider(types.other, type);
  });
  return types;
}

double tensor_rate(ElementType type, const Device& device) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128:
      return device.tensor_f64_flops;
    case ElementType::kF32:
    case ElementType::kC64:
      return device.tensor_f32_flops;
    case ElementType::kF16:
    case ElementType::kBf16:
      return device.tensor_f16_flops;
    default:
      if (hlo::is_floating(type)) return device.tensor_f8_flops;
      return hlo::bit_width(type) <= 8 ? device.tensor_s8_ops : device.int32_ops;
  }
}

double rate(ElementType type, const Device& device) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128:
      return device.f64_flops;
    case ElementType::kF16:
    case ElementType::kBf16:
      return device.f16_flops;
    default:
      return hlo::is_integral(type) ? device.int32_ops : device.f32_flops;
  }
}

// How many times as many sectors an access touches as would do, if it is not coalesced.
double in_vain(const std::optional<Coalescing>& access) {
  if (!access || !access->unknown.empty() || access->coalesced) return 1;
  // Where it is not known exactly: what is sure.
  return std::max(1.0, access->sectors_per_warp.lo / access->ideal_sectors_per_warp.hi);
}

}  // namespace

void set_time(InstructionCost& cost, const Device& device) {
  const double bytes_per_us = device.memory_bytes_per_second * 1e-6;
  std::vector<Part> in_memory;
  std::vector<Part> in_cache;
  const auto add = [&](double bytes, const std::optional<Coalescing>& access,
                       std::string uncoalesced, std::string repeated) {
    const double factor = in_vain(access);
    in_memory.push_back({.us = bytes * factor / bytes_per_us,
                         .what = factor > 1 ? std::move(uncoalesced) : "memory"});
    if (!access || !access->unknown.empty()) return;
    in_cache.push_back(
        {.us = static_cast<double>(access->moved_bytes.lo) / (bytes_per_us * kCacheSpeedup),
         .what = std::move(repeated)});
  };
  for (const OperandCost& operand : cost.operands) {
    // Sectors that are used in part take time as well, without anything being read again.
    const bool repeats = operand.reads.reads.lo > operand.reads.elements_read.hi;
    add(static_cast<double>(operand.bytes_read.hi), operand.coalescing,
        fmt::format("uncoalesced read of operand {}", operand.reads.operand),
        repeats ? fmt::format("re-reads of operand {}", operand.reads.operand) : "memory");
  }
  for (const OutputCost& output : cost.outputs) {
    const std::string name = output.output.empty()
                                 ? "the output"
                                 : fmt::format("output {{{}}}", fmt::join(output.output, ", "));
    add(static_cast<double>(output.bytes_written), output.coalescing,
        "uncoalesced write of " + name, "memory");
  }
  const auto total = [](const std::vector<Part>& parts) {
    double sum = 0;
    for (const Part& part : parts) sum += part.us;
    return sum;
  };
  const Types types = types_of(*cost.instruction);
  const double other_rate = rate(types.other, device);
  const double compute_us =
      1e6 *
      (static_cast<double>(cost.work.flops) /
           (types.product ? tensor_rate(*types.product, device) : other_rate) +
       kOperationsOfTranscendental * static_cast<double>(cost.work.transcendentals) / other_rate);
  const double memory_us = total(in_memory);
  const double cache_us = total(in_cache);

  cost.time_us = std::max({compute_us, memory_us, cache_us});
  if (cost.time_us == 0) {
    cost.limited_by = "nothing";
  } else if (cost.kind == KernelKind::kCommunication) {
    cost.limited_by = "communication";
  } else if (compute_us >= cost.time_us) {
    cost.limited_by = "compute";
  } else {
    const bool is_memory = memory_us >= cache_us;
    const auto main = std::ranges::max_element(is_memory ? in_memory : in_cache, {}, &Part::us);
    cost.limited_by = main->us >= kMainPart * cost.time_us ? main->what : "memory";
    // Among several that are uncoalesced the largest is named, even where it is not the main part.
    if (is_memory && cost.limited_by == "memory") {
      const Part* worst = nullptr;
      for (const Part& part : in_memory) {
        if (part.what != "memory" && (worst == nullptr || part.us > worst->us)) worst = &part;
      }
      if (worst != nullptr && worst->us >= kMainPart * cost.time_us) cost.limited_by = worst->what;
    }
  }
}

}  // namespace mercator::analysis
