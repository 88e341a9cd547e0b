// What is remembered of expressions while a domain lasts. For the files of this folder only.

#pragma once

#include <cstdint>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"

namespace mercator::internal {

struct ExprRecord {
  std::uint32_t id = 0;          // of the expression
  std::uint32_t remainders = 0;  // a place among those found, from 2; 0: not looked for; 1: none
  bool has_range = false;
  bool is_presented_exactly = false;
  Interval range;
  Expr normal;
  Expr presented;
  Expr simplified;
};

// A set of records that is emptied in no time. It takes memory for the records that there are and
// four bytes for each expression of the context: a record is where `places_` says if what lies
// there is its own.
class Records {
 public:
  void clear() { count_ = 0; }
  // Valid until the next call.
  ExprRecord& of(Expr expr) {
    const std::uint32_t id = expr.id();
    if (id < places_.size()) {
      const std::uint32_t place = places_[id];
      if (place < count_ && records_[place].id == id) return records_[place];
    }
    return add(expr);
  }

 private:
  ExprRecord& add(Expr expr);

  std::vector<std::uint32_t> places_;  // by id
  std::vector<ExprRecord> records_;
  std::uint32_t count_ = 0;  // of the records, those that are in use
};

// A table from (numerator, divisor) to the quotient, emptied in no time.
class QuotientMemo {
 public:
  void clear() {
    size_ = 0;
    if (++epoch_ != 0) return;
    // What is left from the last time that the numbers were the same.
    slots_.assign(slots_.size(), {});
    epoch_ = 1;
  }
  // Null if there is none.
  [[nodiscard]] Expr find(Expr numerator, std::int64_t divisor) const;
  void set(Expr numerator, std::int64_t divisor, Expr quotient);

 private:
  struct Slot {
    std::uint32_t epoch = 0;
    std::uint32_t numerator = 0;
    std::int64_t divisor = 0;
    Expr quotient;
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t numerator, std::int64_t divisor) const;

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint32_t epoch_ = 1;
};

}  // namespace mercator::internal
