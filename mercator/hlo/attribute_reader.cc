#include "mercator/hlo/attribute_reader.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "mercator/support/suggestion.h"

namespace mercator::hlo {
namespace {

constexpr std::string_view kWindowFields[] = {"size",       "stride",     "pad",
                                              "lhs_dilate", "rhs_dilate", "rhs_reversal"};

// An attribute may be written in another way for some opcodes.
AttributeSyntax syntax(AttributeName name, Opcode opcode) {
  const bool permutes =
      opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
  if (name == AttributeName::kSliceSizes && permutes) return AttributeSyntax::kIntegerLists;
  return syntax(name);
}

}  // namespace

bool AttributeReader::read(Opcode opcode, Attribute* out) {
  scanner_.skip_space();
  const std::string_view key = scanner_.identifier();
  if (key.empty()) return scanner_.expected("an attribute");
  if (!scanner_.accept('=')) return scanner_.expected(fmt::format("'=' after '{}'", key));
  scanner_.skip_space();
  out->name = attribute_name(key);
  if (out->name == AttributeName::kUnknown) out->unknown_name = key;
  return read_value(syntax(out->name, opcode), &out->value);
}

bool AttributeReader::read_value(AttributeSyntax syntax, AttributeValue* out) {
  std::string_view text;
  switch (syntax) {
    case AttributeSyntax::kInteger:
      return read_integer(out);
    case AttributeSyntax::kFloat:
      return read_float(out);
    case AttributeSyntax::kBool:
      return read_bool(out);
    case AttributeSyntax::kWord:
      return read_word(out);
    case AttributeSyntax::kString:
      if (!scanner_.quoted(&text)) return false;
      out->emplace<QuotedString>(text);
      return true;
    case AttributeSyntax::kIntegers:
      return read_integers(&out->emplace<std::span<const std::int64_t>>());
    case AttributeSyntax::kWords:
      return read_words(out);
    case AttributeSyntax::kComputation:
      if (!scanner_.name(&text, "the name of a computation")) return false;
      out->emplace<Computation*>(names_.use_computation(text));
      return true;
    case AttributeSyntax::kComputations:
      return read_computations(out);
    case AttributeSyntax::kInstructions:
      return read_instructions(out);
    case AttributeSyntax::kWindow:
      return read_window(out);
    case AttributeSyntax::kConvolution:
      return read_convolution(out);
    case AttributeSyntax::kSlice:
      return read_slice(out);
    case AttributeSyntax::kPadding:
      return read_padding(out);
    case AttributeSyntax::kReplicaGroups:
      return read_replica_groups(out);
    case AttributeSyntax::kIntegerLists:
      return read_integer_lists(&out->emplace<std::span<const std::span<const std::int64_t>>>());
    case AttributeSyntax::kSparsity:
      return read_sparsity(out);
    case AttributeSyntax::kMetadata:
      return read_metadata(out);
    case AttributeSyntax::kShape:
      return read_shape(out);
    case AttributeSyntax::kShapes:
      return read_shapes(out);
    case AttributeSyntax::kLiteral:
      return read_literal(out);
    case AttributeSyntax::kRaw:
      if (!scanner_.raw_value(&text)) return false;
      out->emplace<RawText>(text);
      return true;
  }
  return false;
}

template <class Element>
bool AttributeReader::read_list(char open, char close, Element element) {
  if (!scanner_.accept(open)) return scanner_.expected(fmt::format("'{}'", open));
  if (scanner_.accept(close)) return true;
  do {
    scanner_.skip_space();
    if (!element()) return false;
  } while (scanner_.accept(','));
  return scanner_.consume(close) || scanner_.expected(fmt::format("'{}' or ','", close));
}

bool AttributeReader::read_integer(AttributeValue* out) {
  if (!scanner_.integer(&out->emplace<std::int64_t>())) return false;
  return !Scanner::is_word(scanner_.peek()) || scanner_.expected("the end of the integer");
}

bool AttributeReader::read_bool(AttributeValue* out) {
  const char* start = scanner_.position();
  const std::string_view word = scanner_.identifier();
  if (word != "true" && word != "false") {
    scanner_.set_position(start);
    return scanner_.expected("true or false");
  }
  out->emplace<bool>(word == "true");
  return true;
}

bool AttributeReader::read_float(AttributeValue* out) {
  const char* start = scanner_.position();
  double value = 0;
  const std::from_chars_result result = std::from_chars(start, scanner_.end(), value);
  if (result.ec != std::errc()) return scanner_.expected("a number");
  scanner_.set_position(result.ptr);
  out->emplace<RawText>(scanner_.since(start));
  return true;
}

bool AttributeReader::read_word(AttributeValue* out) {
  const std::string_view word = scanner_.identifier();
  if (word.empty()) return scanner_.expected("a word");
  out->emplace<Word>(word);
  return true;
}

bool AttributeReader::read_bracketed_integers(char open, char close,
                                              std::span<const std::int64_t>* out) {
  integers_.clear();
  const auto element = [&] { return scanner_.integer(&integers_.emplace_back()); };
  if (!read_list(open, close, element)) return false;
  *out = keep(integers_);
  return true;
}

bool AttributeReader::read_integers(std::span<const std::int64_t>* out) {
  return read_bracketed_integers('{', '}', out);
}

bool AttributeReader::read_integer_lists(std::span<const std::span<const std::int64_t>>* out) {
  std::vector<std::span<const std::int64_t>> lists;
  if (!read_list('{', '}', [&] { return read_integers(&lists.emplace_back()); })) return false;
  *out = keep(lists);
  return true;
}

bool AttributeReader::read_words(AttributeValue* out) {
  std::vector<std::string_view> words;
  const auto element = [&] {
    words.push_back(scanner_.identifier());
    return !words.back().empty() || scanner_.expected("a word");
  };
  if (!read_list('{', '}', element)) return false;
  out->emplace<std::span<const std::string_view>>(keep(words));
  return true;
}

bool AttributeReader::read_computations(AttributeValue* out) {
  std::vector<Computation*> computations;
  const auto element = [&] {
    std::string_view name;
    if (!scanner_.name(&name, "the name of a computation")) return false;
    computations.push_back(names_.use_computation(name));
    return true;
  };
  if (!read_list('{', '}', element)) return false;
  const std::span<Computation*> kept = arena_.make_array<Computation*>(computations.size());
  std::ranges::copy(computations, kept.begin());
  out->emplace<std::span<Computation* const>>(kept);
  return true;
}

bool AttributeReader::read_instructions(AttributeValue* out) {
  std::vector<const Instruction*> instructions;
  const auto element = [&] {
    std::string_view name;
    if (!scanner_.name(&name, "the name of an instruction")) return false;
    instructions.push_back(names_.use_instruction(name));
    return true;
  };
  if (!read_list('{', '}', element)) return false;
  out->emplace<std::span<const Instruction* const>>(keep(instructions));
  return true;
}

// {size=3x3 stride=2x2 pad=0_1x1_0}: fields in any order, each with a value for every dimension.
bool AttributeReader::read_window(AttributeValue* out) {
  if (!scanner_.expect('{', "before the window")) return false;
  std::vector<WindowDimension> window;
  std::vector<std::string_view> seen;
  while (!scanner_.accept('}')) {
    if (!seen.empty()) scanner_.accept(',');
    scanner_.skip_space();
    const std::string_view field = scanner_.identifier();
    if (field.empty()) return scanner_.expected("'}' or a field of the window, such as size=");
    if (std::ranges::find(seen, field) != seen.end()) {
      return scanner_.fail(fmt::format("'{}' stands twice in the window", field),
                           scanner_.span(field));
    }
    if (!scanner_.expect('=', fmt::format("after '{}'", field))) return false;
    scanner_.skip_space();
    std::vector<WindowDimension> values = window;
    if (!read_window_field(field, values)) return false;
    if (!seen.empty() && values.size() != window.size()) {
      return scanner_.fail(fmt::format("'{}' has {} dimensions and '{}' has {}", field,
                                       values.size(), seen.front(), window.size()),
                           scanner_.span(field.data(), scanner_.position()));
    }
    window = std::move(values);
    seen.push_back(field);
  }
  if (!seen.empty() && std::ranges::find(seen, "size") == seen.end()) {
    return scanner_.fail("the window has no size", scanner_.span(seen.front()));
  }
  out->emplace<Window>(keep(window));
  return true;
}

bool AttributeReader::read_window_field(std::string_view field,
                                        std::vector<WindowDimension>& window) {
  std::int64_t WindowDimension::* member = nullptr;
  if (field == "size") member = &WindowDimension::size;
  if (field == "stride") member = &WindowDimension::stride;
  if (field == "lhs_dilate") member = &WindowDimension::base_dilation;
  if (field == "rhs_dilate") member = &WindowDimension::window_dilation;
  if (member == nullptr && field != "pad" && field != "rhs_reversal") {
    return scanner_.fail(fmt::format("a window has no field '{}'", field), scanner_.span(field),
                         did_you_mean(nearest_words(field, kWindowFields)));
  }
  std::size_t rank = 0;
  do {
    if (rank == window.size()) window.emplace_back();
    WindowDimension& dimension = window[rank++];
    if (member != nullptr) {
      if (!scanner_.integer(&(dimension.*member))) return false;
    } else if (field == "pad") {
      if (!scanner_.integer(&dimension.padding_low)) return false;
      if (!scanner_.consume('_')) return scanner_.expected("'_' and the padding after the end");
      if (!scanner_.integer(&dimension.padding_high)) return false;
    } else {
      std::int64_t reversal = 0;
      if (!scanner_.unsigned_integer(&reversal)) return false;
      dimension.reversal = reversal != 0;
    }
  } while (scanner_.consume('x'));
  window.resize(rank);
  return true;
}

// b01f_01io->b01f
bool AttributeReader::read_convolution(AttributeValue* out) {
  const auto labels = [&](std::string_view allowed) {
    const char* start = scanner_.position();
    const char* p = start;
    while (Scanner::is_digit(*p) || (*p != '\0' && allowed.find(*p) != std::string_view::npos)) ++p;
    scanner_.set_position(p);
    return scanner_.since(start);
  };
  auto* dims = arena_.make<ConvolutionDimensions>();
  const std::string_view input = labels("bf?");
  if (!scanner_.consume('_')) return scanner_.expected("labels such as b01f_01io->b01f");
  const std::string_view kernel = labels("io?");
  if (!scanner_.consume('-') || !scanner_.consume('>')) {
    return scanner_.expected("'->' after the labels of the kernel");
  }
  const std::string_view output = labels("bf?");
  if (!read_labels(input, 'b', 'f', &dims->input_batch, &dims->input_feature,
                   &dims->input_spatial) ||
      !read_labels(kernel, 'i', 'o', &dims->kernel_input_feature, &dims->kernel_output_feature,
                   &dims->kernel_spatial) ||
      !read_labels(output, 'b', 'f', &dims->output_batch, &dims->output_feature,
                   &dims->output_spatial)) {
    return false;
  }
  if (dims->kernel_spatial.size() != dims->input_spatial.size() ||
      dims->output_spatial.size() != dims->input_spatial.size()) {
    return scanner_.fail("the labels have different numbers of spatial dimensions",
                         scanner_.span(input.data(), scanner_.position()));
  }
  out->emplace<const ConvolutionDimensions*>(dims);
  return true;
}

bool AttributeReader::read_labels(std::string_view text, char first, char second,
                                  std::int64_t* first_out, std::int64_t* second_out,
                                  std::span<const std::int64_t>* spatial) {
  const auto wrong = [&](std::string message) {
    return scanner_.fail(std::move(message), scanner_.span(text));
  };
  std::int64_t digits = 0;
  for (const char c : text) digits += Scanner::is_digit(c) ? 1 : 0;
  std::vector<std::int64_t> places(static_cast<std::size_t>(digits), -1);
  *first_out = *second_out = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '?') continue;
    std::int64_t* place = c == first ? first_out : c == second ? second_out : nullptr;
    if (place == nullptr) {
      if (c - '0' >= digits) return wrong(fmt::format("the label '{}' is too large", c));
      place = &places[static_cast<std::size_t>(c - '0')];
    }
    if (*place >= 0) return wrong(fmt::format("the label '{}' stands twice", c));
    *place = static_cast<std::int64_t>(i);
  }
  if (*first_out < 0 || *second_out < 0) {
    return wrong(fmt::format("the labels need a '{}' and a '{}'", first, second));
  }
  *spatial = keep(places);
  return true;
}

// {[0:10], [5:20:3]}
bool AttributeReader::read_slice(AttributeValue* out) {
  std::vector<SliceDimension> dimensions;
  const auto element = [&] {
    SliceDimension& dimension = dimensions.emplace_back();
    if (!scanner_.expect('[', "before the range")) return false;
    scanner_.skip_space();
    if (!scanner_.integer(&dimension.start)) return false;
    if (!scanner_.expect(':', "after the start")) return false;
    scanner_.skip_space();
    if (!scanner_.integer(&dimension.limit)) return false;
    if (scanner_.accept(':')) {
      scanner_.skip_space();
      if (!scanner_.integer(&dimension.stride)) return false;
    }
    return scanner_.expect(']', "after the range");
  };
  if (!read_list('{', '}', element)) return false;
  out->emplace<std::span<const SliceDimension>>(keep(dimensions));
  return true;
}

// 1_2_0x3_4
bool AttributeReader::read_padding(AttributeValue* out) {
  std::vector<PaddingDimension> dimensions;
  do {
    PaddingDimension& dimension = dimensions.emplace_back();
    if (!scanner_.integer(&dimension.low)) return false;
    if (!scanner_.consume('_')) return scanner_.expected("'_' and the padding after the end");
    if (!scanner_.integer(&dimension.high)) return false;
    if (scanner_.consume('_') && !scanner_.integer(&dimension.interior)) return false;
  } while (scanner_.consume('x'));
  out->emplace<std::span<const PaddingDimension>>(keep(dimensions));
  return true;
}

bool AttributeReader::read_replica_groups(AttributeValue* out) {
  const char next = scanner_.peek();
  if (next == 'm') return read_mesh_groups(out);
  auto* groups = arena_.make<ReplicaGroups>();
  if (next == '[') {
    if (!read_iota_groups(groups)) return false;
  } else if (!read_integer_lists(&groups->groups)) {
    return false;
  }
  out->emplace<const ReplicaGroups*>(groups);
  return true;
}

// mesh['x'=2,'y'=4], device_ids=([2,4]T(1,0)) {'x'}: kept as text.
bool AttributeReader::read_mesh_groups(AttributeValue* out) {
  const char* start = scanner_.position();
  std::string_view ignored;
  if (scanner_.identifier() != "mesh") {
    scanner_.set_position(start);
    return scanner_.expected("replica groups");
  }
  const auto expect_brackets = [&](char open, std::string_view what) {
    scanner_.skip_space();
    return scanner_.peek() == open ? scanner_.balanced(&ignored) : scanner_.expected(what);
  };
  if (!expect_brackets('[', "'[' and the axes of the mesh")) return false;
  if (scanner_.accept(',')) {
    scanner_.skip_space();
    if (scanner_.identifier() != "device_ids" || !scanner_.accept('=')) {
      return scanner_.expected("device_ids= after the axes of the mesh");
    }
    if (!expect_brackets('(', "'(' and the devices of the mesh")) return false;
  }
  if (!expect_brackets('{', "'{' and the axes of a group")) return false;
  out->emplace<RawText>(scanner_.since(start));
  return true;
}

// [2,4]<=[8] or [2,4]<=[4,2]T(1,0)
bool AttributeReader::read_iota_groups(ReplicaGroups* out) {
  if (!read_bracketed_integers('[', ']', &out->iota_dimensions)) return false;
  scanner_.skip_space();
  if (!scanner_.consume('<') || !scanner_.consume('=')) {
    return scanner_.expected("'<=' after the sizes of the groups");
  }
  if (!read_bracketed_integers('[', ']', &out->iota_reshape)) return false;
  if (!scanner_.consume('T')) return true;
  return read_bracketed_integers('(', ')', &out->iota_transpose);
}

// L.1@2:4_R.0@2:4
bool AttributeReader::read_sparsity(AttributeValue* out) {
  std::vector<SparseOperand> operands;
  do {
    SparseOperand& sparse = operands.emplace_back();
    if (scanner_.consume('R')) {
      sparse.operand = 1;
    } else if (!scanner_.consume('L')) {
      return scanner_.expected("'L' or 'R'");
    }
    if (!scanner_.consume('.')) return scanner_.expected("'.' and the sparse dimension");
    if (!scanner_.unsigned_integer(&sparse.dimension)) return false;
    if (!scanner_.consume('@')) return scanner_.expected("'@' and how many of how many are kept");
    if (!scanner_.unsigned_integer(&sparse.kept)) return false;
    if (!scanner_.consume(':')) return scanner_.expected("':' and the size of a group");
    if (!scanner_.unsigned_integer(&sparse.group)) return false;
  } while (scanner_.consume('_'));
  out->emplace<std::span<const SparseOperand>>(keep(operands));
  return true;
}

bool AttributeReader::read_metadata(AttributeValue* out) {
  const char* start = scanner_.position();
  if (!scanner_.expect('{', "before the metadata")) return false;
  auto* metadata = arena_.make<Metadata>();
  while (!scanner_.accept('}')) {
    if (!read_metadata_field(metadata)) return false;
    scanner_.accept(',');
  }
  metadata->text = scanner_.since(start);
  out->emplace<const Metadata*>(metadata);
  return true;
}

bool AttributeReader::read_metadata_field(Metadata* out) {
  scanner_.skip_space();
  const std::string_view field = scanner_.identifier();
  if (field.empty()) return scanner_.expected("'}' or a field of the metadata, such as op_name=");
  if (!scanner_.accept('=')) return scanner_.expected(fmt::format("'=' after '{}'", field));
  scanner_.skip_space();
  if (field == "op_name") return scanner_.quoted(&out->op_name);
  if (field == "stack_frame_id") return scanner_.integer(&out->stack_frame_id);
  if (field == "op_type") return scanner_.quoted(&out->op_type);
  if (field == "source_file") return scanner_.quoted(&out->source_file);
  if (field == "source_line") return scanner_.integer(&out->source_line);
  std::string_view ignored;
  if (scanner_.peek() == '"' || scanner_.peek() == '\'') return scanner_.quoted(&ignored);
  if (scanner_.peek() == '{') return scanner_.balanced(&ignored);
  const char* start = scanner_.position();
  if (!scanner_.identifier().empty()) return true;
  scanner_.set_position(start);
  std::int64_t number = 0;
  return scanner_.integer(&number);
}

bool AttributeReader::read_literal(AttributeValue* out) {
  const char* start = scanner_.position();
  if (!skip_literal(0)) return false;
  out->emplace<RawText>(scanner_.since(start));
  return true;
}

// A shape and a literal of it, or a tuple of these.
bool AttributeReader::skip_literal(int depth) {
  scanner_.skip_space();
  if (depth > kMaxNesting) return scanner_.expected("a literal that is nested less deeply");
  if (scanner_.peek() == '(') {
    return read_list('(', ')', [&] { return skip_literal(depth + 1); });
  }
  Shape shape;
  Literal literal;
  return shapes_.read(&shape) && literals_.read(shape, &literal);
}

bool AttributeReader::read_shape(AttributeValue* out) {
  Shape shape;
  if (!shapes_.read(&shape)) return false;
  out->emplace<std::span<const Shape>>(arena_.copy(std::span<const Shape>(&shape, 1)));
  return true;
}

bool AttributeReader::read_shapes(AttributeValue* out) {
  std::vector<Shape> shapes;
  if (!read_list('{', '}', [&] { return shapes_.read(&shapes.emplace_back()); })) return false;
  out->emplace<std::span<const Shape>>(keep(shapes));
  return true;
}

}  // namespace mercator::hlo
