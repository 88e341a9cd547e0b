#include "mercator/runtime/function_table.h"

#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace mercator::runtime {

FunctionTable& FunctionTable::global() {
  static FunctionTable& table = *new FunctionTable();
  return table;
}

// A function that leaves the table is freed after the lock is given up: what frees it may use the
// table.

Result<void> FunctionTable::add(std::string name, PackedFunction function, IfTaken if_taken) {
  if (name.empty()) return fail(ErrorKind::kUsage, "a function is registered by a name");
  const std::unique_lock lock(mutex_);
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    functions_.emplace(std::move(name), std::move(function));
    return {};
  }
  if (if_taken == IfTaken::kFail) {
    return fail(ErrorKind::kUsage, fmt::format("there is a function '{}' already", name));
  }
  std::swap(found->second, function);
  return {};
}

std::optional<PackedFunction> FunctionTable::find(std::string_view name) const {
  for (const FunctionTable* table = this; table != nullptr; table = table->parent_.get()) {
    const std::shared_lock lock(table->mutex_);
    const auto found = table->functions_.find(name);
    if (found != table->functions_.end()) return found->second;
  }
  return std::nullopt;
}

bool FunctionTable::remove(std::string_view name) {
  decltype(functions_)::node_type removed;
  const std::unique_lock lock(mutex_);
  const auto found = functions_.find(name);
  if (found == functions_.end()) return false;
  removed = functions_.extract(found);
  return true;
}

std::vector<std::string> FunctionTable::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  names.reserve(functions_.size());
  for (const auto& [name, function] : functions_) names.push_back(name);
  return names;
}

}  // namespace mercator::runtime
