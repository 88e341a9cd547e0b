// What a run of a program uses of the world around it.

#pragma once

#include <cstdint>
#include <stop_token>

#include "mercator/runtime/memory.h"

namespace mercator::runtime {

class FunctionTable;

struct RunContext {
  MemoryPool pool;
  // Ends the run, with an error of kind kInterrupted, soon after a stop is requested.
  std::stop_token stop;
  // Where `rng` and `rng-get-and-update-state` start.
  std::uint64_t seed = 0;
  // Where custom calls find their functions, before the table of all (packed_function.h); may be
  // null.
  const FunctionTable* functions = nullptr;
  // How many threads an engine may use.
  int threads = 1;
};

}  // namespace mercator::runtime
