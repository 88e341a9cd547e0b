#include "mercator/tools/inside_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "mercator/tools/map_listing.h"

namespace mercator::tools {
namespace {

std::string output_label(const hlo::Instruction& instruction, const ShapeIndex& output) {
  return instruction.shape.is_tuple() ? " output " + leaf_text(output) : "";
}

}  // namespace

InsideMaps grouped_maps(const hlo::Instruction& call, GroupedIndexing grouped) {
  InsideMaps result = {.key = "grouped", .json = Json::object(), .unknown = grouped.unknown};
  for (GroupedIndexing::Group& group : grouped.groups) {
    const hlo::Instruction& inside = *group.instruction;
    const hlo::Shape& array = leaf_shape(inside.shape, group.leaf);
    const std::string leaf = group.leaf.empty() ? "" : " leaf " + leaf_text(group.leaf);
    Json json = {{"output", leaf_json(group.output)}, {"instruction", std::string(inside.name)}};
    if (!group.leaf.empty()) json["leaf"] = leaf_json(group.leaf);
    json["shape"] = shape_text(array);
    result.arrays.push_back(
        {.label = fmt::format("inside{}{}: {} {}", output_label(call, group.output), leaf,
                              inside.name, shape_text(array)),
         .json = std::move(json),
         .array = &array,
         .maps = std::move(group.maps)});
  }
  return result;
}

InsideMaps kernel_maps(const hlo::Instruction& call, const Kernel& kernel,
                       KernelIndexing indexing) {
  Json heroes = Json::array();
  for (const hlo::Instruction* hero : indexing.heroes) heroes.push_back(std::string(hero->name));
  InsideMaps result = {.key = "kernel",
                       .json = {{"scheme", std::string(name(kernel.scheme))},
                                {"threads", kernel.launch.threads},
                                {"blocks", kernel.launch.blocks},
                                {"vector", kernel.vector},
                                {"tile", kernel.tile},
                                {"heroes", std::move(heroes)}}};
  for (KernelIndexing::Read& read : indexing.reads) {
    const hlo::Instruction& operand = call.operand(static_cast<std::size_t>(read.operand));
    Json json = {{"access", "read"}};
    json.update(operand_json(call, read.operand, read.leaf));
    result.arrays.push_back({.label = "read " + operand_label(call, read.operand, read.leaf),
                             .json = std::move(json),
                             .array = &leaf_shape(operand.shape, read.leaf),
                             .maps = std::move(read.maps)});
  }
  for (KernelIndexing::Write& write : indexing.writes) {
    const hlo::Shape& array = leaf_shape(call.shape, write.output);
    result.arrays.push_back(
        {.label = fmt::format("write{}: {} {}", output_label(call, write.output), call.name,
                              shape_text(array)),
         .json = {{"access", "write"},
                  {"output", leaf_json(write.output)},
                  {"shape", shape_text(array)}},
         .array = &array,
         .maps = std::move(write.maps)});
  }
  return result;
}

std::string leaf_text(std::span<const std::int64_t> leaf) {
  return fmt::format("{{{}}}", fmt::join(leaf, ", "));
}

std::string operand_label(const hlo::Instruction& instruction, std::int64_t operand,
                          std::span<const std::int64_t> leaf) {
  const hlo::Instruction& array = instruction.operand(static_cast<std::size_t>(operand));
  return fmt::format("operand {}{}: {} {}", operand, leaf.empty() ? "" : " leaf " + leaf_text(leaf),
                     array.name, shape_text(leaf_shape(array.shape, leaf)));
}

Json leaf_json(std::span<const std::int64_t> leaf) {
  return Json(std::vector(leaf.begin(), leaf.end()));
}

Json operand_json(const hlo::Instruction& instruction, std::int64_t operand,
                  std::span<const std::int64_t> leaf) {
  const hlo::Instruction& array = instruction.operand(static_cast<std::size_t>(operand));
  Json json = {{"operand", operand}, {"name", std::string(array.name)}};
  if (!leaf.empty()) json["leaf"] = leaf_json(leaf);
  json["shape"] = shape_text(leaf_shape(array.shape, leaf));
  return json;
}

}  // namespace mercator::tools
