// Runs programs in tests, with arguments and results as text: `s32[2] {1, 2}`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/runtime/interpreter.h"

namespace mercator::runtime {

// The tensor that `text` says; the test fails where it says none.
inline Tensor tensor_from_text(std::string_view text) {
  Arena arena;
  const std::size_t space = text.find(' ');
  const Result<hlo::Shape> shape = hlo::parse_shape(text.substr(0, space), arena);
  const Result<hlo::Literal> literal =
      shape ? hlo::parse_literal(text.substr(space + 1), *shape, arena)
            : std::unexpected(shape.error());
  if (!literal) {
    ADD_FAILURE() << literal.error().message << ": " << text;
    return {};
  }
  return tensor_of(*literal, MemoryPool()).value();
}

inline std::string text_of(const Tensor& tensor) {
  Arena arena;
  return type_text(tensor) + ' ' + hlo::to_string(literal_of(tensor, arena));
}

// The results of a program, one for each array in the value of its root.
inline Result<std::vector<Tensor>> run_program(std::string_view hlo, std::vector<Value> arguments,
                                               const RunContext& context = {}) {
  const std::unique_ptr<hlo::Module> module = MERCATOR_TRY(hlo::parse_module(std::string(hlo)));
  MERCATOR_TRY_VOID(hlo::verify(*module));
  return leaves(MERCATOR_TRY(interpret(*module->entry, std::move(arguments), context)));
}

// The same in text; for a program that fails, the message of its error.
inline std::vector<std::string> results_of(std::string_view hlo,
                                           const std::vector<std::string>& arguments = {}) {
  std::vector<Value> values;
  for (const std::string& argument : arguments) values.emplace_back(tensor_from_text(argument));
  const Result<std::vector<Tensor>> results = run_program(hlo, std::move(values));
  if (!results) return {results.error().message};
  std::vector<std::string> texts;
  for (const Tensor& result : *results) texts.push_back(text_of(result));
  return texts;
}

// Of an entry computation of these lines, with one result.
inline std::string result_of(std::string_view lines,
                             const std::vector<std::string>& arguments = {}) {
  const std::vector<std::string> texts =
      results_of("HloModule m\n\nENTRY main {\n" + std::string(lines) + "\n}\n", arguments);
  return texts.size() == 1 ? texts[0] : std::to_string(texts.size()) + " results";
}

}  // namespace mercator::runtime
