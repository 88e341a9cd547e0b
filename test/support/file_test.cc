#include "mercator/support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = fs::temp_directory_path() / "mercator_test.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~FileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  [[nodiscard]] std::string content() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string path() const { return folder_ / "file"; }

  fs::path folder_;
};

Result<void> write_text(const std::string& path, std::string_view text) {
  return write_to(path, std::array{text.substr(0, 1), text.substr(1)});
}

TEST_F(FileTest, AFileIsReplacedWithItsPermissions) {
  for (const std::string_view text : {"the first", "second"}) {
    for (const mode_t mode : {0600U, 0644U}) {
      ASSERT_TRUE(replace_atomically(path(), mode, [&](const std::string& beside) {
        EXPECT_EQ(fs::path(beside).parent_path(), folder_);
        EXPECT_EQ(fs::file_size(beside), 0U);
        return write_text(beside, text);
      }));
      EXPECT_EQ(content(), text);
      struct stat status{};
      ASSERT_EQ(::stat(path().c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 07777, mode);
    }
  }
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FileTest, WhatFailsLeavesEverythingAsItWas) {
  const auto fails = [](const std::string& beside) -> Result<void> {
    EXPECT_TRUE(write_text(beside, "half of it"));
    return fail(ErrorKind::kExhausted, "no room");
  };
  const Result<void> no_file = replace_atomically(path(), 0600, fails);
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().message, "no room");
  EXPECT_THAT(names(), IsEmpty());

  // A folder cannot be replaced.
  fs::create_directory(path());
  const Result<void> folder = replace_atomically(
      path(), 0600, [](const std::string& beside) { return write_text(beside, "x"); });
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kIo);
  EXPECT_THAT(names(), ElementsAre("file"));

  const Result<void> nowhere = replace_atomically(
      folder_ / "no/file", 0600, [](const std::string&) -> Result<void> { return {}; });
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "No such file or directory");
}

// A pipe gives and takes less at once than is asked for.
TEST(File, ReadingAndWritingGoOnToTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  std::string sent(1 << 20, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 + i / 256);
  std::jthread writing([&, end = ends[1]] {
    FileDescriptor writer(end);
    EXPECT_EQ(write_full(writer.number(), sent), 0);
    EXPECT_TRUE(writer.close());
    EXPECT_FALSE(writer.is_open());
    EXPECT_TRUE(writer.close());
  });
  std::string received(sent.size() + 1, '\0');
  const Result<std::size_t> count =
      read_full(reader.number(), std::as_writable_bytes(std::span(received)));
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, sent.size());
  received.pop_back();
  EXPECT_TRUE(received == sent);
}

TEST(File, ErrorsSayWhatTheSystemSays) {
  std::array<std::byte, 1> byte{};
  EXPECT_EQ(read_full(-1, byte).error().message, "Bad file descriptor");
  EXPECT_EQ(write_full(-1, "x"), EBADF);
  EXPECT_EQ(write_text("/no/such/file", "x").error().kind, ErrorKind::kIo);
  FileDescriptor wrong(1 << 20);
  EXPECT_FALSE(wrong.close());
}

}  // namespace
}  // namespace mercator
