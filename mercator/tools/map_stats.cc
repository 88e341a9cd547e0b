#include "mercator/tools/map_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

MapStats::MapStats(const hlo::Module& module) : module_(module) {
  for (const hlo::Instruction* instruction : module.instructions) {
    instruction_names_.insert(instruction->name);
  }
}

std::string_view MapStats::without_place(std::string_view reason) const {
  constexpr std::string_view kSeparator = ": ";
  const std::size_t end = reason.find(kSeparator);
  const bool has_place =
      end != std::string_view::npos && instruction_names_.contains(reason.substr(0, end));
  return has_place ? reason.substr(end + kSeparator.size()) : reason;
}

void MapStats::add(const InstructionMaps& maps) {
  ++instructions_;
  add(maps, Direction::kOutputToInput, &output_to_input_);
  add(maps, Direction::kInputToOutput, &input_to_output_);

  std::set<std::string> reasons;
  const auto add_reason = [&](std::string_view reason) {
    if (!reason.empty()) reasons.emplace(without_place(reason));
  };
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    if (!maps.has(direction)) continue;
    add_reason(maps.unknown(direction));
    for (const MapPair& pair : maps.pairs(direction)) {
      if (pair.maps != nullptr) add_reason(pair.maps->unknown);
    }
  }
  const std::string opcode(hlo::name(maps.instruction().opcode));
  for (const std::string& reason : reasons) ++unknown_[{opcode, reason}];
}

void MapStats::add(const InstructionMaps& maps, Direction direction, Counts* counts) {
  if (!maps.has(direction)) return;
  for (const MapPair& pair : maps.pairs(direction)) {
    if (pair.maps == nullptr) continue;
    const std::int64_t exact = std::ranges::count_if(pair.maps->maps, &OperandMap::exact);
    counts->exact += exact;
    counts->over_approximate += static_cast<std::int64_t>(pair.maps->maps.size()) - exact;
  }
}

std::string MapStats::text(const MapTimes& times) const {
  std::string out = fmt::format("module {}: {} instructions in {} computations\n\n", module_.name,
                                module_.instructions.size(), module_.computations.size());
  out += fmt::format("instructions listed   {:>9}\n", instructions_);
  const auto add_counts = [&](std::string_view direction, const Counts& counts) {
    out += fmt::format("maps {}   exact     {:>9}\n", direction, counts.exact);
    out += fmt::format("     over-approximate {:>9}\n", counts.over_approximate);
  };
  add_counts("o2i", output_to_input_);
  add_counts("i2o", input_to_output_);

  std::int64_t unknown = 0;
  for (const auto& [what, count] : unknown_) unknown += count;
  out += fmt::format("unknown               {:>9}\n", unknown);
  for (const auto& [what, count] : unknown_) {
    out += fmt::format("  {:<24} {:>4}   {}\n", what.first, count, what.second);
  }

  out += "\n";
  const auto add_time = [&](std::string_view stage, std::chrono::nanoseconds time) {
    out += fmt::format("{:<12} {:>15.2f} ms\n", stage, milliseconds(time));
  };
  add_time("parse", times.parse);
  add_time("verify", times.verify);
  add_time("analyse", times.analyse);
  add_time("simplify", times.simplify);
  add_time("total", times.parse + times.verify + times.analyse + times.simplify);
  return out;
}

std::string MapStats::json(const MapTimes& times) const {
  const auto counts_json = [](const Counts& counts) {
    return Json{{"exact", counts.exact}, {"over_approximate", counts.over_approximate}};
  };
  Json unknown = Json::array();
  for (const auto& [what, count] : unknown_) {
    unknown.push_back({{"opcode", what.first}, {"reason", what.second}, {"instructions", count}});
  }
  const Json json = {{"module", std::string(module_.name)},
                     {"instructions", instructions_},
                     {"o2i", counts_json(output_to_input_)},
                     {"i2o", counts_json(input_to_output_)},
                     {"unknown", std::move(unknown)},
                     {"ms",
                      {{"parse", milliseconds(times.parse)},
                       {"verify", milliseconds(times.verify)},
                       {"analyse", milliseconds(times.analyse)},
                       {"simplify", milliseconds(times.simplify)}}}};
  return dump(json) + "\n";
}

}  // namespace mercator::tools
