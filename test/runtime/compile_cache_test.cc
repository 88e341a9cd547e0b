#include "mercator/runtime/compile_cache.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_testing.h"
#include "temporary_directory.h"

namespace mercator::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

using Source = CompileCache::Source;

std::shared_ptr<const hlo::Module> product_module(int factor = 2) {
  return module_of_lines(fmt::format(R"(
    x = s32[2] parameter(0)
    c = s32[2] constant({{{}, 1}})
    m = s32[2] multiply(x, c)
    ROOT r = (s32[2]) tuple(m))",
                                     factor));
}

// What the cache looks the module up by, for version 1 of an engine of that name.
std::string key_of(const std::shared_ptr<const hlo::Module>& module) {
  return fmt::format("engine\n1\n{}", module->text());
}

CompileCache::Compiled compile(CompileCache& cache, const Engine& engine,
                               const std::shared_ptr<const hlo::Module>& module) {
  Result<CompileCache::Compiled> compiled = cache.compile(engine, module, {});
  if (compiled) return *std::move(compiled);
  ADD_FAILURE() << compiled.error().message;
  return {};
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    files.push_back(entry.path());
  }
  return files;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST(CompileCache, WhatWasCompiledIsFoundInMemory) {
  const TestEngine engine("engine");
  CompileCache cache;
  const auto first = compile(cache, engine, product_module());
  const auto second = compile(cache, engine, product_module());
  EXPECT_EQ(first.source, Source::kCompiled);
  EXPECT_EQ(second.source, Source::kMemory);
  EXPECT_EQ(first.executable, second.executable);
  EXPECT_EQ(compile(cache, engine, product_module(3)).source, Source::kCompiled);
  EXPECT_EQ(engine.compilations, 2);
}

TEST(CompileCache, EnginesAndTheirVersionsAreKeptApart) {
  const TestEngine one("one");
  TestEngine other("other");
  const TemporaryDirectory directory;
  CompileCache cache(directory.path());
  compile(cache, one, product_module());
  EXPECT_EQ(compile(cache, other, product_module()).source, Source::kCompiled);
  other.set_version("2");
  EXPECT_EQ(compile(cache, other, product_module()).source, Source::kCompiled);
  EXPECT_EQ(files_in(directory.path()).size(), 3U);
}

TEST(CompileCache, AnotherProcessFindsItOnDisk) {
  const TestEngine engine("engine");
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/made/on/demand";
  CompileCache before(path);
  EXPECT_EQ(compile(before, engine, product_module()).source, Source::kCompiled);
  CompileCache after(path);
  const auto found = compile(after, engine, product_module());
  EXPECT_EQ(found.source, Source::kDisk);
  EXPECT_THAT(found.warnings, IsEmpty());
  EXPECT_EQ(engine.compilations, 1);
  EXPECT_THAT(run_texts(*found.executable, {"s32[2] {5, 6}"}), ElementsAre("s32[2] {10, 6}"));
  EXPECT_EQ(compile(after, engine, product_module()).source, Source::kMemory);
}

TEST(CompileCache, AFailedCompilationIsTriedAgain) {
  TestEngine engine("engine");
  engine.on_compile = [](const hlo::Module&) -> Result<void> {
    return fail(ErrorKind::kExhausted, "no room");
  };
  const TemporaryDirectory directory;
  CompileCache cache(directory.path());
  const auto failed = cache.compile(engine, product_module(), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no room");
  EXPECT_THAT(files_in(directory.path()), IsEmpty());
  engine.on_compile = nullptr;
  EXPECT_EQ(compile(cache, engine, product_module()).source, Source::kCompiled);
}

TEST(CompileCache, WhatCannotBeSavedStaysInMemory) {
  TestEngine engine("engine");
  engine.can_save = false;
  const TemporaryDirectory directory;
  CompileCache cache(directory.path());
  EXPECT_THAT(compile(cache, engine, product_module()).warnings, IsEmpty());
  EXPECT_THAT(files_in(directory.path()), IsEmpty());
  EXPECT_EQ(compile(cache, engine, product_module()).source, Source::kMemory);
}

// Counts how often it is asked for its version: once by each thread that is about to look it up.
class CountingEngine final : public TestEngine {
 public:
  using TestEngine::TestEngine;
  [[nodiscard]] std::string_view version() const override {
    ++asked;
    asked.notify_all();
    return TestEngine::version();
  }
  mutable std::atomic<int> asked = 0;
};

TEST(CompileCache, ThreadsWaitForTheOneThatCompiles) {
  constexpr int kThreads = 8;
  CountingEngine engine("engine");
  engine.on_compile = [&](const hlo::Module&) -> Result<void> {
    for (int asked = engine.asked; asked < kThreads; asked = engine.asked) {
      engine.asked.wait(asked);
    }
    return {};
  };
  const TemporaryDirectory directory;
  CompileCache cache(directory.path());
  const auto module = product_module();
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(cache.compile(engine, module, {})); });
  }
  threads.clear();
  EXPECT_EQ(engine.compilations, 1);
}

// ---- damage ----

// Compiles with a damaged entry: it must be found out, told, and replaced.
void expect_replaced(const std::string& path, const std::string& good, const std::string& bad) {
  write(path, bad);
  const TestEngine engine("engine");
  CompileCache cache(fs::path(path).parent_path());
  const auto compiled = compile(cache, engine, product_module());
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings, ElementsAre(AllOf(HasSubstr("cannot use"), HasSubstr(path))));
  EXPECT_EQ(content_of(path), good);
}

class DamagedEntry : public ::testing::Test {
 protected:
  DamagedEntry() {
    const TestEngine engine("engine");
    CompileCache cache(directory_.path());
    compile(cache, engine, product_module());
    path_ = files_in(directory_.path()).at(0);
    good_ = content_of(path_);
  }
  TemporaryDirectory directory_;
  std::string path_;
  std::string good_;
};

TEST_F(DamagedEntry, AChangeOfAnyByteIsFoundOut) {
  for (std::size_t i = 0; i < good_.size(); ++i) {
    std::string bad = good_;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    expect_replaced(path_, good_, bad);
    ASSERT_FALSE(HasFailure()) << "byte " << i;
  }
}

TEST_F(DamagedEntry, ACutAtAnyLengthIsFoundOut) {
  for (std::size_t i = 0; i < good_.size(); ++i) {
    expect_replaced(path_, good_, good_.substr(0, i));
    ASSERT_FALSE(HasFailure()) << "length " << i;
  }
}

TEST_F(DamagedEntry, WhatBelongsToAnotherKeyOrFollowsTheEndIsFoundOut) {
  const TestEngine engine("engine");
  const TemporaryDirectory elsewhere;
  CompileCache cache(elsewhere.path());
  compile(cache, engine, product_module(3));
  expect_replaced(path_, good_, content_of(files_in(elsewhere.path()).at(0)));
  expect_replaced(path_, good_, good_ + "x");
  expect_replaced(path_, good_, "something else altogether, by another program");
}

TEST_F(DamagedEntry, WhatIsNotAFileIsReportedAndLeftAlone) {
  fs::remove(path_);
  fs::create_directory(path_);
  const TestEngine engine("engine");
  CompileCache cache(directory_.path());
  const auto compiled = compile(cache, engine, product_module());
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings,
              ElementsAre(HasSubstr("it is not a file"), HasSubstr("cannot write")));
  EXPECT_THAT(files_in(directory_.path()), ElementsAre(path_));
}

TEST_F(DamagedEntry, WhatOthersMayWriteToIsNotRead) {
  for (const mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    expect_replaced(path_, good_, good_);
    struct stat status{};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
  }
}

TEST_F(DamagedEntry, WhatBelongsToAnotherUserIsNotRead) {
  if (::chown(path_.c_str(), ::geteuid() + 1, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "a file cannot be given to another user here: that needs the right to do so";
  }
  const TestEngine engine("engine");
  CompileCache cache(directory_.path());
  const auto compiled = compile(cache, engine, product_module());
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings,
              ElementsAre(AllOf(HasSubstr("cannot use"), HasSubstr("another user"))));
  EXPECT_EQ(engine.loads, 0);
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, ::geteuid());
}

// An intact entry whose content the engine refuses.
TEST_F(DamagedEntry, WhatTheEngineCannotLoadIsCompiledAgain) {
  DiskCache disk(directory_.path());
  const TestEngine engine("engine");
  ASSERT_EQ(disk.path_of(key_of(product_module())), path_);
  ASSERT_TRUE(disk.write(key_of(product_module()), "not a module"));
  CompileCache cache(directory_.path());
  const auto compiled = compile(cache, engine, product_module());
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings, ElementsAre(HasSubstr("cannot use")));
  EXPECT_EQ(content_of(path_), good_);
}

// ---- directories that take nothing ----

TEST(CompileCache, ADirectoryThatCannotBeMadeIsAWarning) {
  const TemporaryDirectory directory;
  write(directory.path() + "/file", "");
  const TestEngine engine("engine");
  CompileCache cache(directory.path() + "/file/below");
  const auto compiled = compile(cache, engine, product_module());
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings,
              ElementsAre(AllOf(HasSubstr("cannot write"), HasSubstr("Not a directory"))));
  EXPECT_EQ(compile(cache, engine, product_module()).source, Source::kMemory);
}

// Files may not grow beyond 100 bytes: a disk that is full in the middle of an entry.
TEST(CompileCache, AnEntryThatCannotBeWrittenWholeIsNotThere) {
  const TemporaryDirectory directory;
  const TestEngine engine("engine");
  CompileCache cache(directory.path());
  const auto module = product_module();

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto compiled = compile(cache, engine, module);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings,
              ElementsAre(AllOf(HasSubstr("cannot write"), HasSubstr("File too large"))));
  EXPECT_THAT(files_in(directory.path()), IsEmpty());
}

TEST(CompileCache, AFullDiskIsAWarning) {
  const TemporaryDirectory directory;
  if (::mount("none", directory.path().c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "a tmpfs cannot be mounted here: that needs the right to do so";
  }
  write(directory.path() + "/filler", std::string(12 * 1024, 'x'));
  const TestEngine engine("engine");
  CompileCache cache(directory.path());
  std::string numbers = "0";
  for (int i = 1; i < 4000; ++i) numbers += fmt::format(", {}", i);
  const auto module = module_of_lines(
      fmt::format("c = s32[4000] constant({{{}}})\n ROOT r = (s32[4000]) tuple(c)", numbers));
  const auto compiled = compile(cache, engine, module);
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings,
              ElementsAre(AllOf(HasSubstr("cannot write"), HasSubstr("No space left"))));
  EXPECT_THAT(files_in(directory.path()), ElementsAre(directory.path() + "/filler"));
  ::umount2(directory.path().c_str(), MNT_DETACH);
}

// ---- the limit ----

std::uint64_t bytes_in(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const std::string& path : files_in(directory)) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error) bytes += size;
  }
  return bytes;
}

// A file as old as that.
void set_age(const std::string& path, std::chrono::seconds age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

class LimitedCache : public ::testing::Test {
 protected:
  LimitedCache() {
    DiskCache disk(directory_.path());
    EXPECT_TRUE(disk.write("0", value_));
    entry_size_ = fs::file_size(disk.path_of("0"));
  }

  // Entries "0", "1", …, each used an hour after the one before it.
  void fill(int count) {
    DiskCache disk(directory_.path());
    for (int i = 0; i < count; ++i) {
      const std::string key = std::to_string(i);
      EXPECT_TRUE(disk.write(key, value_));
      set_age(disk.path_of(key), std::chrono::hours(count - i));
    }
  }
  [[nodiscard]] std::vector<int> kept(int count) const {
    std::vector<int> kept;
    const DiskCache disk(directory_.path());
    for (int i = 0; i < count; ++i) {
      if (fs::exists(disk.path_of(std::to_string(i)))) kept.push_back(i);
    }
    return kept;
  }

  TemporaryDirectory directory_;
  std::string value_ = std::string(1000, 'x');
  std::uint64_t entry_size_ = 0;
};

TEST_F(LimitedCache, WhatWasWrittenFirstIsRemovedFirst) {
  fill(8);
  DiskCache disk(directory_.path(), 8 * entry_size_);
  ASSERT_TRUE(disk.trim());
  EXPECT_EQ(kept(8).size(), 8U);
  ASSERT_TRUE(disk.write("8", value_));
  ASSERT_TRUE(disk.trim());
  // Down to seven eighths.
  EXPECT_THAT(kept(9), ElementsAre(2, 3, 4, 5, 6, 7, 8));
}

TEST_F(LimitedCache, WhatWasReadStays) {
  fill(8);
  DiskCache disk(directory_.path(), 4 * entry_size_);
  EXPECT_EQ(disk.read("1").value(), value_);
  EXPECT_EQ(disk.read("5").value(), value_);
  ASSERT_TRUE(disk.trim());
  EXPECT_THAT(kept(8), ElementsAre(1, 5, 7));
}

TEST_F(LimitedCache, WhatIsLargerThanTheLimitIsNotWritten) {
  DiskCache disk(directory_.path(), entry_size_);
  EXPECT_TRUE(disk.write("1", value_));
  const Result<void> larger = disk.write("2", value_ + "x");
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().message, fmt::format("it has {} bytes, and the cache may have {}",
                                                entry_size_ + 1, entry_size_));
  EXPECT_THAT(kept(3), ElementsAre(0, 1));
  ASSERT_TRUE(disk.trim());
  EXPECT_LE(bytes_in(directory_.path()), entry_size_);
}

TEST_F(LimitedCache, OnlyEntriesAndWhatIsLeftOfThemAreRemoved) {
  const std::string entry = DiskCache(directory_.path()).path_of("0");
  const std::vector<std::string> others = {directory_.path() + "/notes.entry",
                                           directory_.path() + "/" + std::string(32, 'a') + ".txt",
                                           entry + ".fresh1"};
  for (const std::string& path : others) {
    write(path, "x");
    set_age(path, std::chrono::minutes(10));
  }
  set_age(others[0], std::chrono::hours(24 * 365));
  set_age(others[1], std::chrono::hours(24 * 365));
  const std::string left_over = entry + ".ab12cd";
  write(left_over, "half of it");
  set_age(left_over, std::chrono::hours(2));
  ASSERT_TRUE(DiskCache(directory_.path(), 1).trim());
  EXPECT_THAT(files_in(directory_.path()), UnorderedElementsAreArray(others));
}

TEST_F(LimitedCache, TheCompilerKeepsToIt) {
  const TestEngine engine("engine");
  CompileCache unlimited(directory_.path());
  compile(unlimited, engine, product_module(0));
  const std::uint64_t limit = 3 * bytes_in(directory_.path());
  CompileCache cache(directory_.path(), limit);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(compile(cache, engine, product_module(i)).warnings, IsEmpty());
    EXPECT_LE(bytes_in(directory_.path()), limit);
  }
  CompileCache after(directory_.path(), limit);
  EXPECT_EQ(compile(after, engine, product_module(49)).source, Source::kDisk);
  EXPECT_EQ(compile(after, engine, product_module(10)).source, Source::kCompiled);
}

TEST_F(LimitedCache, ADirectoryThatCannotBeReadIsAWarning) {
  const TestEngine engine("engine");
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  CompileCache cache(directory_.path());
  fs::permissions(directory_.path(), fs::perms::owner_write | fs::perms::owner_exec);
  const auto compiled = compile(cache, engine, product_module());
  fs::permissions(directory_.path(), fs::perms::owner_all);
  EXPECT_EQ(compiled.source, Source::kCompiled);
  EXPECT_THAT(compiled.warnings, ElementsAre(HasSubstr("cannot remove old cache entries")));
}

// ---- several processes ----

// Processes that compile the same programs; in every other round they remove entries while others
// may be reading them.
void expect_shared(const std::string& directory, std::uint64_t limit) {
  constexpr int kProcesses = 4;
  constexpr int kModules = 8;
  constexpr int kRounds = 20;
  const auto work = [&] {
    const TestEngine engine("engine");
    for (int round = 0; round < kRounds; ++round) {
      CompileCache cache(directory, limit);
      for (int i = 0; i < kModules; ++i) {
        const auto compiled = compile(cache, engine, product_module(i));
        if (!compiled.warnings.empty()) return 1;
        const auto results = run_texts(*compiled.executable, {"s32[2] {5, 6}"});
        if (results != std::vector{fmt::format("s32[2] {{{}, 6}}", 5 * i)}) return 2;
        std::error_code ignored;
        if (round % 2 == 0)
          fs::remove(DiskCache(directory).path_of(key_of(product_module(i))), ignored);
      }
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(work());
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(CompileCache, ProcessesShareADirectory) {
  const TemporaryDirectory directory;
  expect_shared(directory.path(), DiskCache::kDefaultLimit);
}

// Each removes what another has just written, or is about to read.
TEST(CompileCache, ProcessesShareADirectoryThatIsTooSmall) {
  const TemporaryDirectory directory;
  constexpr std::uint64_t kLimit = 1000;
  expect_shared(directory.path(), kLimit);
  EXPECT_LE(bytes_in(directory.path()), kLimit + 4 * kLimit / 16 + 500);
}

}  // namespace
}  // namespace mercator::runtime
