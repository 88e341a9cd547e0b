#include "mercator/runtime/npy.h"

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/file_testing.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using namespace std::string_literals;

Result<Tensor> read(const std::string& file, hlo::ElementType type,
                    ForeignElements foreign = ForeignElements::kVoid) {
  TextSource source(file);
  const NpyHeader header = MERCATOR_TRY(read_npy_header(source));
  if (!holds(header, type, foreign)) {
    return fail(ErrorKind::kUsage, "holds " + type_text(header));
  }
  return read_npy_elements(source, header, type, MemoryPool());
}

// The tensor in HLO's words, or the message of the error.
std::string read_text(const std::string& file, std::string_view type,
                      ForeignElements foreign = ForeignElements::kVoid) {
  const Result<Tensor> tensor = read(file, hlo::element_type(type).value(), foreign);
  return tensor ? text_of(*tensor) : tensor.error().message;
}

std::string written(std::string_view text, ForeignElements foreign = ForeignElements::kVoid) {
  const NpyContent content = npy_content(tensor_from_text(text), foreign, MemoryPool()).value();
  const std::span<const std::byte> bytes = content.elements.bytes();
  return content.header + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

TEST(Npy, ReadsTheTypesThatNumpyHas) {
  EXPECT_EQ(read_text(npy("|b1", "(3,)", "\0\1\5"s), "pred"), "pred[3] {0, 1, 1}");
  EXPECT_EQ(read_text(npy("|i1", "(2,)", "\x80\x7F"), "s8"), "s8[2] {-128, 127}");
  EXPECT_EQ(read_text(npy("<u2", "(2, 1)", "\1\0\0\1"s), "u16"), "u16[2,1] { {1}, {256} }");
  EXPECT_EQ(read_text(npy("<f4", "()", "\0\0\xC0\x3F"s), "f32"), "f32[] 1.5");
  EXPECT_EQ(read_text(npy("<c8", "(1,)", "\0\0\xC0\x3F\0\0\0\xC0"s), "c64"), "c64[1] {(1.5, -2)}");
  EXPECT_EQ(read_text(npy("<i8", "(0, 3)", ""), "s64"), "s64[0,3] {}");
}

TEST(Npy, ReadsBigEndianElementsPartByPart) {
  EXPECT_EQ(read_text(npy(">i4", "(2,)", "\0\0\1\2\xFF\xFF\xFF\xFE"s), "s32"), "s32[2] {258, -2}");
  EXPECT_EQ(read_text(npy(">c8", "(1,)", "\x3F\xC0\0\0\xC0\0\0\0"s), "c64"), "c64[1] {(1.5, -2)}");
}

TEST(Npy, ReadsFortranOrder) {
  EXPECT_EQ(read_text(npy("|u1", "(2, 3)", "\1\4\2\5\3\6", "True"), "u8"),
            "u8[2,3] { {1, 2, 3}, {4, 5, 6} }");
  EXPECT_EQ(read_text(npy("|u1", "(2, 1, 2)", "\1\3\2\4", "True"), "u8"),
            "u8[2,1,2] { { {1, 2} }, { {3, 4} } }");
}

TEST(Npy, ReadsTypesThatNumpyLacksAsMlDtypesSavesThem) {
  EXPECT_EQ(read_text(npy("<V2", "(2,)", "\x80\x3F\x80\xBF"), "bf16"), "bf16[2] {1, -1}");
  EXPECT_EQ(read_text(npy("<V1", "(2,)", "\x38\xB8"), "f8e4m3fn"), "f8e4m3fn[2] {1, -1}");
  // ml_dtypes calls this one a float of one byte.
  EXPECT_EQ(read_text(npy("<f1", "(2,)", "\x3C\xBC"), "f8e5m2"), "f8e5m2[2] {1, -1}");
  EXPECT_EQ(read_text(npy("<V1", "(2,)", "\x02\x0A"), "f4e2m1fn"), "f4e2m1fn[2] {1, -1}");
}

TEST(Npy, BitsThatANarrowElementDoesNotHaveAreIgnored) {
  EXPECT_EQ(read_text(npy("<V1", "(4,)", "\x0F\xFF\x78\xF7"), "s4"), "s4[4] {-1, -1, -8, 7}");
  EXPECT_EQ(read_text(npy("<V1", "(2,)", "\xFF\x13"), "u4"), "u4[2] {15, 3}");
  EXPECT_EQ(read_text(npy("<V1", "(2,)", "\x03\xFD"), "s2"), "s2[2] {-1, 1}");
}

TEST(Npy, ReadsBits) {
  const std::string file = npy("<u2", "(2,)", "\x80\x3F\x80\xBF");
  EXPECT_EQ(read_text(file, "bf16", ForeignElements::kBits), "bf16[2] {1, -1}");
  EXPECT_EQ(read_text(file, "bf16"), "holds u16[2]");
  EXPECT_EQ(read_text(npy("|u1", "(1,)", "\x0F"), "s4", ForeignElements::kBits), "s4[1] {-1}");
}

TEST(Npy, SaysWhatAFileHolds) {
  EXPECT_EQ(read_text(npy("<f8", "(2, 3)", ""), "f32"), "holds f64[2,3]");
  EXPECT_EQ(read_text(npy("<V2", "(2,)", ""), "f16"), "holds <V2>[2]");
  EXPECT_EQ(read_text(npy("<U7", "(2,)", ""), "f32"), "holds <U7>[2]");
  EXPECT_EQ(read_text(npy("|b1", "()", ""), "s8"), "holds pred[]");
}

TEST(Npy, ReadsHeadersOfAllVersionsAndStyles) {
  const std::string header = "{ \"shape\":(2L,),'fortran_order' : False, 'descr':'|u1' }  \n";
  for (const char version : {'\2', '\3'}) {
    const std::string start = "\x93NUMPY"s + version + "\0"s;
    const std::string length{static_cast<char>(header.size()), 0, 0, 0};
    EXPECT_EQ(read_text(start + length + header + "\1\2", "u8"), "u8[2] {1, 2}");
  }
}

TEST(Npy, WrongHeadersAreErrors) {
  const auto message = [](std::string_view header) {
    const std::string length{static_cast<char>(header.size()), 0};
    return read_text("\x93NUMPY\1\0"s + length + std::string(header), "u8");
  };
  const std::string wrong = "the header of the .npy is wrong: expected ";
  EXPECT_EQ(message(""), wrong + "a dictionary");
  EXPECT_EQ(message("{"), wrong + "a key and ':'");
  EXPECT_EQ(message("{'descr': 3"), wrong + "a type after 'descr'");
  EXPECT_EQ(message("{'descr': '<'}"), wrong + "a type of numpy, not '<'");
  EXPECT_EQ(message("{'descr': '|u1' 'shape'"), wrong + "',' or '}' after a value");
  EXPECT_EQ(message("{'descr': '|u1', 'descr'"), wrong + "a key and ':'");
  EXPECT_EQ(message("{'fortran_order': 1}"), wrong + "True or False after 'fortran_order'");
  EXPECT_EQ(message("{'shape': 3}"), wrong + "a tuple of sizes after 'shape'");
  EXPECT_EQ(message("{'shape': (3, -1)}"), wrong + "a size of 0 or more in 'shape'");
  EXPECT_EQ(message("{'shape': (99999999999999999999,)}"),
            wrong + "a size of 0 or more in 'shape'");
  EXPECT_EQ(message("{'shape': (3 4)}"), wrong + "',' or ')' after a size in 'shape'");
  EXPECT_EQ(message("{'size': (3,)}"),
            wrong + "'descr', 'fortran_order' and 'shape', each once, not 'size'");
  EXPECT_EQ(message("{'shape': (3,), 'shape': (3,)}"),
            wrong + "'descr', 'fortran_order' and 'shape', each once, not 'shape'");
  EXPECT_EQ(message("{'shape': (3,), 'descr': '|u1'}"),
            wrong + "'descr', 'fortran_order' and 'shape', and nothing else");
  EXPECT_EQ(message("{'descr': '|O', 'fortran_order': False, 'shape': ()}"),
            "the elements are of numpy's type '|O', which no type of HLO is like");
  EXPECT_EQ(message("{'descr': '<M8[s]', 'fortran_order': False, 'shape': ()}"),
            "the elements are of numpy's type '<M8[s]', which no type of HLO is like");
  EXPECT_EQ(message("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"),
            "the elements are records, which HLO does not have");
}

TEST(Npy, WhatIsNoNpyIsAnError) {
  EXPECT_EQ(read_text("PK\3\4 and more", "u8"), "it is not a .npy file");
  EXPECT_EQ(read_text("\x93NUMPY\4\0\0\0"s, "u8"),
            "it is of version 4 of the .npy format; versions 1 to 3 are supported");
  EXPECT_EQ(read_text("\x93NUMPY\2\0\xFF\xFF\xFF\xFF"s, "u8"),
            "the header of the .npy is wrong: it has 4294967295 bytes");
}

TEST(Npy, FilesThatEndEarlyOrLateAreErrors) {
  const std::string file = npy("<u2", "(3,)", "\1\0\2\0\3\0"s);
  EXPECT_EQ(read_text(file, "u16"), "u16[3] {1, 2, 3}");
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_TRUE(read_text(file.substr(0, size), "u16").starts_with("it is cut short: ")) << size;
  }
  EXPECT_EQ(read_text(file.substr(0, file.size() - 1), "u16"),
            "it is cut short: it has 5 of the 6 bytes of the elements");
  EXPECT_EQ(read_text(file + "x", "u16"), "it goes on after the 6 bytes of its elements");
}

TEST(Npy, SizesThatDoNotFitAreErrors) {
  const Result<Tensor> huge =
      read(npy("|u1", "(4611686018427387904, 4)", ""), hlo::ElementType::kU8);
  EXPECT_EQ(huge.error().kind, ErrorKind::kExhausted);
  EXPECT_EQ(read_text(npy("|u1", "(4611686018427387904, 4, 0)", ""), "u8"),
            "u8[4611686018427387904,4,0] {}");
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of numpy.array([[1, 2, 3], [4, 5, 6]], numpy.int16).
  const std::string file = written("s16[2,3] {{1,2,3},{4,5,6}}");
  EXPECT_EQ(file.substr(0, 69),
            "\x93NUMPY\1\0v\0{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"s);
  EXPECT_EQ(file.substr(69, 59), std::string(58, ' ') + '\n');
  EXPECT_EQ(file.substr(128), "\1\0\2\0\3\0\4\0\5\0\6\0"s);
  const auto type_and_shape = [](const std::string& text) {
    return text.substr(10, text.find_last_not_of(' ', 126) + 1 - 10);
  };
  EXPECT_EQ(type_and_shape(written("f32[] 1")),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
  EXPECT_EQ(type_and_shape(written("pred[1] {1}")),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }");
  EXPECT_EQ(type_and_shape(written("bf16[1] {1}")),
            "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }");
  EXPECT_EQ(type_and_shape(written("bf16[1] {1}", ForeignElements::kBits)),
            "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }");
  // numpy cannot load the type that ml_dtypes names.
  EXPECT_EQ(type_and_shape(written("f8e5m2[1] {1}")),
            "{'descr': '<V1', 'fortran_order': False, 'shape': (1,), }");
}

TEST(Npy, WritesNarrowElementsAsMlDtypesKeepsThem) {
  EXPECT_EQ(written("s4[3] {-1,7,-8}").substr(128), "\x0F\x07\x08");
  EXPECT_EQ(written("u4[2] {15,1}").substr(128), "\x0F\x01");
}

TEST(Npy, WhatIsWrittenReadsBack) {
  const std::vector<std::string> tensors = {
      "pred[2] {0, 1}",
      "s1[2] {-1, 0}",
      "s2[2] {-2, 1}",
      "s4[2,1] { {-8}, {7} }",
      "s8[1] {-128}",
      "s16[1] {-32768}",
      "s32[1] {7}",
      "s64[1] {-9}",
      "u1[2] {0, 1}",
      "u2[1] {3}",
      "u4[1] {15}",
      "u8[1] {255}",
      "u16[1] {65535}",
      "u32[1] {4294967295}",
      "u64[1] {18446744073709551615}",
      "f16[2] {1.5, -inf}",
      "bf16[1] {-3}",
      "f32[2] {0.1, nan}",
      "f64[1] {0.1}",
      "f8e5m2[1] {1.5}",
      "f8e4m3[1] {1.5}",
      "f8e4m3fn[1] {1.5}",
      "f8e4m3b11fnuz[1] {1.5}",
      "f8e3m4[1] {1.5}",
      "f8e5m2fnuz[1] {1.5}",
      "f8e4m3fnuz[1] {1.5}",
      "f4e2m1fn[2] {1.5, -6}",
      "f8e8m0fnu[1] {2}",
      "c64[1] {(1, -2)}",
      "c128[1] {(0.1, 2)}",
  };
  for (const std::string& text : tensors) {
    const std::string type = text.substr(0, text.find('['));
    EXPECT_EQ(read_text(written(text), type), text);
    EXPECT_EQ(read_text(written(text, ForeignElements::kBits), type,
                        is_numpy_type(*hlo::element_type(type)) ? ForeignElements::kVoid
                                                                : ForeignElements::kBits),
              text);
  }
}

}  // namespace
}  // namespace mercator::runtime
