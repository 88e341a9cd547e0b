// Reads any text as HLO. What reads must print, and read back to the same module; verifying it must
// not crash.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"

namespace {

[[noreturn]] void stop(std::string_view what, std::string_view detail, const std::string& text) {
  std::fprintf(stderr, "%.*s: %.*s\n%s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data(), text.c_str());
  std::abort();
}

void check_order(const mercator::hlo::Module& module) {
  for (const mercator::hlo::Computation* computation : module.computations) {
    if (computation->post_order().size() != computation->instructions.size()) {
      stop("post_order leaves instructions out", computation->name, std::string(module.text()));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace hlo = mercator::hlo;
  const auto module = hlo::parse_module(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  check_order(**module);
  static_cast<void>(hlo::verify(**module));
  const std::string text = hlo::to_string(**module);
  const auto again = hlo::parse_module(text);
  if (!again) stop("what was printed does not read", again.error().message, text);
  if (const auto difference = hlo::difference(**module, **again)) {
    stop("reads back differently", *difference, text);
  }
  if (hlo::to_string(**again) != text) stop("prints differently", "", text);
  return 0;
}
