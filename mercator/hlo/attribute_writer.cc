#include <algorithm>

#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

// Appends the elements with ',' and perhaps a space between them.
template <class Range, class Write>
void write_list(const Range& range, std::string_view separator, std::string& out, Write write_one) {
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += separator;
    first = false;
    write_one(element);
  }
}

class ValueWriter {
 public:
  explicit ValueWriter(std::string& out) : out_(out) {}

  void operator()(std::int64_t value) { write(value, out_); }
  void operator()(bool value) { out_ += value ? "true" : "false"; }
  void operator()(Word value) { out_ += value.text; }
  void operator()(RawText value) { out_ += value.text; }
  void operator()(QuotedString value) {
    // A double quote that is not escaped can only come from a string in single quotes.
    const char quote = has_bare_quote(value.text) ? '\'' : '"';
    out_ += quote;
    out_ += value.text;
    out_ += quote;
  }
  void operator()(std::span<const std::int64_t> values) { write_integers('{', values, '}'); }
  void operator()(std::span<const std::string_view> values) {
    out_ += '{';
    write_list(values, ",", out_, [&](std::string_view word) { out_ += word; });
    out_ += '}';
  }
  void operator()(Computation* computation) { write_name(computation->name); }
  void operator()(std::span<Computation* const> computations) {
    out_ += '{';
    write_list(computations, ", ", out_, [&](const Computation* c) { write_name(c->name); });
    out_ += '}';
  }
  void operator()(std::span<const Instruction* const> instructions) {
    out_ += '{';
    write_list(instructions, ", ", out_, [&](const Instruction* i) { write_name(i->name); });
    out_ += '}';
  }
  void operator()(Window window);
  void operator()(const ConvolutionDimensions* dims);
  void operator()(std::span<const SliceDimension> dimensions);
  void operator()(std::span<const PaddingDimension> dimensions);
  void operator()(const ReplicaGroups* groups);
  void operator()(std::span<const std::span<const std::int64_t>> lists) {
    out_ += '{';
    write_list(lists, ",", out_, [&](auto list) { write_integers('{', list, '}'); });
    out_ += '}';
  }
  void operator()(std::span<const SparseOperand> operands);
  void operator()(const Metadata* metadata) { out_ += metadata->text; }
  void operator()(std::span<const Shape> shapes) {
    out_ += '{';
    write_list(shapes, ", ", out_, [&](const Shape& shape) { write(shape, true, out_); });
    out_ += '}';
  }

 private:
  static bool has_bare_quote(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        return true;
      }
    }
    return false;
  }
  void write_name(std::string_view name) {
    out_ += '%';
    out_ += name;
  }
  void write_integers(char open, std::span<const std::int64_t> values, char close) {
    out_ += open;
    write_list(values, ",", out_, [&](std::int64_t value) { write(value, out_); });
    out_ += close;
  }
  // ` field=AxBxC`, unless all dimensions have the usual value.
  template <class Usual, class Write>
  void write_window_field(std::string_view field, Window window, Usual usual, Write write_one) {
    if (std::ranges::all_of(window, usual)) return;
    out_ += ' ';
    out_ += field;
    out_ += '=';
    write_list(window, "x", out_, write_one);
  }
  void write_labels(char first, std::int64_t first_at, char second, std::int64_t second_at,
                    std::span<const std::int64_t> spatial);

  std::string& out_;
};

void ValueWriter::operator()(Window window) {
  out_ += '{';
  if (!window.empty()) {
    using Dimension = WindowDimension;
    out_ += "size=";
    write_list(window, "x", out_, [&](const Dimension& d) { write(d.size, out_); });
    write_window_field(
        "stride", window, [](const Dimension& d) { return d.stride == 1; },
        [&](const Dimension& d) { write(d.stride, out_); });
    write_window_field(
        "pad", window, [](const Dimension& d) { return d.padding_low == 0 && d.padding_high == 0; },
        [&](const Dimension& d) {
          write(d.padding_low, out_);
          out_ += '_';
          write(d.padding_high, out_);
        });
    write_window_field(
        "lhs_dilate", window, [](const Dimension& d) { return d.base_dilation == 1; },
        [&](const Dimension& d) { write(d.base_dilation, out_); });
    write_window_field(
        "rhs_dilate", window, [](const Dimension& d) { return d.window_dilation == 1; },
        [&](const Dimension& d) { write(d.window_dilation, out_); });
    write_window_field(
        "rhs_reversal", window, [](const Dimension& d) { return !d.reversal; },
        [&](const Dimension& d) { out_ += d.reversal ? '1' : '0'; });
  }
  out_ += '}';
}

void ValueWriter::write_labels(char first, std::int64_t first_at, char second,
                               std::int64_t second_at, std::span<const std::int64_t> spatial) {
  std::int64_t last = std::max(first_at, second_at);
  for (const std::int64_t at : spatial) last = std::max(last, at);
  std::string labels(static_cast<std::size_t>(last + 1), '?');
  labels[static_cast<std::size_t>(first_at)] = first;
  labels[static_cast<std::size_t>(second_at)] = second;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    labels[static_cast<std::size_t>(spatial[i])] = static_cast<char>('0' + i);
  }
  out_ += labels;
}

void ValueWriter::operator()(const ConvolutionDimensions* dims) {
  write_labels('b', dims->input_batch, 'f', dims->input_feature, dims->input_spatial);
  out_ += '_';
  write_labels('i', dims->kernel_input_feature, 'o', dims->kernel_output_feature,
               dims->kernel_spatial);
  out_ += "->";
  write_labels('b', dims->output_batch, 'f', dims->output_feature, dims->output_spatial);
}

void ValueWriter::operator()(std::span<const SliceDimension> dimensions) {
  const bool strides =
      std::ranges::any_of(dimensions, [](const SliceDimension& d) { return d.stride != 1; });
  out_ += '{';
  write_list(dimensions, ", ", out_, [&](const SliceDimension& dimension) {
    out_ += '[';
    write(dimension.start, out_);
    out_ += ':';
    write(dimension.limit, out_);
    if (strides) {
      out_ += ':';
      write(dimension.stride, out_);
    }
    out_ += ']';
  });
  out_ += '}';
}

void ValueWriter::operator()(std::span<const PaddingDimension> dimensions) {
  const bool interior =
      std::ranges::any_of(dimensions, [](const PaddingDimension& d) { return d.interior != 0; });
  write_list(dimensions, "x", out_, [&](const PaddingDimension& dimension) {
    write(dimension.low, out_);
    out_ += '_';
    write(dimension.high, out_);
    if (interior) {
      out_ += '_';
      write(dimension.interior, out_);
    }
  });
}

void ValueWriter::operator()(const ReplicaGroups* groups) {
  if (groups->iota_reshape.empty()) return (*this)(groups->groups);
  write_integers('[', groups->iota_dimensions, ']');
  out_ += "<=";
  write_integers('[', groups->iota_reshape, ']');
  if (groups->iota_transpose.empty()) return;
  out_ += 'T';
  write_integers('(', groups->iota_transpose, ')');
}

void ValueWriter::operator()(std::span<const SparseOperand> operands) {
  write_list(operands, "_", out_, [&](const SparseOperand& sparse) {
    out_ += sparse.operand == 0 ? "L." : "R.";
    write(sparse.dimension, out_);
    out_ += '@';
    write(sparse.kept, out_);
    out_ += ':';
    write(sparse.group, out_);
  });
}

}  // namespace

void write(const Attribute& attribute, std::string& out) {
  out += attribute.name == AttributeName::kUnknown ? attribute.unknown_name : name(attribute.name);
  out += '=';
  if (syntax(attribute.name) == AttributeSyntax::kShape) {
    return write(std::get<std::span<const Shape>>(attribute.value)[0], true, out);
  }
  std::visit(ValueWriter(out), attribute.value);
}

}  // namespace mercator::hlo
