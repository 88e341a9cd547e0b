// Collectives: maps from an index on a device to an index on a device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A module of these counts whose root is the instruction.
std::string module_of(std::string_view counts, std::string_view instructions) {
  return "HloModule m, " + std::string(counts) + R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
)" + std::string(instructions) +
         "\n}\n";
}

TEST(Collective, AllGatherReadsTheMemberThatHasThePart) {
  AnalyzedModule m(module_of("num_partitions=4", R"(
  p = f32[4] parameter(0)
  ROOT r = f32[8] all-gather(p), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, dimensions={0})"));
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(device, d0) -> ((d0 floordiv 4) * 2 + device mod 2, d0 mod 4), domain: "
                          "device in [0, 3], d0 in [0, 7]"));
  EXPECT_THAT(
      m.i2o(0),
      ElementsAre("(device, d0)[s0] -> (s0 * 2 + device mod 2, d0 + (device floordiv 2) * 4), "
                  "domain: device in [0, 3], d0 in [0, 3], s0 in [0, 1]"));
}

TEST(Collective, TheMapOfAllDevicesTogetherLeavesThemOut) {
  AnalyzedModule m(module_of("replica_count=2", R"(
  p = f32[8] parameter(0)
  ROOT r = f32[4] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add)"));
  const auto indexing = m.analysis().indexing(m.root(), Direction::kOutputToInput);
  const OperandMap& map = indexing.find({}, 0)->maps[0];
  EXPECT_EQ(to_string(map.map, MapStyle::kOneLine),
            "(d0)[s0] -> (d0 + s0 * 4), domain: d0 in [0, 3], s0 in [0, 1]");
  EXPECT_EQ(
      to_string(*map.across_devices, MapStyle::kOneLine),
      "(device, d0)[s0] -> (s0, device * 4 + d0), domain: device in [0, 1], d0 in [0, 3], s0 in "
      "[0, 1]");
  EXPECT_TRUE(map.exact);
  EXPECT_EQ(m.analysis().device_count(), 2);
}

// 2 replicas of 2 partitions, devices 0, 1 and 2, 3.
constexpr std::string_view kTwoByTwo = "replica_count=2, num_partitions=2";

TEST(Collective, TheModesOfGroups) {
  // Replicas, each partition for itself.
  AnalyzedModule replicas(module_of(kTwoByTwo, R"(
  p = f32[8] parameter(0)
  ROOT r = f32[8] all-reduce(p), replica_groups={{0,1}}, to_apply=add)"));
  EXPECT_THAT(
      replicas.o2i(0),
      ElementsAre("(device, d0)[s0] -> (s0 * 2 + device mod 2, d0), domain: device in [0, 3], "
                  "d0 in [0, 7], s0 in [0, 1]"));
  // Replicas, of which all partitions take part.
  AnalyzedModule both(module_of(kTwoByTwo, R"(
  p = f32[8] parameter(0)
  ROOT r = f32[8] all-reduce(p), channel_id=1, replica_groups={{0},{1}}, to_apply=add)"));
  EXPECT_THAT(both.o2i(0),
              ElementsAre("(device, d0)[s0] -> (s0 + (device floordiv 2) * 2, d0), domain: "
                          "device in [0, 3], d0 in [0, 7], s0 in [0, 1]"));
  // Devices.
  AnalyzedModule devices(module_of(kTwoByTwo, R"(
  p = f32[8] parameter(0)
  ROOT r = f32[8] all-reduce(p), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, to_apply=add)"));
  EXPECT_THAT(devices.o2i(0),
              ElementsAre("(device, d0)[s0] -> (s0, d0), domain: device in [0, 3], d0 "
                          "in [0, 7], s0 in [0, 3]"));
  // Partitions, each replica for itself: of those that have no use_global_device_ids.
  AnalyzedModule partitions(module_of(kTwoByTwo, R"(
  p = f32[8] parameter(0)
  ROOT r = f32[8] all-to-all(p), channel_id=1, replica_groups={{0,1}}, dimensions={0})"));
  EXPECT_THAT(
      partitions.o2i(0),
      ElementsAre(
          "(device, d0) -> ((device floordiv 2) * 2 + d0 floordiv 4, (device mod 2) * 4 + d0 mod "
          "4), domain: device in [0, 3], d0 in [0, 7]"));
  EXPECT_EQ(partitions.i2o(0), partitions.o2i(0));
}

TEST(Collective, GroupsThatAreNotEvenHaveAMapForEachTwoDevices) {
  AnalyzedModule m(module_of("replica_count=3", R"(
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={{2,0},{1}}, to_apply=add)"));
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(device, d0) -> (0, d0), domain: device in [0, 0], d0 in [0, 1]",
                          "(device, d0) -> (0, d0), domain: device in [2, 2], d0 in [0, 1]",
                          "(device, d0) -> (1, d0), domain: device in [1, 1], d0 in [0, 1]",
                          "(device, d0) -> (2, d0), domain: device in [0, 0], d0 in [0, 1]",
                          "(device, d0) -> (2, d0), domain: device in [2, 2], d0 in [0, 1]"));
}

TEST(Collective, PermuteLeavesOutWhatIsNoTarget) {
  AnalyzedModule m(module_of("replica_count=4", R"(
  p = f32[2] parameter(0)
  ROOT r = f32[2] collective-permute(p), source_target_pairs={{0,1},{1,2},{2,3}})"));
  EXPECT_THAT(
      m.o2i(0),
      ElementsAre("(device, d0) -> (device - 1, d0), domain: device in [1, 3], d0 in [0, 1]"));
  EXPECT_THAT(
      m.i2o(0),
      ElementsAre("(device, d0) -> (device + 1, d0), domain: device in [0, 2], d0 in [0, 1]"));
}

TEST(Collective, BroadcastReadsTheFirstOfTheGroup) {
  AnalyzedModule m(module_of("replica_count=2", R"(
  p = f32[2] parameter(0)
  ROOT r = f32[2] collective-broadcast(p), replica_groups={{0,1}})"));
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(device, d0) -> (0, d0), domain: device in [0, 1], d0 in [0, 1]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(device, d0)[s0] -> (s0, d0), domain: device in [0, 0], d0 in [0, 1], "
                          "s0 in [0, 1]"));
}

// What a member sends is decided by values.
TEST(Collective, RaggedAllToAllMayReadEveryRow) {
  AnalyzedModule m(module_of("replica_count=2", R"(
  p = f32[6,4] parameter(0)
  q = f32[8,4] parameter(1)
  i = s32[2] parameter(2)
  ROOT r = f32[8,4] ragged-all-to-all(p, q, i, i, i, i), replica_groups={{0,1}})"));
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(device, d0, d1)[s0, s1] -> (s0, s1, d1), domain: device in [0, 1], d0 "
                          "in [0, 7], d1 in [0, 3], s0 in [0, 1], s1 in [0, 5] ~"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3] ~"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(device, d0, d1)[s0, s1] -> (s0, s1, d1), domain: device in [0, 1], d0 "
                          "in [0, 5], d1 in [0, 3], s0 in [0, 1], s1 in [0, 7] ~"));
}

// A runtime variable stays on the device that it was read on.
TEST(Collective, ComposesInComputations) {
  AnalyzedModule m(R"(HloModule m, replica_count=4
f {
  p = f32[8] parameter(0)
  i = s32[] parameter(1)
  s = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}
  a = f32[2] collective-permute(s), source_target_pairs={{0,1},{1,2},{2,3}}
  ROOT b = f32[2] collective-permute(a), source_target_pairs={{0,1},{1,2},{2,3}}
}
ENTRY e {
  p = f32[8] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[2] call(p, i), to_apply=f
})");
  EXPECT_THAT(
      m.o2i(0),
      ElementsAre("(device, d0){rt0} -> (device - 2, d0 + rt0), domain: device in [2, 3], d0 "
                  "in [0, 1], rt0 in [0, 6] | rt0: i[device - 2]"));
}

TEST(Collective, SaysWhyGroupsAreNotKnown) {
  AnalyzedModule m(module_of("replica_count=2", R"(
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={{0,5}}, to_apply=add)"));
  EXPECT_THAT(m.o2i(0), ElementsAre("unknown: replica_groups name 5, of 2"));
  AnalyzedModule sizes(module_of("replica_count=2", R"(
  p = f32[2] parameter(0)
  ROOT r = f32[2] collective-permute(p), source_target_pairs={{0,7}})"));
  EXPECT_THAT(sizes.o2i(0), ElementsAre("unknown: source_target_pairs name 7, of 2"));
}

// Where the module does not say how many there are, there are as many as are named.
TEST(Collective, CountsTheDevicesThatAreNamed) {
  AnalyzedModule m(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[32] all-gather(p), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, dimensions={0}
})");
  EXPECT_EQ(m.analysis().device_count(), 8);
  EXPECT_THAT(
      m.o2i(0),
      ElementsAre("(device, d0) -> (d0 floordiv 4, d0 mod 4), domain: device in [0, 7], d0 in "
                  "[0, 31]"));
}

TEST(Collective, StartAndDone) {
  AnalyzedModule m(module_of("replica_count=2", R"(
  p = f32[4] parameter(0)
  s = (f32[4], f32[8]) all-gather-start(p), replica_groups={{0,1}}, dimensions={0}
  ROOT r = f32[8] all-gather-done(s))"));
  const hlo::Instruction& start = m.instruction("s");
  EXPECT_THAT(m.maps(start, Direction::kOutputToInput, {0}, 0, {}),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(
      m.maps(start, Direction::kOutputToInput, {1}, 0, {}),
      ElementsAre(
          "(device, d0) -> (d0 floordiv 4, d0 mod 4), domain: device in [0, 1], d0 in [0, 7]"));
  EXPECT_THAT(m.o2i(0, {}, {0}), IsEmpty());
  EXPECT_THAT(m.o2i(0, {}, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
}

TEST(Async, WrapsAComputation) {
  AnalyzedModule m(R"(HloModule m
f {
  p = f32[4] parameter(0)
  ROOT r = f32[4] reverse(p), dimensions={0}
}
ENTRY e {
  p = f32[4] parameter(0)
  s = ((f32[4]), f32[4], u32[]) async-start(p), calls=f
  u = ((f32[4]), f32[4], u32[]) async-update(s)
  ROOT r = f32[4] async-done(u)
})");
  const hlo::Instruction& start = m.instruction("s");
  EXPECT_THAT(m.maps(start, Direction::kOutputToInput, {0, 0}, 0, {}),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.maps(start, Direction::kInputToOutput, {1}, 0, {}),
              ElementsAre("(d0) -> (-d0 + 3), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {}, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

TEST(Async, WhatComesFromElsewhereIsNotKnown) {
  AnalyzedModule m(R"(HloModule m
ENTRY e {
  t = token[] after-all()
  i = (f32[4], token[]) infeed(t)
  r = (f32[4], u32[], token[]) recv(t), channel_id=1
  d = (f32[4], token[]) recv-done(r), channel_id=1
  x = f32[4] get-tuple-element(d), index=0
  s = (f32[4], u32[], token[]) send(x, t), channel_id=2
  q = token[] send-done(s), channel_id=2
  ROOT o = token[] outfeed(x, t)
})");
  const auto reason = [&](std::string_view name) {
    return m.analysis().indexing(m.instruction(name), Direction::kOutputToInput).unknown;
  };
  EXPECT_THAT(reason("i"), HasSubstr("from the host"));
  EXPECT_THAT(reason("r"), HasSubstr("sent by another device"));
  EXPECT_THAT(reason("o"), HasSubstr("to the host"));
  EXPECT_THAT(m.maps(m.instruction("d"), Direction::kOutputToInput, {0}, 0, {0}),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.maps(m.instruction("s"), Direction::kInputToOutput, {0}, 0, {}),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

}  // namespace
}  // namespace mercator::testing
