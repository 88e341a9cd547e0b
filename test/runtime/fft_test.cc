#include "test/runtime/interpreter_testing.h"

#include <algorithm>
#include <numbers>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "mercator/runtime/fourier_transform.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;

// Some numbers without a pattern.
std::vector<WideComplex> numbers(std::int64_t count) {
  std::vector<WideComplex> result;
  std::uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return static_cast<WideReal>(state >> 8) / (1 << 23) - 1;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const WideReal real = next();
    result.emplace_back(real, next());
  }
  return result;
}

// Element j of the transform, straight from its definition.
WideComplex by_definition(const std::vector<WideComplex>& x, std::size_t j) {
  WideComplex sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto turns = static_cast<WideReal>(j * k % x.size()) / static_cast<WideReal>(x.size());
    sum += x[k] * std::polar<WideReal>(1, -2 * std::numbers::pi_v<WideReal> * turns);
  }
  return sum;
}

TEST(FourierTransform, IsTheDefinition) {
  const RunContext context;
  for (const std::int64_t size : {1, 2, 3, 4, 5, 12, 16, 63, 64, 65, 97, 100, 127, 128, 1021}) {
    const std::vector<WideComplex> x = numbers(size);
    std::vector<WideComplex> transformed = x;
    const FourierTransform transform = FourierTransform::make(size, context).value();
    ASSERT_TRUE(transform.forward(transformed, context).has_value());
    for (std::size_t j = 0; j < x.size(); j += 1 + x.size() / 50) {
      EXPECT_LT(std::abs(transformed[j] - by_definition(x, j)), 1e-15L) << size << " " << j;
    }
    ASSERT_TRUE(transform.inverse(transformed, context).has_value());
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_LT(std::abs(transformed[k] - x[k]), 1e-16L) << size << " " << k;
    }
  }
}

TEST(FourierTransform, OfALargePrimeSizeTakesNoSquareOfSteps) {
  constexpr std::int64_t kSize = 104729;
  const RunContext context;
  std::vector<WideComplex> x(kSize, 0);
  x[1] = 1;
  const FourierTransform transform = FourierTransform::make(kSize, context).value();
  ASSERT_TRUE(transform.forward(x, context).has_value());
  for (std::int64_t j = 0; j < kSize; j += 1000) {
    const WideComplex root = FourierTransform::unit_root(j, kSize);
    EXPECT_LT(std::abs(x[static_cast<std::size_t>(j)] - root), 1e-15L) << j;
  }
}

TEST(FourierTransform, RootsOfUnityAreExactOnTheAxes) {
  EXPECT_EQ(FourierTransform::unit_root(0, 8), WideComplex(1, 0));
  EXPECT_EQ(FourierTransform::unit_root(2, 8), WideComplex(0, -1));
  EXPECT_EQ(FourierTransform::unit_root(4, 8), WideComplex(-1, 0));
  EXPECT_EQ(FourierTransform::unit_root(6, 8), WideComplex(0, 1));
  for (std::int64_t k = 0; k < 24; ++k) {
    const WideComplex expected =
        std::polar<WideReal>(1, -2 * std::numbers::pi_v<WideReal> * static_cast<WideReal>(k) / 24);
    EXPECT_LT(std::abs(FourierTransform::unit_root(k, 24) - expected), 1e-18L) << k;
  }
}

TEST(FourierTransform, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  RunContext context;
  context.stop = source.get_token();
  EXPECT_EQ(FourierTransform::make(100, context).error().kind, ErrorKind::kInterrupted);
}

std::string fft(const std::string& from, const std::string& to, const std::string& attributes,
                const std::string& argument) {
  return result_of("p = " + from + " parameter(0)\nROOT r = " + to + " fft(p), " + attributes,
                   {from + " " + argument});
}

TEST(Fft, ForwardAndInverse) {
  EXPECT_EQ(fft("c64[4]", "c64[4]", "fft_type=FFT, fft_length={4}", "{(1,0),(2,0),(3,0),(4,0)}"),
            "c64[4] {(10, 0), (-2, 2), (-2, 0), (-2, -2)}");
  EXPECT_EQ(
      fft("c128[4]", "c128[4]", "fft_type=IFFT, fft_length={4}", "{(10,0),(-2,2),(-2,0),(-2,-2)}"),
      "c128[4] {(1, 0), (2, 0), (3, 0), (4, 0)}");
}

TEST(Fft, OfRealNumbersHasHalfOfTheSpectrum) {
  EXPECT_EQ(fft("f32[4]", "c64[3]", "fft_type=RFFT, fft_length={4}", "{1,2,3,4}"),
            "c64[3] {(10, 0), (-2, 2), (-2, 0)}");
  EXPECT_EQ(fft("f64[2,3]", "c128[2,2]", "fft_type=RFFT, fft_length={3}", "{{1,1,1},{2,2,2}}"),
            "c128[2,2] { {(3, 0), (0, 0)}, {(6, 0), (0, 0)} }");
}

TEST(Fft, OfHalfASpectrumIsRealWhateverThatSays) {
  // The imaginary parts of the first number and, since 4 is even, of the last say nothing.
  EXPECT_EQ(fft("c64[3]", "f32[4]", "fft_type=IRFFT, fft_length={4}", "{(10,5),(-2,2),(-2,7)}"),
            "f32[4] {1, 2, 3, 4}");
  EXPECT_EQ(fft("c64[1]", "f32[1]", "fft_type=IRFFT, fft_length={1}", "{(3,4)}"), "f32[1] {3}");
}

TEST(Fft, OverMoreDimensions) {
  // A column at 0 and one at 1: {{1, 2}, {3, 4}} has sums 10, -2 across, -4 down, 0 both.
  EXPECT_EQ(fft("c64[1,2,2]", "c64[1,2,2]", "fft_type=FFT, fft_length={2,2}",
                "{{{(1,0),(2,0)},{(3,0),(4,0)}}}"),
            "c64[1,2,2] { { {(10, 0), (-2, 0)}, {(-4, 0), (0, 0)} } }");
  EXPECT_EQ(fft("f32[2,2]", "c64[2,2]", "fft_type=RFFT, fft_length={2,2}", "{{1,2},{3,4}}"),
            "c64[2,2] { {(10, 0), (-2, 0)}, {(-4, 0), (0, 0)} }");
  EXPECT_EQ(fft("c64[2,2]", "f32[2,2]", "fft_type=IRFFT, fft_length={2,2}",
                "{{(10,0),(-2,0)},{(-4,0),(0,0)}}"),
            "f32[2,2] { {1, 2}, {3, 4} }");
  // Along one line of three dimensions: an impulse is constant everywhere else.
  EXPECT_EQ(fft("c64[1,3,1]", "c64[1,3,1]", "fft_type=FFT, fft_length={1,3,1}",
                "{{{(2,1)},{(0,0)},{(0,0)}}}"),
            "c64[1,3,1] { { {(2, 1)}, {(2, 1)}, {(2, 1)} } }");
}

TEST(Fft, OfNothingIsNothing) {
  EXPECT_EQ(fft("c64[2,0]", "c64[2,0]", "fft_type=FFT, fft_length={0}", "{{},{}}"),
            "c64[2,0] { {}, {} }");
  EXPECT_EQ(fft("f32[0,4]", "c64[0,3]", "fft_type=RFFT, fft_length={4}", "{}"), "c64[0,3] {}");
}

}  // namespace
}  // namespace mercator::runtime
