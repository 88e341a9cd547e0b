// Where nodes stand in a list: a table by id that is emptied in no time. For the files of this
// folder only.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator::internal {

class NodePlaces {
 public:
  void clear() { ++epoch_; }
  // Gives `expr` a place; false if it has one.
  bool try_set(Expr expr, std::uint32_t place) {
    if (expr.id() >= slots_.size()) grow(expr);
    Slot& slot = slots_[expr.id()];
    if (slot.epoch == epoch_) return false;
    slot = {epoch_, place};
    return true;
  }
  void set(Expr expr, std::uint32_t place) { slots_[expr.id()] = {epoch_, place}; }
  // Of an expression that has a place.
  [[nodiscard]] std::uint32_t get(Expr expr) const { return slots_[expr.id()].place; }

 private:
  struct Slot {
    std::uint64_t epoch = 0;
    std::uint32_t place = 0;
  };
  void grow(Expr expr) { slots_.resize(std::max(expr.context().size(), 2 * slots_.size())); }

  std::uint64_t epoch_ = 1;
  std::vector<Slot> slots_;
};

}  // namespace mercator::internal
