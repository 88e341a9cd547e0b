// Reads any bytes as a HloModuleProto. What reads must print, and read back as HLO text to the same
// module; verifying it must not crash.

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace hlo = mercator::hlo;
  const auto module =
      hlo::parse_module_proto(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module) {
    if (module.error().message.empty()) stop("an error without a message", "", "");
    return 0;
  }
  if (const auto verified = hlo::verify(**module); !verified) {
    static_cast<void>((*module)->source.locate(verified.error(), (*module)->text()));
  }
  const std::string text = hlo::to_string(**module);
  const auto again = hlo::parse_module(text);
  if (!again) stop("what was printed does not read", again.error().message, text);
  if (const auto difference = hlo::difference(**module, **again)) {
    stop("reads back differently", *difference, text);
  }
  return 0;
}
