// `mercator tile` for people and for programs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <vector>

#include "mercator/expr/text.h"
#include "mercator/tools/inside_maps.h"
#include "mercator/tools/json.h"
#include "mercator/tools/map_listing.h"
#include "mercator/tools/tile_listing.h"

namespace mercator::tools {
namespace {

std::vector<std::string> texts_of(const std::vector<Constraint>& constraints) {
  std::vector<std::string> texts;
  for (const Constraint& constraint : constraints) texts.push_back(to_string(constraint));
  return texts;
}

std::string element_text(const hlo::Module& module, const RuntimeVariable& runtime) {
  std::vector<std::string> index;
  for (const Expr expr : runtime.index) {
    index.push_back(expr ? to_string(expr, tile_variable_name) : "?");
  }
  const std::string_view name = runtime.tensor ? module.instructions[*runtime.tensor]->name : "?";
  return fmt::format("{}[{}]", name, fmt::join(index, ", "));
}

std::vector<TileDimension> dimensions_of(const RootTile& tile) {
  std::vector<TileDimension> dimensions;
  for (std::size_t i = 0; i < tile.rank(); ++i) dimensions.push_back(tile.dimension(i));
  return dimensions;
}

std::string case_text(const TileCase& one) {
  std::string text = fmt::format("    {}\n", to_string(one.dimensions));
  for (const std::string& condition : texts_of(one.conditions)) {
    text += fmt::format("      if {}\n", condition);
  }
  for (const std::string& condition : texts_of(one.nonempty)) {
    text += fmt::format("      nothing unless {}\n", condition);
  }
  return text;
}

std::string text_of(const hlo::Module& module, const Tile& tile, bool exact) {
  std::string text;
  for (const TileCase& one : tile.cases) text += case_text(one);
  for (const std::string& condition : texts_of(tile.nonempty)) {
    text += fmt::format("      nothing unless {}\n", condition);
  }
  if (!tile.otherwise.empty()) {
    text += fmt::format("    {}not {}a tile: {}\n", tile.cases.empty() ? "" : "otherwise ",
                        tile.is_complete ? "" : "known to be ", tile.otherwise);
  }
  for (std::uint32_t i = 0; !tile.cases.empty() && i < tile.runtimes.size(); ++i) {
    text += fmt::format("      {} = {}\n", tile_variable_name({VariableKind::kRuntime, i}),
                        element_text(module, tile.runtimes[i]));
  }
  if (!exact) text += "      over-approximate: may have elements that are not read\n";
  return text;
}

std::string array_label(const hlo::Instruction& instruction, const ShapeIndex& leaf) {
  return fmt::format("{}{} {}", instruction.name, leaf.empty() ? "" : " leaf " + leaf_text(leaf),
                     shape_text(leaf_shape(instruction.shape, leaf)));
}

std::string choices_text(const TileChoices& choices) {
  std::string text;
  for (const TileChoice& choice : choices.choices) {
    text += fmt::format("{} {} bytes\n", fmt::join(choice.sizes, ","), choice.bytes);
  }
  if (choices.choices.empty()) text += "no tile sizes fit\n";
  if (choices.undecided > 0) {
    text += fmt::format(
        "{} were not decided: they have too many tiles, depend on values at run time, or meet no "
        "condition that is known\n",
        choices.undecided);
  }
  if (!choices.is_complete) {
    text += fmt::format("only the first {} were tried\n", choices.tried);
  }
  return text;
}

Json number_json(Expr expr) {
  if (expr.is(ExprKind::kConstant)) return expr.value();
  return to_string(expr, tile_variable_name);
}

Json dimensions_json(const std::vector<TileDimension>& dimensions) {
  Json list = Json::array();
  for (const TileDimension& d : dimensions) {
    list.push_back({{"offset", number_json(d.offset)},
                    {"size", number_json(d.size)},
                    {"stride", number_json(d.stride)}});
  }
  return list;
}

Json tile_to_json(const hlo::Module& module, const Tile& tile, bool exact) {
  Json cases = Json::array();
  for (const TileCase& one : tile.cases) {
    cases.push_back({{"dimensions", dimensions_json(one.dimensions)},
                     {"conditions", texts_of(one.conditions)},
                     {"nonempty", texts_of(one.nonempty)}});
  }
  Json runtime = Json::array();
  for (std::uint32_t i = 0; !tile.cases.empty() && i < tile.runtimes.size(); ++i) {
    runtime.push_back({{"variable", tile_variable_name({VariableKind::kRuntime, i})},
                       {"element", element_text(module, tile.runtimes[i])}});
  }
  Json json = {{"exact", exact},
               {"nonempty", texts_of(tile.nonempty)},
               {"cases", std::move(cases)},
               {"runtime", std::move(runtime)}};
  if (!tile.otherwise.empty()) json["otherwise"] = tile.otherwise;
  json["complete"] = tile.is_complete;
  return json;
}

Json array_json(const hlo::Module& module, const ArrayTiles& array) {
  Json json = {{"where", array.where}, {"name", std::string(array.instruction->name)}};
  if (!array.leaf.empty()) json["leaf"] = leaf_json(array.leaf);
  json["shape"] = shape_text(leaf_shape(array.instruction->shape, array.leaf));
  if (!array.maps.unknown.empty()) {
    json["unknown"] = array.maps.unknown;
    return json;
  }
  Json tiles = Json::array();
  for (const auto& [tile, exact] : array.tiles) tiles.push_back(tile_to_json(module, tile, exact));
  json["tiles"] = std::move(tiles);
  return json;
}

}  // namespace

std::string tile_text(const hlo::Module& module, const TileListing& listing) {
  if (listing.choices) return choices_text(*listing.choices);
  std::string text = fmt::format("tile of {}\n    {}\n", array_label(*listing.root, listing.leaf),
                                 to_string(dimensions_of(listing.tile)));
  for (std::uint32_t i = 0; i < listing.tile.bounds().size(); ++i) {
    const Interval bounds = listing.tile.bounds()[i];
    if (bounds.is_point()) continue;
    text += fmt::format("      {} in {}\n", tile_variable_name({VariableKind::kDimension, i}),
                        to_string(bounds));
  }
  for (const ArrayTiles& array : listing.arrays) {
    text += fmt::format("{} {}\n", array.where, array_label(*array.instruction, array.leaf));
    if (!array.maps.unknown.empty()) text += fmt::format("    unknown: {}\n", array.maps.unknown);
    for (std::size_t i = 0; i < array.tiles.size(); ++i) {
      if (i > 0) text += "  and\n";
      text += text_of(module, array.tiles[i].tile, array.tiles[i].exact);
    }
  }
  if (!listing.unknown.empty()) text += fmt::format("unknown: {}\n", listing.unknown);
  return text;
}

std::string tile_json(const hlo::Module& module, const TileListing& listing) {
  Json json = {{"module", std::string(module.name)},
               {"instruction", std::string(listing.root->name)}};
  if (!listing.leaf.empty()) json["leaf"] = leaf_json(listing.leaf);
  json["shape"] = shape_text(leaf_shape(listing.root->shape, listing.leaf));
  if (listing.choices) {
    Json choices = Json::array();
    for (const TileChoice& choice : listing.choices->choices) {
      choices.push_back({{"sizes", choice.sizes}, {"bytes", choice.bytes}});
    }
    json["choices"] = std::move(choices);
    json["tried"] = listing.choices->tried;
    json["undecided"] = listing.choices->undecided;
    json["complete"] = listing.choices->is_complete;
    return dump(json) + "\n";
  }
  Json parameters = Json::object();
  for (std::uint32_t i = 0; i < listing.tile.bounds().size(); ++i) {
    const Interval bounds = listing.tile.bounds()[i];
    if (bounds.is_point()) continue;
    parameters[tile_variable_name({VariableKind::kDimension, i})] = {bounds.lo, bounds.hi};
  }
  json["parameters"] = std::move(parameters);
  json["tile"] = dimensions_json(dimensions_of(listing.tile));
  Json arrays = Json::array();
  for (const ArrayTiles& array : listing.arrays) arrays.push_back(array_json(module, array));
  json["arrays"] = std::move(arrays);
  if (!listing.unknown.empty()) json["unknown"] = listing.unknown;
  return dump(json) + "\n";
}

}  // namespace mercator::tools
