#include "bench/peers/simplify/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "mercator/expr/text.h"

namespace mercator::peers {
namespace {

constexpr std::string_view kDomain = ", domain:";

std::ifstream open(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(fmt::format("cannot open {}", path));
  return file;
}

}  // namespace

void fail(std::string_view message) {
  fmt::print(stderr, "error: {}\n", message);
  std::exit(1);
}

std::int64_t clock_time() {
  using Clock = std::chrono::steady_clock;
  constexpr int kLooks = 1000;
  std::chrono::nanoseconds best = std::chrono::nanoseconds::max();
  for (int i = 0; i < kLooks; ++i) {
    const auto start = Clock::now();
    best = std::min<std::chrono::nanoseconds>(best, Clock::now() - start);
  }
  return best.count();
}

std::vector<Interval> InputLine::bounds() const {
  std::vector<Interval> bounds;
  for (const Variable& variable : map.dimensions()) bounds.push_back(variable.bounds);
  return bounds;
}

std::string InputLine::text_of(Expr expr) const {
  return to_string(expr, [this](VariableId id) { return map.name(id); });
}

Result<Expr> InputLine::parse_result(std::string_view result) const {
  const std::size_t domain = text.rfind(kDomain);
  std::string whole(result);
  if (domain != std::string::npos) whole += text.substr(domain);
  const Result<IndexMap> parsed = parse_index_map(whole, map.context());
  if (!parsed) return std::unexpected(parsed.error());
  return parsed->results().front();
}

std::string line_of(const IndexMap& map, Expr expr) {
  const UsedVariables used = used_variables(std::span(&expr, 1));
  std::string domain;
  const auto add = [&](VariableKind kind, const auto& variables) {
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      const VariableId id{kind, i};
      if (!used.contains(id)) continue;
      domain += fmt::format("{} {} in {}", domain.empty() ? "" : ",", default_variable_name(id),
                            to_string(variables[i].bounds));
    }
  };
  add(VariableKind::kDimension, map.dimensions());
  add(VariableKind::kRange, map.ranges());
  add(VariableKind::kRuntime, map.runtimes());
  return fmt::format("{}{}{}", to_string(expr), kDomain, domain);
}

std::vector<InputLine> read_input(const std::string& path, ExprContext& context) {
  std::ifstream file = open(path);
  std::vector<InputLine> lines;
  std::string family;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) family = line.substr(2, colon - 2);
      continue;
    }
    Result<IndexMap> map = parse_index_map(line, context);
    if (!map) fail(fmt::format("{}: {}: {}", path, map.error().message, line));
    lines.push_back({line, family, *std::move(map)});
  }
  return lines;
}

std::vector<OutputLine> read_output(const std::string& path) {
  std::ifstream file = open(path);
  std::vector<OutputLine> lines;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) fail(fmt::format("{}: no tab in '{}'", path, line));
    OutputLine output{.nanoseconds = std::atoll(line.c_str())};
    std::string rest = line.substr(tab + 1);
    if (rest.starts_with('!')) {
      output.missing = rest.substr(1);
    } else {
      output.text = std::move(rest);
    }
    lines.push_back(std::move(output));
  }
  return lines;
}

void write_output(const std::string& path, const std::vector<OutputLine>& lines) {
  std::ofstream file(path);
  if (!file) fail(fmt::format("cannot write {}", path));
  for (const OutputLine& line : lines) {
    file << line.nanoseconds << '\t';
    if (line.text.empty()) file << '!';
    file << (line.text.empty() ? line.missing : line.text) << '\n';
  }
}

}  // namespace mercator::peers
