// The digits of a progression: what a split of a dimension makes of it.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "mercator/analysis/progression.h"

namespace mercator::internal {
namespace {

class DigitCases {
 public:
  DigitCases(Assumptions& assumptions, std::span<const std::int64_t> divisors,
             const std::vector<bool>& is_used)
      : assumptions_(assumptions), divisors_(divisors), is_used_(is_used) {}

  [[nodiscard]] ProgressionCases take() { return std::move(cases_); }

  // `x` goes through its digits from the one at `place` down, which is without bound; those above
  // are in `above_`. With n the divisor of that digit, all combinations of the digit and of
  // x mod n are there if
  //   - x stays within one multiple of n,
  //   - or each step is a multiple of n,
  //   - or the stride divides n and whole rows of n / stride values are passed.
  // Where the digit just below does not matter, rows may also be passed in part, as long as the
  // part has all of the digits below.
  void split(const Progression& x, std::size_t place, const Conditions& conditions) {
    if (place == 0) {
      finish(x, conditions);
      return;
    }
    const std::int64_t n = divisors_[place - 1];
    const Expr q = floor_div(x.offset, n);
    const Expr p = assumptions_.simplify(mod(x.offset, n));
    const Expr zero = assumptions_.constant(0);
    const Expr one = assumptions_.constant(1);
    if (Conditions full = conditions;
        full.require(x.stride, at_most(n - 1)) &&
        full.require(mod(assumptions_.constant(n), x.stride), Interval::point(0)) &&
        full.require(p - x.stride, at_most(-1)) &&
        full.require(mod(x.size * x.stride, n), Interval::point(0))) {
      with({q, floor_div(x.size * x.stride, n), one}, [&] {
        split_whole({p, floor_div(assumptions_.constant(n), x.stride), x.stride}, place - 1, full);
      });
    }
    if (Conditions one_row = conditions;
        one_row.require(p + x.stride * (x.size - 1), at_most(n - 1))) {
      with(point(q), [&] { split_below({p, x.size, x.stride}, place - 1, one_row); });
    }
    if (Conditions aligned = conditions; aligned.require(mod(x.stride, n), Interval::point(0))) {
      with({q, x.size, floor_div(x.stride, n)}, [&] { split_point(p, place - 1, aligned); });
    }
    if (place >= 2 && !is_used_[place - 1]) {
      const std::int64_t row = divisors_[place - 2];
      const Expr count = floor_div(assumptions_.constant(row), x.stride);
      if (Conditions parts = conditions;
          parts.require(mod(assumptions_.constant(row), x.stride), Interval::point(0)) &&
          parts.require(floor_div(last(x), n) - q, at_least(1)) &&
          parts.require(ceil_div(p * -1 + n, x.stride) - count, at_least(0)) &&
          parts.require(floor_div(mod(last(x), n), x.stride) + 1 - count, at_least(0))) {
        with({q, floor_div(last(x), n) - q + 1, one}, [&] {
          with(point(zero),
               [&] { split_whole({mod(x.offset, x.stride), count, x.stride}, place - 2, parts); });
        });
      }
    }
  }

 private:
  using Values = std::vector<Progression>;

  // The same for an `x` below the divisor above, if the digit at `place` may not matter.
  void split_below(const Progression& x, std::size_t place, const Conditions& conditions) {
    if (is_used_[place] || place == 0) {
      split(x, place, conditions);
      return;
    }
    with(point(assumptions_.constant(0)), [&] {
      for (const ProgressionCase& below : remainder(assumptions_, x, divisors_[place - 1])) {
        Conditions both = conditions;
        if (both.require(below.conditions)) split_below(below.values.front(), place - 1, both);
      }
    });
  }

  // `x` has all values below the divisor above that are its offset, modulo its stride.
  void split_whole(const Progression& x, std::size_t place, const Conditions& conditions) {
    if (place == 0) {
      finish(x, conditions);
      return;
    }
    const Expr n = assumptions_.constant(divisors_[place - 1]);
    if (Conditions aligned = conditions; aligned.require(mod(x.stride, n), Interval::point(0))) {
      with({floor_div(x.offset, n), x.size, floor_div(x.stride, n)},
           [&] { split_point(mod(x.offset, n), place - 1, aligned); });
    }
    if (Conditions full = conditions; full.require(x.stride, at_most(n.value() - 1)) &&
                                      full.require(mod(n, x.stride), Interval::point(0))) {
      with({assumptions_.constant(0), floor_div(x.size * x.stride, n), assumptions_.constant(1)},
           [&] { split_whole({x.offset, floor_div(n, x.stride), x.stride}, place - 1, full); });
    }
  }

  void split_point(Expr x, std::size_t place, const Conditions& conditions) {
    if (place == 0) {
      finish(point(x), conditions);
      return;
    }
    const std::int64_t n = divisors_[place - 1];
    with(point(floor_div(x, n)), [&] { split_point(mod(x, n), place - 1, conditions); });
  }

  template <class Continue>
  void with(const Progression& digit, const Continue& go_on) {
    above_.push_back(digit);
    go_on();
    above_.pop_back();
  }

  void finish(const Progression& lowest, const Conditions& conditions) {
    Values values = {lowest};
    values.insert(values.end(), above_.rbegin(), above_.rend());
    for (Progression& value : values) value = simplified(assumptions_, value);
    cases_.push_back({.values = std::move(values), .conditions = conditions.list()});
  }

  Assumptions& assumptions_;
  std::span<const std::int64_t> divisors_;
  const std::vector<bool>& is_used_;
  Values above_;  // the digits that are settled, the highest first
  ProgressionCases cases_;
};

}  // namespace

ProgressionCases digits(Assumptions& assumptions, const Progression& x,
                        std::span<const std::int64_t> divisors, const std::vector<bool>& is_used) {
  DigitCases cases(assumptions, divisors, is_used);
  cases.split(x, divisors.size(), Conditions(assumptions));
  return cases.take();
}

}  // namespace mercator::internal
