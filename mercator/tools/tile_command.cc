// mercator tile: the tiles that a tile of a result is made from.

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/tools/tile_listing.h"
#include "mercator/tools/verb.h"
#include "mercator/tools/whole_number.h"

namespace mercator::tools {
namespace {

struct TileOptions {
  std::string file;
  TileRequest request;
  bool json = false;
};

// "16,64": none if it is anything else.
std::optional<std::vector<std::int64_t>> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (true) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    if (rest == end) return numbers;
    if (*rest != ',') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest + 1 - text.data()));
  }
}

ExitStatus run_tile(const TileOptions& options, Output& output) {
  const std::string name = input_name(options.file);
  const Result<std::string> text = read_input(options.file);
  if (!text) return report(text.error(), name);
  const Result<std::unique_ptr<hlo::Module>> parsed = hlo::read_module(*text);
  if (!parsed) return report(parsed.error(), name, *text);
  const hlo::Module& module = **parsed;
  if (const Result<void> verified = hlo::verify(module); !verified) {
    return report(module.source.locate(verified.error(), module.text()), name, *text);
  }
  ExprContext context;
  const Result<TileListing> listing = list_tiles(module, context, options.request);
  if (!listing) return report(listing.error(), name);
  output.write(options.json ? tile_json(module, *listing) : tile_text(module, *listing));
  return ExitStatus::kDone;
}

}  // namespace

Verb add_tile_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("tile", "Print the tiles that a tile is made from");
  app->group(kVerbGroup);
  const auto options = std::make_shared<TileOptions>();
  TileRequest& request = options->request;
  app->add_option("FILE", options->file,
                  "HLO text, HloModuleProto or StableHLO; - for standard input")
      ->option_text(" ")
      ->required();
  app->add_option("--instruction", request.instruction, "Whose result is cut into tiles")
      ->option_text("NAME")
      ->required();
  const auto add_list = [&](const char* name, std::vector<std::int64_t>& list, const char* help) {
    return app
        ->add_option_function<std::string>(
            name, [&list](const std::string& text) { list = numbers_in(text).value_or(list); },
            help)
        ->option_text("N[,N...]")
        ->check([](const std::string& text) {
          return numbers_in(text) ? "" : "'" + text + "' is not a list of numbers";
        });
  };
  CLI::Option* sizes = add_list("--sizes", request.sizes,
                                "The sizes of the tile, for each dimension.\n"
                                "Without it they are free, as are the offsets");
  add_list("--offsets", request.offsets, "Its first element");
  add_list("--strides", request.strides, "Its strides; 1 without it");
  app->add_option("--output", request.output, "Of a tuple: which element, from 0")
      ->option_text("N");
  app->add_option("--operand", request.operand,
                  "The tile is one of this operand, from 0; print the\n"
                  "tiles of the result that it takes part in")
      ->option_text("N");
  app->add_option("--fit", request.fit,
                  "Print the sizes of which all tiles lead to tiles, with\n"
                  "operands and result in so many bytes")
      ->option_text("BYTES")
      ->check(whole_number(1))
      ->excludes(sizes)
      ->excludes("--offsets")
      ->excludes("--strides");
  app->add_flag("--json", options->json, "Print JSON");
  app->footer(
      "Example:\n"
      "  mercator tile examples/softmax.hlo --instruction softmax --sizes 16,128");
  return {.app = app, .run = [options](Output& output) { return run_tile(*options, output); }};
}

}  // namespace mercator::tools
