// Builds the text of random computations; the parts that random_program.h is made of.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/indexing/random_program.h"

namespace mercator::testing {

using Dims = std::vector<std::int64_t>;

// An array that an instruction makes.
struct Tensor {
  std::string name;
  std::string type;
  Dims sizes;
  Dims minor_to_major = {};  // empty: not said

  [[nodiscard]] std::int64_t rank() const { return std::ssize(sizes); }
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::string shape() const;  // f32[2,3]{1,0}
};

[[nodiscard]] std::string join(std::span<const std::int64_t> numbers,
                               std::string_view separator = ",");
[[nodiscard]] std::int64_t product(std::span<const std::int64_t> numbers);

// What a parameter of a random computation is for.
enum class Role : std::uint8_t { kData, kIndex };
struct Parameter {
  Tensor tensor;
  Role role = Role::kData;
  std::int64_t limit = 0;  // of an index: the last start that needs no clamping
};

// A computation that can be called.
struct Callable {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Tensor> roots;  // several: the root is a tuple
};

// The computations of a module that is being written.
class Program {
 public:
  Program(std::uint64_t seed, const ProgramOptions& options) : random(seed), options(options) {}

  Random random;
  ProgramOptions options;
  std::vector<Callable> callables;
  std::int64_t replicas = 1;
  std::int64_t partitions = 1;
  [[nodiscard]] std::int64_t devices() const { return replicas * partitions; }

  // A computation that adds pairs of scalars; returns its name. Of more than one pair, all of the
  // same type, every result depends on all of them.
  std::string reducer(const std::vector<std::string>& types);
  void add_computation(std::string text) { computations_.push_back(std::move(text)); }
  std::string fresh_name(std::string_view stem);
  [[nodiscard]] std::string text() const;

  // Random sizes with a rank in [lo, hi].
  Dims sizes(std::int64_t lo, std::int64_t hi);
  // Random sizes with as many elements, of rank at most max_rank.
  Dims sizes_of(std::int64_t elements);

 private:
  std::vector<std::string> computations_;
  int next_ = 0;
};

// One computation that is being written.
class Computation {
 public:
  // With `reuse` operands are taken from what the computation holds already where something fits,
  // and data parameters are at most three.
  Computation(Program& program, bool reuse)
      : program(program), random(program.random), reuse(reuse) {}

  Program& program;
  Random& random;
  const bool reuse;

  // `NAME = SHAPE EXPRESSION`, an array that later instructions may use.
  Tensor emit(std::string_view type, Dims sizes, std::string_view expression);
  // The same with this layout; nothing said for an empty one.
  Tensor emit(std::string_view type, Dims sizes, Dims minor_to_major, std::string_view expression);
  // The same for another kind of value; returns the name. Not kept for reuse.
  std::string emit_value(std::string_view shape, std::string_view expression);

  Tensor parameter(std::string_view type, Dims sizes, Role role = Role::kData,
                   std::int64_t limit = 0);
  // A parameter with this layout.
  Tensor parameter(const Tensor& like);
  // An operand of these sizes: with reuse an array that is there, or made from one.
  Tensor operand(std::string_view type, const Dims& sizes);
  // An operand of any sizes of rank lo … hi; none if there can be none.
  std::optional<Tensor> operand_of_rank(std::int64_t lo, std::int64_t hi);
  // A start index into a dimension where the last valid start is `limit`: a parameter, a constant
  // or computed, with values that need clamping.
  Tensor index_scalar(std::string_view type, std::int64_t limit);
  // An array of start indices.
  Tensor index_array(std::string_view type, const Dims& sizes, std::int64_t limit);

  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<Tensor>& values() const { return values_; }
  // Ends the computation; its root is what is called `root_name`.
  void finish(std::string_view name, std::string_view root_name, bool entry);

 private:
  struct Line {
    std::string name;
    std::string text;
  };
  Tensor add_line(Tensor tensor, std::string_view expression);
  Tensor computed_index(std::string_view type, const Dims& sizes, std::int64_t limit);
  // Indices that were themselves sliced, gathered, scattered, computed, …
  Tensor index_from_program(std::string_view type, const Dims& sizes, std::int64_t limit);
  friend class IndexProgram;
  Dims random_layout(std::int64_t rank, std::int64_t chance);
  [[nodiscard]] std::int64_t data_parameters() const;

  std::vector<Line> lines_;
  std::vector<Parameter> parameters_;
  std::vector<Tensor> values_;   // data
  std::vector<Tensor> indices_;  // index scalars
};

// Adds an instruction whose first operand is `x`; none if `x` does not suit it.
using Generator = std::optional<Tensor> (*)(Computation& c, const Tensor& x);
struct NamedGenerator {
  std::string_view name;
  Generator generate;
  std::int64_t min_rank;       // that x must have
  bool monotone;               // may be used with ProgramOptions::monotone
  int weight;                  // how often it is drawn within fusions
  bool needs_devices = false;  // drawn there only with ProgramOptions::devices
};
[[nodiscard]] std::span<const NamedGenerator> instruction_generators();

// Adds a computation of random instructions, and a fusion or call of it to `c`. Returns one of its
// results. `depth` counts the fusions that stand around it.
std::optional<Tensor> add_fusion(Computation& c, bool call, int depth);

}  // namespace mercator::testing
