// How exact a program is: how far two right ways of computing its results may lie apart.
//
// Programs may round in another order, keep more bits on the way, or have functions that are right
// but for the last bits. For each result this follows what it is made from, by three numbers:
//
//   roundings         the most roundings on a way from an argument to the result: 1 for arithmetic
//                     that rounds, and for a contraction or a reduction that does; 4 for a function
//                     such as exp; 0 for what moves, compares, selects or converts
//   reduction_length  the largest product of the numbers of elements that are summed up, by
//                     contractions and reductions, on such a way
//   unit_roundoff     half the distance from 1 to the next number, in the least precise type that
//                     is rounded to on such a way
//
// In a loop the roundings of a round count as often as it may turn; lengths count once.

#pragma once

#include <cstdint>
#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::runtime {

struct Rounding {
  double roundings = 0;
  double reduction_length = 1;
  double unit_roundoff = 0;  // 0 if nothing is rounded
};

// For each array in the result of a computation of a verified module, from left to right.
[[nodiscard]] std::vector<Rounding> result_roundings(const hlo::Computation& computation);

// How far apart two results may be, relative to their magnitude: 0 if nothing is rounded, otherwise
//
//   min(4 * unit_roundoff * roundings * sqrt(reduction_length), sqrt(unit_roundoff))
//
// since errors of a sum that point anywhere grow as the root of its length. However long the
// program, half of the digits must agree.
[[nodiscard]] double tolerance(const Rounding& rounding);

}  // namespace mercator::runtime
