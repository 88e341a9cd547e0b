// Reads the tensors that a program wants, such as its arguments, from files of numpy.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/npy.h"
#include "mercator/runtime/tensor.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// An array that is wanted, and what it may be called besides its number.
struct WantedArray {
  std::string name;  // "" if it has only a number
  hlo::Shape shape;
};

// The arrays in the parameters of a computation, from left to right: its *arguments*. An array in a
// tuple is named after its place there: `p.0`, `p.1.2`. An error of kind kUnsupported for
// parameters that are opaque.
[[nodiscard]] Result<std::vector<WantedArray>> argument_arrays(const hlo::Computation& computation);
// The arrays in the result of a computation, in the same order. They have no names.
[[nodiscard]] std::vector<WantedArray> result_arrays(const hlo::Computation& computation);

// The values of the parameters, for one tensor for each of `argument_arrays`.
[[nodiscard]] std::vector<Value> argument_values(const hlo::Computation& computation,
                                                 std::span<const Tensor> tensors);

// Which of the wanted arrays files have given so far.
//
// A .npy file gives the next array that no .npy file has given. In an archive, called `….npz`, each
// entry says by its name which array it gives: `2` is the third, `x` the one of that name. An entry
// `2.bf16` or `x.bf16` holds the bits of elements of the type bf16 in unsigned integers; other
// entries, and .npy files, have elements as ml_dtypes saves them (npy.h).
class TensorFiles {
 public:
  // `what` is what messages call a wanted array: "argument".
  TensorFiles(std::string what, std::vector<WantedArray> wanted, MemoryPool pool,
              std::stop_token stop = {})
      : what_(std::move(what)),
        wanted_(std::move(wanted)),
        pool_(std::move(pool)),
        stop_(std::move(stop)),
        tensors_(wanted_.size()) {}

  // Reads a file. Errors, without the name of the file: of kind kIo, kInvalidInput for what is
  // damaged or not what is wanted, kExhausted, kInterrupted.
  [[nodiscard]] Result<void> read(const std::string& path);

  [[nodiscard]] std::span<const WantedArray> wanted() const { return wanted_; }
  // For each wanted array the tensor that was read, if one was.
  [[nodiscard]] std::span<std::optional<Tensor>> tensors() { return tensors_; }
  // argument 0 'x' is f32[2,3]
  [[nodiscard]] std::string description(std::size_t place) const;

 private:
  struct EntryName {
    std::size_t place = 0;
    std::optional<hlo::ElementType> bits_of;  // of `N.bf16`
  };

  Result<void> read_archive(const std::string& path);
  Result<void> read_array(ByteSource& source, std::size_t place, ForeignElements foreign);
  [[nodiscard]] Result<EntryName> resolve(std::string_view entry) const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  std::string what_;
  std::vector<WantedArray> wanted_;
  MemoryPool pool_;
  std::stop_token stop_;
  std::vector<std::optional<Tensor>> tensors_;
  std::size_t next_npy_ = 0;
};

}  // namespace mercator::runtime
