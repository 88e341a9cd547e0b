// Tables of functions by name.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/runtime/packed_function.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Functions by name: a module of its own, which may stand on another, or the one of the process.
// May be used by several threads at once.
class FunctionTable {
 public:
  // What is not found in it is looked for in `parent`.
  explicit FunctionTable(std::shared_ptr<const FunctionTable> parent = nullptr)
      : parent_(std::move(parent)) {}
  FunctionTable(const FunctionTable&) = delete;
  FunctionTable& operator=(const FunctionTable&) = delete;

  // The table of the process. Functions that are still in it when the process ends are not freed,
  // since what they are made of may be gone by then.
  [[nodiscard]] static FunctionTable& global();

  enum class IfTaken : std::uint8_t { kFail, kReplace };
  // Errors of kind kUsage if the name is empty, or taken in this table.
  [[nodiscard]] Result<void> add(std::string name, PackedFunction function,
                                 IfTaken if_taken = IfTaken::kFail);
  // The function of that name here or in the tables that it stands on.
  [[nodiscard]] std::optional<PackedFunction> find(std::string_view name) const;
  // Whether there was one of that name in this table. Calls that are under way go on.
  bool remove(std::string_view name);
  // Of this table, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  const std::shared_ptr<const FunctionTable> parent_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, PackedFunction, std::less<>> functions_;
};

template <>
inline constexpr std::string_view handle_type_name<FunctionTable> = "mercator.FunctionTable";

}  // namespace mercator::runtime
