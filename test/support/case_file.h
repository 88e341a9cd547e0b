// Files of expected results: `=== NAME` starts a case, `--- WHAT` a section of it.
//
//   === transpose
//   --- hlo
//   HloModule m …
//   --- o2i operand 0
//   (d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 19]

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/support/error.h"

namespace mercator::testing {

struct CaseSection {
  std::string name;  // what follows `--- `: "hlo", "o2i operand 0 output 1"
  std::string text;  // without blank lines at its ends and without a final newline
};

struct Case {
  std::string name;  // what follows `=== `
  int line = 0;      // of the `===` line, from 1
  std::vector<CaseSection> sections;

  // The text of the section called `section`; null if there is none.
  [[nodiscard]] const std::string* find(std::string_view section) const;
};

// The cases of a file, in its order. An error for text before the first case or section (other than
// blank lines and lines that start with `#`), a name that is missing, and a section that occurs
// twice in its case.
[[nodiscard]] Result<std::vector<Case>> parse_cases(std::string_view text);

// What a section name says: "o2i operand 2 output 1" is {"o2i", 2, 1}; "runtime" is {"runtime", -1,
// -1}. The output is 0 where it is not said and an operand is.
struct CaseSectionKind {
  std::string kind;
  int operand = -1;
  int output = -1;
};
[[nodiscard]] Result<CaseSectionKind> parse_section_name(std::string_view name);

// One entry of a file whose entries are separated by lines of `---`.
struct SeparatedEntry {
  std::string name;  // what follows `# ` on the last comment line before the text; "" if none
  std::string text;  // without comment lines, blank lines at its ends, and the final newline
};
// Entries without text (comments only) are left out.
[[nodiscard]] std::vector<SeparatedEntry> split_entries(std::string_view text);

// The lines of `text` that are not blank, without spaces at their ends.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

// The whole file; an error of kind kIo if it cannot be read.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

// The folder of programs and expected results that is kept outside the repository; it may not
// exist. Tests that need it skip, with a message, where it is missing.
[[nodiscard]] std::filesystem::path shared_dir();

}  // namespace mercator::testing
