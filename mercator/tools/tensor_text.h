// Tensors as text for people to read.

#pragma once

#include <string>

#include "mercator/runtime/tensor.h"

namespace mercator::tools {

// A dense tensor as a literal of HLO: `s32[2,3] {{0, 1, 2}, {3, 4, 5}}`. Of more than 1000 elements
// only those at both ends of each dimension are shown, and `...` between them.
[[nodiscard]] std::string tensor_text(const runtime::Tensor& tensor);

}  // namespace mercator::tools
