#include "mercator/analysis/utilisation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

std::string text(const Count& count) {
  if (count.is_exact()) return fmt::format("{}", count.lo);
  return fmt::format("[{}, {}] ({})", count.lo, count.hi, count.reason);
}

// What the root of the entry computation reads: "elements read/elements, reads" for each operand.
std::vector<std::string> reads(std::string_view program) {
  AnalyzedModule module(program);
  ReadCounter counter(module.analysis());
  std::vector<std::string> lines;
  for (const ArrayReads& array : counter(module.root())) {
    lines.push_back(
        fmt::format("{}/{}, {}", text(array.elements_read), array.elements, text(array.reads)));
  }
  return lines;
}

// The same for an entry computation of these lines.
std::vector<std::string> reads_of(std::string_view lines) {
  return reads(
      fmt::format("HloModule m\nadd {{\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
                  "  ROOT s = f32[] add(x, y)\n}}\nENTRY e {{\n{}\n}}\n",
                  lines));
}

// And for a fusion of these lines, with parameters p of the given shape.
std::vector<std::string> reads_of_fusion(std::string_view parameter, std::string_view result,
                                         std::string_view lines) {
  return reads(fmt::format(
      "HloModule m\nf {{\n  p = {0} parameter(0)\n{2}\n}}\nENTRY e {{\n  p = {0} parameter(0)\n"
      "  ROOT r = {1} fusion(p), kind=kLoop, calls=f\n}}\n",
      parameter, result, lines));
}

using Lines = std::vector<std::string>;

constexpr const char* kValues = "it depends on values that the program computes";

TEST(Utilisation, OfInstructionsThatMoveElements) {
  EXPECT_EQ(reads_of("p = f32[10,20] parameter(0)\n"
                     "ROOT r = f32[3,4] slice(p), slice={[2:5], [4:12:2]}"),
            Lines{"12/200, 12"});
  EXPECT_EQ(reads_of("p = f32[10,20] parameter(0)\n"
                     "ROOT r = f32[20,10] transpose(p), dimensions={1,0}"),
            Lines{"200/200, 200"});
  EXPECT_EQ(reads_of("p = f32[10,20] parameter(0)\nROOT r = f32[8,25] reshape(p)"),
            Lines{"200/200, 200"});
  EXPECT_EQ(reads_of("p = f32[20] parameter(0)\n"
                     "ROOT r = f32[10,20,30] broadcast(p), dimensions={1}"),
            Lines{"20/20, 6000"});
  EXPECT_EQ(reads_of("p = f32[10] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT r = f32[20] pad(p, z), padding=-2_3_1"),
            (Lines{"9/10, 9", "1/1, 11"}));
  EXPECT_EQ(reads_of("p = f32[3,5] parameter(0)\nq = f32[4,5] parameter(1)\n"
                     "ROOT r = f32[10,5] concatenate(p, q, p), dimensions={0}"),
            (Lines{"15/15, 15", "20/20, 20", "15/15, 15"}));
  EXPECT_EQ(reads_of("p = f32[7] parameter(0)\nROOT r = f32[7] reverse(p), dimensions={0}"),
            Lines{"7/7, 7"});
}

TEST(Utilisation, OfSums) {
  EXPECT_EQ(reads_of("p = f32[10,20] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT r = f32[10] reduce(p, z), dimensions={1}, to_apply=add"),
            (Lines{"200/200, 200", "1/1, 10"}));
  EXPECT_EQ(reads_of("p = f32[10,20] parameter(0)\nq = f32[20,30] parameter(1)\n"
                     "ROOT r = f32[10,30] dot(p, q), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}"),
            (Lines{"200/200, 6000", "600/600, 6000"}));
  // Windows of 3, one after each 2: they overlap in one element.
  EXPECT_EQ(reads_of("p = f32[11] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT r = f32[5] reduce-window(p, z), window={size=3 stride=2}, "
                     "to_apply=add"),
            (Lines{"11/11, 15", "1/1, 5"}));
  // Padded: the first window and the last reach over the edge.
  EXPECT_EQ(reads_of("p = f32[8] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT r = f32[8] reduce-window(p, z), window={size=3 pad=1_1}, "
                     "to_apply=add"),
            (Lines{"8/8, 22", "1/1, 8"}));
  // Dilated, so that only every other element is seen.
  EXPECT_EQ(reads_of("p = f32[11] parameter(0)\nz = f32[] constant(0)\n"
                     "ROOT r = f32[4] reduce-window(p, z), window={size=3 stride=2 "
                     "rhs_dilate=2}, to_apply=add"),
            (Lines{"6/11, 12", "1/1, 4"}));
}

TEST(Utilisation, OfUnions) {
  // Each element twice, but for those of the diagonal, where the two maps meet.
  EXPECT_EQ(reads_of_fusion("f32[10,10]", "f32[10,10]",
                            "  t = f32[10,10] transpose(p), dimensions={1,0}\n"
                            "  ROOT a = f32[10,10] add(p, t)"),
            Lines{"100/100, 200"});
  // Rows 0 … 3 and 2 … 5 of 10.
  EXPECT_EQ(reads_of_fusion("f32[10,7]", "f32[4,7]",
                            "  a = f32[4,7] slice(p), slice={[0:4], [0:7]}\n"
                            "  b = f32[4,7] slice(p), slice={[2:6], [0:7]}\n"
                            "  ROOT c = f32[4,7] add(a, b)"),
            Lines{"42/70, 56"});
  // A cross: 4 * 10 + 10 * 4 - 4 * 4.
  EXPECT_EQ(reads_of_fusion("f32[10,10]", "f32[4,10]",
                            "  a = f32[4,10] slice(p), slice={[3:7], [0:10]}\n"
                            "  b = f32[10,4] slice(p), slice={[0:10], [3:7]}\n"
                            "  t = f32[4,10] transpose(b), dimensions={1,0}\n"
                            "  ROOT c = f32[4,10] add(a, t)"),
            Lines{"64/100, 80"});
  // Multiples of 2 and of 3 below 30.
  EXPECT_EQ(reads_of_fusion("f32[30]", "(f32[15],f32[10])",
                            "  a = f32[15] slice(p), slice={[0:30:2]}\n"
                            "  b = f32[10] slice(p), slice={[0:30:3]}\n"
                            "  ROOT c = (f32[15],f32[10]) tuple(a, b)"),
            Lines{"20/30, 25"});
  // A softmax reads its operand at the same place, and for each element all of its row.
  EXPECT_EQ(reads_of_fusion("f32[4,8]", "f32[4,8]",
                            "  z = f32[] constant(0)\n"
                            "  b = f32[4,8] reverse(p), dimensions={1}\n"
                            "  s = f32[4,8] slice(b), slice={[0:4], [0:8]}\n"
                            "  ROOT c = f32[4,8] add(p, s)"),
            Lines{"32/32, 64"});
}

TEST(Utilisation, OfWhatStartsWhereTheProgramSays) {
  EXPECT_EQ(reads_of("p = f32[100,20] parameter(0)\ni = s32[] parameter(1)\nz = s32[] constant(0)\n"
                     "ROOT r = f32[7,20] dynamic-slice(p, i, z), dynamic_slice_sizes={7,20}"),
            (Lines{"140/2000, 140", "1/1, 140", "1/1, 140"}));
  // What the update overwrites is not read, wherever it is.
  EXPECT_EQ(reads_of("p = f32[100,20] parameter(0)\nu = f32[7,5] parameter(1)\n"
                     "i = s32[] parameter(2)\nj = s32[] parameter(3)\n"
                     "ROOT r = f32[100,20] dynamic-update-slice(p, u, i, j)"),
            (Lines{"1965/2000, 1965", "35/35, 35", "1/1, 2000", "1/1, 2000"}));
  // Six rows of a thousand, one of them or six.
  EXPECT_EQ(reads_of("t = f32[1000,32] parameter(0)\ni = s32[6,1] parameter(1)\n"
                     "ROOT r = f32[6,32] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}"),
            (Lines{fmt::format("[32, 192] ({})/32000, 192", kValues), "6/6, 192"}));
}

TEST(Utilisation, OfNothing) {
  EXPECT_EQ(reads_of("p = f32[0,20] parameter(0)\nROOT r = f32[20,0] transpose(p), "
                     "dimensions={1,0}"),
            Lines{"0/0, 0"});
  EXPECT_EQ(reads_of("p = f32[10] parameter(0)\nROOT r = f32[0] slice(p), slice={[4:4]}"),
            Lines{"0/10, 0"});
}

TEST(Utilisation, OfHugeArraysInClosedForm) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_EQ(reads_of(fmt::format("p = f32[{0},4] parameter(0)\n"
                                 "ROOT r = f32[{1},4] slice(p), slice={{[0:{0}:2], [0:4]}}",
                                 kHuge, kHuge / 2)),
            Lines{fmt::format("{}/{}, {}", kHuge * 2, kHuge * 4, kHuge * 2)});
  // Every other and every third element: of six, four.
  constexpr std::int64_t kSix = std::int64_t{6} << 38;
  EXPECT_EQ(reads_of_fusion(fmt::format("f32[{}]", kSix),
                            fmt::format("(f32[{}],f32[{}])", kSix / 2, kSix / 3),
                            fmt::format("  a = f32[{1}] slice(p), slice={{[0:{0}:2]}}\n"
                                        "  b = f32[{2}] slice(p), slice={{[0:{0}:3]}}\n"
                                        "  ROOT c = (f32[{1}],f32[{2}]) tuple(a, b)",
                                        kSix, kSix / 2, kSix / 3)),
            Lines{fmt::format("{}/{}, {}", kSix / 6 * 4, kSix, kSix / 6 * 5)});
  // More reads than fit.
  EXPECT_EQ(reads_of(fmt::format("p = f32[{0}] parameter(0)\nz = f32[] constant(0)\n"
                                 "ROOT r = f32[{0}] reduce-window(p, z), window={{size={0} "
                                 "pad={1}_0}}, to_apply=add",
                                 kHuge, kHuge - 1))[1],
            fmt::format("1/1, {}", kHuge));
}

TEST(Utilisation, AcrossDevices) {
  const auto on_devices = [](std::string_view lines) {
    return reads(
        fmt::format("HloModule m, replica_count=4\nadd {{\n  x = f32[] parameter(0)\n  y = "
                    "f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}}\nENTRY e {{\n{}\n}}",
                    lines));
  };
  EXPECT_EQ(on_devices("p = f32[8] parameter(0)\nROOT r = f32[32] all-gather(p), "
                       "replica_groups={{0,1,2,3}}, dimensions={0}"),
            Lines{"8/8, 32"});
  EXPECT_EQ(on_devices("p = f32[8] parameter(0)\nROOT r = f32[8] all-reduce(p), "
                       "replica_groups={{0,1},{2,3}}, to_apply=add"),
            Lines{"8/8, 16"});
  // Device 3 sends nothing and device 0 receives nothing.
  EXPECT_EQ(on_devices("p = f32[8] parameter(0)\nROOT r = f32[8] collective-permute(p), "
                       "source_target_pairs={{0,1},{1,2},{2,3}}"),
            Lines{"[0, 8] (devices differ, or are too many to count apart)/8, "
                  "[0, 8] (devices differ, or are too many to count apart)"});
}

TEST(Utilisation, BoundsWhatIsTooMuch) {
  ExprContext context;
  // Neither a closed form nor enumerable.
  const IndexMap map(context, {{.bounds = {0, 99'999'999}}, {.bounds = {0, 99'999'999}}}, {}, {},
                     {mod(context.dimension(0) * context.dimension(1), 1'000'003)});
  const std::vector<OperandMap> maps = {{.map = map}};
  const std::vector<std::int64_t> sizes = {1'000'003};
  const ReadCounts counts = count_reads(maps, sizes);
  EXPECT_EQ(counts.elements.lo, 0);
  EXPECT_EQ(counts.elements.hi, 1'000'003);
  EXPECT_FALSE(counts.elements.reason.empty());
  EXPECT_EQ(counts.reads, Count::exactly(10'000'000'000'000'000));
}

TEST(Utilisation, OfMapsThatNameMoreThanIsRead) {
  ExprContext context;
  const std::vector<std::int64_t> sizes = {10};
  const IndexMap whole = IndexMap::identity(context, sizes);
  const IndexMap part(context, {{.bounds = {0, 9}}}, {}, {}, {floor_div(context.dimension(0), 2)});
  const auto elements = [&](std::vector<OperandMap> maps) {
    return text(count_reads(maps, sizes).elements);
  };
  EXPECT_EQ(elements({{.map = part}}), "5");
  EXPECT_EQ(elements({{.map = part, .exact = false}}), "[0, 5] (a map is over-approximate)");
  EXPECT_EQ(elements({{.map = part}, {.map = whole, .exact = false}}),
            "[5, 10] (a map is over-approximate)");
  EXPECT_EQ(elements({{.map = whole}, {.map = part, .exact = false}}), "10");
}

}  // namespace
}  // namespace mercator::testing
