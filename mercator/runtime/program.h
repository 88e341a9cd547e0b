// Programs: modules that are compiled and can be run.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/compile_cache.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/subgraph.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

struct CompileOptions {
  // Where executables are looked up and kept; null: only those of this program are shared.
  CompileCache* cache = nullptr;
  // Ends the compilation, with an error of kind kInterrupted, soon after a stop is requested.
  std::stop_token stop = {};
};

// What became of a module.
struct CompileStatistics {
  struct OfEngine {
    std::string engine;
    std::int64_t subgraphs = 0;
    std::int64_t instructions = 0;  // of the entry computation; copies count
  };
  std::vector<OfEngine> engines;  // those that were asked for, in their order
  // Subgraphs that were compiled, that had been compiled before by this process, and that came from
  // disk. Equal ones within the program count as compiled before.
  std::int64_t compiled = 0;
  std::int64_t memory_hits = 0;
  std::int64_t disk_hits = 0;
  double seconds = 0;  // by the clock, splitting included
  // What went wrong without harm; one line each.
  std::vector<std::string> warnings;
};

struct RunStatistics {
  double seconds = 0;                  // by the clock
  std::vector<double> engine_seconds;  // of CompileStatistics::engines, summed over threads
  // The most bytes that the pool of the run has had in use at once since it was made.
  std::int64_t peak_bytes = 0;
};

// A module that is split into subgraphs, with an executable for each.
class Program final : public Executable {
 public:
  // Splits the module, which must be verified, for these engines in order of preference
  // (partition.h), and compiles each subgraph. Errors: those of partition, and those of engines, of
  // which the first in the order of the subgraphs is told; they name the instruction of `module`
  // and have its span, where the engine says so much.
  [[nodiscard]] static Result<std::unique_ptr<Program>> compile(
      std::shared_ptr<const hlo::Module> module, std::span<const Engine* const> engines,
      const CompileOptions& options = {});

  // The value of the root of the entry computation, as the only result. The arguments are the
  // values of its parameters, dense; those that are given away (moved from) are freed after their
  // last reader, as are all other values.
  //
  // Subgraphs run in the order in which they depend on each other, up to `context.threads` of them
  // at once. Errors: kUsage for arguments that do not fit; kUnsupported if the results of an engine
  // are not what the module says; kInterrupted; what engines return, of which the one of the first
  // subgraph that fails is told, as if they were run one after the other. No other subgraph is
  // running any more when an error is returned.
  [[nodiscard]] Result<std::vector<Value>> run(std::vector<Value> arguments,
                                               const RunContext& context) const override;
  [[nodiscard]] Result<std::vector<Value>> run(std::vector<Value> arguments,
                                               const RunContext& context,
                                               RunStatistics& statistics) const;

  // The bytes of an artifact (artifact.h).
  [[nodiscard]] Result<std::string> save() const override;

  [[nodiscard]] const hlo::Module& module() const { return *module_; }
  [[nodiscard]] const CompileStatistics& statistics() const { return statistics_; }

  // ---- for artifacts ----

  struct UsedEngine {
    std::string name;
    std::string version;
  };
  struct Part {
    Subgraph subgraph;
    std::vector<Origin> origins;  // of the module that the engine was given
    std::shared_ptr<const Executable> executable;
  };
  // A program of parts that are compiled already. They must pass check_partition.
  Program(std::shared_ptr<const hlo::Module> module, std::vector<UsedEngine> engines,
          std::vector<Part> parts, const Effects& effects);
  [[nodiscard]] std::span<const UsedEngine> engines() const { return engines_; }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }

 private:
  friend class ProgramRun;

  // How the parts depend on each other.
  struct Links {
    std::vector<std::uint32_t> inputs;   // slots, one for each input of the subgraph
    std::uint32_t first_output = 0;      // the slot of the first output; the others follow
    std::vector<std::uint32_t> readers;  // the parts that read an output, each once
    std::uint32_t needed = 0;            // the number of parts that have this one as a reader
    std::uint64_t random_number = 0;     // counts those that draw random numbers, from 0
  };

  std::shared_ptr<const hlo::Module> module_;
  std::vector<UsedEngine> engines_;
  std::vector<Part> parts_;
  std::vector<Links> links_;
  // Values have slots: first the parameters, then the outputs of the parts.
  std::vector<std::uint32_t> slot_readers_;  // how many parts read each; the caller counts as one
  std::uint32_t root_slot_ = 0;
  CompileStatistics statistics_;
};

}  // namespace mercator::runtime
