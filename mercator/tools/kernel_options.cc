#include "mercator/tools/kernel_options.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercator/tools/whole_number.h"

namespace mercator::tools {
namespace {

constexpr auto kSchemes = std::to_array({Scheme::kLoop, Scheme::kTranspose, Scheme::kRowReduction,
                                         Scheme::kColumnReduction, Scheme::kConcatenate});

// The counts along x, y and z, of which the last may be missing.
std::array<std::int64_t, 3> along_axes(const std::vector<std::int64_t>& counts) {
  std::array<std::int64_t, 3> result = {1, 1, 1};
  std::copy(counts.begin(), counts.end(), result.begin());
  return result;
}

}  // namespace

CLI::Option* add_kernel_options(CLI::App& app, std::optional<Kernel>& kernel) {
  struct Given {
    Kernel kernel;
    std::vector<std::int64_t> threads = {1};
    std::vector<std::int64_t> blocks = {1};
  };
  const auto given = std::make_shared<Given>();
  std::vector<std::string> schemes;
  for (const Scheme scheme : kSchemes) schemes.emplace_back(name(scheme));

  CLI::Option* scheme = app.add_option_function<std::string>(
                               "--kernel",
                               [given](const std::string& text) {
                                 for (const Scheme candidate : kSchemes) {
                                   if (name(candidate) == text) given->kernel.scheme = candidate;
                                 }
                               },
                               "The maps from the threads of a GPU kernel: to what they\n"
                               "read and write. SCHEME is loop, transpose, row-reduction,\n"
                               "column-reduction or concatenate")
                            ->option_text("SCHEME")
                            ->check(CLI::IsMember(schemes));
  const auto counts = [&](const char* option, std::vector<std::int64_t>& value, const char* text) {
    app.add_option(option, value, text)
        ->option_text("X[,Y[,Z]]")
        ->delimiter(',')
        ->expected(1, 3)
        ->check(whole_number(1))
        ->needs(scheme);
  };
  counts("--threads", given->threads, "Of a block, along x, y and z");
  counts("--blocks", given->blocks, "Along x, y and z");
  app.add_option("--vector", given->kernel.vector,
                 "The consecutive elements that a thread takes at once")
      ->option_text("N")
      ->check(whole_number(1))
      ->needs(scheme);
  app.add_option("--tile", given->kernel.tile,
                 "The side of a tile of a transpose, the threads for a row,\n"
                 "the columns of a block; 32 unless given")
      ->option_text("N")
      ->check(whole_number(1))
      ->needs(scheme);
  app.callback([given, scheme, &kernel] {
    if (scheme->count() == 0) return;
    kernel = given->kernel;
    kernel->launch = {.threads = along_axes(given->threads), .blocks = along_axes(given->blocks)};
  });
  return scheme;
}

}  // namespace mercator::tools
