#include "mercator/indexing/loop.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <tsl/robin_set.h>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/array_source.h"
#include "mercator/indexing/integer_value.h"
#include "mercator/indexing/runtime_value.h"
#include "mercator/support/arithmetic.h"

namespace mercator::indexing {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The most instructions that are looked at for one value.
constexpr int kMaxSteps = 64;
// The most instructions that are looked at to see whether one depends on another.
constexpr std::size_t kMaxInstructions = 1024;

}  // namespace

std::vector<ShapeIndex> loop_invariants(const Instruction& loop) {
  const Instruction* root = loop.computation(AttributeName::kBody)->root;
  std::vector<ShapeIndex> result;
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(loop.shape)) {
    if (!leaf.shape.is_array()) continue;
    const ArraySource source = source_of({.instruction = root, .path = leaf.index});
    const bool is_kept =
        source.instruction->opcode == Opcode::kParameter && source.path == leaf.index;
    if (is_kept) result.push_back(leaf.index);
  }
  return result;
}

bool stays_as_passed(Analysis& analysis, const CallSite& site, const ShapeIndex& path) {
  if (site.call->opcode != Opcode::kWhile) return true;
  return std::ranges::binary_search(analysis.invariants(*site.call), path);
}

namespace {

// Computes integer scalars of a loop's body or condition in terms of its counter.
class ScalarEvaluator {
 public:
  // `counter` is what leaf `leaf` of the state is. With `wraps` what leaves the range of a type is
  // not minded.
  ScalarEvaluator(Analysis& analysis, const Instruction& loop, const ShapeIndex& leaf, Expr counter,
                  bool wraps)
      : analysis_(analysis), loop_(loop), leaf_(leaf), counter_(counter), wraps_(wraps) {}

  // Null if it is not known. With `call` the source is within what that evaluates.
  Expr operator()(const ArraySource& source, const Instruction* call = nullptr) {
    const Frame frame{.call = call, .outer = nullptr};
    return evaluate(source, call == nullptr ? nullptr : &frame, 0);
  }

 private:
  // Calls that have been entered.
  struct Frame {
    const Instruction* call;
    const Frame* outer;
  };

  Expr evaluate(const ArraySource& from, const Frame* frame, int depth) {
    if (depth > kMaxDepth || --steps_left_ < 0) return {};
    const ArraySource source = source_of(from);
    const Instruction& x = *source.instruction;
    if (x.opcode == Opcode::kParameter) return parameter(source, frame, depth);
    if (x.opcode == Opcode::kFusion || x.opcode == Opcode::kCall) {
      const Frame inner{.call = &x, .outer = frame};
      const hlo::Computation& called = *call_sites(x)[0].computation;
      return evaluate({.instruction = called.root, .path = source.path}, &inner, depth + 1);
    }
    if (!source.path.empty() || !is_integer_scalar(x.shape)) return {};
    if (x.opcode == Opcode::kConstant) {
      if (x.literal == nullptr) return {};
      const std::optional<std::int64_t> value = x.literal->integer(0);
      return value.has_value() ? context().constant(*value) : Expr();
    }
    std::vector<Expr> operands;
    for (const Instruction* operand : x.operands) {
      if (!is_integer_scalar(operand->shape)) return {};
      const Expr value = evaluate({.instruction = operand, .path = {}}, frame, depth + 1);
      if (!value) return {};
      operands.push_back(value);
    }
    const Expr value = arithmetic(x, operands);
    return wraps_ || !value ? value : without_wrapping(analysis_, value, x.shape.element_type);
  }

  Expr parameter(const ArraySource& source, const Frame* frame, int depth) {
    if (frame != nullptr) {
      const auto number = static_cast<std::size_t>(source.instruction->parameter_number);
      return evaluate({.instruction = frame->call->operands[number], .path = source.path},
                      frame->outer, depth + 1);
    }
    // Within a call that was not entered here, a parameter is something else.
    const hlo::Computation* of = source.instruction->parent;
    if (of != loop_.computation(AttributeName::kBody) &&
        of != loop_.computation(AttributeName::kCondition)) {
      return {};
    }
    if (source.path == leaf_) return counter_;
    if (!std::ranges::binary_search(analysis_.invariants(loop_), source.path)) return {};
    const ArraySource passed = source_of({.instruction = loop_.operands[0], .path = source.path});
    if (!passed.path.empty() || !is_integer_scalar(passed.instruction->shape)) return {};
    return trace(analysis_, {.tensor = passed.instruction}).value;
  }

  Expr arithmetic(const Instruction& x, const std::vector<Expr>& operands) {
    // Of a scalar that moves it, too.
    const bool moves = (x.opcode == Opcode::kBitcast || x.opcode == Opcode::kReshape) &&
                       x.operand(0).shape.element_type == x.shape.element_type;
    return moves ? operands[0] : integer_value(analysis_, x, operands);
  }

  static bool is_integer_scalar(const hlo::Shape& shape) {
    return shape.is_array() && shape.rank() == 0 && values_of(shape.element_type).has_value();
  }
  [[nodiscard]] ExprContext& context() const { return analysis_.context(); }

  static constexpr int kMaxDepth = 16;
  Analysis& analysis_;
  const Instruction& loop_;
  const ShapeIndex& leaf_;
  Expr counter_;
  bool wraps_;
  int steps_left_ = kMaxSteps;
};

// A comparison of a counter with a number: `direction` holds for (leaf, bound).
struct Bound {
  ShapeIndex leaf;
  std::string_view direction;
  std::int64_t bound = 0;
};

std::string_view mirrored(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "LE") return "GE";
  if (direction == "GT") return "LT";
  if (direction == "GE") return "LE";
  return direction;
}

// Where an array comes from, looking into a fusion or call that yields it, and of what is within
// one at what the caller passes.
struct Origin {
  ArraySource source;
  const Instruction* call = nullptr;  // not null: `source` is within what that evaluates

  static Origin of(ArraySource source) {
    source = source_of(std::move(source));
    const Instruction& x = *source.instruction;
    if (x.opcode != Opcode::kFusion && x.opcode != Opcode::kCall) return {.source = source};
    const Instruction* root = call_sites(x)[0].computation->root;
    return {.source = source_of({.instruction = root, .path = source.path}), .call = &x};
  }
  [[nodiscard]] ArraySource operand(std::size_t k) const {
    ArraySource found = source_of({.instruction = source.instruction->operands[k]});
    if (call != nullptr && found.instruction->opcode == Opcode::kParameter) {
      const auto number = static_cast<std::size_t>(found.instruction->parameter_number);
      found = source_of({.instruction = call->operands[number], .path = found.path});
    }
    return found;
  }
};

// The comparison that the condition is, with the calls around it, so that its operands can be
// followed to the state.
std::optional<Bound> bound_of(Analysis& analysis, const Instruction& loop) {
  const Origin root =
      Origin::of({.instruction = loop.computation(AttributeName::kCondition)->root});
  const Instruction& compare = *root.source.instruction;
  if (compare.opcode != Opcode::kCompare || !root.source.path.empty()) return std::nullopt;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    const ArraySource counter = root.operand(k);
    const bool is_of_state =
        counter.instruction->opcode == Opcode::kParameter &&
        counter.instruction->parent == loop.computation(AttributeName::kCondition);
    if (!is_of_state) continue;
    // A leaf that no state has: the other side must not depend on the counter.
    const ShapeIndex none = {-1};
    ScalarEvaluator evaluate(analysis, loop, none, Expr(), /*wraps=*/false);
    const Expr bound = evaluate(root.operand(1 - k));
    if (!bound || !bound.is(ExprKind::kConstant)) continue;
    const std::string_view direction = compare.get<hlo::Word>(AttributeName::kDirection).text;
    return Bound{.leaf = counter.path,
                 .direction = k == 0 ? direction : mirrored(direction),
                 .bound = bound.value()};
  }
  return std::nullopt;
}

// How many of first, first + step, … hold before one does not; none if all do, or if one leaves
// `values` before.
std::optional<std::int64_t> rounds(const Bound& bound, std::int64_t first, std::int64_t step,
                                   Interval values) {
  std::int64_t distance = 0;  // from the first value to the last bound that holds
  const auto is_at_end = [](std::int64_t value) {
    return value == std::numeric_limits<std::int64_t>::min() ||
           value == std::numeric_limits<std::int64_t>::max();
  };
  if (step == 0 || !checked_sub(bound.bound, first, &distance) || is_at_end(distance) ||
      is_at_end(step)) {
    return std::nullopt;
  }
  std::int64_t count = 0;
  if (bound.direction == "NE") {
    if (distance % step != 0 || distance / step < 0) return std::nullopt;
    count = distance / step;
  } else {
    const bool up = bound.direction == "LT" || bound.direction == "LE";
    const bool down = bound.direction == "GT" || bound.direction == "GE";
    if (!up && !down) return std::nullopt;
    const bool with_bound = bound.direction == "LE" || bound.direction == "GE";
    const std::int64_t size = down ? -step : step;
    if (down) distance = -distance;
    if (distance < 0 || (distance == 0 && !with_bound)) return 0;
    if (size < 0) return std::nullopt;
    count = with_bound ? distance / size + 1 : (distance - 1) / size + 1;
  }
  std::int64_t last = 0;
  if (!checked_mul(step, count, &last) || !checked_add(first, last, &last)) return std::nullopt;
  if (!values.contains(last)) return std::nullopt;
  return count;
}

// Whether the body adds the step in every round, and nothing on the way leaves its type.
bool counts_without_wrapping(Analysis& analysis, const Instruction& loop,
                             const CountedLoop& counted) {
  if (counted.count == 0) return true;
  set_domain(analysis, {}, {{.bounds = Interval::indices(counted.count)}}, {});
  const Expr counter = analysis.context().range(0) * counted.step + counted.first;
  ScalarEvaluator evaluate(analysis, loop, counted.leaf, counter, /*wraps=*/false);
  const Expr next =
      evaluate({.instruction = loop.computation(AttributeName::kBody)->root, .path = counted.leaf});
  return next && analysis.simplifier().simplify(next - counter).is_constant(counted.step);
}

}  // namespace

std::optional<CountedLoop> counted_loop(Analysis& analysis, const Instruction& loop) {
  const std::optional<Bound> bound = bound_of(analysis, loop);
  if (!bound.has_value()) return std::nullopt;
  const ArraySource start = source_of({.instruction = loop.operands[0], .path = bound->leaf});
  if (!start.path.empty() || !start.instruction->shape.is_array() ||
      start.instruction->shape.rank() != 0) {
    return std::nullopt;
  }
  const std::optional<Interval> values = values_of(start.instruction->shape.element_type);
  if (!values.has_value()) return std::nullopt;
  set_domain(analysis, {}, {}, {});
  const Expr first = trace(analysis, {.tensor = start.instruction}).value;
  if (!first || !first.is(ExprKind::kConstant)) return std::nullopt;
  set_domain(analysis, {{.bounds = *values}}, {}, {});
  const Expr counter = analysis.context().dimension(0);
  ScalarEvaluator evaluate(analysis, loop, bound->leaf, counter, /*wraps=*/true);
  const Expr next =
      evaluate({.instruction = loop.computation(AttributeName::kBody)->root, .path = bound->leaf});
  if (!next) return std::nullopt;
  const Expr step = next - counter;
  if (!step.is(ExprKind::kConstant)) return std::nullopt;
  const std::optional<std::int64_t> count = rounds(*bound, first.value(), step.value(), *values);
  if (!count.has_value()) return std::nullopt;
  const CountedLoop counted{
      .leaf = bound->leaf, .first = first.value(), .step = step.value(), .count = *count};
  return counts_without_wrapping(analysis, loop, counted) ? std::optional(counted) : std::nullopt;
}

Expr value_in_round(Analysis& analysis, const Instruction& loop, const CountedLoop& counted,
                    const Instruction& scalar, Expr round) {
  if (scalar.parent != loop.computation(AttributeName::kBody)) return {};
  ScalarEvaluator evaluate(analysis, loop, counted.leaf, round * counted.step + counted.first,
                           /*wraps=*/false);
  return evaluate({.instruction = &scalar});
}

namespace {

// Whether the window of the update is the whole array, in all dimensions but this one.
bool covers_all_but(const Instruction& update, std::size_t dimension) {
  for (std::size_t i = 0; i < update.shape.dimensions.size(); ++i) {
    const bool is_whole = update.operand(1).shape.dimensions[i] == update.shape.dimensions[i];
    if (i != dimension && !is_whole) return false;
  }
  return true;
}

// Whether operand `k` of the origin may be made from the array at `leaf` of the body's parameter.
bool may_depend(const Origin& origin, std::size_t k, const hlo::Computation& body,
                const ShapeIndex& leaf) {
  std::vector<const Instruction*> found = {origin.source.instruction->operands[k]};
  tsl::robin_set<const Instruction*> seen = {found[0]};
  const auto visit = [&](const Instruction* next) {
    if (seen.insert(next).second) found.push_back(next);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Instruction& next = *found[i];
    if (found.size() > kMaxInstructions) return true;
    if (next.opcode == Opcode::kParameter) {
      if (next.parent == &body || origin.call == nullptr) return true;
      visit(origin.call->operands[static_cast<std::size_t>(next.parameter_number)]);
    }
    const bool is_part = next.opcode == Opcode::kGetTupleElement &&
                         next.operand(0).opcode == Opcode::kParameter && next.parent == &body;
    if (is_part) {
      if (next.integer(AttributeName::kIndex, 0) == leaf[0]) return true;
      continue;
    }
    for (const Instruction* operand : next.operands) visit(operand);
  }
  return false;
}

}  // namespace

Overwriting overwriting(Analysis& analysis, const Instruction& loop, const CountedLoop& counted,
                        const ShapeIndex& leaf) {
  const hlo::Computation* body = loop.computation(AttributeName::kBody);
  const Origin root = Origin::of({.instruction = body->root, .path = leaf});
  const Instruction& update = *root.source.instruction;
  if (update.opcode != Opcode::kDynamicUpdateSlice || !root.source.path.empty())
    return Overwriting::kUnknown;
  const ArraySource array = root.operand(0);
  if (array.instruction->opcode != Opcode::kParameter || array.instruction->parent != body ||
      array.path != leaf) {
    return Overwriting::kUnknown;
  }
  set_domain(analysis, {}, {{.bounds = Interval::indices(counted.count)}}, {});
  const auto start_in = [&](std::size_t dimension, Expr round) {
    ScalarEvaluator evaluate(analysis, loop, counted.leaf, round * counted.step + counted.first,
                             /*wraps=*/false);
    return evaluate({.instruction = update.operands[2 + dimension]}, root.call);
  };
  const Expr round = analysis.context().range(0);
  for (std::size_t i = 0; i < update.shape.dimensions.size(); ++i) {
    const std::int64_t window = update.operand(1).shape.dimensions[i];
    const std::int64_t places = update.shape.dimensions[i] - window + 1;
    const Expr start = start_in(i, round);
    if (!start || !Interval::indices(places).contains(analysis.simplifier().range(start))) continue;
    // Steps of a fixed size at least as large as the window.
    const Expr first = start_in(i, analysis.context().constant(0));
    const Expr second = start_in(i, analysis.context().constant(1));
    if (!first || !second) continue;
    const Expr step = second - first;
    const bool is_linear =
        step.is(ExprKind::kConstant) &&
        analysis.simplifier().simplify(start - first - round * step.value()).is_constant(0);
    if (!is_linear || (step.value() < window && -step.value() < window)) continue;
    const bool is_all = counted.count == update.shape.dimensions[i] / window &&
                        update.shape.dimensions[i] % window == 0 && covers_all_but(update, i) &&
                        !may_depend(root, 1, *body, leaf);
    return is_all ? Overwriting::kAll : Overwriting::kApart;
  }
  return Overwriting::kUnknown;
}

}  // namespace mercator::indexing
