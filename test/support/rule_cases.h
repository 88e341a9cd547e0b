// Tables of cases for rules: each rule where it applies, and just outside its guard.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace mercator::test {

enum class Side : std::uint8_t { kApplies, kOutside };

// Expects a case on each side of each rule. Rules have a `name`, cases a `rule` and a `side`.
template <class Rules, class Cases>
void expect_cases_on_both_sides(const Rules& rules, const Cases& cases) {
  for (const auto& rule : rules) {
    for (const Side side : {Side::kApplies, Side::kOutside}) {
      EXPECT_TRUE(std::ranges::any_of(cases,
                                      [&](const auto& rule_case) {
                                        return rule_case.rule == rule.name &&
                                               rule_case.side == side;
                                      }))
          << rule.name << (side == Side::kApplies ? " applies" : " outside");
    }
  }
}

}  // namespace mercator::test
