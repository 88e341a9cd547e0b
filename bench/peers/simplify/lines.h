// The files that the peers read and write, and how their time is taken.
//
// Input: an expression a line, with the bounds of its variables; lines that begin with # are
// comments.
//
//   (d0 * 4 + d1) floordiv 4, domain: d0 in [0, 7], d1 in [0, 3]
//
// Output: a line for each expression, the nanoseconds that it took, a tab, and the expression that
// it became, or ! and why there is none.
//
//   812	d0
//   0	!min and max

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator::peers {

struct InputLine {
  std::string text;
  std::string family;  // the comment before it, up to the colon
  IndexMap map;        // one result over dimensions only

  [[nodiscard]] Expr expr() const { return map.results().front(); }
  [[nodiscard]] std::vector<Interval> bounds() const;
  [[nodiscard]] std::string text_of(Expr expr) const;
  // The other way round.
  [[nodiscard]] Result<Expr> parse_result(std::string_view text) const;
};

// The line for an expression of a map, with the bounds of the variables that occur in it. What the
// map has of constraints is not in it.
[[nodiscard]] std::string line_of(const IndexMap& map, Expr expr);

// The expressions of a file. Ends the program if it cannot be read.
[[nodiscard]] std::vector<InputLine> read_input(const std::string& path, ExprContext& context);

struct OutputLine {
  std::int64_t nanoseconds = 0;
  std::string text = {};     // empty: there is no result
  std::string missing = {};  // why
};

[[nodiscard]] std::vector<OutputLine> read_output(const std::string& path);
void write_output(const std::string& path, const std::vector<OutputLine>& lines);

// Writes a message to standard error and ends the program.
[[noreturn]] void fail(std::string_view message);

// The nanoseconds that pass, at the least, between two looks at the clock with nothing in between.
[[nodiscard]] std::int64_t clock_time();

// The nanoseconds of the fastest of `count` runs of `work`, the clock's own time not counted.
template <class Work>
std::int64_t fastest(int count, Work work) {
  using Clock = std::chrono::steady_clock;
  static const std::int64_t own_time = clock_time();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    work();
    const std::chrono::nanoseconds elapsed = Clock::now() - start;
    best = std::min<std::int64_t>(best, elapsed.count());
  }
  return std::max<std::int64_t>(best - own_time, 1);
}

}  // namespace mercator::peers
