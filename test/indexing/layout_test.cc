// Layouts: bitcasts and positions in memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;

AnalyzedModule bitcast(std::string_view from, std::string_view to) {
  return AnalyzedModule("HloModule m\nENTRY e {\n p0 = " + std::string(from) +
                        " parameter(0)\n ROOT b = " + std::string(to) + " bitcast(p0)\n}\n");
}

TEST(Bitcast, TransposeOfTheLayout) {
  auto m = bitcast("f32[4,8]{0,1}", "f32[8,4]{1,0}");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]"));
}

TEST(Bitcast, OrderOfDimensionsAndSizes) {
  // In memory p0 is [3][4][2], and the result is [12][2].
  auto m = bitcast("f32[2,3,4]{0,2,1}", "f32[2,12]{0,1}");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0, d1 floordiv 4, d1 mod 4), domain: "
                                    "d0 in [0, 1], d1 in [0, 11]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2) -> (d0, d1 * 4 + d2), domain: d0 in [0, 1], "
                                    "d1 in [0, 2], d2 in [0, 3]"));
}

TEST(Bitcast, ToNarrowerAndWiderElements) {
  auto narrower = bitcast("s32[3,5]{0,1}", "s16[5,6]{1,0}");
  EXPECT_THAT(narrower.o2i(0), ElementsAre("(d0, d1) -> (d1 floordiv 2, d0), domain: "
                                           "d0 in [0, 4], d1 in [0, 5]"));
  EXPECT_THAT(narrower.i2o(0), ElementsAre("(d0, d1)[s0] -> (d1, d0 * 2 + s0), domain: "
                                           "d0 in [0, 2], d1 in [0, 4], s0 in [0, 1]"));
  auto wider = bitcast("u8[24]{0}", "f32[6]{0}");
  EXPECT_THAT(wider.o2i(0),
              ElementsAre("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 5], s0 in [0, 3]"));
  EXPECT_THAT(wider.i2o(0), ElementsAre("(d0) -> (d0 floordiv 4), domain: d0 in [0, 23]"));
}

TEST(Bitcast, TiledLayouts) {
  // Two rows of two tiles; the last column of tiles has one column of padding.
  auto m = bitcast("f32[4,5]{1,0:T(2,3)}", "f32[4,2,3]{2,1,0}");
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1) -> ((d0 floordiv 2) * 2 + d1 floordiv 3, d0 mod 2, d1 mod 3), "
                          "domain: d0 in [0, 3], d1 in [0, 4]"));
  const std::vector<std::string> maps = m.o2i(0);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_NE(maps[0].find("in [0, 4]"), std::string::npos) << maps[0];
}

TEST(Bitcast, DifferentSizesAreNotKnown) {
  auto m = bitcast("f32[4,5]{1,0:T(2,3)}", "f32[20]{0}");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("unknown: the bitcast is between arrays of different size in memory"));
}

// ---- positions ----

std::string position(std::string_view shape) {
  AnalyzedModule m("HloModule m\nENTRY e {\n ROOT p = " + std::string(shape) +
                   " parameter(0)\n}\n");
  const Result<IndexMap> map = m.analysis().physical_position(m.root().shape);
  return map.has_value() ? to_string(*map, MapStyle::kOneLine) : map.error().message;
}

TEST(PhysicalPosition, OrderOfDimensions) {
  EXPECT_EQ(position("f32[4,8]"), "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(position("f32[4,8]{0,1}"),
            "(d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(position("f32[]"), "() -> (0)");
  EXPECT_EQ(position("f32[0,3]"), "KNOWN EMPTY");
}

// Every element of a [6,7,10] array has its own position, and they lie where a layout by tiles puts
// them.
TEST(PhysicalPosition, Tiles) {
  AnalyzedModule m(
      "HloModule m\nENTRY e {\n ROOT p = f32[6,7,10]{2,0,1:T(4,8)(2,1)} parameter(0)\n}");
  const Result<IndexMap> map = m.analysis().physical_position(m.root().shape);
  ASSERT_TRUE(map.has_value()) << map.error().message;
  std::set<std::int64_t> positions;
  for (std::int64_t a = 0; a < 6; ++a) {
    for (std::int64_t b = 0; b < 7; ++b) {
      for (std::int64_t c = 0; c < 10; ++c) {
        // Major to minor: b, a, c. Tiles of 4x8 over (a, c), then of 2x1 within a tile.
        const std::int64_t tile = (b * 2 + a / 4) * 2 + c / 8;
        const std::int64_t row = a % 4;
        const std::int64_t column = c % 8;
        const std::int64_t expected = tile * 32 + (row / 2) * 16 + column * 2 + row % 2;
        const std::int64_t point[] = {a, b, c};
        const auto actual = evaluate(*map, {.dimensions = point});
        ASSERT_TRUE(actual.has_value());
        EXPECT_THAT(*actual, ElementsAre(expected));
        positions.insert((*actual)[0]);
      }
    }
  }
  EXPECT_EQ(positions.size(), 6U * 7U * 10U);
}

TEST(PhysicalPosition, TilesThatJoinDimensions) {
  AnalyzedModule m("HloModule m\nENTRY e {\n ROOT p = f32[3,4,5]{2,1,0:T(2,*,8)} parameter(0)\n}");
  const Result<IndexMap> map = m.analysis().physical_position(m.root().shape);
  ASSERT_TRUE(map.has_value()) << map.error().message;
  for (std::int64_t a = 0; a < 3; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::int64_t c = 0; c < 5; ++c) {
        // [3,20] in tiles of 2x8: 3 tiles in a row of tiles.
        const std::int64_t joined = b * 5 + c;
        const std::int64_t expected = ((a / 2) * 3 + joined / 8) * 16 + (a % 2) * 8 + joined % 8;
        const std::int64_t point[] = {a, b, c};
        const auto actual = evaluate(*map, {.dimensions = point});
        ASSERT_TRUE(actual.has_value());
        EXPECT_THAT(*actual, ElementsAre(expected));
      }
    }
  }
}

TEST(PhysicalPosition, NotSupported) {
  AnalyzedModule m("HloModule m\nENTRY e {\n ROOT p = f32[4]{0:T(2,3)} parameter(0)\n}");
  const Result<IndexMap> map = m.analysis().physical_position(m.root().shape);
  ASSERT_FALSE(map.has_value());
  EXPECT_EQ(map.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace mercator::testing
