// Which parameters the results of a small function depend on: of a combiner, a comparator, the body
// of a scan. The maps of such functions are not asked for, since most are of scalars.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::indexing {

enum class Dependence : std::uint8_t {
  kNone,
  kPossible,
  // Each element of the result depends on the element of the parameter at the same index, and on no
  // other of its elements.
  kElementwise,
};

class FunctionDependence {
 public:
  explicit FunctionDependence(const hlo::Computation& function);

  // Of result `result`, which is 0 unless the function gives a tuple.
  [[nodiscard]] Dependence operator()(std::size_t result, std::size_t parameter) const {
    return table_[result][parameter];
  }

 private:
  std::vector<std::vector<Dependence>> table_;
};

}  // namespace mercator::indexing
