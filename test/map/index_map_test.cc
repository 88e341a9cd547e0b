#include "mercator/map/index_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator {
namespace {

using ::testing::ElementsAre;

IndexMap parsed(ExprContext& context, std::string_view text) {
  Result<IndexMap> map = parse_index_map(text, context);
  EXPECT_TRUE(map) << text << "\n" << map.error().message;
  return map ? *map : IndexMap(context);
}

std::vector<std::string> names_of(const IndexMap& map) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < map.dimensions().size(); ++i) {
    names.push_back(map.name({VariableKind::kDimension, i}));
  }
  for (std::uint32_t i = 0; i < map.ranges().size(); ++i) {
    names.push_back(map.name({VariableKind::kRange, i}));
  }
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    names.push_back(map.name({VariableKind::kRuntime, i}));
  }
  return names;
}

TEST(IndexMap, Identity) {
  ExprContext context;
  const std::vector<std::int64_t> sizes = {10, 20};
  EXPECT_EQ(to_string(IndexMap::identity(context, sizes), MapStyle::kOneLine),
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]");
  EXPECT_EQ(to_string(IndexMap::identity(context, {}), MapStyle::kOneLine), "() -> ()");
}

TEST(IndexMap, IdentityOfAnEmptyTensorIsEmpty) {
  ExprContext context;
  const std::vector<std::int64_t> sizes = {10, 0, 4};
  EXPECT_TRUE(IndexMap::identity(context, sizes).is_known_empty());
}

TEST(IndexMap, EmptyIsKnownEmpty) {
  ExprContext context;
  for (const std::size_t dimensions : {0, 1, 3}) {
    const IndexMap map = IndexMap::empty(context, dimensions, 2);
    EXPECT_TRUE(map.is_known_empty());
    EXPECT_EQ(map.dimensions().size(), dimensions);
    EXPECT_EQ(map.results().size(), 2);
    EXPECT_TRUE(relation(map, 100)->empty());
    EXPECT_TRUE(simplify(map) == map);
  }
}

TEST(IndexMap, KnownEmptyByEachKindOfVariableAndByConstraints) {
  ExprContext context;
  EXPECT_TRUE(parsed(context, "(x) -> (x), domain: x in [1, 0]").is_known_empty());
  EXPECT_TRUE(parsed(context, "()[x] -> (0), domain: x in [1, 0]").is_known_empty());
  EXPECT_TRUE(parsed(context, "(){x} -> (0), domain: x in [1, 0]").is_known_empty());
  EXPECT_TRUE(parsed(context, "(x) -> (x), domain: x in [0, 1], x + 1 in [1, 0]").is_known_empty());
  EXPECT_TRUE(parsed(context, "(x) -> (x), domain: x in [0, 1], 3 in [4, 5]").is_known_empty());
  EXPECT_FALSE(parsed(context, "(x) -> (x), domain: x in [0, 1], 4 in [4, 5]").is_known_empty());
  // Empty, but it takes a look at the constraint to see it.
  EXPECT_FALSE(
      parsed(context, "(x) -> (x), domain: x in [0, 1], x + 1 in [5, 9]").is_known_empty());
}

TEST(IndexMap, Names) {
  ExprContext context;
  const IndexMap map(context, {{.bounds = {0, 1}}, {.bounds = {0, 1}, .name = "th_x"}},
                     {{.bounds = {0, 1}}}, {{.bounds = {0, 1}, .name = "start"}}, {});
  EXPECT_THAT(names_of(map), ElementsAre("d0", "th_x", "s0", "start"));
}

TEST(IndexMap, NamesThatAreNoNamesGiveWay) {
  ExprContext context;
  const IndexMap map(context,
                     {{.bounds = {0, 1}, .name = "a b"},
                      {.bounds = {0, 1}, .name = "mod"},
                      {.bounds = {0, 1}, .name = "7"},
                      {.bounds = {0, 1}, .name = "in"},
                      {.bounds = {0, 1}, .name = "model"}},
                     {}, {}, {});
  EXPECT_THAT(names_of(map), ElementsAre("d0", "d1", "d2", "d3", "model"));
}

TEST(IndexMap, EqualNamesGiveWay) {
  ExprContext context;
  const IndexMap map(context, {{.bounds = {0, 1}, .name = "x"}, {.bounds = {0, 1}, .name = "x"}},
                     {{.bounds = {0, 1}, .name = "x"}}, {}, {});
  EXPECT_THAT(names_of(map), ElementsAre("x", "d1", "s0"));
}

TEST(IndexMap, NamesThatEqualAnothersDefaultNameGiveWay) {
  ExprContext context;
  const IndexMap taken(context, {{.bounds = {0, 1}, .name = "d1"}, {.bounds = {0, 1}}}, {}, {}, {});
  EXPECT_THAT(names_of(taken), ElementsAre("d0", "d1"));
  // One after another: `s0` must go, so d0 gets its default name, which the range wanted.
  const IndexMap chain(context, {{.bounds = {0, 1}, .name = "s1"}},
                       {{.bounds = {0, 1}, .name = "d0"}, {.bounds = {0, 1}}}, {}, {});
  EXPECT_THAT(names_of(chain), ElementsAre("d0", "s0", "s1"));
}

TEST(IndexMap, SwappedDefaultNamesStay) {
  ExprContext context;
  EXPECT_EQ(to_string(parsed(context, "(s0)[d0] -> (d0 - s0)"), MapStyle::kOneLine),
            "(s0)[d0] -> (-s0 + d0), domain: s0 in [-9223372036854775808, 9223372036854775807], "
            "d0 in [-9223372036854775808, 9223372036854775807]");
}

TEST(IndexMap, EqualityIsOfStructureWithoutNames) {
  ExprContext context;
  const IndexMap map = parsed(context, "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 4]");
  EXPECT_TRUE(map == parsed(context, "(x)[y] -> (y + x), domain: y in [0, 4], x in [0, 3]"));
  for (const char* other :
       {"(d0)[s0] -> (d0 - s0), domain: d0 in [0, 3], s0 in [0, 4]",
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 5]",
        "(d0)[s0] -> (d0 + s0), domain: d0 in [1, 3], s0 in [0, 4]",
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 4], d0 + s0 in [0, 5]",
        "(d0)[s0, s1] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 4], s1 in [0, 4]",
        "(d0)[s0] -> (d0 + s0, 0), domain: d0 in [0, 3], s0 in [0, 4]"}) {
    EXPECT_FALSE(map == parsed(context, other)) << other;
    EXPECT_TRUE((map <=> parsed(context, other)) != 0) << other;
  }
}

TEST(IndexMap, RuntimeVariablesDifferByTensorAndIndex) {
  ExprContext context;
  const auto with = [&](std::optional<std::uint32_t> tensor, std::vector<Expr> index) {
    return IndexMap(context, {{.bounds = {0, 3}}}, {},
                    {{.bounds = {0, 4}, .tensor = tensor, .index = std::move(index)}},
                    {context.runtime(0)});
  };
  const Expr d0 = context.dimension(0);
  EXPECT_TRUE(with(1, {d0}) == with(1, {d0}));
  EXPECT_FALSE(with(1, {d0}) == with(2, {d0}));
  EXPECT_FALSE(with(1, {d0}) == with(std::nullopt, {d0}));
  EXPECT_FALSE(with(1, {d0}) == with(1, {d0 + 1}));
  EXPECT_TRUE(with(1, {d0}) < with(2, {d0}));
}

TEST(VariableName, WordsOfTheGrammarAreNone) {
  for (const char* name : {"x", "d0", "th_x", "_", "rt17", "modulo", "minimum", "KNOWN", "a.b"}) {
    EXPECT_TRUE(is_variable_name(name)) << name;
  }
  for (const char* name : {"", "1x", "x ", " x", "x y", "x-y", "mod", "floordiv", "ceildiv", "min",
                           "max", "in", "domain", "(", "é"}) {
    EXPECT_FALSE(is_variable_name(name)) << name;
  }
}

}  // namespace
}  // namespace mercator
