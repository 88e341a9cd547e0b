#include "mercator/expr/records.h"

#include <algorithm>
#include <utility>

namespace mercator::internal {

ExprRecord& Records::add(Expr expr) {
  const std::uint32_t id = expr.id();
  if (id >= places_.size()) {
    constexpr std::size_t kFirstSize = 64;
    places_.resize(std::max({kFirstSize, expr.context().size(), 2 * places_.size()}));
  }
  constexpr std::size_t kFirstRecords = 16;
  if (count_ == records_.size()) records_.resize(std::max(kFirstRecords, 2 * records_.size()));
  places_[id] = count_;
  ExprRecord& record = records_[count_++];
  record = {};
  record.id = id;
  return record;
}

std::size_t QuotientMemo::place_of(std::uint32_t numerator, std::int64_t divisor) const {
  const std::uint64_t key = (static_cast<std::uint64_t>(divisor) * 0x9e3779b97f4a7c15U) ^
                            (numerator * 0xc2b2ae3d27d4eb4fU);
  std::size_t place = (key ^ (key >> 29)) & (slots_.size() - 1);
  while (slots_[place].epoch == epoch_ &&
         (slots_[place].numerator != numerator || slots_[place].divisor != divisor)) {
    place = (place + 1) & (slots_.size() - 1);
  }
  return place;
}

Expr QuotientMemo::find(Expr numerator, std::int64_t divisor) const {
  if (slots_.empty()) return {};
  const Slot& slot = slots_[place_of(numerator.id(), divisor)];
  return slot.epoch == epoch_ ? slot.quotient : Expr();
}

void QuotientMemo::set(Expr numerator, std::int64_t divisor, Expr quotient) {
  constexpr std::size_t kFirstCapacity = 16;
  if (2 * (size_ + 1) > slots_.size()) {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(std::max(kFirstCapacity, 2 * slots_.size())));
    for (const Slot& slot : old) {
      if (slot.epoch == epoch_) slots_[place_of(slot.numerator, slot.divisor)] = slot;
    }
  }
  Slot& slot = slots_[place_of(numerator.id(), divisor)];
  if (slot.epoch != epoch_) ++size_;
  slot = {epoch_, numerator.id(), divisor, quotient};
}

}  // namespace mercator::internal
