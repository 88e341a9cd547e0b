// Reading the program that a verb works on.

#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>

#include "mercator/hlo/module.h"
#include "mercator/tools/exit_status.h"

namespace mercator::tools {

struct ModuleFile {
  std::string name;                     // for messages
  std::string text;                     // that positions in messages are of
  std::unique_ptr<hlo::Module> module;  // verified
  std::chrono::nanoseconds parse_time{};
  std::chrono::nanoseconds verify_time{};
};

// The program that is the content of a file. Reports errors itself.
[[nodiscard]] std::expected<ModuleFile, ExitStatus> read_module(std::string name, std::string text);

// The program in a file, or on standard input for "-". Reports errors itself.
[[nodiscard]] std::expected<ModuleFile, ExitStatus> read_module_file(const std::string& file);

}  // namespace mercator::tools
