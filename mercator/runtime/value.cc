#include "mercator/runtime/value.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace mercator::runtime {
namespace {

void append_leaves(const Value& value, std::vector<Tensor>& out) {
  if (value.is_tensor()) out.push_back(value.tensor());
  if (!value.is_tuple()) return;
  for (const Value& element : value.elements()) append_leaves(element, out);
}

bool has_type_and_rank(const Tensor& tensor, const hlo::Shape& array) {
  return tensor.element_type() == array.element_type && tensor.rank() == array.rank();
}

bool fits(const Tensor& tensor, const hlo::Shape& array) {
  return has_type_and_rank(tensor, array) && sizes_fit(tensor.dimensions(), array);
}

// What does not fit, where `array_fits` says whether an array does.
template <class ArrayFits>
std::string mismatch_by(const Value& value, const hlo::Shape& shape, ArrayFits array_fits) {
  switch (shape.kind) {
    case hlo::ShapeKind::kArray:
      if (value.is_tensor() && array_fits(value.tensor(), shape)) return "";
      break;
    case hlo::ShapeKind::kBuffer:
      return mismatch_by(value, shape.elements[0], array_fits);
    case hlo::ShapeKind::kTuple:
      if (value.is_tuple() && value.elements().size() == shape.elements.size()) {
        for (std::size_t i = 0; i < shape.elements.size(); ++i) {
          const std::string wrong = mismatch_by(value.elements()[i], shape.elements[i], array_fits);
          if (!wrong.empty()) return fmt::format("element {} {}", i, wrong);
        }
        return "";
      }
      break;
    case hlo::ShapeKind::kToken:
    case hlo::ShapeKind::kOpaque:
      if (value.is_token()) return "";
      break;
  }
  return fmt::format("is {}, where {} is wanted", type_text(value), to_string(shape, false));
}

}  // namespace

Value Value::tuple(std::vector<Value> elements) {
  Value value;
  value.kind_ = Kind::kTuple;
  value.elements_ = std::make_shared<std::vector<Value>>(std::move(elements));
  return value;
}

Value Value::take_element(std::size_t index) {
  Value& element = (*elements_)[index];
  return elements_.use_count() == 1 ? std::exchange(element, Value()) : element;
}

std::vector<Tensor> leaves(const Value& value) {
  std::vector<Tensor> result;
  append_leaves(value, result);
  return result;
}

Value one_or_tuple(std::vector<Value> values) {
  return values.size() == 1 ? std::move(values[0]) : Value::tuple(std::move(values));
}

Value one_or_tuple(std::vector<Tensor> tensors) {
  if (tensors.size() == 1) return std::move(tensors[0]);
  return Value::tuple(
      {std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())});
}

Result<Value> dense(const Value& value, const RunContext& context) {
  if (value.is_tensor()) {
    return Value(MERCATOR_TRY(with_storage(value.tensor(), {}, context.pool, context.stop)));
  }
  if (value.is_token()) return value;
  std::vector<Value> elements;
  elements.reserve(value.elements().size());
  for (const Value& element : value.elements()) {
    elements.push_back(MERCATOR_TRY(dense(element, context)));
  }
  return Value::tuple(std::move(elements));
}

std::string type_text(const Value& value) {
  if (value.is_token()) return "token[]";
  if (value.is_tensor()) return type_text(value.tensor());
  std::string text = "(";
  for (const Value& element : value.elements()) {
    if (text.size() > 1) text += ", ";
    text += type_text(element);
  }
  return text + ')';
}

std::string mismatch(const Value& value, const hlo::Shape& shape) {
  return mismatch_by(value, shape, fits);
}

bool differs_in_sizes_only(const Value& value, const hlo::Shape& shape) {
  return mismatch_by(value, shape, has_type_and_rank).empty() && !mismatch(value, shape).empty();
}

bool sizes_fit(std::span<const std::int64_t> sizes, const hlo::Shape& array) {
  if (sizes.size() != array.dimensions.size()) return false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t bound = array.dimensions[d];
    if (is_dynamic(array, d) ? sizes[d] > bound : sizes[d] != bound) return false;
  }
  return true;
}

bool is_dynamic(const hlo::Shape& array, std::size_t d) {
  return !array.dynamic.empty() && array.dynamic[d];
}

}  // namespace mercator::runtime
