#include "test/runtime/interpreter_testing.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

std::string bitcast(std::string_view opcode, const std::string& from, const std::string& to,
                    const std::string& argument) {
  return result_of(
      "p = " + from + " parameter(0)\nROOT r = " + to + " " + std::string(opcode) + "(p)",
      {argument});
}

TEST(Bitcast, FollowsTheOrderInMemory) {
  // 1 … 6 lie in memory as they are written; the result has its rows beside each other.
  EXPECT_EQ(bitcast("bitcast", "f32[2,3]{1,0}", "f32[3,2]{0,1}", "f32[2,3] {{1,2,3},{4,5,6}}"),
            "f32[3,2] { {1, 4}, {2, 5}, {3, 6} }");
  // Here memory has 1 4 2 5 3 6.
  EXPECT_EQ(bitcast("bitcast", "f32[2,3]{0,1}", "f32[6]{0}", "f32[2,3] {{1,2,3},{4,5,6}}"),
            "f32[6] {1, 4, 2, 5, 3, 6}");
  EXPECT_EQ(bitcast("bitcast", "f32[2,3]", "f32[3,2]", "f32[2,3] {{1,2,3},{4,5,6}}"),
            "f32[3,2] { {1, 2}, {3, 4}, {5, 6} }");
}

TEST(Bitcast, MayChangeTheWidthOfElements) {
  EXPECT_EQ(bitcast("bitcast", "u8[2,2]", "u16[2]", "u8[2,2] {{1,2},{3,4}}"), "u16[2] {513, 1027}");
  // Column-major, so that 1 and 3 are neighbours.
  EXPECT_EQ(bitcast("bitcast", "u8[2,2]{0,1}", "u16[2]{0}", "u8[2,2] {{1,2},{3,4}}"),
            "u16[2] {769, 1026}");
}

TEST(Bitcast, PackedElementsShareBytes) {
  // 0xE1: 1 in the low bits, -2 in the high ones.
  EXPECT_EQ(bitcast("bitcast", "u8[2]{0}", "s4[4]{0:E(4)}", "u8[2] {225,127}"),
            "s4[4] {1, -2, -1, 7}");
  EXPECT_EQ(bitcast("bitcast", "s4[2,2]{0,1:E(4)}", "u8[2]{0}", "s4[2,2] {{1,2},{-2,-1}}"),
            "u8[2] {225, 242}");
}

TEST(Bitcast, EveryByteButZeroIsTrue) {
  // Whether the bytes stay in their order or not. The operand keeps its own.
  constexpr const char* kProgram = R"(HloModule m
ENTRY main {
  p = u8[2,2]{1,0} parameter(0)
  q = pred[2,2]{1,0} bitcast(p)
  c = pred[2,2]{0,1} bitcast(p)
  one = s32[2,2] convert(q)
  ROOT r = (pred[2,2], s32[2,2], pred[2,2], u8[2,2]) tuple(q, one, c, p)
})";
  EXPECT_THAT(
      results_of(kProgram, {"u8[2,2] {{0,1},{2,255}}"}),
      ::testing::ElementsAre("pred[2,2] { {0, 1}, {1, 1} }", "s32[2,2] { {0, 1}, {1, 1} }",
                             "pred[2,2] { {0, 1}, {1, 1} }", "u8[2,2] { {0, 1}, {2, 255} }"));
}

TEST(Bitcast, OfADynamicSizeIsRefused) {
  EXPECT_EQ(result_of("p = f32[4] parameter(0)\nn = s32[] parameter(1)\n"
                      "d = f32[<=4] set-dimension-size(p, n), dimensions={0}\n"
                      "ROOT r = f32[<=4,1] bitcast(d)",
                      {"f32[4] {1,2,3,4}", "s32[] 3"}),
            "'r': a bitcast of f32[3], which has a dynamic size, is not supported");
}

TEST(BitcastConvert, KeepsTheBitsOfEachElement) {
  EXPECT_EQ(bitcast("bitcast-convert", "f32[3]", "u32[3]", "f32[3] {1,-0,nan}"),
            "u32[3] {1065353216, 2147483648, 2143289344}");
  EXPECT_EQ(bitcast("bitcast-convert", "u4[3]", "s4[3]", "u4[3] {15,7,8}"), "s4[3] {-1, 7, -8}");
  EXPECT_EQ(bitcast("bitcast-convert", "s4[3]", "u4[3]", "s4[3] {-1,7,-8}"), "u4[3] {15, 7, 8}");
  EXPECT_EQ(bitcast("bitcast-convert", "s8[]", "u8[]", "s8[] -3"), "u8[] 253");
}

TEST(BitcastConvert, SplitsElementsTheLowestBitsFirst) {
  EXPECT_EQ(bitcast("bitcast-convert", "u32[1]", "u8[1,4]", "u32[1] {67305985}"),
            "u8[1,4] { {1, 2, 3, 4} }");
  EXPECT_EQ(bitcast("bitcast-convert", "u8[2]", "s4[2,2]", "u8[2] {225,127}"),
            "s4[2,2] { {1, -2}, {-1, 7} }");
  EXPECT_EQ(bitcast("bitcast-convert", "f32[]", "u16[2]", "f32[] 1"), "u16[2] {0, 16256}");
}

TEST(BitcastConvert, JoinsNeighboursInTheLastDimension) {
  EXPECT_EQ(bitcast("bitcast-convert", "u8[2,4]", "u32[2]", "u8[2,4] {{1,2,3,4},{0,0,128,63}}"),
            "u32[2] {67305985, 1065353216}");
  EXPECT_EQ(bitcast("bitcast-convert", "s4[1,2]", "u8[1]", "s4[1,2] {{1,-2}}"), "u8[1] {225}");
  EXPECT_EQ(bitcast("bitcast-convert", "u8[0,4]", "f32[0]", "u8[0,4] {}"), "f32[0] {}");
}

TEST(BitcastConvert, OfPartsOfAnElementIsRefused) {
  EXPECT_EQ(result_of("p = u8[4] parameter(0)\nn = s32[] parameter(1)\n"
                      "d = u8[<=4] set-dimension-size(p, n), dimensions={0}\n"
                      "ROOT r = u32[] bitcast-convert(d)",
                      {"u8[4] {1,2,3,4}", "s32[] 3"}),
            "'r': the last dimension of u8[3] is not 4");
}

}  // namespace
}  // namespace mercator::runtime
