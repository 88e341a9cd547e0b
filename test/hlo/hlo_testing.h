// What tests of HLO share.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"

namespace mercator::hlo {

// The module that `text` reads to; the test fails where it does not read.
inline std::unique_ptr<Module> read(std::string_view text) {
  Result<std::unique_ptr<Module>> module = parse_module(std::string(text));
  if (module) return *std::move(module);
  ADD_FAILURE() << module.error().message << "\n" << text;
  return nullptr;
}

// The error that `text` gives when it is read, or verified if it reads; an empty message if there
// is none.
inline Error error_of(std::string_view text) {
  Result<std::unique_ptr<Module>> module = parse_module(std::string(text));
  if (!module) return module.error();
  Result<void> verified = verify(**module);
  return verified ? Error{} : verified.error();
}
inline std::string message_of(std::string_view text) { return error_of(text).message; }

// The text that an error is about.
inline std::string_view blamed(const Error& error, std::string_view text) {
  if (!error.span) return {};
  return text.substr(error.span->begin, error.span->end - error.span->begin);
}

// An entry computation of these lines.
inline std::string entry(std::string_view lines) {
  return "HloModule m\n\nENTRY main {\n" + std::string(lines) + "\n}\n";
}

// Reads, prints and reads again: the second module must be the first, and print the same bytes.
// Returns what is printed.
inline std::string round_trip(std::string_view text) {
  const std::unique_ptr<Module> module = read(text);
  if (module == nullptr) return {};
  std::string printed = to_string(*module);
  Result<std::unique_ptr<Module>> again = parse_module(printed);
  if (!again) {
    ADD_FAILURE() << again.error().message << "\n" << printed;
    return {};
  }
  EXPECT_EQ(difference(*module, **again), std::nullopt) << printed;
  EXPECT_EQ(to_string(**again), printed);
  return printed;
}

}  // namespace mercator::hlo
