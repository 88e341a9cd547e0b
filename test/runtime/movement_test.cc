#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

TEST(Movement, BroadcastRepeatsAlongNewDimensions) {
  EXPECT_EQ(result_of("p = s32[2] parameter(0) ROOT r = s32[2,3] broadcast(p), dimensions={0}",
                      {"s32[2] {7, 8}"}),
            "s32[2,3] { {7, 7, 7}, {8, 8, 8} }");
  EXPECT_EQ(result_of("p = s32[2,3] parameter(0) "
                      "ROOT r = s32[3,2] broadcast(p), dimensions={1,0}",
                      {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}),
            "s32[3,2] { {1, 4}, {2, 5}, {3, 6} }");
}

TEST(Movement, ReshapeKeepsRowMajorOrder) {
  EXPECT_EQ(result_of("p = u8[2,3] parameter(0) ROOT r = u8[3,2] reshape(p)",
                      {"u8[2,3] {{1, 2, 3}, {4, 5, 6}}"}),
            "u8[3,2] { {1, 2}, {3, 4}, {5, 6} }");
}

TEST(Movement, LayoutsHaveNoEffect) {
  EXPECT_EQ(result_of("p = u8[2,3]{0,1} parameter(0) ROOT r = u8[3,2]{0,1} reshape(p)",
                      {"u8[2,3] {{1, 2, 3}, {4, 5, 6}}"}),
            "u8[3,2] { {1, 2}, {3, 4}, {5, 6} }");
}

TEST(Movement, TransposePutsTheNamedDimensionFirst) {
  EXPECT_EQ(result_of("p = s16[1,2,3] parameter(0) "
                      "ROOT r = s16[3,1,2] transpose(p), dimensions={2,0,1}",
                      {"s16[1,2,3] {{{1, 2, 3}, {4, 5, 6}}}"}),
            "s16[3,1,2] { { {1, 4} }, { {2, 5} }, { {3, 6} } }");
}

TEST(Movement, SliceTakesEveryStrideThElement) {
  EXPECT_EQ(result_of("p = s32[7] parameter(0) ROOT r = s32[2] slice(p), slice={[1:6:3]}",
                      {"s32[7] {0, 1, 2, 3, 4, 5, 6}"}),
            "s32[2] {1, 4}");
  EXPECT_EQ(result_of("p = s32[3] parameter(0) "
                      "ROOT r = s32[1] slice(p), slice={[2:3:9223372036854775807]}",
                      {"s32[3] {0, 1, 2}"}),
            "s32[1] {2}");
  EXPECT_EQ(result_of("p = s32[3] parameter(0) ROOT r = s32[0] slice(p), slice={[3:3]}",
                      {"s32[3] {0, 1, 2}"}),
            "s32[0] {}");
}

TEST(Movement, DynamicSliceIsMovedInside) {
  const char* const program =
      "p = s32[4] parameter(0) i = s8[] parameter(1) "
      "ROOT r = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}";
  EXPECT_EQ(result_of(program, {"s32[4] {0, 1, 2, 3}", "s8[] 1"}), "s32[2] {1, 2}");
  EXPECT_EQ(result_of(program, {"s32[4] {0, 1, 2, 3}", "s8[] 100"}), "s32[2] {2, 3}");
  EXPECT_EQ(result_of(program, {"s32[4] {0, 1, 2, 3}", "s8[] -1"}), "s32[2] {0, 1}");
}

TEST(Movement, UnsignedStartsBeyondInt64AreLarge) {
  EXPECT_EQ(result_of("p = s32[4] parameter(0) i = u64[] parameter(1) "
                      "ROOT r = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
                      {"s32[4] {0, 1, 2, 3}", "u64[] 18446744073709551615"}),
            "s32[2] {2, 3}");
}

TEST(Movement, DynamicUpdateSliceIsMovedInside) {
  const char* const program =
      "p = s32[2,3] parameter(0) u = s32[1,2] parameter(1) i = s32[] parameter(2) "
      "j = s32[] parameter(3) ROOT r = s32[2,3] dynamic-update-slice(p, u, i, j)";
  EXPECT_EQ(result_of(program, {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[1,2] {{8, 9}}", "s32[] 1",
                                "s32[] 7"}),
            "s32[2,3] { {1, 2, 3}, {4, 8, 9} }");
}

TEST(Movement, UpdatesDoNotChangeWhatOthersRead) {
  EXPECT_EQ(result_of("p = s32[3] parameter(0) c = s32[1] constant({9}) z = s32[] constant(0) "
                      "u = s32[3] dynamic-update-slice(p, c, z) "
                      "ROOT r = s32[6] concatenate(p, u), dimensions={0}",
                      {"s32[3] {1, 2, 3}"}),
            "s32[6] {1, 2, 3, 9, 2, 3}");
}

TEST(Movement, PadsLowHighAndBetween) {
  EXPECT_EQ(result_of("p = s32[3] parameter(0) v = s32[] constant(0) "
                      "ROOT r = s32[8] pad(p, v), padding=1_2_1",
                      {"s32[3] {1, 2, 3}"}),
            "s32[8] {0, 1, 0, 2, 0, 3, 0, 0}");
}

TEST(Movement, NegativePaddingCuts) {
  EXPECT_EQ(result_of("p = s32[4] parameter(0) v = s32[] constant(0) "
                      "ROOT r = s32[4] pad(p, v), padding=-1_1_0",
                      {"s32[4] {1, 2, 3, 4}"}),
            "s32[4] {2, 3, 4, 0}");
}

TEST(Movement, NegativePaddingCutsBetweenElementsToo) {
  // 1 0 0 2 0 0 3, without the first two and the last.
  EXPECT_EQ(result_of("p = s32[3] parameter(0) v = s32[] constant(0) "
                      "ROOT r = s32[4] pad(p, v), padding=-2_-1_2",
                      {"s32[3] {1, 2, 3}"}),
            "s32[4] {0, 2, 0, 0}");
  EXPECT_EQ(result_of("p = s32[2] parameter(0) v = s32[] constant(5) "
                      "ROOT r = s32[1] pad(p, v), padding=-3_2_0",
                      {"s32[2] {1, 2}"}),
            "s32[1] {5}");
}

TEST(Movement, ConcatenateSkipsWhatIsEmpty) {
  EXPECT_EQ(result_of("a = s32[1,2] parameter(0) b = s32[1,0] parameter(1) "
                      "ROOT r = s32[1,4] concatenate(a, b, a), dimensions={1}",
                      {"s32[1,2] {{1, 2}}", "s32[1,0] {{}}"}),
            "s32[1,4] { {1, 2, 1, 2} }");
}

TEST(Movement, ReverseOfSomeDimensions) {
  EXPECT_EQ(result_of("p = s32[2,3] parameter(0) ROOT r = s32[2,3] reverse(p), dimensions={1}",
                      {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}),
            "s32[2,3] { {3, 2, 1}, {6, 5, 4} }");
  EXPECT_EQ(result_of("p = s32[0,3] parameter(0) ROOT r = s32[0,3] reverse(p), dimensions={0,1}",
                      {"s32[0,3] {}"}),
            "s32[0,3] {}");
}

TEST(Movement, IotaCountsAlongOneDimension) {
  EXPECT_EQ(result_of("ROOT r = bf16[2,3] iota(), iota_dimension=1"),
            "bf16[2,3] { {0, 1, 2}, {0, 1, 2} }");
  EXPECT_EQ(result_of("ROOT r = c64[2] iota(), iota_dimension=0"), "c64[2] {(0, 0), (1, 0)}");
}

TEST(Movement, EveryElementSizeMoves) {
  EXPECT_EQ(result_of("p = c128[2] parameter(0) ROOT r = c128[2] reverse(p), dimensions={0}",
                      {"c128[2] {(1, 2), (3, 4)}"}),
            "c128[2] {(3, 4), (1, 2)}");
  EXPECT_EQ(result_of("p = s4[2] parameter(0) ROOT r = s4[2] reverse(p), dimensions={0}",
                      {"s4[2] {-8, 7}"}),
            "s4[2] {7, -8}");
}

TEST(Movement, DynamicSizesAreThoseOfTheData) {
  EXPECT_EQ(result_of("p = s32[4] parameter(0) n = s32[] parameter(1) "
                      "d = s32[<=4] set-dimension-size(p, n), dimensions={0} "
                      "ROOT r = s32[] get-dimension-size(d), dimensions={0}",
                      {"s32[4] {1, 2, 3, 4}", "s32[] 3"}),
            "s32[] 3");
  EXPECT_EQ(result_of("p = s32[2,3] parameter(0) n = s32[] parameter(1) "
                      "d = s32[2,<=3] set-dimension-size(p, n), dimensions={1} "
                      "ROOT r = s32[<=6] reshape(d)",
                      {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[] 2"}),
            "s32[4] {1, 2, 4, 5}");
}

TEST(Movement, PaddingMayReachTheEndsOfInt64) {
  EXPECT_EQ(result_of("p = s8[5] parameter(0) z = s8[] constant(9) ROOT r = s8[4] pad(p, z), "
                      "padding=-9223372036854775808_9223372036854775807",
                      {"s8[5] {1, 2, 3, 4, 5}"}),
            "s8[4] {9, 9, 9, 9}");
  EXPECT_EQ(result_of("p = f32[1] parameter(0) z = f32[] constant(9) ROOT r = f32[3] pad(p, z), "
                      "padding=1_1_9223372036854775807",
                      {"f32[1] {1}"}),
            "f32[3] {9, 1, 9}");
}

TEST(Movement, AnIotaOfNothingTakesNoMemory) {
  EXPECT_EQ(result_of("a = f32[200000000000000000,0] iota(), iota_dimension=0 "
                      "ROOT r = f32[2,0] slice(a), slice={[0:2], [0:0]}"),
            "f32[2,0] { {}, {} }");
}

TEST(Movement, SizesThatAreToldFitS32) {
  const auto told = [](const std::string& size) {
    return result_of("a = f32[" + size + ",0] iota(), iota_dimension=0 " +
                     "ROOT r = s32[] get-dimension-size(a), dimensions={0}");
  };
  EXPECT_EQ(told("2147483647"), "s32[] 2147483647");
  EXPECT_EQ(told("2147483648"), "'r': the size 2147483648 does not fit s32");
}

}  // namespace
}  // namespace mercator::runtime
