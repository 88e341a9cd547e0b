// How the time that Mercator's simplifier takes grows with its input.

#pragma once

namespace mercator::peers {

// Prints, for expressions of growing size, the time that one takes and the time for each unit of
// its size: sums of up to 10,000 terms under a quotient and a remainder, sums of as many quotients,
// and remainders nested up to 30 deep.
void print_growth();

}  // namespace mercator::peers
