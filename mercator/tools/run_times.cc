#include "mercator/tools/run_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

constexpr double kSecondsInAll = 1;
constexpr std::size_t kFewestRuns = 5;

// Milliseconds to the microsecond.
double milliseconds(double seconds) { return std::round(seconds * 1e6) / 1e3; }

std::string engine_names(const runtime::Program& program) {
  std::string names;
  for (const runtime::Program::UsedEngine& engine : program.engines()) {
    if (!names.empty()) names += ',';
    names += engine.name;
  }
  return names;
}

}  // namespace

Result<RunTimes> measure(const runtime::Program& program,
                         const std::vector<runtime::Value>& arguments,
                         const runtime::RunContext& context) {
  RunTimes times;
  double all = 0;
  while (all < kSecondsInAll || times.seconds.size() < kFewestRuns) {
    runtime::RunStatistics statistics;
    // Copies of the arguments: what is in use twice is not overwritten, not even where it is
    // donated.
    const std::vector<runtime::Value> results =
        MERCATOR_TRY(program.run(arguments, context, statistics));
    times.seconds.push_back(statistics.seconds);
    times.peak_temp_bytes = statistics.peak_bytes;
    all += statistics.seconds;
  }
  std::ranges::sort(times.seconds);
  return times;
}

std::string times_json(const runtime::Program& program, const RunTimes& times,
                       const runtime::RunContext& context) {
  Json json;
  json["engine"] = engine_names(program);
  json["compile_ms"] = milliseconds(program.statistics().seconds);
  json["run_ms"] = milliseconds(times.seconds.front());
  json["median_ms"] = milliseconds(times.seconds[times.seconds.size() / 2]);
  json["runs"] = times.seconds.size();
  json["threads"] = context.threads;
  json["peak_temp_bytes"] = times.peak_temp_bytes;
  return dump(json) + '\n';
}

std::string statistics_text(const runtime::Program& program, const runtime::RunStatistics& run) {
  const runtime::CompileStatistics& compiled = program.statistics();
  std::string text;
  const auto line = [&text](std::string_view what, const std::string& value) {
    text += fmt::format("{:<22}{}\n", what, value);
  };
  line("subgraphs", fmt::format("{:>9}", program.parts().size()));
  for (std::size_t i = 0; i < compiled.engines.size(); ++i) {
    const runtime::CompileStatistics::OfEngine& engine = compiled.engines[i];
    line("  " + engine.engine,
         fmt::format("{:>9}   instructions {:>7}   run {:>9.3f} ms", engine.subgraphs,
                     engine.instructions,
                     i < run.engine_seconds.size() ? 1e3 * run.engine_seconds[i] : 0.0));
  }
  line("compiled", fmt::format("{:>9}", compiled.compiled));
  line("  before, in memory", fmt::format("{:>9}", compiled.memory_hits));
  line("  before, on disk", fmt::format("{:>9}", compiled.disk_hits));
  line("compile", fmt::format("{:>9.3f} ms", 1e3 * compiled.seconds));
  line("run", fmt::format("{:>9.3f} ms", 1e3 * run.seconds));
  line("peak memory", fmt::format("{:>9} bytes besides arguments", run.peak_bytes));
  return text;
}

}  // namespace mercator::tools
