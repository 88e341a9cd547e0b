#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/runtime/element_access.h"
#include "mercator/runtime/product_sum.h"
#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

TEST(Dot, MultipliesMatrices) {
  EXPECT_EQ(result_of("a = s32[2,3] parameter(0) b = s32[3,2] parameter(1) ROOT r = s32[2,2] "
                      "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                      {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}"}),
            "s32[2,2] { {22, 28}, {49, 64} }");
}

TEST(Dot, OfNothingIsZero) {
  EXPECT_EQ(result_of("a = f32[2,0] parameter(0) b = f32[0,1] parameter(1) ROOT r = f32[2,1] "
                      "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                      {"f32[2,0] {{}, {}}", "f32[0,1] {}"}),
            "f32[2,1] { {0}, {0} }");
}

TEST(Dot, IntegersWrapAtTheWidthOfTheResult) {
  const std::vector<std::string> arguments = {"s8[2] {100, 100}", "s8[2] {2, 1}"};
  // 300 = 256 + 44.
  EXPECT_EQ(result_of("a = s8[2] parameter(0) b = s8[2] parameter(1) ROOT r = s8[] dot(a, b), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      arguments),
            "s8[] 44");
  EXPECT_EQ(result_of("a = s8[2] parameter(0) b = s8[2] parameter(1) ROOT r = s32[] dot(a, b), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      arguments),
            "s32[] 300");
  EXPECT_EQ(result_of("a = u64[2] parameter(0) ROOT r = u64[] dot(a, a), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"u64[2] {18446744073709551615, 4294967296}"}),
            "u64[] 1");
}

TEST(Dot, NarrowTypes) {
  EXPECT_EQ(result_of("a = s4[3] parameter(0) b = s4[3] parameter(1) ROOT r = s32[] dot(a, b), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"s4[3] {-8, 7, 1}", "s4[3] {7, -8, 5}"}),
            "s32[] -107");
  EXPECT_EQ(result_of("a = f8e4m3fn[2] parameter(0) b = f8e5m2[2] parameter(1) ROOT r = f32[] "
                      "dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"f8e4m3fn[2] {1.5, 448}", "f8e5m2[2] {-2, 0.25}"}),
            "f32[] 109");
  EXPECT_EQ(result_of("a = pred[2] parameter(0) b = pred[2] parameter(1) ROOT r = pred[] "
                      "dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"pred[2] {1, 0}", "pred[2] {1, 1}"}),
            "pred[] true");
}

TEST(Dot, AddsUpMorePreciselyThanItsType) {
  // In f32, 1e8 + 1 = 1e8; in bf16, 256 + 1 = 256; in f64, 1e17 + 1 = 1e17.
  EXPECT_EQ(result_of("a = f32[3] parameter(0) b = f32[3] parameter(1) ROOT r = f32[] dot(a, b), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"f32[3] {1e8, 1, -1e8}", "f32[3] {1, 1, 1}"}),
            "f32[] 1");
  EXPECT_EQ(result_of("a = bf16[3] parameter(0) b = bf16[3] parameter(1) ROOT r = bf16[] "
                      "dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"bf16[3] {256, 1, 1}", "bf16[3] {1, 1, 1}"}),
            "bf16[] 258");
  EXPECT_EQ(result_of("a = f64[3] parameter(0) b = f64[3] parameter(1) ROOT r = f64[] dot(a, b), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"f64[3] {1e17, 1, -1e17}", "f64[3] {1, 1, 1}"}),
            "f64[] 1");
}

TEST(Dot, ComplexNumbers) {
  for (const std::string type : {"c64", "c128"}) {
    // (1 + 2i)(3 - i) + (0 + i)(2 + 0i) = (5 + 5i) + 2i.
    EXPECT_EQ(result_of("a = " + type + "[2] parameter(0) b = " + type +
                            "[2] parameter(1) ROOT r = " + type +
                            "[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                        {type + "[2] {(1, 2), (0, 1)}", type + "[2] {(3, -1), (2, 0)}"}),
              type + "[] (5, 7)");
  }
}

TEST(Dot, NanIsPassedOn) {
  EXPECT_THAT(result_of("a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT r = f32[] dot(a, b), "
                        "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                        {"f32[2] {inf, 1}", "f32[2] {0, 1}"}),
              ::testing::EndsWith("nan"));
}

std::string list(const Index& numbers) { return fmt::format("{{{}}}", fmt::join(numbers, ",")); }

// Any number of batch, contracting and free dimensions, at any place.
TEST(Dot, RandomDimensionsByTheDefinition) {
  const test::Draw draw = test::seeded_draw(1);
  for (int round = 0; round < 200; ++round) {
    const Index batch = random_sizes(draw, draw(0, 2), 3);
    const Index contracting = random_sizes(draw, draw(0, 2), 3);
    const std::vector<Index> free = {random_sizes(draw, draw(0, 2), 3),
                                     random_sizes(draw, draw(0, 2), 3)};
    std::vector<IntegerArray> operands;
    std::vector<Index> places(2);  // of batch, contracting and free dimensions, in this order
    for (const std::size_t k : {0U, 1U}) {
      Index sizes = batch;
      sizes.insert(sizes.end(), contracting.begin(), contracting.end());
      sizes.insert(sizes.end(), free[k].begin(), free[k].end());
      const auto rank = static_cast<std::int64_t>(sizes.size());
      Index& place = places[k];
      place = random_permutation(draw, rank);
      // The free dimensions keep their order.
      std::sort(place.end() - static_cast<std::ptrdiff_t>(free[k].size()), place.end());
      Index placed(sizes.size());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        placed[static_cast<std::size_t>(place[i])] = sizes[i];
      }
      operands.push_back(random_array(draw, placed));
    }
    Index result_sizes = batch;
    for (const Index& part : free)
      result_sizes.insert(result_sizes.end(), part.begin(), part.end());
    IntegerArray expected(result_sizes);
    for_each_index(result_sizes, [&](const Index& index) {
      for_each_index(contracting, [&](const Index& contracted) {
        std::int32_t product = 1;
        std::size_t first_free = batch.size();
        for (const std::size_t k : {0U, 1U}) {
          Index parts(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batch.size()));
          parts.insert(parts.end(), contracted.begin(), contracted.end());
          const auto begin = index.begin() + static_cast<std::ptrdiff_t>(first_free);
          parts.insert(parts.end(), begin, begin + static_cast<std::ptrdiff_t>(free[k].size()));
          first_free += free[k].size();
          Index element(parts.size());
          for (std::size_t i = 0; i < parts.size(); ++i) {
            element[static_cast<std::size_t>(places[k][i])] = parts[i];
          }
          product *= operands[k][element];
        }
        expected[index] += product;
      });
    });
    const auto part = [&](std::size_t k, std::size_t from, std::size_t count) {
      const auto begin = places[k].begin() + static_cast<std::ptrdiff_t>(from);
      return list({begin, begin + static_cast<std::ptrdiff_t>(count)});
    };
    const std::string hlo = fmt::format(
        "HloModule m\nENTRY e {{\n  a = {} parameter(0)\n  b = {} parameter(1)\n  ROOT r = {} "
        "dot(a, b), lhs_batch_dims={}, rhs_batch_dims={}, lhs_contracting_dims={}, "
        "rhs_contracting_dims={}\n}}\n",
        operands[0].type(), operands[1].type(), expected.type(), part(0, 0, batch.size()),
        part(1, 0, batch.size()), part(0, batch.size(), contracting.size()),
        part(1, batch.size(), contracting.size()));
    EXPECT_EQ(run_integers(hlo, operands), std::vector{expected}) << hlo;
  }
}

// ---- sparse operands ----

constexpr std::string_view kSparse =
    "a = s32[1,4] parameter(0) b = s32[8,1] parameter(1) m = u8[1,1] parameter(2) "
    "ROOT r = s32[1,1] dot(a, b, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sparsity=L.1@2:4";

TEST(Dot, SparseElementsMeetThoseAtTheirPlaces) {
  // Places 1 and 3 of the first four, 0 and 2 of the others: 0b10'00'11'01.
  EXPECT_EQ(
      result_of(kSparse, {"s32[1,4] {{1, 10, 100, 1000}}",
                          "s32[8,1] {{9}, {1}, {9}, {2}, {3}, {9}, {4}, {9}}", "u8[1,1] {{141}}"}),
      "s32[1,1] { {4321} }");
}

TEST(Dot, ElementsThatAreLeftOutDoNotCount) {
  EXPECT_EQ(result_of("a = f32[1,2] parameter(0) b = f32[4,1] parameter(1) m = u8[1,1] "
                      "parameter(2) ROOT r = f32[1,1] dot(a, b, m), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}, sparsity=L.1@2:4",
                      {"f32[1,2] {{1, 2}}", "f32[4,1] {{nan}, {5}, {7}, {inf}}", "u8[1,1] {{9}}"}),
            "f32[1,1] { {19} }");
}

TEST(Dot, TwoSparseOperandsMeetWhereBothHaveElements) {
  // The left holds places 0 and 1, the right places 1 and 3.
  EXPECT_EQ(result_of("a = s32[2] parameter(0) b = s32[2] parameter(1) m = u8[1] parameter(2) "
                      "n = u8[1] parameter(3) ROOT r = s32[] dot(a, b, m, n), "
                      "lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
                      "sparsity=L.0@2:4_R.0@2:4",
                      {"s32[2] {3, 5}", "s32[2] {7, 11}", "u8[1] {4}", "u8[1] {13}"}),
            "s32[] 35");
}

TEST(Dot, PlacesThatDoNotExistAreErrors) {
  EXPECT_EQ(result_of("a = s32[1] parameter(0) b = s32[3] parameter(1) m = u8[1] parameter(2) "
                      "ROOT r = s32[] dot(a, b, m), lhs_contracting_dims={0}, "
                      "rhs_contracting_dims={0}, sparsity=L.0@1:3",
                      {"s32[1] {1}", "s32[3] {1, 2, 3}", "u8[1] {3}"}),
            "'r': place 3 in a group of 3 elements");
}

// ---- scales ----

TEST(ScaledDot, EachBlockHasItsScale) {
  EXPECT_EQ(result_of("a = f32[1,4] parameter(0) b = f32[4,2] parameter(1) s = f32[1,2] "
                      "parameter(2) t = f32[1,2] parameter(3) ROOT r = f32[1,2] "
                      "scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                      {"f32[1,4] {{1, 2, 3, 4}}", "f32[4,2] {{1, 1}, {1, 1}, {1, 1}, {1, 2}}",
                       "f32[1,2] {{10, 100}}", "f32[1,2] {{1, 3}}"}),
            // 10 * (1 + 2) + 100 * (3 + 4), and 3 * (10 * (1 + 2) + 100 * (3 + 8)).
            "f32[1,2] { {730, 3390} }");
}

TEST(ScaledDot, AScalarScalesAllOfAnOperand) {
  EXPECT_EQ(
      result_of("a = f8e4m3fn[2] parameter(0) b = f8e4m3fn[2] parameter(1) s = f8e8m0fnu[1] "
                "parameter(2) t = f32[] parameter(3) ROOT r = f32[] scaled-dot(a, b, s, t), "
                "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                {"f8e4m3fn[2] {1, 2}", "f8e4m3fn[2] {3, 4}", "f8e8m0fnu[1] {0.5}", "f32[] 10"}),
      "f32[] 55");
}

TEST(ScaledDot, BlocksThatDoNotFitAreErrors) {
  EXPECT_EQ(result_of("a = f32[3] parameter(0) s = f32[2] parameter(1) ROOT r = f32[] "
                      "scaled-dot(a, a, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                      {"f32[3] {1, 2, 3}", "f32[2] {1, 2}"}),
            "'r': the operand f32[3] does not consist of blocks, one for each scale of f32[2]");
}

// ---- ragged dimensions ----

TEST(RaggedDot, RowsMeetTheMatrixOfTheirGroup) {
  EXPECT_EQ(
      result_of("a = s32[4,2] parameter(0) b = s32[3,2,1] parameter(1) g = s32[3] parameter(2) "
                "ROOT r = s32[4,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
                {"s32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}",
                 "s32[3,2,1] {{{1}, {1}}, {{99}, {99}}, {{10}, {100}}}", "s32[3] {1, 0, 2}"}),
      // The last row belongs to no group.
      "s32[4,1] { {3}, {430}, {650}, {0} }");
}

TEST(RaggedDot, EachBatchCanHaveGroupsOfItsOwn) {
  EXPECT_EQ(result_of("a = s32[2,2,1] parameter(0) b = s32[2,2,1,1] parameter(1) g = s32[2,2] "
                      "parameter(2) ROOT r = s32[2,2,1] ragged-dot(a, b, g), lhs_batch_dims={0}, "
                      "rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, "
                      "lhs_ragged_dims={1}, rhs_group_dims={0}",
                      {"s32[2,2,1] {{{1}, {2}}, {{3}, {4}}}",
                       "s32[2,2,1,1] {{{{10}}, {{100}}}, {{{1000}}, {{10000}}}}",
                       "s32[2,2] {{1, 1}, {0, 2}}"}),
            "s32[2,2,1] { { {10}, {2000} }, { {30000}, {40000} } }");
}

TEST(RaggedDot, GroupsOfColumnsGiveResultsOfTheirOwn) {
  EXPECT_EQ(result_of("a = s32[1,4] parameter(0) b = s32[4,2] parameter(1) g = s64[2] parameter(2) "
                      "ROOT r = s32[2,1,2] ragged-dot(a, b, g), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}, lhs_ragged_dims={1}, rhs_group_dims={}",
                      {"s32[1,4] {{1, 2, 3, 4}}", "s32[4,2] {{1, 10}, {1, 10}, {1, 10}, {1, 10}}",
                       "s64[2] {2, 1}"}),
            "s32[2,1,2] { { {3, 30} }, { {3, 30} } }");
}

TEST(RaggedDot, NegativeSizesCountAsZeroAndLargeOnesEndWithTheRows) {
  EXPECT_EQ(
      result_of("a = s32[2,1] parameter(0) b = s32[3,1,1] parameter(1) g = s64[3] parameter(2) "
                "ROOT r = s32[2,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
                {"s32[2,1] {{1}, {2}}", "s32[3,1,1] {{{1}}, {{10}}, {{100}}}",
                 "s64[3] {-5, 1, 9223372036854775807}"}),
      "s32[2,1] { {10}, {200} }");
}

TEST(RaggedDot, GroupsOfBatchesAreADot) {
  EXPECT_EQ(
      result_of("a = s32[2,1] parameter(0) b = s32[2,1] parameter(1) g = s32[1] parameter(2) "
                "ROOT r = s32[2] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
                "rhs_group_dims={}",
                {"s32[2,1] {{2}, {3}}", "s32[2,1] {{5}, {7}}", "s32[1] {1}"}),
      "s32[2] {10, 21}");
}

TEST(Factors, AreMadeUntilTheRunIsToStop) {
  std::stop_source source;
  source.request_stop();
  RunContext stopped;
  stopped.stop = source.get_token();
  const Tensor tensor = tensor_from_text("f32[1,2] {{1, 2}}");
  const std::vector<std::int64_t> order = {1, 0};
  const auto of_dot = [&](const RunContext& context) {
    return as_factors(tensor, order, SumKind::kReal, context);
  };
  EXPECT_EQ(text_of(of_dot({}).value()), "f64[2,1] { {1}, {2} }");
  ASSERT_FALSE(of_dot(stopped).has_value());
  EXPECT_EQ(of_dot(stopped).error().kind, ErrorKind::kInterrupted);
  const auto as_double = [&](const RunContext& context) {
    return converted(tensor, hlo::ElementType::kF64, context);
  };
  EXPECT_EQ(text_of(as_double({}).value()), "f64[1,2] { {1, 2} }");
  ASSERT_FALSE(as_double(stopped).has_value());
  EXPECT_EQ(as_double(stopped).error().kind, ErrorKind::kInterrupted);
}

TEST(Dot, WithoutResultsEndsHoweverManyRowsItHas) {
  EXPECT_EQ(result_of("z = f32[] constant(0) "
                      "a = f32[200000000000000000,0] broadcast(z), dimensions={} "
                      "b = f32[0,0] broadcast(z), dimensions={} "
                      "d = f32[200000000000000000,0] dot(a, b), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0} "
                      "ROOT r = s32[] get-dimension-size(d), dimensions={1}"),
            "s32[] 0");
}

TEST(RaggedDot, WithoutResultsEndsHoweverManyRowsItHas) {
  EXPECT_EQ(result_of("z = f32[] constant(0) n = s64[1] constant({1}) "
                      "a = f32[200000000000000000,0] broadcast(z), dimensions={} "
                      "b = f32[1,0,0] broadcast(z), dimensions={} "
                      "d = f32[200000000000000000,0] ragged-dot(a, b, n), "
                      "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
                      "rhs_group_dims={0} "
                      "ROOT r = s32[] get-dimension-size(d), dimensions={1}"),
            "s32[] 0");
  EXPECT_EQ(result_of("z = f32[] constant(0) n = s64[0] constant({}) "
                      "a = f32[200000000000000000,0] broadcast(z), dimensions={} "
                      "b = f32[0,1] broadcast(z), dimensions={} "
                      "d = f32[0,200000000000000000,1] ragged-dot(a, b, n), "
                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, "
                      "rhs_group_dims={} "
                      "ROOT r = s32[] get-dimension-size(d), dimensions={0}"),
            "s32[] 0");
}

TEST(RaggedDot, SumsOfAllGroupsComeFromThePool) {
  const auto run = [](std::int64_t bytes) {
    RunContext context;
    context.pool = MemoryPool(bytes);
    return run_program(
        "HloModule m\nENTRY e {\n a = s32[1,1] parameter(0)\n b = s32[1,1] parameter(1)\n"
        " n = s64[1000] parameter(2)\n ROOT r = s32[1000,1,1] ragged-dot(a, b, n), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, "
        "rhs_group_dims={}\n}\n",
        {tensor_from_text("s32[1,1] {{2}}"), tensor_from_text("s32[1,1] {{3}}"),
         Tensor::allocate(hlo::ElementType::kS64, {1000}, MemoryPool()).value()},
        context);
  };
  // The result takes 4000 bytes, the sums 8000.
  const auto refused = run(10000);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kExhausted);
  EXPECT_TRUE(run(20000).has_value());
}

}  // namespace
}  // namespace mercator::runtime
