// MLIR's side of the comparison: simplify_mlir INPUT OUTPUT.

#include "bench/peers/simplify/affine.h"
#include "bench/peers/simplify/lines.h"

namespace mercator::peers {
namespace {

constexpr int kRuns = 20;

OutputLine run(const InputLine& line, AffineContext& context) {
  AffineMap map(context, line.map.results(), {.dimensions = line.map.dimensions().size()});
  if (!map.is_expressible()) return {.missing = "not an affine expression"};
  const std::int64_t time = fastest(kRuns, [&] { map.simplify(); });
  return {.nanoseconds = time,
          .text = map.results([&](VariableId id) { return line.map.name(id); }).front()};
}

}  // namespace
}  // namespace mercator::peers

int main(int argc, char** argv) {
  using namespace mercator::peers;
  if (argc != 3) fail("usage: simplify_mlir INPUT OUTPUT");
  mercator::ExprContext expressions;
  AffineContext context;
  std::vector<OutputLine> outputs;
  for (const InputLine& line : read_input(argv[1], expressions)) {
    outputs.push_back(run(line, context));
  }
  write_output(argv[2], outputs);
}
