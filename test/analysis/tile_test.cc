// Tiles that a person can check.

#include "mercator/analysis/tile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
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
  if (!found.otherwise.empty()) {
    text += (found.is_complete ? " else " : " else perhaps ") + found.otherwise;
  }
  return text;
}

// What is said of a root tile in numbers.
EvaluatedTile at(const Tile& tile, const NumericTile& root,
                 const std::vector<std::int64_t>& runtimes = {}) {
  const std::vector<std::int64_t> parameters = parameters_of(root);
  return evaluate(tile, {.dimensions = parameters, .ranges = {}, .runtimes = runtimes});
}

// As many dimensions of two elements as one.
std::string merge_of_pairs(int dimensions) {
  std::string from = "d0";
  std::string sum = "d0";
  std::string domain = "d0 in [0, 1]";
  for (int i = 1; i < dimensions; ++i) {
    from += fmt::format(", d{}", i);
    sum += fmt::format(" + d{} * {}", i, 1 << i);
    domain += fmt::format(", d{} in [0, 1]", i);
  }
  return fmt::format("({}) -> ({}), domain: {}", from, sum, domain);
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

// [4, 6] as [6, 2, 2]: d1 mod 2 is that of the whole number 6 d0 + d1.
TEST(Tile, OfMergeAndSplit) {
  constexpr std::string_view kMap =
      "(d0, d1) -> ((d0 * 6 + d1) floordiv 4, ((d0 * 6 + d1) floordiv 2) mod 2, d1 mod 2), domain: "
      "d0 in [0, 3], d1 in [0, 5]";
  EXPECT_EQ(tile(kMap, {}, {}, {4, 6}), "[0 +: 6, 0 +: 2, 0 +: 2]");
  EXPECT_EQ(tile(kMap, {}, {2, std::nullopt}, {2, 6}), "[3 +: 3, 0 +: 2, 0 +: 2]");
  // 8 and 9, in the third row of four; 8 … 11 as well.
  EXPECT_EQ(tile(kMap, {}, {1, 2}, {1, 2}), "[2 +: 1, 0 +: 1, 0 +: 2]");
  EXPECT_EQ(tile(kMap, {}, {1, 2}, {1, 4}), "[2 +: 1, 0 +: 2, 0 +: 2]");
  // 9 … 11.
  EXPECT_EQ(tile(kMap, {}, {1, 3}, {1, 3}), " else d1 is split by 2 within the tile");
}

// [8, 6] as [12, 4]: rows of the tile that are not joined lie in one row of the result each.
TEST(Tile, OfRowsThatAreNotJoined) {
  constexpr std::string_view kMap =
      "(d0, d1) -> ((d0 * 6 + d1) floordiv 4, (d0 * 6 + d1) mod 4), domain: d0 in [0, 7], d1 in "
      "[0, 5]";
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(kMap, context));
  const std::vector<std::int64_t> array = {8, 6};
  const Tile found = tile_of(map, RootTile(context, array));
  EXPECT_TRUE(found.is_complete);
  // 13, 15; 25, 27; 37, 39.
  const EvaluatedTile apart = at(found, {{2, 3, 2}, {1, 2, 2}});
  ASSERT_TRUE(apart.is_tile);
  EXPECT_EQ(apart.tile, (NumericTile{{3, 3, 3}, {1, 2, 2}}));
  // 13, 15; 19, 21.
  EXPECT_FALSE(at(found, {{2, 2, 1}, {1, 2, 2}}).is_tile);
}

// 3 d0 + d1 of {6, 7} and {9, 10} has gaps of 2, which quotients by 5 do not see, those by 1 do.
TEST(Tile, OfAQuotientOfUnevenSums) {
  EXPECT_EQ(tile("(d0, d1) -> ((d0 * 3 + d1) floordiv 5), domain: d0 in [0, 4], d1 in [0, 2]", {},
                 {2, 0}, {2, 2}),
            "[1 +: 2]");
  EXPECT_EQ(
      tile("(d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 4], d1 in [0, 2]", {}, {2, 0}, {2, 2}),
      " else the sums of d0 and d1 are not evenly spaced");
}

// d1 is between d0 and s0, as in a cumulative sum of a cumulative sum.
TEST(Tile, OfWhatIsBetween) {
  EXPECT_EQ(
      tile("(d0, d1)[s0] -> (s0), domain: d0 in [0, 5], d1 in [0, 5], s0 in [0, 5], d0 - d1 in "
           "[0, 5], d1 - s0 in [0, 5]",
           {}, {4, 1}, {1, 2}),
      "[0 +: 3]");
}

// Windows of three, five apart, of which constraints leave one, or the ends of two.
TEST(Tile, OfWindowsWithGapsThatAConstraintCuts) {
  constexpr std::string_view kMap =
      "(d0)[s0] -> (d0 * 5 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 * 5 + s0 in [7, 10]";
  EXPECT_EQ(tile(kMap, {}, {1}, {2}), "[7 +: 2 by 3]");
  EXPECT_EQ(tile(kMap, {}, {2}, {2}), "[10 +: 1]");
  EXPECT_EQ(tile("(d0)[s0] -> (d0 * 5 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 * 5 + s0 in "
                 "[6, 10]",
                 {}, {1}, {2}),
            " else the sums of d0 and s0 are not evenly spaced");
}

// 0, 1, 5, 6, 10, 11 have no product of digits by 2, but their quotients with three of d2 all do:
// those of even ones are 0, 3, 5, those of odd ones 0, 2, 5.
TEST(Tile, OfDigitsThatASumHides) {
  constexpr std::string_view kMap =
      "(d0, d1, d2) -> (d2 + (d0 * 5 + d1) floordiv 2, (d0 * 5 + d1) mod 2), domain: d0 in [0, 2], "
      "d1 in [0, 4], d2 in [0, 3]";
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(kMap, context));
  const std::vector<std::int64_t> array = {3, 5, 4};
  EXPECT_FALSE(tile_of(map, RootTile(context, array)).is_complete);
  EXPECT_EQ(tile(kMap, {}, {0, 0, 1}, {3, 2, 3}), "[1 +: 8, 0 +: 2]");
}

// Numbers beyond what tiles are made with, and just below.
TEST(Tile, OfLargeNumbers) {
  EXPECT_EQ(tile("(d0, d1) -> ((d0 * -9223372036854775808 + d1) floordiv 5, (d1 * 7 - d0) floordiv "
                 "3), domain: d0 in [0, 1], d1 in [0, 3]"),
            " else perhaps numbers are too large");
  // 8 * 2^43 rows of 3, of which the constraint leaves the first of two.
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(
      "(d0, d1, d2) -> (d0 * 8796093022208 + d1 * 2 + d2), domain: d0 in [0, 7], d1 in [0, 1], d2 "
      "in [0, 1], d0 * 8796093022208 + d1 * 2 + d2 in [0, 26388279066626]",
      context));
  const std::vector<std::int64_t> array = {8, 2, 2};
  const Tile found = tile_of(map, RootTile(context, array));
  const EvaluatedTile one = at(found, {{3, 2, 1}, {0, 2, 1}, {0, 2, 1}});
  EXPECT_TRUE(one.is_tile || !found.is_complete);
}

// Of sums of many terms, those with a single one, those of all, and one element.
TEST(Tile, OfManyTerms) {
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(merge_of_pairs(10), context));
  const std::vector<std::int64_t> array(10, 2);
  const Tile found = tile_of(map, RootTile(context, array));
  NumericTile root(10, {1, 1, 1});
  EXPECT_EQ(at(found, root).tile, (NumericTile{{1'023, 1, 1}}));
  root[3] = {0, 2, 1};
  EXPECT_EQ(at(found, root).tile, (NumericTile{{1'015, 2, 8}}));
  EXPECT_EQ(at(found, NumericTile(10, {0, 2, 1})).tile, (NumericTile{{0, 1'024, 1}}));
}

// It is not known which quotients are evenly spaced: those of 0, 1, 2 and 12, 13, 14 are not.
TEST(Tile, OfWhatIsNotDecided) {
  ExprContext context;
  const IndexMap map = simplify(*parse_index_map(
      "(d0, d1) -> ((d0 * 3 + d1) floordiv 2), domain: d0 in [0, 4], d1 in [0, 2]", context));
  const std::vector<std::int64_t> array = {5, 3};
  EXPECT_FALSE(tile_of(map, RootTile(context, array)).is_complete);
  const Tile decided = tile_of(map, *RootTile::make(context, array, {0, 0}, {2, 3}, {4, 1}));
  EXPECT_TRUE(decided.is_complete);
  EXPECT_TRUE(decided.cases.empty());
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

// One of two that are far apart is all that the constraint leaves.
TEST(Tile, OfAWindowThatAConstraintCuts) {
  EXPECT_EQ(tile("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 2], d0 * 4 + s0 in "
                 "[0, 10]",
                 {}, {2}, {2}),
            "[8 +: 3]");
}

// A transposed convolution: (3x - y) floordiv 2 is printed as x + (x - y) floordiv 2, and its
// remainder as that of x + y.
TEST(Tile, OfDilatedWindow) {
  EXPECT_EQ(tile("(d0)[s0] -> (d0 + (d0 - s0) floordiv 2), domain: d0 in [0, 7], s0 in [0, 3], (d0 "
                 "+ s0) mod 2 in [0, 0]",
                 {}, {2}, {3}),
            "[2 +: 5]");
}

// What only has to exist has no conditions: 0, 2 and 4 are multiples of 2, of which the tile may
// have none.
TEST(Tile, OfWhatHasToExist) {
  EXPECT_EQ(
      tile("(d0, d1)[s0] -> (d1), domain: d0 in [0, 5], d1 in [0, 7], s0 in [0, 2], d0 - s0 * "
           "2 in [0, 0]",
           {}, {1, std::nullopt}, {1, std::nullopt}),
      "[offset1 +: size1] unless empty 0 = 1");
  EXPECT_EQ(
      tile("(d0, d1)[s0] -> (d1), domain: d0 in [0, 5], d1 in [0, 7], s0 in [0, 2], d0 - s0 * "
           "2 in [0, 0]",
           {}, {1, std::nullopt}, {2, std::nullopt}),
      "[offset1 +: size1]");
}

// What does not depend on the tile is what its elements are.
TEST(Tile, OfNumbersBesideParameters) {
  EXPECT_EQ(tile("(d0)[s0] -> (d0, min(s0 * 2 + 3, 4)), domain: d0 in [0, 9], s0 in [0, 3]"),
            "[offset0 +: size0, 3 +: 2]");
}

// A bound on a quotient cuts the dividend.
TEST(Tile, OfAQuotientWithBounds) {
  EXPECT_EQ(
      tile("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31], d0 floordiv 4 in [2, 4]", {},
           {5}, {14}),
      " else d0 is split by 4 within the tile");
  EXPECT_EQ(
      tile("(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31], d0 floordiv 4 in [2, 4]", {},
           {5}, {20}),
      "[2 +: 3, 0 +: 4]");
}

TEST(Tile, FromElements) {
  EXPECT_EQ(tile_with({{0, 1}, {0, 3}, {2, 1}, {2, 3}}), (NumericTile{{0, 2, 2}, {1, 2, 2}}));
  EXPECT_EQ(tile_with({{0, 1}, {0, 3}, {2, 1}}), std::nullopt);
  EXPECT_EQ(tile_with({{}}), NumericTile());
  ExprContext context;
  const auto map =
      parse_index_map("(d0) -> (d0 floordiv 12, d0 mod 12), domain: d0 in [0, 95]", context);
  const auto rows = enumerate_tile(*map, {{24, 36, 1}}, {}, 1'000);
  ASSERT_TRUE(rows && rows->is_tile);
  EXPECT_EQ(rows->tile, (NumericTile{{2, 3, 1}, {0, 12, 1}}));
  EXPECT_FALSE(enumerate_tile(*map, {{22, 4, 1}}, {}, 1'000)->is_tile);
  EXPECT_FALSE(enumerate_tile(*map, {{0, 96, 1}}, {}, 50).has_value());
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
    const EvaluatedTile one = at(found, {{1, 1, 1}}, {rt0});
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
  std::string split = "d0 mod 2";
  for (int i = 1; i < 20; ++i) split = fmt::format("(d0 floordiv {}) mod 2, {}", 1 << i, split);
  const std::string merged = tile(merge_of_pairs(20));
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

// Which of these sizes do, and with how many bytes, from all tiles of the grid one by one.
std::vector<TileChoice> choices_one_by_one(const Tile& tile, std::span<const std::int64_t> array) {
  std::vector<TileChoice> choices;
  std::vector<std::int64_t> sizes(array.size(), 1);
  while (true) {
    std::int64_t most = 0;
    bool is_tile = true;
    std::vector<std::int64_t> offsets(array.size(), 0);
    for (bool is_last = false; !is_last;) {
      NumericTile root;
      for (std::size_t i = 0; i < array.size(); ++i) {
        root.push_back({offsets[i], std::min(sizes[i], array[i] - offsets[i]), 1});
      }
      const EvaluatedTile found = at(tile, root);
      is_tile = is_tile && found.is_tile;
      std::int64_t count = found.is_empty ? 0 : 1;
      for (const NumericDimension& d : found.tile) count *= d.size;
      most = std::max(most, count);
      std::size_t i = array.size();
      while (i > 0 && (offsets[i - 1] += sizes[i - 1]) >= array[i - 1]) offsets[--i] = 0;
      is_last = i == 0;
    }
    std::int64_t elements = most;
    std::int64_t own = 1;
    for (const std::int64_t size : sizes) own *= size;
    elements += own;
    if (is_tile) choices.push_back({sizes, 4 * elements});
    std::size_t i = array.size();
    while (i > 0 && ++sizes[i - 1] > array[i - 1]) sizes[--i] = 1;
    if (i == 0) return choices;
  }
}

TEST(TileSearch, SaysWhatAllTilesOfTheGridSay) {
  struct Case {
    std::string_view map;
    std::vector<std::int64_t> array;
  };
  const Case cases[] = {
      // A convolution with padding; the second one leaves gaps.
      {"(d0, d1, d2)[s0, s1] -> (d1 * 2 + s0 - 1, d2 + s1 - 1), domain: d0 in [0, 3], d1 in [0, "
       "6], d2 in [0, 5], s0 in [0, 2], s1 in [0, 2], d1 * 2 + s0 in [1, 13], d2 + s1 in [1, 6]",
       {4, 7, 6}},
      {"(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 6], s0 in [0, 1]", {7}},
      // One of several cases, besides a dimension that they all have.
      {"(d0, d1) -> (d0 floordiv 6, d0 mod 6, d1), domain: d0 in [0, 23], d1 in [0, 3]", {24, 4}},
      {"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 5], d1 in [0, 3]", {6, 4}},
      // A part of the array, and every other element.
      {"(d0, d1) -> (d0 - 4, d1 floordiv 2), domain: d0 in [4, 8], d1 in [0, 6], d1 mod 2 in [0, "
       "0]",
       {9, 7}},
      {"(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 5], d0 + d1 in [0, 5]", {6, 6}},
  };
  for (const Case& one : cases) {
    ExprContext context;
    const IndexMap map = simplify(*parse_index_map(one.map, context));
    const RootTile::Numbers ones(one.array.size(), std::optional<std::int64_t>(1));
    const Tile tile = tile_of(map, *RootTile::make(context, one.array, {}, {}, ones));
    const TileSearch search{.array = one.array,
                            .element_bits = 32,
                            .uses = {{.tiles = {tile}, .element_bits = 32}},
                            .memory_bytes = 1'000'000};
    std::map<std::vector<std::int64_t>, std::int64_t> expected;
    for (const TileChoice& choice : choices_one_by_one(tile, one.array)) {
      expected[choice.sizes] = choice.bytes;
    }
    const TileChoices found = find_tile_sizes(search);
    EXPECT_TRUE(found.is_complete);
    EXPECT_EQ(found.undecided, 0U);
    std::set<std::vector<std::int64_t>> chosen;
    for (const TileChoice& choice : found.choices) {
      chosen.insert(choice.sizes);
      ASSERT_TRUE(expected.contains(choice.sizes)) << one.map;
      EXPECT_EQ(choice.bytes, expected[choice.sizes]) << one.map;
    }
    // Powers of two and divisors are tried.
    for (const auto& [sizes, bytes] : expected) {
      bool is_tried = true;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_power = (sizes[i] & (sizes[i] - 1)) == 0;
        is_tried = is_tried && (is_power || one.array[i] % sizes[i] == 0);
      }
      EXPECT_EQ(chosen.contains(sizes), is_tried) << one.map;
    }
  }
}

// A convolution of an image network: what its dimensions ask for is looked at one by one.
TEST(TileSearch, OfALargeConvolution) {
  ExprContext context;
  const std::vector<std::int64_t> array = {128, 56, 56, 256};
  const auto map = parse_index_map(
      "(d0, d1, d2, d3)[s0, s1, s2] -> (d0, d1 + s0 - 1, d2 + s1 - 1, s2), domain: d0 in [0, 127], "
      "d1 in [0, 55], d2 in [0, 55], d3 in [0, 255], s0 in [0, 2], s1 in [0, 2], s2 in [0, 255], "
      "d1 + s0 in [1, 56], d2 + s1 in [1, 56]",
      context);
  const auto root = RootTile::make(context, array, {}, {}, RootTile::Numbers(4, 1));
  const TileSearch search{.array = array,
                          .element_bits = 32,
                          .uses = {{.tiles = {tile_of(simplify(*map), *root)}, .element_bits = 32}},
                          .memory_bytes = 100'000};
  const TileChoices found = find_tile_sizes(search);
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.undecided, 0U);
  ASSERT_FALSE(found.choices.empty());
  // The tile itself, and the rows and columns that windows of three need, with 256 channels.
  const std::vector<std::int64_t>& sizes = found.choices.front().sizes;
  EXPECT_EQ(
      found.choices.front().bytes,
      4 * sizes[0] * (sizes[1] * sizes[2] * sizes[3] + (sizes[1] + 2) * (sizes[2] + 2) * 256));
}

}  // namespace
}  // namespace mercator
