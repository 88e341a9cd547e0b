// Files of one tensor as numpy writes them (.npy), versions 1 to 3 of the format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// numpy has no bf16, no f8 and nothing narrower than a byte. Elements of these types are read and
// written as ml_dtypes saves them, as void types of as many bytes as an element takes (`<V2`,
// `<V1`); or as *bits*, in unsigned integers of that size. Which type they are of a file does not
// say: the reader must know.

#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "mercator/hlo/shape.h"
#include "mercator/runtime/byte_source.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// How elements of types that numpy lacks are written.
enum class ForeignElements : std::uint8_t { kVoid, kBits };

// What the header of a file says.
struct NpyHeader {
  // The type of an element: its kind as numpy abbreviates it ('b', 'i', 'u', 'f', 'c', 'V', …) and
  // its size in bytes.
  char kind = 'V';
  std::int64_t element_bytes = 1;
  bool big_endian = false;
  bool fortran_order = false;  // the first dimension varies fastest
  std::vector<std::int64_t> dimensions;
};

// Reads the header; what follows are the elements. Errors of kind kInvalidInput for what is not a
// .npy, and kUnsupported for elements that are objects or records.
[[nodiscard]] Result<NpyHeader> read_npy_header(ByteSource& source);

// Whether the elements may be of that type, in one of the ways to write it.
[[nodiscard]] bool holds(const NpyHeader& header, hlo::ElementType type, ForeignElements foreign);

// What the file holds, for messages: f32[2,3], or <V2>[2,3] where HLO has no such type.
[[nodiscard]] std::string type_text(const NpyHeader& header);

// The elements, which are all that is left of the source, as a dense tensor. Requires that the
// header holds the type. Errors of kind kInvalidInput where the source is longer or shorter,
// kExhausted and kInterrupted.
[[nodiscard]] Result<Tensor> read_npy_elements(ByteSource& source, const NpyHeader& header,
                                               hlo::ElementType type, const MemoryPool& pool,
                                               const std::stop_token& stop = {});

// Whether numpy has the type.
[[nodiscard]] bool is_numpy_type(hlo::ElementType type);

// A file is a header followed by the bytes of the elements.
struct NpyContent {
  std::string header;
  Tensor elements;
};
// The content of the file for a dense tensor. Shares its memory where numpy stores elements in the
// same way.
[[nodiscard]] Result<NpyContent> npy_content(const Tensor& tensor, ForeignElements foreign,
                                             const MemoryPool& pool);

}  // namespace mercator::runtime
