// Prints what the model says that random programs read, for check_model_with_xla.py.
//
//   model_dump GENERATOR FIRST_SEED COUNT [MAX_ELEMENTS]
//
// One JSON object a line: {"generator": …, "seed": …, "hlo": …, "root": "f64[2,3]",
// "parameters": [{"type": "f64", "sizes": [2, 3], "values": […]}], "reads": [[parameter, [[output,
// element], …]], …]}. `values` is there for integers only; of other parameters the values do not
// matter. A generator "many" makes whole computations.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "test/indexing/model.h"
#include "test/indexing/random_program.h"

namespace mercator::testing {
namespace {

using nlohmann::json;

// What a computation reads, with the values that decide it.
json describe(const hlo::Module& module, std::uint64_t seed) {
  const hlo::Computation& entry = *module.entry;
  Model model(module, [seed](const hlo::Instruction& instruction, const std::vector<std::int64_t>&,
                             std::int64_t element, std::size_t) {
    return Random(seed ^ (instruction.id * 1000003ULL) ^ static_cast<std::uint64_t>(element))
        .in(-4, 9);
  });
  json result;
  const auto reads = model.reads(entry);
  if (!reads) return {{"error", reads.error().message}};
  result["root"] = hlo::to_string(entry.root->shape, false);
  result["reads"] = json::array();
  for (const ReadSet& set : *reads) result["reads"].push_back({set.operand, set.pairs});
  result["parameters"] = json::array();
  for (const hlo::Instruction* parameter : entry.parameters) {
    json p = {{"type", hlo::name(parameter->shape.element_type)},
              {"sizes", std::vector(parameter->shape.dimensions.begin(),
                                    parameter->shape.dimensions.end())}};
    if (hlo::is_integral(parameter->shape.element_type)) {
      p["values"] = json::array();
      for (std::int64_t i = 0; i < parameter->shape.element_count(); ++i) {
        const auto values = model.values(parameter->id, i);
        p["values"].push_back(*values.begin());
      }
    }
    result["parameters"].push_back(p);
  }
  return result;
}

int dump(std::string_view generator, std::uint64_t first_seed, std::uint64_t count,
         std::int64_t max_elements) {
  const ProgramOptions options{.max_elements = max_elements,
                               .max_operations = 5,
                               .zero_sizes = false,
                               .data_type = "f64",
                               .monotone = true};
  for (std::uint64_t seed = first_seed; count > 0; ++seed) {
    const auto program = generator == "many" ? std::optional(random_fusion(seed, options))
                                             : random_program(generator, seed, options);
    if (!program) continue;
    const auto module = hlo::parse_module(*program);
    if (!module || !hlo::verify(**module)) {
      fmt::print(stderr, "a program that is not valid:\n{}", *program);
      return 1;
    }
    json result = describe(**module, seed);
    result["generator"] = generator;
    result["seed"] = seed;
    result["hlo"] = *program;
    fmt::print("{}\n", result.dump());
    --count;
  }
  return 0;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

int run(std::span<char* const> arguments) {
  if (arguments.size() == 3 || arguments.size() == 4) {
    const auto seed = number(arguments[1]);
    const auto count = number(arguments[2]);
    const auto elements =
        arguments.size() == 4 ? number(arguments[3]) : std::optional<std::int64_t>(40);
    if (seed && count && elements) {
      return dump(arguments[0], static_cast<std::uint64_t>(*seed),
                  static_cast<std::uint64_t>(*count), *elements);
    }
  }
  fmt::print(stderr, "usage: model_dump GENERATOR FIRST_SEED COUNT [MAX_ELEMENTS]\n");
  return 2;
}

}  // namespace
}  // namespace mercator::testing

int main(int argc, char** argv) {
  return mercator::testing::run(
      std::span<char* const>(argv + 1, static_cast<std::size_t>(argc - 1)));
}
