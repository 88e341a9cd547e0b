// The rules that say which shape an instruction has. Internal to the verifier: each function below
// answers for a few opcodes, with the shape that follows, with nothing where the result does not
// follow from the operands (then it checks that what is declared is possible), or with an error.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"

namespace mercator::hlo {

using Inferred = Result<std::optional<Shape>>;
using Sizes = std::vector<std::int64_t>;

// What a rule works with: the instruction, and where results are made.
class Inference {
 public:
  // `declared` is the shape that the text gives the instruction; null if it gives none.
  Inference(const Instruction& instruction, const Shape* declared, Arena& arena)
      : instruction_(instruction), declared_(declared), arena_(arena) {}

  [[nodiscard]] const Instruction& instruction() const { return instruction_; }
  [[nodiscard]] const Shape* declared() const { return declared_; }
  [[nodiscard]] std::size_t operand_count() const { return instruction_.operands.size(); }
  [[nodiscard]] const Shape& operand(std::size_t i) const {
    return instruction_.operands[i]->shape;
  }

  // "'add' …": an error about this instruction.
  template <class... Args>
  [[nodiscard]] std::unexpected<Error> fail(fmt::format_string<Args...> format,
                                            Args&&... args) const {
    return failure(fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- making shapes ----
  [[nodiscard]] Shape array(ElementType type, std::span<const std::int64_t> sizes) const {
    return array_shape(type, sizes, arena_);
  }
  // Checks that the array is not too large.
  [[nodiscard]] Inferred checked_array(ElementType type, std::span<const std::int64_t> sizes) const;
  [[nodiscard]] Shape scalar(ElementType type) const { return Shape{.element_type = type}; }
  [[nodiscard]] Shape tuple(std::span<const Shape> elements) const;
  [[nodiscard]] Shape token() const { return Shape{.kind = ShapeKind::kToken}; }
  // One shape as it is, several as a tuple.
  [[nodiscard]] Shape one_or_tuple(std::span<const Shape> shapes) const;
  // The same without layouts.
  [[nodiscard]] Shape bare(const Shape& shape) const;

  // ---- checks ----
  [[nodiscard]] Result<void> expect_operands(std::size_t count) const;
  [[nodiscard]] Result<void> expect_at_least(std::size_t count) const;
  [[nodiscard]] Result<void> expect_array(std::size_t operand) const;
  [[nodiscard]] Result<void> expect_arrays() const;
  // An array without dimensions.
  [[nodiscard]] Result<void> expect_scalar(std::size_t operand) const;
  [[nodiscard]] Result<void> expect_tuple(std::size_t operand, std::size_t at_least) const;
  [[nodiscard]] Result<void> expect_attribute(AttributeName name) const;
  // Each in [0, rank) and none twice; `what` names the list.
  [[nodiscard]] Result<void> expect_dimensions(std::span<const std::int64_t> dimensions,
                                               std::int64_t rank, std::string_view what) const;
  [[nodiscard]] Result<void> expect_ascending(std::span<const std::int64_t> dimensions,
                                              std::string_view what) const;
  // The one number of dimensions={…}, within the rank.
  [[nodiscard]] Result<std::int64_t> one_dimension(std::int64_t rank) const;
  // A computation that an attribute must name.
  [[nodiscard]] Result<const Computation*> callee(AttributeName name) const;
  // That the computation takes parameters of these shapes.
  [[nodiscard]] Result<void> expect_parameters(const Computation& computation,
                                               std::span<const Shape> shapes) const;
  // A function from twice these scalars, the accumulators first, to the accumulators, as `reduce`
  // takes it. Precisions of floats may differ. Returns the accumulators' types.
  [[nodiscard]] Result<std::vector<ElementType>> expect_reducer(
      const Computation& computation, std::span<const ElementType> types) const;

 private:
  [[nodiscard]] std::unexpected<Error> failure(std::string message) const;
  [[nodiscard]] std::unexpected<Error> missing(AttributeName attribute) const;

  const Instruction& instruction_;
  const Shape* declared_;
  Arena& arena_;
};

// Equal, or both floating-point: where XLA lets precisions be mixed.
[[nodiscard]] bool same_but_for_precision(ElementType a, ElementType b);
[[nodiscard]] std::string text(std::span<const std::int64_t> numbers);
[[nodiscard]] std::string text(const Shape& shape);  // without layout

// The size of the result of sliding a window along a dimension: the number of places where it fits,
// after dilation and padding. None if it does not fit int64 or the window makes no sense.
[[nodiscard]] Result<std::int64_t> window_output_size(const Inference& inference, std::int64_t size,
                                                      const WindowDimension& window);

// ---- infer_elementwise.cc ----
Inferred infer_unary(const Inference& inference);
Inferred infer_binary(const Inference& inference);
Inferred infer_compare(const Inference& inference);
Inferred infer_complex(const Inference& inference);
Inferred infer_select(const Inference& inference);
Inferred infer_clamp(const Inference& inference);
Inferred infer_convert(const Inference& inference);
Inferred infer_bitcast_convert(const Inference& inference);
Inferred infer_reduce_precision(const Inference& inference);
Inferred infer_stochastic_convert(const Inference& inference);
Inferred infer_map(const Inference& inference);

// ---- infer_movement.cc ----
Inferred infer_broadcast(const Inference& inference);
Inferred infer_reshape(const Inference& inference);
Inferred infer_dynamic_reshape(const Inference& inference);
Inferred infer_bitcast(const Inference& inference);
Inferred infer_transpose(const Inference& inference);
Inferred infer_reverse(const Inference& inference);
Inferred infer_slice(const Inference& inference);
Inferred infer_concatenate(const Inference& inference);
Inferred infer_pad(const Inference& inference);
Inferred infer_dynamic_slice(const Inference& inference);
Inferred infer_dynamic_update_slice(const Inference& inference);
Inferred infer_get_dimension_size(const Inference& inference);
Inferred infer_set_dimension_size(const Inference& inference);
Inferred infer_iota(const Inference& inference);
Inferred infer_constant(const Inference& inference);

// ---- infer_gather_scatter.cc ----
Inferred infer_gather(const Inference& inference);
Inferred infer_scatter(const Inference& inference);

// ---- infer_contraction.cc ----
Inferred infer_dot(const Inference& inference);
Inferred infer_ragged_dot(const Inference& inference);
Inferred infer_convolution(const Inference& inference);

// ---- infer_reduction.cc ----
Inferred infer_reduce(const Inference& inference);
Inferred infer_reduce_window(const Inference& inference);
Inferred infer_select_and_scatter(const Inference& inference);
Inferred infer_scan(const Inference& inference);
Inferred infer_sort(const Inference& inference);
Inferred infer_topk(const Inference& inference);

// ---- infer_library.cc: what is a library call elsewhere ----
Inferred infer_fft(const Inference& inference);
Inferred infer_cholesky(const Inference& inference);
Inferred infer_triangular_solve(const Inference& inference);
Inferred infer_batch_norm_training(const Inference& inference);
Inferred infer_batch_norm_inference(const Inference& inference);
Inferred infer_batch_norm_grad(const Inference& inference);
Inferred infer_rng(const Inference& inference);
Inferred infer_rng_bit_generator(const Inference& inference);
Inferred infer_rng_state(const Inference& inference);

// ---- infer_control.cc ----
Inferred infer_tuple(const Inference& inference);
Inferred infer_get_tuple_element(const Inference& inference);
Inferred infer_call(const Inference& inference);
Inferred infer_fusion(const Inference& inference);
Inferred infer_while(const Inference& inference);
Inferred infer_conditional(const Inference& inference);
Inferred infer_custom_call(const Inference& inference);
Inferred infer_same_as_operand(const Inference& inference);
Inferred infer_add_dependency(const Inference& inference);
Inferred infer_after_all(const Inference& inference);

// ---- infer_async.cc ----
Inferred infer_async_start(const Inference& inference);
Inferred infer_async_update(const Inference& inference);
Inferred infer_async_done(const Inference& inference);
Inferred infer_copy_start(const Inference& inference);
Inferred infer_copy_done(const Inference& inference);
Inferred infer_send(const Inference& inference);
Inferred infer_send_done(const Inference& inference);
Inferred infer_recv(const Inference& inference);
Inferred infer_recv_done(const Inference& inference);
Inferred infer_infeed(const Inference& inference);
Inferred infer_outfeed(const Inference& inference);

// ---- infer_collective.cc ----
Inferred infer_all_gather(const Inference& inference);
Inferred infer_all_gather_start(const Inference& inference);
Inferred infer_all_reduce(const Inference& inference);
Inferred infer_reduce_scatter(const Inference& inference);
Inferred infer_all_to_all(const Inference& inference);
Inferred infer_ragged_all_to_all(const Inference& inference);
Inferred infer_collective_permute(const Inference& inference);
Inferred infer_collective_permute_start(const Inference& inference);
Inferred infer_collective_broadcast(const Inference& inference);
// The result of a pair of start and done: the second part of what the start gives.
Inferred infer_second_of_operand(const Inference& inference);
Inferred infer_device_number(const Inference& inference);

// By opcode, for an instruction whose declared shape may be missing.
Inferred infer(const Inference& inference);

}  // namespace mercator::hlo
