#include "mercator/hlo/shape.h"

#include <gmock/gmock.h>

#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ShapeTest : public ::testing::Test {
 protected:
  Shape shape(std::string_view text) {
    Result<Shape> result = parse_shape(text, arena_);
    if (result) return *result;
    ADD_FAILURE() << text << ": " << result.error().message;
    return {};
  }
  std::string message(std::string_view text) {
    Result<Shape> result = parse_shape(text, arena_);
    return result ? "" : result.error().message;
  }

  Arena arena_;
};

TEST_F(ShapeTest, ReadsArrays) {
  const Shape s = shape("f32[10,20]{1,0}");
  EXPECT_TRUE(s.is_array());
  EXPECT_EQ(s.element_type, ElementType::kF32);
  EXPECT_THAT(s.dimensions, ElementsAre(10, 20));
  EXPECT_EQ(s.rank(), 2);
  EXPECT_EQ(s.element_count(), 200);
  ASSERT_NE(s.layout, nullptr);
  EXPECT_THAT(s.layout->minor_to_major, ElementsAre(1, 0));
  EXPECT_EQ(shape("pred[]").rank(), 0);
  EXPECT_EQ(shape("pred[]").element_count(), 1);
  EXPECT_EQ(shape("s8[3,0,5]").element_count(), 0);
}

TEST_F(ShapeTest, ReadsEveryElementType) {
  for (const std::string_view type : {"pred",
                                      "s1",
                                      "s2",
                                      "s4",
                                      "s8",
                                      "s16",
                                      "s32",
                                      "s64",
                                      "u1",
                                      "u2",
                                      "u4",
                                      "u8",
                                      "u16",
                                      "u32",
                                      "u64",
                                      "f16",
                                      "bf16",
                                      "f32",
                                      "f64",
                                      "f8e5m2",
                                      "f8e4m3",
                                      "f8e4m3fn",
                                      "f8e4m3b11fnuz",
                                      "f8e3m4",
                                      "f8e5m2fnuz",
                                      "f8e4m3fnuz",
                                      "f4e2m1fn",
                                      "f8e8m0fnu",
                                      "c64",
                                      "c128"}) {
    const std::string text = std::string(type) + "[2]";
    EXPECT_EQ(to_string(shape(text)), text);
    EXPECT_EQ(name(shape(text).element_type), type);
    EXPECT_EQ(element_type(type), shape(text).element_type);
  }
  EXPECT_EQ(element_type("f33"), std::nullopt);
  EXPECT_EQ(element_type(""), std::nullopt);
}

TEST_F(ShapeTest, ClassifiesElementTypes) {
  EXPECT_TRUE(is_integral(ElementType::kS1) && is_integral(ElementType::kU64));
  EXPECT_FALSE(is_integral(ElementType::kPred) || is_integral(ElementType::kF16));
  EXPECT_TRUE(is_signed(ElementType::kS64) && is_signed(ElementType::kS1));
  EXPECT_FALSE(is_signed(ElementType::kU1) || is_signed(ElementType::kF32));
  EXPECT_TRUE(is_floating(ElementType::kF16) && is_floating(ElementType::kF8e8m0fnu));
  EXPECT_FALSE(is_floating(ElementType::kC64) || is_floating(ElementType::kU64));
  EXPECT_TRUE(is_complex(ElementType::kC64) && is_complex(ElementType::kC128));
  EXPECT_FALSE(is_complex(ElementType::kF64));
  EXPECT_EQ(bit_width(ElementType::kS4), 4);
  EXPECT_EQ(bit_width(ElementType::kC128), 128);
}

TEST_F(ShapeTest, TakesSpaceAndComments) {
  EXPECT_EQ(to_string(shape(" f32[10, 20] { 1, 0 } ")), "f32[10,20]{1,0}");
  EXPECT_EQ(to_string(shape("(f32[], /*index=1*/s32[2] {0})")), "(f32[], s32[2]{0})");
}

TEST_F(ShapeTest, ReadsDynamicDimensions) {
  const Shape s = shape("f32[<=10,20,<=5]");
  EXPECT_THAT(s.dimensions, ElementsAre(10, 20, 5));
  EXPECT_THAT(s.dynamic, ElementsAre(true, false, true));
  EXPECT_EQ(to_string(s), "f32[<=10,20,<=5]");
  EXPECT_TRUE(shape("f32[10]").dynamic.empty());
}

TEST_F(ShapeTest, ReadsTuplesAndOthers) {
  const Shape s = shape("((f32[2], token[]), opaque[], b(s8[3]))");
  ASSERT_TRUE(s.is_tuple());
  ASSERT_EQ(s.elements.size(), 3);
  EXPECT_TRUE(s.elements[0].is_tuple());
  EXPECT_EQ(s.elements[0].elements[1].kind, ShapeKind::kToken);
  EXPECT_EQ(s.elements[1].kind, ShapeKind::kOpaque);
  EXPECT_EQ(s.elements[2].kind, ShapeKind::kBuffer);
  EXPECT_EQ(to_string(s), "((f32[2], token[]), opaque[], b(s8[3]))");
  EXPECT_EQ(to_string(shape("()")), "()");
}

TEST_F(ShapeTest, ReadsLayouts) {
  const Shape s = shape("bf16[8,128]{1,0:T(8,128)(2,1)E(16)S(5)}");
  ASSERT_NE(s.layout, nullptr);
  ASSERT_EQ(s.layout->tiles.size(), 2);
  EXPECT_THAT(s.layout->tiles[0].dimensions, ElementsAre(8, 128));
  EXPECT_THAT(s.layout->tiles[1].dimensions, ElementsAre(2, 1));
  EXPECT_EQ(s.layout->element_size_in_bits, 16);
  EXPECT_EQ(s.layout->memory_space, 5);
  EXPECT_EQ(to_string(s), "bf16[8,128]{1,0:T(8,128)(2,1)E(16)S(5)}");
  EXPECT_EQ(to_string(s, /*layout=*/false), "bf16[8,128]");

  EXPECT_THAT(shape("f32[2,3]{1,0:T(*,128)}").layout->tiles[0].dimensions,
              ElementsAre(LayoutTile::kCombine, 128));
  for (const std::string_view text :
       {"f32[2,3]{0,1}", "f32[2,3]{1,0:T(*,128)}", "f32[]{:S(1)}", "f32[2]{0:D(D)T(2)S(1)}",
        "f32[2,3]{1,0:D(D,C)T(8)L(4)#(u32)*(u8)E(32)S(1)SC(0:1)(1:2)M(8)}",
        "f32[2]{0:L(4)S(1)M(8)}", "f32[2]{0:D(C~)P(f32[2]{0})}"}) {
    EXPECT_EQ(to_string(shape(text)), text);
  }
}

TEST_F(ShapeTest, DefaultsToMajorToMinor) {
  EXPECT_EQ(shape("f32[2,3]").layout, nullptr);
  EXPECT_THAT(minor_to_major(shape("f32[2,3,4]")), ElementsAre(2, 1, 0));
  EXPECT_THAT(minor_to_major(shape("f32[2,3,4]{0,2,1}")), ElementsAre(0, 2, 1));
  EXPECT_TRUE(identical(shape("f32[2,3]"), shape("f32[2,3]{1,0}")));
  EXPECT_FALSE(identical(shape("f32[2,3]"), shape("f32[2,3]{0,1}")));
  EXPECT_FALSE(identical(shape("f32[2]"), shape("f32[2]{0:S(1)}")));
  EXPECT_FALSE(identical(shape("f32[2]{0:T(2)}"), shape("f32[2]{0:T(4)}")));
  EXPECT_FALSE(identical(shape("f32[<=2]"), shape("f32[2]")));
  EXPECT_TRUE(same_type_and_dimensions(shape("f32[<=2]{0:S(1)}"), shape("f32[2]")));
}

TEST_F(ShapeTest, ComparesTypesAndDimensions) {
  EXPECT_TRUE(same_type_and_dimensions(shape("(f32[2], (s32[]))"), shape("(f32[2]{0}, (s32[]))")));
  EXPECT_FALSE(same_type_and_dimensions(shape("(f32[2], (s32[]))"), shape("(f32[2], (s8[]))")));
  EXPECT_FALSE(same_type_and_dimensions(shape("(f32[2])"), shape("f32[2]")));
  EXPECT_FALSE(same_type_and_dimensions(shape("f32[2,3]"), shape("f32[3,2]")));
  EXPECT_FALSE(same_type_and_dimensions(shape("token[]"), shape("opaque[]")));
  EXPECT_FALSE(same_type_and_dimensions(shape("(s8[], s8[])"), shape("(s8[])")));
}

TEST_F(ShapeTest, ListsLeaves) {
  const std::vector<ShapeLeaf> found = leaves(shape("(f32[1], (f32[2], token[]), ())"));
  ASSERT_EQ(found.size(), 3);
  EXPECT_THAT(found[0].index, ElementsAre(0));
  EXPECT_THAT(found[1].index, ElementsAre(1, 0));
  EXPECT_THAT(found[2].index, ElementsAre(1, 1));
  EXPECT_EQ(to_string(found[1].shape), "f32[2]");
  ASSERT_EQ(leaves(shape("f32[7]")).size(), 1);
  EXPECT_THAT(leaves(shape("f32[7]"))[0].index, ElementsAre());
}

TEST_F(ShapeTest, CopiesOutliveTheirArena) {
  Arena kept;
  Shape copied;
  const std::string text = "(f32[<=2,3]{0,1:T(4)L(2)}, (s4[5]))";
  {
    Arena gone;
    copied = copy(*parse_shape(text, gone), kept);
  }
  EXPECT_EQ(to_string(copied), text);
}

TEST_F(ShapeTest, RefusesWhatIsNoShape) {
  EXPECT_EQ(message("f33[2]"), "'f33' is not an element type");
  EXPECT_THAT(message("f32"), HasSubstr("expected '['"));
  EXPECT_THAT(message("f32[2"), HasSubstr("expected ']'"));
  EXPECT_THAT(message("f32[-2]"), HasSubstr("expected the size of a dimension, found '-"));
  EXPECT_THAT(message("f32[2]{1}"), HasSubstr("not a permutation"));
  EXPECT_THAT(message("f32[2,2]{0,0}"), HasSubstr("not a permutation"));
  EXPECT_THAT(message("f32[2,2]{0}"), HasSubstr("1 dimensions and the shape has 2"));
  EXPECT_THAT(message("f32[2]{0:Q(1)}"), HasSubstr("expected a part of a layout"));
  EXPECT_THAT(message("f32[2]{0:S(1)T(2)}"), HasSubstr("out of order"));
  EXPECT_THAT(message("f32[2]{0:S(1)S(1)}"), HasSubstr("twice"));
  EXPECT_THAT(message("token[2]"), HasSubstr("no dimensions"));
  EXPECT_THAT(message("f32[?]"), HasSubstr("without a bound"));
  EXPECT_THAT(message("(f32[2]"), HasSubstr("expected ')'"));
  EXPECT_THAT(message("b((f32[]))"), HasSubstr("a buffer holds an array"));
  EXPECT_THAT(message("f32[2] f32[3]"), HasSubstr("expected the end"));
  EXPECT_THAT(message(""), HasSubstr("expected a shape, found the end"));
  EXPECT_EQ(error_of("HloModule m ENTRY e { a = f23[2] parameter(0) }").hint,
            "did you mean 'f32'?");
}

TEST_F(ShapeTest, RefusesWhatIsTooLarge) {
  EXPECT_EQ(message("f32[99999999999999999999]"), "the number is too large");
  EXPECT_EQ(message("f32[4294967296,4294967296]"), "the array is too large");
  EXPECT_EQ(message("f32[0,4294967296,4294967296]"), "the array is too large");
  EXPECT_EQ(message("s8[1152921504606846976]"), "the array is too large");
  EXPECT_EQ(message("s8[1152921504606846975]"), "");
  EXPECT_THAT(message("f32[" + std::string(300, '1') + "]"), HasSubstr("too large"));
  std::string many = "f32[1";
  for (int i = 0; i < 100; ++i) many += ",1";
  EXPECT_THAT(message(many + "]"), HasSubstr("more than 64 dimensions"));
}

TEST_F(ShapeTest, RefusesDeepNesting) {
  EXPECT_EQ(message(std::string(100, '(') + std::string(100, ')')), "");
  EXPECT_THAT(message(std::string(1'000'000, '(')), HasSubstr("nested too deeply"));
  std::string buffers;
  for (int i = 0; i < 100'000; ++i) buffers += "b(";
  EXPECT_THAT(message(buffers), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace mercator::hlo
