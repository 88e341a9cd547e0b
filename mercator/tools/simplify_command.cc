// mercator simplify: index maps and expressions, made as cheap as possible.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "mercator/map/index_map.h"
#include "mercator/tools/certificate.h"
#include "mercator/tools/explanation.h"
#include "mercator/tools/json.h"
#include "mercator/tools/lowered_map.h"
#include "mercator/tools/map_entries.h"
#include "mercator/tools/streams.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct SimplifyOptions {
  std::string file = "-";
  bool certify = false;
  bool explain = false;
  bool json = false;
  bool lower = false;
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
    parsed.push_back(
        {.text = entry, .map = with_numbered_runtimes(*map), .is_bare = is_bare_expression(entry)});
  }
  return parsed;
}

Json cost_json(const IndexMap& map) {
  const ExprCost cost = mercator::cost(map.expressions());
  return {{"div", cost.div}, {"mod", cost.mod},       {"mul", cost.mul},
          {"add", cost.add}, {"minmax", cost.minmax}, {"constraints", map.constraints().size()}};
}

// What is known of one entry.
struct Outcome {
  IndexMap simplified;
  std::chrono::nanoseconds time;
  std::optional<Certification> certification;  // if it was asked for
  std::optional<Result<std::string>> program;  // the text of it, if it was asked for
  std::unique_ptr<Explanation> explanation;    // if it was asked for
};

Outcome simplify_entry(const ParsedEntry& entry, MapSimplifier& simplify,
                       const SimplifyOptions& options) {
  std::unique_ptr<Explanation> explanation;
  if (options.explain) {
    explanation = std::make_unique<Explanation>(entry.map);
    simplify.set_listener(&explanation->listener());
  }
  const auto start = std::chrono::steady_clock::now();
  IndexMap simplified = simplify(entry.map);
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  simplify.set_listener(nullptr);
  std::optional<Certification> certification;
  if (options.certify) certification = certify_simplification(entry.map, simplified);
  return {.simplified = std::move(simplified),
          .time = time,
          .certification = std::move(certification),
          .program = std::nullopt,
          .explanation = std::move(explanation)};
}

void write_json(const ParsedEntry& entry, const Outcome& outcome, Output& output) {
  const IndexMap& simplified = outcome.simplified;
  Json json = {{"input", on_one_line(entry.text)},
               {"output", entry.is_bare ? bare_expression_text(simplified)
                                        : to_string(simplified, MapStyle::kOneLine)},
               {"changed", simplified != entry.map}};
  if (outcome.certification) {
    json["certified"] = certificate_json(outcome.certification->certificate);
  }
  json["cost_before"] = cost_json(entry.map);
  json["cost_after"] = cost_json(simplified);
  json["ns"] = outcome.time.count();
  if (outcome.explanation) json["steps"] = outcome.explanation->json();
  if (outcome.program) json["program"] = *outcome.program ? Json(**outcome.program) : Json();
  output.write(dump(json) + "\n");
}

void write_text(const ParsedEntry& entry, const Outcome& outcome, Output& output) {
  const IndexMap& simplified = outcome.simplified;
  if (outcome.explanation) output.write(outcome.explanation->comments());
  if (outcome.certification) output.write(certificate_comment(*outcome.certification));
  if (outcome.program) {
    output.write(fmt::format("# {}\n", entry.is_bare ? bare_expression_text(simplified)
                                                     : to_string(simplified, MapStyle::kOneLine)));
    if (*outcome.program) output.write(**outcome.program);
    return;
  }
  output.write(entry.is_bare ? bare_expression_text(simplified) : to_string(simplified));
  output.write("\n");
}

// Says at the entry, the first line of it, why it has no program.
ExitStatus report_no_program(Error error, const ParsedEntry& entry, std::string_view name,
                             std::string_view text, std::string_view without_comments) {
  const auto begin = static_cast<std::uint32_t>(entry.text.data() - without_comments.data());
  const std::size_t length = entry.text.substr(0, entry.text.find('\n')).size();
  error.span = TextSpan{begin, begin + static_cast<std::uint32_t>(length)};
  return report(error, name, text);
}

ExitStatus write_rules(bool json, Output& output) {
  std::vector<SimplifierRule> rules(simplifier_rules().begin(), simplifier_rules().end());
  rules.insert(rules.end(), constraint_rules().begin(), constraint_rules().end());
  for (const SimplifierRule& rule : rules) {
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

  MapSimplifier simplify;
  Simplifier ranges;
  ExitStatus status = ExitStatus::kDone;
  bool first = true;
  for (const ParsedEntry& entry : *entries) {
    Outcome outcome = simplify_entry(entry, simplify, options);
    if (options.lower) outcome.program = program_text(outcome.simplified, ranges);
    if (options.json) {
      write_json(entry, outcome, output);
    } else {
      if (!first) output.write("---\n");
      write_text(entry, outcome, output);
    }
    first = false;
    if (outcome.program && !*outcome.program) {
      status = report_no_program(outcome.program->error(), entry, name, *text, without_comments);
    }
    if (outcome.certification && outcome.certification->certificate == Certificate::kDifferent) {
      write_message(fmt::format("mercator: error: the simplifier is wrong about {}: {}\n",
                                on_one_line(entry.text), outcome.certification->reason));
      status = ExitStatus::kWrongResult;
    }
  }
  return status;
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
  app->add_flag("--certify", options->certify,
                "Let isl decide whether input and output mean the same");
  app->add_flag("--explain", options->explain,
                "Say by which steps each was simplified, and what\n"
                "allowed them");
  app->add_flag("--json", options->json, "Print JSON, an object a line");
  app->add_flag("--lower", options->lower,
                "Print the index program of each: typed operations, without\n"
                "divisions by constants");
  app->add_flag("--rules", options->rules, "List the rules of the simplifier instead");
  app->footer(
      "Example:\n"
      "  echo '(d0 * 4 + d1) floordiv 8, domain: d0 in [0, 7], d1 in [0, 3]' | mercator simplify");
  return {.app = app, .run = [options](Output& output) { return run_simplify(*options, output); }};
}

}  // namespace mercator::tools
