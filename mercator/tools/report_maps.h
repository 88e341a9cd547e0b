// Index maps as the page of `mercator report` has them: each distinct one once, in a form that the
// page evaluates without reading text.

#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator::tools {

// Numbers distinct maps from 0. The JSON of one is an object:
//
//   "t"  the map as text
//   "x"  1 if it is exact, else 0
//   "d", "s"  dimension and range variables, [name, lo, hi]
//   "r"  runtime variables, [name, lo, hi, id of the instruction that holds the value or null,
//        the element as text]
//   "n"  the expressions as a program: each entry is a constant, a variable ("d0", "s0", "r0"), or
//        an operation on the values of earlier entries, given by their places:
//        ["+", constant, coefficient, place, …], ["*", place, …], ["/", place, place] (floordiv),
//        ["%", place, place] (mod), ["min", place, …], ["max", place, …]
//   "e"  the places of the results
//   "c"  constraints, [place, lo, hi]
//   "a"  the map across devices as text, where there is one
//
// An infinite bound is null; a number beyond 2^53 is a string.
class ReportMaps {
 public:
  explicit ReportMaps(const hlo::Module& module) : module_(module) {}

  std::size_t add(const OperandMap& map);
  // By number.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  const hlo::Module& module_;
  std::vector<std::string> lines_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace mercator::tools
