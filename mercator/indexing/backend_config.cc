#include "mercator/indexing/backend_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace mercator::indexing {
namespace {

using Json = nlohmann::json;

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::kInvalidInput, std::move(message));
}

// An object; empty if there is no configuration. It may stand in quotes.
Result<Json> read_json(const hlo::Instruction& call) {
  const std::string_view text = call.get<hlo::RawText>(hlo::AttributeName::kBackendConfig).text;
  if (text.empty()) return Json::object();
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (const auto* quoted = json.get_ptr<const std::string*>()) {
    if (quoted->empty()) return Json::object();
    json = Json::parse(std::string(*quoted), nullptr, /*allow_exceptions=*/false);
  }
  if (!json.is_object()) return wrong("its backend_config is not an object in JSON");
  return json;
}

// The field of an object; null if it is missing.
const Json* find(const Json& json, std::string_view field) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(field);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

bool read_bool(const Json& json, std::string_view field) {
  const Json* value = find(json, field);
  const auto* boolean = value == nullptr ? nullptr : value->get_ptr<const bool*>();
  return boolean != nullptr && *boolean;
}

// Numbers of 64 bits are written as strings.
std::optional<std::int64_t> integer(const Json& json) {
  if (const auto* number = json.get_ptr<const Json::number_unsigned_t*>()) {
    return *number <= INT64_MAX ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  }
  const auto* text = json.get_ptr<const std::string*>();
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  return error == std::errc() && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

Result<std::vector<std::int64_t>> read_dimensions(const Json& json, std::string_view field) {
  std::vector<std::int64_t> result;
  const Json* list = find(json, field);
  if (list == nullptr) return result;
  if (!list->is_array())
    return wrong(fmt::format("its backend_config has {} without a list", field));
  for (const Json& element : *list) {
    const std::optional<std::int64_t> dimension = integer(element);
    if (!dimension) return wrong(fmt::format("its backend_config has {} of no numbers", field));
    result.push_back(*dimension);
  }
  return result;
}

struct Epilogue {
  std::string_view name;
  bool adds_vector = false;
  bool has_auxiliary = false;
};
constexpr auto kEpilogues = std::to_array<Epilogue>({
    {"DEFAULT"},
    {"BIAS", true},
    {"RELU"},
    {"BIAS_RELU", true},
    {"GELU"},
    {"GELU_AUX", false, true},
    {"BIAS_GELU", true},
    {"BIAS_GELU_AUX", true, true},
});

Result<Epilogue> read_epilogue(const Json& json) {
  const Json* value = find(json, "epilogue");
  if (value == nullptr) return kEpilogues[0];
  const auto* name = value->get_ptr<const std::string*>();
  if (name == nullptr) return wrong("its backend_config has an epilogue without a name");
  const auto known = std::ranges::find(kEpilogues, *name, &Epilogue::name);
  if (known == kEpilogues.end()) return wrong(fmt::format("the epilogue '{}' is not known", *name));
  return *known;
}

}  // namespace

Result<GemmConfig> read_gemm_config(const hlo::Instruction& call) {
  const Json json = MERCATOR_TRY(read_json(call));
  const Json* grouped = find(json, "grouped_gemm_backend_config");
  const Json* gemm = find(grouped != nullptr ? *grouped : json, "gemm_backend_config");
  // Older programs have it without what is around it.
  if (gemm == nullptr) gemm = &json;
  const Json* numbers = find(*gemm, "dot_dimension_numbers");
  if (numbers == nullptr) {
    return wrong("its backend_config does not say what dimensions are for");
  }
  const Epilogue epilogue = MERCATOR_TRY(read_epilogue(*gemm));
  GemmConfig config{
      .lhs_batch = MERCATOR_TRY(read_dimensions(*numbers, "lhs_batch_dimensions")),
      .rhs_batch = MERCATOR_TRY(read_dimensions(*numbers, "rhs_batch_dimensions")),
      .lhs_contracting = MERCATOR_TRY(read_dimensions(*numbers, "lhs_contracting_dimensions")),
      .rhs_contracting = MERCATOR_TRY(read_dimensions(*numbers, "rhs_contracting_dimensions")),
      .adds_vector = epilogue.adds_vector,
      .has_auxiliary = epilogue.has_auxiliary,
      .has_absolute_max = read_bool(*gemm, "damax_output")};
  if (const Json* beta = find(*gemm, "beta")) {
    if (!beta->is_number()) return wrong("its backend_config has a beta that is not a number");
    config.adds_matrix = *beta != 0;
  }
  if (grouped != nullptr) {
    if (const Json* ragged = find(*grouped, "ragged_dot_dimension_numbers")) {
      config.lhs_ragged = MERCATOR_TRY(read_dimensions(*ragged, "lhs_ragged_dimensions"));
      config.rhs_group = MERCATOR_TRY(read_dimensions(*ragged, "rhs_group_dimensions"));
    }
  }
  return config;
}

Result<OneDnnMatmulConfig> read_onednn_matmul_config(const hlo::Instruction& call) {
  const Json json = MERCATOR_TRY(read_json(call));
  OneDnnMatmulConfig config;
  const Json* matmul = find(json, "onednn_matmul_config");
  if (matmul == nullptr) return config;
  config.transpose_lhs = read_bool(*matmul, "transpose_a");
  config.transpose_rhs = read_bool(*matmul, "transpose_b");
  config.is_packed = read_bool(*matmul, "weights_prepacked");
  if (const Json* optimization = find(*matmul, "optimization_config")) {
    config.is_packed = config.is_packed || read_bool(*optimization, "weights_prepacked");
  }
  const Json* operations = find(*matmul, "fused_ops");
  if (const Json* fusions = find(*matmul, "fusions")) operations = find(*fusions, "ops");
  if (operations == nullptr) return config;
  if (!operations->is_array()) return wrong("its backend_config has operations without a list");
  for (const Json& operation : *operations) {
    const auto* name = operation.get_ptr<const std::string*>();
    if (name == nullptr) return wrong("its backend_config has operations without a name");
    config.operations.push_back(*name);
  }
  return config;
}

std::optional<std::int64_t> read_known_trip_count(const hlo::Instruction& loop) {
  const Result<Json> json = read_json(loop);
  if (!json) return std::nullopt;
  const Json* known = find(*json, "known_trip_count");
  const Json* count = known == nullptr ? nullptr : find(*known, "n");
  return count == nullptr ? std::nullopt : integer(*count);
}

}  // namespace mercator::indexing
