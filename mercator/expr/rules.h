// The rules of the simplifier as data: what each is called, what it says, and how often it fired.
// For the files of this folder only.

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"

namespace mercator::internal {

// In the order in which they are tried.
enum class Rule : std::uint8_t {
  // variables, minima and maxima
  kOneValue,
  kExtremumOfOrdered,
  kExtremumCommonPart,
  // quotients by a constant
  kOneBucket,
  kNeedlessRemainder,
  kSolvedByResidues,
  kWholeMultiples,
  kOneBucketOfResidues,
  kTwoValues,
  kKnownResidue,
  kKnownQuotient,
  kByFactor,
  kByFactorOfReading,
  kQuotientOfQuotient,
  kSimplerByResidues,
  // quotients and remainders by what is not a constant
  kVariableCommonFactor,
  kVariableMultiples,
  kVariableOneBucket,
  // the way out of the normal form
  kRemainderFound,
  kTermAbsorbed,
  kSharedDividend,
  // what needs no code, since construction or the normal form sees to it
  kLikeTerms,
  kQuotientPlusRemainder,
  kComposedQuotientPlusRemainder,
  kScaledQuotientPlusRemainder,
  kRemainderOfRemainder,
  kRemainderInRange,
  kCommonFactor,
  kNegativeDivisor,
  kRoundedUp,
  kVariableQuotientPlusRemainder,
};
inline constexpr std::size_t kRuleCount =
    static_cast<std::size_t>(Rule::kVariableQuotientPlusRemainder) + 1;

// By Rule.
[[nodiscard]] std::span<const SimplifierRule, kRuleCount> rule_descriptions();

class RuleLog {
 public:
  void count(Rule rule) { ++counts_[static_cast<std::size_t>(rule)]; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }

  // Null: nobody listens.
  void set_listener(const StepListener* listener) { listener_ = listener; }
  [[nodiscard]] bool has_listener() const { return __builtin_expect(listener_ != nullptr, 0); }
  void report(Rule rule, Expr before, Expr after, std::span<const KnownRange> ranges) const;

 private:
  std::array<std::uint64_t, kRuleCount> counts_ = {};
  const StepListener* listener_ = nullptr;
};

}  // namespace mercator::internal
