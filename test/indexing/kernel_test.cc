// The threads of kernels for fusions. What a block reads must be what the elements that it writes
// are made from, as the maps of the fusion say.

#include "mercator/indexing/kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Index = std::vector<std::int64_t>;
using Block = Index;  // (bl_x, bl_y, bl_z)

constexpr std::int64_t kBudget = 4'000'000;

std::vector<std::string> texts(const OperandMaps& maps) {
  std::vector<std::string> result;
  for (const OperandMap& map : maps.maps) {
    result.push_back(to_string(map.map, MapStyle::kOneLine) + (map.exact ? "" : " ~"));
  }
  if (!maps.unknown.empty()) result.push_back("unknown: " + maps.unknown);
  return result;
}

void add_by_block(const OperandMaps& maps, std::map<Block, std::set<Index>>& result) {
  EXPECT_EQ(maps.unknown, "");
  for (const OperandMap& map : maps.maps) {
    EXPECT_TRUE(map.exact);
    const Result<void> done = enumerate(
        map.map, kBudget, [&](const VariableValues& values, std::span<const std::int64_t> index) {
          result[Block(values.dimensions.begin() + 3, values.dimensions.end())].insert(
              Index(index.begin(), index.end()));
        });
    EXPECT_TRUE(done.has_value());
  }
}

// Checks the kernel of the root of the entry computation: every element of every result is written
// by one block, and a block reads what these elements are made from and nothing else.
KernelIndexing check(AnalyzedModule& m, const Kernel& kernel) {
  const hlo::Instruction& root = m.root();
  const Result<KernelIndexing> threads = m.analysis().kernel(root, kernel);
  if (!threads.has_value()) {
    ADD_FAILURE() << threads.error().message;
    return {};
  }
  const InstructionIndexing indexing = m.analysis().indexing(root, Direction::kOutputToInput);
  EXPECT_EQ(indexing.unknown, "");

  std::map<std::int64_t, std::map<Block, std::set<Index>>> needed;  // by operand
  for (const KernelIndexing::Write& write : threads->writes) {
    std::map<Block, std::set<Index>> written;
    add_by_block(write.maps, written);
    const auto is_output = [&](const hlo::ShapeLeaf& leaf) { return leaf.index == write.output; };
    const std::vector<hlo::ShapeLeaf> leaves = hlo::leaves(root.shape);
    const auto leaf = std::ranges::find_if(leaves, is_output);
    std::size_t elements = 1;
    for (const std::int64_t size : leaf->shape.dimensions) {
      elements *= static_cast<std::size_t>(size);
    }
    std::map<Index, Block> by_index;
    for (const auto& [block, indices] : written) {
      for (const Index& index : indices) {
        EXPECT_TRUE(by_index.emplace(index, block).second) << "written by two blocks";
      }
    }
    EXPECT_EQ(by_index.size(), elements);
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      if (pair.output != write.output) continue;
      for (const OperandMap& map : pair.maps.maps) {
        const Result<std::set<RelatedPair>> related = relation(map.map, kBudget);
        EXPECT_TRUE(related.has_value());
        if (!related.has_value()) return *threads;
        for (const RelatedPair& point : *related) {
          needed[pair.operand][by_index[point.from]].insert(point.to);
        }
      }
    }
  }
  std::map<std::int64_t, std::map<Block, std::set<Index>>> read;
  for (const KernelIndexing::Read& access : threads->reads) {
    add_by_block(access.maps, read[access.operand]);
  }
  EXPECT_EQ(read, needed);
  return *threads;
}

constexpr const char* kAdd = R"(
    add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b)
    })";

TEST(Kernel, LoopReadsWhatItsElementsAreMadeFrom) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[6,10] parameter(0)
      p1 = f32[10] parameter(1)
      t = f32[10,6] transpose(p0), dimensions={1,0}
      b = f32[10,6] broadcast(p1), dimensions={0}
      ROOT r = f32[10,6] add(t, b)
    }
    ENTRY e {
      p0 = f32[6,10] parameter(0)
      p1 = f32[10] parameter(1)
      ROOT x = f32[10,6] fusion(p0, p1), kind=kLoop, calls=f
    })");
  const KernelIndexing threads =
      check(m, {.launch = {.threads = {8, 1, 1}, .blocks = {4, 1, 1}}, .vector = 2});
  ASSERT_EQ(threads.reads.size(), 2U);
  EXPECT_THAT(threads.heroes, ::testing::IsEmpty());
  EXPECT_THAT(texts(threads.reads[0].maps),
              ElementsAre("(th_x, th_y, th_z, bl_x, bl_y, bl_z)[element] -> (element + ((th_x + "
                          "bl_x * 8) mod 3) * 2, (th_x + bl_x * 8) floordiv 3), domain: th_x in "
                          "[0, 7], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 3], bl_y in [0, 0], "
                          "bl_z in [0, 0], element in [0, 1], th_x + bl_x * 8 in [0, 29]"));
}

TEST(Kernel, LoopOfSeveralResultsAndOfAnInstructionByItself) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[24] parameter(0)
      a = f32[4,6] reshape(p0)
      b = f32[24] reverse(p0), dimensions={0}
      ROOT r = (f32[4,6], f32[24]) tuple(a, b)
    }
    ENTRY e {
      p0 = f32[24] parameter(0)
      ROOT x = (f32[4,6], f32[24]) fusion(p0), kind=kLoop, calls=f
    })");
  EXPECT_EQ(check(m, {.launch = {.threads = {4, 1, 1}, .blocks = {2, 1, 1}}}).writes.size(), 2U);
  AnalyzedModule dot(R"(
    HloModule m
    ENTRY e {
      p0 = f32[5,3] parameter(0)
      p1 = f32[3,4] parameter(1)
      ROOT x = f32[5,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    })");
  EXPECT_EQ(check(dot, {.launch = {.threads = {4, 1, 1}, .blocks = {5, 1, 1}}}).reads.size(), 2U);
}

// Each result is written and read for by itself, also where ranks differ and there is no fusion.
TEST(Kernel, LoopOfAnInstructionWithSeveralResults) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4,6] parameter(0)
      p1 = s32[5] parameter(1)
      ROOT x = (f32[4,6], s32[5]) tuple(p0, p1)
    })");
  const KernelIndexing threads = check(m, {.launch = {.threads = {4, 1, 1}, .blocks = {6, 1, 1}}});
  EXPECT_EQ(threads.writes.size(), 2U);
  EXPECT_EQ(threads.reads.size(), 2U);
}

TEST(Kernel, TransposeBetweenOtherWork) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[40,20] parameter(0)
      p1 = f32[20] parameter(1)
      p2 = f32[40] parameter(2)
      b = f32[40,20] broadcast(p1), dimensions={1}
      s = f32[40,20] subtract(p0, b)
      t = f32[20,40] transpose(s), dimensions={1,0}
      c = f32[20,40] broadcast(p2), dimensions={1}
      ROOT r = f32[20,40] multiply(t, c)
    }
    ENTRY e {
      p0 = f32[40,20] parameter(0)
      p1 = f32[20] parameter(1)
      p2 = f32[40] parameter(2)
      ROOT x = f32[20,40] fusion(p0, p1, p2), kind=kInput, calls=f
    })");
  const KernelIndexing threads = check(m, {.scheme = Scheme::kTranspose,
                                           .launch = {.threads = {32, 1, 1}, .blocks = {15, 1, 1}},
                                           .vector = 1,
                                           .tile = 8});
  ASSERT_EQ(threads.heroes.size(), 1U);
  EXPECT_EQ(threads.heroes[0]->name, "t");
  EXPECT_EQ(threads.reads.size(), 3U);
}

TEST(Kernel, CopyToAnotherLayoutAndASecondResultOfItsOperand) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[16,24]{1,0} parameter(0)
      n = f32[16,24]{1,0} negate(p0)
      c = f32[16,24]{0,1} copy(n)
      ROOT r = (f32[16,24]{0,1}, f32[16,24]{1,0}) tuple(c, n)
    }
    ENTRY e {
      p0 = f32[16,24]{1,0} parameter(0)
      ROOT x = (f32[16,24]{0,1}, f32[16,24]{1,0}) fusion(p0), kind=kInput, calls=f
    })");
  check(m, {.scheme = Scheme::kTranspose,
            .launch = {.threads = {4, 2, 1}, .blocks = {6, 1, 1}},
            .vector = 2,
            .tile = 8});
}

TEST(Kernel, RowReductionWithWorkBehindIt) {
  AnalyzedModule m(fmt::format(R"(
    HloModule m
    {}
    f {{
      p0 = f32[6,50] parameter(0)
      p1 = f32[6] parameter(1)
      zero = f32[] parameter(2)
      n = f32[6,50] negate(p0)
      r = f32[6] reduce(n, zero), dimensions={{1}}, to_apply=add
      ROOT d = f32[6] divide(r, p1)
    }}
    ENTRY e {{
      p0 = f32[6,50] parameter(0)
      p1 = f32[6] parameter(1)
      p2 = f32[] parameter(2)
      ROOT x = f32[6] fusion(p0, p1, p2), kind=kInput, calls=f
    }})",
                               kAdd));
  const KernelIndexing threads = check(m, {.scheme = Scheme::kRowReduction,
                                           .launch = {.threads = {32, 1, 1}, .blocks = {2, 1, 1}},
                                           .vector = 2,
                                           .tile = 8});
  ASSERT_EQ(threads.reads.size(), 3U);
  EXPECT_THAT(texts(threads.reads[2].maps), ElementsAre(HasSubstr("-> ()")));
}

TEST(Kernel, ReductionsTogetherAndTheArrayItself) {
  AnalyzedModule m(fmt::format(R"(
    HloModule m
    {}
    f {{
      p0 = f32[12,9] parameter(0)
      p1 = f32[12,9] parameter(1)
      zero = f32[] constant(0)
      s = f32[12,9] add(p0, p1)
      r0 = f32[9] reduce(p0, zero), dimensions={{0}}, to_apply=add
      r1 = f32[9] reduce(s, zero), dimensions={{0}}, to_apply=add
      ROOT t = (f32[9], f32[9], f32[12,9]) tuple(r0, r1, s)
    }}
    ENTRY e {{
      p0 = f32[12,9] parameter(0)
      p1 = f32[12,9] parameter(1)
      ROOT x = (f32[9], f32[9], f32[12,9]) fusion(p0, p1), kind=kInput, calls=f
    }})",
                               kAdd));
  const KernelIndexing threads = check(m, {.scheme = Scheme::kColumnReduction,
                                           .launch = {.threads = {16, 1, 1}, .blocks = {3, 1, 1}},
                                           .vector = 1,
                                           .tile = 4});
  EXPECT_EQ(threads.heroes.size(), 2U);
  EXPECT_EQ(threads.writes.size(), 3U);
}

TEST(Kernel, VariadicReductionByItself) {
  AnalyzedModule m(R"(
    HloModule m
    both {
      a = f32[] parameter(0)
      b = s32[] parameter(1)
      c = f32[] parameter(2)
      d = s32[] parameter(3)
      e = f32[] add(a, c)
      f = s32[] add(b, d)
      ROOT g = (f32[], s32[]) tuple(e, f)
    }
    ENTRY e {
      p0 = f32[6,16] parameter(0)
      p1 = s32[6,16] parameter(1)
      z0 = f32[] constant(0)
      z1 = s32[] constant(0)
      ROOT x = (f32[6], s32[6]) reduce(p0, p1, z0, z1), dimensions={1}, to_apply=both
    })");
  const KernelIndexing threads = check(m, {.scheme = Scheme::kRowReduction,
                                           .launch = {.threads = {8, 1, 1}, .blocks = {3, 1, 1}},
                                           .vector = 1,
                                           .tile = 4});
  EXPECT_EQ(threads.reads.size(), 4U);
  EXPECT_EQ(threads.writes.size(), 2U);
}

TEST(Kernel, ConcatenateOfComputedOperands) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[3,7] parameter(0)
      p1 = f32[3,4] parameter(1)
      n = f32[3,7] negate(p0)
      v = f32[3,4] reverse(p1), dimensions={1}
      c = f32[3,15] concatenate(n, v, p1), dimensions={1}
      ROOT e = f32[3,15] exponential(c)
    }
    ENTRY e {
      p0 = f32[3,7] parameter(0)
      p1 = f32[3,4] parameter(1)
      ROOT x = f32[3,15] fusion(p0, p1), kind=kInput, calls=f
    })");
  const KernelIndexing threads = check(m, {.scheme = Scheme::kConcatenate,
                                           .launch = {.threads = {4, 1, 1}, .blocks = {3, 1, 1}},
                                           .vector = 1});
  ASSERT_EQ(threads.writes.size(), 1U);
  EXPECT_EQ(threads.writes[0].maps.maps.size(), 3U);
}

TEST(Kernel, RuntimeVariablesNameTheCallersArrays) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[9] parameter(0)
      i = s32[] parameter(1)
      s = f32[4] dynamic-slice(p0, i), dynamic_slice_sizes={4}
      ROOT n = f32[4] negate(s)
    }
    ENTRY e {
      p0 = f32[9] parameter(0)
      start = s32[] parameter(1)
      ROOT x = f32[4] fusion(p0, start), kind=kLoop, calls=f
    })");
  const Result<KernelIndexing> threads =
      m.analysis().kernel(m.root(), {.launch = {.threads = {4, 1, 1}}});
  ASSERT_TRUE(threads.has_value());
  ASSERT_EQ(threads->reads.size(), 2U);
  const IndexMap& map = threads->reads[0].maps.maps.at(0).map;
  EXPECT_THAT(to_string(map, MapStyle::kOneLine), HasSubstr("{rt0} -> (th_x + rt0)"));
  EXPECT_EQ(m.module().instructions[*map.runtimes()[0].tensor]->name, "start");
}

TEST(Kernel, HeroesWithOtherElementsBehindThem) {
  // The padding has no element of the concatenate, and would never be written.
  AnalyzedModule m(R"(
    HloModule m
    f {
      p = f32[32] parameter(0)
      z = f32[] constant(0)
      c = f32[64] concatenate(p, p), dimensions={0}
      ROOT x = f32[68] pad(c, z), padding=4_0
    }
    ENTRY e {
      p = f32[32] parameter(0)
      ROOT r = f32[68] fusion(p), kind=kLoop, calls=f
    })");
  const Result<KernelIndexing> threads = m.analysis().kernel(
      m.root(), {.scheme = Scheme::kConcatenate, .launch = {.threads = {32, 1, 1}}});
  ASSERT_FALSE(threads.has_value());
  EXPECT_EQ(threads.error().message, "'x' is behind 'c', and has other elements");
}

TEST(Kernel, AsyncStart) {
  AnalyzedModule m(R"(
    HloModule m
    t {
      p = f32[4] parameter(0)
      ROOT r = f32[4] negate(p)
    }
    ENTRY e {
      p = f32[4] parameter(0)
      s = ((f32[4]), f32[4], s32[]) async-start(p), calls=t
      ROOT d = f32[4] async-done(s)
    })");
  const Result<KernelIndexing> threads =
      m.analysis().kernel(m.instruction("s"), {.launch = {.threads = {4, 1, 1}}});
  ASSERT_FALSE(threads.has_value());
  EXPECT_EQ(threads.error().kind, ErrorKind::kUnsupported);
}

TEST(Kernel, WhatDoesNotSuitIsRefused) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[8,8] parameter(0)
      t = f32[8,8] transpose(p0), dimensions={1,0}
      l = f32[1,3] slice(p0), slice={[0:1], [0:3]}
      s = f32[3] reshape(l)
      ROOT r = (f32[8,8], f32[3]) tuple(t, s)
    }
    ENTRY e {
      p0 = f32[8,8] parameter(0)
      ROOT x = (f32[8,8], f32[3]) fusion(p0), kind=kInput, calls=f
    })");
  const auto refused = [&](const Kernel& kernel) {
    const Result<KernelIndexing> threads = m.analysis().kernel(m.root(), kernel);
    EXPECT_FALSE(threads.has_value());
    if (threads.has_value()) return std::string();
    EXPECT_EQ(threads.error().kind, ErrorKind::kUnsupported);
    return threads.error().message;
  };
  const Launch launch = {.threads = {8, 1, 1}, .blocks = {4, 1, 1}};
  EXPECT_EQ(refused({.scheme = Scheme::kConcatenate, .launch = launch}),
            "'x' has nothing for a kernel of scheme 'concatenate'");
  EXPECT_EQ(refused({.scheme = Scheme::kTranspose, .launch = launch, .tile = 4}),
            "output {1} of 'x' does not depend on 't', and has neither the dimensions of its "
            "operand nor those of its result");
  EXPECT_EQ(refused({.scheme = Scheme::kTranspose, .launch = launch, .tile = 2}),
            "16 tiles want as many blocks, not 4");
}

}  // namespace
}  // namespace mercator::testing
