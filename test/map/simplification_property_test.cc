// Simplification of random maps, realistic and wild, checked by brute force and by isl.
// test/expr/simplifier_property_test.cc does the same for expressions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/certify.h"
#include "mercator/map/index_map.h"
#include "test/map/random_chain.h"
#include "test/map/random_map.h"
#include "test/map/simplification_check.h"
#include "test/support/random_draw.h"
#include "test/support/random_factor.h"

namespace mercator {
namespace {

using map_test::ChainOptions;
using map_test::RandomChains;
using map_test::RandomMaps;

// One context serves so many inputs, so that what went before could disturb what comes.
constexpr std::int64_t kBatch = 500;

// Calls `check(context, simplifier, draw)` `count` times, until the first failure.
template <class Check>
void repeat(std::int64_t count, std::uint64_t seed, Check check) {
  for (std::int64_t done = 0; done < count; done += kBatch) {
    ExprContext context;
    MapSimplifier simplifier;
    const test::Draw draw = test::seeded_draw(seed + static_cast<std::uint64_t>(done));
    for (std::int64_t i = 0; i < kBatch; ++i) {
      check(context, simplifier, draw);
      if (testing::Test::HasFailure()) return;
    }
  }
}

void expect_no_fault(const IndexMap& map, MapSimplifier& simplifier, const test::Draw& draw) {
  const auto fault = map_test::find_fault(map, simplifier, draw);
  EXPECT_FALSE(fault.has_value()) << *fault;
}

TEST(SimplificationProperty, Chains) {
  std::int64_t skipped = 0;
  const std::int64_t count = 10'000 * test::random_factor();
  repeat(count, 10'000,
         [&](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
           const IndexMap map = RandomChains(context, draw).map({});
           if (map_test::point_count(map) > 5'000) {
             ++skipped;
             return;
           }
           expect_no_fault(map, simplifier, draw);
         });
  EXPECT_LT(skipped, count / 5);
}

TEST(SimplificationProperty, ChainsOfLargeTensors) {
  repeat(500 * test::random_factor(), 20'000,
         [](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
           const ChainOptions options = {.max_steps = 8,
                                         .max_elements = std::int64_t{1} << draw(10, 40),
                                         .has_ranges = false,
                                         .has_runtimes = false};
           expect_no_fault(RandomChains(context, draw).map(options), simplifier, draw);
         });
}

TEST(SimplificationProperty, WildMaps) {
  repeat(10'000 * test::random_factor(), 30'000,
         [](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
           expect_no_fault(RandomMaps(context, draw).map(), simplifier, draw);
         });
}

// Steps are reported on the general way only; most quotients are found on a shorter one.
TEST(SimplificationProperty, IsTheSameWhenSomebodyListens) {
  std::int64_t steps = 0;
  const MapStepListener listener = {.on_expression = [&](const SimplifierStep&) { ++steps; },
                                    .on_constraint = [&](const ConstraintStep&) { ++steps; }};
  MapSimplifier listened;
  listened.set_listener(&listener);
  const auto expect_same = [&](const IndexMap& map, MapSimplifier& simplifier) {
    const IndexMap simplified = simplifier(map);
    EXPECT_TRUE(listened(map) == simplified)
        << to_string(map, MapStyle::kOneLine) << "\nbecame "
        << to_string(simplified, MapStyle::kOneLine) << "\nand where somebody listens "
        << to_string(listened(map), MapStyle::kOneLine);
  };
  repeat(5'000 * test::random_factor(), 70'000,
         [&](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
           expect_same(RandomChains(context, draw).map({}), simplifier);
           expect_same(RandomMaps(context, draw).map(), simplifier);
         });
  EXPECT_GT(steps, 10'000);
}

// ---- certified by isl ----

class CertifiedSimplification : public testing::Test {
 protected:
  void TearDown() override {
    fmt::print("  {} certified, {} not quasi-affine, {} undecided\n", counts_[Certificate::kEqual],
               counts_[Certificate::kNotQuasiAffine], counts_[Certificate::kUndecided]);
  }

  void certify(const IndexMap& map, MapSimplifier& simplifier) {
    const IndexMap simplified = simplifier(map);
    const Certification answer = mercator::certify(map, simplified, {.max_steps = 20'000});
    ++counts_[answer.certificate];
    EXPECT_NE(answer.certificate, Certificate::kDifferent)
        << to_string(map, MapStyle::kOneLine) << "\nbecame "
        << to_string(simplified, MapStyle::kOneLine) << "\n"
        << answer.reason;
  }

  std::map<Certificate, std::int64_t> counts_;
};

TEST_F(CertifiedSimplification, Chains) {
  const std::int64_t count = 1'000 * test::random_factor();
  repeat(
      count, 50'000, [&](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
        certify(RandomChains(context, draw).map({.max_elements = std::int64_t{1} << draw(4, 30)}),
                simplifier);
      });
  EXPECT_GT(counts_[Certificate::kEqual], count * 9 / 10);
}

TEST_F(CertifiedSimplification, WildMaps) {
  const std::int64_t count = 1'000 * test::random_factor();
  repeat(count, 60'000,
         [&](ExprContext& context, MapSimplifier& simplifier, const test::Draw& draw) {
           certify(RandomMaps(context, draw).map(), simplifier);
         });
  EXPECT_GT(counts_[Certificate::kEqual], count / 2);
}

}  // namespace
}  // namespace mercator
