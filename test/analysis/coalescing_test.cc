// Kernels of known kinds, with what every warp touches worked out by hand: f32 elements, 32
// threads, sectors of 32 bytes; 4 sectors hold what a full warp accesses.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "mercator/analysis/coalescing.h"
#include "mercator/analysis/cost.h"
#include "mercator/analysis/kernel_choice.h"
#include "mercator/support/arithmetic.h"
#include "test/indexing/analyzed_module.h"

namespace mercator {
namespace {

using testing::AnalyzedModule;

constexpr const char* kAdd = R"(
    add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b)
    })";

// "loop | read 0: 4/4 | write: 4/4": sectors a warp over those that would do, and * where that is
// not coalesced.
std::string accesses(AnalyzedModule& m) {
  CostAnalysis analysis(m.analysis(), *find_device("a100"));
  const InstructionCost cost = analysis(m.root());
  std::string text = cost.kernel ? std::string(name(cost.kernel->scheme)) : "none";
  const auto add = [&](const std::string& what, const std::optional<Coalescing>& access) {
    if (!access) return;
    if (!access->unknown.empty()) {
      text += fmt::format(" | {}: {}", what, access->unknown);
      return;
    }
    const auto number = [](const Measure& measure) {
      return measure.is_exact() ? fmt::format("{:.4g}", measure.lo)
                                : fmt::format("[{:.4g}, {:.4g}]", measure.lo, measure.hi);
    };
    text += fmt::format(" | {}: {}/{}{}", what, number(access->sectors_per_warp),
                        number(access->ideal_sectors_per_warp), access->coalesced ? "" : "*");
  };
  for (const OperandCost& operand : cost.operands) {
    add(fmt::format("read {}", operand.reads.operand), operand.coalescing);
  }
  for (const OutputCost& output : cost.outputs) add("write", output.coalescing);
  return text;
}
std::string accesses(const std::string& text) {
  AnalyzedModule m(text);
  return accesses(m);
}

// A fusion of one computation with the parameters that `entry` declares.
std::string fusion(const std::string& body, const std::string& parameters,
                   const std::string& result, const std::string& operands) {
  return fmt::format(
      "HloModule m\n{}\nf {{\n{}\n}}\nENTRY e {{\n{}\nROOT x = {} fusion({}), kind=kLoop, "
      "calls=f\n}}",
      kAdd, body, parameters, result, operands);
}

TEST(Coalescing, Identity) {
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[512,256] parameter(0)
      ROOT n = f32[512,256] negate(p) })"),
            "loop | read 0: 4/4 | write: 4/4");
}

TEST(Coalescing, OneOperandTransposed) {
  // Too short on one side to be worth a tile of shared memory.
  EXPECT_EQ(accesses(fusion(R"(p0 = f32[8,4096] parameter(0)
      p1 = f32[4096,8] parameter(1)
      t = f32[8,4096] transpose(p1), dimensions={1,0}
      ROOT s = f32[8,4096] add(p0, t))",
                            "p0 = f32[8,4096] parameter(0)\np1 = f32[4096,8] parameter(1)",
                            "f32[8,4096]", "p0, p1")),
            "loop | read 0: 4/4 | read 1: 32/4* | write: 4/4");
}

TEST(Coalescing, TransposeThroughSharedMemory) {
  EXPECT_EQ(accesses(fusion(R"(p0 = f32[512,256] parameter(0)
      ROOT t = f32[256,512] transpose(p0), dimensions={1,0})",
                            "p0 = f32[512,256] parameter(0)", "f32[256,512]", "p0")),
            "transpose | read 0: 4/4 | write: 4/4");
}

TEST(Coalescing, TransposeByALoop) {
  AnalyzedModule m(R"(HloModule m
    ENTRY e { p = f32[1024,512] parameter(0)
      ROOT t = f32[512,1024] transpose(p), dimensions={1,0} })");
  const Launch launch = loop_kernel(512 * 1024).launch;
  const Result<KernelIndexing> threads = m.analysis().kernel(m.root(), {.launch = launch});
  ASSERT_TRUE(threads.has_value());
  CoalescingAnalysis coalescing(m.analysis(), *find_device("a100"));
  const Coalescing read =
      coalescing(threads->reads[0].maps, m.root().operand(0).shape, launch, false);
  EXPECT_EQ(read.sectors_per_warp.lo, 32);
  EXPECT_EQ(read.ideal_sectors_per_warp.lo, 4);
  EXPECT_EQ(read.useful_share.lo, 0.125);
  EXPECT_FALSE(read.coalesced);
  EXPECT_EQ(read.vector_width, 1);
  EXPECT_EQ(read.why, "neighbouring threads read 2048 bytes apart");
  const Coalescing write = coalescing(threads->writes[0].maps, m.root().shape, launch, true);
  EXPECT_EQ(write.vector_width, 4);
  EXPECT_EQ(write.why, "neighbouring threads write neighbouring elements");
}

TEST(Coalescing, OutputInAnotherLayout) {
  // The loop follows the result in memory, so that it is the operand that is read across.
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[8,4096]{1,0} parameter(0)
      ROOT n = f32[8,4096]{0,1} negate(p) })"),
            "loop | read 0: 8/4* | write: 4/4");
}

TEST(Coalescing, RowReduction) {
  EXPECT_EQ(accesses(fmt::format(R"(HloModule m
    {}
    ENTRY e {{ p = f32[1024,512] parameter(0)
      z = f32[] parameter(1)
      ROOT r = f32[1024] reduce(p, z), dimensions={{1}}, to_apply=add }})",
                                 kAdd)),
            "row-reduction | read 0: 4/4 | read 1: 1/1 | write: 1/1");
}

TEST(Coalescing, ColumnReduction) {
  EXPECT_EQ(accesses(fmt::format(R"(HloModule m
    {}
    ENTRY e {{ p = f32[1024,512] parameter(0)
      z = f32[] parameter(1)
      ROOT r = f32[512] reduce(p, z), dimensions={{0}}, to_apply=add }})",
                                 kAdd)),
            "column-reduction | read 0: 4/4 | read 1: 1/1 | write: 4/4");
}

TEST(Coalescing, SeamOfAConcatenate) {
  // Steps of the first operand take whole warps, 8 of 256 elements. The second, of 16 elements, is
  // copied by half a warp, to the place behind them.
  EXPECT_EQ(accesses(fusion(R"(p0 = f32[256] parameter(0)
      p1 = f32[16] parameter(1)
      ROOT c = f32[272] concatenate(p0, p1), dimensions={0})",
                            "p0 = f32[256] parameter(0)\np1 = f32[16] parameter(1)", "f32[272]",
                            "p0, p1")),
            "concatenate | read 0: 4/4 | read 1: 2/2 | write: 3.778/3.778");
}

TEST(Coalescing, Pad) {
  // Of 8 warps the first reads 31 elements and the last 1: 4 sectors, 6 times 5 that begin in the
  // middle of one, and 1 at the end of 224 elements.
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[224] parameter(0)
      z = f32[] parameter(1)
      ROOT x = f32[256] pad(p, z), padding=1_31 })"),
            "loop | read 0: 4.375/3.625 | read 1: 1/1 | write: 4/4");
}

TEST(Coalescing, EverySecondElement) {
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[4096] parameter(0)
      ROOT s = f32[2048] slice(p), slice={[0:4096:2]} })"),
            "loop | read 0: 8/4* | write: 4/4");
}

// A copy of 4096 elements from the one of this number on: all sectors that are moved to read them,
// counted one by one, where a thread takes as many elements at once as start with a multiple of
// that number of them and have up to 16 bytes.
TEST(Coalescing, SectorsOfVectors) {
  constexpr std::int64_t kCount = 4096;
  constexpr std::int64_t kSectorBytes = 32;
  constexpr std::int64_t kThreadsOfBlock = 128;
  std::int64_t in_vectors_only = 0;
  for (const auto& [type, bytes] : {std::pair("u8", 1), {"bf16", 2}, {"f32", 4}, {"f64", 8}}) {
    for (std::int64_t first = 0; first < 40; ++first) {
      AnalyzedModule m(fmt::format(R"(HloModule m
        ENTRY e {{ p = {0}[5000] parameter(0)
          ROOT s = {0}[4096] slice(p), slice={{[{1}:{2}]}} }})",
                                   type, first, first + kCount));
      const InstructionCost cost = CostAnalysis(m.analysis(), *find_device("a100"))(m.root());
      ASSERT_EQ(cost.operands.size(), 1U);
      ASSERT_TRUE(cost.operands[0].coalescing.has_value());
      const Coalescing& read = *cost.operands[0].coalescing;

      std::int64_t width = 1;
      while (width * 2 * bytes <= 16 && first % (width * 2) == 0) width *= 2;
      EXPECT_EQ(read.vector_width, width) << type << " from " << first;
      // Of the elements that a warp takes, in the blocks of the kernel.
      const auto sectors = [&](std::int64_t elements) {
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < kCount; i += elements) {
          const std::int64_t begin = (first + i) * bytes;
          const std::int64_t end = (first + i + elements) * bytes;
          count += (end - 1) / kSectorBytes - begin / kSectorBytes + 1;
        }
        return count;
      };
      const std::int64_t elements = std::min(32 * width, kThreadsOfBlock);
      EXPECT_EQ(read.moved_bytes, Count::exactly(sectors(elements) * kSectorBytes))
          << type << " from " << first;
      const bool is_coalesced =
          sectors(elements) < 2 * (kCount / elements) * ceil_div(elements * bytes, kSectorBytes);
      EXPECT_EQ(read.coalesced, is_coalesced) << type << " from " << first;
      in_vectors_only += is_coalesced && sectors(32) >= 2 * (kCount / 32) * bytes ? 1 : 0;
    }
  }
  // Bytes from 2, 4, 6, … on, but for those that are at the start of a sector.
  EXPECT_EQ(in_vectors_only, 18);
}

TEST(Coalescing, BroadcastOfAScalar) {
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[] parameter(0)
      ROOT b = f32[4096] broadcast(p), dimensions={} })"),
            "loop | read 0: 1/1 | write: 4/4");
}

TEST(Coalescing, Gather) {
  EXPECT_EQ(accesses(R"(HloModule m
    ENTRY e { p = f32[100,64] parameter(0)
      i = s32[50] parameter(1)
      ROOT g = f32[50,64] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64} })"),
            "loop | read 0: 4/4 | read 1: 1/1 | write: 4/4");
}

TEST(Coalescing, Softmax) {
  // What is behind the sums has as many elements as what is before them: a loop.
  EXPECT_EQ(accesses(fusion(R"(p0 = f32[64,128] parameter(0)
      z = f32[] constant(0)
      r = f32[64] reduce(p0, z), dimensions={1}, to_apply=add
      b = f32[64,128] broadcast(r), dimensions={0}
      ROOT d = f32[64,128] divide(p0, b))",
                            "p0 = f32[64,128] parameter(0)", "f32[64,128]", "p0")),
            "loop | read 0: 1.023/1.023 | write: 4/4");
}

}  // namespace
}  // namespace mercator
