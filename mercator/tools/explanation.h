// The steps by which a map was simplified, for people.

#pragma once

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "mercator/map/index_map.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

// Listens to a simplifier and writes down each step once.
class Explanation {
 public:
  // Of the simplification of `map`, whose names the variables have. The map must outlive it.
  explicit Explanation(const IndexMap& map);
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;

  // To be given to the simplifier of the map.
  [[nodiscard]] const MapStepListener& listener() const { return listener_; }

  // Lines that files of maps may have between entries: for each step what became what by which
  // rule, the rule, and what made it apply.
  [[nodiscard]] std::string comments() const;
  // An array with an object for each step: `rule`, `algebra`, `guard`, `before`, `after` (null:
  // gone), `ranges`.
  [[nodiscard]] Json json() const;

 private:
  struct Step {
    const SimplifierRule* rule;
    std::string before;
    std::string after;                                     // empty: gone
    std::vector<std::pair<std::string, Interval>> ranges;  // of parts of `before`
  };

  void add(Step step);
  [[nodiscard]] std::string text(Expr expr) const;
  [[nodiscard]] std::string text(const Constraint& constraint) const;

  VariableNames names_;
  std::vector<Step> steps_;
  std::set<std::tuple<const SimplifierRule*, std::string, std::string>> known_;
  MapStepListener listener_;
};

}  // namespace mercator::tools
