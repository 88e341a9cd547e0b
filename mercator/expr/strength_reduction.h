// Cheap operations in the place of dear ones.

#pragma once

#include "mercator/expr/index_program.h"

namespace mercator {

// A program that computes the same in the same box, without kFloorDiv and kMod:
//   - a multiplication by 2^k becomes a shift; other constants are left to the target, which knows
//     best;
//   - a quotient by 2^k becomes a shift (of either sign: shifts round down), the remainder a mask;
//   - a quotient by another constant becomes a multiplication and a shift (magic_division.h), the
//     remainder what is left when the quotient is taken away; both share the quotient;
//   - a quotient by a variable becomes the division of the machine, unsigned where nothing is
//     negative, otherwise with the correction that the signs ask for.
[[nodiscard]] IndexProgram reduce_strength(const IndexProgram& program);

}  // namespace mercator
