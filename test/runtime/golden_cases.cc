#include "test/runtime/golden_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "mercator/hlo/float_format.h"
#include "test/support/case_file.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;

// `s32[2] {1, 2}`
Result<Tensor> parse_tensor(std::string_view text) {
  Arena arena;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) {
    return fail(ErrorKind::kInvalidInput, fmt::format("no tensor: {}", text));
  }
  const hlo::Shape shape = MERCATOR_TRY(hlo::parse_shape(text.substr(0, space), arena));
  return tensor_of(MERCATOR_TRY(hlo::parse_literal(text.substr(space + 1), shape, arena)),
                   MemoryPool());
}

Result<std::vector<Tensor>> parse_tensors(std::string_view text) {
  std::vector<Tensor> tensors;
  for (const std::string& line : testing::lines_of(text)) {
    tensors.push_back(MERCATOR_TRY(parse_tensor(line)));
  }
  return tensors;
}

Result<GoldenCase> golden_case(const testing::Case& text) {
  GoldenCase golden;
  golden.name = text.name;
  for (const testing::CaseSection& section : text.sections) {
    constexpr std::string_view kResults = "results ";
    if (section.name == "hlo") {
      golden.hlo = section.text;
    } else if (section.name == "inputs") {
      golden.inputs = MERCATOR_TRY(parse_tensors(section.text));
    } else if (section.name.starts_with(kResults)) {
      golden.bound =
          MERCATOR_TRY(parse_bound(std::string_view(section.name).substr(kResults.size())));
      golden.results = MERCATOR_TRY(parse_tensors(section.text));
    } else {
      return fail(ErrorKind::kInvalidInput, fmt::format("no section '{}'", section.name));
    }
  }
  if (golden.hlo.empty()) return fail(ErrorKind::kInvalidInput, "no program");
  return golden;
}

std::uint64_t bits_at(const std::byte* data, std::int64_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>(bytes));
  return bits;
}

// The distance of neighbours of the type around `value`, which is finite.
double unit_in_the_last_place(ElementType type, double value) {
  const hlo::FloatFormat format = hlo::float_format(type);
  const int least_exponent = 1 - format.bias;
  const int exponent =
      value == 0 ? least_exponent : std::max(least_exponent, std::ilogb(std::fabs(value)));
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

// `largest` is the larger of the parts that `expected` is one of, where that is a complex number.
bool is_close(ElementType type, std::uint64_t got, std::uint64_t expected, double largest,
              const Bound& bound) {
  if (got == expected) return true;
  const double wanted = hlo::decode_float(type, expected);
  const double value = hlo::decode_float(type, got);
  if (std::isnan(wanted)) {
    const bool any = !std::signbit(wanted) && !hlo::nan_payload(type, expected);
    return any && std::isnan(value);
  }
  if (!std::isfinite(wanted) || !std::isfinite(value)) return false;
  if (bound.ulps == 0 && bound.absolute == 0) return false;
  const double unit = unit_in_the_last_place(type, std::isfinite(largest) ? largest : wanted);
  return std::fabs(value - wanted) <= std::max(bound.ulps * unit, bound.absolute);
}

bool element_is_close(ElementType type, const std::byte* got, const std::byte* expected,
                      const Bound& bound) {
  const std::int64_t bytes = hlo::element_bytes(type);
  if (std::memcmp(got, expected, static_cast<std::size_t>(bytes)) == 0) return true;
  if (hlo::is_floating(type)) {
    const std::uint64_t wanted = bits_at(expected, bytes);
    return is_close(type, bits_at(got, bytes), wanted, hlo::decode_float(type, wanted), bound);
  }
  if (!hlo::is_complex(type)) return false;
  const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  const std::int64_t half = bytes / 2;
  const std::uint64_t real = bits_at(expected, half);
  const std::uint64_t imaginary = bits_at(expected + half, half);
  const double largest = std::max(std::fabs(hlo::decode_float(part, real)),
                                  std::fabs(hlo::decode_float(part, imaginary)));
  return is_close(part, bits_at(got, half), real, largest, bound) &&
         is_close(part, bits_at(got + half, half), imaginary, largest, bound);
}

std::string text_at(const Tensor& tensor, std::int64_t index) {
  const hlo::Literal literal{
      .shape = {.element_type = tensor.element_type()},
      .data = {tensor.element(index),
               static_cast<std::size_t>(hlo::element_bytes(tensor.element_type()))}};
  return hlo::to_string(literal);
}

std::string place(const Tensor& tensor, std::int64_t index) {
  std::vector<std::int64_t> indices(tensor.dimensions().size());
  for (std::size_t d = indices.size(); d-- > 0;) {
    indices[d] = index % tensor.dimensions()[d];
    index /= tensor.dimensions()[d];
  }
  return fmt::format("[{}]", fmt::join(indices, ","));
}

}  // namespace

Result<Bound> parse_bound(std::string_view text) {
  if (text == "exact") return Bound{};
  const auto wrong = [&] {
    return fail(ErrorKind::kInvalidInput, fmt::format("no bound: '{}'", text));
  };
  constexpr std::string_view kWithin = "within ";
  constexpr std::string_view kUlps = " ulps";
  constexpr std::string_view kOr = " or ";
  if (!text.starts_with(kWithin)) return wrong();
  Bound bound;
  const char* const end = text.data() + text.size();
  auto [next, status] = std::from_chars(text.data() + kWithin.size(), end, bound.ulps);
  if (status != std::errc() || !std::string_view(next, end).starts_with(kUlps)) return wrong();
  next += kUlps.size();
  if (next == end) return bound;
  if (!std::string_view(next, end).starts_with(kOr)) return wrong();
  std::tie(next, status) = [&] {
    const std::from_chars_result result = std::from_chars(next + kOr.size(), end, bound.absolute);
    return std::pair(result.ptr, result.ec);
  }();
  if (status != std::errc() || next != end) return wrong();
  return bound;
}

Result<std::vector<GoldenCase>> read_golden_cases(const std::filesystem::path& path) {
  std::vector<GoldenCase> cases;
  const std::string text = MERCATOR_TRY(testing::read_file(path));
  for (const testing::Case& one : MERCATOR_TRY(testing::parse_cases(text))) {
    Result<GoldenCase> golden = golden_case(one);
    if (!golden) {
      return fail(golden.error().kind,
                  fmt::format("{}:{}: {}", path.string(), one.line, golden.error().message));
    }
    cases.push_back(*std::move(golden));
  }
  return cases;
}

std::string difference(const Tensor& result, const Tensor& expected, const Bound& bound) {
  if (type_text(result) != type_text(expected)) {
    return fmt::format("{}, where {} is expected", type_text(result), type_text(expected));
  }
  std::int64_t count = 0;
  std::string first;
  for (std::int64_t i = 0; i < expected.element_count(); ++i) {
    if (element_is_close(expected.element_type(), result.element(i), expected.element(i), bound)) {
      continue;
    }
    constexpr int kShown = 4;
    if (++count <= kShown) {
      first += fmt::format("{}{}: {} for {}", first.empty() ? "" : ", ", place(expected, i),
                           text_at(result, i), text_at(expected, i));
    }
  }
  return count == 0 ? ""
                    : fmt::format("{} of {} differ: {}", count, expected.element_count(), first);
}

}  // namespace mercator::runtime
