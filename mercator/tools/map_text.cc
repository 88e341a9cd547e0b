#include "mercator/tools/map_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/text.h"

namespace mercator::tools {
namespace {

// A map that is longer is printed with a line for each entry of its domain.
constexpr std::size_t kLineLength = 120;
constexpr std::string_view kMapIndent = "    ";
constexpr std::string_view kDetailIndent = "      ";

// The first line of `text` with kMapIndent, the others with kDetailIndent.
std::string indented(std::string_view text) {
  std::string out;
  std::string_view indent = kMapIndent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{}{}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    indent = kDetailIndent;
  }
  return out;
}

// "indices[d0, 1]", and of which device, in a map across devices.
std::string element_text(const hlo::Module& module, const OperandMap& operand_map,
                         const RuntimeVariable& variable) {
  const IndexMap& map = operand_map.across_devices.value_or(operand_map.map);
  std::vector<std::string> index;
  for (const Expr expr : variable.index) {
    index.push_back(to_string(expr, [&](VariableId id) { return map.name(id); }));
  }
  std::string device;
  if (operand_map.across_devices.has_value() && !index.empty()) {
    device = " of device " + index.front();
    index.erase(index.begin());
  }
  const std::string_view name = variable.tensor ? module.instructions[*variable.tensor]->name : "?";
  return fmt::format("{}[{}]{}", name, fmt::join(index, ", "), device);
}

}  // namespace

void MapTextWriter::write(const InstructionMaps& maps) {
  const hlo::Instruction& instruction = maps.instruction();
  write_head(instruction, !instruction.operands.empty());
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    if (maps.has(direction)) write_direction(maps, direction);
  }
}

void MapTextWriter::write(const hlo::Instruction& instruction, const InsideMaps& maps) {
  write_head(instruction, true);
  if (!maps.unknown.empty()) output_.write(fmt::format("  unknown: {}\n", maps.unknown));
  for (const ArrayMaps& array : maps.arrays) {
    output_.write(fmt::format("  {}\n", array.label));
    write_maps(&array.maps);
  }
}

void MapTextWriter::write_head(const hlo::Instruction& instruction, bool has_details) {
  if (instruction.parent != current_) {
    write_computation(*instruction.parent);
  } else if (has_details || last_had_details_) {
    output_.write("\n");
  }
  last_had_details_ = has_details;
  output_.write(fmt::format("{} = {} {}\n", instruction.name, shape_text(instruction.shape),
                            hlo::name(instruction.opcode)));
}

void MapTextWriter::write_computation(const hlo::Computation& computation) {
  const std::string_view separator = current_ == nullptr ? "" : "\n";
  const std::string_view entry = &computation == module_.entry ? " (entry)" : "";
  output_.write(fmt::format("{}computation {}{}\n\n", separator, computation.name, entry));
  current_ = &computation;
}

void MapTextWriter::write_direction(const InstructionMaps& maps, Direction direction) {
  const std::string_view name = direction == Direction::kOutputToInput ? "o2i" : "i2o";
  const hlo::Instruction& instruction = maps.instruction();
  if (!maps.unknown(direction).empty()) {
    output_.write(fmt::format("  {} unknown: {}\n", name, maps.unknown(direction)));
    return;
  }
  const bool is_tuple = instruction.shape.is_tuple();
  for (const MapPair& pair : maps.pairs(direction)) {
    // Of the many elements of a tuple, only those that an operand is part of.
    if (pair.maps == nullptr && is_tuple) continue;
    const std::string output = is_tuple ? fmt::format(" output {}", leaf_text(pair.output)) : "";
    const std::string operand = operand_label(instruction, pair.operand, pair.operand_leaf);
    output_.write(fmt::format("  {}{} {}\n", name, output, operand));
    write_maps(pair.maps);
  }
}

void MapTextWriter::write_maps(const OperandMaps* maps) {
  if (maps == nullptr || (maps->maps.empty() && maps->unknown.empty())) {
    output_.write(fmt::format("{}not read\n", kMapIndent));
  } else if (!maps->unknown.empty()) {
    output_.write(fmt::format("{}unknown: {}\n", kMapIndent, maps->unknown));
  } else {
    for (const OperandMap& map : maps->maps) write_map(map);
  }
}

void MapTextWriter::write_map(const OperandMap& operand_map) {
  // The map across devices says all that the other does, and more.
  const IndexMap& map = operand_map.across_devices.value_or(operand_map.map);
  std::string text = to_string(map, MapStyle::kOneLine);
  if (kMapIndent.size() + text.size() > kLineLength) text = to_string(map, MapStyle::kLines);
  std::string out = indented(text);
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    out += fmt::format("{}{} = {}\n", kDetailIndent, map.name({VariableKind::kRuntime, i}),
                       element_text(module_, operand_map, map.runtimes()[i]));
  }
  if (!operand_map.exact) {
    out += fmt::format("{}over-approximate: may name elements that are not read\n", kDetailIndent);
  }
  output_.write(out);
}

}  // namespace mercator::tools
