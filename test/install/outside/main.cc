// Reads a program, prints what the elements of its result are made from, and runs it.

#include <iostream>
#include <string>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"
#include "mercator/runtime/interpreter.h"
#include "mercator/runtime/random_tensor.h"
#include "mercator/support/diagnostic.h"

constexpr const char* kProgram = R"(HloModule transpose
ENTRY main {
  p0 = f32[10,20] parameter(0)
  ROOT t = f32[20,10] transpose(p0), dimensions={1,0}
}
)";

int main() {
  const auto module = mercator::hlo::parse_module(kProgram);
  if (!module) {
    std::cerr << mercator::render(module.error(), "transpose.hlo", kProgram);
    return 1;
  }
  if (const auto verified = mercator::hlo::verify(**module); !verified) {
    std::cerr << mercator::render(verified.error(), "transpose.hlo", kProgram);
    return 1;
  }

  mercator::ExprContext context;
  mercator::IndexingAnalysis analysis(**module, context);
  const auto indexing =
      analysis.indexing(*(*module)->entry->root, mercator::Direction::kOutputToInput);
  for (const auto& pair : indexing.pairs) {
    for (const mercator::OperandMap& operand_map : pair.maps.maps) {
      std::cout << "operand " << pair.operand << ": "
                << mercator::to_string(operand_map.map, mercator::MapStyle::kOneLine) << '\n';
    }
  }

  namespace runtime = mercator::runtime;
  const runtime::RunContext run;
  const auto argument =
      runtime::random_tensor(mercator::hlo::ElementType::kF32, {10, 20}, 1, 0, run.pool);
  if (!argument) return 1;
  const auto result = runtime::interpret(*(*module)->entry, {*argument}, run);
  if (!result) return 1;
  std::cout << "result " << runtime::type_text(*result) << '\n';
}
