// What has been compiled, so that it is not compiled again.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/disk_cache.h"
#include "mercator/runtime/engine.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Executables by engine, version of the engine, and text of the module, which is compared whole:
// give it canonical modules (subgraph.h). It may be used by several threads at once: what one is
// compiling the others wait for. In memory, and in a directory if one is given, which other
// processes may use at the same time. Trouble with the directory never fails a compilation: it is
// as if there were no entry, and a warning. An entry that cannot be used is replaced.
class CompileCache {
 public:
  // In memory only.
  CompileCache() = default;
  // The least recently used entries of the directory are removed where it would have more bytes
  // than `limit` (disk_cache.h).
  explicit CompileCache(std::string directory, std::uint64_t limit = DiskCache::kDefaultLimit)
      : disk_(std::in_place, std::move(directory), limit) {}

  enum class Source : std::uint8_t { kCompiled, kMemory, kDisk };
  struct Compiled {
    std::shared_ptr<const Executable> executable;
    Source source = Source::kCompiled;
    // What was wrong with the directory; one line each.
    std::vector<std::string> warnings;
  };
  // The executable of a module. Errors are those of Engine::compile, which are not kept, and
  // kInterrupted.
  [[nodiscard]] Result<Compiled> compile(const Engine& engine,
                                         const std::shared_ptr<const hlo::Module>& module,
                                         const std::stop_token& stop);

 private:
  Result<Compiled> load_or_compile(const std::string& key, const Engine& engine,
                                   const std::shared_ptr<const hlo::Module>& module,
                                   const std::stop_token& stop);
  std::unique_ptr<Executable> load(const std::string& key, const Engine& engine,
                                   std::vector<std::string>& warnings) const;
  void store(const std::string& key, const Executable& executable,
             std::vector<std::string>& warnings);

  std::optional<DiskCache> disk_;
  std::mutex mutex_;
  std::condition_variable_any done_;
  // By key; null while somebody compiles it.
  std::unordered_map<std::string, std::shared_ptr<const Executable>> executables_;
};

}  // namespace mercator::runtime
