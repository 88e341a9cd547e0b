#include "mercator/runtime/compile_cache.h"

#include <utility>

#include <fmt/format.h>

#include "mercator/support/stop_check.h"

namespace mercator::runtime {

Result<CompileCache::Compiled> CompileCache::compile(
    const Engine& engine, const std::shared_ptr<const hlo::Module>& module,
    const std::stop_token& stop) {
  const std::string key =
      fmt::format("{}\n{}\n{}", engine.name(), engine.version(), module->text());
  std::unique_lock lock(mutex_);
  while (true) {
    const auto [found, is_new] = executables_.try_emplace(key);
    if (is_new) break;
    if (found->second != nullptr) return Compiled{found->second, Source::kMemory, {}};
    const auto is_done = [&] {
      const auto other = executables_.find(key);
      return other == executables_.end() || other->second != nullptr;
    };
    done_.wait(lock, stop, is_done);
    MERCATOR_TRY_VOID(check_stop(stop));
  }
  lock.unlock();
  Result<Compiled> compiled = load_or_compile(key, engine, module, stop);
  lock.lock();
  if (compiled) {
    executables_[key] = compiled->executable;
  } else {
    executables_.erase(key);
  }
  done_.notify_all();
  return compiled;
}

Result<CompileCache::Compiled> CompileCache::load_or_compile(
    const std::string& key, const Engine& engine, const std::shared_ptr<const hlo::Module>& module,
    const std::stop_token& stop) {
  std::vector<std::string> warnings;
  if (std::shared_ptr<const Executable> loaded = load(key, engine, warnings)) {
    return Compiled{std::move(loaded), Source::kDisk, std::move(warnings)};
  }
  std::shared_ptr<const Executable> compiled = MERCATOR_TRY(engine.compile(module, stop));
  store(key, *compiled, warnings);
  return Compiled{std::move(compiled), Source::kCompiled, std::move(warnings)};
}

std::unique_ptr<Executable> CompileCache::load(const std::string& key, const Engine& engine,
                                               std::vector<std::string>& warnings) const {
  if (!disk_) return nullptr;
  const auto unusable = [&](const Error& error) {
    warnings.push_back(
        fmt::format("cannot use the cache entry '{}': {}", disk_->path_of(key), error.message));
    return nullptr;
  };
  Result<std::optional<std::string>> bytes = disk_->read(key);
  if (!bytes) return unusable(bytes.error());
  if (!*bytes) return nullptr;
  Result<std::unique_ptr<Executable>> executable = engine.load(**bytes);
  if (!executable) return unusable(executable.error());
  return *std::move(executable);
}

void CompileCache::store(const std::string& key, const Executable& executable,
                         std::vector<std::string>& warnings) {
  if (!disk_) return;
  const Result<std::string> bytes = executable.save();
  if (!bytes && bytes.error().kind == ErrorKind::kUnsupported) return;
  const Result<void> written =
      bytes ? disk_->write(key, *bytes) : Result<void>(std::unexpected(bytes.error()));
  if (!written) {
    warnings.push_back(fmt::format("cannot write the cache entry '{}': {}", disk_->path_of(key),
                                   written.error().message));
    return;
  }
  if (const Result<void> trimmed = disk_->trim(); !trimmed) {
    warnings.push_back(fmt::format("cannot remove old cache entries beside '{}': {}",
                                   disk_->path_of(key), trimmed.error().message));
  }
}

}  // namespace mercator::runtime
