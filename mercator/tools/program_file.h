// Reading and compiling the program that is run.

#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/disk_cache.h"
#include "mercator/runtime/program.h"
#include "mercator/tools/exit_status.h"

namespace CLI {
class App;
}

namespace mercator::tools {

struct ProgramOptions {
  std::string file;
  std::vector<std::string> engines;                              // by preference
  std::string cache;                                             // a directory; "": none
  std::uint64_t cache_size = runtime::DiskCache::kDefaultLimit;  // bytes
};

// Adds FILE, --engine, --cache and --cache-size.
void add_program_options(CLI::App& app, ProgramOptions& options);

struct ProgramFile {
  std::string name;  // for messages
  std::string text;  // that positions in messages are of
  std::unique_ptr<runtime::Program> program;

  [[nodiscard]] const hlo::Module& module() const { return program->module(); }
  // Prints an error about the module, with its place in the file.
  ExitStatus report(const Error& error) const;
};

// The program in a file, or on standard input for "-": an artifact, or a module, which is compiled.
// Reports errors and warnings itself.
[[nodiscard]] std::expected<ProgramFile, ExitStatus> read_program_file(
    const ProgramOptions& options, const std::stop_token& stop);

}  // namespace mercator::tools
