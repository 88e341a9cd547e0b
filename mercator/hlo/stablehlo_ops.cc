// Operations that compute with elements and indices. Above each, how HLO says it where that is not
// the same.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mercator/hlo/opcode.h"
#include "mercator/hlo/stablehlo_text.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo::stablehlo {
namespace {

std::string dashed(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '_', '-');
  return out;
}

// None if it leaves int64; then the reader of HLO refuses the shape.
std::optional<std::int64_t> count_elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape.dimensions) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace

// By its name, if HLO has an instruction of that name. An operation of chlo that HLO does not have
// is a map of a custom call, which says that each element is computed from those at its index.
bool Text::elementwise(Body& body, const Op& op) {
  const std::size_t dot = op.name.find('.');
  const std::string_view dialect = op.name.substr(0, dot);
  const std::string_view mnemonic = dot == std::string_view::npos ? "" : op.name.substr(dot + 1);
  const bool chlo = dialect == "chlo";
  const auto unknown = [&] {
    return fail(op, fmt::format("the operation '{}' is not supported", op.name));
  };
  if ((dialect != "stablehlo" && !chlo) || !op.regions.empty() || op.results.size() != 1) {
    return unknown();
  }
  const std::string name = dashed(mnemonic);
  const std::optional<Opcode> known = opcode(name);
  if (known && (is_elementwise(*known) || *known == Opcode::kClamp ||
                *known == Opcode::kBitcastConvert || *known == Opcode::kReshape ||
                *known == Opcode::kDynamicUpdateSlice || *known == Opcode::kTuple ||
                *known == Opcode::kPartitionId || *known == Opcode::kReplicaId)) {
    return emit(body, op, name, "");
  }
  const Shape& result = op.results[0]->type;
  if (!chlo || op.operands.empty() || !result.is_array()) return unknown();
  Body scalar;
  std::string arguments;
  for (const Value* operand : op.operands) {
    if (!operand->type.is_array() ||
        !std::ranges::equal(operand->type.dimensions, result.dimensions)) {
      return unknown();
    }
    const Shape element{.element_type = operand->type.element_type};
    arguments += arguments.empty() ? "%" : ", %";
    arguments += add_parameter(scalar, "x", element, op.span);
  }
  const std::string value =
      add(scalar, mnemonic, Shape{.element_type = result.element_type}, "custom-call", arguments,
          fmt::format(", custom_call_target=\"{}\"", op.name), op.span);
  const std::string computation = computations_.take("element");
  if (!finish(scalar, computation, {value}, false, op.span)) return false;
  std::vector<std::int64_t> dimensions;
  for (std::int64_t d = 0; d < result.rank(); ++d) dimensions.push_back(d);
  return emit(body, op, "map",
              fmt::format(", dimensions={}, to_apply=%{}", list(dimensions), computation));
}

bool Text::constant(Body& body, const Op& op) {
  const Attribute* value = find(op, {"value"});
  if (value == nullptr && !op.words.empty()) value = &op.words[0];
  if (value == nullptr || op.results.size() != 1) return fail(op, "the constant has no value");
  const std::optional<std::string> text = literal(op, *value, op.results[0]->type);
  return text && emit(body, op, "constant", *text, "");
}

bool Text::iota(Body& body, const Op& op) {
  const std::int64_t dimension = integer(find(op, {"dim", "iota_dimension"}), 0);
  return emit(body, op, "iota", fmt::format(", iota_dimension={}", dimension));
}

// HLO has no stretching: a dimension of size 1 is dropped before it is broadcast to a larger one.
// Where only dimensions of size 1 come in, it is a reshape.
bool Text::broadcast_in_dim(Body& body, const Op& op) {
  const std::vector<std::int64_t> dims = integers(find(op, {"dims", "broadcast_dimensions"}));
  if (op.operands.size() != 1 || op.results.size() != 1 ||
      op.operands[0]->type.rank() != std::ssize(dims)) {
    return fail(op, "the dimensions do not fit the operand", ErrorKind::kInvalidInput);
  }
  const Shape& from = op.operands[0]->type;
  const Shape& to = op.results[0]->type;
  std::vector<std::int64_t> kept_sizes;
  std::vector<std::int64_t> kept_dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= to.rank()) {
      return fail(op, "a dimension is out of range", ErrorKind::kInvalidInput);
    }
    if (from.dimensions[i] == 1 && to.dimensions[static_cast<std::size_t>(dims[i])] != 1) continue;
    kept_sizes.push_back(from.dimensions[i]);
    kept_dims.push_back(dims[i]);
  }
  std::optional<std::string> argument = arguments(body, op);
  if (!argument) return false;
  if (std::ranges::is_sorted(dims) && count_elements(from) == count_elements(to)) {
    return emit(body, op, "reshape", *argument, "");
  }
  if (kept_dims.size() != dims.size()) {
    const Shape kept = array_shape(from.element_type, kept_sizes, arena_);
    argument = "%" + add(body, name_for(op), kept, "reshape", *argument, "", op.span);
  }
  return emit(body, op, "broadcast", *argument, fmt::format(", dimensions={}", list(kept_dims)));
}

// New dimensions stand before those of the operand.
bool Text::broadcast(Body& body, const Op& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return fail(op, "expected one operand");
  std::vector<std::int64_t> dims;
  const std::int64_t rank = op.operands[0]->type.rank();
  for (std::int64_t d = 0; d < rank; ++d) dims.push_back(op.results[0]->type.rank() - rank + d);
  return emit(body, op, "broadcast", fmt::format(", dimensions={}", list(dims)));
}

bool Text::compare(Body& body, const Op& op) {
  const Attribute* direction = find(op, {"comparison_direction"});
  const Attribute* type = find(op, {"compare_type"});
  if (direction == nullptr && !op.words.empty()) direction = &op.words[0];
  if (type == nullptr && op.words.size() > 1) type = &op.words[1];
  std::string attributes = fmt::format(", direction={}", enumerator(direction));
  if (enumerator(type) == "TOTALORDER") attributes += ", type=TOTALORDER";
  return emit(body, op, "compare", attributes);
}

bool Text::transpose(Body& body, const Op& op) {
  return emit(body, op, "transpose",
              fmt::format(", dimensions={}", list(integers(find(op, {"dims", "permutation"})))));
}

bool Text::reverse(Body& body, const Op& op) {
  return emit(body, op, "reverse",
              fmt::format(", dimensions={}", list(integers(find(op, {"dims", "dimensions"})))));
}

// [0:2, 1:9:2], or three lists
bool Text::slice(Body& body, const Op& op) {
  std::string ranges;
  if (const Attribute* starts = find(op, {"start_indices"})) {
    const std::vector<std::int64_t> start = integers(starts);
    const std::vector<std::int64_t> limit = integers(find(op, {"limit_indices"}), start.size(), 0);
    const std::vector<std::int64_t> stride = integers(find(op, {"strides"}), start.size(), 1);
    for (std::size_t i = 0; i < start.size(); ++i) {
      ranges += fmt::format("{}[{}:{}:{}]", i == 0 ? "" : ", ", start[i], limit[i], stride[i]);
    }
  } else {
    std::string_view text = op.words.empty() ? std::string_view() : op.words[0].text;
    if (!text.starts_with('[') || !text.ends_with(']')) {
      return fail(op, "expected ranges such as [0:4, 1:9:2]", ErrorKind::kInvalidInput);
    }
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      ranges += fmt::format("{}[{}]", ranges.empty() ? "" : ", ", text.substr(0, comma));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }
  return emit(body, op, "slice", fmt::format(", slice={{{}}}", ranges));
}

bool Text::concatenate(Body& body, const Op& op) {
  const std::int64_t dimension = integer(find(op, {"dim", "dimension"}), 0);
  return emit(body, op, "concatenate", fmt::format(", dimensions={{{}}}", dimension));
}

bool Text::pad(Body& body, const Op& op) {
  const std::vector<std::int64_t> low = integers(find(op, {"low", "edge_padding_low"}));
  const std::vector<std::int64_t> high =
      integers(find(op, {"high", "edge_padding_high"}), low.size(), 0);
  const std::vector<std::int64_t> interior =
      integers(find(op, {"interior", "interior_padding"}), low.size(), 0);
  std::string padding;
  for (std::size_t i = 0; i < low.size(); ++i) {
    padding += fmt::format("{}{}_{}_{}", i == 0 ? ", padding=" : "x", low[i], high[i], interior[i]);
  }
  return emit(body, op, "pad", padding);
}

// A vector has one dimension to contract over, a matrix its last or its first.
bool Text::dot(Body& body, const Op& op) {
  if (op.operands.size() != 2) return fail(op, "expected two operands", ErrorKind::kInvalidInput);
  return emit(body, op, "dot",
              fmt::format(", lhs_contracting_dims={{{}}}, rhs_contracting_dims={{0}}{}",
                          op.operands[0]->type.rank() - 1, precision(op)));
}

bool Text::dot_general(Body& body, const Op& op) {
  const Attribute* numbers = find(op, {"dot_dimension_numbers"});
  const Attribute* batch = find(op, {"batching_dims"});
  const Attribute* contracting = find(op, {"contracting_dims"});
  // In the pretty form two lists stand together: [0] x [1].
  const auto dims = [&](const Attribute* pair, std::size_t side, std::string_view name) {
    if (numbers != nullptr) return integers(field(numbers, name));
    if (pair == nullptr || pair->list.size() != 2) return std::vector<std::int64_t>();
    return integers(&pair->list[side]);
  };
  return emit(body, op, "dot",
              fmt::format(", lhs_batch_dims={}, lhs_contracting_dims={}, rhs_batch_dims={}, "
                          "rhs_contracting_dims={}{}",
                          list(dims(batch, 0, "lhs_batching_dimensions")),
                          list(dims(contracting, 0, "lhs_contracting_dimensions")),
                          list(dims(batch, 1, "rhs_batching_dimensions")),
                          list(dims(contracting, 1, "rhs_contracting_dimensions")), precision(op)));
}

// dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] is dim_labels=b01f_01io->b01f.
bool Text::convolution(Body& body, const Op& op) {
  const Attribute* numbers = find(op, {"dim_numbers", "dimension_numbers"});
  const auto wrong = [&] {
    return fail(op, "expected dimension numbers such as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                ErrorKind::kInvalidInput);
  };
  if (numbers == nullptr || numbers->list.size() != 3 || op.operands.size() != 2) return wrong();
  std::array<std::string, 3> labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const Attribute& label : numbers->list[i].list) {
      if (label.text.size() != 1) return wrong();
      labels[i] += label.text;
    }
  }
  const Shape& kernel = op.operands[1]->type;
  std::vector<std::int64_t> size;
  for (char spatial = '0';; ++spatial) {
    const std::size_t place = labels[1].find(spatial);
    if (place == std::string::npos) break;
    if (place >= kernel.dimensions.size()) return wrong();
    size.push_back(kernel.dimensions[place]);
  }
  const Attribute* pretty = find(op, {"window"});
  const auto part = [&](std::string_view name, std::string_view generic) {
    return pretty != nullptr ? field(pretty, name) : find(op, {generic});
  };
  std::string attributes =
      window(size, part("stride", "window_strides"), part("pad", "padding"),
             part("lhs_dilate", "lhs_dilation"), part("rhs_dilate", "rhs_dilation"),
             part("reverse", "window_reversal"));
  attributes += fmt::format(", dim_labels={}_{}->{}", labels[0], labels[1], labels[2]);
  const std::int64_t features = integer(find(op, {"feature_group_count"}), 1);
  const std::int64_t batches = integer(find(op, {"batch_group_count"}), 1);
  if (features != 1) attributes += fmt::format(", feature_group_count={}", features);
  if (batches != 1) attributes += fmt::format(", batch_group_count={}", batches);
  return emit(body, op, "convolution", attributes + precision(op));
}

bool Text::dynamic_slice(Body& body, const Op& op) {
  const std::vector<std::int64_t> sizes = integers(find(op, {"sizes", "slice_sizes"}));
  return emit(body, op, "dynamic-slice", fmt::format(", dynamic_slice_sizes={}", list(sizes)));
}

bool Text::gather(Body& body, const Op& op) {
  const Attribute* numbers = find(op, {"dimension_numbers"});
  const auto dims = [&](std::string_view name) { return list(integers(field(numbers, name))); };
  std::string attributes = fmt::format(
      ", offset_dims={}, collapsed_slice_dims={}, start_index_map={}, operand_batching_dims={}, "
      "start_indices_batching_dims={}, index_vector_dim={}, slice_sizes={}",
      dims("offset_dims"), dims("collapsed_slice_dims"), dims("start_index_map"),
      dims("operand_batching_dims"), dims("start_indices_batching_dims"),
      integer(field(numbers, "index_vector_dim"), 0), list(integers(find(op, {"slice_sizes"}))));
  if (integer(find(op, {"indices_are_sorted"}), 0) != 0) attributes += ", indices_are_sorted=true";
  return emit(body, op, "gather", attributes);
}

bool Text::scatter(Body& body, const Op& op) {
  const Attribute* numbers = find(op, {"scatter_dimension_numbers"});
  const auto dims = [&](std::string_view name) { return list(integers(field(numbers, name))); };
  std::string attributes = fmt::format(
      ", update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
      "input_batching_dims={}, scatter_indices_batching_dims={}, index_vector_dim={}",
      dims("update_window_dims"), dims("inserted_window_dims"),
      dims("scatter_dims_to_operand_dims"), dims("input_batching_dims"),
      dims("scatter_indices_batching_dims"), integer(field(numbers, "index_vector_dim"), 0));
  if (integer(find(op, {"indices_are_sorted"}), 0) != 0) attributes += ", indices_are_sorted=true";
  if (integer(find(op, {"unique_indices"}), 0) != 0) attributes += ", unique_indices=true";
  std::string computation;
  if (op.regions.size() != 1) return fail(op, "expected a region", ErrorKind::kInvalidInput);
  return write_reducer(op, *op.regions[0], computation) &&
         emit(body, op, "scatter", fmt::format("{}, to_apply=%{}", attributes, computation));
}

// A region, or `applies stablehlo.add` for one that has nothing else in it.
bool Text::reduce(Body& body, const Op& op) {
  std::string computation;
  if (op.regions.size() == 1) {
    if (!write_reducer(op, *op.regions[0], computation)) return false;
  } else {
    const auto applies = std::ranges::find(op.words, "applies", &Attribute::text);
    if (applies == op.words.end() || std::next(applies) == op.words.end() || op.operands.empty()) {
      return fail(op, "expected a region", ErrorKind::kInvalidInput);
    }
    const std::string_view applied = std::next(applies)->text;
    const std::string opcode = dashed(applied.substr(applied.rfind('.') + 1));
    Shape element = op.operands.back()->type;
    element.dimensions = {};
    Body pair;
    const std::string a = add_parameter(pair, "a", element, op.span);
    const std::string b = add_parameter(pair, "b", element, op.span);
    const std::string result =
        add(pair, opcode, element, opcode, fmt::format("%{}, %{}", a, b), "", op.span);
    computation = computations_.take("region");
    if (!finish(pair, computation, {result}, false, op.span)) return false;
  }
  return emit(body, op, "reduce",
              fmt::format(", dimensions={}, to_apply=%{}", list(integers(find(op, {"dimensions"}))),
                          computation));
}

bool Text::reduce_window(Body& body, const Op& op) {
  if (op.regions.size() != 1) return fail(op, "expected a region", ErrorKind::kInvalidInput);
  std::string computation;
  if (!write_reducer(op, *op.regions[0], computation)) return false;
  const std::string attributes = window(
      integers(find(op, {"window_dimensions"})), find(op, {"window_strides"}),
      find(op, {"padding"}), find(op, {"base_dilations"}), find(op, {"window_dilations"}), nullptr);
  return emit(body, op, "reduce-window", fmt::format("{}, to_apply=%{}", attributes, computation));
}

bool Text::select_and_scatter(Body& body, const Op& op) {
  if (op.regions.size() != 2) return fail(op, "expected two regions", ErrorKind::kInvalidInput);
  std::string select;
  std::string scatter;
  if (!write_reducer(op, *op.regions[0], select)) return false;
  if (!write_reducer(op, *op.regions[1], scatter)) return false;
  const std::string attributes =
      window(integers(find(op, {"window_dimensions"})), find(op, {"window_strides"}),
             find(op, {"padding"}), nullptr, nullptr, nullptr);
  return emit(body, op, "select-and-scatter",
              fmt::format("{}, select=%{}, scatter=%{}", attributes, select, scatter));
}

// A dimension below 0 counts from the end.
bool Text::sort(Body& body, const Op& op) {
  if (op.regions.size() != 1 || op.operands.empty()) {
    return fail(op, "expected operands and a region", ErrorKind::kInvalidInput);
  }
  std::string computation;
  if (!write_reducer(op, *op.regions[0], computation)) return false;
  std::int64_t dimension = integer(find(op, {"dimension"}), -1);
  if (dimension < 0) dimension += op.operands[0]->type.rank();
  const bool stable = integer(find(op, {"is_stable"}), 0) != 0;
  return emit(body, op, "sort",
              fmt::format(", dimensions={{{}}}{}, to_apply=%{}", dimension,
                          stable ? ", is_stable=true" : "", computation));
}

bool Text::map(Body& body, const Op& op) {
  if (op.regions.size() != 1) return fail(op, "expected a region", ErrorKind::kInvalidInput);
  std::string computation;
  if (!write_reducer(op, *op.regions[0], computation)) return false;
  return emit(body, op, "map",
              fmt::format(", dimensions={}, to_apply=%{}", list(integers(find(op, {"dimensions"}))),
                          computation));
}

bool Text::dimension_size(Body& body, const Op& op) {
  const std::int64_t dimension = integer(find(op, {"dim", "dimension"}), 0);
  const bool get = op.name == "stablehlo.get_dimension_size";
  return emit(body, op, get ? "get-dimension-size" : "set-dimension-size",
              fmt::format(", dimensions={{{}}}", dimension));
}

bool Text::top_k(Body& body, const Op& op) {
  return emit(body, op, "topk", fmt::format(", k={}, largest=true", integer(find(op, {"k"}), 0)));
}

bool Text::square(Body& body, const Op& op) {
  const std::optional<std::string> argument = arguments(body, op);
  return argument && emit(body, op, "multiply", fmt::format("{0}, {0}", *argument), "");
}

// The angle of the point (1, x).
bool Text::arc_tangent(Body& body, const Op& op) {
  if (op.results.size() != 1) return fail(op, "expected one result", ErrorKind::kInvalidInput);
  const std::optional<std::string> argument = arguments(body, op);
  if (!argument) return false;
  const Shape& shape = op.results[0]->type;
  const bool complex = shape.is_array() && is_complex(shape.element_type);
  const Shape scalar{.element_type = shape.element_type};
  std::string one = add(body, "one", scalar, "constant", complex ? "(1, 0)" : "1", "", op.span);
  if (shape.rank() > 0) {
    one = add(body, "ones", shape, "broadcast", "%" + one, ", dimensions={}", op.span);
  }
  return emit(body, op, "atan2", fmt::format("{}, %{}", *argument, one), "");
}

// To the type that it has already: nothing at all.
bool Text::convert(Body& body, const Op& op) {
  if (op.operands.size() != 1 || op.results.size() != 1 ||
      !identical(op.operands[0]->type, op.results[0]->type)) {
    return elementwise(body, op);
  }
  const std::optional<std::string> name = operand(body, op, *op.operands[0]);
  if (name) body.names[op.results[0]] = *name;
  return name.has_value();
}

bool Text::identity(Body& body, const Op& op) { return emit(body, op, "copy", ""); }

}  // namespace mercator::hlo::stablehlo
