#include "mercator/tools/report_module.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "mercator/tools/map_listing.h"

namespace mercator::tools {
namespace {

Json shape_json(const hlo::Shape& shape, std::string text) {
  Json leaves = Json::array();
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(shape)) {
    Json json = {{"path", leaf.index}};
    if (leaf.shape.is_array()) {
      json["type"] = std::string(hlo::name(leaf.shape.element_type));
      json["bits"] = hlo::bit_width(leaf.shape.element_type);
      json["dims"] = std::vector(leaf.shape.dimensions.begin(), leaf.shape.dimensions.end());
      json["order"] = hlo::minor_to_major(leaf.shape);
    }
    leaves.push_back(std::move(json));
  }
  return {{"text", std::move(text)}, {"leaves", std::move(leaves)}};
}

// Whether the computations that it calls run as a whole, once or several times.
bool runs_computations(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kCall:
    case hlo::Opcode::kWhile:
    case hlo::Opcode::kConditional:
    case hlo::Opcode::kAsyncStart:
      return true;
    default:
      return false;
  }
}

}  // namespace

Json report_module(const hlo::Module& module, std::int64_t devices) {
  Json computations = Json::array();
  for (const hlo::Computation* computation : module.computations) {
    const std::size_t count = computation->instructions.size();
    computations.push_back({std::string(computation->name),
                            count == 0 ? 0 : computation->instructions.front()->id, count,
                            computation->root->id});
  }

  std::unordered_map<std::string, std::size_t> shape_numbers;
  std::unordered_map<std::string, std::size_t> opcode_numbers;
  Json shapes = Json::array();
  Json opcodes = Json::array();
  Json names = Json::array();
  Json opcode = Json::array();
  Json shape = Json::array();
  Json operands = Json::array();
  Json calls = Json::object();
  for (const hlo::Instruction* instruction : module.instructions) {
    names.push_back(std::string(instruction->name));

    const std::string opcode_name(hlo::name(instruction->opcode));
    const auto [known_opcode, new_opcode] = opcode_numbers.try_emplace(opcode_name, opcodes.size());
    if (new_opcode) opcodes.push_back(opcode_name);
    opcode.push_back(known_opcode->second);

    std::string text = shape_text(instruction->shape);
    const auto [known_shape, new_shape] = shape_numbers.try_emplace(text, shapes.size());
    if (new_shape) shapes.push_back(shape_json(instruction->shape, std::move(text)));
    shape.push_back(known_shape->second);

    Json ids = Json::array();
    for (const hlo::Instruction* operand : instruction->operands) ids.push_back(operand->id);
    operands.push_back(std::move(ids));

    Json called = Json::array();
    for (const hlo::Computation* computation : instruction->called_computations()) {
      called.push_back(computation->id);
    }
    if (!called.empty()) calls[std::to_string(instruction->id)] = std::move(called);
  }
  return {{"module", std::string(module.name)}, {"devices", devices},
          {"entry", module.entry->id},          {"computations", std::move(computations)},
          {"opcodes", std::move(opcodes)},      {"shapes", std::move(shapes)},
          {"name", std::move(names)},           {"opcode", std::move(opcode)},
          {"shape", std::move(shape)},          {"operands", std::move(operands)},
          {"calls", std::move(calls)}};
}

LeafNumbers::LeafNumbers(const hlo::Shape& shape) {
  if (shape.is_array()) return;
  for (hlo::ShapeLeaf& leaf : hlo::leaves(shape)) {
    numbers_.emplace(std::move(leaf.index), numbers_.size());
  }
}

std::size_t LeafNumbers::operator()(const ShapeIndex& leaf) const {
  const auto found = numbers_.find(leaf);
  return found == numbers_.end() ? 0 : found->second;
}

std::vector<bool> computations_that_launch(const hlo::Module& module) {
  std::vector<bool> launches(module.computations.size());
  std::vector<const hlo::Computation*> pending = {module.entry};
  launches[module.entry->id] = true;
  while (!pending.empty()) {
    const hlo::Computation* computation = pending.back();
    pending.pop_back();
    for (const hlo::Instruction* instruction : computation->instructions) {
      if (!runs_computations(instruction->opcode)) continue;
      for (const hlo::Computation* called : instruction->called_computations()) {
        if (launches[called->id]) continue;
        launches[called->id] = true;
        pending.push_back(called);
      }
    }
  }
  return launches;
}

}  // namespace mercator::tools
