// Writes the index expressions of HLO programs as input for the comparison.
//
//   simplify_dump_hlo FILE... > OUTPUT
//
// The expressions are the results and the constraints of every map that the indexing of the
// programs makes, in both directions, as it was before the simplifier saw it: those of the single
// instructions, and those composed along fusions and calls. Each expression once, with the bounds
// of its variables, which are dimensions all; those without quotient, remainder, minimum and
// maximum are left out, for there is nothing to simplify in them.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/peers/simplify/lines.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/analysis.h"

namespace mercator::peers {
namespace {

bool is_worth_simplifying(Expr expr) {
  const ExprCost operations = cost(std::span(&expr, 1));
  return operations.div + operations.mod + operations.minmax > 0;
}

void add_expressions(const IndexMap& map, std::set<std::string>& found) {
  for (const Expr expr : map.expressions()) {
    if (!is_worth_simplifying(expr)) continue;
    found.insert(line_of(map, expr));
  }
}

void add_program(const std::string& path, std::set<std::string>& found) {
  std::ifstream file(path, std::ios::binary);
  const auto module = hlo::parse_module(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!module || !hlo::verify(**module)) {
    fmt::print(stderr, "left out, not a valid program: {}\n", path);
    return;
  }
  ExprContext context;
  indexing::Analysis analysis(**module, context);
  for (const hlo::Instruction* instruction : (*module)->instructions) {
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      analysis.pairs(*instruction, direction);
    }
  }
  for (const IndexMap* map : analysis.maps().added()) add_expressions(*map, found);
}

}  // namespace
}  // namespace mercator::peers

int main(int argc, char** argv) {
  std::set<std::string> found;
  for (int i = 1; i < argc; ++i) mercator::peers::add_program(argv[i], found);
  fmt::print(
      "# programs: index expressions of {} HLO programs, before "
      "simplification\n",
      argc - 1);
  for (const std::string& line : found) fmt::print("{}\n", line);
}
