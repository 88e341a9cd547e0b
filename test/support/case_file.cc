#include "test/support/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

namespace mercator::testing {
namespace {

std::string_view trim_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view trim(std::string_view text) {
  text = trim_end(text);
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// Takes the first line off `text`, without its newline.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// What follows `marker` at the start of the line; none if the line starts otherwise. The marker
// alone gives an empty name.
std::optional<std::string_view> after_marker(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return std::nullopt;
  line.remove_prefix(marker.size());
  if (!line.empty() && line.front() != ' ' && line.front() != '\r') return std::nullopt;
  return trim(line);
}

void append_line(std::string& text, std::string_view line) {
  line = trim_end(line);
  if (text.empty() && line.empty()) return;  // no blank lines at the start
  text.append(line).push_back('\n');
}

void finish(std::string& text) { text.resize(trim_end(text).size()); }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text = trim(text);
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<int> parse_number(std::string_view word, std::string_view section) {
  int value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size() || value < 0) {
    return fail(ErrorKind::kInvalidInput, fmt::format("'{}' is no number in '{}'", word, section));
  }
  return value;
}

}  // namespace

const std::string* Case::find(std::string_view section) const {
  const auto found = std::ranges::find(sections, section, &CaseSection::name);
  return found == sections.end() ? nullptr : &found->text;
}

Result<std::vector<Case>> parse_cases(std::string_view text) {
  std::vector<Case> cases;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = next_line(text);
    const auto error = [&](std::string_view what) {
      return fail(ErrorKind::kInvalidInput, fmt::format("line {}: {}", line_number, what));
    };
    if (const auto name = after_marker(line, "===")) {
      if (name->empty()) return error("a case without a name");
      cases.push_back({.name = std::string(*name), .line = line_number, .sections = {}});
    } else if (const auto section = after_marker(line, "---")) {
      if (cases.empty()) return error("a section before the first case");
      if (section->empty()) return error("a section without a name");
      if (cases.back().find(*section) != nullptr) return error("the section occurs twice");
      cases.back().sections.push_back({.name = std::string(*section), .text = {}});
    } else if (!cases.empty() && !cases.back().sections.empty()) {
      append_line(cases.back().sections.back().text, line);
    } else if (!trim(line).empty() && !line.starts_with('#')) {
      return error("text outside a section");
    }
  }
  for (Case& c : cases) {
    for (CaseSection& section : c.sections) finish(section.text);
  }
  return cases;
}

Result<CaseSectionKind> parse_section_name(std::string_view name) {
  const std::vector<std::string_view> words = words_of(name);
  if (words.empty()) return fail(ErrorKind::kInvalidInput, "a section without a name");
  CaseSectionKind result{.kind = std::string(words[0]), .operand = -1, .output = -1};
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size() || (words[i] != "operand" && words[i] != "output")) {
      return fail(ErrorKind::kInvalidInput, fmt::format("cannot read the section name '{}'", name));
    }
    const int number = MERCATOR_TRY(parse_number(words[i + 1], name));
    (words[i] == "operand" ? result.operand : result.output) = number;
  }
  if (result.operand >= 0 && result.output < 0) result.output = 0;
  return result;
}

std::vector<SeparatedEntry> split_entries(std::string_view text) {
  std::vector<SeparatedEntry> entries;
  SeparatedEntry entry;
  const auto end_entry = [&] {
    finish(entry.text);
    if (!entry.text.empty()) entries.push_back(std::move(entry));
    entry = {};
  };
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (trim_end(line) == "---") {
      end_entry();
    } else if (line.starts_with('#')) {
      if (entry.text.empty()) entry.name = std::string(trim(line.substr(1)));
    } else {
      append_line(entry.text, line);
    }
  }
  end_entry();
  return entries;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = trim(next_line(text));
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) return fail(ErrorKind::kIo, fmt::format("cannot read '{}'", path.string()));
  return text;
}

std::filesystem::path shared_dir() { return MERCATOR_SHARED_DIR; }

}  // namespace mercator::testing
