#include "test/indexing/random_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "test/indexing/random_computation.h"

namespace mercator::testing {
namespace {

bool moves_or_adds(std::string_view name) {
  static const std::set<std::string_view> names = {
      "binary",        "broadcast", "transpose", "reverse",     "slice",
      "reshape",       "pad",       "tuple",     "concatenate", "dynamic-slice",
      "simple-gather", "gather",    "scatter",   "call",        "dynamic-update-slice",
      "fusion",        "select",    "while",     "conditional",
  };
  return names.contains(name);
}

// Draws by weight; fusions and calls only where they do not become too deep.
const NamedGenerator& random_generator(Computation& c, int depth) {
  std::vector<const NamedGenerator*> drawn;
  for (const NamedGenerator& g : instruction_generators()) {
    const bool nested = g.name == "fusion" || g.name == "call";
    if ((nested && depth >= 3) || (c.program.options.monotone && !g.monotone)) continue;
    if (c.program.options.moves && !moves_or_adds(g.name)) continue;
    if (g.needs_devices && !c.program.options.devices) continue;
    // Values of a computation that is called again are worth a look of their own.
    const int weight = c.program.options.moves && g.name == "call" ? 20 : g.weight;
    drawn.insert(drawn.end(), static_cast<std::size_t>(weight), &g);
  }
  return *c.random.pick(drawn);
}

void add_instructions(Computation& c, int depth) {
  const std::int64_t most = depth == 1 ? c.program.options.max_operations : 4;
  const std::int64_t wanted = c.random.in(std::min<std::int64_t>(2, most), most);
  std::int64_t added = 0;
  for (int tries = 0; added < wanted && tries < 40; ++tries) {
    const NamedGenerator& g = random_generator(c, depth);
    const std::optional<Tensor> x = c.operand_of_rank(g.min_rank, c.program.options.max_rank);
    if (!x) continue;
    const bool call = g.name == "call";
    const bool nested = call || g.name == "fusion";
    const std::optional<Tensor> y = nested ? add_fusion(c, call, depth + 1) : g.generate(c, *x);
    if (y) ++added;
  }
}

// One of the last three, so that much of the computation stands below it.
const Tensor& largest_of_last(const std::vector<Tensor>& values) {
  const auto last = std::span(values).last(std::min<std::size_t>(3, values.size()));
  return *std::ranges::max_element(last, {}, &Tensor::elements);
}

// The body of a new computation, ended.
Callable random_body(Computation& c, std::span<const Tensor> operands, bool call, int depth) {
  Program& program = c.program;
  Computation inner(program, true);
  for (const Tensor& operand : operands) inner.parameter(operand);
  add_instructions(inner, depth);
  Callable made{.name = program.fresh_name(call ? "g" : "f"),
                .parameters = {},
                .roots = {largest_of_last(inner.values())}};
  if (c.random.percent(25)) made.roots.push_back(c.random.pick(inner.values()));
  std::string root = made.roots[0].name;
  if (made.roots.size() > 1) {
    root = inner.emit_value(fmt::format("({}, {})", made.roots[0].shape(), made.roots[1].shape()),
                            fmt::format("tuple({}, {})", made.roots[0].name, made.roots[1].name));
  }
  inner.finish(made.name, root, false);
  made.parameters = inner.parameters();
  return made;
}

Tensor emit_call(Computation& c, const Callable& callee, const std::vector<std::string>& operands,
                 bool call) {
  static const std::vector<std::string> kinds = {"kLoop", "kInput", "kOutput", "kCustom"};
  const std::string expression =
      call ? fmt::format("call({}), to_apply={}", fmt::join(operands, ", "), callee.name)
           : fmt::format("fusion({}), kind={}, calls={}", fmt::join(operands, ", "),
                         c.random.pick(kinds), callee.name);
  const Tensor& root = callee.roots[0];
  if (callee.roots.size() == 1)
    return c.emit(root.type, root.sizes, root.minor_to_major, expression);
  const std::string tuple =
      c.emit_value(fmt::format("({}, {})", root.shape(), callee.roots[1].shape()), expression);
  const std::size_t i = c.random.percent(50) ? 1 : 0;
  const Tensor& part = callee.roots[i];
  return c.emit(part.type, part.sizes, part.minor_to_major,
                fmt::format("get-tuple-element({}), index={}", tuple, i));
}

}  // namespace

std::optional<Tensor> add_fusion(Computation& c, bool call, int depth) {
  Program& program = c.program;
  std::vector<std::string> names;
  Callable callee;
  // Only calls may share a computation.
  const std::int64_t chance_to_share = program.options.moves ? 60 : 40;
  if (call && !program.callables.empty() && c.random.percent(chance_to_share)) {
    callee = c.random.pick(program.callables);
  } else {
    std::vector<Tensor> operands;
    for (std::int64_t i = c.random.in(1, 3); i > 0; --i) {
      const std::optional<Tensor> x = c.operand_of_rank(0, program.options.max_rank);
      if (x) operands.push_back(*x);
    }
    if (operands.empty()) return std::nullopt;
    for (const Tensor& operand : operands) names.push_back(operand.name);
    callee = random_body(c, operands, call, depth);
    if (call) program.callables.push_back(callee);
  }
  for (std::size_t i = names.size(); i < callee.parameters.size(); ++i) {
    const auto& [tensor, role, limit] = callee.parameters[i];
    names.push_back(role == Role::kData    ? c.operand(tensor.type, tensor.sizes).name
                    : tensor.sizes.empty() ? c.index_scalar(tensor.type, limit).name
                                           : c.index_array(tensor.type, tensor.sizes, limit).name);
  }
  return emit_call(c, callee, names, call);
}

std::span<const std::string_view> generator_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const NamedGenerator& g : instruction_generators()) result.push_back(g.name);
    return result;
  }();
  return names;
}

std::optional<std::string> random_program(std::string_view name, std::uint64_t seed,
                                          const ProgramOptions& options) {
  const auto g = std::ranges::find(instruction_generators(), name, &NamedGenerator::name);
  if (g == instruction_generators().end()) return std::nullopt;
  Program program(seed, options);
  Computation entry(program, false);
  const std::optional<Tensor> x = entry.operand_of_rank(g->min_rank, options.max_rank);
  if (!x) return std::nullopt;
  const std::optional<Tensor> y = g->generate(entry, *x);
  if (!y) return std::nullopt;
  entry.finish("e", y->name, true);
  return program.text();
}

std::string random_fusion(std::uint64_t seed, const ProgramOptions& options) {
  Program program(seed, options);
  // One empty array makes everything behind it empty.
  program.options.zero_sizes = options.zero_sizes && program.random.percent(15);
  Computation entry(program, false);
  const bool call = options.monotone || program.random.percent(15);
  const std::optional<Tensor> y = add_fusion(entry, call, 1);
  entry.finish("e", y->name, true);
  return program.text();
}

}  // namespace mercator::testing
