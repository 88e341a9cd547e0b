#include "mercator/tools/map_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

Json runtime_json(const hlo::Module& module, const IndexMap& map) {
  Json list = Json::array();
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    const RuntimeVariable& variable = map.runtimes()[i];
    Json json = {{"variable", map.name({VariableKind::kRuntime, i})}};
    if (variable.tensor) {
      json["instruction"] = std::string(module.instructions[*variable.tensor]->name);
      json["text"] = to_string(runtime_map(map, variable), MapStyle::kOneLine);
    }
    list.push_back(std::move(json));
  }
  return list;
}

// Adds "maps" or "unknown" to `json`.
void add_maps(const hlo::Module& module, const OperandMaps* maps, Json* json) {
  if (maps != nullptr && !maps->unknown.empty()) {
    (*json)["unknown"] = maps->unknown;
    return;
  }
  Json list = Json::array();
  if (maps != nullptr) {
    for (const OperandMap& map : maps->maps) {
      list.push_back({{"text", to_string(map.map, MapStyle::kOneLine)},
                      {"exact", map.exact},
                      {"runtime", runtime_json(module, map.map)}});
      if (!map.across_devices.has_value()) continue;
      list.back()["across_devices"] = {{"text", to_string(*map.across_devices, MapStyle::kOneLine)},
                                       {"runtime", runtime_json(module, *map.across_devices)}};
    }
  }
  (*json)["maps"] = std::move(list);
}

Json pair_json(const hlo::Module& module, const hlo::Instruction& instruction,
               const MapPair& pair) {
  Json json = operand_json(instruction, pair.operand, pair.operand_leaf);
  add_maps(module, pair.maps, &json);
  return json;
}

Json head_json(const hlo::Instruction& instruction) {
  return {{"name", std::string(instruction.name)},
          {"opcode", std::string(hlo::name(instruction.opcode))},
          {"computation", std::string(instruction.parent->name)},
          {"shape", shape_text(instruction.shape)}};
}

Json output_to_input_json(const hlo::Module& module, const InstructionMaps& maps) {
  Json outputs = Json::array();
  for (const ShapeIndex& output : maps.outputs()) {
    outputs.push_back({{"output", leaf_json(output)}, {"operands", Json::array()}});
  }
  std::size_t current = 0;
  for (const MapPair& pair : maps.pairs(Direction::kOutputToInput)) {
    while (!std::ranges::equal(maps.outputs()[current], pair.output)) ++current;
    outputs[current]["operands"].push_back(pair_json(module, maps.instruction(), pair));
  }
  return outputs;
}

Json input_to_output_json(const hlo::Module& module, const InstructionMaps& maps) {
  Json operands = Json::array();
  const MapPair* last = nullptr;
  const std::vector<MapPair> pairs = maps.pairs(Direction::kInputToOutput);
  for (const MapPair& pair : pairs) {
    const bool same = last != nullptr && last->operand == pair.operand &&
                      std::ranges::equal(last->operand_leaf, pair.operand_leaf);
    if (!same) {
      Json operand = {{"operand", pair.operand}};
      if (!pair.operand_leaf.empty()) operand["leaf"] = leaf_json(pair.operand_leaf);
      operand["outputs"] = Json::array();
      operands.push_back(std::move(operand));
    }
    last = &pair;
    Json output = {{"output", leaf_json(pair.output)}};
    add_maps(module, pair.maps, &output);
    operands.back()["outputs"].push_back(std::move(output));
  }
  return operands;
}

}  // namespace

MapJsonWriter::MapJsonWriter(const hlo::Module& module, Output& output)
    : module_(module), output_(output) {
  output_.write(
      fmt::format("{{\"module\": {}, \"instructions\": [", dump(std::string(module.name))));
}

void MapJsonWriter::write(const InstructionMaps& maps) {
  Json json = head_json(maps.instruction());
  if (maps.has(Direction::kOutputToInput)) json["o2i"] = output_to_input_json(module_, maps);
  if (maps.has(Direction::kInputToOutput)) json["i2o"] = input_to_output_json(module_, maps);
  write(json);
}

void MapJsonWriter::write(const hlo::Instruction& instruction, const InsideMaps& maps) {
  Json json = head_json(instruction);
  Json inside = maps.json;
  if (maps.unknown.empty()) {
    Json arrays = Json::array();
    for (const ArrayMaps& array : maps.arrays) {
      arrays.push_back(array.json);
      add_maps(module_, &array.maps, &arrays.back());
    }
    inside["arrays"] = std::move(arrays);
  } else {
    inside["unknown"] = maps.unknown;
  }
  json[maps.key] = std::move(inside);
  write(json);
}

void MapJsonWriter::write(const Json& json) {
  output_.write(first_ ? "\n" : ",\n");
  output_.write(dump(json));
  first_ = false;
}

void MapJsonWriter::finish() { output_.write("\n]}\n"); }

}  // namespace mercator::tools
