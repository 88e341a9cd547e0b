// Fusions and calls: maps of whole computations.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// ---- composition ----

TEST(Fusion, ChainedReshapesCancel) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[10, 10, 10] parameter(0)
      reshape1 = f32[50, 20] reshape(p0)
      ROOT reshape2 = f32[10, 10, 10] reshape(reshape1)
    }
    ENTRY e {
      p0 = f32[10, 10, 10] parameter(0)
      ROOT fusion = f32[10, 10, 10] fusion(p0), kind=kLoop, calls=f
    })");
  const auto identity =
      ElementsAre("(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]");
  EXPECT_THAT(m.o2i(0), identity);
  EXPECT_THAT(m.i2o(0), identity);
}

TEST(Fusion, OperandReadInTwoWays) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[1000, 1000] parameter(0)
      transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
      ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
    }
    ENTRY e {
      p0 = f32[1000, 1000] parameter(0)
      ROOT fusion = f32[1000, 1000] fusion(p0), kind=kLoop, calls=f
    })");
  const auto both = ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
                                "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]");
  EXPECT_THAT(m.o2i(0), both);
  EXPECT_THAT(m.i2o(0), both);
}

TEST(Fusion, TwoPathsThatAreOneMap) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[20, 10, 50] parameter(0)
      lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
      lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
      lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
      rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
      rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
      rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
      ROOT output = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
    }
    ENTRY e {
      p0 = f32[20, 10, 50] parameter(0)
      ROOT fusion = f32[10, 50, 20] fusion(p0), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], "
                                    "d1 in [0, 49], d2 in [0, 19]"));
}

constexpr std::string_view kSoftmax = R"(
    HloModule m
    add_f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    max_f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] maximum(a, b)
    }
    softmax {
      p0 = f32[2,65,125] parameter(0)
      ninf = f32[] constant(-inf)
      m = f32[2,65] reduce(p0, ninf), dimensions={2}, to_apply=max_f
      mb = f32[2,65,125] broadcast(m), dimensions={0,1}
      c = f32[2,65,125] subtract(p0, mb)
      x = f32[2,65,125] exponential(c)
      zero = f32[] constant(0)
      s = f32[2,65] reduce(x, zero), dimensions={2}, to_apply=add_f
      sb = f32[2,65,125] broadcast(s), dimensions={0,1}
      ROOT d = f32[2,65,125] divide(x, sb)
    }
    ENTRY e {
      p0 = f32[2,65,125] parameter(0)
      ROOT fusion = f32[2,65,125] fusion(p0), kind=kLoop, calls=softmax
    })";

TEST(Fusion, Softmax) {
  AnalyzedModule m(kSoftmax);
  const auto both = UnorderedElementsAre(
      "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], "
      "s0 in [0, 124]",
      "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]");
  EXPECT_THAT(m.o2i(0), both);
  EXPECT_THAT(m.i2o(0), both);
}

TEST(Fusion, InstructionsInsideAreAskedInTheirOwnComputation) {
  AnalyzedModule m(kSoftmax);
  EXPECT_THAT(m.maps(m.instruction("sb"), Direction::kOutputToInput, {}, 0, {}),
              ElementsAre("(d0, d1, d2) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 64], "
                          "d2 in [0, 124]"));
}

TEST(Fusion, ReducedDimensionsInEitherOrderAreOneMap) {
  AnalyzedModule m(R"(
    HloModule m
    add_f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    f {
      p0 = f32[3, 4, 5] parameter(0)
      zero = f32[] constant(0)
      a = f32[3, 5] reduce(p0, zero), dimensions={1}, to_apply=add_f
      b = f32[3] reduce(a, zero), dimensions={1}, to_apply=add_f
      c = f32[3, 4] reduce(p0, zero), dimensions={2}, to_apply=add_f
      d = f32[3] reduce(c, zero), dimensions={1}, to_apply=add_f
      ROOT r = f32[3] add(b, d)
    }
    ENTRY e {
      p0 = f32[3, 4, 5] parameter(0)
      ROOT fusion = f32[3] fusion(p0), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 2], "
                                    "s0 in [0, 3], s1 in [0, 4]"));
}

TEST(Fusion, SeveralRoots) {
  AnalyzedModule m(R"(
    HloModule m
    add_f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    f {
      p0 = f32[3, 4] parameter(0)
      p1 = f32[] parameter(1)
      e = f32[3, 4] exponential(p0)
      s = f32[3] reduce(e, p1), dimensions={1}, to_apply=add_f
      ROOT r = (f32[3], (f32[3, 4], f32[])) tuple(s, t)
      t = (f32[3, 4], f32[]) tuple(e, p1)
    }
    ENTRY e {
      p0 = f32[3, 4] parameter(0)
      p1 = f32[] parameter(1)
      ROOT fusion = (f32[3], (f32[3, 4], f32[])) fusion(p0, p1), kind=kInput, calls=f
    })");
  EXPECT_THAT(m.o2i(0, {0}),
              ElementsAre("(d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {1, 0}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {1, 1}), IsEmpty());
  EXPECT_THAT(m.o2i(1, {1, 1}), ElementsAre("() -> ()"));
  EXPECT_THAT(m.i2o(1, {0}), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 2]"));
  EXPECT_THAT(m.i2o(0, {0}), ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]"));
}

TEST(Fusion, RootThatIsAParameter) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p1 = f32[3] parameter(1)
      ROOT p0 = f32[4] parameter(0)
    }
    ENTRY e {
      p0 = f32[4] parameter(0)
      p1 = f32[3] parameter(1)
      ROOT r = f32[4] call(p0, p1), to_apply=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), IsEmpty());
  EXPECT_THAT(m.i2o(1), IsEmpty());
}

TEST(Call, TupleParametersAndNestedCalls) {
  AnalyzedModule m(R"(
    HloModule m
    inner {
      p = (f32[4], f32[2, 4]) parameter(0)
      x = f32[4] get-tuple-element(p), index=0
      y = f32[2, 4] get-tuple-element(p), index=1
      b = f32[2, 4] broadcast(x), dimensions={1}
      ROOT r = f32[2, 4] add(b, y)
    }
    outer {
      a = f32[4] parameter(0)
      b = f32[4, 2] parameter(1)
      t = f32[2, 4] transpose(b), dimensions={1, 0}
      pair = (f32[4], f32[2, 4]) tuple(a, t)
      ROOT c = f32[2, 4] call(pair), to_apply=inner
    }
    ENTRY e {
      a = f32[4] parameter(0)
      b = f32[4, 2] parameter(1)
      ROOT r = f32[2, 4] call(a, b), to_apply=outer
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 1]"));
  EXPECT_THAT(m.maps(m.instruction("c"), Direction::kOutputToInput, {}, 0, {1}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 3]"));
}

// ---- what is not known ----

TEST(Fusion, UnknownOnlyBehindTheUnknownInstruction) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      p2 = f32[4] parameter(2)
      n = f32[4] negate(p0)
      s = f32[4] custom-call(n), custom_call_target="known_to_nobody"
      a = f32[4] add(p1, s)
      m = f32[4] multiply(a, p1)
      ROOT r = (f32[4], f32[4]) tuple(m, p2)
    }
    ENTRY e {
      p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      p2 = f32[4] parameter(2)
      ROOT r = (f32[4], f32[4]) call(p0, p1, p2), to_apply=f
    })");
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre(StartsWith("unknown: s: ")));
  EXPECT_THAT(m.i2o(0, {0}), ElementsAre(StartsWith("unknown: s: ")));
  EXPECT_THAT(m.o2i(1, {0}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.i2o(1, {0}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(2, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {1}), IsEmpty());
}

// ---- size ----

TEST(Fusion, FiftyDoublings) {
  std::string text = "HloModule m\nf {\n  x0 = f32[8] parameter(0)\n";
  for (int i = 0; i < 50; ++i) {
    text += fmt::format("  {}x{} = f32[8] add(x{}, x{})\n", i == 49 ? "ROOT " : "", i + 1, i, i);
  }
  text +=
      "}\nENTRY e {\n  p = f32[8] parameter(0)\n"
      "  ROOT r = f32[8] fusion(p), kind=kLoop, calls=f\n}\n";
  AnalyzedModule m(text);
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
}

// x + (x shifted by 1), then by 2, by 4, …: 2^n different elements are read.
std::string doubling_shifts(int steps) {
  std::string text =
      "HloModule m\nf {\n  z = f32[] constant(0)\n  x0 = f32[3,65536] parameter(0)\n";
  for (int i = 0; i < steps; ++i) {
    const int shift = 1 << i;
    text += fmt::format("  y{0} = f32[3,65536] pad(x{0}, z), padding=0_0x{1}_-{1}\n", i, shift);
    text += fmt::format("  {0}x{2} = f32[3,65536] add(x{1}, y{1})\n", i + 1 == steps ? "ROOT " : "",
                        i, i + 1);
  }
  return text +
         "}\nENTRY e {\n  p = f32[3,65536] parameter(0)\n"
         "  ROOT r = f32[3,65536] fusion(p), kind=kLoop, calls=f\n}\n";
}

TEST(Fusion, ManyMapsAreExact) {
  AnalyzedModule m(doubling_shifts(4));
  const std::vector<std::string> maps = m.o2i(0);
  EXPECT_EQ(maps.size(), 16U);
  for (const std::string& map : maps) EXPECT_EQ(map.find('~'), std::string::npos) << map;
  EXPECT_EQ(m.i2o(0).size(), 16U);
}

TEST(Fusion, TooManyMapsAreWidened) {
  AnalyzedModule m(doubling_shifts(14));
  // Along the dimension that nothing shifts the answer stays precise.
  const auto all = ElementsAre(
      "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 2], d1 in [0, 65535], s0 in [0, 65535] ~");
  EXPECT_THAT(m.o2i(0), all);
  EXPECT_THAT(m.i2o(0), all);
}

TEST(Fusion, ManyUpdatesInPlace) {
  std::string text =
      "HloModule m\nf {\n  x0 = f32[64,64] parameter(0)\n  u = f32[1,2] parameter(1)\n";
  std::string parameters = "  p = f32[64,64] parameter(0)\n  u = f32[1,2] parameter(1)\n";
  std::string arguments = "p, u";
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("  i{0} = s32[] parameter({1})\n", i, i + 2);
    text += fmt::format("  {0}x{2} = f32[64,64] dynamic-update-slice(x{1}, u, i{1}, i{1})\n",
                        i == 19 ? "ROOT " : "", i, i + 1);
    parameters += fmt::format("  i{0} = s32[] parameter({1})\n", i, i + 2);
    arguments += fmt::format(", i{}", i);
  }
  AnalyzedModule m(text + "}\nENTRY e {\n" + parameters + "  ROOT r = f32[64,64] fusion(" +
                   arguments + "), kind=kLoop, calls=f\n}\n");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 63], d1 in [0, 63] ~"));
}

// Each step rearranges the array, updates a part of it that is known only when the program runs,
// and swaps two parts: there would be ever more maps.
TEST(Fusion, DeepChainsAreKnown) {
  constexpr int kDepth = 200;
  std::string parameters = "p0 = f32[64] parameter(0)\n";
  std::string names = "p0";
  std::string steps;
  std::string last = "p0";
  for (int i = 0; i < kDepth; ++i) {
    parameters += fmt::format("u{0} = f32[4] parameter({1})\ni{0} = s32[] parameter({2})\n", i,
                              2 * i + 1, 2 * i + 2);
    names += fmt::format(", u{0}, i{0}", i);
    steps += fmt::format(
        "r{1} = f32[4,16] reshape({0})\n"
        "t{1} = f32[16,4] transpose(r{1}), dimensions={{1,0}}\n"
        "y{1} = f32[64] reshape(t{1})\n"
        "w{1} = f32[64] dynamic-update-slice(y{1}, u{1}, i{1})\n"
        "a{1} = f32[24] slice(w{1}), slice={{[0:24]}}\n"
        "b{1} = f32[40] slice(w{1}), slice={{[24:64]}}\n"
        "x{1} = f32[64] concatenate(b{1}, a{1}), dimensions={{0}}\n",
        last, i);
    last = fmt::format("x{}", i);
  }
  AnalyzedModule m(
      fmt::format("HloModule m\nf {{\n{0}{1}ROOT r = f32[64] negate({2})\n}}\n"
                  "ENTRY e {{\n{0}ROOT x = f32[64] fusion({3}), kind=kLoop, calls=f\n}}\n",
                  parameters, steps, last, names));
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    const InstructionIndexing indexing = m.analysis().indexing(m.root(), direction);
    EXPECT_EQ(indexing.unknown, "");
    EXPECT_EQ(indexing.pairs.size(), 2U * kDepth + 1);
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      EXPECT_EQ(pair.maps.unknown, "");
      EXPECT_LE(pair.maps.maps.size(), 256U);
    }
    const auto& first = indexing.find({}, 0)->maps;
    ASSERT_EQ(first.size(), 1U);
    EXPECT_FALSE(first[0].exact);
  }
}

TEST(Call, DeepNestingNeedsNoStack) {
  std::string text = "HloModule m\nf0 {\n  ROOT p = f32[4] parameter(0)\n}\n";
  constexpr int kDepth = 20'000;
  for (int i = 1; i <= kDepth; ++i) {
    text += fmt::format(
        "f{0} {{\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=f{1}\n}}\n", i,
        i - 1);
  }
  text += fmt::format(
      "ENTRY e {{\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=f{}\n}}\n",
      kDepth);
  AnalyzedModule m(text);
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

TEST(Call, HundredsOfLeaves) {
  constexpr int kLeaves = 400;
  std::string shape;
  std::string text = "HloModule m\nf {\n";
  std::string names;
  std::string parameters;
  std::string arguments;
  for (int i = 0; i < kLeaves; ++i) {
    shape += fmt::format("{}f32[4]", i == 0 ? "" : ", ");
    text += fmt::format("  p{0} = f32[4] parameter({0})\n  n{0} = f32[4] negate(p{0})\n", i);
    names += fmt::format("{}n{}", i == 0 ? "" : ", ", i);
    parameters += fmt::format("  p{0} = f32[4] parameter({0})\n", i);
    arguments += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("  ROOT r = ({}) tuple({})\n}}\nENTRY e {{\n{}", shape, names, parameters);
  text += fmt::format("  ROOT r = ({}) call({}), to_apply=f\n}}\n", shape, arguments);
  AnalyzedModule m(text);
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    const InstructionIndexing indexing = m.analysis().indexing(m.root(), direction);
    ASSERT_EQ(indexing.pairs.size(), static_cast<std::size_t>(kLeaves));
    for (int i = 0; i < kLeaves; ++i) {
      EXPECT_THAT(indexing.pairs[static_cast<std::size_t>(i)].output, ElementsAre(i));
      EXPECT_EQ(indexing.pairs[static_cast<std::size_t>(i)].operand, i);
    }
  }
}

// A result for every link of a long chain: more pairs of a result and what it passes through than
// could be walked one by one.
TEST(Fusion, WorkIsBounded) {
  constexpr int kLinks = 2'500;
  std::string text = "HloModule m\nf {\n  x0 = f32[4] parameter(0)\n";
  std::string shape;
  std::string names;
  for (int i = 1; i <= kLinks; ++i) {
    text += fmt::format("  x{} = f32[4] negate(x{})\n", i, i - 1);
    shape += fmt::format("{}f32[4]", i == 1 ? "" : ", ");
    names += fmt::format("{}x{}", i == 1 ? "" : ", ", i);
  }
  text += fmt::format(
      "  ROOT r = ({0}) tuple({1})\n}}\nENTRY e {{\n  p = f32[4] parameter(0)\n"
      "  ROOT r = ({0}) fusion(p), kind=kLoop, calls=f\n}}\n",
      shape, names);
  AnalyzedModule m(text);
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("unknown: not supported: f has too many results that "
                                         "depend on too much of it"));
}

// ---- everything inside ----

std::string text_of(const GroupedIndexing::Group& group) {
  std::string text = std::string(group.instruction->name) + ":";
  for (const OperandMap& map : group.maps.maps) {
    text += " " + to_string(map.map, MapStyle::kOneLine) + (map.exact ? "" : " (over-approximate)");
  }
  return text + group.maps.unknown;
}

TEST(Grouped, EveryInstructionOnce) {
  AnalyzedModule m(R"(
    HloModule m
    add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b)
    }
    f {
      p0 = f32[4,8] parameter(0)
      n = f32[4,8] negate(p0)
      zero = f32[] constant(0)
      r = f32[4] reduce(n, zero), dimensions={1}, to_apply=add
      b = f32[4,8] broadcast(r), dimensions={0}
      unused = f32[4,8] exponential(p0)
      ROOT d = f32[4,8] divide(n, b)
    }
    ENTRY e {
      p0 = f32[4,8] parameter(0)
      ROOT x = f32[4,8] fusion(p0), kind=kLoop, calls=f
    })");
  const GroupedIndexing grouped = m.analysis().grouped(m.root());
  EXPECT_EQ(grouped.unknown, "");
  std::vector<std::string> groups;
  for (const GroupedIndexing::Group& group : grouped.groups) groups.push_back(text_of(group));
  const std::string same = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]";
  const std::string row =
      "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 7]";
  EXPECT_THAT(groups,
              UnorderedElementsAre("d: " + same, "b: " + same,
                                   "r: (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]",
                                   "zero: (d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 7]",
                                   "n: " + same + " " + row, "p0: " + same + " " + row));
  EXPECT_EQ(groups.front(), "d: " + same);
}

TEST(Grouped, FromOneLeafOfTheResult) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      n = f32[4] negate(p0)
      a = f32[4] add(n, p1)
      ROOT t = (f32[4], f32[4]) tuple(n, a)
    }
    ENTRY e {
      p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      ROOT x = (f32[4], f32[4]) fusion(p0, p1), kind=kLoop, calls=f
    })");
  const auto names = [](const GroupedIndexing& grouped) {
    std::vector<std::string> result;
    for (const GroupedIndexing::Group& group : grouped.groups) {
      result.push_back(std::string(group.instruction->name) + std::to_string(group.output[0]));
    }
    return result;
  };
  const auto first = names(m.analysis().grouped(m.root(), ShapeIndex{0}));
  EXPECT_THAT(first, ElementsAre("t0", "n0", "p00"));
  const auto second = names(m.analysis().grouped(m.root(), ShapeIndex{1}));
  EXPECT_THAT(second, UnorderedElementsAre("t1", "a1", "n1", "p01", "p11"));
  std::vector<std::string> both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(names(m.analysis().grouped(m.root())), both);
  EXPECT_THAT(names(m.analysis().below(m.root(), ShapeIndex{0})),
              UnorderedElementsAre("x0", "p00"));
}

TEST(Grouped, RuntimeVariablesAreTheCallers) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[9] parameter(0)
      i = s32[] parameter(1)
      s = f32[3] dynamic-slice(p0, i), dynamic_slice_sizes={3}
      ROOT n = f32[3] negate(s)
    }
    ENTRY e {
      p0 = f32[9] parameter(0)
      i = s32[] constant(4)
      ROOT x = f32[3] fusion(p0, i), kind=kLoop, calls=f
    })");
  const GroupedIndexing grouped = m.analysis().grouped(m.root());
  ASSERT_EQ(grouped.groups.size(), 4U);
  EXPECT_EQ(text_of(grouped.groups[0]), "n: (d0) -> (d0), domain: d0 in [0, 2]");
  EXPECT_EQ(text_of(grouped.groups[1]), "s: (d0) -> (d0), domain: d0 in [0, 2]");
  const auto p0 = std::ranges::find(grouped.groups, std::string_view("p0"),
                                    [](const auto& group) { return group.instruction->name; });
  ASSERT_NE(p0, grouped.groups.end());
  EXPECT_EQ(text_of(*p0), "p0: (d0) -> (d0 + 4), domain: d0 in [0, 2]");
}

}  // namespace
}  // namespace mercator::testing
