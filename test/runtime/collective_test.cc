#include "test/runtime/interpreter_testing.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kArgument = "f32[2] {1, 2}";

// Of an instruction over the parameters p (f32[2]) and q (s32[1]), in a module whose first line
// says `devices` too.
std::vector<std::string> collective(const std::string& instruction,
                                    const std::string& devices = "") {
  return results_of("HloModule m" + devices + R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}

ENTRY main {
  p = f32[2] parameter(0)
  q = s32[1] parameter(1)
  ROOT r = )" + instruction +
                        "\n}\n",
                    {std::string(kArgument), "s32[1] {3}"});
}

TEST(Collective, AGroupOfOneGivesBackWhatItIsGiven) {
  for (const char* instruction : {
           "f32[2] all-reduce(p), replica_groups={}, to_apply=add",
           "f32[2] all-reduce(p), replica_groups={{0}}, to_apply=add",
           "f32[2] all-reduce(p), channel_id=1, replica_groups=[1,1]<=[1], "
           "use_global_device_ids=true, to_apply=add",
           "f32[2] all-gather(p), replica_groups={{0}}, dimensions={0}",
           "f32[2] reduce-scatter(p), replica_groups={{0}}, dimensions={0}, to_apply=add",
           "f32[2] all-to-all(p), replica_groups={{0}}, dimensions={0}",
           "(f32[2]) all-to-all(p), replica_groups={{0}}",
           "f32[2] collective-broadcast(p), replica_groups={{0}}",
           "f32[2] collective-permute(p), source_target_pairs={{0,0}}",
       }) {
    EXPECT_THAT(collective(instruction), ElementsAre(kArgument)) << instruction;
  }
  EXPECT_THAT(collective("(f32[2], s32[1]) all-gather(p, q), dimensions={0}"),
              ElementsAre(kArgument, "s32[1] {3}"));
}

TEST(Collective, AGroupOfOneAmongMoreDevicesIsEnough) {
  EXPECT_THAT(collective("f32[2] all-reduce(p), replica_groups={{1},{0}}, to_apply=add",
                         ", replica_count=2"),
              ElementsAre(kArgument));
}

TEST(Collective, MoreDevicesAreRefused) {
  const std::string needs_two = "'r': 2 devices would have to take part, where one runs";
  EXPECT_THAT(
      collective("f32[2] all-reduce(p), replica_groups={}, to_apply=add", ", replica_count=2"),
      ElementsAre(needs_two));
  EXPECT_THAT(collective("f32[2] all-reduce(p), channel_id=1, replica_groups={{0}}, to_apply=add",
                         ", num_partitions=2"),
              ElementsAre(needs_two));
  EXPECT_THAT(collective("f32[2] all-reduce(p), channel_id=1, replica_groups=[1,2]<=[2], "
                         "use_global_device_ids=true, to_apply=add",
                         ", num_partitions=2"),
              ElementsAre(needs_two));
  EXPECT_THAT(collective("f32[4] all-gather(p), replica_groups={{0,1}}, dimensions={0}",
                         ", replica_count=2"),
              ElementsAre(needs_two));
  EXPECT_THAT(
      collective("f32[2] collective-permute(p), source_target_pairs={{1,0}}", ", replica_count=2"),
      ElementsAre(HasSubstr("device 1 would have to take part")));
  EXPECT_THAT(
      collective("f32[2] all-reduce(p), replica_groups={{1}}, to_apply=add", ", replica_count=2"),
      ElementsAre(HasSubstr("in none of the replica_groups")));
  EXPECT_THAT(collective("f32[4] all-gather(p), dimensions={0}"),
              ElementsAre("'r': the result of a group of one is f32[2], where f32[4] is wanted"));
}

TEST(Collective, APermuteThatSendsNothingToUsGivesZeros) {
  EXPECT_THAT(collective("f32[2] collective-permute(p), source_target_pairs={}"),
              ElementsAre("f32[2] {0, 0}"));
  EXPECT_THAT(collective("(f32[2], s32[1]) collective-permute(p, q), source_target_pairs={{0,1}}",
                         ", replica_count=2"),
              ElementsAre("f32[2] {0, 0}", "s32[1] {0}"));
}

TEST(Collective, StartsHandOverToTheirEnds) {
  const auto pair = [](const std::string& start, const std::string& done) {
    return results_of(R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}

ENTRY main {
  p = f32[2] parameter(0)
  start = )" + start + "\n  ROOT r = f32[2] " +
                          done + "(start)\n}\n",
                      {std::string(kArgument)});
  };
  EXPECT_THAT(pair("f32[2] all-reduce-start(p), to_apply=add", "all-reduce-done"),
              ElementsAre(kArgument));
  EXPECT_THAT(pair("(f32[2], f32[2]) all-gather-start(p), dimensions={0}", "all-gather-done"),
              ElementsAre(kArgument));
  EXPECT_THAT(pair("(f32[2], f32[2], u32[], u32[]) collective-permute-start(p), "
                   "source_target_pairs={{0,0}}",
                   "collective-permute-done"),
              ElementsAre(kArgument));
  EXPECT_THAT(pair("(f32[2], f32[2]) collective-permute-start(p), source_target_pairs={}",
                   "collective-permute-done"),
              ElementsAre("f32[2] {0, 0}"));
}

std::vector<std::string> ragged(const std::string& to) {
  return results_of(
      R"(HloModule m
ENTRY main {
  input = s32[4,2] parameter(0)
  output = s32[5,2] parameter(1)
  from = s64[2] parameter(2)
  sizes = s64[2] parameter(3)
  to = s64[2] parameter(4)
  ROOT r = s32[5,2] ragged-all-to-all(input, output, from, sizes, to, sizes), replica_groups={{0}}
})",
      {"s32[4,2] {{1,2},{3,4},{5,6},{7,8}}", "s32[5,2] {{-1,-1},{-2,-2},{-3,-3},{-4,-4},{-5,-5}}",
       "s64[2] {0,3}", "s64[2] {2,1}", to});
}

TEST(Collective, RaggedAllToAllMovesRowsToOurselves) {
  EXPECT_THAT(ragged("s64[2] {3,1}"),
              ElementsAre("s32[5,2] { {-1, -1}, {7, 8}, {-3, -3}, {1, 2}, {3, 4} }"));
  EXPECT_THAT(ragged("s64[2] {4,1}"),
              ElementsAre("'r': update 0 moves 2 rows from 0 of 4 to 4 of 5"));
  EXPECT_THAT(ragged("s64[2] {3,-1}"),
              ElementsAre("'r': update 1 moves 1 rows from 3 of 4 to -1 of 5"));
}

TEST(Collective, TheOneDeviceHasNumberZero) {
  EXPECT_THAT(collective("u32[] replica-id()"), ElementsAre("u32[] 0"));
  EXPECT_THAT(collective("u32[] partition-id()"), ElementsAre("u32[] 0"));
}

}  // namespace
}  // namespace mercator::runtime
