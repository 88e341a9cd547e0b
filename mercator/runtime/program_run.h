// One run of a program. Internal to programs.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <pthread.h>

#include "mercator/runtime/call_depth.h"
#include "mercator/runtime/program.h"

namespace mercator::runtime {

// The error of an engine about a subgraph, as one about the module that the subgraph is from.
[[nodiscard]] Error error_in_module(Error error, std::span<const Origin> origins,
                                    std::string_view engine);

// The thread that calls `run` works, and others help it as long as there is work for them.
class ProgramRun {
 public:
  // All three must stay.
  ProgramRun(const Program& program, std::vector<Value> arguments, const RunContext& context);

  // The value of the root. To be called once.
  [[nodiscard]] Result<Value> run(RunStatistics& statistics);

 private:
  [[nodiscard]] Result<void> check_arguments() const;
  void work();
  void call_helper();
  static void* help(void* run);
  [[nodiscard]] bool has_work() const;
  std::vector<Value> take_inputs(std::uint32_t part);
  Result<std::vector<Value>> run_part(std::uint32_t part, std::vector<Value> inputs, int threads,
                                      const std::stop_source& stop) const;
  void finish(std::uint32_t part, Result<std::vector<Value>> results);
  void fail_from(std::uint32_t part, Error error);

  const Program& program_;
  const RunContext& context_;
  const int call_depth_ = CallDepth::current();

  std::mutex mutex_;
  std::condition_variable changed_;
  // What follows is guarded by the mutex.
  std::vector<Value> values_;                // by slot
  std::vector<std::uint32_t> readers_left_;  // by slot
  std::vector<std::uint32_t> needed_;        // by part, how many others it waits for
  // The parts that can be run, the first in order on top.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
  std::map<std::uint32_t, std::stop_source> running_;
  // The first part that has failed; those after it are not run any more, those before it are, since
  // one of them may fail too.
  std::uint32_t failed_;
  Error error_;
  std::vector<double> engine_seconds_;
  std::vector<pthread_t> helpers_;
};

}  // namespace mercator::runtime
