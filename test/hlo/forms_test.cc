// HloModuleProto and StableHLO: the programs of test/hlo/forms read to the same module as their HLO
// text, what is wrong is said, and nothing crashes.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "mercator/hlo/module.h"
#include "test/hlo/hlo_testing.h"
#include "test/support/case_file.h"

namespace mercator::hlo {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<fs::path> programs(std::string_view extension) {
  std::vector<fs::path> found;
  for (const auto& file : fs::directory_iterator(MERCATOR_HLO_FORMS_DIR)) {
    if (file.path().extension() == extension) found.push_back(file.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string contents(const fs::path& path) {
  Result<std::string> text = testing::read_file(path);
  EXPECT_TRUE(text.has_value()) << path;
  return text.value_or("");
}

std::unique_ptr<Module> read_form(const fs::path& path) {
  Result<std::unique_ptr<Module>> module = read_module(contents(path));
  if (module) return *std::move(module);
  ADD_FAILURE() << path << ": " << module.error().message;
  return nullptr;
}

std::string varint(std::size_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

// A field of a message that holds bytes, or a number.
std::string field(std::size_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
std::string field(std::size_t number, int value) {
  return varint(number << 3) + varint(static_cast<std::size_t>(value));
}

// XLA prints computations in one order and serializes them in another.
void sort_computations(Module& module) {
  std::ranges::sort(module.computations, {}, &Computation::name);
}

// ---- HloModuleProto ----

TEST(HloProto, IsTheModuleOfItsText) {
  const std::vector<fs::path> files = programs(".pb");
  EXPECT_GE(files.size(), 20U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const auto module = read_form(file);
    ASSERT_NE(module, nullptr);
    EXPECT_TRUE(verify(*module).has_value());
    EXPECT_EQ(module->source.form, SourceForm::kHloProto);
    const auto from_text = read_form(fs::path(file).replace_extension(".hlo.txt"));
    ASSERT_NE(from_text, nullptr);
    EXPECT_EQ(from_text->source.form, SourceForm::kHloText);
    sort_computations(*module);
    sort_computations(*from_text);
    EXPECT_EQ(difference(*module, *from_text), std::nullopt);
  }
}

TEST(HloProto, IsFoundInASnapshot) {
  const std::string module = contents(fs::path(MERCATOR_HLO_FORMS_DIR) / "products.pb");
  const std::string proto = field(1, module) + field(3, "");
  const std::string snapshot = field(1, proto) + field(2, "") + field(4, "Host");
  const auto expected = parse_module_proto(module);
  ASSERT_TRUE(expected.has_value());
  for (const std::string& bytes : {proto, snapshot}) {
    const auto found = read_module(bytes);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(difference(**expected, **found), std::nullopt);
  }
}

std::string message_of_proto(std::string_view bytes) {
  const auto module = parse_module_proto(bytes);
  if (module) return "";
  EXPECT_FALSE(module.error().span.has_value());
  return module.error().message;
}

// A scalar f32, an instruction of that shape and a module of such instructions.
std::string instruction(std::string_view name, std::string_view opcode, int id,
                        const std::string& rest = "") {
  return field(2,
               field(1, name) + field(2, opcode) + field(3, field(2, 11)) + field(35, id) + rest);
}
std::string module_of(const std::string& instructions, int root) {
  return field(1, "m") + field(3, field(1, "main") + instructions + field(5, 1) + field(6, root)) +
         field(6, 1);
}

TEST(HloProto, ReadsTheLeast) {
  const std::string p = instruction("p", "parameter", 1);
  EXPECT_EQ(message_of_proto(module_of(p + instruction("n", "negate", 2, field(36, 1)), 2)), "");
}

TEST(HloProto, SaysWhatIsWrong) {
  const std::string p = instruction("p", "parameter", 1);
  EXPECT_EQ(message_of_proto(""), "the module has no computation");
  EXPECT_EQ(message_of_proto(module_of(p, 7)),
            "there is no instruction with the id 7 in its computation");
  EXPECT_EQ(message_of_proto(module_of(p + instruction("n", "negate", 2, field(36, 5)), 2)),
            "in 'n': there is no instruction with the id 5 in its computation");
  EXPECT_EQ(message_of_proto(module_of(p + instruction("n", "negate", 1, field(36, 1)), 1)),
            "two instructions of 'main' have the id 1");
  EXPECT_EQ(message_of_proto(module_of(instruction("a b", "parameter", 1), 1)),
            "'a b' is not a name of an instruction");
  EXPECT_EQ(message_of_proto(module_of(p + instruction("n", "negat", 2, field(36, 1)), 2)),
            "in 'n': there is no opcode 'negat'");
  EXPECT_EQ(message_of_proto(module_of(p + instruction("c", "call", 2, field(38, 9)), 2)),
            "in 'c': there is no computation with the id 9");
  EXPECT_EQ(message_of_proto(module_of(p + instruction("s", "while", 2, field(36, 1)), 2)),
            "in 's': 's' calls 2 computations, not 0");
  EXPECT_EQ(message_of_proto(
                module_of(instruction("c", "constant", 1, field(8, field(1, field(2, 11)))), 1)),
            "in 'c': a literal of f32 has 0 elements or bytes where its shape needs 1");
  EXPECT_EQ(message_of_proto("\x0A\x7F"),
            "byte 2: the field should have 127 bytes, and 0 are left");
  EXPECT_EQ(message_of_proto("\x0A\xFF"), "byte 1: the number is cut off");
  EXPECT_EQ(message_of_proto("\x0B"),
            "byte 0: field 1 has the wire type 3, which is not supported");
}

TEST(HloProto, NestsOnlySoDeep) {
  std::string shape = field(2, 11);
  for (int i = 0; i < 1000; ++i) shape = field(2, 13) + field(4, shape);
  const std::string p =
      field(2, field(1, "p") + field(2, "parameter") + field(3, shape) + field(35, 1));
  EXPECT_EQ(message_of_proto(module_of(p, 1)), "in 'p': a shape is nested too deeply");
}

// ---- StableHLO ----

TEST(StableHlo, EveryProgramReadsAndVerifies) {
  const std::vector<fs::path> files = programs(".mlir");
  EXPECT_GE(files.size(), 27U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const auto module = read_form(file);
    ASSERT_NE(module, nullptr);
    const Result<void> verified = verify(*module);
    EXPECT_TRUE(verified.has_value()) << verified.error().message;
    EXPECT_EQ(module->source.form, SourceForm::kStableHlo);
  }
}

// The HLO text of a function @main with these lines.
std::string translated(std::string_view lines) {
  const std::string text = "module @m {\n" + std::string(lines) + "\n}\n";
  const auto module = read_module(text);
  if (!module) return "error: " + module.error().message;
  const Result<void> verified = verify(**module);
  return verified ? std::string((*module)->text()) : "error: " + verified.error().message;
}

TEST(StableHlo, ValuesKeepTheirNames) {
  EXPECT_EQ(translated(
                R"(func.func public @main(%arg0: tensor<2x3xf32> {jax.x = "y"}) -> tensor<3x2xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32> loc(#loc)
    %cst = stablehlo.constant dense<1.5> : tensor<3x2xf32>
    %1 = stablehlo.add %0, %cst : tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  })"),
            R"(HloModule m

ENTRY %main {
  %arg0 = f32[2,3] parameter(0)
  %transpose.0 = f32[3,2] transpose(%arg0), dimensions={1,0}
  %cst = f32[3,2] constant(1.5)
  ROOT %add.1 = f32[3,2] add(%transpose.0, %cst)
}

)");
}

TEST(StableHlo, StretchingIsAReshapeAndABroadcast) {
  const std::string text =
      translated(R"(func.func @main(%arg0: tensor<4x1xf32>) -> tensor<2x4x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x1xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  })");
  EXPECT_THAT(text, HasSubstr("%broadcast_in_dim.0 = f32[4] reshape(%arg0)\n"));
  EXPECT_THAT(text, HasSubstr("f32[2,4,3] broadcast(%broadcast_in_dim.0), dimensions={1}\n"));
}

TEST(StableHlo, ALoopCarriesWhatItUses) {
  const std::string text =
      translated(R"(func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    return %0 : tensor<i32>
  })");
  EXPECT_THAT(text, HasSubstr("(s32[], s32[]) tuple(%a, %b)\n"));
  EXPECT_THAT(text,
              HasSubstr("%c = s32[] constant(3)\n  ROOT %compare.1 = pred[] compare(%i, %c)"));
  EXPECT_THAT(text, HasSubstr("ROOT %results = tuple(%add.1, %b)\n"));
}

TEST(StableHlo, ConstantsInEveryForm) {
  const auto constant = [](std::string_view value, std::string_view type) {
    const std::string text = translated(fmt::format(
        "func.func @main() -> tensor<{1}> {{\n %c = stablehlo.constant dense<{0}> : tensor<{1}>\n"
        " return %c : tensor<{1}>\n}}",
        value, type));
    const std::size_t start = text.find("constant(");
    return start == std::string::npos ? text : text.substr(start, text.find('\n', start) - start);
  };
  EXPECT_EQ(constant("[[1, -2], [3, 4]]", "2x2xi8"), "constant({{1, -2}, {3, 4}})");
  EXPECT_EQ(constant("[true, false]", "2xi1"), "constant({true, false})");
  EXPECT_EQ(constant("0x7F800000", "f32"), "constant(inf)");
  EXPECT_EQ(constant("[0x7FC0, 1.0]", "2xbf16"), "constant({nan, 1.0})");
  EXPECT_EQ(constant("(1.0, -2.0)", "complex<f32>"), "constant((1.0, -2.0))");
  EXPECT_EQ(constant(R"("0x0000803F000000C0")", "2xf32"), "constant({1, -2})");
  EXPECT_EQ(constant(R"("0x0000803F")", "3xf32"), "constant(1)");
  EXPECT_EQ(constant(R"("0x05")", "3xi1"), "constant({1, 0, 1})");
  EXPECT_EQ(constant("", "0x2xf32"), "constant({})");
}

TEST(StableHlo, WhatHloDoesNotHaveIsAMapOfACall) {
  const std::string text = translated(R"(func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })");
  EXPECT_THAT(text, HasSubstr("f32[] custom-call(%x), custom_call_target=\"chlo.erf_inv\"\n"));
  EXPECT_THAT(text, HasSubstr("f32[3] map(%x), dimensions={0}, to_apply=%element\n"));
}

struct Refused {
  std::string_view line;
  std::string_view blamed;
  std::string_view message;
  ErrorKind kind = ErrorKind::kInvalidInput;
};

TEST(StableHlo, SaysWhatIsWrongAndWhere) {
  constexpr ErrorKind kUnsupported = ErrorKind::kUnsupported;
  const Refused kRefused[] = {
      {"%0 = stablehlo.add %y, %x : tensor<2xf32>", "%y", "there is no value '%y' here"},
      {"%0 = stablehlo.nothing %x : tensor<2xf32>", "stablehlo.nothing",
       "the operation 'stablehlo.nothing' is not supported", kUnsupported},
      {"%0 = arith.addf %x, %x : f32", "arith.addf", "the operation 'arith.addf' is not supported",
       kUnsupported},
      {"%0 = stablehlo.abs %x : tensor<?xf32>", "?",
       "dimensions whose size is not known are not supported", kUnsupported},
      {"%0 = stablehlo.abs %x : tensor<2xf33>", "f33", "the element type 'f33' is not supported",
       kUnsupported},
      {"%0 = stablehlo.abs %x : tensor<3xf32>", "stablehlo.abs", "", ErrorKind::kInvalidInput},
      {"%0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>", "call", "there is no function '@f'"},
      {"%0:2 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<2xf32>", "stablehlo.abs",
       "'stablehlo.abs' has 1 results and more names for them"},
      {"%0 = stablehlo.abs %x#1 : tensor<2xf32>", "%x#1", "'%x' has 1 results"},
      {"%0 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<3xf32>", "stablehlo.reshape", ""},
      {"%0 = stablehlo.slice %x \"\" : (tensor<2xf32>) -> tensor<1xf32>", "stablehlo.slice",
       "expected ranges such as [0:4, 1:9:2]"},
      {"%0 = stablehlo.slice %x [0:99999999999999999999] : (tensor<2xf32>) -> tensor<1xf32>",
       "stablehlo.slice", "the number is too large"},
      {"%0 = stablehlo.transpose %x, dims = [99999999999999999999] : (tensor<2xf32>) -> "
       "tensor<2xf32>",
       "99999999999999999999", "the number is too large"},
      {"%0 = \"stablehlo.transpose\"(%x) <{permutation = dense<\"0x00\"> : tensor<1xi64>}> : "
       "(tensor<2xf32>) -> tensor<2xf32>",
       "\"stablehlo.transpose\"",
       "numbers of 'permutation' that are written as bytes are not supported", kUnsupported},
      {"%0:1000000 = stablehlo.abs %x : tensor<2xf32>", "stablehlo.abs",
       "'stablehlo.abs' has 0 results and more names for them"},
      {"%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>", "stablehlo.constant", ""},
  };
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.line);
    const std::string text = "func.func @main(%x: tensor<2xf32>) -> () {\n  " +
                             std::string(refused.line) + "\n  return\n}\n";
    const auto module = read_module(text);
    Error error;
    if (!module) {
      error = module.error();
    } else if (const Result<void> verified = verify(**module); !verified) {
      error = (*module)->source.locate(verified.error(), (*module)->text());
    }
    EXPECT_THAT(error.message, StartsWith(std::string(refused.message)));
    EXPECT_NE(error.message, "");
    EXPECT_EQ(blamed(error, text), refused.blamed) << error.message;
    EXPECT_EQ(error.kind, refused.kind);
  }
}

TEST(StableHlo, NestsOnlySoDeep) {
  for (const std::string_view open : {"(", "[", "{a = ", "<a = ", "#a<a = ", "tensor<", "tuple<"}) {
    std::string text = "func.func @main() {\n %0 = stablehlo.x {a = ";
    for (int i = 0; i < 100'000; ++i) text += open;
    EXPECT_FALSE(read_module(text).has_value());
  }
  std::string regions = "func.func @main() {\n";
  for (int i = 0; i < 100'000; ++i) regions += "\"stablehlo.if\"() ({";
  EXPECT_FALSE(read_module(regions).has_value());
}

TEST(Forms, BytecodeIsNamed) {
  const auto module = read_module("ML\xEFR\x0D");
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().kind, ErrorKind::kUnsupported);
}

// ---- hostile files ----

void use(std::string bytes) {
  const auto module = read_module(bytes);
  if (!module) {
    EXPECT_NE(module.error().message, "");
    return;
  }
  const Result<void> verified = verify(**module);
  if (verified) return;
  const Error error = (*module)->source.locate(verified.error(), (*module)->text());
  EXPECT_LE(error.span.value_or(TextSpan{}).end, bytes.size());
}

std::vector<std::string> small_programs() {
  std::vector<std::string> programs;
  for (const char* name : {"stretch.pb", "barrier.pb", "calls.pb", "branches.mlir", "loops.mlir",
                           "convolutions.generic.mlir", "constants.mlir"}) {
    programs.push_back(contents(fs::path(MERCATOR_HLO_FORMS_DIR) / name));
  }
  return programs;
}

TEST(Forms, TruncatedAnywhere) {
  for (const std::string& program : small_programs()) {
    for (std::size_t i = 0; i < program.size(); ++i) use(program.substr(0, i));
  }
}

TEST(Forms, BytesReplaced) {
  std::mt19937 random(7);
  for (const std::string& program : small_programs()) {
    for (int round = 0; round < 600; ++round) {
      std::string bytes = program;
      for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      use(std::move(bytes));
    }
  }
  const std::string attributes = contents(fs::path(MERCATOR_HLO_FORMS_DIR) / "attributes.pb");
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = attributes;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    use(std::move(bytes));
  }
}

TEST(Forms, TextMovedAround) {
  std::mt19937 random(9);
  for (const std::string& program : small_programs()) {
    for (int round = 0; round < 200; ++round) {
      std::string bytes = program;
      const std::size_t at = random() % bytes.size();
      const std::size_t length = std::min<std::size_t>(random() % 40, bytes.size() - at);
      const std::string piece = bytes.substr(at, length);
      if (random() % 2 == 0) bytes.erase(at, length);
      bytes.insert(random() % bytes.size(), piece);
      use(std::move(bytes));
    }
  }
}

}  // namespace
}  // namespace mercator::hlo
