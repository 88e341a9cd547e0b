// What a module was read from.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercator/support/error.h"

namespace mercator::hlo {

enum class SourceForm : std::uint8_t { kHloText, kHloProto, kStableHlo };

// From where in the file a line of the HLO text comes that stands for it.
struct SourceLine {
  std::uint32_t begin = 0;  // of the line in the HLO text
  TextSpan span;            // of what it was made of in the file
};

// A file in another form is turned into HLO text first. This leads back from there.
struct Source {
  SourceForm form = SourceForm::kHloText;
  std::vector<SourceLine> lines = {};  // of StableHLO, in the order of the HLO text

  // An error about that HLO text as one about the file: with its place there, or for a file that is
  // no text with the name of the instruction.
  [[nodiscard]] Error locate(Error error, std::string_view hlo_text) const;
};

}  // namespace mercator::hlo
