#include "mercator/runtime/tensor_files.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/runtime/npz.h"
#include "test/runtime/file_testing.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

std::unique_ptr<hlo::Module> module_of(const std::string& lines) {
  return hlo::parse_module("HloModule m\n\nENTRY main {\n" + lines + "\n}\n").value();
}

// Reads files of the arguments a: u8[2], p: (bf16[1], (s4[2])), d: u8[<=3].
class Arguments : public ::testing::Test {
 protected:
  // The message of the error, or "".
  std::string read(const std::string& path) {
    const Result<void> result = files_.read(path);
    return result ? "" : result.error().message;
  }
  std::string read_archive(const std::vector<NpzEntry>& entries) {
    const std::string path = folder_.path("a.npz");
    EXPECT_TRUE(write_npz(path, entries, MemoryPool()).has_value());
    return read(path);
  }
  std::vector<std::string> given() {
    std::vector<std::string> texts;
    for (const std::optional<Tensor>& tensor : files_.tensors()) {
      texts.push_back(tensor ? text_of(*tensor) : "");
    }
    return texts;
  }

  TemporaryFolder folder_;
  std::unique_ptr<hlo::Module> module_ = module_of(R"(
    a = u8[2] parameter(0)
    p = (bf16[1], token[], (s4[2])) parameter(1)
    d = u8[<=3] parameter(2)
    ROOT r = u8[2] copy(a))");
  TensorFiles files_{"argument", argument_arrays(*module_->entry).value(), MemoryPool()};
};

TEST_F(Arguments, AreTheArraysInTheParameters) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < files_.wanted().size(); ++i) texts.push_back(files_.description(i));
  EXPECT_THAT(texts, ElementsAre("argument 0 'a' is u8[2]", "argument 1 'p.0' is bf16[1]",
                                 "argument 2 'p.2.0' is s4[2]", "argument 3 'd' is u8[<=3]"));
}

TEST_F(Arguments, EachNpyIsTheNext) {
  EXPECT_EQ(read(folder_.write("0.npy", npy("|u1", "(2,)", "\1\2"))), "");
  EXPECT_EQ(read(folder_.write("1.npy", npy("<V2", "(1,)", "\x80\x3F"))), "");
  EXPECT_THAT(given(), ElementsAre("u8[2] {1, 2}", "bf16[1] {1}", "", ""));
}

TEST_F(Arguments, EntriesAreNumbersOrNames) {
  EXPECT_EQ(read_archive({{"3", tensor_from_text("u8[1] {9}")},
                          {"p.2.0", tensor_from_text("s4[2] {-1, 1}")},
                          {"a", tensor_from_text("u8[2] {1, 2}")},
                          {"1", tensor_from_text("bf16[1] {3}")}}),
            "");
  EXPECT_THAT(given(), ElementsAre("u8[2] {1, 2}", "bf16[1] {3}", "s4[2] {-1, 1}", "u8[1] {9}"));
}

TEST_F(Arguments, SizesUpToTheBoundOfADynamicDimensionFit) {
  EXPECT_EQ(read_archive({{"d", tensor_from_text("u8[4] {1,2,3,4}")}}),
            "entry 'd': it holds u8[4], where argument 3 'd' is u8[<=3]");
  EXPECT_EQ(read_archive({{"d", tensor_from_text("u8[0] {}")}}), "");
  EXPECT_THAT(given(), ElementsAre("", "", "", "u8[0] {}"));
}

TEST_F(Arguments, WhatIsNotWantedIsAnError) {
  EXPECT_EQ(read_archive({{"a", tensor_from_text("u8[3] {1,2,3}")}}),
            "entry 'a': it holds u8[3], where argument 0 'a' is u8[2]");
  EXPECT_EQ(read_archive({{"a", tensor_from_text("s8[2] {1,2}")}}),
            "entry 'a': it holds s8[2], where argument 0 'a' is u8[2]");
  EXPECT_EQ(read_archive({{"2", tensor_from_text("bf16[2] {1,2}")}}),
            "entry '2.bf16' holds bf16, where argument 2 'p.2.0' is s4[2]");
  EXPECT_EQ(read_archive({{"4", tensor_from_text("u8[2] {1,2}")}}),
            "entry '4' is no argument of the program, which has 4");
  EXPECT_EQ(read_archive({{"", tensor_from_text("u8[2] {1,2}")}}),
            "entry '' is no argument of the program, which has 4");
  EXPECT_EQ(read_archive({{"p.2", tensor_from_text("u8[2] {1,2}")}}),
            "entry 'p.2' is no argument of the program, which has 4");
  EXPECT_EQ(files_.read(folder_.path("a.npz")).error().hint, "did you mean 'p.0'?");
  EXPECT_EQ(read_archive(
                {{"a", tensor_from_text("u8[2] {1,2}")}, {"0", tensor_from_text("u8[2] {1,2}")}}),
            "entry '0': argument 0 is given twice");
  EXPECT_EQ(read(folder_.path("none.npy")), "No such file or directory");
}

TEST_F(Arguments, MoreFilesThanArgumentsAreAnError) {
  files_ = TensorFiles("argument", {}, MemoryPool());
  EXPECT_EQ(read(folder_.write("0.npy", npy("|u1", "(2,)", "\1\2"))),
            "it is one argument too many: the program has 0");
}

TEST_F(Arguments, AHugeShapeThatIsNotWantedIsNotAllocated) {
  EXPECT_EQ(read(folder_.write("0.npy", npy("|u1", "(1152921504606846976,)", "\1"))),
            "it holds u8[1152921504606846976], where argument 0 'a' is u8[2]");
}

TEST_F(Arguments, BecomeTheValuesOfParameters) {
  const std::vector<Tensor> tensors = {
      tensor_from_text("u8[2] {1, 2}"), tensor_from_text("bf16[1] {3}"),
      tensor_from_text("s4[2] {-1, 1}"), tensor_from_text("u8[1] {9}")};
  const std::vector<Value> values = argument_values(*module_->entry, tensors);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(type_text(values[0]), "u8[2]");
  EXPECT_EQ(type_text(values[1]), "(bf16[1], token[], (s4[2]))");
  EXPECT_EQ(type_text(values[2]), "u8[1]");
  EXPECT_EQ(text_of(leaves(values[1])[1]), "s4[2] {-1, 1}");
}

TEST_F(Arguments, AreNotReadOnceAStopIsRequested) {
  ASSERT_EQ(read_archive({{.name = "a", .tensor = tensor_from_text("u8[2] {1, 2}")}}), "");
  std::stop_source stop;
  stop.request_stop();
  TensorFiles files("argument", argument_arrays(*module_->entry).value(), MemoryPool(),
                    stop.get_token());
  const Result<void> result = files.read(folder_.path("a.npz"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
}

TEST(TensorFiles, OpaqueParametersAreAnError) {
  const auto module = module_of("o = opaque[] parameter(0)\n ROOT c = u8[] constant(1)");
  const auto wanted = argument_arrays(*module->entry);
  ASSERT_FALSE(wanted.has_value());
  EXPECT_EQ(wanted.error().message, "parameter 'o' is opaque: no file can hold its value");
}

TEST(TensorFiles, ResultsHaveNumbersOnly) {
  const auto module = module_of(R"(
    a = u8[2] parameter(0)
    t = token[] after-all()
    ROOT r = (u8[2], token[], (u8[2])) parameter(1))");
  TensorFiles files("result", result_arrays(*module->entry), MemoryPool());
  ASSERT_EQ(files.wanted().size(), 2U);
  EXPECT_EQ(files.description(1), "result 1 is u8[2]");
}

}  // namespace
}  // namespace mercator::runtime
