// The header of .npy: a dictionary as Python writes it.
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }

#pragma once

#include <string_view>

#include "mercator/runtime/npy.h"

namespace mercator::runtime {

// Reads the dictionary. Errors as `read_npy_header`.
[[nodiscard]] Result<NpyHeader> parse_npy_dictionary(std::string_view text);

}  // namespace mercator::runtime
