// Runs small HLO programs on integers: what the values of runtime variables are taken from, and
// what says where an element of a result came from.
//
// It knows nothing of maps, nor of the model (model.h): it computes numbers, element by element, as
// HLO defines them. Layouts do not matter to it.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"

namespace mercator::testing {

// The elements of an array in row-major order, or the parts of a tuple. An element is extended to
// int64 with or without sign, as its type has one; one of u64 is held as its bits.
struct Value {
  std::vector<std::int64_t> elements = {};
  std::vector<Value> parts = {};

  friend bool operator==(const Value&, const Value&) = default;
};

// The number that an element of a type stands for; the largest int64 for what is beyond that.
[[nodiscard]] std::int64_t number_of(std::int64_t element, hlo::ElementType type);

// `number` as the type holds it: wrapped around.
[[nodiscard]] std::int64_t wrapped(std::int64_t number, hlo::ElementType type);

// One evaluation of a computation: what each of its instructions gave.
struct Frame {
  const hlo::Computation* computation = nullptr;
  std::map<const hlo::Instruction*, Value> values = {};
};

// Something that evaluates programs, and tells what it evaluated.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  // kUnsupported for an instruction that it does not know, for a loop of too many rounds, and where
  // a promise of the program (`unique_indices`) is broken, so that the result is not defined.
  [[nodiscard]] virtual Result<Value> evaluate(const hlo::Computation& computation,
                                               std::span<const Value* const> arguments) = 0;
  [[nodiscard]] virtual Result<Value> evaluate(const hlo::Instruction& instruction,
                                               std::span<const Value* const> operands) = 0;
  // The evaluations of computations since this was made, those that a call or fusion made among
  // them; those of combiners are left out.
  [[nodiscard]] const std::deque<Frame>& frames() const { return frames_; }
  // Whether elements of the type may be any numbers, beyond those of the type too, as long as they
  // are just moved.
  [[nodiscard]] virtual bool holds_any_number(hlo::ElementType /*type*/) const { return true; }

 protected:
  std::deque<Frame> frames_;
};

class ValueEvaluator final : public Evaluation {
 public:
  // `order` chooses the order in which the updates of a scatter land, which HLO leaves open; 0:
  // that of the array of updates.
  explicit ValueEvaluator(std::uint64_t order = 0) : order_(order) {}

  [[nodiscard]] Result<Value> evaluate(const hlo::Computation& computation,
                                       std::span<const Value* const> arguments) override;
  [[nodiscard]] Result<Value> evaluate(const hlo::Instruction& instruction,
                                       std::span<const Value* const> operands) override;

 private:
  using Operands = std::span<const Value* const>;

  [[nodiscard]] Result<Value> evaluate_loop(const hlo::Instruction& loop, Operands operands);
  [[nodiscard]] Result<Value> evaluate_conditional(const hlo::Instruction& conditional,
                                                   Operands operands);
  [[nodiscard]] Result<Value> evaluate_scatter(const hlo::Instruction& scatter, Operands operands);
  [[nodiscard]] Result<Value> run(const hlo::Computation& computation, Operands arguments,
                                  Frame& frame);

  std::uint64_t order_;
};

}  // namespace mercator::testing
