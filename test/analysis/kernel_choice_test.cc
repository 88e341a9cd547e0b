#include "mercator/analysis/kernel_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "test/indexing/analyzed_module.h"

namespace mercator {
namespace {

using testing::AnalyzedModule;

using Numbers = std::vector<std::int64_t>;

struct Array {
  Numbers dimensions;
  Numbers minor_to_major;

  [[nodiscard]] std::string text() const {
    return fmt::format("f32[{}]{{{}}}", fmt::join(dimensions, ","), fmt::join(minor_to_major, ","));
  }
  // The places in memory of the elements in row-major order.
  [[nodiscard]] Numbers places() const {
    Numbers strides(dimensions.size());
    std::int64_t count = 1;
    for (const std::int64_t d : minor_to_major) {
      strides[static_cast<std::size_t>(d)] = count;
      count *= dimensions[static_cast<std::size_t>(d)];
    }
    Numbers places;
    for (std::int64_t element = 0; element < count; ++element) {
      std::int64_t rest = element;
      std::int64_t place = 0;
      for (std::size_t i = dimensions.size(); i-- > 0;) {
        place += rest % dimensions[i] * strides[i];
        rest /= dimensions[i];
      }
      places.push_back(place);
    }
    return places;
  }
};

// All arrays of `count` elements of at most `rank` dimensions, in all layouts.
std::vector<Array> arrays_of(std::int64_t count, std::size_t rank) {
  std::vector<Array> arrays;
  const auto add = [&](auto& self, Numbers& dimensions, std::int64_t rest) -> void {
    if (rest == 1) {
      Numbers order(dimensions.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        arrays.push_back({dimensions, order});
      } while (std::ranges::next_permutation(order).found);
    }
    if (dimensions.size() == rank) return;
    for (std::int64_t size = 1; size <= rest; ++size) {
      if (rest % size != 0) continue;
      dimensions.push_back(size);
      self(self, dimensions, rest / size);
      dimensions.pop_back();
    }
  };
  Numbers dimensions;
  add(add, dimensions, count);
  return arrays;
}

KernelKind kind_of_root(AnalyzedModule& m) { return kernel_kind(m.analysis(), m.root()); }

TEST(KernelKind, AReshapeIsAKernelIfElementsMove) {
  std::int64_t kernels = 0;
  for (const std::int64_t count : {1, 4, 6, 12}) {
    const std::vector<Array> arrays = arrays_of(count, 3);
    for (const Array& from : arrays) {
      for (const Array& to : arrays) {
        AnalyzedModule m(
            fmt::format("HloModule m ENTRY e {{ p = {} parameter(0) ROOT r = {} reshape(p) }}",
                        from.text(), to.text()));
        const bool moves = from.places() != to.places();
        ASSERT_EQ(kind_of_root(m), moves ? KernelKind::kGenerated : KernelKind::kNone)
            << from.text() << " to " << to.text();
        kernels += moves ? 1 : 0;
      }
    }
  }
  EXPECT_GT(kernels, 1000);
}

TEST(KernelKind, ATransposeIsAKernelIfElementsMove) {
  std::int64_t kernels = 0;
  for (const Array& from : arrays_of(12, 3)) {
    Numbers permutation(from.dimensions.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      Array to = {.dimensions = {}, .minor_to_major = permutation};
      for (const std::int64_t d : permutation) {
        to.dimensions.push_back(from.dimensions[static_cast<std::size_t>(d)]);
      }
      std::ranges::sort(to.minor_to_major);
      do {
        AnalyzedModule m(
            fmt::format("HloModule m ENTRY e {{ p = {} parameter(0) ROOT r = {} transpose(p), "
                        "dimensions={{{}}} }}",
                        from.text(), to.text(), fmt::join(permutation, ",")));
        // The strides of `from` by dimension of the result, but for those of a single element.
        const auto strides = [](const Array& array) {
          Numbers result(array.dimensions.size());
          std::int64_t count = 1;
          for (const std::int64_t d : array.minor_to_major) {
            const auto i = static_cast<std::size_t>(d);
            result[i] = array.dimensions[i] == 1 ? 0 : count;
            count *= array.dimensions[i];
          }
          return result;
        };
        const Numbers before = strides(from);
        Numbers permuted;
        for (const std::int64_t d : permutation) {
          permuted.push_back(before[static_cast<std::size_t>(d)]);
        }
        const bool moves = permuted != strides(to);
        ASSERT_EQ(kind_of_root(m), moves ? KernelKind::kGenerated : KernelKind::kNone)
            << from.text() << " to " << to.text();
        kernels += moves ? 1 : 0;
      } while (std::ranges::next_permutation(to.minor_to_major).found);
    } while (std::ranges::next_permutation(permutation).found);
  }
  EXPECT_GT(kernels, 100);
}

TEST(KernelKind, ReshapesOfTiledAndOfEmptyArrays) {
  const auto kind = [](const std::string& from, const std::string& to) {
    AnalyzedModule m("HloModule m ENTRY e { p = " + from + " parameter(0) ROOT r = " + to +
                     " reshape(p) }");
    return kind_of_root(m);
  };
  // A dimension of one element before the tiles changes nothing, even where tiles have padding.
  EXPECT_EQ(kind("f32[12,200]{1,0:T(8,128)}", "f32[1,12,200]{2,1,0:T(8,128)}"), KernelKind::kNone);
  // Whole tiles stay together.
  EXPECT_EQ(kind("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}"), KernelKind::kNone);
  EXPECT_EQ(kind("f32[12,200]{1,0:T(8,128)}", "f32[12,200]{1,0}"), KernelKind::kGenerated);
  EXPECT_EQ(kind("f32[16,128]{1,0:T(8,128)}", "f32[2048]{0:T(1024)}"), KernelKind::kNone);
  EXPECT_EQ(kind("f32[16,256]{1,0:T(8,128)}", "f32[4096]{0:T(1024)}"), KernelKind::kGenerated);
  // Four bits an element, and a byte.
  EXPECT_EQ(kind("s4[4,6]{1,0:E(4)}", "s4[24]{0}"), KernelKind::kGenerated);
  EXPECT_EQ(kind("s4[4,6]{1,0:E(4)}", "s4[24]{0:E(4)}"), KernelKind::kNone);
  EXPECT_EQ(kind("f32[0,4]{0,1}", "f32[2,0]{1,0}"), KernelKind::kNone);
}

}  // namespace
}  // namespace mercator
