// Makes an expression or a map out of any bytes, simplifies it, and compares the result with the
// original by brute force and by isl. The bytes are the choices of the generators that the property
// tests use, so that what the fuzzer finds is small and well-formed.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/certify.h"
#include "mercator/map/index_map.h"
#include "test/expr/random_expr.h"
#include "test/map/random_chain.h"
#include "test/map/random_map.h"
#include "test/map/simplification_check.h"
#include "test/support/random_draw.h"

namespace mercator {
namespace {

// Enumeration in 128 bits is slow: larger domains would leave the fuzzer waiting.
constexpr std::int64_t kMaxPoints = 2'000;

// Choices by the bytes of the input, as few as each needs; the lowest ones once there are no more.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::int64_t draw(std::int64_t lo, std::int64_t hi) {
    const std::uint64_t choices = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
    std::uint64_t choice = 0;
    for (std::uint64_t rest = choices; rest > 0; rest >>= 8U) choice = choice << 8U | next();
    if (choices != UINT64_MAX) choice %= choices + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + choice);
  }

 private:
  std::uint64_t next() { return place_ < size_ ? data_[place_++] : 0; }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t place_ = 0;
};

void require_none(const std::optional<std::string>& fault) {
  if (!fault) return;
  fmt::print(stderr, "{}\n", *fault);
  std::abort();
}

// A map of one result without ranges, runtime variables and constraints.
IndexMap random_expression(ExprContext& context, const test::Draw& draw) {
  test::RandomExprs random(context, draw);
  const int count = static_cast<int>(draw(1, 3));
  std::vector<Variable> dimensions;
  for (const Interval bounds : random.bounds(count)) dimensions.push_back({.bounds = bounds});
  const Expr expr = random.expr(count, static_cast<int>(draw(1, 6)));
  return IndexMap(context, std::move(dimensions), {}, {}, {expr});
}

void check_map(const IndexMap& map, const test::Draw& draw) {
  if (map_test::point_count(map) > kMaxPoints) return;
  MapSimplifier simplifier;
  require_none(map_test::find_fault(map, simplifier, draw));
  const Certification answer = certify(map, simplifier(map), {.max_steps = 2'000});
  if (answer.certificate == Certificate::kDifferent) {
    require_none(to_string(map, MapStyle::kOneLine) + "\n" + answer.reason);
  }
}

}  // namespace
}  // namespace mercator

// isl loses a few bytes when a computation is stopped at the limit of steps.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:isl_basic_map_compute_divs\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercator;
  Bytes bytes(data, size);
  const test::Draw draw = [&](std::int64_t lo, std::int64_t hi) { return bytes.draw(lo, hi); };
  ExprContext context;
  switch (draw(0, 2)) {
    case 0:
      check_map(random_expression(context, draw), draw);
      break;
    case 1:
      check_map(map_test::RandomMaps(context, draw).map(), draw);
      break;
    default:
      check_map(map_test::RandomChains(context, draw).map({.max_steps = 4, .max_elements = 32}),
                draw);
  }
  return 0;
}
