// What the functions of the instructions see, and how they say the maps.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/analysis.h"
#include "mercator/indexing/pairs.h"

namespace mercator::indexing {

// A map in the making: from the index of an array, to which ranges, runtime variables and
// constraints are added as they are needed.
class MapBuilder {
 public:
  MapBuilder(Analysis& analysis, std::span<const std::int64_t> sizes);

  [[nodiscard]] ExprContext& context() const { return analysis_->context(); }
  [[nodiscard]] Expr constant(std::int64_t value) const { return context().constant(value); }

  // Component `i` of the index that we map from.
  [[nodiscard]] Expr dim(std::size_t i) const;
  [[nodiscard]] std::vector<Expr> dims() const;

  // A new range variable with values 0 … size-1.
  Expr range(std::int64_t size);
  // The element at `index` of an integer array, clamped: a new runtime variable, or its value where
  // that is known.
  Expr runtime(const hlo::Instruction& holder, std::vector<Expr> index, Interval clamp);
  // The same, not clamped: the bounds of the variable are those of the type of the array.
  Expr runtime(const hlo::Instruction& holder, std::vector<Expr> index);

  // Restricts the domain.
  void require(Expr expr, Interval range) { constraints_.push_back({expr, range}); }
  // `expr`, required to be an index of a dimension of this size; for size 1 simply 0.
  Expr index_in(Expr expr, std::int64_t size);
  // The q with q * divisor = expr, required to exist and to be an index of a dimension of this
  // size. Requires that the divisor is positive.
  Expr exact_quotient(Expr expr, std::int64_t divisor, std::int64_t size);

  [[nodiscard]] IndexMap to(std::vector<Expr> results) const;

 private:
  Analysis* analysis_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  std::vector<RuntimeVariable> runtimes_;
  std::vector<Constraint> constraints_;
};

// The maps of one instruction in one direction.
class InstructionMaps {
 public:
  InstructionMaps(Analysis& analysis, const hlo::Instruction& instruction, Direction direction)
      : analysis_(analysis), instruction_(instruction), direction_(direction) {}

  [[nodiscard]] Analysis& analysis() { return analysis_; }
  [[nodiscard]] const hlo::Instruction& instruction() const { return instruction_; }
  [[nodiscard]] Direction direction() const { return direction_; }
  [[nodiscard]] const hlo::Shape& output() const { return instruction_.shape; }
  [[nodiscard]] const hlo::Shape& operand(std::size_t i) const {
    return instruction_.operand(i).shape;
  }

  // A map from an index of this array.
  [[nodiscard]] MapBuilder from(const hlo::Shape& array) {
    return MapBuilder(analysis_, array.dimensions);
  }
  // From an index of the operand where the direction is from operands to the result, else from an
  // index of the result; and the array at the other end.
  [[nodiscard]] MapBuilder from_here(std::size_t operand) {
    return from(is_output_to_input() ? output() : this->operand(operand));
  }
  [[nodiscard]] bool is_output_to_input() const { return direction_ == Direction::kOutputToInput; }
  // A map across devices from an index of this array, which follows the device.
  [[nodiscard]] MapBuilder from_device(const hlo::Shape& array);

  // A map between the result and operand `operand`, both arrays.
  void add(std::int64_t operand, const IndexMap& map, bool exact = true);
  // A map between these leaves.
  void add(const ShapeIndex& output, std::int64_t operand, const ShapeIndex& operand_leaf,
           const IndexMap& map, bool exact = true);
  void add(LeafPair pair) { pairs_.push_back(std::move(pair)); }
  // A map across devices between these leaves.
  void add_across_devices(const ShapeIndex& output, std::int64_t operand,
                          const ShapeIndex& operand_leaf, const IndexMap& map, bool exact = true);
  // Every element of the array at one leaf belongs to the element at the same index at the other.
  void add_identity(const ShapeIndex& output, std::int64_t operand, const ShapeIndex& operand_leaf,
                    const hlo::Shape& array);

  // The maps between the result and this operand, both arrays, are not known.
  void unknown(std::int64_t operand, std::string reason);
  // Nothing is known.
  void unknown(std::string reason);

  // What was added.
  [[nodiscard]] PairList take();

 private:
  Analysis& analysis_;
  const hlo::Instruction& instruction_;
  Direction direction_;
  std::vector<LeafPair> pairs_;
  const std::string* unknown_ = nullptr;
};

// Where what is read is the outside of a box, it is split along each dimension of the box in turn,
// up to this many; beyond that the answer is the whole, as an over-approximation.
inline constexpr std::int64_t kMaxSplitDimensions = 32;

// Whether the array has an element.
[[nodiscard]] bool has_elements(const hlo::Shape& array);
// Whether the size of the dimension is known only when the program runs.
[[nodiscard]] bool is_dynamic(const hlo::Shape& array, std::size_t dimension);
// The dimensions 0 … rank-1 that are in neither list, ascending.
[[nodiscard]] std::vector<std::int64_t> other_dimensions(std::size_t rank,
                                                         std::span<const std::int64_t> a,
                                                         std::span<const std::int64_t> b = {});

}  // namespace mercator::indexing
