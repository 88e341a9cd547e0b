#include "mercator/hlo/verifier.h"

#include <gmock/gmock.h>

#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::HasSubstr;

TEST(Verifier, ComparesWhatFollowsWithWhatIsDeclared) {
  EXPECT_EQ(message_of(entry(
                "a = f32[2,3] parameter(0)\n ROOT t = f32[3,2] transpose(a), dimensions={1,0}")),
            "");
  const std::string text =
      entry("a = f32[2,3] parameter(0)\n ROOT t = f32[2,3] transpose(a), dimensions={1,0}");
  const Error error = error_of(text);
  EXPECT_EQ(error.message, "'transpose': the result has the shape f32[3,2], not f32[2,3]");
  EXPECT_EQ(blamed(error, text), "t = f32[2,3] transpose(a), dimensions={1,0}");
}

TEST(Verifier, LeavesLayoutsAndDynamicMarksAlone) {
  EXPECT_EQ(message_of(entry(
                "a = f32[2,3]{0,1} parameter(0)\n ROOT t = f32[2,3]{1,0:T(8,128)} negate(a)")),
            "");
  EXPECT_EQ(message_of(entry("a = f32[<=2,3] parameter(0)\n ROOT t = f32[<=2,3] negate(a)")), "");
}

TEST(Verifier, ChecksEveryComputation) {
  EXPECT_THAT(message_of("HloModule m\nf { a = f32[2] parameter(0) r = f32[3] negate(a) }\n"
                         "ENTRY e { a = f32[2] parameter(0) }"),
              HasSubstr("'negate': the result has the shape f32[2], not f32[3]"));
}

TEST(Verifier, ChecksTheEntryLayout) {
  const auto message = [](std::string_view layout) {
    return message_of("HloModule m, entry_computation_layout=" + std::string(layout) +
                      "\nENTRY e { a = f32[2,3] parameter(0) ROOT r = (f32[2,3]) tuple(a) }");
  };
  EXPECT_EQ(message("{(f32[2,3]{1,0})->(f32[2,3]{0,1})}"), "");
  EXPECT_EQ(message("{( /*index=0*/f32[2,3] ) -> (f32[2,3])}"), "");
  EXPECT_THAT(message("{(f32[3,2]{1,0})->(f32[2,3]{0,1})}"),
              HasSubstr("has parameter 0 of the shape f32[2,3], not f32[3,2]"));
  EXPECT_THAT(message("{(f32[2,3])->f32[2,3]}"),
              HasSubstr("has a result of the shape (f32[2,3]), not f32[2,3]"));
  EXPECT_THAT(message("{()->(f32[2,3])}"), HasSubstr("has 1 parameters, not 0"));
  EXPECT_THAT(message("{x}"), HasSubstr("entry_computation_layout: expected '('"));
  const std::string text =
      "HloModule m, entry_computation_layout={()->()}\n"
      "ENTRY e { a = f32[2,3] parameter(0) }";
  EXPECT_EQ(blamed(error_of(text), text), "{()->()}");
}

// The places where Mercator reads more than XLA does.
TEST(Verifier, TakesWhatXlaTakesNot) {
  EXPECT_EQ(message_of(R"(HloModule m
sum{x=f32[]parameter(0)y=f32[]parameter(1)ROOT s=f32[]add(x,y)}
fused {
  nan = f32[2,3] parameter(0)
  unused = f32[2,3] negate(nan)
  ROOT r = f32[2,3] abs(nan)
}
ENTRY e {
  a=f32[2,3] parameter(0)
  z=f32[] constant(0)
  b=f32[3,2] broadcast(a), dimensions={1,0}
  c=f32[] reduce(a, z), dimensions={1,0}, to_apply=sum
  d=f32[] dynamic-slice(c), dynamic_slice_sizes={}
  k=s32[0,1] constant({})
  ROOT f=f32[2,3] fusion(a), kind=kLoop, calls=fused
})"),
            "");
}

TEST(Verifier, AsyncPairsMustBelongTogether) {
  const std::string program = R"(HloModule m
w { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }
ENTRY e {
  p = f32[2] parameter(0)
  s = ((f32[2]), f32[2], u32[]) async-start(p), calls=w
  u = ((f32[2]), f32[2], u32[]) async-update(s)
  ROOT d = SHAPE async-done(u)
})";
  const auto with = [&](std::string_view shape) {
    std::string text = program;
    return text.replace(text.find("SHAPE"), 5, shape);
  };
  EXPECT_EQ(message_of(with("f32[2]")), "");
  EXPECT_EQ(message_of(with("f32[3]")),
            "'async-done': the result has the shape f32[2], not f32[3]");
}

TEST(Verifier, NamesTheAttributeThatWasMeant) {
  const Error error = error_of(
      "HloModule m\nsum { x = f32[] parameter(0) y = f32[] parameter(1) "
      "ROOT s = f32[] add(x, y) }\nENTRY e { a = f32[2] parameter(0)\n"
      "z = f32[] constant(0)\n"
      "ROOT r = f32[] reduce(a, z), dimension={0}, to_apply=sum }");
  EXPECT_EQ(error.message, "'reduce': the attribute 'dimensions' is missing");
  EXPECT_EQ(error.hint, "is 'dimension' meant for it?");
}

}  // namespace
}  // namespace mercator::hlo
