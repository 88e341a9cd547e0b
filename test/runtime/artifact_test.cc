#include "mercator/runtime/artifact.h"

#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_testing.h"
#include "mercator/runtime/binary.h"
#include "mercator/runtime/interpreter_engine.h"
#include "random_graphs.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const hlo::Module> sums_and_product() {
  return module_of_lines(R"(
    x = s32[2] parameter(0)
    c = s32[] constant(7)
    b = s32[2] broadcast(c), dimensions={}
    a = s32[2] add(x, x)
    m = s32[2] multiply(a, b)
    ROOT r = s32[2] add(m, a))");
}

// A table with an engine for additions and one for all.
class ArtifactTest : public ::testing::Test {
 protected:
  ArtifactTest() {
    auto adds = std::make_unique<TestEngine>("adds", takes({hlo::Opcode::kAdd}));
    adds_ = adds.get();
    EXPECT_TRUE(table_.add(std::move(adds)));
    EXPECT_TRUE(table_.add(std::make_unique<TestEngine>("rest")));
  }

  [[nodiscard]] std::vector<const Engine*> engines() const {
    return {table_.find("adds"), table_.find("rest")};
  }
  [[nodiscard]] std::unique_ptr<Program> program() const {
    return compiled(sums_and_product(), engines());
  }
  [[nodiscard]] std::string bytes() const { return program()->save().value(); }

  // The message of what read_artifact says; "" if it reads.
  [[nodiscard]] std::string refusal(std::string_view bytes) const {
    const auto read = read_artifact(bytes, table_);
    if (read) return "";
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalidInput) << read.error().message;
    EXPECT_FALSE(read.error().span);
    return read.error().message;
  }

  EngineTable table_;
  TestEngine* adds_ = nullptr;
};

constexpr std::size_t kVersionAt = 9;
constexpr std::size_t kChecksumAt = kVersionAt + 4;
constexpr std::size_t kContentAt = kChecksumAt + 16;

// The artifact with a checksum that is right.
std::string with_checksum(std::string bytes) {
  BinaryWriter writer;
  writer.write_checksum(checksum(std::string_view(bytes).substr(kContentAt)));
  bytes.replace(kChecksumAt, 16, std::move(writer).take());
  return bytes;
}

TEST_F(ArtifactTest, WhatIsReadRunsAsWhatWasWritten) {
  const std::string saved = bytes();
  EXPECT_TRUE(is_artifact(saved));
  EXPECT_EQ(with_checksum(saved), saved);
  const int compilations = adds_->compilations;
  const auto read = read_artifact(saved, table_).value();
  EXPECT_EQ(adds_->compilations, compilations);  // they are loaded instead
  EXPECT_THAT(run_texts(*read, {"s32[2] {1, -2}"}), ElementsAre("s32[2] {16, -32}"));
  EXPECT_EQ(read->save().value(), saved);
  EXPECT_EQ(read->statistics().engines[0].subgraphs, 2);
  EXPECT_EQ(read->statistics().engines[1].subgraphs, 1);
}

TEST_F(ArtifactTest, ReadingStopsWhenAsked) {
  const std::string saved = bytes();
  const int loads = adds_->loads;
  std::stop_source stop;
  stop.request_stop();
  const auto read = read_artifact(saved, table_, stop.get_token());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(adds_->loads, loads);
}

TEST_F(ArtifactTest, RandomProgramsRoundTrip) {
  const std::int64_t programs = 200 * test::random_factor();
  for (std::int64_t seed = 0; seed < programs; ++seed) {
    const test::Draw draw = test::seeded_draw(static_cast<std::uint64_t>(seed));
    const auto written = compiled(verified_module(random_module(draw(1, 40), draw)), engines());
    const std::string saved = written->save().value();
    const auto read = read_artifact(saved, table_);
    ASSERT_TRUE(read) << read.error().message << ", seed " << seed;
    const std::vector<std::string> arguments = {"s32[4] {1, -2, 3, 100000}",
                                                "s32[4] {7, 0, -9, 65536}"};
    ASSERT_EQ(run_texts(**read, arguments), run_texts(*written, arguments)) << "seed " << seed;
    ASSERT_EQ((*read)->save().value(), saved) << "seed " << seed;
  }
}

TEST_F(ArtifactTest, AChangeOfAnyByteIsFoundOut) {
  const std::string good = bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    ASSERT_NE(refusal(bad), "") << "byte " << i;
  }
}

TEST_F(ArtifactTest, ACutAtAnyLengthIsFoundOut) {
  const std::string good = bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    ASSERT_NE(refusal(std::string_view(good).substr(0, i)), "") << "length " << i;
  }
}

// The interpreter under another name, for additions only.
class AddingEngine final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "adds"; }
  [[nodiscard]] std::string_view version() const override { return "1"; }
  [[nodiscard]] Result<void> supports(const hlo::Instruction& instruction) const override {
    if (instruction.opcode == hlo::Opcode::kAdd) return {};
    return fail(ErrorKind::kUnsupported, "not an addition");
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      std::shared_ptr<const hlo::Module> module, const std::stop_token& stop) const override {
    return interpreter_->compile(std::move(module), stop);
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> load(std::string_view bytes) const override {
    return interpreter_->load(bytes);
  }

 private:
  std::unique_ptr<Engine> interpreter_ = make_interpreter_engine();
};

// Behind the checksum too, every length and number is checked.
TEST(ForgedArtifact, IsRefusedOrRuns) {
  EngineTable table;
  ASSERT_TRUE(table.add(std::make_unique<AddingEngine>()));
  ASSERT_TRUE(table.add(make_interpreter_engine()));
  const std::string good =
      compiled(sums_and_product(), {table.find("adds"), table.find("interpreter")})->save().value();
  std::int64_t refused = 0;
  const auto try_it = [&](std::string bad) {
    const auto read = read_artifact(with_checksum(std::move(bad)), table);
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
      ++refused;
      return;
    }
    // What still reads may compute something else, or fail; it does not crash.
    RunContext context;
    context.pool = MemoryPool(1 << 20);
    (void)run_texts(**read, {"s32[2] {1, -2}"}, context);
  };
  for (std::size_t i = kContentAt; i < good.size(); ++i) {
    try_it(good.substr(0, i));
    for (const int value : {0, 1, 2, 0x7F, 0xFF}) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      try_it(std::move(bad));
    }
  }
  const test::Draw draw = test::seeded_draw(1);
  const auto last = static_cast<std::int64_t>(good.size()) - 1;
  for (std::int64_t i = 0; i < 2000 * test::random_factor(); ++i) {
    std::string bad = good;
    for (std::int64_t change = draw(1, 4); change > 0; --change) {
      const auto at = static_cast<std::size_t>(draw(static_cast<std::int64_t>(kContentAt), last));
      bad[at] = static_cast<char>(draw(0, 2) == 0 ? draw(0, 255) : draw(0, 8));
    }
    try_it(std::move(bad));
  }
  EXPECT_GT(refused, static_cast<std::int64_t>(good.size()));
}

TEST_F(ArtifactTest, MessagesSayWhatIsWrong) {
  const std::string good = bytes();
  EXPECT_EQ(refusal("HloModule m"), "this is not an artifact");
  std::string newer = good;
  newer[kVersionAt] = 2;
  EXPECT_EQ(refusal(newer), "the artifact has version 2; this program reads version 1");
  EXPECT_THAT(refusal(good.substr(0, good.size() - 1)), HasSubstr("cut off"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("checksum"));
  EXPECT_THAT(refusal(with_checksum(good + "x")), HasSubstr("something follows its end"));
}

TEST_F(ArtifactTest, EnginesMustBeHereInTheSameVersion) {
  const std::string saved = bytes();
  const auto elsewhere = read_artifact(saved, EngineTable());
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(elsewhere.error().message, "the artifact needs the engine 'adds', which is not here");
  adds_->set_version("2");
  const auto later = read_artifact(saved, table_);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(later.error().message, HasSubstr("version 1 of the engine 'adds'"));
}

TEST_F(ArtifactTest, WhatAnEngineCannotSaveIsAnError) {
  adds_->can_save = false;
  const auto saved = program()->save();
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().kind, ErrorKind::kUnsupported);
}

TEST_F(ArtifactTest, TheInterpreterRoundTrips) {
  const Engine* const interpreter = mercator::runtime::engines().find("interpreter");
  ASSERT_NE(interpreter, nullptr);
  const auto written = compiled(module_of_lines(R"(
      x = s32[2,3] parameter(0)
      t = s32[3,2] transpose(x), dimensions={1,0}
      s = s32[2,2] slice(t), slice={[1:3], [0:2]}
      ROOT r = (s32[3,2], s32[2,2]) tuple(t, s))"),
                                {interpreter});
  const auto read = read_artifact(written->save().value(), mercator::runtime::engines()).value();
  EXPECT_THAT(run_texts(*read, {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}),
              ElementsAre("s32[3,2] { {1, 4}, {2, 5}, {3, 6} }", "s32[2,2] { {2, 5}, {3, 6} }"));
}

}  // namespace
}  // namespace mercator::runtime
