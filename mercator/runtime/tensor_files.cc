#include "mercator/runtime/tensor_files.h"

#include <charconv>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/npz.h"
#include "mercator/support/suggestion.h"

namespace mercator::runtime {
namespace {

std::string leaf_name(std::string_view parameter, std::span<const std::int64_t> index) {
  std::string name(parameter);
  for (const std::int64_t place : index) name += fmt::format(".{}", place);
  return name;
}

// The value of a shape, whose arrays are the next tensors.
Value assemble(const hlo::Shape& shape, std::span<const Tensor>& tensors) {
  if (shape.is_array() || shape.kind == hlo::ShapeKind::kBuffer) {
    Value value(tensors.front());
    tensors = tensors.subspan(1);
    return value;
  }
  if (!shape.is_tuple()) return {};
  std::vector<Value> elements;
  for (const hlo::Shape& element : shape.elements) elements.push_back(assemble(element, tensors));
  return Value::tuple(std::move(elements));
}

// The array that a leaf of a shape is; null for one that holds none.
const hlo::Shape* array_of(const hlo::Shape& leaf) {
  if (leaf.kind == hlo::ShapeKind::kBuffer) return leaf.elements.data();
  return leaf.is_array() ? &leaf : nullptr;
}

}  // namespace

Result<std::vector<WantedArray>> argument_arrays(const hlo::Computation& computation) {
  std::vector<WantedArray> wanted;
  for (const hlo::Instruction* parameter : computation.parameters) {
    for (const hlo::ShapeLeaf& leaf : leaves(parameter->shape)) {
      if (leaf.shape.kind == hlo::ShapeKind::kOpaque) {
        return fail(
            ErrorKind::kUnsupported,
            fmt::format("parameter '{}' is opaque: no file can hold its value", parameter->name),
            parameter->span);
      }
      const hlo::Shape* const array = array_of(leaf.shape);
      if (array != nullptr) wanted.push_back({leaf_name(parameter->name, leaf.index), *array});
    }
  }
  return wanted;
}

std::vector<WantedArray> result_arrays(const hlo::Computation& computation) {
  std::vector<WantedArray> wanted;
  for (const hlo::ShapeLeaf& leaf : leaves(computation.root->shape)) {
    const hlo::Shape* const array = array_of(leaf.shape);
    if (array != nullptr) wanted.push_back({.name = "", .shape = *array});
  }
  return wanted;
}

std::vector<Value> argument_values(const hlo::Computation& computation,
                                   std::span<const Tensor> tensors) {
  std::vector<Value> values;
  for (const hlo::Instruction* parameter : computation.parameters) {
    values.push_back(assemble(parameter->shape, tensors));
  }
  return values;
}

std::string TensorFiles::description(std::size_t place) const {
  const WantedArray& wanted = wanted_[place];
  const std::string name = wanted.name.empty() ? "" : fmt::format(" '{}'", wanted.name);
  return fmt::format("{} {}{} is {}", what_, place, name, to_string(wanted.shape, false));
}

Result<void> TensorFiles::read(const std::string& path) {
  if (is_npz(path)) return read_archive(path);
  const std::unique_ptr<ByteSource> source = MERCATOR_TRY(open_file(path, stop_));
  if (next_npy_ == wanted_.size()) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("it is one {} too many: the program has {}", what_, wanted_.size()));
  }
  return read_array(*source, next_npy_++, ForeignElements::kVoid);
}

Result<void> TensorFiles::read_archive(const std::string& path) {
  const NpzReader archive = MERCATOR_TRY(NpzReader::open(path));
  for (std::size_t i = 0; i < archive.names().size(); ++i) {
    const std::string& entry = archive.names()[i];
    const EntryName name = MERCATOR_TRY(resolve(entry));
    const std::unique_ptr<ByteSource> source = MERCATOR_TRY(archive.entry(i));
    Result<void> read = read_array(*source, name.place,
                                   name.bits_of ? ForeignElements::kBits : ForeignElements::kVoid);
    if (!read) {
      read.error().message = fmt::format("entry '{}': {}", entry, read.error().message);
      return read;
    }
  }
  return {};
}

Result<void> TensorFiles::read_array(ByteSource& source, std::size_t place,
                                     ForeignElements foreign) {
  const hlo::Shape& shape = wanted_[place].shape;
  const NpyHeader header = MERCATOR_TRY(read_npy_header(source));
  const bool has_type = holds(header, shape.element_type, ForeignElements::kVoid) ||
                        holds(header, shape.element_type, foreign);
  if (!has_type || !sizes_fit(header.dimensions, shape)) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("it holds {}, where {}", type_text(header), description(place)));
  }
  if (tensors_[place]) {
    return fail(ErrorKind::kInvalidInput, fmt::format("{} {} is given twice", what_, place));
  }
  tensors_[place] =
      MERCATOR_TRY(read_npy_elements(source, header, shape.element_type, pool_, stop_));
  return {};
}

Result<TensorFiles::EntryName> TensorFiles::resolve(std::string_view entry) const {
  if (const std::optional<std::size_t> place = find(entry)) return EntryName{*place, std::nullopt};
  const std::size_t dot = entry.rfind('.');
  const std::optional<hlo::ElementType> type =
      dot == std::string_view::npos ? std::nullopt : hlo::element_type(entry.substr(dot + 1));
  const std::string_view stem = type ? entry.substr(0, dot) : entry;
  if (const std::optional<std::size_t> place = type ? find(stem) : std::nullopt) {
    if (wanted_[*place].shape.element_type == *type) return EntryName{*place, type};
    return fail(ErrorKind::kInvalidInput, fmt::format("entry '{}' holds {}, where {}", entry,
                                                      hlo::name(*type), description(*place)));
  }
  Error error{.message = fmt::format("entry '{}' is no {} of the program, which has {}", entry,
                                     what_, wanted_.size())};
  std::vector<std::string_view> names;
  for (const WantedArray& wanted : wanted_) names.push_back(wanted.name);
  error.hint = did_you_mean(nearest_words(stem, names));
  return std::unexpected(std::move(error));
}

std::optional<std::size_t> TensorFiles::find(std::string_view name) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    return number < wanted_.size() ? std::optional(number) : std::nullopt;
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i].name == name && !name.empty()) return i;
  }
  return std::nullopt;
}

}  // namespace mercator::runtime
