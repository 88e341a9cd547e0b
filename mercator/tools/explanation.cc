#include "mercator/tools/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mercator::tools {

Explanation::Explanation(const IndexMap& map)
    : names_([&map](VariableId id) { return map.name(id); }) {
  listener_.on_expression = [this](const SimplifierStep& step) {
    std::vector<std::pair<std::string, Interval>> ranges;
    for (const KnownRange& known : step.ranges) {
      const std::pair<std::string, Interval> range = {text(known.expr), known.range};
      if (std::ranges::find(ranges, range) == ranges.end()) ranges.push_back(range);
    }
    add({step.rule, text(step.before), text(step.after), std::move(ranges)});
  };
  listener_.on_constraint = [this](const ConstraintStep& step) {
    std::string after;
    for (const Constraint& constraint : step.after) {
      after += fmt::format("{}{}", after.empty() ? "" : " and ", text(constraint));
    }
    add({step.rule, text(step.before), std::move(after), {}});
  };
}

void Explanation::add(Step step) {
  if (known_.emplace(step.rule, step.before, step.after).second) steps_.push_back(std::move(step));
}

std::string Explanation::text(Expr expr) const { return to_string(expr, names_); }

std::string Explanation::text(const Constraint& constraint) const {
  return fmt::format("{} in {}", text(constraint.expr), to_string(constraint.range));
}

std::string Explanation::comments() const {
  std::string text;
  for (const Step& step : steps_) {
    text += fmt::format("# {}: {} -> {}\n", step.rule->name, step.before,
                        step.after.empty() ? "nothing" : step.after);
    text += fmt::format("#   {}{}{}\n", step.rule->algebra, step.rule->guard.empty() ? "" : " if ",
                        step.rule->guard);
    const char* separator = "#   since ";
    for (const auto& [expr, range] : step.ranges) {
      text += fmt::format("{}{} in {}", std::exchange(separator, ", "), expr, to_string(range));
    }
    if (!step.ranges.empty()) text += '\n';
  }
  return text;
}

Json Explanation::json() const {
  Json steps = Json::array();
  for (const Step& step : steps_) {
    Json ranges = Json::array();
    for (const auto& [expr, range] : step.ranges) {
      ranges.push_back({{"expr", expr}, {"lo", range.lo}, {"hi", range.hi}});
    }
    steps.push_back({{"rule", std::string(step.rule->name)},
                     {"algebra", std::string(step.rule->algebra)},
                     {"guard", std::string(step.rule->guard)},
                     {"before", step.before},
                     {"after", step.after.empty() ? Json() : Json(step.after)},
                     {"ranges", std::move(ranges)}});
  }
  return steps;
}

}  // namespace mercator::tools
