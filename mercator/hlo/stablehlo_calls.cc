// Operations that call: functions, loops and branches, libraries, other devices. And the table of
// all operations.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mercator/hlo/scanner.h"
#include "mercator/hlo/stablehlo_text.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo::stablehlo {
namespace {

// The bytes of a string of MLIR, where \0A stands for a byte.
std::string unescaped(std::string_view text) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    const int low = i + 1 < text.size() ? digit(text[i + 1]) : -1;
    if (digit(next) >= 0 && low >= 0) {
      out += static_cast<char>(digit(next) * 16 + low);
      ++i;
    } else {
      out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
  }
  return out;
}

// The same for a string of HLO, with its quotes.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : unescaped(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte >= 0x7F) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// replica_groups={{0,1}}, and what goes with it
std::string with_global_ids(bool global) { return global ? ", use_global_device_ids=true" : ""; }

}  // namespace

// ---- control flow ----

// The state is a tuple of what the loop carries and of what its regions use from around it.
bool Text::loop(Body& body, const Op& op) {
  if (op.regions.size() != 2) return fail(op, "expected two regions", ErrorKind::kInvalidInput);
  const std::vector<const Value*> used = captures(op.regions);
  std::vector<Shape> shapes = types(op.operands);
  Names state;
  const auto add_state = [&](const Value& value) {
    const std::optional<std::string> name = operand(body, op, value);
    if (name) state.push_back(*name);
    return name.has_value();
  };
  for (const Value* value : op.operands) {
    if (!add_state(*value)) return false;
  }
  for (const Value* value : used) {
    shapes.push_back(value->type);
    if (!add_state(*value)) return false;
  }
  std::string condition;
  std::string loop_body;
  if (!write_branch(op, *op.regions[0], used, false, condition)) return false;
  if (!write_branch(op, *op.regions[1], used, true, loop_body)) return false;
  const bool one = state.size() == 1;
  const std::string initial =
      one ? state[0] : add_tuple(body, name_for(op) + ".init", state, shapes, op.span);
  const std::string name =
      add(body, name_for(op), one ? shapes[0] : tuple_shape(shapes), "while", "%" + initial,
          fmt::format(", condition=%{}, body=%{}", condition, loop_body), op.span);
  name_results(body, op, name, !one);
  return true;
}

// Each branch gets as its operand what it uses: a value, or a tuple of none or several.
bool Text::conditional(Body& body, const Op& op) {
  const bool is_if = op.name == "stablehlo.if";
  if (op.operands.size() != 1 || op.regions.empty() || (is_if && op.regions.size() != 2)) {
    return fail(op, "expected an operand and a region for each branch", ErrorKind::kInvalidInput);
  }
  std::optional<std::string> arguments = this->arguments(body, op);
  if (!arguments) return false;
  Names branches;
  for (Region* const& region : op.regions) {
    const std::vector<const Value*> used = captures(std::span(&region, 1));
    Names names;
    std::vector<Shape> shapes;
    for (const Value* value : used) {
      const std::optional<std::string> name = operand(body, op, *value);
      if (!name) return false;
      names.push_back(*name);
      shapes.push_back(value->type);
    }
    if (!write_branch(op, *region, used, false, branches.emplace_back())) return false;
    *arguments += ", %";
    *arguments += names.size() == 1
                      ? names[0]
                      : add_tuple(body, name_for(op) + ".operand", names, shapes, op.span);
  }
  const std::string attributes =
      is_if ? fmt::format(", true_computation=%{}, false_computation=%{}", branches[0], branches[1])
            : fmt::format(", branch_computations={{%{}}}", fmt::join(branches, ", %"));
  return emit(body, op, "conditional", *arguments, attributes);
}

bool Text::call(Body& body, const Op& op) {
  const Attribute* callee = find(op, {"callee"});
  if (callee == nullptr && !op.words.empty()) callee = &op.words[0];
  const auto found = callee == nullptr ? functions_.end() : functions_.find(callee->text);
  if (found == functions_.end()) {
    return fail(op, fmt::format("there is no function '@{}'", callee ? callee->text : ""),
                ErrorKind::kInvalidInput);
  }
  return emit(body, op, "call", fmt::format(", to_apply=%{}", found->second));
}

bool Text::composite(Body& body, const Op& op) {
  const Attribute* callee = find(op, {"decomposition"});
  const auto found = callee == nullptr ? functions_.end() : functions_.find(callee->text);
  if (found == functions_.end()) {
    return fail(op, "the composite has no decomposition", ErrorKind::kInvalidInput);
  }
  return emit(body, op, "call", fmt::format(", to_apply=%{}, is_composite=true", found->second));
}

// What every device does with its part: the parts of the operands, a call, and the whole again.
bool Text::manual_computation(Body& body, const Op& op) {
  if (op.regions.size() != 1 || op.operands.empty() ||
      op.regions[0]->arguments.size() != op.operands.size() || op.results.empty()) {
    return fail(op, "expected operands and a region with as many arguments",
                ErrorKind::kInvalidInput);
  }
  Region& region = *op.regions[0];
  const Op* last = region.ops.empty() ? nullptr : region.ops.back();
  std::string computation;
  const std::optional<std::string> arguments = this->arguments(body, op);
  if (!arguments || last == nullptr || !write_reducer(op, region, computation)) {
    return fail(op, "the region returns nothing", ErrorKind::kInvalidInput);
  }
  // One instruction on several values has a tuple as its result.
  const auto apply = [&](std::string_view opcode, std::string_view operands,
                         std::string_view attributes, std::span<Value* const> like) {
    const std::vector<Shape> shapes = types(like);
    const bool one = shapes.size() == 1;
    std::string name = add(body, name_for(op), one ? shapes[0] : tuple_shape(shapes), opcode,
                           operands, attributes, op.span);
    if (one) return "%" + name;
    Names elements;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      elements.push_back(add(body, name, shapes[i], "get-tuple-element", "%" + name,
                             fmt::format(", index={}", i), op.span));
    }
    return "%" + fmt::format("{}", fmt::join(elements, ", %"));
  };
  const std::string parts =
      apply("custom-call", *arguments,
            ", custom_call_target=\"xla.sdy.GlobalToLocalShape\", custom_call_has_side_effect=true",
            region.arguments);
  const std::string results =
      apply("call", parts, fmt::format(", to_apply=%{}", computation), last->operands);
  return emit(body, op, "custom-call", results,
              ", custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
              "custom_call_has_side_effect=true");
}

bool Text::custom_call(Body& body, const Op& op) {
  const Attribute* target = find(op, {"call_target_name"});
  if (target == nullptr && !op.words.empty()) target = &op.words[0];
  if (target == nullptr) return fail(op, "the call has no target", ErrorKind::kInvalidInput);
  std::string attributes = fmt::format(", custom_call_target={}", quoted(target->text));
  if (integer(find(op, {"has_side_effect"}), 0) != 0) {
    attributes += ", custom_call_has_side_effect=true";
  }
  constexpr std::array<std::string_view, 5> kVersions = {"", "", "API_VERSION_STATUS_RETURNING",
                                                         "API_VERSION_STATUS_RETURNING_UNIFIED",
                                                         "API_VERSION_TYPED_FFI"};
  const std::int64_t version = integer(find(op, {"api_version"}), 0);
  if (version >= 2 && version < std::ssize(kVersions)) {
    attributes += fmt::format(", api_version={}", kVersions[static_cast<std::size_t>(version)]);
  }
  if (const Attribute* called = find(op, {"called_computations"})) {
    std::string names;
    for (const Attribute& symbol : called->list) {
      const auto found = functions_.find(symbol.text);
      if (found == functions_.end()) {
        return fail(op, fmt::format("there is no function '@{}'", symbol.text),
                    ErrorKind::kInvalidInput);
      }
      names += fmt::format("{}%{}", names.empty() ? "" : ", ", found->second);
    }
    if (!names.empty()) attributes += fmt::format(", called_computations={{{}}}", names);
  }
  if (const Attribute* config = find(op, {"backend_config", "mhlo.backend_config"});
      config != nullptr && !config->text.empty()) {
    const bool fields = config->kind == Attribute::Kind::kFields;
    bool balanced = false;
    if (fields) {
      Scanner scanner(terminated(config->text, arena_));
      std::string_view ignored;
      balanced = scanner.balanced(&ignored) && scanner.at_end();
    }
    attributes += ", backend_config=";
    attributes += balanced ? std::string(config->text) : quoted(config->text);
  }
  return emit(body, op, "custom-call", attributes);
}

// ---- libraries ----

bool Text::fft(Body& body, const Op& op) {
  return emit(
      body, op, "fft",
      fmt::format(", fft_type={}, fft_length={}", enumerator(find(op, {"type", "fft_type"})),
                  list(integers(find(op, {"length", "fft_length"})))));
}

bool Text::cholesky(Body& body, const Op& op) {
  const bool lower = integer(find(op, {"lower"}), 0) != 0;
  return emit(body, op, "cholesky", lower ? ", lower=true" : "");
}

bool Text::triangular_solve(Body& body, const Op& op) {
  std::string attributes;
  for (const std::string_view flag : {"left_side", "lower", "unit_diagonal"}) {
    if (integer(find(op, {flag}), 0) != 0) attributes += fmt::format(", {}=true", flag);
  }
  attributes += fmt::format(", transpose_a={}", enumerator(find(op, {"transpose_a"})));
  return emit(body, op, "triangular-solve", attributes);
}

// format = e5m10
bool Text::reduce_precision(Body& body, const Op& op) {
  std::int64_t exponent = integer(find(op, {"exponent_bits"}), 0);
  std::int64_t mantissa = integer(find(op, {"mantissa_bits"}), 0);
  if (const Attribute* format = find(op, {"format"})) {
    std::string digits(format->text);
    for (char& c : digits) c = Scanner::is_digit(c) ? c : ' ';
    const Attribute numbers{.text = digits};
    const std::vector<std::int64_t> bits = integers(&numbers, 2, 0);
    exponent = bits[0];
    mantissa = bits[1];
  }
  return emit(body, op, "reduce-precision",
              fmt::format(", exponent_bits={}, mantissa_bits={}", exponent, mantissa));
}

// The last operand is the shape, which the result has.
bool Text::rng(Body& body, const Op& op) {
  if (op.operands.size() != 3) return fail(op, "expected three operands", ErrorKind::kInvalidInput);
  const Attribute* distribution = find(op, {"distribution", "rng_distribution"});
  const std::optional<std::string> a = operand(body, op, *op.operands[0]);
  const std::optional<std::string> b = operand(body, op, *op.operands[1]);
  return a && b &&
         emit(body, op, "rng", fmt::format("%{}, %{}", *a, *b),
              fmt::format(", distribution=rng_{}", lower_case(enumerator(distribution))));
}

bool Text::rng_bit_generator(Body& body, const Op& op) {
  const Attribute* algorithm = find(op, {"algorithm", "rng_algorithm"});
  return emit(body, op, "rng-bit-generator",
              fmt::format(", algorithm=rng_{}", lower_case(enumerator(algorithm))));
}

bool Text::batch_norm(Body& body, const Op& op) {
  std::string opcode(op.name.substr(op.name.rfind('.') + 1));
  std::ranges::replace(opcode, '_', '-');
  const Attribute* epsilon = find(op, {"epsilon"});
  return emit(body, op, opcode,
              fmt::format(", epsilon={}, feature_index={}", epsilon ? epsilon->text : "0",
                          integer(find(op, {"feature_index"}), 0)));
}

// ---- tuples and tokens ----

bool Text::get_tuple_element(Body& body, const Op& op) {
  const Attribute* index = find(op, {"index"});
  if (index == nullptr && !op.words.empty()) index = &op.words[0];
  return emit(body, op, "get-tuple-element", fmt::format(", index={}", integers(index, 1, 0)[0]));
}

bool Text::optimization_barrier(Body& body, const Op& op) {
  if (op.operands.size() == 1) return emit(body, op, "opt-barrier", "");
  Names names;
  for (const Value* value : op.operands) {
    const std::optional<std::string> name = operand(body, op, *value);
    if (!name) return false;
    names.push_back(*name);
  }
  const std::string tuple =
      add_tuple(body, name_for(op) + ".operand", names, types(op.operands), op.span);
  return emit(body, op, "opt-barrier", "%" + tuple, "");
}

bool Text::token(Body& body, const Op& op) { return emit(body, op, "after-all", ""); }

// ---- other devices ----

bool Text::all_reduce(Body& body, const Op& op) {
  if (op.regions.size() != 1) return fail(op, "expected a region", ErrorKind::kInvalidInput);
  std::string computation;
  if (!write_reducer(op, *op.regions[0], computation)) return false;
  return emit(
      body, op, "all-reduce",
      fmt::format("{}, replica_groups={}{}, to_apply=%{}", channel(op),
                  rows_text(find(op, {"replica_groups"})),
                  with_global_ids(find(op, {"use_global_device_ids"}) != nullptr), computation));
}

bool Text::all_gather(Body& body, const Op& op) {
  return emit(
      body, op, "all-gather",
      fmt::format("{}, replica_groups={}, dimensions={{{}}}{}", channel(op),
                  rows_text(find(op, {"replica_groups"})), integer(find(op, {"all_gather_dim"}), 0),
                  with_global_ids(find(op, {"use_global_device_ids"}) != nullptr)));
}

bool Text::reduce_scatter(Body& body, const Op& op) {
  if (op.regions.size() != 1) return fail(op, "expected a region", ErrorKind::kInvalidInput);
  std::string computation;
  if (!write_reducer(op, *op.regions[0], computation)) return false;
  return emit(body, op, "reduce-scatter",
              fmt::format("{}, replica_groups={}{}, dimensions={{{}}}, to_apply=%{}", channel(op),
                          rows_text(find(op, {"replica_groups"})),
                          with_global_ids(find(op, {"use_global_device_ids"}) != nullptr),
                          integer(find(op, {"scatter_dimension"}), 0), computation));
}

// HLO splits and joins along one dimension.
bool Text::all_to_all(Body& body, const Op& op) {
  const std::int64_t split = integer(find(op, {"split_dimension"}), 0);
  const std::int64_t join = integer(find(op, {"concat_dimension"}), 0);
  if (split != join) {
    return fail(op, "all_to_all that splits and joins along different dimensions is not supported");
  }
  return emit(body, op, "all-to-all",
              fmt::format("{}, replica_groups={}, dimensions={{{}}}", channel(op),
                          rows_text(find(op, {"replica_groups"})), split));
}

bool Text::collective_permute(Body& body, const Op& op) {
  return emit(body, op, "collective-permute",
              fmt::format("{}, source_target_pairs={}", channel(op),
                          rows_text(find(op, {"source_target_pairs"}))));
}

bool Text::collective_broadcast(Body& body, const Op& op) {
  return emit(
      body, op, "collective-broadcast",
      fmt::format("{}, replica_groups={}", channel(op), rows_text(find(op, {"replica_groups"}))));
}

// By name. What is not here is elementwise or not supported.
const std::span<const Text::Rule> Text::kRules = [] {
  static constexpr Rule kTable[] = {
      {"call", &Text::call},
      {"chlo.atan", &Text::arc_tangent},
      {"chlo.square", &Text::square},
      {"chlo.top_k", &Text::top_k},
      {"sdy.manual_computation", &Text::manual_computation},
      {"sdy.sharding_constraint", &Text::identity},
      {"stablehlo.after_all", &Text::token},
      {"stablehlo.all_gather", &Text::all_gather},
      {"stablehlo.all_reduce", &Text::all_reduce},
      {"stablehlo.all_to_all", &Text::all_to_all},
      {"stablehlo.atan", &Text::arc_tangent},
      {"stablehlo.batch_norm_grad", &Text::batch_norm},
      {"stablehlo.batch_norm_inference", &Text::batch_norm},
      {"stablehlo.batch_norm_training", &Text::batch_norm},
      {"stablehlo.broadcast", &Text::broadcast},
      {"stablehlo.broadcast_in_dim", &Text::broadcast_in_dim},
      {"stablehlo.case", &Text::conditional},
      {"stablehlo.cholesky", &Text::cholesky},
      {"stablehlo.collective_broadcast", &Text::collective_broadcast},
      {"stablehlo.collective_permute", &Text::collective_permute},
      {"stablehlo.compare", &Text::compare},
      {"stablehlo.composite", &Text::composite},
      {"stablehlo.concatenate", &Text::concatenate},
      {"stablehlo.constant", &Text::constant},
      {"stablehlo.convert", &Text::convert},
      {"stablehlo.convolution", &Text::convolution},
      {"stablehlo.create_token", &Text::token},
      {"stablehlo.custom_call", &Text::custom_call},
      {"stablehlo.dot", &Text::dot},
      {"stablehlo.dot_general", &Text::dot_general},
      {"stablehlo.dynamic_slice", &Text::dynamic_slice},
      {"stablehlo.fft", &Text::fft},
      {"stablehlo.gather", &Text::gather},
      {"stablehlo.get_dimension_size", &Text::dimension_size},
      {"stablehlo.get_tuple_element", &Text::get_tuple_element},
      {"stablehlo.if", &Text::conditional},
      {"stablehlo.iota", &Text::iota},
      {"stablehlo.map", &Text::map},
      {"stablehlo.optimization_barrier", &Text::optimization_barrier},
      {"stablehlo.pad", &Text::pad},
      {"stablehlo.reduce", &Text::reduce},
      {"stablehlo.reduce_precision", &Text::reduce_precision},
      {"stablehlo.reduce_scatter", &Text::reduce_scatter},
      {"stablehlo.reduce_window", &Text::reduce_window},
      {"stablehlo.reverse", &Text::reverse},
      {"stablehlo.rng", &Text::rng},
      {"stablehlo.rng_bit_generator", &Text::rng_bit_generator},
      {"stablehlo.scatter", &Text::scatter},
      {"stablehlo.select_and_scatter", &Text::select_and_scatter},
      {"stablehlo.set_dimension_size", &Text::dimension_size},
      {"stablehlo.slice", &Text::slice},
      {"stablehlo.sort", &Text::sort},
      {"stablehlo.transpose", &Text::transpose},
      {"stablehlo.triangular_solve", &Text::triangular_solve},
      {"stablehlo.while", &Text::loop},
  };
  static_assert(std::ranges::is_sorted(kTable, {}, &Rule::op));
  return std::span<const Rule>(kTable);
}();

}  // namespace mercator::hlo::stablehlo
