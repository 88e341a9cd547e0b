#include "mercator/runtime/registered_call.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/function_table.h"
#include "mercator/support/suggestion.h"

namespace mercator::runtime {
namespace {

// The value of up to three octal digits, of which at least one is there; removes them.
char take_octal(std::string_view& text) {
  unsigned value = 0;
  for (int i = 0; i < 3 && !text.empty() && text.front() >= '0' && text.front() <= '7'; ++i) {
    value = value * 8 + static_cast<unsigned>(text.front() - '0');
    text.remove_prefix(1);
  }
  return static_cast<char>(value);
}

// What stands between the quotes of a string of HLO, which XLA writes with the escapes of C.
std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\' || text.empty()) {
      result += c;
      continue;
    }
    if (text.front() >= '0' && text.front() <= '7') {
      result += take_octal(text);
      continue;
    }
    const char escaped = text.front();
    text.remove_prefix(1);
    result += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
  }
  return result;
}

std::string backend_config(const hlo::Instruction& custom_call) {
  std::string_view text = custom_call.get<hlo::RawText>(hlo::AttributeName::kBackendConfig).text;
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? unescaped(text.substr(1, text.size() - 2)) : std::string(text);
}

Result<PackedFunction> find_function(const std::string& target, const RunContext& context) {
  std::vector<std::string> names;
  for (const FunctionTable* table : {context.functions, &std::as_const(FunctionTable::global())}) {
    if (table == nullptr) continue;
    if (std::optional<PackedFunction> found = table->find(target)) return *std::move(found);
    std::ranges::move(table->names(), std::back_inserter(names));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string hint = did_you_mean(nearest_words(target, candidates));
  if (hint.empty()) {
    hint = "register a function of that name: FunctionTable::add in C++, mercator_register in C";
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kUnsupported,
            .message = fmt::format("no function is registered for custom calls of '{}'", target),
            .hint = std::move(hint)});
}

}  // namespace

Result<Value> call_registered(const hlo::Instruction& custom_call, std::span<const Value> operands,
                              const RunContext& context) {
  const std::string target =
      unescaped(custom_call.get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget).text);
  const PackedFunction function = MERCATOR_TRY(find_function(target, context));

  std::vector<Any> arguments;
  for (const Value& operand : operands) arguments.push_back(any_of(operand));
  std::string config = backend_config(custom_call);
  if (function.accepts(arguments.size() + 1) &&
      (!config.empty() || !function.accepts(arguments.size()))) {
    arguments.emplace_back(std::move(config));
  }

  Result<Any> returned = function(arguments);
  if (!returned) {
    Error error = std::move(returned).error();
    error.span = std::nullopt;  // a place in a text that the function has read, not in this program
    return std::unexpected(std::move(error));
  }
  const std::optional<Value> result = value_of(*returned);
  const std::string wrong = result ? mismatch(*result, custom_call.shape)
                                   : fmt::format("is {}, where {} is wanted", describe(*returned),
                                                 to_string(custom_call.shape, false));
  if (!wrong.empty()) {
    return fail(ErrorKind::kUsage,
                fmt::format("the result of the function '{}' {}", target, wrong));
  }
  return dense(*result, context);
}

}  // namespace mercator::runtime
