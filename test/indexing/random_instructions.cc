// The table of all generators.

#include <array>

#include "test/indexing/random_generators.h"

namespace mercator::testing {
namespace {

MaybeTensor random_inner_fusion(Computation& c, const Tensor&) { return add_fusion(c, false, 1); }
MaybeTensor random_call(Computation& c, const Tensor&) { return add_fusion(c, true, 1); }

constexpr std::array kGenerators = std::to_array<NamedGenerator>({
    {"unary", random_unary, 0, false, 1},
    {"binary", random_binary, 0, true, 1},
    {"select", random_select, 0, false, 1},
    {"clamp", random_clamp, 0, false, 1},
    {"convert", random_convert, 0, false, 1},
    {"complex", random_complex, 0, false, 1},
    {"map", random_map, 0, false, 1},
    {"iota", random_iota, 1, true, 1},
    {"constant", random_constant, 0, true, 1},
    {"broadcast", random_broadcast, 0, true, 3},
    {"transpose", random_transpose, 0, true, 3},
    {"reverse", random_reverse, 0, true, 3},
    {"slice", random_slice, 0, true, 3},
    {"reshape", random_reshape, 0, true, 3},
    {"bitcast", random_bitcast, 0, false, 3},
    {"bitcast-convert", random_bitcast_convert, 0, false, 1},
    {"concatenate", random_concatenate, 1, true, 3},
    {"pad", random_pad, 1, true, 3},
    {"dot", random_dot, 0, true, 3},
    {"reduce", random_reduce, 0, true, 3},
    {"reduce-window", random_reduce_window, 0, true, 3},
    {"convolution", random_convolution, 2, true, 3},
    {"dynamic-slice", random_dynamic_slice, 0, true, 3},
    {"dynamic-update-slice", random_dynamic_update_slice, 0, true, 3},
    {"simple-gather", random_simple_gather, 0, true, 3},
    {"gather", random_gather, 0, true, 3},
    {"tuple", random_tuple, 0, true, 1},
    {"fusion", random_inner_fusion, 0, false, 1},
    {"call", random_call, 0, true, 1},
});

}  // namespace

std::span<const NamedGenerator> instruction_generators() { return kGenerators; }

}  // namespace mercator::testing
