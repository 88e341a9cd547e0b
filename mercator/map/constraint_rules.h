// The rules for bounds and constraints as data. For the files of this folder only.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "mercator/map/index_map.h"
#include "mercator/map/restriction.h"

namespace mercator::internal {

// About in the order in which they are tried: what is said of one variable goes through all first.
enum class ConstraintRule : std::uint8_t {
  kAlwaysHolds,
  kSimpler,
  kSumMoved,
  kQuotientMoved,
  kExtremumSplit,
  kIntoBounds,
  kGridForm,
  kJoined,
  kRangeOnGrid,
  kGridOfOnePoint,
  kImplied,
  kSimplerGivenOthers,
  kTriedValues,
  kRescaled,
};
inline constexpr std::size_t kConstraintRuleCount =
    static_cast<std::size_t>(ConstraintRule::kRescaled) + 1;

class Domain;

// Counts the rules that are used, and tells whoever listens.
class ConstraintLog {
 public:
  using Listener = std::function<void(const ConstraintStep&)>;

  void set_listener(const Listener* listener) { listener_ = listener; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }
  // What the steps that follow are about. When one is reported, the domain is as it was before, but
  // for `before` itself, which may be missing.
  void set_domain(const Domain* domain) { domain_ = domain; }

  void report(ConstraintRule rule, const Restriction& before, std::span<const Restriction> after) {
    ++counts_[static_cast<std::size_t>(rule)];
    if (listener_ != nullptr) tell(rule, before, after);
  }
  void report(ConstraintRule rule, const Restriction& before, const Restriction& after) {
    report(rule, before, std::span(&after, 1));
  }
  // Nothing is left.
  void report(ConstraintRule rule, const Restriction& before) {
    report(rule, before, std::span<const Restriction>());
  }
  // The same, if they differ.
  void report_change(ConstraintRule rule, const Restriction& before, const Restriction& after) {
    if (before != after) report(rule, before, after);
  }

 private:
  void tell(ConstraintRule rule, const Restriction& before,
            std::span<const Restriction> after) const;

  std::array<std::uint64_t, kConstraintRuleCount> counts_ = {};
  const Listener* listener_ = nullptr;
  const Domain* domain_ = nullptr;
};

}  // namespace mercator::internal
