// Tiles that a person can check.

#include "mercator/analysis/tile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/analysis/tile_search.h"
#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

// The tile of what `map` leads to, of strides 1; the array of the root has the sizes that the
// bounds of the dimensions leave.
std::string tile(std::string_view map_text, std::vector<std::int64_t> array = {},
                 const RootTile::Numbers& offsets = {}, const RootTile::Numbers& sizes = {}) {
  ExprContext context;
  const auto read = parse_index_map(map_text, context);
  if (!read) return read.error().message;
  const IndexMap map = simplify(*read);
  if (array.empty()) {
    for (const Variable& d : read->dimensions()) array.push_back(d.bounds.hi + 1);
  }
  const auto root = RootTile::make(context, array, offsets, sizes,
                                   RootTile::Numbers(array.size(), std::optional<std::int64_t>(1)));
  if (!root) return root.error().message;
  const Tile found = tile_of(map, *root);
  std::string text;
  const auto add = [&](std::string_view word, const std::vector<Constraint>& constraints) {
    for (const Constraint& c : constraints) text += fmt::format(" {} {}", word, to_string(c));
  };
  for (const TileCase& one : found.cases) {
    text += (text.empty() ? "" : " or ") + to_string(one.dimensions);
    add("if", one.conditions);
    add("unless empty", one.nonempty);
  }
  add("unless empty", found.nonempty);
  if (!found.otherwise.empty()) text += " else " + found.otherwise;
  return text;
}

TEST(Tile, OfElementwise) {
  EXPECT_EQ(tile("(d0, d1) -> (d0, d1), domain: d0 in [0, 63], d1 in [0, 127]"),
            "[offset0 +: size0, offset1 +: size1]");
}

TEST(Tile, OfBroadcastAndTranspose) {
  EXPECT_EQ(tile("(d0, d1) -> (d1), domain: d0 in [0, 63], d1 in [0, 127]"), "[offset1 +: size1]");
  EXPECT_EQ(tile("(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 127]"),
            "[offset1 +: size1, offset0 +: size0]");
}

TEST(Tile, OfSliceAndReverse) {
  EXPECT_EQ(tile("(d0) -> (d0 * 2 + 3), domain: d0 in [0, 9]"), "[offset0 * 2 + 3 +: size0 by 2]");
  EXPECT_EQ(tile("(d0) -> (-d0 + 15), domain: d0 in [0, 15]"), "[-offset0 - size0 + 16 +: size0]");
}

TEST(Tile, OfReduceAndDot) {
  EXPECT_EQ(tile("(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 11]"),
            "[offset0 +: size0, 0 +: 12]");
  EXPECT_EQ(tile("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 11]"),
            "[0 +: 12, offset1 +: size1]");
}

TEST(Tile, OfSplit) {
  EXPECT_EQ(tile("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]"),
            "[offset0 floordiv 12 +: size0 floordiv 12, 0 +: 12] if offset0 mod 12 = 0 if size0 "
            "mod 12 = 0 or [offset0 floordiv 12 +: 1, offset0 mod 12 +: size0] if "
            "size0 + offset0 mod 12 in [1, 12] else d0 is split by 12 within the tile");
  // Numbers decide.
  EXPECT_EQ(tile("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]", {}, {24}, {36}),
            "[2 +: 3, 0 +: 12]");
  EXPECT_EQ(tile("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]", {}, {24}, {4}),
            "[2 +: 1, 0 +: 4]");
  EXPECT_EQ(tile("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]", {}, {22}, {4}),
            " else d0 is split by 12 within the tile");
}

TEST(Tile, OfMerge) {
  EXPECT_EQ(tile("(d0, d1) -> (d0 * 12 + d1), domain: d0 in [0, 7], d1 in [0, 11]"),
            "[offset0 * 12 + offset1 +: size0 * 12] if size1 = 12 or [offset0 * 12 + offset1 +: "
            "size0 by 12] if size1 = 1 or [offset0 * 12 + offset1 +: size1] if size0 = 1 else the "
            "sums of d0 and d1 are not evenly spaced");
}

TEST(Tile, OfConcatenate) {
  EXPECT_EQ(
      tile("(d0) -> (d0 - 8), domain: d0 in [8, 19]", {20}),
      "[max(offset0, 8) - 8 +: offset0 + size0 - max(offset0, 8)] unless empty offset0 + size0 "
      ">= 9");
  EXPECT_EQ(tile("(d0) -> (d0 - 8), domain: d0 in [8, 19]", {20}, {6}, {4}), "[0 +: 2]");
  EXPECT_EQ(tile("(d0) -> (d0 - 8), domain: d0 in [8, 19]", {20}, {0}, {8}),
            "[0 +: 0] unless empty 0 = 1");
}

TEST(Tile, OfPad) {
  // Interior padding of one: every other element is there.
  EXPECT_EQ(
      tile("(d0) -> (d0 floordiv 2), domain: d0 in [0, 18], d0 mod 2 in [0, 0]", {}, {3}, {4}),
      "[2 +: 2]");
}

TEST(Tile, OfWindow) {
  // As long as windows touch.
  EXPECT_EQ(tile("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 7], s0 in [0, 2]"),
            "[offset0 * 2 +: size0 * 2 + 1]");
  // They do not, and leave gaps.
  EXPECT_EQ(tile("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 2]"),
            "[offset0 * 4 +: 3] if size0 = 1 else the sums of d0 and s0 are not evenly spaced");
  // Padding is not read.
  EXPECT_EQ(
      tile("(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [1, 10]", {},
           {0}, {4}),
      "[0 +: 5]");
}

TEST(Tile, OfDynamicSlice) {
  EXPECT_EQ(tile("(d0, d1){rt0} -> (d0 + rt0, d1), domain: d0 in [0, 9], d1 in [0, 63], rt0 in [0, "
                 "22]"),
            "[offset0 + rt0 +: size0, offset1 +: size1]");
}

// The one value of s0 that the remainder leaves meets the equation, or not: it is on both sides.
TEST(Tile, OfAnEquationWithAQuotient) {
  constexpr std::string_view kMap =
      "(d0)[s0]{rt0} -> (0), domain: d0 in [0, 4], s0 in [0, 3], rt0 in [0, 4], (d0 + s0) mod 4 in "
      "[0, 0], s0 - rt0 + (d0 + s0) floordiv 4 in [0, 0]";
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(kMap, context));
  const std::vector<std::int64_t> array = {5};
  const Tile found = tile_of(map, RootTile(context, array));
  for (const std::int64_t rt0 : {0, 1, 2, 3, 4}) {
    const std::vector<std::int64_t> parameters = {1, 1, 1};
    const std::vector<std::int64_t> runtimes = {rt0};
    const EvaluatedTile one =
        evaluate(found, {.dimensions = parameters, .ranges = {}, .runtimes = runtimes});
    EXPECT_TRUE(!one.is_tile || one.is_empty == (rt0 != 4)) << rt0;
  }
}

TEST(Tile, NotOfDiagonal) {
  EXPECT_EQ(tile("(d0) -> (d0, d0), domain: d0 in [0, 15]"),
            "[offset0 +: 1, offset0 +: 1] if size0 = 1 else more than one index depends on d0");
  EXPECT_EQ(tile("(d0) -> (d0, d0), domain: d0 in [0, 15]", {}, {}, {4}),
            " else more than one index depends on d0");
}

TEST(Tile, OfNumbersThatDoNotFit) {
  EXPECT_EQ(tile("(d0) -> (d0), domain: d0 in [0, 15]", {}, {}, {17}),
            "no tile with offset 0, size 17 and stride 1 in dimension 0, which has 16 elements");
  EXPECT_EQ(tile("(d0) -> (d0), domain: d0 in [0, 15]", {}, {}, {4, 4}),
            "2 sizes for an array of 1 dimension");
}

// A merge of 20 dimensions and a split into as many, with 8 cases at most in either.
TEST(Tile, OfHighRanksIsCheap) {
  std::string from = "(d0";
  std::string sum = "d0";
  std::string domain = "d0 in [0, 1]";
  std::string split = "d0 mod 2";
  for (int i = 1; i < 20; ++i) {
    from += fmt::format(", d{}", i);
    sum += fmt::format(" + d{} * {}", i, 1 << i);
    domain += fmt::format(", d{} in [0, 1]", i);
    split = fmt::format("(d0 floordiv {}) mod 2, {}", 1 << i, split);
  }
  const std::string merged = tile(fmt::format("{}) -> ({}), domain: {}", from, sum, domain));
  EXPECT_LT(merged.size(), 20'000U);
  const std::string many =
      tile(fmt::format("(d0) -> ({}), domain: d0 in [0, {}]", split, (1 << 20) - 1));
  EXPECT_LT(many.size(), 200'000U);
  EXPECT_NE(many.find("else"), std::string::npos);
}

TEST(TileSearch, FindsWhatFits) {
  ExprContext context;
  const std::vector<std::int64_t> array = {96};
  const auto map =
      parse_index_map("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]", context);
  const auto root = RootTile::make(context, array, {}, {}, {1});
  TileSearch search{.array = array,
                    .element_bits = 32,
                    .uses = {{.tiles = {tile_of(simplify(*map), *root)}, .element_bits = 32}},
                    .memory_bytes = 200};
  std::vector<std::int64_t> sizes;
  for (const TileChoice& choice : find_tile_sizes(search).choices) {
    EXPECT_EQ(choice.bytes, 8 * choice.sizes.front());
    sizes.push_back(choice.sizes.front());
  }
  // 8 and 16 cut rows of 12; 32 and more do not fit.
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{24, 12, 6, 4, 3, 2, 1}));
  search.may_try = [](std::size_t, std::int64_t size) { return size % 4 == 0; };
  EXPECT_EQ(find_tile_sizes(search).choices.size(), 3U);
}

}  // namespace
}  // namespace mercator
