#include "mercator/tools/report_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "mercator/expr/text.h"
#include "mercator/expr/traversal.h"
#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

// Up to here doubles are exact, and the page can compute with them.
constexpr std::int64_t kLargestExact = (std::int64_t{1} << 53) - 1;

std::string number(std::int64_t value) {
  const bool exact = value >= -kLargestExact && value <= kLargestExact;
  return exact ? fmt::format("{}", value) : fmt::format("\"{}\"", value);
}

std::string bounds(Interval interval) {
  const std::string lo = interval.lo == Interval::kMinusInfinity ? "null" : number(interval.lo);
  const std::string hi = interval.hi == Interval::kPlusInfinity ? "null" : number(interval.hi);
  return lo + "," + hi;
}

std::string variables(const IndexMap& map, const std::vector<Variable>& list, VariableKind kind) {
  std::vector<std::string> items;
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    items.push_back(fmt::format("[\"{}\",{}]", map.name({kind, i}), bounds(list[i].bounds)));
  }
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::string runtimes(const hlo::Module& module, const IndexMap& map) {
  std::vector<std::string> items;
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    const RuntimeVariable& variable = map.runtimes()[i];
    const std::string name = map.name({VariableKind::kRuntime, i});
    if (!variable.tensor) {
      items.push_back(fmt::format("[\"{}\",{},null,\"?\"]", name, bounds(variable.bounds)));
      continue;
    }
    std::vector<std::string> index;
    for (const Expr expr : variable.index) {
      index.push_back(to_string(expr, [&](VariableId id) { return map.name(id); }));
    }
    const std::string element =
        fmt::format("{}[{}]", module.instructions[*variable.tensor]->name, fmt::join(index, ", "));
    items.push_back(fmt::format("[\"{}\",{},{},{}]", name, bounds(variable.bounds),
                                *variable.tensor, dump(element)));
  }
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::string variable_text(VariableId id) {
  constexpr std::string_view kLetters = "dsr";
  return fmt::format("\"{}{}\"", kLetters[static_cast<std::size_t>(id.kind)], id.index);
}

std::string_view operation(ExprKind kind) {
  switch (kind) {
    case ExprKind::kProduct:
      return "*";
    case ExprKind::kFloorDiv:
      return "/";
    case ExprKind::kMod:
      return "%";
    case ExprKind::kMin:
      return "min";
    case ExprKind::kMax:
      return "max";
    default:
      return "+";
  }
}

std::string node_text(Expr node, std::span<const std::uint32_t> operands) {
  if (node.is(ExprKind::kConstant)) return number(node.value());
  if (node.is(ExprKind::kVariable)) return variable_text(node.variable());
  std::string text = fmt::format("[\"{}\"", operation(node.kind()));
  const bool is_sum = node.is(ExprKind::kSum);
  if (is_sum) text += "," + number(node.constant());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (is_sum) text += "," + number(node.coefficients()[i]);
    fmt::format_to(std::back_inserter(text), ",{}", operands[i]);
  }
  return text + "]";
}

// "n", "e" and "c".
std::string program(const IndexMap& map) {
  const std::vector<Expr> exprs = map.expressions();
  const Traversal traversal(exprs);
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < traversal.nodes().size(); ++i) {
    nodes.push_back(node_text(traversal.nodes()[i], traversal.operands(i)));
  }
  const std::span<const std::uint32_t> roots = traversal.roots();
  const std::size_t results = map.results().size();
  std::vector<std::string> constraints;
  for (std::size_t i = 0; i < map.constraints().size(); ++i) {
    constraints.push_back(
        fmt::format("[{},{}]", roots[results + i], bounds(map.constraints()[i].range)));
  }
  return fmt::format("\"n\":[{}],\"e\":[{}],\"c\":[{}]", fmt::join(nodes, ","),
                     fmt::join(roots.first(results), ","), fmt::join(constraints, ","));
}

}  // namespace

std::size_t ReportMaps::add(const OperandMap& map) {
  const IndexMap& whole = map.map;
  std::string across;
  if (map.across_devices.has_value()) {
    across = fmt::format(",\"a\":{}", dump(to_string(*map.across_devices, MapStyle::kOneLine)));
  }
  std::string line = fmt::format("{{\"t\":{},\"x\":{},\"d\":{},\"s\":{},\"r\":{},{}{}}}",
                                 dump(to_string(whole, MapStyle::kOneLine)), map.exact ? 1 : 0,
                                 variables(whole, whole.dimensions(), VariableKind::kDimension),
                                 variables(whole, whole.ranges(), VariableKind::kRange),
                                 runtimes(module_, whole), program(whole), across);
  const auto [found, is_new] = numbers_.try_emplace(std::move(line), lines_.size());
  if (is_new) lines_.push_back(found->first);
  return found->second;
}

}  // namespace mercator::tools
