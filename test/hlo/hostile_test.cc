// Text that nobody means well by: an error or a module, but never a crash.

#include <gmock/gmock.h>

#include <random>

#include "mercator/hlo/module.h"
#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kProgram =
    R"(HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[]}

FileNames
1 "a.py"

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add = f32[] add(%x, %y)
}, execution_thread="main"

ENTRY %e (p: f32[2,3]) -> f32[] {
  %p = f32[2,3]{1,0:T(8,128)S(1)} parameter(0), sharding={{replicated}, /*index=1*/{maximal device=0}}
  %c = (f32[2], c64[], bf16[2]) constant(({1, -2.5e3}, (nan(0x1), inf), {...})), metadata={op_name="a\"b" source_line=3}
  %s = ((f32[2,3]), f32[2,3], u32[]) negate-start(f32[2,3] %p), async_execution_thread="t", backend_config={"a":"}"}
  %d = f32[2,3] negate-done(%s)
  %w = f32[2,3] convolution(%d, /*index=1*/%p), window={size=3x3 pad=1_1x-1_2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, replica_groups=[2,2]<=[4]T(1,0)
  %z = f32[] constant(0)
  ROOT %r = f32[] reduce(%w, %z), dimensions={0,1}, to_apply=%sum, control-predecessors={%c}
}
)";

// Reads it and, if it reads, does everything that can be done with a module.
void use(std::string text) {
  const Result<std::unique_ptr<Module>> module = parse_module(std::move(text));
  if (!module) {
    EXPECT_FALSE(module.error().message.empty());
    ASSERT_TRUE(module.error().span.has_value());
    EXPECT_LE(module.error().span->begin, module.error().span->end);
    return;
  }
  static_cast<void>(verify(**module));
  for (const Computation* computation : (*module)->computations) {
    EXPECT_EQ(computation->post_order().size(), computation->instructions.size());
  }
  const std::string printed = to_string(**module);
  const Result<std::unique_ptr<Module>> again = parse_module(printed);
  ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << printed;
  EXPECT_EQ(difference(**module, **again), std::nullopt) << printed;
}

TEST(Hostile, TheProgramReads) { round_trip(kProgram); }

TEST(Hostile, TruncatedAnywhere) {
  for (std::size_t i = 0; i <= kProgram.size(); ++i) use(std::string(kProgram.substr(0, i)));
}

TEST(Hostile, BeginningAnywhere) {
  for (std::size_t i = 0; i < kProgram.size(); ++i) use(std::string(kProgram.substr(i)));
}

TEST(Hostile, OneByteReplaced) {
  for (std::size_t i = 0; i < kProgram.size(); ++i) {
    for (const char c :
         {'\0', '{', '}', '(', ')', '"', ',', ' ', '0', '9', 'a', '%', '=', '/', '\x80'}) {
      std::string text(kProgram);
      text[i] = c;
      use(std::move(text));
    }
  }
}

TEST(Hostile, RandomEdits) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text(kProgram);
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const std::size_t length = std::min<std::size_t>(random() % 30, text.size() - at);
      switch (random() % 4) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(random() % text.size(), text.substr(at, length));
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        default:
          std::swap(text[at], text[random() % text.size()]);
          break;
      }
      if (text.empty()) text = "x";
    }
    use(std::move(text));
  }
}

TEST(Hostile, BinaryJunk) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    use(text);
    use("HloModule " + text);
    use("HloModule m\nENTRY e { " + text);
    use("HloModule m\nENTRY e { a = f32[] parameter(0), metadata={op_name=\"" + text);
  }
}

TEST(Hostile, NulBytes) {
  EXPECT_THAT(message_of(std::string("HloModule m\0 ENTRY e { a = f32[] parameter(0) }", 48)),
              HasSubstr("found the byte 0x00"));
  use(std::string(1000, '\0'));
  // Within quotes and braces any byte may stand.
  const std::string within("HloModule m, a={\0}, b=\"\0\"\nENTRY e { a = f32[] parameter(0) }", 60);
  EXPECT_NE(read(within), nullptr);
  use(within);
}

TEST(Hostile, NamesThatAreNoUtf8) {
  const Error error = error_of("HloModule m\nENTRY e { \xff\xfe = f32[] parameter(0) }");
  EXPECT_EQ(error.message, "expected an instruction or '}', found the byte 0xFF");
  // In a string it is kept.
  EXPECT_THAT(round_trip(entry("a = f32[] parameter(0), metadata={op_name=\"\xff\"}")),
              HasSubstr("\xff"));
}

TEST(Hostile, DeepNesting) {
  constexpr std::size_t kDepth = 1'000'000;
  for (const char open : {'{', '(', '['}) {
    const std::string brackets(kDepth, open);
    use("HloModule m, a=" + brackets);
    use(entry("a = " + brackets));
    use(entry("a = f32[2]" + brackets));
    use(entry("a = f32[2] constant(" + brackets));
    use(entry("a = f32[2] add(" + brackets));
    use(entry("a = f32[2] parameter(0), unknown=" + brackets));
    use(entry("a = f32[2] parameter(0), dimensions=" + brackets));
    use(entry("a = f32[2] parameter(0), source_target_pairs=" + brackets));
    use(entry("a = f32[2] parameter(0), metadata=" + brackets));
    use(entry("a = f32[2] parameter(0), operand_layout_constraints=" + brackets));
    use("HloModule m ENTRY e " + brackets);
  }
  const std::string balanced = std::string(kDepth, '{') + std::string(kDepth, '}');
  round_trip(entry("a = f32[2] parameter(0), unknown=" + balanced));
  std::string nested;
  for (std::size_t i = 0; i < 100'000; ++i) nested += "f32[] negate(";
  EXPECT_THAT(message_of(entry("a = " + nested)), HasSubstr("nested too deeply"));
}

TEST(Hostile, HugeNumbers) {
  EXPECT_EQ(message_of(entry("a = f32[99999999999999999999] parameter(0)")),
            "the number is too large");
  EXPECT_EQ(message_of(entry("a = f32[4294967296,4294967296] parameter(0)")),
            "the array is too large");
  EXPECT_EQ(message_of(entry("a = f32[2] parameter(0), channel_id=9223372036854775808")),
            "the number is too large");
  EXPECT_EQ(message_of(entry("a = f32[2] parameter(0), channel_id=-9223372036854775809")),
            "the number is too large");
  EXPECT_EQ(message_of(entry("a = f32[2] parameter(0), channel_id=-9223372036854775808")), "");
  EXPECT_THAT(message_of(entry("a = f32[2] parameter(9223372036854775807)")),
              HasSubstr("has only 1"));
  // Arithmetic on attributes that fit int64 must not overflow either.
  constexpr std::string_view kMost = "9223372036854775807";
  const std::string most(kMost);
  for (const std::string& line :
       {"r = f32[2] pad(a, z), padding=" + most + "_" + most + "_" + most,
        "r = f32[2] slice(a), slice={[0:" + most + ":" + most + "]}",
        "r = f32[2] slice(a), slice={[-" + most + ":2]}",
        "r = f32[2] reduce-window(a, z), window={size=" + most + " pad=" + most + "_" + most +
            " lhs_dilate=" + most + " rhs_dilate=" + most + "}, to_apply=f",
        "r = f32[2] broadcast(a), dimensions={" + most + "}",
        "r = f32[2] iota(), iota_dimension=" + most,
        "r = f32[2] get-tuple-element(a), index=" + most,
        "r = f32[2] transpose(a), dimensions={-" + most + "}"}) {
    const std::string text =
        "HloModule m, replica_count=1000000000, num_partitions=1000000000\n"
        "f { x = f32[] parameter(0) y = f32[] parameter(1) s = f32[] add(x, y) }\n"
        "ENTRY e { a = f32[2] parameter(0)\n z = f32[] parameter(1)\n" +
        line + " }";
    EXPECT_NE(message_of(text), "") << line;
    use(text);
  }
}

TEST(Hostile, GroupsOfMoreDevicesThanInt64Holds) {
  use("HloModule m, replica_count=1000000000, num_partitions=1000000000\n"
      "ENTRY e { a = f32[2] parameter(0)\n ROOT r = f32[2] all-gather(a), channel_id=1, "
      "dimensions={0},"
      "replica_groups=[2,9223372036854775807,9223372036854775807]<=[2] }");
}

TEST(Hostile, LongChains) {
  constexpr int kLength = 1'000'000;
  std::string forward = "a0 = f32[] parameter(0)\n";
  std::string backward;
  for (int i = 1; i < kLength; ++i) {
    forward += "a" + std::to_string(i) + " = f32[] negate(a" + std::to_string(i - 1) + ")\n";
    backward += "a" + std::to_string(i - 1) + " = f32[] negate(a" + std::to_string(i) + ")\n";
  }
  use(entry(forward));
  use(entry(backward + "a" + std::to_string(kLength - 1) + " = f32[] parameter(0)"));
  EXPECT_THAT(
      message_of(entry(backward + "a" + std::to_string(kLength - 1) + " = f32[] negate(a0)")),
      HasSubstr("depends on itself"));
}

TEST(Hostile, LongChainsOfCalls) {
  constexpr int kLength = 100'000;
  std::string text = "HloModule m\n";
  for (int i = 0; i < kLength; ++i) {
    text += "c" + std::to_string(i) +
            " { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=c" + std::to_string(i + 1) +
            " }\n";
  }
  const std::string last = "c" + std::to_string(kLength);
  use(text + last + " { p = f32[] parameter(0) }");
  EXPECT_THAT(
      message_of(text + last + " { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=c0 }"),
      HasSubstr("calls itself"));
}

TEST(Hostile, ManyOperandsAndAttributes) {
  std::string operands = "p";
  for (int i = 0; i < 100'000; ++i) operands += ", p";
  use(entry("p = f32[] parameter(0)\n r = f32[] custom-call(" + operands +
            "), custom_call_target=\"t\""));
  std::string attributes;
  for (int i = 0; i < 2'000; ++i) attributes += ", a" + std::to_string(i) + "=1";
  use(entry("p = f32[] parameter(0)" + attributes));
}

}  // namespace
}  // namespace mercator::hlo
