// Values: what an instruction of HLO computes, with nested tuples and tokens.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/hlo/shape.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/tensor.h"

namespace mercator::runtime {

// A tensor, a tuple of values, or a token. Cheap to copy: parts are shared.
class Value {
 public:
  // A token.
  Value() = default;
  Value(Tensor tensor)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kTensor), tensor_(std::move(tensor)) {}
  [[nodiscard]] static Value tuple(std::vector<Value> elements);

  [[nodiscard]] bool is_token() const { return kind_ == Kind::kToken; }
  [[nodiscard]] bool is_tensor() const { return kind_ == Kind::kTensor; }
  [[nodiscard]] bool is_tuple() const { return kind_ == Kind::kTuple; }

  // Requires is_tensor().
  [[nodiscard]] const Tensor& tensor() const { return tensor_; }
  [[nodiscard]] Tensor& tensor() { return tensor_; }
  // Requires is_tuple().
  [[nodiscard]] std::span<const Value> elements() const { return *elements_; }
  // Element `index` of a tuple, for its last reader: taken out, if nobody else holds the tuple.
  [[nodiscard]] Value take_element(std::size_t index);

 private:
  // Not a variant, since GCC 12 warns of one wrongly.
  enum class Kind : std::uint8_t { kToken, kTensor, kTuple };
  Kind kind_ = Kind::kToken;
  Tensor tensor_;
  std::shared_ptr<std::vector<Value>> elements_;
};

// The tensors in a value, from left to right; tokens are left out.
[[nodiscard]] std::vector<Tensor> leaves(const Value& value);

// One value as it is, several as a tuple: the value of an instruction with so many results.
[[nodiscard]] Value one_or_tuple(std::vector<Value> values);
[[nodiscard]] Value one_or_tuple(std::vector<Tensor> tensors);

// The same value with every tensor stored densely. Errors are those of with_storage.
[[nodiscard]] Result<Value> dense(const Value& value, const RunContext& context);

// f32[2,3], (s32[], token[])
[[nodiscard]] std::string type_text(const Value& value);

// What is wrong with a value for a shape, in words; "" if it has the kinds, the element types and
// the dimensions (up to the bounds where they are dynamic).
[[nodiscard]] std::string mismatch(const Value& value, const hlo::Shape& shape);
// Whether a value that does not fit a shape would, had it other sizes: it has the kinds, the
// element types and the ranks.
[[nodiscard]] bool differs_in_sizes_only(const Value& value, const hlo::Shape& shape);

// Whether an array of these sizes has a shape's, or smaller ones where they are dynamic.
[[nodiscard]] bool sizes_fit(std::span<const std::int64_t> sizes, const hlo::Shape& array);
// Whether dimension `d` of an array is dynamic.
[[nodiscard]] bool is_dynamic(const hlo::Shape& array, std::size_t d);

}  // namespace mercator::runtime
