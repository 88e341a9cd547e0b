// The interpreter as an engine: slow, takes nearly everything, and is right.

#pragma once

#include <memory>

#include "mercator/runtime/engine.h"

namespace mercator::runtime {

// The engine "interpreter".
[[nodiscard]] std::unique_ptr<Engine> make_interpreter_engine();

}  // namespace mercator::runtime
