#include "mercator/runtime/random_tensor.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stop_token>
#include <vector>

#include <gtest/gtest.h>

#include "mercator/hlo/float_format.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

Tensor draw(hlo::ElementType type, std::int64_t count, std::uint64_t seed = 1,
            std::uint64_t number = 0) {
  return random_tensor(type, {count}, seed, number, MemoryPool()).value();
}

std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.element_count()));
  std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

// How often each value of a byte occurs.
std::array<int, 256> histogram(const Tensor& tensor) {
  std::array<int, 256> counts{};
  for (const std::byte value : tensor.bytes()) ++counts[std::to_integer<std::size_t>(value)];
  return counts;
}

TEST(RandomTensor, FloatsAreNormal) {
  constexpr std::int64_t kCount = 200'000;
  const std::vector<double> values = doubles(draw(hlo::ElementType::kF64, kCount));
  // The parts of the distribution below its points, which tables have; the standard error is
  // 0.0011.
  const std::array<std::pair<double, double>, 7> distribution = {{{-2, 0.02275},
                                                                  {-1, 0.15866},
                                                                  {-0.5, 0.30854},
                                                                  {0, 0.5},
                                                                  {0.25, 0.59871},
                                                                  {1.5, 0.93319},
                                                                  {3, 0.99865}}};
  for (const auto& [point, part] : distribution) {
    const auto below = std::ranges::count_if(values, [&](double v) { return v < point; });
    EXPECT_NEAR(static_cast<double>(below) / kCount, part, 0.005) << point;
  }
  double squares = 0;
  for (const double value : values) squares += value * value;
  EXPECT_NEAR(squares / kCount, 1, 0.015);
}

TEST(RandomTensor, IntegersAreDigitsOrWhatFits) {
  const std::array<int, 256> bytes = histogram(draw(hlo::ElementType::kS8, 10'000));
  for (int value = 0; value < 256; ++value) {
    EXPECT_NEAR(bytes[static_cast<std::size_t>(value)], value < 10 ? 1000 : 0, 150) << value;
  }
  EXPECT_EQ(bytes[10], 0);
  const std::array<int, 256> narrow = histogram(draw(hlo::ElementType::kS4, 8'000));
  EXPECT_NEAR(narrow[7], 1000, 150);
  EXPECT_EQ(narrow[8], 0);
  EXPECT_NEAR(histogram(draw(hlo::ElementType::kPred, 2'000))[1], 1000, 150);
}

TEST(RandomTensor, TheSameSeedGivesTheSame) {
  const Tensor once = draw(hlo::ElementType::kF32, 4, 42);
  EXPECT_EQ(text_of(once), text_of(draw(hlo::ElementType::kF32, 4, 42)));
  EXPECT_NE(text_of(once), text_of(draw(hlo::ElementType::kF32, 4, 43)));
  EXPECT_NE(text_of(once), text_of(draw(hlo::ElementType::kF32, 4, 42, 1)));
  // On every machine; computed in another language.
  EXPECT_EQ(text_of(once), "f32[4] {-1.4368114, -1.1260533, -2.213851, -0.087031886}");
}

TEST(RandomTensor, CanBeInterrupted) {
  std::stop_source stop;
  stop.request_stop();
  const Result<Tensor> tensor =
      random_tensor(hlo::ElementType::kF32, {4}, 1, 0, MemoryPool(), stop.get_token());
  ASSERT_FALSE(tensor.has_value());
  EXPECT_EQ(tensor.error().kind, ErrorKind::kInterrupted);
}

TEST(RandomTensor, TypesWithoutASignHaveMagnitudes) {
  const Tensor scales = draw(hlo::ElementType::kF8e8m0fnu, 1000);
  for (const std::byte bits : scales.bytes()) {
    EXPECT_NE(std::to_integer<int>(bits), 0xFF);  // nan
  }
}

}  // namespace
}  // namespace mercator::runtime
