// Operands that are smaller than their bounds: the verifier lets them pass, so each rule has to see
// for itself whether their sizes fit each other.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

// Arrays, and the same with one in place of two along some dimension:
//   v = {1, 2}            v1 = {1}
//   m = {{4, 2}, {2, 3}}  rows = {{4, 2}}, columns = {{4}, {2}}
//   i = {1, 0}            i1 = {1}
constexpr const char* kProgram = R"(HloModule m

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

sums {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  u = f32[] parameter(2)
  w = f32[] parameter(3)
  a = f32[] add(x, u)
  b = f32[] add(y, w)
  ROOT t = (f32[], f32[]) tuple(a, b)
}

less {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT l = pred[] compare(x, y), direction=LT
}

less_of_two {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  u = f32[] parameter(2)
  w = f32[] parameter(3)
  ROOT l = pred[] compare(x, y), direction=LT
}

negated {
  x = f32[2] parameter(0)
  ROOT r = f32[2] negate(x)
}

ENTRY e {
  one = s32[] constant(1)
  zero = f32[] constant(0)
  v = f32[2] constant({1, 2})
  v1 = f32[<=2] set-dimension-size(v, one), dimensions={0}
  m = f32[2,2] constant({{4, 2}, {2, 3}})
  rows = f32[<=2,2] set-dimension-size(m, one), dimensions={0}
  columns = f32[2,<=2] set-dimension-size(m, one), dimensions={1}
  i = s32[2] constant({1, 0})
  i1 = s32[<=2] set-dimension-size(i, one), dimensions={0}
  p = pred[2] constant({1, 0})
  p1 = pred[<=2] set-dimension-size(p, one), dimensions={0}
)";

constexpr const char* kRefused = "";

struct RuleCase {
  const char* lines;
  const char* result;
};

constexpr RuleCase kCases[] = {
    // Elementwise.
    {"ROOT r = f32[<=2] negate(v1)", "f32[1] {-1}"},
    {"ROOT r = f32[2] negate(v1)", kRefused},
    {"ROOT r = f32[<=2] add(v1, v1)", "f32[1] {2}"},
    {"ROOT r = f32[<=2] add(v, v1)", kRefused},
    {"ROOT r = f32[<=2] add(v1, v)", kRefused},
    {"ROOT r = pred[<=2] compare(v1, v), direction=LT", kRefused},
    {"ROOT r = c64[<=2] complex(v, v1)", kRefused},
    {"ROOT r = f32[<=2] select(p, v, v1)", kRefused},
    {"ROOT r = f32[<=2] select(p1, v, v)", kRefused},
    {"ROOT r = f32[<=2] clamp(v1, v, v)", kRefused},
    {"ROOT r = f32[<=2] map(v1, v), dimensions={0}, to_apply=sum", kRefused},
    // Movement.
    {"ROOT r = f32[<=2,2] broadcast(v1), dimensions={0}", "f32[1,2] { {1, 1} }"},
    {"ROOT r = f32[2,2] broadcast(v1), dimensions={0}", kRefused},
    {"ROOT r = f32[<=4] reshape(columns)", "f32[2] {4, 2}"},
    {"ROOT r = f32[<=2,2] transpose(columns), dimensions={1,0}", "f32[1,2] { {4, 2} }"},
    {"ROOT r = f32[<=2] slice(v1), slice={[0:2]}", "f32[1] {1}"},
    {"ROOT r = f32[<=1] slice(v1), slice={[1:2]}", "f32[0] {}"},
    {"ROOT r = f32[<=2] reverse(v1), dimensions={0}", "f32[1] {1}"},
    {"ROOT r = f32[<=5] pad(v1, zero), padding=1_0_2", "f32[2] {0, 1}"},
    {"ROOT r = f32[<=1] pad(v1, zero), padding=-1_0", "f32[0] {}"},
    {"ROOT r = f32[<=4,2] concatenate(m, rows), dimensions={0}",
     "f32[3,2] { {4, 2}, {2, 3}, {4, 2} }"},
    {"ROOT r = f32[<=4,2] concatenate(rows, m), dimensions={0}",
     "f32[3,2] { {4, 2}, {4, 2}, {2, 3} }"},
    {"ROOT r = f32[2,<=4] concatenate(m, rows), dimensions={1}", kRefused},
    {"ROOT r = f32[2,<=4] concatenate(rows, m), dimensions={1}", kRefused},
    {"ROOT r = f32[1,1] dynamic-slice(m, i), dynamic_slice_sizes={1,1}", "f32[1,1] { {2} }"},
    {"ROOT r = f32[1,1] dynamic-slice(m, i1), dynamic_slice_sizes={1,1}", kRefused},
    {"ROOT r = f32[2] dynamic-slice(v1, one), dynamic_slice_sizes={2}", kRefused},
    {"ROOT r = f32[2,2] dynamic-update-slice(m, rows, i1)", kRefused},
    {"ROOT r = f32[2,2] dynamic-update-slice(m, rows, i)", "f32[2,2] { {4, 2}, {4, 2} }"},
    {"ROOT r = f32[<=2] dynamic-update-slice(v1, v, one)", "f32[1] {1}"},
    {"ROOT r = f32[] slice(v1), slice={}", kRefused},
    // Indices.
    {"ROOT r = f32[1] gather(m, i), offset_dims={0}, collapsed_slice_dims={0}, "
     "start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,1}",
     "f32[1] {2}"},
    {"ROOT r = f32[1] gather(m, i1), offset_dims={0}, collapsed_slice_dims={0}, "
     "start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,1}",
     kRefused},
    {"ROOT r = f32[<=2] gather(v, i1), offset_dims={}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
     "f32[1] {2}"},
    {"ROOT r = f32[2] gather(v1, i), offset_dims={}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
     "f32[2] {1, 1}"},
    {"ROOT r = f32[2,2] scatter(m, i1, zero), update_window_dims={}, inserted_window_dims={0,1}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=sum",
     kRefused},
    {"ROOT r = f32[2] scatter(v, i, v1), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
     kRefused},
    {"ROOT r = f32[2] scatter(v, i1, v1), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
     "f32[2] {1, 3}"},
    // Sums and order.
    {"ROOT r = f32[] reduce(v1, zero), dimensions={0}, to_apply=sum", "f32[] 1"},
    {"ROOT r = (f32[], f32[]) reduce(v, v1, zero, zero), dimensions={0}, to_apply=sums", kRefused},
    {"ROOT r = f32[<=2] reduce-window(v1, zero), window={size=1}, to_apply=sum", "f32[1] {1}"},
    {"ROOT r = f32[<=1] reduce-window(v1, zero), window={size=2}, to_apply=sum", "f32[0] {}"},
    {"ROOT r = f32[<=2] select-and-scatter(v, v1, zero), window={size=1}, select=less, "
     "scatter=sum",
     kRefused},
    {"ROOT r = f32[<=2] sort(v1), dimensions={0}, to_apply=less", "f32[1] {1}"},
    {"ROOT r = (f32[<=2], f32[<=2]) sort(v, v1), dimensions={0}, to_apply=less_of_two", kRefused},
    {"ROOT r = (f32[2], s32[2]) topk(v1), k=2, largest=true", kRefused},
    // Products and linear algebra.
    {"ROOT r = f32[] dot(v1, v1), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "f32[] 1"},
    {"ROOT r = f32[] dot(v, v1), lhs_contracting_dims={0}, rhs_contracting_dims={0}", kRefused},
    {"ROOT r = f32[] dot(v1, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}", kRefused},
    {"ROOT r = f32[2,2] convolution(m, columns), dim_labels=bf_io->bf", kRefused},
    {"ROOT r = f32[2,<=2] cholesky(columns), lower=true", kRefused},
    {"ROOT r = f32[<=2,2] cholesky(rows), lower=false", kRefused},
    {"ROOT r = f32[2,2] triangular-solve(columns, m), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     kRefused},
    {"ROOT r = f32[<=2,2] triangular-solve(m, rows), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     kRefused},
    {"ROOT r = f32[2,2] batch-norm-inference(m, v1, v, v, v), epsilon=0, feature_index=1",
     kRefused},
    // Calls.
    {"ROOT r = f32[2] call(v1), to_apply=negated", kRefused},
};

TEST(DynamicSizes, AreRefusedOrGiveTheRightResult) {
  for (const RuleCase& rule : kCases) {
    SCOPED_TRACE(rule.lines);
    const Result<std::vector<Tensor>> results =
        run_program(std::string(kProgram) + rule.lines + "\n}\n", {});
    if (results) {
      ASSERT_EQ(results->size(), 1);
      EXPECT_EQ(text_of((*results)[0]), rule.result);
    } else {
      EXPECT_EQ(rule.result, std::string(kRefused)) << results.error().message;
      EXPECT_EQ(results.error().kind, ErrorKind::kInvalidInput) << results.error().message;
      EXPECT_EQ(results.error().message.find("fault"), std::string::npos)
          << results.error().message;
    }
  }
}

}  // namespace
}  // namespace mercator::runtime
