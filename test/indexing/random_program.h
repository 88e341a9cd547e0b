// Random small HLO programs, as text, the same for the same seed on every machine.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercator::testing {

// Splitmix64, with draws that do not depend on the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  // Uniform in [lo, hi].
  std::int64_t in(std::int64_t lo, std::int64_t hi);
  bool percent(std::int64_t chance) { return in(1, 100) <= chance; }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(in(0, std::ssize(items) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1],
                items[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }
  // `count` distinct numbers of 0 … n - 1, in random order.
  std::vector<std::int64_t> some_of(std::int64_t n, std::int64_t count);

 private:
  std::uint64_t state_;
};

struct ProgramOptions {
  std::int64_t max_elements = 120;  // of an array
  std::int64_t max_rank = 5;
  std::int64_t max_size = 6;        // of a dimension
  std::int64_t max_operations = 8;  // of a fusion
  bool zero_sizes = true;
  // Floating-point type of the data.
  std::string_view data_type = "f32";
  // Only what computes a function in which every operand element that is read matters: sums and
  // products of positive numbers. No layouts other than the default.
  bool monotone = false;
  // Only what moves elements, or adds them; indices come from programs of their own. No layouts
  // other than the default.
  bool moves = false;
  // Several devices, and collectives within calls.
  bool devices = false;
};

// What the first instructions of a program are; each draws its own shapes and attributes.
[[nodiscard]] std::span<const std::string_view> generator_names();

// A module whose entry holds an instruction of the generator `name` (and what it needs: parameters,
// constants, called computations). None if the draw came to nothing; draw again with another seed.
[[nodiscard]] std::optional<std::string> random_program(std::string_view name, std::uint64_t seed,
                                                        const ProgramOptions& options);

// A module with one fusion (or call) of 2 … max_operations random instructions, 1 … 3 data
// parameters and one or two roots, with fusions and calls inside.
[[nodiscard]] std::string random_fusion(std::uint64_t seed, const ProgramOptions& options);

}  // namespace mercator::testing
