// The options that say how a kernel is written and launched.

#pragma once

#include <optional>

#include "mercator/indexing/kernel.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercator::tools {

// Adds --kernel, --threads, --blocks, --vector and --tile, which set `kernel` if --kernel is given;
// it must live as long as `app`. Returns --kernel, which the others need.
CLI::Option* add_kernel_options(CLI::App& app, std::optional<Kernel>& kernel);

}  // namespace mercator::tools
