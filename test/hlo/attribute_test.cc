#include "mercator/hlo/attribute.h"

#include <gmock/gmock.h>

#include <set>

#include "mercator/hlo/opcode.h"
#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An instruction whose only purpose is its attribute, and that attribute read.
struct Read {
  std::unique_ptr<Module> module;
  const Attribute* attribute;
};
Read attribute(const std::string& text, std::string_view opcode = "custom-call") {
  auto module = read(
      entry("p = f32[2] parameter(0)\n ROOT r = f32[2] " + std::string(opcode) + "(p), " + text));
  if (module == nullptr) return {};
  const Attribute* found = &module->entry->root->attributes[0];
  return {std::move(module), found};
}
std::string message(const std::string& text, std::string_view opcode = "custom-call") {
  const Result<std::unique_ptr<Module>> module = parse_module(
      entry("p = f32[2] parameter(0)\n ROOT r = f32[2] " + std::string(opcode) + "(p), " + text));
  return module ? "" : module.error().message;
}
template <class T>
T value(const std::string& text) {
  static std::vector<std::unique_ptr<Module>> kept;
  Read found = attribute(text);
  kept.push_back(std::move(found.module));
  return std::get<T>(found.attribute->value);
}

TEST(Attribute, TablesFindEveryName) {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(AttributeName::kUnknown); ++i) {
    const auto id = static_cast<AttributeName>(i);
    EXPECT_EQ(attribute_name(name(id)), id) << name(id);
    EXPECT_TRUE(names.insert(name(id)).second) << name(id);
    if (i > 0) {
      EXPECT_LT(name(static_cast<AttributeName>(i - 1)), name(id));
    }
  }
  EXPECT_EQ(attribute_name("dimension"), AttributeName::kUnknown);
  EXPECT_EQ(attribute_name(""), AttributeName::kUnknown);
  EXPECT_EQ(syntax(AttributeName::kUnknown), AttributeSyntax::kRaw);
}

TEST(Opcode, TablesFindEveryName) {
  int count = 0;
#define MERCATOR_X(id, text, operands, opcode_class)                                             \
  EXPECT_EQ(opcode(text), Opcode::id);                                                           \
  EXPECT_EQ(name(Opcode::id), text);                                                             \
  EXPECT_EQ(operand_count(Opcode::id), operands);                                                \
  EXPECT_EQ(is_elementwise(Opcode::id), OpcodeClass::opcode_class == OpcodeClass::kElementwise); \
  ++count;
  MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
  EXPECT_GT(count, 120);
  EXPECT_EQ(opcode("sub"), std::nullopt);
  EXPECT_EQ(opcode(""), std::nullopt);
}

TEST(Attribute, Scalars) {
  EXPECT_EQ(value<std::int64_t>("channel_id=-7"), -7);
  EXPECT_EQ(value<bool>("is_stable=true"), true);
  EXPECT_EQ(value<Word>("api_version=API_VERSION_TYPED_FFI").text, "API_VERSION_TYPED_FFI");
  EXPECT_EQ(value<QuotedString>("custom_call_target=\"a \\\"b\\\" \\\\\"").text,
            "a \\\"b\\\" \\\\");
  EXPECT_EQ(value<RawText>("epsilon=0.001").text, "0.001");
  EXPECT_EQ(value<RawText>("epsilon=1e-05").text, "1e-05");
  EXPECT_THAT(message("channel_id=x"), HasSubstr("expected a number, found 'x'"));
  EXPECT_THAT(message("channel_id=1e5"), HasSubstr("expected the end of the integer, found 'e5'"));
  EXPECT_THAT(message("is_stable=1"), HasSubstr("expected true or false, found '1'"));
  EXPECT_THAT(message("kind={}"), HasSubstr("expected a word"));
  EXPECT_THAT(message("custom_call_target=foo"), HasSubstr("expected a quoted string"));
  EXPECT_THAT(message("epsilon={}"), HasSubstr("expected a number"));
}

TEST(Attribute, Lists) {
  EXPECT_THAT((value<std::span<const std::int64_t>>("dimensions={1, 0,-2}")),
              ElementsAre(1, 0, -2));
  EXPECT_THAT((value<std::span<const std::int64_t>>("dimensions={}")), ElementsAre());
  EXPECT_THAT((value<std::span<const std::string_view>>("operand_precision={highest,default}")),
              ElementsAre("highest", "default"));
  const auto lists =
      value<std::span<const std::span<const std::int64_t>>>("source_target_pairs={{0,1},{1,0},{}}");
  ASSERT_EQ(lists.size(), 3);
  EXPECT_THAT(lists[1], ElementsAre(1, 0));
  EXPECT_THAT(lists[2], ElementsAre());
  EXPECT_THAT(message("dimensions=1"), HasSubstr("expected '{'"));
  EXPECT_THAT(message("dimensions={1,}"), HasSubstr("expected a number"));
  EXPECT_THAT(message("dimensions={1 2}"), HasSubstr("expected '}' or ','"));
}

TEST(Attribute, Sparsity) {
  EXPECT_THAT(value<std::span<const SparseOperand>>("sparsity=L.1@2:4_R.0@1:2"),
              ElementsAre(SparseOperand{.operand = 0, .dimension = 1, .kept = 2, .group = 4},
                          SparseOperand{.operand = 1, .dimension = 0, .kept = 1, .group = 2}));
  EXPECT_THAT(message("sparsity=X.1@2:4"), HasSubstr("expected 'L' or 'R'"));
  EXPECT_THAT(message("sparsity=L1@2:4"), HasSubstr("expected '.'"));
  EXPECT_THAT(message("sparsity=L.-1@2:4"), HasSubstr("expected a number"));
  EXPECT_THAT(message("sparsity=L.1@2"), HasSubstr("expected ':'"));
  EXPECT_THAT(message("sparsity=L.1@2:4_"), HasSubstr("expected 'L' or 'R'"));
}

TEST(Attribute, SliceSizesOfPermutesAreLists) {
  const Read found = attribute("slice_sizes={{1,2},{3,4}}", "collective-permute");
  ASSERT_NE(found.module, nullptr);
  EXPECT_EQ(
      (std::get<std::span<const std::span<const std::int64_t>>>(found.attribute->value)).size(), 2);
  EXPECT_THAT(message("slice_sizes={{1,2}}", "gather"), HasSubstr("expected a number"));
}

TEST(Attribute, Windows) {
  const auto window = value<Window>(
      "window={size=3x5 stride=2x1 pad=-1_2x0_0 lhs_dilate=1x3 rhs_dilate=4x1 rhs_reversal=1x0}");
  ASSERT_EQ(window.size(), 2);
  EXPECT_EQ(window[0], (WindowDimension{3, 2, -1, 2, 1, 4, true}));
  EXPECT_EQ(window[1], (WindowDimension{5, 1, 0, 0, 3, 1, false}));
  EXPECT_EQ(value<Window>("window={pad=1_1 size=3}")[0],
            (WindowDimension{3, 1, 1, 1, 1, 1, false}));
  EXPECT_TRUE(value<Window>("window={}").empty());
  EXPECT_THAT(message("window={size=3x3 stride=2}"),
              HasSubstr("'stride' has 1 dimensions and 'size' has 2"));
  EXPECT_THAT(message("window={stride=2 size=3x3}"),
              HasSubstr("'size' has 2 dimensions and 'stride' has 1"));
  EXPECT_THAT(message("window={stride=2}"), HasSubstr("no size"));
  EXPECT_THAT(message("window={size=3 size=3}"), HasSubstr("twice"));
  EXPECT_THAT(message("window={size=3 strides=2}"), HasSubstr("a window has no field 'strides'"));
  EXPECT_THAT(message("window={size=3 pad=1}"), HasSubstr("expected '_'"));
  EXPECT_THAT(message("window={size=3 ("), HasSubstr("expected '}' or a field"));
}

TEST(Attribute, ConvolutionLabels) {
  const auto* dims = value<const ConvolutionDimensions*>("dim_labels=b01f_01io->f01b");
  EXPECT_EQ(dims->input_batch, 0);
  EXPECT_EQ(dims->input_feature, 3);
  EXPECT_THAT(dims->input_spatial, ElementsAre(1, 2));
  EXPECT_EQ(dims->kernel_input_feature, 2);
  EXPECT_EQ(dims->kernel_output_feature, 3);
  EXPECT_THAT(dims->kernel_spatial, ElementsAre(0, 1));
  EXPECT_EQ(dims->output_batch, 3);
  EXPECT_EQ(dims->output_feature, 0);
  EXPECT_THAT(value<const ConvolutionDimensions*>("dim_labels=1bf0_io01->bf10")->output_spatial,
              ElementsAre(3, 2));
  EXPECT_TRUE(value<const ConvolutionDimensions*>("dim_labels=bf_io->bf")->input_spatial.empty());
  EXPECT_EQ(value<const ConvolutionDimensions*>("dim_labels=?b0f_0io->b0f")->input_feature, 3);
  EXPECT_THAT(message("dim_labels=b01f_01io->b0f"), HasSubstr("different numbers of spatial"));
  EXPECT_THAT(message("dim_labels=b00f_01io->b01f"), HasSubstr("the label '0' stands twice"));
  EXPECT_THAT(message("dim_labels=b02f_01io->b01f"), HasSubstr("the label '2' is too large"));
  EXPECT_THAT(message("dim_labels=01f_01io->b01f"), HasSubstr("need a 'b' and a 'f'"));
  EXPECT_THAT(message("dim_labels=b01f"), HasSubstr("expected labels such as"));
  EXPECT_THAT(message("dim_labels=b01f_01io"), HasSubstr("expected '->'"));
}

TEST(Attribute, SlicesAndPadding) {
  const auto slice = value<std::span<const SliceDimension>>("slice={[0:10], [2:20:3]}");
  ASSERT_EQ(slice.size(), 2);
  EXPECT_EQ(slice[0], (SliceDimension{0, 10, 1}));
  EXPECT_EQ(slice[1], (SliceDimension{2, 20, 3}));
  EXPECT_THAT(message("slice={[0:10:1:1]}"), HasSubstr("expected ']'"));
  EXPECT_THAT(message("slice={[0]}"), HasSubstr("expected ':'"));
  const auto padding = value<std::span<const PaddingDimension>>("padding=1_-2_3x0_0");
  ASSERT_EQ(padding.size(), 2);
  EXPECT_EQ(padding[0], (PaddingDimension{1, -2, 3}));
  EXPECT_EQ(padding[1], (PaddingDimension{0, 0, 0}));
  EXPECT_THAT(message("padding=1"), HasSubstr("expected '_'"));
  EXPECT_THAT(message("padding=1_2x"), HasSubstr("expected a number"));
}

TEST(Attribute, ReplicaGroups) {
  const auto* lists = value<const ReplicaGroups*>("replica_groups={{0,1},{2,3}}");
  ASSERT_EQ(lists->groups.size(), 2);
  EXPECT_THAT(lists->groups[1], ElementsAre(2, 3));
  EXPECT_TRUE(value<const ReplicaGroups*>("replica_groups={}")->groups.empty());
  const auto* iota = value<const ReplicaGroups*>("replica_groups=[8,2]<=[4,4]T(1,0)");
  EXPECT_THAT(iota->iota_dimensions, ElementsAre(8, 2));
  EXPECT_THAT(iota->iota_reshape, ElementsAre(4, 4));
  EXPECT_THAT(iota->iota_transpose, ElementsAre(1, 0));
  EXPECT_TRUE(value<const ReplicaGroups*>("replica_groups=[2]<=[2]")->iota_transpose.empty());
  EXPECT_EQ(value<RawText>("replica_groups=mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x'}").text,
            "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x'}");
  EXPECT_EQ(value<RawText>("replica_groups=mesh['x'=2] {'x'}").text, "mesh['x'=2] {'x'}");
  EXPECT_THAT(message("replica_groups=[2,2]"), HasSubstr("expected '<='"));
  EXPECT_THAT(message("replica_groups=7"), HasSubstr("expected '{'"));
  EXPECT_THAT(message("replica_groups=mesh"), HasSubstr("the axes of the mesh"));
}

TEST(Attribute, MetadataFields) {
  const auto* metadata = value<const Metadata*>(
      "metadata={op_type=\"add\" op_name=\"jit(f)/\\\"a\\\"}\" source_file=\"x.py\" source_line=3, "
      "stack_frame_id=7 profile_type={1,2} deduplicated_name=\"d\" source_column=9 flag=true}");
  EXPECT_EQ(metadata->op_type, "add");
  EXPECT_EQ(metadata->op_name, "jit(f)/\\\"a\\\"}");
  EXPECT_EQ(metadata->source_file, "x.py");
  EXPECT_EQ(metadata->source_line, 3);
  EXPECT_EQ(metadata->stack_frame_id, 7);
  EXPECT_TRUE(metadata->text.starts_with("{op_type=") && metadata->text.ends_with("true}"));
  EXPECT_EQ(value<const Metadata*>("metadata={}")->op_name, "");
  EXPECT_THAT(message("metadata={op_name=x}"), HasSubstr("expected a quoted string"));
  EXPECT_THAT(message("metadata={op_name}"), HasSubstr("expected '='"));
  EXPECT_THAT(message("metadata={=}"), HasSubstr("a field of the metadata"));
  EXPECT_THAT(message("metadata={op_name=\"x\" ("),
              HasSubstr("expected '}' or a field of the metadata"));
}

TEST(Attribute, Shapes) {
  const auto shapes =
      value<std::span<const Shape>>("operand_layout_constraints={f32[2]{0}, (s32[], token[])}");
  ASSERT_EQ(shapes.size(), 2);
  EXPECT_EQ(to_string(shapes[0]), "f32[2]{0}");
  EXPECT_EQ(to_string(shapes[1]), "(s32[], token[])");
  EXPECT_EQ(to_string(value<std::span<const Shape>>("outfeed_shape=f32[2]{0}")[0]), "f32[2]{0}");
}

TEST(Attribute, RawValues) {
  for (const std::string_view text :
       {"{devices=[2,1]<=[2]}", "{{replicated}, {maximal device=0}}", "\"quoted { text\"", "word",
        "a.b-c", "-1.5e-3", "[1,2]<=[2]T(1,0)", "{\"json\": [1, {\"a\": \"}\"}], 'b': true}",
        "f32[2] {1, 2}", "@mesh", "a/b", "{a = 1 : i64, b = #c<\"d\">}", "{/* } */}",
        "x{y}(z)[w]"}) {
    const Read found = attribute("unheard_of=" + std::string(text) + ", channel_id=3");
    ASSERT_NE(found.module, nullptr);
    EXPECT_EQ(found.attribute->unknown_name, "unheard_of");
    EXPECT_EQ(std::get<RawText>(found.attribute->value).text, text);
    EXPECT_EQ(found.module->entry->root->integer(AttributeName::kChannelId, 0), 3);
  }
  // What ends a value that has no brackets.
  const auto module =
      read(entry("a = f32[] parameter(0), x=1 b = f32[] negate(a), y=2\nc = f32[] negate(b), z=3"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->instructions.size(), 3);
}

TEST(Attribute, BackendConfigInBothForms) {
  EXPECT_EQ(value<RawText>("backend_config=\"{\\\"a\\\":1}\"").text, "\"{\\\"a\\\":1}\"");
  EXPECT_EQ(value<RawText>("backend_config={\"known_trip_count\":{\"n\":\"4\"}}").text,
            "{\"known_trip_count\":{\"n\":\"4\"}}");
}

TEST(Attribute, GetGivesTheOtherwiseValue) {
  const Read found = attribute("index=4");
  const Instruction& root = *found.module->entry->root;
  EXPECT_EQ(root.integer(AttributeName::kIndex, 9), 4);
  EXPECT_EQ(root.integer(AttributeName::kK, 9), 9);
  EXPECT_EQ(root.get<bool>(AttributeName::kIndex, true), true);
  EXPECT_TRUE(root.integers(AttributeName::kDimensions).empty());
}

}  // namespace
}  // namespace mercator::hlo
