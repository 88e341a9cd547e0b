#include <gmock/gmock.h>

#include "mercator/hlo/module.h"
#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::HasSubstr;

TEST(Writer, PrintsAsXlaDoes) {
  // The text is as XLA prints it: all of it must come back as it is.
  const std::string text =
      R"(HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->(f32[2,3]{1,0}, s32[])}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=88 end_line=88 column=8 end_column=63}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add = f32[] add(%x, %y)
}, execution_thread="main"

ENTRY %e (p: f32[2,3]) -> (f32[2,3], s32[]) {
  %p = f32[2,3]{1,0} parameter(0), sharding={replicated}
  %zero = f32[] constant(0)
  %three = s32[] constant(3), metadata={op_name="three"}
  %t = (f32[2,3]{1,0}, f32[2,3]{1,0}, f32[2,3]{1,0}, f32[2,3]{1,0}, f32[2,3]{1,0}, /*index=5*/s32[]) tuple(%p, %p, %p, %p, %p, /*index=5*/%three)
  %r = f32[] reduce(%p, %zero), dimensions={0,1}, to_apply=%sum
  %w = f32[2,2]{1,0} reduce-window(%p, %zero), window={size=1x2}, to_apply=%sum
  ROOT %out = (f32[2,3]{1,0}, s32[]) tuple(%p, %three), control-predecessors={%r, %w}
}

)";
  EXPECT_EQ(round_trip(text), text);
}

TEST(Writer, PrintsEveryAttribute) {
  for (const std::string_view attribute :
       {"channel_id=-7",
        "is_stable=true",
        "is_stable=false",
        "direction=LT",
        "custom_call_target=\"a \\\"b\\\" \\\\\"",
        "epsilon=1e-05",
        "dimensions={}",
        "dimensions={0,1}",
        "operand_precision={highest,default}",
        "to_apply=%other",
        "branch_computations={%other, %other}",
        "control-predecessors={%q}",
        "window={}",
        "window={size=3}",
        "window={size=3x5 stride=2x1 pad=-1_2x0_0 lhs_dilate=1x3 rhs_dilate=4x1 rhs_reversal=1x0}",
        "dim_labels=b01f_01io->f01b",
        "dim_labels=bf_io->bf",
        "dim_labels=?b0f_0i?o->b0f",
        "slice={[0:1], [2:3]}",
        "slice={[0:1:1], [2:30:3]}",
        "slice={}",
        "padding=1_-2x0_0",
        "padding=1_-2_3x0_0_0",
        "replica_groups={}",
        "replica_groups={{0,1},{2}}",
        "replica_groups=[8,2]<=[4,4]T(1,0)",
        "replica_groups=[8,2]<=[16]",
        "replica_groups=mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x'}",
        "source_target_pairs={{0,1},{1,0}}",
        "metadata={op_name=\"a\" source_line=3}",
        "operand_layout_constraints={f32[2]{0}, (s32[], token[])}",
        "operand_layout_constraints={}",
        "outfeed_shape=(f32[2]{0}, s32[])",
        "sharding={{replicated}, {maximal device=0}}",
        "backend_config={\"a\":[1,2]}",
        "frontend_attributes={a=\"b\",c=\"d\"}",
        "origin={{\"a\" {0}}}",
        "statistics={visualizing_index=0,stat=1}",
        "result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}",
        "literal=s64[2]{0} {1, 2}",
        "literal=f32[] 0.1",
        "literal=( s32[2]{0} {4, 128}, (pred[] true), () )",
        "something_new={x: [1, (2)]}"}) {
    const std::string text =
        "HloModule m\nother { a = s32[] parameter(0) }\n" +
        entry("q = s32[] constant(1)\n ROOT r = s32[] custom-call(q), " + std::string(attribute))
            .substr(std::string_view("HloModule m").size());
    EXPECT_THAT(round_trip(text), HasSubstr("(%q), " + std::string(attribute) + "\n"));
  }
}

TEST(Writer, PrintsSingleQuotesWhereDoubleOnesWouldEndTheString) {
  EXPECT_THAT(round_trip(entry("r = s32[] custom-call(), custom_call_target='say \"hi\"'")),
              HasSubstr("custom_call_target='say \"hi\"'"));
  EXPECT_THAT(round_trip(entry("r = s32[] custom-call(), custom_call_target='it\\'s'")),
              HasSubstr("custom_call_target=\"it\\'s\""));
}

TEST(Writer, PrintsOneInstruction) {
  const auto module =
      read(entry("p = f32[2]{0} parameter(0)\n"
                 "ROOT n = f32[2] negate(f32[2] p), metadata={op_name=\"n\"}"));
  EXPECT_EQ(to_string(*module->entry->root), "%n = f32[2] negate(%p), metadata={op_name=\"n\"}");
  EXPECT_EQ(to_string(*module->entry->instructions[0]), "%p = f32[2]{0} parameter(0)");
}

TEST(Difference, FindsEachKind) {
  const std::string base = R"(HloModule m, a=1
c { x = f32[] parameter(0) }
ENTRY e {
  p = f32[2,3] parameter(0)
  k = f32[2] constant({1, 2})
  q = f32[2,3] negate(p), foo=1
  ROOT r = f32[2,3] add(p, q)
}
)";
  const auto first = read(base);
  EXPECT_EQ(difference(*first, *read(base)), std::nullopt);
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = base;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return difference(*first, *read(text)).value_or("none");
  };
  EXPECT_EQ(changed("HloModule m", "HloModule n"), "names of modules: 'm' and 'n'");
  EXPECT_EQ(changed("a=1", "a=2"), "module attribute 'a': '1' and '2'");
  EXPECT_EQ(changed("a=1", "b=1"), "names of module attributes: 'a' and 'b'");
  EXPECT_EQ(changed(", a=1", ""), "number of module attributes: 1 and 0");
  EXPECT_EQ(changed("a=1", "a=1 FileNames 1 \"f\""), "stack tables: '' and 'FileNames 1 \"f\"'");
  EXPECT_EQ(changed("c {", "d {"), "names of computations: 'c' and 'd'");
  EXPECT_EQ(changed("c { x = f32[] parameter(0) }", ""), "number of computations: 2 and 1");
  EXPECT_EQ(changed("parameter(0) }", "parameter(0) }, execution_thread=\"t\""),
            "trailing attributes of 'c': '' and ', execution_thread=\"t\"'");
  EXPECT_EQ(changed("x = ", "y = "), "names of instructions: 'x' and 'y'");
  EXPECT_EQ(changed("negate", "abs"), "opcode of 'q': 'negate' and 'abs'");
  EXPECT_EQ(changed("f32[2,3] parameter", "f32[3,2] parameter"),
            "shape of 'p': 'f32[2,3]' and 'f32[3,2]'");
  EXPECT_EQ(changed("f32[2,3] parameter", "f32[2,3]{1,0} parameter"),
            "shape of 'p': 'f32[2,3]' and 'f32[2,3]{1,0}'");
  EXPECT_EQ(changed("f32[2,3] parameter", "f32[<=2,3] parameter"),
            "shape of 'p': 'f32[2,3]' and 'f32[<=2,3]'");
  EXPECT_EQ(changed("{1, 2}", "{1, 3}"), "literal of 'k'");
  EXPECT_EQ(changed("{1, 2}", "{...}"), "literal of 'k'");
  EXPECT_EQ(changed("foo=1", "foo=2"), "an attribute of 'q': 'foo=1' and 'foo=2'");
  EXPECT_EQ(changed("foo=1", "bar=1"), "an attribute of 'q': 'foo=1' and 'bar=1'");
  EXPECT_EQ(changed(", foo=1", ""), "number of attributes of 'q': 1 and 0");
  EXPECT_EQ(changed("add(p, q)", "add(q, p)"), "an operand of 'r': 'p' and 'q'");
  EXPECT_EQ(changed("add(p, q)", "add(p)"), "number of operands of 'r': 2 and 1");
  EXPECT_EQ(
      changed("ROOT r = f32[2,3] add(p, q)", "r = f32[2,3] add(p, q)\n ROOT s = f32[] constant(1)"),
      "number of instructions of 'e': 4 and 5");
  const std::string root_q =
      "HloModule m\nENTRY e { p = f32[] parameter(0) ROOT q = f32[] abs(p) }";
  const std::string root_p =
      "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) q = f32[] abs(p) }";
  EXPECT_EQ(difference(*read(root_q), *read(root_p)), "being root of 'p': 0 and 1");
  EXPECT_EQ(changed("ENTRY e", "e"), "none");  // The last computation is the entry anyway.
}

}  // namespace
}  // namespace mercator::hlo
