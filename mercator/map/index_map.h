// Index maps: which elements of one tensor belong to an element of another.
//
// A map denotes a relation. `(d0)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], s0 in [0, 3],
// rt0 in [0, 22]` relates, for a given value of rt0, the point (d0) to the points (d0 + rt0, 0) …
// (d0 + rt0, 3). Precisely, for given values of the runtime variables it is the set of pairs
// (dimensions, results) over all values of dimensions and ranges that satisfy all bounds and all
// constraints: the *domain*. Points where a result or constraint has no value (a zero divisor) are
// not in the domain.

#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"
#include "mercator/support/error.h"

namespace mercator {

// What a variable is called. Most have no name of their own, and copies share it, so that maps are
// quick to copy.
class VariableName {
 public:
  VariableName() = default;
  explicit(false) VariableName(std::string name)
      : text_(name.empty() ? nullptr : std::make_shared<const std::string>(std::move(name))) {}
  explicit(false) VariableName(const char* name) : VariableName(std::string(name)) {}

  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  // Empty if there is none.
  [[nodiscard]] std::string_view text() const {
    return text_ ? std::string_view(*text_) : std::string_view();
  }
  friend bool operator==(const VariableName& a, const VariableName& b) {
    return a.text() == b.text();
  }

 private:
  std::shared_ptr<const std::string> text_;
};

// A dimension or range variable. An empty name is the default name for its place: d0, s0.
struct Variable {
  Interval bounds;
  VariableName name = {};

  friend bool operator==(const Variable&, const Variable&) = default;
};

// A variable whose value the program computes: the element at `index` of the tensor `tensor`. The
// value always lies within `bounds`: whoever makes the map knows that (a clamped offset), and what
// is narrower than that is a constraint. Default name: rt0.
struct RuntimeVariable {
  Interval bounds;
  VariableName name = {};
  // Names a tensor to whoever made the map (in indexing: `hlo::Instruction::id`, of the module).
  std::optional<std::uint32_t> tensor = std::nullopt;
  // Over the dimension, range and runtime variables of the map.
  std::vector<Expr> index = {};

  friend bool operator==(const RuntimeVariable&, const RuntimeVariable&) = default;
};

// `expr in range`.
struct Constraint {
  Expr expr;
  Interval range;

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

class IndexMap {
 public:
  // A map with no variables, results or constraints: `() -> ()`.
  explicit IndexMap(ExprContext& context) : context_(&context) {}
  // Requires that the expressions are of `context` and use only the given variables. Names are
  // there for people: one that is not a variable name, or that another variable of the map has,
  // gives way to the default name.
  IndexMap(ExprContext& context, std::vector<Variable> dimensions, std::vector<Variable> ranges,
           std::vector<RuntimeVariable> runtimes, std::vector<Expr> results,
           std::vector<Constraint> constraints = {});

  // (d0, d1, …) -> (d0, d1, …) over all indices of a tensor of these sizes.
  static IndexMap identity(ExprContext& context, std::span<const std::int64_t> sizes);
  // Dimensions d0 … with bounds [0, size - 1], and no results yet.
  static std::vector<Variable> dimensions_of(std::span<const std::int64_t> sizes);
  // The relation without pairs, in the form that `simplify` gives it: the dimensions have empty
  // bounds, there are no ranges and runtimes, the results are 0; without dimensions the constraint
  // `0 in [0, -1]` says that there is nothing.
  static IndexMap empty(ExprContext& context, std::size_t dimensions, std::size_t results);

  [[nodiscard]] ExprContext& context() const { return *context_; }
  [[nodiscard]] const std::vector<Variable>& dimensions() const { return dimensions_; }
  [[nodiscard]] const std::vector<Variable>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<RuntimeVariable>& runtimes() const { return runtimes_; }
  [[nodiscard]] const std::vector<Expr>& results() const { return results_; }
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }
  // The results, then what is constrained.
  [[nodiscard]] std::vector<Expr> expressions() const;

  // Whether the domain is known to be empty: a variable has no values, or a constraint is a
  // constant out of its range. True for every map that `simplify` has found to be empty; a map that
  // is not simplified may be empty and say false.
  [[nodiscard]] bool is_known_empty() const;

  // The name that `id` prints as.
  [[nodiscard]] std::string name(VariableId id) const;

  // Structural equality, names aside. Equal structure implies equal meaning, not the other way
  // round. Maps of two contexts are equal only if they have no expressions.
  friend bool operator==(const IndexMap& a, const IndexMap& b);
  // A total order by structure, for sorting sets of maps deterministically: by results, then by
  // variables, then by constraints. Requires maps of one context.
  friend std::strong_ordering operator<=>(const IndexMap& a, const IndexMap& b);

 private:
  friend class MapSimplifier;
  void settle_names();
  // When names were settled before some variables were dropped.
  void settle_names_after_drop();

  ExprContext* context_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  std::vector<RuntimeVariable> runtimes_;
  std::vector<Expr> results_;
  std::vector<Constraint> constraints_;
};

// Whether a variable may be called `name`: a name in the sense of the text of expressions, and not
// a word with a meaning there (`mod`, `floordiv`, `ceildiv`, `min`, `max`, `in`, `domain`).
[[nodiscard]] bool is_variable_name(std::string_view name);

// `second` after `first`: (x, z) such that first relates x to some y, and second relates y to z.
// Requires that `first` has as many results as `second` has dimensions. The dimensions of the
// result are those of `first`; range and runtime variables are those of `first`, then those of
// `second`, renumbered. The bounds of the dimensions of `second` become constraints on the results
// of `first`, except where the result is a variable whose bounds, or a constant that, lies within
// them. Not simplified.
[[nodiscard]] IndexMap compose(const IndexMap& first, const IndexMap& second);

// The rules for bounds and constraints, about in the order in which they are tried. Their algebra
// lists statements `BEFORE -> AFTER`, separated by semicolons, about constraints: `E in [E, E]`, `E
// = E`, `E >= E` and `E <= E`, joined by `and`, or `nothing`. BEFORE holds if and only if AFTER
// does; with `for some t` at its end, if and only if AFTER does for some integer t. An end that is
// a letter of its own may be infinite. The guard lists one for each statement, separated by
// semicolons; besides what guards of other rules say, `C where C` in it means: the former holds
// where the latter does. i, j, p, q and r are integers as well, v is a variable that has the bounds
// [p, q], and s a range variable, the place of which t takes.
[[nodiscard]] std::span<const SimplifierRule> constraint_rules();

// One use of such a rule: within the bounds, where all of the other constraints hold, `before`
// holds if and only if all of `after` do. What is said of a single variable in `after` becomes its
// bounds. If the rule puts another variable in the place of a range variable, `after` says what it
// becomes and the bounds of the new one. What a step refers to is valid during the call only.
struct ConstraintStep {
  const SimplifierRule* rule;
  Constraint before;
  std::span<const Constraint> after;
  VariableBounds bounds;
  std::span<const Constraint> others;
};

// Told of each step while a map is simplified.
struct MapStepListener {
  StepListener on_expression;
  std::function<void(const ConstraintStep&)> on_constraint;
};

// Simplifies maps, of any contexts; one for many maps is faster than one for each.
class MapSimplifier {
 public:
  MapSimplifier();
  ~MapSimplifier();
  MapSimplifier(MapSimplifier&&) noexcept;
  MapSimplifier& operator=(MapSimplifier&&) noexcept;

  // A map with the same meaning: results and constraints simplified; constraints on a single
  // dimension or range variable moved into its bounds, those that always hold dropped, the rest in
  // a normal form (docs/map-format.md) and sorted; range and runtime variables that occur nowhere
  // dropped, except that an empty domain stays empty. A map whose domain is found empty becomes
  // `IndexMap::empty`, with the names of its dimensions. Dimension variables are never dropped:
  // they are the index that the map starts from. The bounds of runtime variables stay as they are:
  // a promise that holds whether or not the variable is used, while a constraint on it is a
  // condition that the program may fail to meet. Simplifying the result again gives the result.
  IndexMap operator()(const IndexMap& map);

  // Both functions of `listener` must be set; null: nobody listens any more. It must outlive its
  // use.
  void set_listener(const MapStepListener* listener);
  // How often each of simplifier_rules() and of constraint_rules() has been used.
  [[nodiscard]] std::span<const std::uint64_t> expression_rule_counts() const;
  [[nodiscard]] std::span<const std::uint64_t> constraint_rule_counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
[[nodiscard]] IndexMap simplify(const IndexMap& map);

// ---- text (design section 4; docs/map-format.md) ----

enum class MapStyle : std::uint8_t { kLines, kOneLine };

// Reads back to an equal map, but for what the text does not say: which tensors hold the runtime
// variables. `KNOWN EMPTY` for a map that is known empty.
[[nodiscard]] std::string to_string(const IndexMap& map, MapStyle style = MapStyle::kLines);

// Reads a map in either style; `[]`, `{}` and the domain may be missing (a variable without bounds
// is unbounded), the names are free but distinct. In the domain, `NAME in [lo, hi]` with the bare
// name of a variable gives its bounds, the first time; everything else is a constraint. A text with
// no `->` is a bare expression: its variables are those that the domain gives bounds, all
// dimensions, and it is the one result. `KNOWN EMPTY` reads as a map without dimensions or results
// whose domain is empty. Errors are of kind kInvalidInput and carry the span that they are about.
[[nodiscard]] Result<IndexMap> parse_index_map(std::string_view text, ExprContext& context);

// Whether `text` is a bare expression rather than a map, in the sense of `parse_index_map`.
[[nodiscard]] bool is_bare_expression(std::string_view text);

// ---- meaning ----
//
// Values that leave int64 on the way (see `evaluate` of expr.h) are beyond what can be computed: a
// single point where that happens counts as outside the domain, what enumerates the domain fails
// there with kUnsupported.

// Whether the point lies in the domain. Requires a value for each variable.
[[nodiscard]] bool contains(const IndexMap& map, const VariableValues& point);
// The results at a point of the domain; none outside it.
[[nodiscard]] std::optional<std::vector<std::int64_t>> evaluate(const IndexMap& map,
                                                                const VariableValues& point);

// Calls `visit(values, results)` for each point of the domain, in lexicographic order of (runtimes,
// dimensions, ranges). Fails with kUnsupported, having visited nothing, if the bounds allow more
// than `budget` points, or if a variable is unbounded.
[[nodiscard]] Result<void> enumerate(
    const IndexMap& map, std::int64_t budget,
    const std::function<void(const VariableValues&, std::span<const std::int64_t> results)>& visit);

// The distinct results over the whole domain, sorted; fails as `enumerate` does.
[[nodiscard]] Result<std::set<std::vector<std::int64_t>>> image(const IndexMap& map,
                                                                std::int64_t budget);
// The number of distinct results over the whole domain. What is independent is counted apart: in
// closed form where a result is a sum of distinct variables, quotients and remainders whose values
// are evenly spaced or never collide, otherwise by enumeration within `budget` for each independent
// part. Fails as `enumerate` does, or if the number leaves int64.
[[nodiscard]] Result<std::int64_t> count_image(const IndexMap& map, std::int64_t budget);

// One element of the relation that a map denotes.
struct RelatedPair {
  std::vector<std::int64_t> runtimes;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;

  friend auto operator<=>(const RelatedPair&, const RelatedPair&) = default;
};
// The relation itself, by enumeration.
[[nodiscard]] Result<std::set<RelatedPair>> relation(const IndexMap& map, std::int64_t budget);
// Whether two maps denote the same relation, by enumeration.
[[nodiscard]] Result<bool> same_relation(const IndexMap& a, const IndexMap& b, std::int64_t budget);

}  // namespace mercator
