#include "mercator/support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stop_token>
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
      FileReplacement file = FileReplacement::make(path(), mode).value();
      EXPECT_EQ(fs::path(file.beside()).parent_path(), folder_);
      EXPECT_EQ(fs::file_size(file.beside()), 0U);
      ASSERT_TRUE(write_text(file.beside(), text));
      ASSERT_TRUE(file.put_in_place());
      EXPECT_EQ(content(), text);
      struct stat status{};
      ASSERT_EQ(::stat(path().c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 07777, mode);
    }
  }
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FileTest, WhatIsNotPutInPlaceLeavesEverythingAsItWas) {
  {
    const FileReplacement file = FileReplacement::make(path(), 0600).value();
    ASSERT_TRUE(write_text(file.beside(), "half of it"));
  }
  EXPECT_THAT(names(), IsEmpty());

  // A folder cannot be replaced.
  fs::create_directory(path());
  {
    FileReplacement file = FileReplacement::make(path(), 0600).value();
    const Result<void> folder = file.put_in_place();
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::kIo);
  }
  EXPECT_THAT(names(), ElementsAre("file"));

  const Result<FileReplacement> nowhere = FileReplacement::make(folder_ / "no/file", 0600);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "No such file or directory");
}

TEST_F(FileTest, NewFilesMayBeHeldTogether) {
  std::vector<FileReplacement> files;
  for (const char* name : {"a", "b", "c"}) {
    files.push_back(FileReplacement::make(folder_ / name, 0600).value());
  }
  ASSERT_TRUE(files[1].put_in_place());
  files.clear();
  EXPECT_THAT(names(), ElementsAre("b"));
}

// What waits for the other end of a pipe ends when it is asked to; `run` is given the token.
template <class Run>
void expect_interruptible(Run run) {
  std::stop_source source;
  std::jthread request([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  EXPECT_EQ(run(source.get_token()).error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(run(source.get_token()).error().kind, ErrorKind::kInterrupted);  // already requested
}

TEST_F(FileTest, WaitingForAPipeEndsWhenAsked) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  expect_interruptible([&](const std::stop_token& stop) { return open_to_write(path(), stop); });
  expect_interruptible([&](const std::stop_token& stop) -> Result<std::size_t> {
    const FileDescriptor file(MERCATOR_TRY(open_to_read(path(), stop)));
    std::array<std::byte, 1> byte{};
    return read_full(file.number(), byte, stop);
  });
  // A reader that takes nothing.
  const FileDescriptor reader(::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const std::string large(1 << 20, 'x');
  expect_interruptible(
      [&](const std::stop_token& stop) { return write_to(path(), {{large}}, stop); });
}

TEST_F(FileTest, PipesGiveWhatTheyAreGivenThoughAStopMayBeRequested) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const std::stop_source source;
  std::string sent(3 << 20, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 + i / 256);
  std::jthread writing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(write_to(path(), {{sent}}, source.get_token()));
  });
  const FileDescriptor file(open_to_read(path(), source.get_token()).value());
  std::string received(sent.size() + 1, '\0');
  const Result<std::size_t> count =
      read_full(file.number(), std::as_writable_bytes(std::span(received)), source.get_token());
  EXPECT_EQ(count.value(), sent.size());
  received.pop_back();
  EXPECT_TRUE(received == sent);
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
