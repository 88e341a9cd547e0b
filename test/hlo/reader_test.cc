#include <gmock/gmock.h>

#include "mercator/hlo/module.h"
#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kProgram = R"(
// A comment before everything.
/* And another. */
HloModule jit_f.3, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0}, s32[])->f32[2,3]{1,0}}, replica_count=2, num_partitions=4, input_output_alias={ {0}: (0, {}, may-alias) }

FileNames
1 "a.py"
2 "b \"quoted\".py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=88 end_line=88 column=8 end_column=63}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%negated (p: f32[2,3]) -> f32[2,3] {
  %p = f32[2,3]{1,0} parameter(0)
  ROOT %n = f32[2,3]{1,0} negate(%p)
}, execution_thread="helper"

ENTRY %main (a: f32[2,3], i: s32[]) -> f32[2,3] {
  %a = f32[2,3]{1,0} parameter(0), sharding={replicated}
  %i = s32[] parameter(1)
  ROOT %fusion.1 = f32[2,3]{1,0} fusion(%a), kind=kLoop, calls=%negated, metadata={op_name="jit(f)/neg" stack_frame_id=1}
}
)";

TEST(Reader, ReadsTheModule) {
  const auto module = read(kProgram);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->name, "jit_f.3");
  EXPECT_TRUE(module->is_scheduled);
  EXPECT_EQ(module->replica_count, 2);
  EXPECT_EQ(module->partition_count, 4);
  ASSERT_EQ(module->attributes.size(), 5);
  EXPECT_EQ(module->attributes[1].name, "entry_computation_layout");
  EXPECT_EQ(module->attributes[1].value, "{(f32[2,3]{1,0}, s32[])->f32[2,3]{1,0}}");
  EXPECT_EQ(module->attributes[4].value, "{ {0}: (0, {}, may-alias) }");
  EXPECT_TRUE(module->stack_tables.starts_with("FileNames\n1 \"a.py\""));
  EXPECT_TRUE(module->stack_tables.ends_with("{file_location_id=1 parent_frame_id=1}"));
}

TEST(Reader, ReadsComputations) {
  const auto module = read(kProgram);
  ASSERT_EQ(module->computations.size(), 2);
  const Computation& fused = *module->computations[0];
  EXPECT_EQ(fused.name, "negated");
  EXPECT_EQ(fused.id, 0);
  EXPECT_EQ(fused.module, module.get());
  EXPECT_EQ(fused.execution_thread, "helper");
  EXPECT_EQ(fused.trailing_attributes, ", execution_thread=\"helper\"");
  EXPECT_EQ(module->find("negated"), &fused);
  EXPECT_EQ(module->find("none"), nullptr);
  const Computation& main = *module->computations[1];
  EXPECT_EQ(module->entry, &main);
  EXPECT_EQ(main.parameters.size(), 2);
  EXPECT_EQ(main.root, main.instructions[2]);
  EXPECT_EQ(main.find("i"), main.instructions[1]);
  EXPECT_EQ(main.find("p"), nullptr);
}

TEST(Reader, ReadsInstructions) {
  const auto module = read(kProgram);
  ASSERT_EQ(module->instructions.size(), 5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(module->instructions[i]->id, i);
  const Instruction& fusion = *module->instructions[4];
  EXPECT_EQ(fusion.name, "fusion.1");
  EXPECT_EQ(fusion.opcode, Opcode::kFusion);
  EXPECT_EQ(to_string(fusion.shape), "f32[2,3]{1,0}");
  EXPECT_EQ(fusion.parent, module->entry);
  EXPECT_TRUE(fusion.is_root());
  EXPECT_FALSE(fusion.operand(0).is_root());
  EXPECT_EQ(&fusion.operand(0), module->instructions[2]);
  EXPECT_EQ(fusion.operand(0).parameter_number, 0);
  EXPECT_EQ(fusion.computation(AttributeName::kCalls), module->find("negated"));
  EXPECT_EQ(fusion.computation(AttributeName::kToApply), nullptr);
  EXPECT_THAT(fusion.called_computations(), ElementsAre(module->find("negated")));
  EXPECT_EQ(fusion.get<Word>(AttributeName::kKind).text, "kLoop");
  const auto* metadata = fusion.get<const Metadata*>(AttributeName::kMetadata);
  ASSERT_NE(metadata, nullptr);
  EXPECT_EQ(metadata->op_name, "jit(f)/neg");
  EXPECT_EQ(metadata->stack_frame_id, 1);
  const std::string_view text(kProgram);
  EXPECT_TRUE(text.substr(fusion.span.begin).starts_with("%fusion.1 = "));
  EXPECT_TRUE(text.substr(0, fusion.span.end).ends_with("stack_frame_id=1}"));
}

TEST(Reader, TakesNamesInAnyOrder) {
  const auto module = read(R"(
HloModule m
ENTRY e {
  ROOT c = f32[] add(b, a)
  b = f32[] call(a), to_apply=later
  a = f32[] parameter(0), control-predecessors={z}
  z = f32[] constant(1)
}
later { ROOT x = f32[] parameter(0) }
)");
  ASSERT_NE(module, nullptr);
  std::vector<std::string_view> order;
  for (const Instruction* i : module->entry->post_order()) order.push_back(i->name);
  EXPECT_THAT(order, ElementsAre("z", "a", "b", "c"));
  EXPECT_EQ(module->entry->instructions[1]->computation(AttributeName::kToApply),
            module->find("later"));
}

TEST(Reader, TextOrderIsKeptWhereItIsAnOrderOfEvaluation) {
  const auto module =
      read(entry("a = s32[] constant(1)\n b = s32[] constant(2)\n"
                 "ROOT r = s32[] negate(a)\n c = s32[] add(b, b)"));
  EXPECT_TRUE(std::ranges::equal(module->entry->post_order(), module->entry->instructions));
}

TEST(Reader, TakesTheLastInstructionForTheRoot) {
  const auto module = read(entry("a = f32[] parameter(0)\n b = f32[] negate(a)"));
  EXPECT_EQ(module->entry->root->name, "b");
}

TEST(Reader, TakesTheLastComputationForTheEntry) {
  const auto module =
      read("HloModule m\n a { p = f32[] parameter(0) }\n b { p = f32[] parameter(0) }");
  EXPECT_EQ(module->entry->name, "b");
}

TEST(Reader, TakesAModuleWithoutAHeader) {
  const auto module = read(
      "c { x = f32[] parameter(0) }\nENTRY main { p = f32[] parameter(0) }\n"
      "d { x = f32[] parameter(0) }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->name, "main");
  EXPECT_EQ(module->name, "main");
  round_trip("ENTRY %main (p: f32[]) -> f32[] { p = f32[] parameter(0) }");
}

// As XLA reads a line by itself: operands that have a shape but no definition are parameters.
TEST(Reader, TakesLoneInstructions) {
  const auto module = read("%add.1 = f32[10]{0} add(f32[10]{0} %x, f32[10]{0} %y)");
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->entry->parameters.size(), 2);
  EXPECT_EQ(module->entry->parameters[0]->name, "x");
  EXPECT_EQ(module->entry->parameters[1]->opcode, Opcode::kParameter);
  EXPECT_EQ(module->entry->root->name, "add.1");
  EXPECT_TRUE(verify(*module).has_value());
  round_trip(
      "a = f32[2] parameter(0)\nROOT b = f32[2] negate(a)\nc = f32[2] add(f32[2] a, f32[2] d)");
  // Without names.
  round_trip("%multiply = f32[2,4]{1,0} multiply(f32[2,4]{1,0}, f32[2,4]{1,0})");
  const auto canonical = read("f32[2,4]{1,0} multiply(f32[2,4]{1,0}, f32[2,4]{1,0})");
  ASSERT_NE(canonical, nullptr);
  EXPECT_EQ(canonical->entry->parameters.size(), 2);
  EXPECT_EQ(canonical->entry->root->opcode, Opcode::kMultiply);
  EXPECT_TRUE(verify(*canonical).has_value());
  EXPECT_THAT(message_of("HloModule m\nENTRY e { a = f32[] negate(f32[]) }"),
              HasSubstr("expected an operand, found ')'"));
  EXPECT_THAT(message_of("a = f32[] negate(b)"), HasSubstr("there is no instruction 'b'"));
  EXPECT_THAT(message_of("a = f32[] add(f32[] b, s32[] b)"), HasSubstr("has the shape"));
}

TEST(Reader, TakesOlderForms) {
  // A colon after the name of the module; lines that end as on other systems.
  EXPECT_EQ(
      read("HloModule m:\r\n// x\rENTRY e {\r// y }\r\na = f32[]{} parameter(0)\r}\r\n")->name,
      "m");
}

TEST(Reader, TakesCommentsAnywhere) {
  const auto module = read(
      "HloModule /* a */ m // b\n, is_scheduled=true\nENTRY /* c */ e // { \n"
      "{ /*index=1*/ a = /*x*/ f32[2] /*y*/ parameter( /*z*/ 0), sharding={{maximal "
      "device=0}, /*index=5*/{replicated}} // }\n }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->instructions.size(), 1);
  EXPECT_EQ(module->entry->root->get<RawText>(AttributeName::kSharding).text,
            "{{maximal device=0}, /*index=5*/{replicated}}");
}

TEST(Reader, TakesInstructionsWithAndWithoutSpaces) {
  const auto module = read(
      "HloModule m\nENTRY e{a=f32[ 2 , 3 ]{ 1 , 0 }parameter(0)ROOT b=f32[2,3]"
      "reverse(a),dimensions={0,1}}");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(module->entry->root->integers(AttributeName::kDimensions), ElementsAre(0, 1));
}

TEST(Reader, TakesOddNames) {
  const auto module =
      read(entry("nan = f32[] parameter(0)\n inf = f32[] negate(nan)\n"
                 "true = f32[] add(inf, nan)\n ROOT = f32[] negate(true)\n"
                 "parameter = f32[] negate(ROOT)\n f32 = f32[] negate(parameter)\n"
                 "ROOT %_a-b.1 = f32[] negate(f32)"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry->root->name, "_a-b.1");
  EXPECT_EQ(module->entry->instructions[3]->name, "ROOT");
  round_trip(module->text());
}

TEST(Reader, TakesTypedOperands) {
  const auto module =
      read(entry("a = (f32[2]{0}, s32[]) parameter(0)\n"
                 "ROOT b = f32[2] get-tuple-element((f32[2]{0}, s32[]) %a), index=0"));
  ASSERT_NE(module, nullptr);
  const std::string wrong = entry("a = f32[2] parameter(0)\n ROOT b = f32[2] negate(f32[3] a)");
  const Error error = error_of(wrong);
  EXPECT_EQ(error.message, "the operand 'a' has the shape f32[2], not f32[3]");
  EXPECT_EQ(blamed(error, wrong), "f32[3] ");
}

TEST(Reader, TakesInstructionsInPlace) {
  const auto module =
      read(entry("ROOT a = f32[] add(f32[] negate(f32[] parameter(0)), f32[] constant(2))"));
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->entry->instructions.size(), 4);
  EXPECT_EQ(module->entry->root->operand(0).opcode, Opcode::kNegate);
  EXPECT_EQ(module->entry->root->operand(1).literal->number(0), 2);
  EXPECT_EQ(module->entry->parameters.size(), 1);
  round_trip(module->text());
  EXPECT_THAT(message_of(entry("ROOT a = f32[] add(f32[] negate(a), f32[] constant(1))")),
              HasSubstr("depends on itself"));
}

TEST(Reader, InfersShapesThatAreLeftOut) {
  const auto module = read(R"(
HloModule m
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = add(x, y)
}
ENTRY e {
  ROOT t = tuple(r, d)
  p = f32[2,3] parameter(0)
  q = f32[3,4] parameter(1)
  d = dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  r = reduce(p, zero), dimensions={0}, to_apply=sum
}
)");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(to_string(module->entry->root->shape), "(f32[3], f32[2,4])");
  EXPECT_TRUE(verify(*module).has_value());
  round_trip(module->text());
  EXPECT_THAT(message_of(entry("p = f32[6] parameter(0)\n ROOT r = reshape(p)")),
              HasSubstr("the shape of 'r' is missing and does not follow"));
  EXPECT_THAT(message_of(entry("ROOT c = constant(1)")), HasSubstr("a constant with a shape"));
  EXPECT_THAT(message_of(entry("ROOT p = parameter(0)")), HasSubstr("is missing"));
  EXPECT_THAT(
      message_of(entry("p = f32[6] parameter(0)\n ROOT r = add(p, q)\n q = f32[5] parameter(1)")),
      HasSubstr("same dimensions"));
  // Each line doubles what is written out.
  std::string doubling = "t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 60; ++i) {
    doubling += "t" + std::to_string(i) + " = tuple(t" + std::to_string(i - 1) + ", t" +
                std::to_string(i - 1) + ")\n";
  }
  EXPECT_THAT(message_of(entry(doubling)), HasSubstr("too large"));
}

TEST(Reader, ReadsAsyncPairs) {
  const auto module = read(R"(
HloModule m
%wrapped (p: f32[8]) -> f32[4] {
  %p = f32[8]{0} parameter(0)
  ROOT %c = f32[4]{0} custom-call(%p), custom_call_target="t"
}, execution_thread="x"
ENTRY e {
  p = f32[8] parameter(0)
  s = ((f32[8]), f32[4], s32[]) async-start(p), calls=%wrapped, async_execution_thread="x"
  u = ((f32[8]), f32[4], s32[]) async-update(s)
  ROOT d = f32[4] async-done(u)
}
)");
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(verify(*module).has_value());
  round_trip(module->text());
}

// XLA's short form of the same.
TEST(Reader, ReadsShortAsyncPairs) {
  const auto module = read(R"(
HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  i = s32[] parameter(1)
  s = ((f32[8], s32[]), f32[4], u32[]) dynamic-slice-start(p, i), dynamic_slice_sizes={4}, async_execution_thread="x", metadata={op_name="n"}
  u = ((f32[8], s32[]), f32[4], u32[]) dynamic-slice-update(s)
  ROOT d = f32[4] dynamic-slice-done(u)
}
)");
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->computations.size(), 2);
  const Computation& wrapped = *module->computations[0];
  EXPECT_EQ(wrapped.name, "async_wrapped");
  EXPECT_EQ(wrapped.execution_thread, "x");
  EXPECT_EQ(wrapped.root->opcode, Opcode::kDynamicSlice);
  EXPECT_THAT(wrapped.root->integers(AttributeName::kDynamicSliceSizes), ElementsAre(4));
  EXPECT_NE(wrapped.root->find(AttributeName::kMetadata), nullptr);
  const Instruction& start = *module->entry->instructions[2];
  EXPECT_EQ(start.opcode, Opcode::kAsyncStart);
  EXPECT_EQ(start.computation(AttributeName::kCalls), &wrapped);
  EXPECT_NE(start.find(AttributeName::kMetadata), nullptr);
  EXPECT_EQ(start.find(AttributeName::kDynamicSliceSizes), nullptr);
  EXPECT_EQ(module->entry->root->opcode, Opcode::kAsyncDone);
  EXPECT_TRUE(verify(*module).has_value());
  round_trip(module->text());
  EXPECT_THAT(message_of(entry("p = f32[8] parameter(0)\n s = f32[8] negate-start(p)")),
              HasSubstr("needs the shape ((operands), result"));
  EXPECT_THAT(message_of(entry("p = f32[8] parameter(0)\n"
                               "s = ((f32[8]), f32[8], s32[]) negate-start(p)\n"
                               "d = f32[8] abs-done(s)")),
              HasSubstr("'d' does not follow a 'abs-start'"));
  EXPECT_THAT(message_of(entry("p = f32[8] parameter(0)\n d = f32[8] abs-done(p)")),
              HasSubstr("does not follow"));
  EXPECT_THAT(message_of(entry("p = f32[8] parameter(0)\n s = f32[8] foo-start(p)")),
              HasSubstr("there is no opcode 'foo-start'"));
}

struct Refusal {
  std::string_view text;
  std::string_view message;
  std::string_view blamed;
  std::string_view hint;
};

class ReaderRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(ReaderRefuses, WithAMessage) {
  const Refusal& refusal = GetParam();
  const Result<std::unique_ptr<Module>> module = parse_module(std::string(refusal.text));
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().message, refusal.message);
  EXPECT_EQ(blamed(module.error(), refusal.text), refusal.blamed);
  EXPECT_EQ(module.error().hint, refusal.hint);
}

constexpr Refusal kRefusals[] = {
    {"", "expected a computation, found the end of the text", "", ""},
    {"HloModule", "expected the name of the module, found the end of the text", "", ""},
    {"HloModule m", "expected a computation, found the end of the text", "", ""},
    {"HloModule m,", "expected an attribute of the module, found the end of the text", "", ""},
    {"HloModule m, is_scheduled=maybe\nENTRY e { a = f32[] parameter(0) }",
     "expected true or false", "maybe", ""},
    {"HloModule m, replica_count=-1\nENTRY e { a = f32[] parameter(0) }", "expected a count", "-1",
     ""},
    {"HloModule m, a=1, a=2\nENTRY e { a = f32[] parameter(0) }", "the attribute 'a' stands twice",
     "a", ""},
    {"HloModule m }", "expected a computation, found '}'", "}", ""},
    {"HloModule m ENTRY e { }", "the computation has no instructions", "e", ""},
    {"HloModule m ENTRY e",
     "expected '{' before the instructions of the computation, found the end of the text", "", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0)",
     "expected an instruction or '}', found the end of the text", "", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0) } ENTRY f { a = f32[] parameter(0) }",
     "there are two entry computations", "f", "the first is 'e'"},
    {"HloModule m e { a = f32[] parameter(0) } e { a = f32[] parameter(0) }",
     "there are two computations 'e'", "e", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0) a = f32[] parameter(1) }",
     "there are two instructions 'a'", "a", ""},
    {"HloModule m ENTRY e { ROOT a = f32[] parameter(0) ROOT b = f32[] negate(a) }",
     "the computation has two roots", "b", "the first is 'a'"},
    {"HloModule m ENTRY e { a = f32[] parameter(0) b = f32[] negate(aa) }",
     "there is no instruction 'aa' in 'e'", "aa", "did you mean 'a'?"},
    {"HloModule m ENTRY e { a = f32[] parameter(0), control-predecessors={nobody} }",
     "there is no instruction 'nobody' in 'e'", "nobody", ""},
    {"HloModule m region { a = f32[] parameter(0) } ENTRY e { a = f32[] parameter(0) b = f32[] "
     "call(a), to_apply=regoin }",
     "there is no computation 'regoin'", "regoin", "did you mean 'region'?"},
    {"HloModule m ENTRY e { a = f32[] negate(a) }", "'a' depends on itself", "a = f32[] negate(a)",
     ""},
    {"HloModule m ENTRY e { a = f32[] negate(b) b = f32[] negate(a) }", "'a' depends on itself",
     "a = f32[] negate(b)", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), control-predecessors={a} }",
     "'a' depends on itself", "a = f32[] parameter(0), control-predecessors={a}", ""},
    {"HloModule m ENTRY e { a = f32[] call(), to_apply=e }", "the computation 'e' calls itself",
     "e", ""},
    {"HloModule m f { a = f32[] call(), to_apply=g } g { a = f32[] call(), to_apply=f } "
     "ENTRY e { a = f32[] parameter(0) }",
     "the computation 'f' calls itself", "f", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(1) }", "parameter 1 of 'e', which has only 1",
     "a = f32[] parameter(1)", "parameters are numbered from 0 without gaps"},
    {"HloModule m ENTRY e { a = f32[] parameter(0) b = f32[] parameter(0) }",
     "'a' and 'b' are both parameter 0", "b = f32[] parameter(0)", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(-1) }", "expected a number, found '-1'", "-1", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(99999999999999999999) }", "the number is too large",
     "99999999999999999999", ""},
    {"HloModule m ENTRY e { a f32[] parameter(0) }",
     "expected '=' after the name of the instruction, found 'f32'", "f32", ""},
    {"HloModule m ENTRY e { a = }", "expected a shape or an opcode, found '}'", "}", ""},
    {"HloModule m ENTRY e { a = f32[] paramter(0) }", "there is no opcode 'paramter'", "paramter",
     "did you mean 'parameter'?"},
    {"HloModule m ENTRY e { a = f32[] parameter 0 }", "expected '(' after the opcode, found '0'",
     "0", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0 }",
     "expected ')' after the number of the parameter, found '}'", "}", ""},
    {"HloModule m ENTRY e { a = f32[] add(a b) }",
     "expected ')' or ',' after an operand, found 'b'", "b", ""},
    {"HloModule m ENTRY e { a = f32[] add(a,) }", "expected an operand, found ')'", ")", ""},
    {"HloModule m ENTRY e { a = f32[] add(%) }", "expected an operand, found ')'", ")", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), }", "expected an attribute, found '}'", "}",
     ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), foo }", "expected '=' after 'foo', found '}'",
     "}", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), foo= }", "expected a value, found '}'", "}",
     ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), foo=1, foo=2 }",
     "the attribute 'foo' stands twice", "foo", ""},
    {"HloModule m ENTRY e { a = f32[] parameter(0), metadata={op_name=\"x\"}, metadata={} }",
     "the attribute 'metadata' stands twice", "metadata", ""},
    {"HloModule m ENTRY e (p: f32[2]) -> f32[] { a = f32[] parameter(0) }",
     "parameter 0 of 'e' has the shape f32[], in the signature f32[2]", "(p: f32[2]) -> f32[]", ""},
    {"HloModule m ENTRY e () -> f32[] { a = f32[] parameter(0) }",
     "the signature of 'e' has 0 parameters, its body 1", "() -> f32[]", ""},
    {"HloModule m ENTRY e (p: f32[]) -> f32[2] { a = f32[] parameter(0) }",
     "the result of 'e' has the shape f32[], in the signature f32[2]", "(p: f32[]) -> f32[2]", ""},
    {"HloModule m ENTRY e (p: f32[]) { a = f32[] parameter(0) }",
     "expected '->' and the shape of the result, found '{'", "{", ""},
    {"HloModule m /* never closed", "the comment has no end", "/*", "'*/' closes it"},
    {"HloModule m, a={(]", "expected ')' to close '(', found ']'", "]", ""},
    {"HloModule m, a={(", "'(' is never closed", "(", ""},
    {"HloModule m, a=\"x", "the string has no end", "\"", ""},
    {"HloModule m \x80", "expected a computation, found the byte 0x80", "\x80", ""},
    {"FileNames",
     "expected '{' before the instructions of the computation, found the end of the text", "", ""},
    {"HloModule m FileNames x",
     "expected '{' before the instructions of the computation, found the end of the text", "", ""},
    {"HloModule m FileNames 1 x", "expected a quoted string, found 'x'", "x", ""},
};

INSTANTIATE_TEST_SUITE_P(All, ReaderRefuses, ::testing::ValuesIn(kRefusals),
                         [](const auto& param) { return std::to_string(param.index); });

}  // namespace
}  // namespace mercator::hlo
