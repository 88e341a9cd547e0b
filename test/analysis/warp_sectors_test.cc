// Sectors of warps against a simulation of every one of them.

#include "mercator/analysis/warp_sectors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "test/analysis/warp_simulation.h"
#include "test/support/random_draw.h"

namespace mercator {
namespace {

constexpr std::int64_t kBudget = 100'000;

class WarpSectorsTest : public ::testing::Test {
 protected:
  // "[chunk] -> (…)", with the six dimensions of the launch and their bounds in front.
  IndexMap map(const std::string& text, const Launch& launch, const std::string& domain = "") {
    std::string all = "(th_x, th_y, th_z, bl_x, bl_y, bl_z)" + text + ", domain: ";
    const char* names[] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};
    for (std::size_t i = 0; i < 6; ++i) {
      const std::int64_t size = i < 3 ? launch.threads[i] : launch.blocks[i - 3];
      all += fmt::format("{}{} in [0, {}]", i == 0 ? "" : ", ", names[i], size - 1);
    }
    if (!domain.empty()) all += ", " + domain;
    Result<IndexMap> parsed = parse_index_map(all, context_);
    EXPECT_TRUE(parsed.has_value()) << all;
    return simplify(*parsed);
  }
  static std::string text(const WarpSectors& s) {
    const auto count = [](const Count& c) {
      return c.is_exact() ? fmt::format("{}", c.lo) : fmt::format("[{}, {}]", c.lo, c.hi);
    };
    return fmt::format("{} steps, {} sectors, {} ideal, {} bits, stride {}", count(s.steps),
                       count(s.sectors), count(s.ideal_sectors), count(s.useful_bits),
                       s.stride ? fmt::format("{}", *s.stride) : "none");
  }
  std::string sectors(const std::string& map_text, const Launch& launch, std::int64_t bits = 32,
                      const std::string& domain = "") {
    return text(count_warp_sectors(map(map_text, launch, domain), bits, launch, {}, kBudget));
  }

  ExprContext context_;
};

TEST_F(WarpSectorsTest, ByHand) {
  const Launch launch = {.threads = {128, 1, 1}, .blocks = {1024, 1, 1}};
  const std::string t = "bl_x * 128 + th_x";
  EXPECT_EQ(sectors("-> (" + t + ")", launch),
            "4096 steps, 16384 sectors, 16384 ideal, 4194304 bits, stride 1");
  EXPECT_EQ(sectors("-> (" + t + ")", launch, 8),
            "4096 steps, 4096 sectors, 4096 ideal, 1048576 bits, stride 1");
  EXPECT_EQ(sectors("-> (" + t + ")", launch, 64),
            "4096 steps, 32768 sectors, 32768 ideal, 8388608 bits, stride 1");
  EXPECT_EQ(sectors("-> ((" + t + ") * 2)", launch),
            "4096 steps, 32768 sectors, 16384 ideal, 4194304 bits, stride 2");
  EXPECT_EQ(sectors("-> (0)", launch),
            "4096 steps, 4096 sectors, 4096 ideal, 131072 bits, stride 0");
  // One element further than a sector begins.
  EXPECT_EQ(sectors("-> (" + t + " + 1)", launch),
            "4096 steps, 20480 sectors, 16384 ideal, 4194304 bits, stride 1");
  // Reversed.
  EXPECT_EQ(sectors("-> (131071 - th_x - bl_x * 128)", launch),
            "4096 steps, 16384 sectors, 16384 ideal, 4194304 bits, stride -1");
  // A column of f32[512,256].
  EXPECT_EQ(sectors("-> ((" + t + ") mod 512 * 256 + (" + t + ") floordiv 512)", launch),
            "4096 steps, 131072 sectors, 16384 ideal, 4194304 bits, stride 256");
}

TEST_F(WarpSectorsTest, PartialWarpsAndSeams) {
  const Launch launch = {.threads = {128, 1, 1}, .blocks = {8, 1, 1}};
  const std::string t = "bl_x * 128 + th_x";
  // 1000 elements: 31 full warps and one of 8 threads.
  EXPECT_EQ(sectors("-> (" + t + ")", launch, 32, t + " in [0, 999]"),
            "32 steps, 125 sectors, 125 ideal, 32000 bits, stride 1");
  // Rows of 100, of which the first 70 come from here: the seam is in another lane each time.
  const IndexMap seam = map("-> ((" + t + ") floordiv 100 * 70 + (" + t + ") mod 100)", launch,
                            t + " in [0, 999], (" + t + ") mod 100 in [0, 69]");
  const testing::Simulated s =
      testing::simulate(seam, 32, launch, {}, [](const auto&) { return 0; });
  const WarpSectors counted = count_warp_sectors(seam, 32, launch, {}, kBudget);
  EXPECT_EQ(counted.sectors, Count::exactly(s.sectors));
  EXPECT_EQ(counted.steps, Count::exactly(s.steps));
}

TEST_F(WarpSectorsTest, ManyThreadsAreCountedByKinds) {
  const Launch launch = {.threads = {256, 1, 1}, .blocks = {std::int64_t{1} << 32, 1, 1}};
  const std::string t = "bl_x * 256 + th_x";
  EXPECT_EQ(sectors("-> (" + t + ")", launch, 32, t + " in [0, 1099511627774]"),
            "34359738368 steps, 137438953472 sectors, 137438953472 ideal, 35184372088800 bits, "
            "stride 1");
  EXPECT_EQ(sectors("[chunk] -> ((" + t + ") * 3 + chunk)", launch, 32, "chunk in [0, 2]"),
            "103079215104 steps, 1236950581248 sectors, 412316860416 ideal, 105553116266496 bits, "
            "stride 3");
}

TEST_F(WarpSectorsTest, PositionsThatStartAnewAfterManySteps) {
  // pred[2,8192,8192] broadcast(pred[8192,8192]), dimensions={1,2}
  const Launch launch = {.threads = {128, 1, 1}, .blocks = {1048576, 1, 1}};
  const std::string t = "bl_x * 128 + th_x";
  EXPECT_EQ(sectors("-> ((" + t + ") mod 67108864)", launch, 8),
            "4194304 steps, 4194304 sectors, 4194304 ideal, 1073741824 bits, stride 1");
  // s32[2,8192,8192] broadcast(s32[2,8192]), dimensions={0,2}
  EXPECT_EQ(sectors("-> ((" + t + ") mod 8192 + (" + t + ") floordiv 67108864 * 8192)", launch),
            "4194304 steps, 16777216 sectors, 16777216 ideal, 4294967296 bits, stride 1");
}

TEST_F(WarpSectorsTest, BeyondTheBudget) {
  const Launch launch = {.threads = {32, 1, 1}, .blocks = {1'000'003, 1, 1}};
  const WarpSectors s = count_warp_sectors(map("-> ((bl_x * 32 + th_x) * 7 mod 1000003)", launch),
                                           32, launch, {}, 1000);
  EXPECT_FALSE(s.sectors.is_exact());
  EXPECT_EQ(s.sectors.reason, "too many different warps to count");
  EXPECT_EQ(s.sectors.hi, 1'000'003 * 32);
}

TEST_F(WarpSectorsTest, RuntimeVariables) {
  const Launch launch = {.threads = {32, 1, 1}, .blocks = {4, 1, 1}};
  ExprContext& c = context_;
  const auto with_runtime = [&](Expr position, std::vector<Expr> index) {
    const IndexMap plain = map("-> (0)", launch);
    return IndexMap(c, plain.dimensions(), {},
                    {{.bounds = {0, 15}, .tensor = 7, .index = std::move(index)}}, {position});
  };
  const Expr th = c.dimension(0);
  const Expr bl = c.dimension(3);
  const auto counted = [&](const IndexMap& m) {
    return text(count_warp_sectors(m, 32, launch, {}, kBudget));
  };
  // A start in rows of 8 elements: always at a sector.
  EXPECT_EQ(counted(with_runtime(th + bl * 32 + c.runtime(0) * 8, {})),
            "4 steps, 16 sectors, 16 ideal, 4096 bits, stride 1");
  // Any start.
  EXPECT_EQ(counted(with_runtime(th + bl * 32 + c.runtime(0), {})),
            "4 steps, [16, 20] sectors, 16 ideal, 4096 bits, stride 1");
  // A row for each half of a warp: the same row, or not.
  EXPECT_EQ(counted(with_runtime(mod(th, 16) + c.runtime(0) * 16, {bl * 2 + floor_div(th, 16)})),
            "4 steps, [8, 16] sectors, [8, 16] ideal, [2048, 4096] bits, stride none");
  // An element for each thread.
  EXPECT_EQ(counted(with_runtime(c.runtime(0), {bl * 32 + th})),
            "4 steps, [4, 128] sectors, [4, 16] ideal, [128, 4096] bits, stride none");
  // Whether it is read at all.
  const IndexMap read = with_runtime(th, {});
  const IndexMap gated(c, read.dimensions(), {}, read.runtimes(), read.results(),
                       {{th + c.runtime(0), {0, 20}}});
  const WarpSectors perhaps = count_warp_sectors(gated, 32, launch, {}, kBudget);
  EXPECT_EQ(text(perhaps),
            "[0, 4] steps, [0, 16] sectors, [0, 16] ideal, [0, 4096] bits, stride 1");
  EXPECT_EQ(perhaps.sectors.reason, "whether an element is accessed is known at run time only");
}

// A random map, as kernels have them.
class RandomAccess {
 public:
  explicit RandomAccess(std::uint64_t seed, ExprContext& context)
      : draw_(test::seeded_draw(seed)), c_(context) {}

  Launch launch() {
    constexpr std::int64_t kThreads[] = {32, 64, 40, 16, 96};
    Launch launch = {.threads = {kThreads[below(5)], 1, 1}, .blocks = {1 + below(12), 1, 1}};
    if (below(4) == 0) launch.threads = {8, 1 + below(5), 1 + below(3)};
    if (below(4) == 0) launch.blocks[1] = 1 + below(3);
    return launch;
  }

  IndexMap map(const Launch& launch) {
    std::vector<Variable> dimensions;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::int64_t size = i < 3 ? launch.threads[i] : launch.blocks[i - 3];
      dimensions.push_back({.bounds = Interval::indices(size)});
    }
    std::vector<Variable> ranges;
    if (below(2) == 0) ranges.push_back({.bounds = Interval::indices(1 + below(6))});
    const Expr thread = c_.dimension(0) + c_.dimension(1) * launch.threads[0] +
                        c_.dimension(2) * (launch.threads[0] * launch.threads[1]);
    const Expr block = c_.dimension(3) + c_.dimension(4) * launch.blocks[0];
    Expr p = thread + block * launch.threads_per_block();
    if (!ranges.empty()) {
      const std::int64_t all = launch.threads_per_block() * launch.block_count();
      const std::int64_t steps[] = {all, 1, launch.threads_per_block()};
      p = (below(3) == 0 ? p * ranges[0].bounds.size() : p) + c_.range(0) * steps[below(3)];
    }
    std::vector<Constraint> constraints;
    if (below(2) == 0) constraints.push_back({p, {0, 20 + below(900)}});
    // As an index of an array, moved about.
    const std::int64_t inner = 1 + below(70);
    const std::int64_t middle = 1 + below(9);
    Expr i = floor_div(p, inner * middle);
    Expr j = mod(floor_div(p, inner), middle);
    Expr k = mod(p, inner);
    if (below(4) == 0) k = c_.constant(inner - 1) - k;
    if (below(4) == 0) constraints.push_back({k, {below(8), 3 + below(60)}});
    if (below(5) == 0) j = c_.constant(0);
    if (below(5) == 0) k = k * 2;
    if (below(6) == 0) k = k + 3;
    const std::int64_t strides[][3] = {{inner * middle, inner, 1},
                                       {1, 41, 97},
                                       {inner, inner * 12, 1},
                                       {middle, 1, middle * 50},
                                       {0, 64, 1}};
    const auto& s = strides[below(5)];
    return simplify(
        IndexMap(c_, dimensions, ranges, {}, {i * s[0] + j * s[1] + k * s[2]}, constraints));
  }

  std::int64_t bits() {
    constexpr std::int64_t kBits[] = {8, 16, 32, 64, 128, 4};
    return kBits[below(6)];
  }

 private:
  std::int64_t below(std::int64_t count) { return draw_(0, count - 1); }

  test::Draw draw_;
  ExprContext& c_;
};

TEST_F(WarpSectorsTest, AsSimulated) {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomAccess random(seed, context_);
    const Launch launch = random.launch();
    const IndexMap m = random.map(launch);
    if (m.is_known_empty()) continue;
    const std::int64_t bits = random.bits();
    const MemoryGeometry geometry = {.warp_size = seed % 5 == 0 ? 64 : 32,
                                     .sector_bytes = seed % 7 == 0 ? 64 : 32};
    const testing::Simulated s =
        testing::simulate(m, bits, launch, geometry, [](const auto&) { return 0; });
    const WarpSectors counted = count_warp_sectors(m, bits, launch, geometry, kBudget);
    ASSERT_TRUE(counted.sectors.is_exact());
    EXPECT_EQ(fmt::format("{} {} {} {}", counted.steps.lo, counted.sectors.lo,
                          counted.ideal_sectors.lo, counted.useful_bits.lo),
              fmt::format("{} {} {} {}", s.steps, s.sectors, s.ideal_sectors, s.useful_bits))
        << "seed " << seed << ": " << to_string(m, MapStyle::kOneLine) << ", " << bits << " bits";
    ++exact;
  }
  EXPECT_GT(exact, 350);
}

TEST_F(WarpSectorsTest, GathersAreWithinTheBounds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const test::Draw draw = test::seeded_draw(seed);
    const Launch launch = {.threads = {32, 1, 1}, .blocks = {3, 1, 1}};
    const Expr p = context_.dimension(0) + context_.dimension(3) * 32;
    const std::int64_t row = 1 + draw(0, 39);
    const IndexMap plain = map("-> (0)", launch);
    const IndexMap m(context_, plain.dimensions(), {},
                     {{.bounds = {0, 9}, .tensor = 1, .index = {floor_div(p, row)}}},
                     {context_.runtime(0) * row + mod(p, row)});
    std::map<std::vector<std::int64_t>, std::int64_t> values;
    const auto runtime = [&](const std::vector<std::int64_t>& key) {
      return values.try_emplace(key, draw(0, 9)).first->second;
    };
    const testing::Simulated s = testing::simulate(m, 32, launch, {}, runtime);
    const WarpSectors counted = count_warp_sectors(m, 32, launch, {}, kBudget);
    EXPECT_EQ(counted.steps, Count::exactly(s.steps));
    EXPECT_LE(counted.sectors.lo, s.sectors);
    EXPECT_GE(counted.sectors.hi, s.sectors);
    EXPECT_LE(counted.useful_bits.lo, s.useful_bits);
    EXPECT_GE(counted.useful_bits.hi, s.useful_bits);
  }
}

}  // namespace
}  // namespace mercator
