// mercator simplify: index maps and expressions, made as cheap as possible.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "mercator/map/index_map.h"
#include "mercator/tools/json.h"
#include "mercator/tools/map_entries.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct SimplifyOptions {
  std::string file = "-";
  bool json = false;
  bool rules = false;
};

struct ParsedEntry {
  std::string_view text;
  IndexMap map;
  bool is_bare;
};

Result<std::vector<ParsedEntry>> parse_entries(std::string_view text, ExprContext& context) {
  std::vector<ParsedEntry> parsed;
  for (const std::string_view entry : split_entries(text)) {
    Result<IndexMap> map = parse_index_map(entry, context);
    if (!map) {
      Error error = std::move(map).error();
      const auto offset = static_cast<std::uint32_t>(entry.data() - text.data());
      if (error.span) error.span = TextSpan{error.span->begin + offset, error.span->end + offset};
      return std::unexpected(std::move(error));
    }
    parsed.push_back({.text = entry, .map = *std::move(map), .is_bare = is_bare_expression(entry)});
  }
  return parsed;
}

Json cost_json(const IndexMap& map) {
  std::vector<Expr> exprs = map.results();
  for (const Constraint& constraint : map.constraints()) exprs.push_back(constraint.expr);
  const ExprCost cost = mercator::cost(exprs);
  return {{"div", cost.div}, {"mod", cost.mod},       {"mul", cost.mul},
          {"add", cost.add}, {"minmax", cost.minmax}, {"constraints", map.constraints().size()}};
}

void write_json(const ParsedEntry& entry, const IndexMap& simplified, std::chrono::nanoseconds time,
                Output& output) {
  const Json json = {{"input", on_one_line(entry.text)},
                     {"output", entry.is_bare ? bare_expression_text(simplified)
                                              : to_string(simplified, MapStyle::kOneLine)},
                     {"changed", simplified != entry.map},
                     {"cost_before", cost_json(entry.map)},
                     {"cost_after", cost_json(simplified)},
                     {"ns", time.count()}};
  output.write(dump(json) + "\n");
}

void write_text(const ParsedEntry& entry, const IndexMap& simplified, Output& output) {
  output.write(entry.is_bare ? bare_expression_text(simplified) : to_string(simplified));
  output.write("\n");
}

ExitStatus write_rules(bool json, Output& output) {
  for (const SimplifierRule& rule : simplifier_rules()) {
    if (json) {
      output.write(dump(Json{{"name", std::string(rule.name)},
                             {"algebra", std::string(rule.algebra)},
                             {"guard", std::string(rule.guard)},
                             {"by_construction", rule.by_construction}}) +
                   "\n");
      continue;
    }
    output.write(fmt::format("{}{}\n  {}\n", rule.name,
                             rule.by_construction ? " (by construction)" : "", rule.algebra));
    if (!rule.guard.empty()) output.write(fmt::format("  if {}\n", rule.guard));
  }
  return ExitStatus::kDone;
}

ExitStatus run_simplify(const SimplifyOptions& options, Output& output) {
  if (options.rules) return write_rules(options.json, output);

  const std::string name = input_name(options.file);
  const Result<std::string> text = read_input(options.file);
  if (!text) return report(text.error(), name);
  const std::string without_comments = blank_comments(*text);

  ExprContext context;
  const Result<std::vector<ParsedEntry>> entries = parse_entries(without_comments, context);
  if (!entries) return report(entries.error(), name, *text);

  MapSimplifier simplify(context);
  bool first = true;
  for (const ParsedEntry& entry : *entries) {
    const auto start = std::chrono::steady_clock::now();
    const IndexMap simplified = simplify(entry.map);
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
    if (options.json) {
      write_json(entry, simplified, time, output);
    } else {
      if (!first) output.write("---\n");
      write_text(entry, simplified, output);
    }
    first = false;
  }
  return ExitStatus::kDone;
}

}  // namespace

Verb add_simplify_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("simplify", "Simplify index maps and index expressions");
  app->group(kVerbGroup);
  const auto options = std::make_shared<SimplifyOptions>();
  app->add_option("FILE", options->file,
                  "Maps and expressions, separated by lines of ---; lines\n"
                  "that start with # are comments. Standard input if it is\n"
                  "missing or -")
      ->option_text(" ");
  app->add_flag("--json", options->json, "Print JSON, an object a line");
  app->add_flag("--rules", options->rules, "List the rules of the simplifier instead");
  app->footer(
      "Example:\n"
      "  echo '(d0 * 4 + d1) floordiv 8, domain: d0 in [0, 7], d1 in [0, 3]' | mercator simplify");
  return {.app = app, .run = [options](Output& output) { return run_simplify(*options, output); }};
}

}  // namespace mercator::tools
