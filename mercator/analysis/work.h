// How much instructions compute.

#pragma once

#include <cstdint>
#include <map>

#include "mercator/hlo/module.h"

namespace mercator {

// Operations, the largest int64 where there are more. Additions and multiplications count as one
// each, integer ones, comparisons and selections as well; what only moves or converts elements
// counts nothing. Of complex numbers an addition counts 2, a multiplication 6.
struct Work {
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;  // exponentials, roots, sines, …: not in flops

  Work& operator+=(const Work& other);
  friend Work operator*(const Work& work, std::int64_t times);
  friend bool operator==(const Work&, const Work&) = default;
};

// Of the instructions of one module. Keeps what it knows of computations.
class WorkCounter {
 public:
  // Of a fusion or call, all that is inside, once. A loop counts one round, of a conditional the
  // branches count all: how often they run is for the caller to know. By the formulas that are
  // usual for libraries where there is no other: 5 n log2 n for an FFT, n^3 / 3 for a Cholesky
  // factor, n log2 n comparisons for a sort.
  Work operator()(const hlo::Instruction& instruction);

 private:
  // To evaluate it once.
  Work of(const hlo::Computation& computation);

  std::map<const hlo::Computation*, Work> computations_;
};

}  // namespace mercator
