// What custom calls read, as the user says it: a table by the name of what they call.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mercator/map/index_map.h"

namespace mercator {

// What one array of the result of a custom call reads of one array of an operand: from an index of
// the result to those of the operand. Bounds that the map does not say follow from the sizes of the
// arrays: `(d0, d1)[s0] -> (d0, s0)` reads the whole row, however long it is. Without runtime
// variables.
struct CustomCallMap {
  std::vector<std::int64_t> output = {};
  std::int64_t operand = 0;
  std::vector<std::int64_t> operand_leaf = {};
  IndexMap map;
  // Whether it names only what is read.
  bool exact = true;
};

struct CustomCallMeaning {
  enum class Kind : std::uint8_t {
    kIdentity,     // the result is operand 0
    kElementwise,  // every element is made from those at the same index of all operands
    kMaps,         // as `maps` say; what is not listed there is not read
  };
  Kind kind = Kind::kIdentity;
  std::vector<CustomCallMap> maps = {};
};

// By custom_call_target.
using CustomCalls = std::map<std::string, CustomCallMeaning, std::less<>>;

}  // namespace mercator
