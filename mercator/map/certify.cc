#include "mercator/map/certify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/text.h"
#include "mercator/expr/traversal.h"
#include "mercator/map/certify_isl.h"
#include "mercator/map/certify_relation.h"

namespace mercator {

namespace {

using internal::Parameters;
using internal::RelationSource;

// isl works on matrices with a column for each variable and each quotient. Building them takes
// memory that the number of steps does not limit, and the time for a step grows with their size.
constexpr std::ptrdiff_t kMaxColumns = 400;
constexpr std::ptrdiff_t kMaxNodes = 10'000;
// With that many columns or fewer a step counts as one, above as the cube of how many times more
// there are.
constexpr double kColumnsOfOneStep = 15;

// Two maps and which runtime variables they share.
struct Question {
  RelationSource before;
  RelationSource after;
  Parameters parameters;
  std::vector<std::string> parameter_names;
  bool ranges_count;  // whether the values of ranges belong to a pair
};

// Joins the runtime variables; `kept[i]` is the one of `before` that the i-th of `after` is, if it
// is one.
Question make_question(const IndexMap& before, const IndexMap& after,
                       std::span<const std::optional<std::uint32_t>> kept) {
  Question question = {
      .before = {.map = before, .parameter_of_runtime = {}, .indexed_runtimes = {}},
      .after = {.map = after, .parameter_of_runtime = {}, .indexed_runtimes = {}},
      .parameters = {},
      .parameter_names = {},
      .ranges_count = false};
  const auto add_parameter = [&](RelationSource& source, std::uint32_t runtime) {
    const auto number = static_cast<std::uint32_t>(question.parameter_names.size());
    source.parameter_of_runtime.push_back(number);
    question.parameter_names.push_back(source.map.name({VariableKind::kRuntime, runtime}));
    question.parameters.bounds.push_back(source.map.runtimes()[runtime].bounds);
  };
  for (std::uint32_t i = 0; i < before.runtimes().size(); ++i) add_parameter(question.before, i);
  for (std::uint32_t i = 0; i < after.runtimes().size(); ++i) {
    if (!kept[i]) {
      add_parameter(question.after, i);
      continue;
    }
    question.before.indexed_runtimes.push_back(*kept[i]);
    question.after.indexed_runtimes.push_back(i);
    question.after.parameter_of_runtime.push_back(*kept[i]);
  }
  return question;
}

// A runtime variable that both maps have but that is not the same, for other reasons than its
// index.
std::optional<std::string> find_changed_runtime(const Question& question) {
  for (std::size_t i = 0; i < question.after.indexed_runtimes.size(); ++i) {
    const std::uint32_t number = question.before.indexed_runtimes[i];
    const RuntimeVariable& before = question.before.map.runtimes()[number];
    const RuntimeVariable& after =
        question.after.map.runtimes()[question.after.indexed_runtimes[i]];
    const std::string& name = question.parameter_names[number];
    if (before.bounds != after.bounds) return fmt::format("the bounds of {} differ", name);
    if (before.tensor != after.tensor || before.index.size() != after.index.size()) {
      return fmt::format("{} is an element of different tensors", name);
    }
  }
  return std::nullopt;
}

// How large one of the relations is.
struct Size {
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t nodes = 0;
};
Size size_of(const RelationSource& source, const Parameters& parameters) {
  const std::vector<Expr> exprs = source.exprs();
  const Traversal traversal(exprs);
  const std::ptrdiff_t quotients = std::ranges::count_if(traversal.nodes(), [](Expr node) {
    return node.is(ExprKind::kFloorDiv) || node.is(ExprKind::kMod);
  });
  return {.columns = quotients + std::ssize(parameters.bounds) +
                     std::ssize(source.map.dimensions()) + std::ssize(source.map.ranges()),
          .nodes = std::ssize(traversal.nodes()) + std::ssize(exprs)};
}

// Asks isl one question.
class Decision {
 public:
  // Each of the stages may take `max_steps`.
  Decision(const Question& question, std::uint64_t max_steps)
      : question_(question), context_(isl_ctx_alloc()) {
    isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(context_.get(), max_steps);
  }

  Certification decide() {
    before_ = make_relation(context_.get(), question_.before, question_.parameters);
    after_ = make_relation(context_.get(), question_.after, question_.parameters);
    if (!before_ || !after_) return undecided();
    if (!question_.ranges_count && has_ranges()) {
      // Ranges that stay what they are need not be projected out, which is what takes long.
      if (may_have_the_same_ranges() && is_subset(before_, after_) == isl_bool_true &&
          is_subset(after_, before_) == isl_bool_true) {
        return {.certificate = Certificate::kEqual};
      }
      isl_ctx_reset_error(context_.get());
      isl_ctx_reset_operations(context_.get());
      project_ranges(before_, question_.before);
      project_ranges(after_, question_.after);
    }
    if (!has_the_same_form()) return decide_emptiness();

    const isl_bool is_in_after = is_subset(before_, after_);
    if (is_in_after == isl_bool_false) return difference(before_, after_, true);
    if (is_in_after == isl_bool_error) return undecided();
    const isl_bool is_in_before = is_subset(after_, before_);
    if (is_in_before == isl_bool_false) return difference(after_, before_, false);
    if (is_in_before == isl_bool_error) return undecided();
    return {.certificate = Certificate::kEqual};
  }

 private:
  static isl_bool is_subset(const isl::Map& a, const isl::Map& b) {
    return isl_map_is_subset(a.get(), b.get());
  }

  [[nodiscard]] bool has_ranges() const {
    return !question_.before.map.ranges().empty() || !question_.after.map.ranges().empty();
  }

  [[nodiscard]] bool may_have_the_same_ranges() const {
    return question_.before.map.ranges().size() == question_.after.map.ranges().size() &&
           has_the_same_form();
  }

  // Whether pairs of the two maps can be compared.
  [[nodiscard]] bool has_the_same_form() const {
    return question_.before.map.dimensions().size() == question_.after.map.dimensions().size() &&
           question_.before.map.results().size() == question_.after.map.results().size();
  }

  static void project_ranges(isl::Map& relation, const RelationSource& source) {
    relation.reset(isl_map_project_out(relation.release(), isl_dim_in,
                                       static_cast<unsigned>(source.map.dimensions().size()),
                                       static_cast<unsigned>(source.map.ranges().size())));
  }

  Certification decide_emptiness() {
    for (const isl::Map* relation : {&before_, &after_}) {
      const isl_bool is_empty = isl_map_is_empty(relation->get());
      if (is_empty == isl_bool_error) return undecided();
      if (is_empty == isl_bool_false) {
        return {.certificate = Certificate::kDifferent,
                .reason = "the numbers of dimensions or results differ"};
      }
    }
    return {.certificate = Certificate::kEqual};
  }

  [[nodiscard]] Certification undecided() const {
    const bool is_limit = isl_ctx_last_error(context_.get()) == isl_error_quota;
    return {.certificate = Certificate::kUndecided,
            .reason = is_limit ? "it takes too many steps" : "isl cannot represent it"};
  }

  // `has` is known not to be a subset of `lacks`.
  Certification difference(const isl::Map& has, const isl::Map& lacks, bool is_in_before) {
    // The answer is known; an example may take as many steps again.
    isl_ctx_reset_operations(context_.get());
    const isl::Map rest(isl_map_subtract(isl::copy(has), isl::copy(lacks)));
    const isl::Point point(isl_set_sample_point(isl_map_wrap(isl::copy(rest))));
    Certification answer = {.certificate = Certificate::kDifferent,
                            .reason = fmt::format("only {} has a pair that the other lacks",
                                                  is_in_before ? "the first" : "the second")};
    if (point && isl_point_is_void(point.get()) == isl_bool_false) {
      describe(point, is_in_before, answer);
    }
    return answer;
  }

  // Coordinates of a point: values of one kind, in their order.
  class Coordinates {
   public:
    Coordinates(const isl::Point& point, isl_dim_type type) : point_(point), type_(type) {}

    // The next one, as text. `out` loses its value if it does not fit.
    std::string next(std::optional<std::vector<std::int64_t>>& out) {
      const isl::Value value(isl_point_get_coordinate_val(point_.get(), type_, next_++));
      char* text = isl_val_to_str(value.get());
      std::string result = text != nullptr ? text : "?";
      std::free(text);
      const isl::Value fitting(
          isl_val_int_from_si(isl_val_get_ctx(value.get()), isl_val_get_num_si(value.get())));
      if (isl_val_eq(value.get(), fitting.get()) != isl_bool_true) out.reset();
      if (out) out->push_back(isl_val_get_num_si(value.get()));
      return result;
    }

   private:
    const isl::Point& point_;
    isl_dim_type type_;
    int next_ = 0;
  };

  void describe(const isl::Point& point, bool is_in_before, Certification& answer) const {
    const IndexMap& map = question_.before.map;
    std::optional<std::vector<std::int64_t>> runtimes(std::in_place), from(std::in_place),
        to(std::in_place);
    std::vector<std::string> variables;
    Coordinates parameters(point, isl_dim_param);
    for (const std::string& name : question_.parameter_names) {
      variables.push_back(fmt::format("{} = {}", name, parameters.next(runtimes)));
    }
    Coordinates coordinates(point, isl_dim_set);
    const auto add_variables = [&](VariableKind kind, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) {
        variables.push_back(fmt::format("{} = {}", map.name({kind, i}), coordinates.next(from)));
      }
    };
    add_variables(VariableKind::kDimension, map.dimensions().size());
    if (question_.ranges_count) add_variables(VariableKind::kRange, map.ranges().size());

    std::vector<std::string> results;
    for (std::size_t i = 0; i < map.results().size(); ++i) {
      results.push_back(coordinates.next(to));
    }
    answer.reason =
        fmt::format("only the {} relates {} to ({})", is_in_before ? "first" : "second",
                    variables.empty() ? "nothing" : fmt::format("{}", fmt::join(variables, ", ")),
                    fmt::join(results, ", "));
    for (const std::uint32_t runtime : question_.before.indexed_runtimes) {
      std::vector<std::string> index;
      std::optional<std::vector<std::int64_t>> values(std::in_place);
      for (std::size_t i = 0; i < map.runtimes()[runtime].index.size(); ++i) {
        index.push_back(coordinates.next(values));
      }
      if (index.empty()) continue;
      answer.reason += fmt::format(", with {} at [{}]", question_.parameter_names[runtime],
                                   fmt::join(index, ", "));
    }
    if (runtimes && from && to) {
      answer.difference = Difference{.pair = {.runtimes = *std::move(runtimes),
                                              .from = *std::move(from),
                                              .to = *std::move(to)},
                                     .is_in_before = is_in_before};
    }
  }

  const Question& question_;
  isl::Context context_;  // outlives what it made
  isl::Map before_;
  isl::Map after_;
};

Certification answer(const Question& question, const CertifyLimits& limits) {
  for (const RelationSource* source : {&question.before, &question.after}) {
    if (const auto expr = internal::find_not_quasi_affine(source->exprs())) {
      const auto names = [&](VariableId id) { return source->map.name(id); };
      return {.certificate = Certificate::kNotQuasiAffine, .reason = to_string(*expr, names)};
    }
  }
  if (auto change = find_changed_runtime(question)) {
    return {.certificate = Certificate::kDifferent, .reason = *std::move(change)};
  }
  std::ptrdiff_t columns = 0;
  for (const RelationSource* source : {&question.before, &question.after}) {
    const Size size = size_of(*source, question.parameters);
    if (size.columns > kMaxColumns || size.nodes > kMaxNodes) {
      return {.certificate = Certificate::kUndecided, .reason = "it is too large"};
    }
    columns = std::max(columns, size.columns);
  }
  const double excess = std::max(1.0, static_cast<double>(columns) / kColumnsOfOneStep);
  const auto steps = static_cast<std::uint64_t>(static_cast<double>(limits.max_steps) /
                                                (excess * excess * excess));
  // isl takes 0 for no limit.
  return Decision(question, std::max<std::uint64_t>(steps, 1)).decide();
}

// A map of one result with these bounds, which the variables that lack them get as well.
IndexMap map_of(Expr expr, const VariableBounds& bounds, const UsedVariables& used) {
  const auto variables = [](std::span<const Interval> given, std::size_t least) {
    std::vector<Variable> variables(std::max(given.size(), least),
                                    Variable{.bounds = Interval::all()});
    for (std::size_t i = 0; i < given.size(); ++i) variables[i].bounds = given[i];
    return variables;
  };
  std::vector<RuntimeVariable> runtimes;
  for (const Variable& variable : variables(bounds.runtimes, used.runtimes.size())) {
    runtimes.push_back({.bounds = variable.bounds});
  }
  return IndexMap(expr.context(), variables(bounds.dimensions, used.dimensions.size()),
                  variables(bounds.ranges, used.ranges.size()), std::move(runtimes), {expr});
}

}  // namespace

Certification certify(const IndexMap& before, const IndexMap& after, const CertifyLimits& limits) {
  std::vector<std::optional<std::uint32_t>> kept(after.runtimes().size());
  for (std::uint32_t i = 0; i < after.runtimes().size(); ++i) {
    for (std::uint32_t j = 0; j < before.runtimes().size(); ++j) {
      if (before.name({VariableKind::kRuntime, j}) == after.name({VariableKind::kRuntime, i})) {
        kept[i] = j;
      }
    }
  }
  return answer(make_question(before, after, kept), limits);
}

Certification certify(const IndexMap& before, const IndexMap& after,
                      std::span<const std::uint32_t> kept_runtimes, const CertifyLimits& limits) {
  assert(kept_runtimes.size() == after.runtimes().size());
  const std::vector<std::optional<std::uint32_t>> kept(kept_runtimes.begin(), kept_runtimes.end());
  return answer(make_question(before, after, kept), limits);
}

Certification certify(Expr before, Expr after, const VariableBounds& bounds,
                      const CertifyLimits& limits) {
  UsedVariables used = used_variables(std::span(&before, 1));
  const UsedVariables used_after = used_variables(std::span(&after, 1));
  used.dimensions.resize(std::max(used.dimensions.size(), used_after.dimensions.size()));
  used.ranges.resize(std::max(used.ranges.size(), used_after.ranges.size()));
  used.runtimes.resize(std::max(used.runtimes.size(), used_after.runtimes.size()));
  const IndexMap map_before = map_of(before, bounds, used);
  const IndexMap map_after = map_of(after, bounds, used);
  std::vector<std::optional<std::uint32_t>> kept(map_before.runtimes().size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) kept[i] = i;
  Question question = make_question(map_before, map_after, kept);
  question.ranges_count = true;
  return answer(question, limits);
}

}  // namespace mercator
