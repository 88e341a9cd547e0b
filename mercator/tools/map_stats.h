// `mercator map --stats`: how many maps there are, what is not known, and how long it took.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "mercator/tools/map_listing.h"

namespace mercator::tools {

struct MapTimes {
  std::chrono::nanoseconds parse{};
  std::chrono::nanoseconds verify{};
  std::chrono::nanoseconds analyse{};  // without simplifying
  std::chrono::nanoseconds simplify{};
};

class MapStats {
 public:
  explicit MapStats(const hlo::Module& module);

  void add(const InstructionMaps& maps);
  // As a table for people, and as a JSON object on one line; both end in a newline.
  [[nodiscard]] std::string text(const MapTimes& times) const;
  [[nodiscard]] std::string json(const MapTimes& times) const;

 private:
  // How many maps there are in one direction.
  struct Counts {
    std::int64_t exact = 0;
    std::int64_t over_approximate = 0;
  };
  void add(const InstructionMaps& maps, Direction direction, Counts* counts);
  // The reason without the name of the instruction in a fusion or call where it arose, which would
  // make one of each.
  [[nodiscard]] std::string_view without_place(std::string_view reason) const;

  const hlo::Module& module_;
  std::unordered_set<std::string_view> instruction_names_;
  std::int64_t instructions_ = 0;
  Counts output_to_input_;
  Counts input_to_output_;
  // How many instructions have something unknown, by opcode and reason.
  std::map<std::pair<std::string, std::string>, std::int64_t> unknown_;
};

}  // namespace mercator::tools
