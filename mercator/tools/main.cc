// The command `mercator`.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/support/suggestion.h"
#include "mercator/tools/exit_status.h"
#include "mercator/tools/streams.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

constexpr Verb (*kVerbs[])(CLI::App&) = {add_map_verb,      add_cost_verb, add_report_verb,
                                         add_simplify_verb, add_tile_verb, add_run_verb,
                                         add_compile_verb};

ExitStatus report_usage(std::string message, std::string hint) {
  return report({.kind = ErrorKind::kUsage, .message = std::move(message), .hint = std::move(hint)},
                "mercator");
}

// Names that a user may have meant by an argument that was not understood.
std::string suggestion(const CLI::App& app, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::vector<std::string_view> nearest = nearest_words(argument, views);
  return did_you_mean(nearest);
}

// The application that an error is about: the verb that was called, or the command itself.
const CLI::App& called(const CLI::App& command) {
  const std::vector<CLI::App*> verbs = command.get_subcommands();
  return verbs.empty() ? command : *verbs.front();
}

ExitStatus report_parse_error(const CLI::App& command, const CLI::ParseError& error) {
  const CLI::App& app = called(command);
  const std::string see = app.get_parent() == nullptr
                              ? "see 'mercator --help'"
                              : fmt::format("see 'mercator {} --help'", app.get_name());
  std::vector<std::string> extra = app.remaining();
  if (extra.empty()) extra = command.remaining();
  if (!extra.empty()) {
    const bool verb_expected = &app == &command && !extra.front().starts_with('-');
    const std::string hint = suggestion(app, extra.front());
    return report_usage(
        fmt::format("unknown {} '{}'", verb_expected ? "verb" : "argument", extra.front()),
        hint.empty() ? see : hint);
  }
  if (&app == &command) return report_usage("a verb is missing", see);
  return report_usage(error.what(), see);
}

ExitStatus run(int argc, char** argv, Output& output) {
  CLI::App command("Index maps for tensor programs.", "mercator");
  command.set_version_flag("--version", "mercator " MERCATOR_VERSION);
  command.require_subcommand(1);
  command.get_formatter()->column_width(28);
  command.get_formatter()->label("SUBCOMMAND", "VERB");
  command.footer(
      "Examples:\n"
      "  mercator map program.hlo\n"
      "  mercator simplify program.maps\n"
      "\n"
      "'mercator VERB --help' says more about a verb.");

  // Verbs take over the formatter, so they come last.
  std::vector<Verb> verbs;
  for (const auto& add_verb : kVerbs) verbs.push_back(add_verb(command));

  try {
    command.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    output.write(command.help());
    return ExitStatus::kDone;
  } catch (const CLI::CallForVersion& version) {
    output.write(fmt::format("{}\n", version.what()));
    return ExitStatus::kDone;
  } catch (const CLI::ParseError& error) {
    return report_parse_error(command, error);
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run(output);
  }
  return ExitStatus::kUsage;
}

// Opens what the caller has closed of the standard streams, so that no other file takes its place:
// the wrong way round, so that using it is an error as before.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest that is free is `stream`.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int main_function(int argc, char** argv) {
  keep_standard_streams();
  // A reader that closes its end is an error of `write` like any other.
  std::signal(SIGPIPE, SIG_IGN);
  Output output;
  ExitStatus status = run(argc, argv, output);
  if (const Result<void> written = output.finish(); !written) {
    const ExitStatus failure = written.error().message.empty()
                                   ? exit_status(written.error().kind)
                                   : report(written.error(), "<stdout>");
    if (status == ExitStatus::kDone) status = failure;
  }
  return static_cast<int>(status);
}

}  // namespace
}  // namespace mercator::tools

int main(int argc, char** argv) { return mercator::tools::main_function(argc, argv); }
