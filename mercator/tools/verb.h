// The verbs of the command. To add one, write its file, declare it here, and name it in main.cc.

#pragma once

#include <functional>

#include "mercator/tools/exit_status.h"
#include "mercator/tools/streams.h"

namespace CLI {
class App;
}

namespace mercator::tools {

struct Verb {
  CLI::App* app = nullptr;  // its options; knows whether the verb was called
  // Does the work with the options as they were read. Reports errors itself, but not those of
  // `Output`.
  std::function<ExitStatus(Output&)> run;
};

// What help lists the verbs under.
inline constexpr const char* kVerbGroup = "Verbs";

Verb add_compile_verb(CLI::App& command);
Verb add_cost_verb(CLI::App& command);
Verb add_map_verb(CLI::App& command);
Verb add_report_verb(CLI::App& command);
Verb add_run_verb(CLI::App& command);
Verb add_simplify_verb(CLI::App& command);
Verb add_tile_verb(CLI::App& command);

}  // namespace mercator::tools
