// How often computations evaluate each other.

#pragma once

#include <cstdint>
#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::indexing {

class CallPaths {
 public:
  explicit CallPaths(const hlo::Module& module);

  // Whether evaluating `outer` once may evaluate `inner`, another computation, at several places:
  // of its own, or of what it calls. The rounds of a loop are one place. True as well where finding
  // out would take long.
  [[nodiscard]] bool are_several(const hlo::Computation& outer,
                                 const hlo::Computation& inner) const;

 private:
  // Computations that are evaluated at one place of the module stand below the one that has it:
  // trees, whose roots are evaluated nowhere or at several places.
  struct Node {
    std::vector<std::uint32_t> callers = {};  // one for each place
    // The nodes below it, itself included, are those with the numbers first … last. 0: not in any
    // tree, as computations that call themselves are.
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t root = 0;
  };
  void number_trees();

  std::vector<Node> nodes_;  // by id of the computation
};

}  // namespace mercator::indexing
