#include "mercator/analysis/work.h"

#include <gtest/gtest.h>

#include <string>

#include "test/indexing/analyzed_module.h"

namespace mercator {
namespace {

Work work(const std::string& text) {
  const testing::AnalyzedModule m(text);
  return WorkCounter()(m.root());
}

TEST(Work, Elementwise) {
  EXPECT_EQ(work("HloModule m ENTRY e { p = f32[4,5] parameter(0) ROOT a = f32[4,5] add(p, p) }"),
            (Work{20, 0}));
  EXPECT_EQ(work("HloModule m ENTRY e { p = f32[4,5] parameter(0) ROOT a = f32[4,5] tanh(p) }"),
            (Work{0, 20}));
  EXPECT_EQ(work("HloModule m ENTRY e { p = c64[4] parameter(0) ROOT a = c64[4] multiply(p, p) }"),
            (Work{24, 0}));
  EXPECT_EQ(work("HloModule m ENTRY e { p = f32[4] parameter(0) ROOT a = f16[4] convert(p) }"),
            (Work{0, 0}));
  EXPECT_EQ(work("HloModule m ENTRY e { p = f32[4,5] parameter(0) ROOT a = f32[5,4] transpose(p), "
                 "dimensions={1,0} }"),
            (Work{0, 0}));
}

TEST(Work, ProductsAndConvolutions) {
  EXPECT_EQ(work(R"(HloModule m ENTRY e { p = f32[3,5] parameter(0) q = f32[5,7] parameter(1)
    ROOT d = f32[3,7] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"),
            (Work{2 * 3 * 5 * 7, 0}));
  // A window of 3 over 5 elements, padded by 1: 13 pairs of a place and an element, not 15.
  EXPECT_EQ(work(R"(HloModule m ENTRY e { p = f32[2,5,3] parameter(0) q = f32[3,3,4] parameter(1)
    ROOT c = f32[2,5,4] convolution(p, q), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f })"),
            (Work{2 * 2 * 4 * 3 * 13, 0}));
  // Every second place of the input is between elements.
  EXPECT_EQ(work(R"(HloModule m ENTRY e { p = f32[1,5,1] parameter(0) q = f32[3,1,1] parameter(1)
    ROOT c = f32[1,7,1] convolution(p, q), window={size=3 lhs_dilate=2}, dim_labels=b0f_0io->b0f })"),
            (Work{2 * 11, 0}));
}

TEST(Work, ReductionsCountTheirComputation) {
  EXPECT_EQ(work(R"(HloModule m
    f { a = f32[] parameter(0) b = f32[] parameter(1) t = f32[] multiply(a, b) ROOT c = f32[] add(t, b) }
    ENTRY e { p = f32[4,5] parameter(0) z = f32[] constant(0)
      ROOT r = f32[4] reduce(p, z), dimensions={1}, to_apply=f })"),
            (Work{2 * 16, 0}));
}

TEST(Work, FusionsCountWhatIsInside) {
  EXPECT_EQ(work(R"(HloModule m
    f { p = f32[8] parameter(0) a = f32[8] add(p, p) ROOT b = f32[8] exponential(a) }
    ENTRY e { p = f32[8] parameter(0) ROOT x = f32[8] fusion(p), kind=kLoop, calls=f })"),
            (Work{8, 8}));
}

TEST(Work, Saturates) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Work{most, 3} * 2), (Work{most, 6}));
  Work sum{most, 1};
  sum += {1, 1};
  EXPECT_EQ(sum, (Work{most, 2}));
}

}  // namespace
}  // namespace mercator
