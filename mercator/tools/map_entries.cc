#include "mercator/tools/map_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mercator/expr/text.h"

namespace mercator::tools {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Calls `visit(line, end)` for each line without its newline; `end` is where the next one starts.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(newline + 1, text.size());
    visit(begin, newline, next);
    begin = next;
  }
}

}  // namespace

std::string blank_comments(std::string_view text) {
  std::string result(text);
  for_each_line(text, [&](std::size_t begin, std::size_t end, std::size_t) {
    if (text[begin] == '#') std::fill(&result[begin], &result[end], ' ');
  });
  return result;
}

std::vector<std::string_view> split_entries(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t entry_begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view entry = trim(text.substr(entry_begin, end - entry_begin));
    if (!entry.empty()) entries.push_back(entry);
  };
  for_each_line(text, [&](std::size_t begin, std::size_t end, std::size_t next) {
    if (trim(text.substr(begin, end - begin)) != "---") return;
    add(begin);
    entry_begin = next;
  });
  add(text.size());
  return entries;
}

std::string on_one_line(std::string_view text) {
  std::string result;
  bool in_space = false;
  for (const char c : text) {
    const bool is_space = kSpace.find(c) != std::string_view::npos;
    if (!is_space) {
      result += c;
    } else if (!in_space) {
      result += ' ';
    }
    in_space = is_space;
  }
  return result;
}

std::string bare_expression_text(const IndexMap& map) {
  if (map.is_known_empty()) return to_string(map, MapStyle::kOneLine);
  const VariableNames names = [&](VariableId id) { return map.name(id); };
  std::vector<std::string> domain;
  for (std::uint32_t i = 0; i < map.dimensions().size(); ++i) {
    const Interval bounds = map.dimensions()[i].bounds;
    if (bounds == Interval::all()) continue;
    domain.push_back(
        fmt::format("{} in {}", names({VariableKind::kDimension, i}), to_string(bounds)));
  }
  for (const Constraint& constraint : map.constraints()) {
    domain.push_back(
        fmt::format("{} in {}", to_string(constraint.expr, names), to_string(constraint.range)));
  }
  std::string expr = to_string(map.results().front(), names);
  if (domain.empty()) return expr;
  return fmt::format("{}, domain: {}", expr, fmt::join(domain, ", "));
}

}  // namespace mercator::tools
