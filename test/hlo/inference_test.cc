// The shape of every instruction whose shape follows, and what each refuses.

#include <gmock/gmock.h>

#include "mercator/hlo/verifier.h"
#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::HasSubstr;

// Functions for instructions that call one.
constexpr std::string_view kFunctions = R"(
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
sum_bf16 { x = bf16[] parameter(0) y = bf16[] parameter(1) ROOT r = bf16[] add(x, y) }
sum_s32 { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }
sum2 {
  a = f32[] parameter(0) b = s32[] parameter(1) x = f32[] parameter(2) y = s32[] parameter(3)
  s = f32[] add(a, x) t = s32[] add(b, y) ROOT r = (f32[], s32[]) tuple(s, t)
}
less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = pred[] compare(x, y), direction=LT }
less2 {
  x = f32[] parameter(0) y = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT r = pred[] compare(x, y), direction=LT
}
neg { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
body { s = (s32[], f32[2]) parameter(0) ROOT r = (s32[], f32[2]) copy(s) }
body3 { s = (s32[], f32[3]) parameter(0) ROOT r = (s32[], f32[3]) copy(s) }
cond { s = (s32[], f32[2]) parameter(0) ROOT r = pred[] constant(true) }
count { s = (s32[], f32[2]) parameter(0) ROOT r = s32[] get-tuple-element(s), index=0 }
fused { a = f32[2,3] parameter(0) b = f32[2,3] parameter(1) ROOT r = f32[2,3] add(a, b) }
vector { a = f32[3] parameter(0) ROOT r = f32[3] negate(a) }
vector5 { a = f32[3] parameter(0) ROOT r = f32[5] pad(a, z), padding=1_1 z = f32[] constant(0) }
step { x = f32[3] parameter(0) c = f32[3] parameter(1) ROOT r = (f32[3], f32[3]) tuple(c, x) }
)";

// Operands, named after their shapes.
constexpr std::string_view kOperands = R"(
  f = f32[] parameter(0)
  f1 = f32[2] parameter(1)
  f2 = f32[2,3] parameter(2)
  f2t = f32[3,2] parameter(3)
  f3 = f32[4,2,3] parameter(4)
  b2 = bf16[2,3] parameter(5)
  i = s32[] parameter(6)
  i1 = s32[2] parameter(7)
  i2 = s32[2,3] parameter(8)
  u2 = u32[2,3] parameter(9)
  p = pred[] parameter(10)
  p2 = pred[2,3] parameter(11)
  c2 = c64[2,3] parameter(12)
  tok = token[] parameter(13)
  tup = (s32[], f32[2]) parameter(14)
  d2 = f64[2,3] parameter(15)
  sq = f32[4,3,3] parameter(16)
  image = f32[1,8,9,4] parameter(17)
  kernel = f32[3,3,4,16] parameter(18)
  img2 = f32[8,9] parameter(19)
  s8m = s8[2,3] parameter(20)
  b = bf16[] parameter(21)
  v3 = f32[3] parameter(22)
  i64s = s64[] parameter(23)
  e = f32[0,3] parameter(24)
  u16m = u16[2,3] parameter(25)
  h2 = f16[2,3] parameter(26)
  idx = s32[5,2] parameter(27)
  big = f32[10,20,30] parameter(28)
  upd = f32[5,7,30] parameter(29)
  fft = c64[4,9] parameter(30)
  real = f32[4,16] parameter(31)
  op = opaque[] parameter(32)
  u64v = u64[3] parameter(33)
  pair = (f32[2], f32[2]) parameter(34)
  parts = u8[2,3,4] parameter(35)
  g1 = f32[4] parameter(36)
  sizes = s64[5] parameter(37)
)";

struct Case {
  std::string_view line;      // the instruction, after its shape
  std::string_view expected;  // the shape that follows; "none"; or a part of the message
  std::string_view declared = "f32[]";
};

std::string inferred(const Case& c) {
  const std::string text = "HloModule m, replica_count=2\n" + std::string(kFunctions) +
                           "ENTRY e {" + std::string(kOperands) +
                           "  ROOT result = " + std::string(c.declared) + " " +
                           std::string(c.line) + "\n}";
  const auto module = read(text);
  if (module == nullptr) return "does not read";
  Arena arena;
  const Result<std::optional<Shape>> shape = infer_shape(*module->entry->root, arena);
  if (!shape) {
    EXPECT_TRUE(shape.error().span == module->entry->root->span);
    EXPECT_TRUE(shape.error().message.starts_with(
        "'" + std::string(name(module->entry->root->opcode)) + "': "));
    return shape.error().message;
  }
  return *shape ? to_string(**shape) : "none";
}

class Inference : public ::testing::TestWithParam<Case> {};

TEST_P(Inference, GivesTheShapeOrSaysWhatIsWrong) {
  EXPECT_THAT(inferred(GetParam()), HasSubstr(GetParam().expected)) << GetParam().line;
}

std::string test_name(const ::testing::TestParamInfo<Case>& param) {
  std::string opcode(param.param.line.substr(0, param.param.line.find('(')));
  std::ranges::replace(opcode, '-', '_');
  return opcode + "_" + std::to_string(param.index);
}

constexpr Case kElementwise[] = {
    {"abs(f2)", "f32[2,3]"},
    {"abs(c2)", "f32[2,3]"},
    {"abs(p2)", "does not take pred"},
    {"abs(tup)", "operand 0 must be an array, not (s32[], f32[2])"},
    {"abs(f2, f2)", "needs 1 operands, has 2"},
    {"negate(u2)", "u32[2,3]"},
    {"negate(p2)", "does not take pred"},
    {"sign(i2)", "s32[2,3]"},
    {"not(p2)", "pred[2,3]"},
    {"not(i2)", "s32[2,3]"},
    {"not(f2)", "does not take f32"},
    {"popcnt(u2)", "u32[2,3]"},
    {"popcnt(f2)", "does not take f32"},
    {"count-leading-zeros(p2)", "does not take pred"},
    {"floor(f2)", "f32[2,3]"},
    {"ceil(i2)", "does not take s32"},
    {"round-nearest-even(c2)", "does not take c64"},
    {"round-nearest-afz(b2)", "bf16[2,3]"},
    {"is-finite(d2)", "pred[2,3]"},
    {"is-finite(c2)", "does not take c64"},
    {"real(c2)", "f32[2,3]"},
    {"imag(f2)", "f32[2,3]"},
    {"imag(i2)", "does not take s32"},
    {"exponential(c2)", "c64[2,3]"},
    {"exponential(i2)", "does not take s32"},
    {"tanh(b2)", "bf16[2,3]"},
    {"rsqrt(p)", "does not take pred"},
    {"copy(tup)", "(s32[], f32[2])"},
    {"add(f2, f2)", "f32[2,3]"},
    {"add(p2, p2)", "pred[2,3]"},
    {"add(f2, f2t)", "must have the same dimensions: f32[2,3] and f32[3,2]"},
    {"add(f2, f)", "must have the same dimensions"},
    {"add(f2, b2)", "must have the same element type: f32[2,3] and bf16[2,3]"},
    {"add(f2, i2)", "must have the same element type"},
    {"add(f2, tok)", "operand 1 must be an array, not token[]"},
    {"add(f2)", "needs 2 operands, has 1"},
    {"subtract(p2, p2)", "does not take pred"},
    {"maximum(p2, p2)", "pred[2,3]"},
    {"maximum(c2, c2)", "does not take c64"},
    {"divide(e, e)", "f32[0,3]"},
    {"and(p2, p2)", "pred[2,3]"},
    {"xor(f2, f2)", "does not take f32"},
    {"shift-left(i2, i2)", "s32[2,3]"},
    {"shift-right-logical(p2, p2)", "does not take pred"},
    {"atan2(i2, i2)", "does not take s32"},
    {"complex(f2, f2)", "c64[2,3]"},
    {"complex(d2, d2)", "c128[2,3]"},
    {"complex(b2, b2)", "takes f32 or f64, not bf16"},
    {"complex(f2, d2)", "must have the same element type"},
    {"compare(f2, f2), direction=LE", "pred[2,3]"},
    {"compare(c2, c2), direction=EQ", "pred[2,3]"},
    {"compare(c2, c2), direction=LT", "complex numbers have no order"},
    {"compare(f2, f2), direction=lt", "direction=lt is none of EQ"},
    {"compare(f2, f2)", "the attribute 'direction' is missing"},
    {"compare(f2, i2), direction=LT", "must have the same element type"},
    {"select(p2, f2, f2)", "f32[2,3]"},
    {"select(p, f2, f2)", "f32[2,3]"},
    {"select(p2, f, f)", "operand 0 must be a scalar or have the dimensions"},
    {"select(i2, f2, f2)", "operand 0 must be of type pred"},
    {"select(p2, f2, f2t)", "the two values must have the same shape"},
    {"select(p2, f2, i2)", "must have the same element type"},
    {"clamp(f, f2, f)", "f32[2,3]"},
    {"clamp(f2, f2, f)", "f32[2,3]"},
    {"clamp(f1, f2, f)", "a bound must be a scalar"},
    {"clamp(i, f2, f)", "must have the same element type"},
    {"convert(f2)", "s8[2,3]", "s8[9]"},
    {"convert(f2)", "the result must be an array", "(s8[2,3])"},
    {"bitcast-convert(f2)", "s32[2,3]", "s32[]"},
    {"bitcast-convert(f2)", "u8[2,3,4]", "u8[]"},
    {"bitcast-convert(parts)", "f32[2,3]", "f32[]"},
    {"bitcast-convert(s8m)", "the last dimension of s8[2,3] must have the size 4", "f32[]"},
    {"bitcast-convert(c2)", "does not convert c64 to f64", "f64[]"},
    {"bitcast-convert(f)", "the last dimension of f32[] must have the size 2", "f64[]"},
    {"reduce-precision(f2), exponent_bits=8, mantissa_bits=7", "f32[2,3]"},
    {"reduce-precision(f2), exponent_bits=0, mantissa_bits=7", "at least one exponent bit"},
    {"reduce-precision(f2), exponent_bits=5, mantissa_bits=-1", "mantissa_bits is negative"},
    {"reduce-precision(i2), exponent_bits=8, mantissa_bits=7", "does not take s32"},
    {"reduce-precision(f2), exponent_bits=8", "'mantissa_bits' is missing"},
    {"stochastic-convert(f2, u2)", "bf16[2,3]", "bf16[]"},
    {"stochastic-convert(f2, i2)", "operand 1 must be unsigned", "bf16[]"},
    {"stochastic-convert(f2, u16m)", "as wide as operand 0", "bf16[]"},
    {"stochastic-convert(i2, u2)", "does not take s32", "bf16[]"},
    {"map(f2, f2), dimensions={0,1}, to_apply=sum", "f32[2,3]"},
    {"map(f2, f2), to_apply=less", "pred[2,3]"},
    {"map(f2), dimensions={0}, to_apply=neg", "must map over all dimensions"},
    {"map(f2), to_apply=sum", "takes 2 parameters and is given 1"},
    {"map(i2), to_apply=neg", "has the shape f32[] and is given s32[]"},
    {"map(), to_apply=neg", "needs at least 1 operands, has 0"},
    {"map(f2)", "the attribute 'to_apply' is missing"},
    {"map(v3), to_apply=vector", "has the shape f32[3] and is given f32[]"},
};
INSTANTIATE_TEST_SUITE_P(Elementwise, Inference, ::testing::ValuesIn(kElementwise), test_name);

constexpr Case kMovement[] = {
    {"broadcast(f1), dimensions={1}", "none", "f32[5,2]"},
    {"broadcast(f2), dimensions={2,0}", "none", "f32[3,9,2]"},
    {"broadcast(f)", "none", "f32[5,2]"},
    {"broadcast(f1), dimensions={0}",
     "dimension 0 of the operand has the size 2, dimension 0 of the result 5", "f32[5,2]"},
    {"broadcast(f1), dimensions={2}", "names dimension 2 of 2", "f32[5,2]"},
    {"broadcast(f1), dimensions={-1}", "names dimension -1 of 2", "f32[5,2]"},
    {"broadcast(f2), dimensions={0,0}", "names a dimension twice", "f32[2,3]"},
    {"broadcast(f1), dimensions={}", "must name a dimension of the result for each", "f32[5,2]"},
    {"broadcast(f1), dimensions={1}", "must have the element type of the operand", "s32[5,2]"},
    {"reshape(f2)", "none", "f32[6]"},
    {"reshape(e)", "none", "f32[7,0]"},
    {"reshape(f2)", "f32[2,3] has 6 elements and f32[5] has 5", "f32[5]"},
    {"reshape(f2)", "must have the element type of the operand", "s32[6]"},
    {"reshape(f2)", "the result must be an array", "(f32[6])"},
    {"dynamic-reshape(f2, i, i)", "none", "f32[<=3,2]"},
    {"dynamic-reshape(f2, i)", "needs 3 operands, has 2", "f32[<=3,2]"},
    {"dynamic-reshape(f2, i64s)", "must be of type s32", "f32[<=6]"},
    {"bitcast(f2)", "none", "s32[6]"},
    {"bitcast(f2)", "none", "bf16[12]"},
    {"bitcast(f2)", "none", "f32[8,128]{1,0:T(8,128)}"},
    {"bitcast(f2)", "f32[2,3] has 192 bits and bf16[6] has 96", "bf16[6]"},
    {"bitcast(tup)", "does not turn (s32[], f32[2]) into f32[]"},
    {"transpose(f3), dimensions={2,0,1}", "f32[3,4,2]"},
    {"transpose(f), dimensions={}", "f32[]"},
    {"transpose(f3), dimensions={2,0}", "not a permutation of the 3"},
    {"transpose(f3), dimensions={2,0,0}", "names a dimension twice"},
    {"transpose(f3), dimensions={3,0,1}", "names dimension 3 of 3"},
    {"transpose(f3)", "'dimensions' is missing"},
    {"reverse(f3), dimensions={2,0}", "f32[4,2,3]"},
    {"reverse(f3), dimensions={3}", "names dimension 3 of 3"},
    {"reverse(f3), dimensions={1,1}", "twice"},
    {"slice(big), slice={[0:10], [5:20:4], [30:30]}", "f32[10,4,0]"},
    {"slice(f), slice={}", "f32[]"},
    {"slice(f1), slice={[0:3]}", "the range [0:3] is not within dimension 0 of f32[2]"},
    {"slice(f1), slice={[-1:1]}", "not within"},
    {"slice(f1), slice={[2:1]}", "not within"},
    {"slice(f1), slice={[0:1:0]}", "the stride of dimension 0 is 0"},
    {"slice(f1), slice={[0:1], [0:1]}", "slice has 2 ranges for f32[2]"},
    {"slice(f1)", "'slice' is missing"},
    {"concatenate(f3, f3, f3), dimensions={1}", "f32[4,6,3]"},
    {"concatenate(f1), dimensions={0}", "f32[2]"},
    {"concatenate(f1, g1), dimensions={0}", "f32[6]"},
    {"concatenate(f2, f2t), dimensions={0}", "do not fit together along dimension 0"},
    {"concatenate(f2, i2), dimensions={0}", "do not fit together"},
    {"concatenate(f2, f3), dimensions={0}", "do not fit together"},
    {"concatenate(f2, f2), dimensions={2}", "names dimension 2 of 2"},
    {"concatenate(f2, f2), dimensions={0,1}", "needs one dimension"},
    {"concatenate(), dimensions={0}", "needs at least 1 operands"},
    {"pad(f2, f), padding=1_2x-1_0_3", "f32[5,8]"},
    {"pad(e, f), padding=1_2_5x0_0", "f32[3,3]"},
    {"pad(f2, f), padding=-1_-1x0_0", "f32[0,3]"},
    {"pad(f2, f), padding=-3_0x0_0", "a dimension of the result would have the size -1"},
    {"pad(f2, f), padding=0_0_-1x0_0", "the padding within dimension 0 is negative"},
    {"pad(f2, f), padding=0_0", "padding has 1 dimensions and the operand 2"},
    {"pad(f2, i), padding=0_0x0_0", "the padding value is s32 and the operand f32"},
    {"pad(f2, f1), padding=0_0x0_0", "operand 1 must be a scalar"},
    {"dynamic-slice(f2, i, i), dynamic_slice_sizes={1,3}", "f32[1,3]"},
    {"dynamic-slice(f2, i1), dynamic_slice_sizes={1,3}", "f32[1,3]"},
    {"dynamic-slice(f), dynamic_slice_sizes={}", "f32[]"},
    {"dynamic-slice(f2, i, i), dynamic_slice_sizes={1,4}",
     "a slice of size 4 does not fit dimension 1"},
    {"dynamic-slice(f2, i, i), dynamic_slice_sizes={-1,3}", "does not fit"},
    {"dynamic-slice(f2, i, i), dynamic_slice_sizes={1}", "must have 2 sizes"},
    {"dynamic-slice(f2, i), dynamic_slice_sizes={1,1}", "needs 2 start indices, has 1"},
    {"dynamic-slice(f2, i, f), dynamic_slice_sizes={1,1}", "a start index must be an integer"},
    {"dynamic-slice(f2, i, i64s), dynamic_slice_sizes={1,1}", "must have the same type"},
    {"dynamic-slice(f2, i, i1), dynamic_slice_sizes={1,1}", "operand 2 must be a scalar"},
    {"dynamic-slice(f3, i1), dynamic_slice_sizes={1,1,1}", "needs 3 start indices, not 2"},
    {"dynamic-update-slice(big, upd, i, i, i)", "f32[10,20,30]"},
    {"dynamic-update-slice(f, f)", "f32[]"},
    {"dynamic-update-slice(f2, f2t, i, i)", "the update f32[3,2] does not fit f32[2,3]"},
    {"dynamic-update-slice(f2, b2, i, i)", "does not fit"},
    {"dynamic-update-slice(f2, f1, i, i)", "does not fit"},
    {"dynamic-update-slice(f2, f2, i)", "needs 2 start indices, has 1"},
    {"get-dimension-size(f2), dimensions={1}", "s32[]"},
    {"get-dimension-size(f2), dimensions={2}", "names dimension 2 of 2"},
    {"set-dimension-size(f2, i), dimensions={1}", "f32[2,3]"},
    {"set-dimension-size(f2, i64s), dimensions={1}", "must be of type s32"},
    {"set-dimension-size(f2, i1), dimensions={1}", "operand 1 must be a scalar"},
    {"iota(), iota_dimension=1", "none", "s32[2,3]"},
    {"iota(), iota_dimension=2", "iota_dimension=2 is not a dimension of s32[2,3]", "s32[2,3]"},
    {"iota(), iota_dimension=0", "is not a dimension of s32[]", "s32[]"},
    {"iota(), iota_dimension=0", "does not give pred", "pred[2]"},
    {"constant({1,2})", "none", "s32[2]"},
};
INSTANTIATE_TEST_SUITE_P(Movement, Inference, ::testing::ValuesIn(kMovement), test_name);

constexpr Case kGatherScatter[] = {
    // Windows of 10 x 1 x 30 at five places of dimensions 1 and 2.
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "f32[10,5,30]"},
    {"gather(big, i1), offset_dims={0,1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
     "index_vector_dim=0, slice_sizes={3,4,5}",
     "f32[3,4,5]"},
    // An index vector dimension after the last: each index is a scalar.
    {"gather(big, idx), offset_dims={2,3}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=2, slice_sizes={1,7,8}",
     "f32[5,2,7,8]"},
    {"gather(f3, i2), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, "
     "operand_batching_dims={1}, start_indices_batching_dims={0}, index_vector_dim=2, "
     "slice_sizes={1,1,3}",
     "f32[2,3,3]"},
    {"gather(f3, i2), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, "
     "operand_batching_dims={1}, start_indices_batching_dims={1}, index_vector_dim=2, "
     "slice_sizes={1,1,3}",
     "have the sizes 2 and 3"},
    {"gather(f3, i2), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={0}, "
     "operand_batching_dims={1}, start_indices_batching_dims={0}, index_vector_dim=2, "
     "slice_sizes={1,1,3}",
     "is a batching dimension and something else"},
    {"gather(big, f2), offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
     "index_vector_dim=0, slice_sizes={1,1,1}",
     "the indices must be integers"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "must have 2 entries"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=3, slice_sizes={10,1,30}",
     "index_vector_dim=3 is not within"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,2,30}",
     "is left out of the result but has slices of size 2"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={11,1,30}",
     "a slice of size 11 does not fit"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,1}",
     "must have 3 sizes"},
    {"gather(big, idx), offset_dims={2,0}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "not in ascending order"},
    {"gather(big, idx), offset_dims={0,3}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "names dimension 3 of 3"},
    {"gather(big, idx), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1,2}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "must have 2 dimensions"},
    {"gather(big, idx), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1,1}, "
     "index_vector_dim=1, slice_sizes={10,1,30}",
     "names a dimension twice"},
    {"gather(big, idx), offset_dims={0,2}", "'index_vector_dim' is missing"},

    {"scatter(big, idx, upd), update_window_dims={1,2}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum",
     "f32[10,20,30]"},
    {"scatter(f2, i2, i, f2, i2), to_apply=sum", "'index_vector_dim' is missing"},
    {"scatter(f1, i2, i, f2, i2), index_vector_dim=0, to_apply=sum2", "must have 1 entries"},
    {"scatter(f1, i1, idx, f2, i2), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum2",
     "dimension 0 of the update has the size 2, the indices 5"},
    {"scatter(f1, i1, i2, f2, i2), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum2",
     "(f32[2], s32[2])"},
    {"scatter(f1, i1, i2, f2, f2), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum2",
     "the update f32[2,3] does not fit s32[2]"},
    {"scatter(big, idx, upd), update_window_dims={1,2}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum_s32",
     "must work on scalars of the type f32"},
    {"scatter(big, idx, upd), update_window_dims={0,2}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum",
     "dimension 1 of the update has the size 7, the indices 5"},
    {"scatter(big, idx, upd), update_window_dims={1,2}, inserted_window_dims={2}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum",
     "dimension 2 of the update has the size 30, of at most 20"},
    {"scatter(big, idx, upd), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=sum",
     "must have 2 window dimensions and 1 others"},
    {"scatter(big, idx), index_vector_dim=1, to_apply=sum", "needs at least 3 operands"},
    {"scatter(big, idx, upd, upd), index_vector_dim=1, to_apply=sum", "needs 5 operands, has 4"},
    {"scatter(big, idx, upd), update_window_dims={1,2}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1",
     "'to_apply' is missing"},
};
INSTANTIATE_TEST_SUITE_P(GatherScatter, Inference, ::testing::ValuesIn(kGatherScatter), test_name);

constexpr Case kContraction[] = {
    {"dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[2,2]"},
    {"dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bf16[2,2]", "bf16[]"},
    {"dot(s8m, s8m), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "s32[2,2]", "s32[]"},
    {"dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "the result cannot be s32",
     "s32[]"},
    {"dot(c2, c2), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "the result cannot be f32"},
    {"dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "the result cannot be c64",
     "c64[]"},
    {"dot(f2, f2t)", "f32[2,3,3,2]"},
    {"dot(sq, sq), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}",
     "f32[4,3,3]"},
    {"dot(f3, f3), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={2}",
     "f32[4,2]"},
    {"dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "the contracting dimensions 1 and 1 have the sizes 3 and 2"},
    {"dot(f2, f2t), lhs_contracting_dims={1}", "1 and 0 contracting dimensions"},
    {"dot(f2, f2t), lhs_batch_dims={1}", "1 and 0 batch dimensions"},
    {"dot(f2, f2t), lhs_batch_dims={0}, rhs_batch_dims={0}",
     "the batch dimensions 0 and 0 have the sizes 2 and 3"},
    {"dot(f2, f2t), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={0}, "
     "rhs_contracting_dims={1}",
     "names a dimension twice"},
    {"dot(f2, f2t), lhs_contracting_dims={2}, rhs_contracting_dims={0}", "names dimension 2 of 2"},
    {"dot(f2)", "needs at least 2 operands"},
    {"dot(f2, tok)", "must be an array"},
    {"dot(f2, f2t, f2)", "needs 2 operands, has 3"},
    {"dot(f1, g1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=L.0@2:4",
     "f32[]"},
    {"dot(g1, f1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=R.0@1:2",
     "f32[]"},
    {"dot(f1, g1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=L.0@2:4",
     "needs 3 operands, has 2"},
    {"dot(f1, f1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=L.0@2:4",
     "the contracting dimensions 0 and 0 have the sizes 2 and 2"},
    {"dot(f1, f1, f1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "sparsity=L.0@2:4_R.0@2:4",
     "f32[]"},
    {"dot(f1, f1, f1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "sparsity=L.0@2:4_L.0@2:4",
     "an operand is sparse twice"},
    {"dot(f1, g1, g1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=L.0@2:4",
     "metadata of the shape f32[4] do not fit operand 0 of the shape f32[2]"},
    {"dot(f1, g1, f1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, sparsity=L.0@4:2",
     "an operand cannot hold 4 elements of each 2"},
    {"dot(f2, g1, f2), sparsity=L.0@2:4", "dimension 0 of operand 0 is sparse and not contracted"},
    {"scaled-dot(f1, g1, f1, g1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "sparsity=L.0@2:4",
     "the contracting dimensions 0 and 0 have the sizes 2 and 4"},
    {"scaled-dot(f2, f2t, f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "bf16[2,2]", "bf16[]"},
    {"scaled-dot(f2, f2t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "needs at least 4 operands"},
    // Free, contracting and batch ragged dimensions.
    {"ragged-dot(f2, sq, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     "there are 5 groups, and 4 in operand 1"},
    {"ragged-dot(f2, sq, i1), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     "there are 2 groups"},
    {"ragged-dot(f2, f3, i1), lhs_contracting_dims={1}, rhs_contracting_dims={2}, "
     "lhs_ragged_dims={0}, rhs_group_dims={1}",
     "f32[2,4]"},
    {"ragged-dot(f2, f2, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={1}",
     "f32[5,2,2]"},
    {"ragged-dot(f3, f3, sizes), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={2}, lhs_ragged_dims={0}",
     "f32[4,2,2]"},
    {"ragged-dot(f2, f2, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={1}, rhs_group_dims={0}",
     "must have one dimension if the ragged one is free"},
    {"ragged-dot(f2, f2, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
     "needs one ragged dimension"},
    {"ragged-dot(f2, f2, f1), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={1}",
     "must be an array of integers"},

    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f", "f32[1,6,7,16]"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f", "bf16[1,6,7,16]",
     "bf16[]"},
    {"convolution(image, kernel), window={size=3x3 stride=2x2 pad=1_1x1_0}, "
     "dim_labels=b01f_01io->bf01",
     "f32[1,16,4,4]"},
    {"convolution(image, kernel), window={size=3x3 lhs_dilate=2x1 rhs_dilate=1x3}, "
     "dim_labels=b01f_01io->b01f",
     "f32[1,13,3,16]"},
    {"convolution(image, kernel), window={size=3x3 pad=-7_0x0_0}, dim_labels=b01f_01io->b01f",
     "f32[1,0,7,16]"},
    {"convolution(f2, f2t), window={}, dim_labels=bf_io->bf", "f32[2,2]"},
    {"convolution(f2, f2t), dim_labels=bf_io->bf", "f32[2,2]"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=2",
     "do not fit a kernel of 4 features"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01oi->b01f, "
     "feature_group_count=1",
     "do not fit a kernel of 16 features"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=3",
     "16 output features cannot be divided into 3 groups"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=2",
     "a batch of 1 cannot be divided into 2 groups"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=f01b_01io->b01f, "
     "batch_group_count=4",
     "1 input features in 1 groups"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=0",
     "a group count is below 1"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=2, batch_group_count=2",
     "has groups of features and of batches"},
    {"convolution(image, kernel), window={size=3x4}, dim_labels=b01f_01io->b01f",
     "dimension 1 of the window has the size 4, of the kernel 3"},
    {"convolution(image, kernel), window={size=3}, dim_labels=b01f_01io->b01f",
     "the window has 1 dimensions, dim_labels 2"},
    {"convolution(image, kernel), window={size=3x3 stride=0x1}, dim_labels=b01f_01io->b01f",
     "at least 1"},
    {"convolution(image, f2), window={size=3x3}, dim_labels=b01f_01io->b01f",
     "dim_labels gives the kernel 4 dimensions, of 2"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01?f_01io->b01f",
     "names dimension 4 of 4"},
    {"convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f",
     "the result cannot be s32", "s32[]"},
    {"convolution(image, kernel), window={size=3x3}", "'dim_labels' is missing"},
};
INSTANTIATE_TEST_SUITE_P(Contraction, Inference, ::testing::ValuesIn(kContraction), test_name);

constexpr Case kReduction[] = {
    {"reduce(f3, f), dimensions={0,2}, to_apply=sum", "f32[2]"},
    {"reduce(f3, f), dimensions={2,0}, to_apply=sum", "f32[2]"},
    {"reduce(f3, f), dimensions={}, to_apply=sum", "f32[4,2,3]"},
    {"reduce(f3, f3, f, f), dimensions={0}, to_apply=sum", "must take 4 parameters, not 2"},
    {"reduce(f2, i2, f, i), dimensions={1}, to_apply=sum2", "(f32[2], s32[2])"},
    {"reduce(b2, f), dimensions={1}, to_apply=sum", "f32[2]"},
    {"reduce(b2, b), dimensions={1}, to_apply=sum_bf16", "bf16[2]"},
    {"reduce(f2, i2, f, f), dimensions={1}, to_apply=sum2",
     "the initial value f32[] does not fit s32[2,3]"},
    {"reduce(f2, i1, f, i), dimensions={1}, to_apply=sum2", "must have the same dimensions"},
    {"reduce(f3, f), dimensions={3}, to_apply=sum", "names dimension 3 of 3"},
    {"reduce(f3, f), dimensions={1,1}, to_apply=sum", "twice"},
    {"reduce(f3, f), dimensions={1}, to_apply=sum_s32", "must work on scalars of the type f32"},
    {"reduce(f3, f), dimensions={1}, to_apply=less",
     "must work on scalars of the type f32, not on pred[]"},
    {"reduce(f3, f), dimensions={1}", "'to_apply' is missing"},
    {"reduce(f3, f), to_apply=sum", "'dimensions' is missing"},
    {"reduce(f3, f1), dimensions={1}, to_apply=sum", "operand 1 must be a scalar"},
    {"reduce(f3), dimensions={1}, to_apply=sum", "needs at least 2 operands"},
    {"reduce(f3, f, f), dimensions={1}, to_apply=sum", "needs 2 operands, has 3"},
    {"reduce-window(img2, f), window={size=3x3}, to_apply=sum", "f32[6,7]"},
    {"reduce-window(img2, f), window={size=2x1 stride=2x3 pad=0_1x-2_0}, to_apply=sum", "f32[4,3]"},
    {"reduce-window(img2, f), window={size=2x2 lhs_dilate=2x2 rhs_dilate=3x1}, to_apply=sum",
     "f32[12,16]"},
    {"reduce-window(f2, i2, f, i), window={size=1x3}, to_apply=sum2", "(f32[2,1], s32[2,1])"},
    {"reduce-window(f, f), to_apply=sum", "f32[]"},
    {"reduce-window(e, f), window={size=1x1}, to_apply=sum", "f32[0,3]"},
    {"reduce-window(e, f), window={size=1x1 pad=1_1x0_0}, to_apply=sum", "f32[2,3]"},
    {"reduce-window(img2, f), window={size=3}, to_apply=sum",
     "the window has 1 dimensions and the operand 2"},
    {"reduce-window(img2, f), window={size=3x0}, to_apply=sum", "at least 1"},
    {"reduce-window(img2, f), window={size=3x3}, to_apply=sum_s32", "must work on scalars"},
    {"select-and-scatter(f2, f2, f), window={size=1x1}, select=less, scatter=sum", "f32[2,3]"},
    {"select-and-scatter(img2, f2, f), window={size=4x3 stride=4x3}, select=less, scatter=sum",
     "f32[8,9]"},
    {"select-and-scatter(img2, f2, f), window={size=2x2}, select=less, scatter=sum",
     "the source has the shape f32[2,3]; the window has {7,8} places"},
    {"select-and-scatter(f2, f2, f), window={size=1x1}, select=sum, scatter=sum",
     "must give a scalar pred"},
    {"select-and-scatter(f2, f2, f), window={size=1x1}, select=less, scatter=less",
     "must work on scalars"},
    {"select-and-scatter(f2, f2, f), window={size=1x1}, select=less2, scatter=sum",
     "takes 4 parameters"},
    {"select-and-scatter(f2, i2, f), window={size=1x1}, select=less, scatter=sum", "do not fit"},
    {"scan(f2, v3), dimensions={0}, num_carries=1, to_apply=step", "(f32[2,3], f32[3])"},
    {"scan(f2), dimensions={0}, num_carries=0, to_apply=vector", "f32[2,3]"},
    {"scan(f2), dimensions={0}, num_carries=0, to_apply=vector5", "f32[2,5]"},
    {"scan(f2t), dimensions={1}, num_carries=0, to_apply=vector", "f32[3,2]"},
    {"scan(f2, v3), dimensions={0}, num_carries=2, to_apply=step", "num_carries=2 must leave"},
    {"scan(f2, f2), dimensions={0}, num_carries=1, to_apply=step",
     "has the shape f32[3] and is given f32[2,3]"},
    {"scan(f2), dimensions={2}, num_carries=0, to_apply=vector", "names dimension 2 of 2"},
    {"sort(f2), dimensions={1}, to_apply=less", "f32[2,3]"},
    {"sort(f2, i2), dimensions={0}, is_stable=true, to_apply=less2", "(f32[2,3], s32[2,3])"},
    {"sort(f2, i2), dimensions={0}, to_apply=less", "must take 4 parameters, not 2"},
    {"sort(i2), dimensions={0}, to_apply=less", "parameter 0 of 'less' must be a scalar s32"},
    {"sort(f2, i1), dimensions={0}, to_apply=less2", "must have the same dimensions"},
    {"sort(f2), dimensions={2}, to_apply=less", "names dimension 2 of 2"},
    {"sort(f2), dimensions={0}, to_apply=sum", "must give a scalar pred"},
    {"topk(big), k=7, largest=true", "(f32[10,20,7], s32[10,20,7])"},
    {"topk(big), k=31", "k=31 does not fit"},
    {"topk(f), k=0", "does not fit"},
    {"topk(big)", "'k' is missing"},
};
INSTANTIATE_TEST_SUITE_P(Reduction, Inference, ::testing::ValuesIn(kReduction), test_name);

constexpr Case kLibrary[] = {
    {"fft(fft), fft_type=FFT, fft_length={9}", "c64[4,9]"},
    {"fft(fft), fft_type=IFFT, fft_length={4,9}", "c64[4,9]"},
    {"fft(real), fft_type=RFFT, fft_length={16}", "c64[4,9]"},
    {"fft(fft), fft_type=IRFFT, fft_length={16}", "f32[4,16]"},
    {"fft(fft), fft_type=IRFFT, fft_length={17}", "f32[4,17]"},
    {"fft(d2), fft_type=RFFT, fft_length={2,3}", "c128[2,2]"},
    {"fft(fft), fft_type=FFT, fft_length={8}", "the last dimensions of c64[4,9] must be {8}"},
    {"fft(fft), fft_type=IRFFT, fft_length={18}", "must be {10}"},
    {"fft(real), fft_type=FFT, fft_length={16}", "FFT does not take f32"},
    {"fft(fft), fft_type=RFFT, fft_length={9}", "RFFT does not take c64"},
    {"fft(b2), fft_type=RFFT, fft_length={3}", "RFFT does not take bf16"},
    {"fft(fft), fft_type=DCT, fft_length={9}", "fft_type=DCT is none of"},
    {"fft(fft), fft_type=FFT, fft_length={1,4,9}", "does not fit"},
    {"fft(fft), fft_type=FFT, fft_length={}", "does not fit"},
    {"cholesky(sq), lower=true", "f32[4,3,3]"},
    {"cholesky(f2), lower=true", "takes square matrices"},
    {"cholesky(f1), lower=true", "takes square matrices"},
    {"triangular-solve(sq, sq), left_side=true, lower=true, unit_diagonal=true, "
     "transpose_a=NO_TRANSPOSE",
     "f32[4,3,3]"},
    {"triangular-solve(sq, f3)", "f32[4,2,3]"},
    {"triangular-solve(sq, f3), left_side=true", "do not fit"},
    {"triangular-solve(f3, f3), left_side=true", "takes square matrices"},
    {"triangular-solve(sq, f2)", "takes square matrices and as many others"},
    {"triangular-solve(sq, i2)", "one float or complex type"},
    {"batch-norm-training(f2, v3, v3), epsilon=0.1, feature_index=1", "(f32[2,3], f32[3], f32[3])"},
    {"batch-norm-inference(f2, v3, v3, v3, v3), epsilon=0.1, feature_index=1", "f32[2,3]"},
    {"batch-norm-grad(f2, f1, f1, f1, f2), epsilon=0.1, feature_index=0",
     "(f32[2,3], f32[2], f32[2])"},
    {"batch-norm-grad(f2, f1, f1, f1, f2t), epsilon=0.1, feature_index=0",
     "must have the same dimensions"},
    {"batch-norm-training(f2, f1, v3), epsilon=0.1, feature_index=1",
     "operand 1 must hold a number for each of 3 features"},
    {"batch-norm-training(f2, v3, v3), epsilon=0.1, feature_index=2",
     "feature_index=2 is not a dimension"},
    {"batch-norm-training(i2, v3, v3), epsilon=0.1, feature_index=1", "does not take s32"},
    {"batch-norm-training(f2, v3, v3), feature_index=1", "'epsilon' is missing"},
    {"rng(f, f), distribution=rng_uniform", "none", "f32[7]"},
    {"rng(f, i), distribution=rng_uniform", "must have the same type", "f32[7]"},
    {"rng(f, f), distribution=rng_uniform", "the result must be an array of f32", "f64[7]"},
    {"rng(f, f)", "'distribution' is missing", "f32[7]"},
    {"rng(f), distribution=rng_uniform", "needs 2 operands", "f32[7]"},
    {"rng-bit-generator(u64v), algorithm=rng_default", "none", "(u64[3], u32[8])"},
    {"rng-bit-generator(u64v), algorithm=rng_default", "none", "u32[8]"},
    {"rng-bit-generator(u64v), algorithm=rng_default", "must be a tuple of the state",
     "(u64[2], u32[8])"},
    {"rng-bit-generator(u64v)", "'algorithm' is missing", "u32[8]"},
    {"rng-get-and-update-state(), delta=1", "u64[2]"},
};
INSTANTIATE_TEST_SUITE_P(Library, Inference, ::testing::ValuesIn(kLibrary), test_name);

constexpr Case kControl[] = {
    {"tuple(f2, tup, tok)", "(f32[2,3], (s32[], f32[2]), token[])"},
    {"tuple()", "()"},
    {"get-tuple-element(tup), index=1", "f32[2]"},
    {"get-tuple-element(tup), index=2", "index=2 is not within a tuple of 2 parts"},
    {"get-tuple-element(tup), index=-1", "not within"},
    {"get-tuple-element(f2), index=0", "operand 0 must be a tuple"},
    {"get-tuple-element(tup)", "'index' is missing"},
    {"call(f2, f2), to_apply=fused", "f32[2,3]"},
    {"call(f2), to_apply=fused", "'fused' takes 2 parameters and is given 1"},
    {"call(f2, f2t), to_apply=fused",
     "parameter 1 of 'fused' has the shape f32[2,3] and is given f32[3,2]"},
    {"call(f2, f2)", "'to_apply' is missing"},
    {"fusion(f2, f2), kind=kLoop, calls=fused", "f32[2,3]"},
    {"fusion(f2), kind=kLoop, calls=fused", "takes 2 parameters"},
    {"fusion(f2, b2), kind=kLoop, calls=fused", "is given bf16[2,3]"},
    {"fusion(f2, f2), kind=kLoop", "'calls' is missing"},
    {"while(tup), condition=cond, body=body", "(s32[], f32[2])"},
    {"while(tup), condition=cond, body=body3", "parameter 0 of 'body3'"},
    {"while(tup), condition=cond, body=count", "'count' must give (s32[], f32[2]), not s32[]"},
    {"while(tup), condition=count, body=body", "'count' must give pred[], not s32[]"},
    {"while(tup), body=body", "'condition' is missing"},
    {"conditional(i, v3, v3), branch_computations={vector, vector}", "f32[3]"},
    {"conditional(p, v3, v3), true_computation=vector, false_computation=vector", "f32[3]"},
    {"conditional(p, v3, v3), branch_computations={vector, vector}", "f32[3]"},
    {"conditional(i, v3), branch_computations={vector}", "f32[3]"},
    {"conditional(i, v3), branch_computations={vector, vector}", "needs 3 operands, has 2"},
    {"conditional(p, v3), branch_computations={vector}",
     "a pred chooses between 2 branches, not 1"},
    {"conditional(f, v3), branch_computations={vector}", "operand 0 must be pred or s32, not f32"},
    {"conditional(i1, v3), branch_computations={vector}", "operand 0 must be a scalar"},
    {"conditional(i, v3, v3), branch_computations={vector, vector5}",
     "'vector5' must give f32[3], not f32[5]"},
    {"conditional(i, f2), branch_computations={vector}", "parameter 0 of 'vector'"},
    {"conditional(p, v3, v3), true_computation=vector", "'false_computation' is missing"},
    {"custom-call(f2), custom_call_target=\"t\"", "none", "(s32[], token[])"},
    {"custom-call(f2)", "'custom_call_target' is missing"},
    {"custom-call(f2), custom_call_target=\"t\", operand_layout_constraints={f32[2,3]{0,1}}",
     "none"},
    {"custom-call(f2), custom_call_target=\"t\", operand_layout_constraints={f32[3,2]{0,1}}",
     "its layout constraint f32[3,2]"},
    {"custom-call(f2), custom_call_target=\"t\", operand_layout_constraints={}",
     "has 1 operands and layout constraints for 0"},
    {"opt-barrier(tup)", "(s32[], f32[2])"},
    {"domain(f2)", "f32[2,3]"},
    {"add-dependency(f2, tok)", "f32[2,3]"},
    {"add-dependency(f2, f2)", "operand 1 must be a token"},
    {"after-all()", "token[]"},
    {"after-all(tok, tok)", "token[]"},
    {"after-all(tok, f)", "token[]"},
    {"partition-id()", "u32[]"},
    {"replica-id()", "u32[]"},
};
INSTANTIATE_TEST_SUITE_P(Control, Inference, ::testing::ValuesIn(kControl), test_name);

constexpr Case kAsync[] = {
    {"async-start(f2, f2), calls=fused", "none", "((f32[2,3], f32[2,3]), f32[2,3], u32[])"},
    {"async-start(f2, f2), calls=fused", "must begin with the parameters and the result",
     "((f32[2,3]), f32[2,3], u32[])"},
    {"async-start(f2, f2), calls=fused", "must begin with", "((f32[2,3], f32[2,3]), f32[3,2])"},
    {"async-start(f2), calls=fused", "takes 2 parameters and is given 1",
     "((f32[2,3], f32[2,3]), f32[2,3])"},
    {"async-start(f2, f2)", "'calls' is missing", "((f32[2,3], f32[2,3]), f32[2,3])"},
    {"async-done(f2)", "must follow an async-start, not 'f2'"},
    {"async-update(tup)", "must follow an async-start"},
    {"copy-start(f2)", "(f32[2,3], f32[2,3], u32[])"},
    {"copy-done(pair)", "f32[2]"},
    {"copy-done(tup)", "destination and source differ"},
    {"copy-done(f2)", "must be a tuple of at least 2 parts"},
    {"send(f2, tok), channel_id=1", "(f32[2,3], u32[], token[])"},
    {"send(f2, f2), channel_id=1", "operand 1 must be a token"},
    {"send-done(tup)", "token[]"},
    {"recv(tok), channel_id=1", "(f32[7], u32[], token[])", "(f32[7], u32[], token[])"},
    {"recv(tok), channel_id=1", "the result must be a tuple", "f32[7]"},
    {"recv-done(pair)", "(f32[2], token[])"},
    {"infeed(tok)", "(f32[7], token[])", "(f32[7], token[])"},
    {"infeed(tok)", "the result must be a tuple", "f32[7]"},
    {"infeed(f)", "operand 0 must be a token", "(f32[7], token[])"},
    {"outfeed(f2, tok), outfeed_shape=f32[2,3]", "token[]"},
    {"outfeed(f2, tok)", "token[]"},
    {"outfeed(f2, tok), outfeed_shape=f32[3,2]", "is not the shape of operand 0"},
};
INSTANTIATE_TEST_SUITE_P(Async, Inference, ::testing::ValuesIn(kAsync), test_name);

constexpr Case kCollective[] = {
    {"all-gather(f2), replica_groups={{0,1},{2,3}}, dimensions={1}", "f32[2,6]", "f32[2,6]"},
    {"all-gather(f2), replica_groups=[2,2]<=[4], dimensions={0}", "f32[4,3]", "f32[4,3]"},
    {"all-gather(f2), replica_groups={}, dimensions={0}", "f32[4,3]", "f32[4,3]"},
    {"all-gather(f2), replica_groups=mesh['x'=5] {'x'}, dimensions={0}", "f32[10,3]", "f32[10,3]"},
    {"all-gather(f2, i2), replica_groups={{0,1}}, dimensions={0}", "(f32[4,3], s32[4,3])",
     "(f32[4,3], s32[4,3])"},
    {"all-gather(f2), replica_groups={{0,1}}, dimensions={1}",
     "differ by a factor of 3, in groups of 2", "f32[2,9]"},
    {"all-gather(f2), replica_groups={{0,1}}, dimensions={1}", "is no multiple of", "f32[2,7]"},
    {"all-gather(f2), replica_groups={{0,1}}, dimensions={2}", "names dimension 2 of 2",
     "f32[2,6]"},
    {"all-gather(f2), replica_groups={{0,1}}, dimensions={1}", "do not fit", "f32[6]"},
    {"all-gather(f2, i2), replica_groups={{0,1}}, dimensions={0}",
     "must have an array for each of 2 operands", "(f32[4,3])"},
    {"all-gather-start(f2), replica_groups={{0,1}}, dimensions={1}", "(f32[2,3], f32[2,6])",
     "(f32[2,3], f32[2,6])"},
    {"all-gather-start(f2), replica_groups={{0,1}}, dimensions={1}",
     "must be a tuple of operands and results", "f32[2,6]"},
    {"all-gather-done(pair)", "f32[2]"},
    {"all-gather-done(f2)", "must be a tuple"},
    {"all-reduce(f2), to_apply=sum", "f32[2,3]"},
    {"all-reduce(b2), to_apply=sum", "bf16[2,3]"},
    {"all-reduce(f2, f3), to_apply=sum", "(f32[2,3], f32[4,2,3])"},
    {"all-reduce(f2), to_apply=sum_s32", "must work on scalars"},
    {"all-reduce(f2)", "'to_apply' is missing"},
    {"all-reduce(), to_apply=sum", "needs at least 1 operands"},
    {"all-reduce-start(f2), to_apply=sum", "f32[2,3]"},
    {"all-reduce-done(f2)", "f32[2,3]"},
    {"reduce-scatter(f3), replica_groups={{0,1}}, dimensions={0}, to_apply=sum", "f32[2,2,3]",
     "f32[2,2,3]"},
    {"reduce-scatter(f3), replica_groups={{0,1}}, dimensions={0}, to_apply=sum",
     "differ by a factor of 4", "f32[1,2,3]"},
    {"reduce-scatter(f3), replica_groups={{0,1}}, dimensions={0}, to_apply=sum", "no multiple",
     "f32[3,2,3]"},
    {"all-to-all(f3), replica_groups={{0,1}}, dimensions={0}", "f32[4,2,3]"},
    {"all-to-all(f3), replica_groups={{0,1}}, dimensions={2}", "cannot be cut into 2 parts"},
    {"all-to-all(f2, f2), replica_groups={{0,1}}", "(f32[2,3], f32[2,3])"},
    {"all-to-all(f2, f2t), replica_groups={{0,1}}", "must have the same shape"},
    {"ragged-all-to-all(f2, f3, i1, i1, i1, i1), replica_groups={{0,1}}", "f32[4,2,3]"},
    {"ragged-all-to-all(f2, i2, i1, i1, i1, i1), replica_groups={{0,1}}",
     "must have the same type"},
    {"ragged-all-to-all(f2, f3, f1, i1, i1, i1), replica_groups={{0,1}}",
     "operand 2 must be an array of integers"},
    {"collective-permute(f2), source_target_pairs={{0,1},{1,0}}", "f32[2,3]"},
    {"collective-permute(f2, i2), source_target_pairs={}", "(f32[2,3], s32[2,3])"},
    {"collective-permute(f2), source_target_pairs={{0,1,2}}", "which is no pair"},
    {"collective-permute(f2), source_target_pairs={{0,-1}}", "which is no pair"},
    {"collective-permute(f2)", "'source_target_pairs' is missing"},
    {"collective-permute(f2, f3, tup, tup), source_target_pairs={{0,1}}, slice_sizes={{1,1}}",
     "f32[4,2,3]"},
    {"collective-permute(f2), source_target_pairs={{0,1}}, slice_sizes={{1,1}}",
     "needs 4 operands"},
    {"collective-permute-start(f2), source_target_pairs={{0,1}}", "(f32[2,3], f32[2,3])"},
    {"collective-permute-start(f2), source_target_pairs={{0,1}}",
     "(f32[2,3], f32[2,3], u32[], u32[])", "(f32[2,3], f32[2,3], u32[], u32[])"},
    {"collective-permute-start(f2, f3, tup, tup), source_target_pairs={{0,1}}, slice_sizes={{1,1}}",
     "(f32[2,3], f32[4,2,3])"},
    {"collective-permute-done(pair)", "f32[2]"},
    {"collective-broadcast(f2), replica_groups={{0,1}}", "f32[2,3]"},
};
INSTANTIATE_TEST_SUITE_P(Collective, Inference, ::testing::ValuesIn(kCollective), test_name);

}  // namespace
}  // namespace mercator::hlo
