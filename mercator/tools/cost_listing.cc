#include "mercator/tools/cost_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "mercator/tools/inside_maps.h"
#include "mercator/tools/map_listing.h"

namespace mercator::tools {
namespace {

// The instructions of which the table says in words what holds them back.
constexpr std::size_t kExplained = 5;

Json count_json(const Count& count) {
  if (count.is_exact()) return count.lo;
  return Json::array({count.lo, count.hi});
}

// To 12 digits: what machines may round differently is left out.
double rounded(double value) {
  double result = 0;
  const std::string text = fmt::format("{:.12g}", value);
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

Json measure_json(const Measure& measure) {
  if (measure.is_exact()) return rounded(measure.lo);
  return Json::array({rounded(measure.lo), rounded(measure.hi)});
}

void add_coalescing(const std::optional<Coalescing>& access, Json* json) {
  if (!access) return;
  if (!access->unknown.empty()) {
    (*json)["why"] = access->unknown;
    return;
  }
  (*json)["sectors_per_warp"] = measure_json(access->sectors_per_warp);
  (*json)["ideal_sectors_per_warp"] = measure_json(access->ideal_sectors_per_warp);
  (*json)["useful_share"] = measure_json(access->useful_share);
  (*json)["vector_width"] = access->vector_width;
  (*json)["coalesced"] = access->coalesced;
  (*json)["why"] = access->why;
}

Json operand_cost_json(const hlo::Instruction& instruction, const OperandCost& operand) {
  const ArrayReads& reads = operand.reads;
  Json json = operand_json(instruction, reads.operand, reads.leaf);
  json["elements"] = reads.elements;
  json["elements_read"] = count_json(reads.elements_read);
  json["reads"] = count_json(reads.reads);
  const auto share = [&](std::int64_t read) {
    return reads.elements == 0 ? 0.0
                               : static_cast<double>(read) / static_cast<double>(reads.elements);
  };
  json["utilisation"] =
      measure_json({.lo = share(reads.elements_read.lo), .hi = share(reads.elements_read.hi)});
  for (const Count* count : {&reads.elements_read, &reads.reads}) {
    if (!count->is_exact() && !json.contains("reason")) json["reason"] = count->reason;
  }
  add_coalescing(operand.coalescing, &json);
  return json;
}

Json kernel_json(const Kernel& kernel) {
  return {{"scheme", std::string(name(kernel.scheme))},
          {"threads", kernel.launch.threads_per_block()},
          {"blocks", kernel.launch.block_count()},
          {"vector", kernel.vector},
          {"tile", kernel.tile}};
}

// "1.5 G"
std::string with_unit(double value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}{}", value, kUnits[unit]);
}

std::string microseconds(double us) { return fmt::format("{:.2f}", us); }

double total_us(const InstructionCost& cost) {
  return cost.time_us * static_cast<double>(cost.times);
}

std::string measure_text(const Measure& measure) {
  return measure.is_exact() ? fmt::format("{:.1f}", measure.lo)
                            : fmt::format("{:.1f} to {:.1f}", measure.lo, measure.hi);
}

// "  operand 1: p1 f32[…]: neighbouring threads read 4096 bytes apart, …"
void explain_access(const std::string& what, const std::optional<Coalescing>& access,
                    std::string& text) {
  if (!access || !access->unknown.empty() || access->coalesced) return;
  text += fmt::format("  {}: {}; {} sectors a warp where {} would do\n", what, access->why,
                      measure_text(access->sectors_per_warp),
                      measure_text(access->ideal_sectors_per_warp));
}

void explain(const InstructionCost& cost, std::string& text) {
  const hlo::Instruction& instruction = *cost.instruction;
  text += fmt::format("\n{}: limited by {}\n", instruction.name, cost.limited_by);
  for (const OperandCost& operand : cost.operands) {
    const std::string label = operand_label(instruction, operand.reads.operand, operand.reads.leaf);
    explain_access(label, operand.coalescing, text);
    const auto read = static_cast<double>(operand.reads.elements_read.hi);
    const auto all = static_cast<double>(operand.reads.reads.lo);
    if (read > 0 && read < static_cast<double>(operand.reads.elements)) {
      text += fmt::format("  {}: {:.1f} % of it is read\n", label,
                          100 * read / static_cast<double>(operand.reads.elements));
    }
    if (read > 0 && all >= 2 * read) {
      text += fmt::format("  {}: each element that is read is read {} times\n", label,
                          with_unit(all / read));
    }
  }
  for (const OutputCost& output : cost.outputs) {
    const std::string leaf = output.output.empty() ? "" : " " + leaf_text(output.output);
    explain_access(fmt::format("output{}: {}", leaf, shape_text(*output.array)), output.coalescing,
                   text);
  }
}

// All but the instructions.
Json cost_summary_json(const hlo::Module& module, const ModuleCost& cost, const Device& device) {
  return {{"module", std::string(module.name)},
          {"device", device.name},
          {"total",
           {{"flops", cost.work.flops},
            {"transcendentals", cost.work.transcendentals},
            {"bytes_read", count_json(cost.bytes_read)},
            {"bytes_written", cost.bytes_written},
            {"time_us", rounded(cost.time_us)}}}};
}

}  // namespace

Json cost_json(const InstructionCost& cost) {
  const hlo::Instruction& instruction = *cost.instruction;
  Json json = {{"name", std::string(instruction.name)},
               {"opcode", std::string(hlo::name(instruction.opcode))},
               {"computation", std::string(instruction.parent->name)},
               {"times", cost.times},
               {"flops", cost.work.flops},
               {"transcendentals", cost.work.transcendentals},
               {"bytes_read", count_json(cost.bytes_read)},
               {"bytes_read_in_all", count_json(cost.bytes_read_in_all)},
               {"bytes_written", cost.bytes_written}};
  const double bytes =
      static_cast<double>(cost.bytes_read.hi) + static_cast<double>(cost.bytes_written);
  json["flops_per_byte"] = bytes == 0 ? 0.0 : rounded(static_cast<double>(cost.work.flops) / bytes);
  json["time_us"] = rounded(cost.time_us);
  json["limited_by"] = cost.limited_by;
  if (cost.kernel) json["kernel"] = kernel_json(*cost.kernel);
  Json operands = Json::array();
  for (const OperandCost& operand : cost.operands) {
    operands.push_back(operand_cost_json(instruction, operand));
  }
  json["operands"] = std::move(operands);
  Json outputs = Json::array();
  for (const OutputCost& output : cost.outputs) {
    Json entry = {{"output", leaf_json(output.output)},
                  {"shape", shape_text(*output.array)},
                  {"elements", output.array->element_count()}};
    if (output.in_place) entry["in_place"] = true;
    add_coalescing(output.coalescing, &entry);
    outputs.push_back(std::move(entry));
  }
  json["outputs"] = std::move(outputs);
  return json;
}

Json cost_json(const hlo::Module& module, const ModuleCost& cost, const Device& device) {
  Json json = cost_summary_json(module, cost, device);
  Json instructions = Json::array();
  for (const InstructionCost& instruction : cost.instructions) {
    instructions.push_back(cost_json(instruction));
  }
  json["instructions"] = std::move(instructions);
  return json;
}

std::string cost_json_text(const hlo::Module& module, const ModuleCost& cost,
                           const Device& device) {
  const Json summary = cost_summary_json(module, cost, device);
  std::string text = "{";
  for (const auto& [key, value] : summary.items()) {
    text += fmt::format("{}: {}, ", dump(key), dump(value));
  }
  text += "\"instructions\": [";
  bool is_first = true;
  for (const InstructionCost& instruction : cost.instructions) {
    text += is_first ? "\n" : ",\n";
    text += dump(cost_json(instruction));
    is_first = false;
  }
  return text + "\n]}\n";
}

std::string cost_table(const hlo::Module& module, const ModuleCost& cost, const Device& device) {
  std::vector<const InstructionCost*> order;
  for (const InstructionCost& instruction : cost.instructions) {
    if (instruction.time_us > 0) order.push_back(&instruction);
  }
  std::ranges::stable_sort(order, [](const InstructionCost* a, const InstructionCost* b) {
    return total_us(*a) > total_us(*b);
  });
  std::size_t width = 11;  // of "instruction"
  for (const InstructionCost* each : order) width = std::max(width, each->instruction->name.size());
  width = std::min<std::size_t>(width, 48);

  std::string text =
      fmt::format("{} on {}: {} us, {} flops, {}B read, {}B written\n\n", module.name, device.name,
                  microseconds(cost.time_us), with_unit(static_cast<double>(cost.work.flops)),
                  with_unit(static_cast<double>(cost.bytes_read.hi)),
                  with_unit(static_cast<double>(cost.bytes_written)));
  text += fmt::format("{:>11} {:>6} {:>7} {:>9} {:>9} {:>9}  {:<{}}  {}\n", "us", "%", "times",
                      "flops", "read B", "written B", "instruction", width, "limited by");
  for (const InstructionCost* each : order) {
    const double us = total_us(*each);
    text += fmt::format("{:>11} {:>6.1f} {:>7} {:>9} {:>9} {:>9}  {:<{}}  {}\n", microseconds(us),
                        cost.time_us == 0 ? 0.0 : 100 * us / cost.time_us, each->times,
                        with_unit(static_cast<double>(each->work.flops)),
                        with_unit(static_cast<double>(each->bytes_read.hi)),
                        with_unit(static_cast<double>(each->bytes_written)),
                        each->instruction->name, width, each->limited_by);
  }
  for (std::size_t i = 0; i < std::min(order.size(), kExplained); ++i) explain(*order[i], text);
  return text;
}

}  // namespace mercator::tools
