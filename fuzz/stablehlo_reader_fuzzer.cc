// Reads any text as StableHLO. An error must lie within the text; what reads must print, and read
// back as HLO text to the same module.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"

namespace {

[[noreturn]] void stop(std::string_view what, const std::string& detail, const std::string& text) {
  std::fprintf(stderr, "%.*s: %s\n%s\n", static_cast<int>(what.size()), what.data(), detail.c_str(),
               text.c_str());
  std::abort();
}

void check(const mercator::Error& error, std::size_t size) {
  if (error.message.empty()) stop("an error without a message", "", "");
  if (error.span && (error.span->begin > error.span->end || error.span->end > size)) {
    stop("an error outside of the text", error.message, "");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace hlo = mercator::hlo;
  const auto module = hlo::parse_stablehlo(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) {
    check(module.error(), size);
    return 0;
  }
  if (const auto verified = hlo::verify(**module); !verified) {
    check((*module)->source.locate(verified.error(), (*module)->text()), size);
  }
  const std::string text = hlo::to_string(**module);
  const auto again = hlo::parse_module(text);
  if (!again) stop("what was printed does not read", again.error().message, text);
  if (const auto difference = hlo::difference(**module, **again)) {
    stop("reads back differently", *difference, text);
  }
  return 0;
}
