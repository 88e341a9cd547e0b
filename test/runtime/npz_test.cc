#include "mercator/runtime/npz.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/runtime/npy.h"
#include "test/runtime/file_testing.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

Result<Tensor> read_entry(const NpzReader& reader, std::size_t index, hlo::ElementType type) {
  const std::unique_ptr<ByteSource> source = MERCATOR_TRY(reader.entry(index));
  const NpyHeader header = MERCATOR_TRY(read_npy_header(*source));
  return read_npy_elements(*source, header, type, MemoryPool());
}

std::string message_of_reading(const std::string& path) {
  const Result<NpzReader> reader = NpzReader::open(path);
  if (!reader) return reader.error().message;
  for (std::size_t i = 0; i < reader->names().size(); ++i) {
    const Result<Tensor> tensor = read_entry(*reader, i, hlo::ElementType::kU8);
    if (!tensor) return tensor.error().message;
  }
  return "";
}

// The archive that numpy.savez_compressed writes, deflated and with fields of zip64, of
// a=(numpy.arange(300) % 7 == 0).astype(numpy.uint8).
std::string deflated_archive() {
  constexpr std::string_view kDigits =
      "504b03042d0000000800000021006eae0bfdffffffffffffffff05001400612e6e7079010010"
      "00ac010000000000004d000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a0"
      "5e536aa8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac606"
      "063a9a3a0ab50a64032e46063018a588a000504b01022d032d0000000800000021006eae0bfd"
      "4d000000ac010000050000000000000000000000800100000000612e6e7079504b0506000000"
      "000100010033000000840000000000";
  std::string bytes;
  for (std::size_t i = 0; i < kDigits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(kDigits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(Npz, ReadsDeflatedArchivesOfNumpy) {
  const TemporaryFolder folder;
  const Result<NpzReader> reader = NpzReader::open(folder.write("a.npz", deflated_archive()));
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_THAT(reader->names(), ElementsAre("a"));
  const Tensor tensor = read_entry(*reader, 0, hlo::ElementType::kU8).value();
  ASSERT_EQ(type_text(tensor), "u8[300]");
  for (std::int64_t i = 0; i < 300; ++i) {
    EXPECT_EQ(std::to_integer<int>(*tensor.element(i)), i % 7 == 0 ? 1 : 0) << i;
  }
}

TEST(Npz, WhatIsWrittenReadsBack) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("s32[2] {1, -2}")},
                                         {"x", tensor_from_text("bf16[1] {1.5}")},
                                         {"y.0", tensor_from_text("u8[0] {}")}};
  ASSERT_TRUE(write_npz(path, entries, MemoryPool()).has_value());
  const Result<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(reader.has_value());
  EXPECT_THAT(reader->names(), ElementsAre("0", "x.bf16", "y.0"));
  EXPECT_EQ(text_of(read_entry(*reader, 0, hlo::ElementType::kS32).value()), "s32[2] {1, -2}");
  EXPECT_EQ(text_of(read_entry(*reader, 1, hlo::ElementType::kBf16).value()), "bf16[1] {1.5}");
  EXPECT_EQ(text_of(read_entry(*reader, 2, hlo::ElementType::kU8).value()), "u8[0] {}");
}

TEST(Npz, TheSameTensorsGiveTheSameBytes) {
  const TemporaryFolder folder;
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("s32[2] {1, -2}")}};
  ASSERT_TRUE(write_npz(folder.path("a.npz"), entries, MemoryPool()).has_value());
  ASSERT_TRUE(write_npz(folder.path("b.npz"), entries, MemoryPool()).has_value());
  EXPECT_EQ(folder.read("a.npz"), folder.read("b.npz"));
}

TEST(Npz, AnArchiveMayBeEmpty) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_npz(folder.path("a.npz"), {}, MemoryPool()).has_value());
  const Result<NpzReader> reader = NpzReader::open(folder.path("a.npz"));
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_THAT(reader->names(), ElementsAre());
}

TEST(Npz, WhatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("s32[2] {1, -2}")}};
  const Result<void> written = write_npz(folder.path("none/a.npz"), entries, MemoryPool());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, ErrorKind::kIo);
  EXPECT_EQ(written.error().message, "No such file or directory");
}

TEST(Npz, WhatIsInterruptedLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.npz", "what was there before");
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("s32[2] {1, -2}")}};
  std::stop_source stop;
  stop.request_stop();
  const Result<void> written = write_npz(path, entries, MemoryPool(), stop.get_token());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(folder.read("a.npz"), "what was there before");
}

TEST(Npz, WhatIsNoArchiveIsAnError) {
  const TemporaryFolder folder;
  EXPECT_EQ(NpzReader::open(folder.path("none.npz")).error().message, "No such file or directory");
  EXPECT_EQ(NpzReader::open(folder.path("none.npz")).error().kind, ErrorKind::kIo);
  EXPECT_EQ(message_of_reading(folder.write("a.npz", "no zip")),
            "it is not a zip archive, or not all of one");
  EXPECT_EQ(message_of_reading(folder.write("b.npz", "")),
            "it is not a zip archive, or not all of one");
}

TEST(Npz, DamageIsSeen) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("u8[8] {1,2,3,4,5,6,7,8}")}};
  ASSERT_TRUE(write_npz(path, entries, MemoryPool()).has_value());
  const std::string whole = folder.read("a.npz");
  EXPECT_EQ(message_of_reading(path), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(message_of_reading(folder.write("cut.npz", whole.substr(0, size))), "") << size;
  }
  std::string damaged = whole;
  damaged[damaged.find("\1\2\3\4")] = '\7';
  EXPECT_EQ(message_of_reading(folder.write("b.npz", damaged)),
            "it is damaged: its checksum is wrong");
}

TEST(Npz, EntriesThatAreNoNpyFilesAreNamed) {
  const TemporaryFolder folder;
  const std::vector<NpzEntry> entries = {{"0", tensor_from_text("u8[1] {1}")}};
  ASSERT_TRUE(write_npz(folder.path("a.npz"), entries, MemoryPool()).has_value());
  std::string renamed = folder.read("a.npz");
  for (std::size_t at = 0; (at = renamed.find("0.npy", at)) != std::string::npos; ++at) {
    renamed.replace(at, 5, "0.txt");
  }
  EXPECT_EQ(message_of_reading(folder.write("b.npz", renamed)),
            "its entry '0.txt' is not a .npy file");
}

}  // namespace
}  // namespace mercator::runtime
