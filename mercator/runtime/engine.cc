#include "mercator/runtime/engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercator/runtime/interpreter_engine.h"
#include "mercator/support/suggestion.h"

namespace mercator::runtime {

Result<void> EngineTable::add(std::unique_ptr<Engine> engine) {
  const std::scoped_lock lock(mutex_);
  for (const std::unique_ptr<Engine>& other : engines_) {
    if (other->name() != engine->name()) continue;
    return fail(ErrorKind::kUsage, fmt::format("there is an engine '{}' already", engine->name()));
  }
  engines_.push_back(std::move(engine));
  return {};
}

const Engine* EngineTable::find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(engines_, name, [](const auto& e) { return e->name(); });
  return found == engines_.end() ? nullptr : found->get();
}

Result<std::vector<const Engine*>> EngineTable::find_all(std::span<const std::string> names) const {
  if (names.empty()) return fail(ErrorKind::kUsage, "no engine is asked for");
  std::vector<const Engine*> result;
  for (const std::string& name : names) {
    result.push_back(find(name));
    if (result.back() != nullptr) continue;
    const std::vector<std::string> known = this->names();
    const std::vector<std::string_view> words(known.begin(), known.end());
    Error error{
        .kind = ErrorKind::kUsage,
        .message = fmt::format("there is no engine '{}', only: {}", name, fmt::join(known, ", "))};
    error.hint = did_you_mean(nearest_words(name, words));
    return std::unexpected(std::move(error));
  }
  return result;
}

std::vector<std::string> EngineTable::names() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> result;
  for (const std::unique_ptr<Engine>& engine : engines_) result.emplace_back(engine->name());
  std::ranges::sort(result);
  return result;
}

EngineTable& engines() {
  // Never destroyed: executables may be run until the process ends.
  static EngineTable* const table = [] {
    auto* made = new EngineTable;
    (void)made->add(make_interpreter_engine());
    return made;
  }();
  return *table;
}

}  // namespace mercator::runtime
