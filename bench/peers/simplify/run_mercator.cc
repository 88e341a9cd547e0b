// Mercator's side of the comparison: simplify_mercator INPUT OUTPUT.

#include "bench/peers/simplify/lines.h"
#include "mercator/expr/simplifier.h"

namespace mercator::peers {
namespace {

constexpr int kRuns = 20;

std::vector<OutputLine> run(const std::vector<InputLine>& lines) {
  Simplifier simplifier;
  std::vector<OutputLine> outputs;
  for (const InputLine& line : lines) {
    const std::vector<Interval> bounds = line.bounds();
    Expr result;
    // The bounds are set again for each run: nothing of the run before is remembered.
    const std::int64_t time = fastest(kRuns, [&] {
      simplifier.set_bounds({.dimensions = bounds});
      result = simplifier.simplify(line.expr());
    });
    outputs.push_back({.nanoseconds = time, .text = line.text_of(result)});
  }
  return outputs;
}

}  // namespace
}  // namespace mercator::peers

int main(int argc, char** argv) {
  using namespace mercator::peers;
  if (argc != 3) fail("usage: simplify_mercator INPUT OUTPUT");
  mercator::ExprContext context;
  write_output(argv[2], run(read_input(argv[1], context)));
}
