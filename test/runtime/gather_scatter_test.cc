#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using Strings = std::vector<std::string>;

std::size_t at(std::int64_t number) { return static_cast<std::size_t>(number); }

std::string list(const Index& numbers) { return fmt::format("{{{}}}", fmt::join(numbers, ",")); }

// ---- gather ----

TEST(Gather, StartsAreClampedSoThatTheSliceFits) {
  EXPECT_EQ(result_of("a = s32[5] parameter(0) i = s32[4] parameter(1) ROOT r = s32[4,2] "
                      "gather(a, i), offset_dims={1}, collapsed_slice_dims={}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={2}",
                      {"s32[5] {0, 10, 20, 30, 40}", "s32[4] {-7, 1, 4, 2147483647}"}),
            "s32[4,2] { {0, 10}, {10, 20}, {30, 40}, {30, 40} }");
}

TEST(Gather, IndicesOfEveryType) {
  const auto gathered = [](const std::string& type, const std::string& indices) {
    return result_of("a = f32[4] parameter(0) i = " + type +
                         "[3] parameter(1) ROOT r = f32[3] gather(a, i), offset_dims={}, "
                         "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                         "slice_sizes={1}",
                     {"f32[4] {0, 1, 2, 3}", type + "[3] " + indices});
  };
  EXPECT_EQ(gathered("u64", "{18446744073709551615, 9223372036854775808, 1}"), "f32[3] {3, 3, 1}");
  EXPECT_EQ(gathered("s64", "{-9223372036854775808, 2, 9223372036854775807}"), "f32[3] {0, 2, 3}");
  EXPECT_EQ(gathered("u8", "{255, 128, 2}"), "f32[3] {3, 3, 2}");
  EXPECT_EQ(gathered("s8", "{-1, 127, 2}"), "f32[3] {0, 3, 2}");
  EXPECT_EQ(gathered("u4", "{15, 8, 2}"), "f32[3] {3, 3, 2}");
  EXPECT_EQ(gathered("s4", "{-8, 7, 2}"), "f32[3] {0, 3, 2}");
}

TEST(Gather, FromAnEmptyArrayIsEmpty) {
  EXPECT_EQ(result_of("a = s32[0,3] parameter(0) i = s32[2] parameter(1) ROOT r = s32[2,0,3] "
                      "gather(a, i), offset_dims={1,2}, collapsed_slice_dims={}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={0,3}",
                      {"s32[0,3] {}", "s32[2] {0, 7}"}),
            "s32[2,0,3] { {}, {} }");
}

// ---- random ones ----

// The dimension numbers of a gather or scatter. The *stack* is the result of gather, or the updates
// of scatter.
struct RandomWindows {
  Index array;
  Index window;  // sizes, by dimension of the array
  Index absent;
  Index array_batch;
  Index indices_batch;
  Index indexed;
  Index walked;  // dimensions of the array that windows have
  std::int64_t vector_dim = 0;
  Index batch;  // sizes of the indices without dimension `vector_dim`
  Index indices;
  Index window_dims;  // of the stack
  Index stack;

  // In the indices, for dimensions that count all but `vector_dim`.
  [[nodiscard]] std::int64_t in_indices(std::int64_t d) const { return d < vector_dim ? d : d + 1; }
};

RandomWindows random_windows(const test::Draw& draw) {
  RandomWindows w;
  w.array = random_sizes(draw, draw(0, 3), 4);
  w.batch = random_sizes(draw, draw(0, 2), 3);
  Index order;  // of dimensions that may be indexed
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(w.array.size()); ++d) {
    const std::int64_t role = draw(0, 3);
    w.window.push_back(role < 2 ? 1 : draw(1, w.array[at(d)]));
    if (role == 1) {
      w.array_batch.push_back(d);
      w.batch.push_back(w.array[at(d)]);
      continue;
    }
    (role == 0 ? w.absent : w.walked).push_back(d);
    if (draw(0, 2) > 0) w.indexed.insert(w.indexed.begin() + draw(0, std::ssize(w.indexed)), d);
  }
  const std::int64_t batches = std::ssize(w.batch);
  const std::int64_t components = std::ssize(w.indexed);
  w.vector_dim = components == 1 && draw(0, 1) == 0 ? batches : draw(0, batches);
  w.indices = w.batch;
  if (components != 1 || w.vector_dim < batches || draw(0, 1) == 0) {
    w.indices.insert(w.indices.begin() + w.vector_dim, components);
  }
  for (std::int64_t i = 0; i < std::ssize(w.array_batch); ++i) {
    w.indices_batch.push_back(w.in_indices(batches - std::ssize(w.array_batch) + i));
  }
  w.window_dims = random_permutation(draw, batches + std::ssize(w.walked));
  w.window_dims.resize(w.walked.size());
  std::ranges::sort(w.window_dims);
  w.stack = w.batch;
  for (std::size_t i = 0; i < w.walked.size(); ++i) {
    w.stack.insert(w.stack.begin() + w.window_dims[i], w.window[at(w.walked[i])]);
  }
  return w;
}

// The parts of an index of the stack.
struct StackIndex {
  Index batch;
  Index offset;  // by dimension of the array
};

StackIndex parts_of(const RandomWindows& w, const Index& stack) {
  StackIndex parts{.batch = {}, .offset = Index(w.array.size(), 0)};
  std::size_t next = 0;
  for (std::int64_t d = 0; d < std::ssize(stack); ++d) {
    if (std::ranges::find(w.window_dims, d) == w.window_dims.end()) {
      parts.batch.push_back(stack[at(d)]);
    } else {
      parts.offset[at(w.walked[next++])] = stack[at(d)];
    }
  }
  return parts;
}

Index start_of(const RandomWindows& w, IntegerArray& indices, const Index& batch) {
  Index start(w.array.size(), 0);
  for (std::size_t i = 0; i < w.indexed.size(); ++i) {
    Index place = batch;
    if (w.indices.size() > w.batch.size()) {
      place.insert(place.begin() + w.vector_dim, static_cast<std::int64_t>(i));
    }
    start[at(w.indexed[i])] = indices[place];
  }
  for (std::size_t i = 0; i < w.array_batch.size(); ++i) {
    start[at(w.array_batch[i])] = batch[batch.size() - w.array_batch.size() + i];
  }
  return start;
}

Index sum_of(const Index& a, const Index& b) {
  Index sum = a;
  for (std::size_t d = 0; d < a.size(); ++d) sum[d] += b[d];
  return sum;
}

IntegerArray random_indices(const test::Draw& draw, const RandomWindows& w) {
  IntegerArray indices(w.indices);
  for (std::int32_t& value : indices.values) value = static_cast<std::int32_t>(draw(-1, 4));
  return indices;
}

TEST(Gather, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(9);
  for (int round = 0; round < 500; ++round) {
    const RandomWindows w = random_windows(draw);
    IntegerArray array = random_array(draw, w.array);
    IntegerArray indices = random_indices(draw, w);
    IntegerArray expected(w.stack);
    for_each_index(w.stack, [&](const Index& index) {
      const StackIndex parts = parts_of(w, index);
      Index start = start_of(w, indices, parts.batch);
      for (std::size_t d = 0; d < start.size(); ++d) {
        start[d] = std::clamp<std::int64_t>(start[d], 0, w.array[d] - w.window[d]);
      }
      expected[index] = array[sum_of(start, parts.offset)];
    });
    const std::string hlo = fmt::format(
        "HloModule m\nENTRY e {{\n  a = {} parameter(0)\n  i = {} parameter(1)\n  ROOT r = {} "
        "gather(a, i), offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
        "operand_batching_dims={}, start_indices_batching_dims={}, index_vector_dim={}, "
        "slice_sizes={}\n}}\n",
        array.type(), indices.type(), expected.type(), list(w.window_dims), list(w.absent),
        list(w.indexed), list(w.array_batch), list(w.indices_batch), w.vector_dim, list(w.window));
    EXPECT_EQ(run_integers(hlo, {array, indices}), std::vector{expected}) << hlo;
  }
}

// ---- scatter ----

TEST(Scatter, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(10);
  for (int round = 0; round < 500; ++round) {
    const RandomWindows w = random_windows(draw);
    IntegerArray array = random_array(draw, w.array);
    IntegerArray indices = random_indices(draw, w);
    IntegerArray updates = random_array(draw, w.stack);
    IntegerArray expected = array;
    for_each_index(w.batch, [&](const Index& batch) {
      const Index start = start_of(w, indices, batch);
      for (std::size_t d = 0; d < start.size(); ++d) {
        if (start[d] < 0 || start[d] + w.window[d] > w.array[d]) return;
      }
      for_each_index(w.stack, [&](const Index& index) {
        const StackIndex parts = parts_of(w, index);
        if (parts.batch != batch) return;
        std::int32_t& element = expected[sum_of(start, parts.offset)];
        element = ordered_sum(element, updates[index]);
      });
    });
    const std::string hlo = fmt::format(
        "HloModule m\n{}\nENTRY e {{\n  a = {} parameter(0)\n  i = {} parameter(1)\n  u = {} "
        "parameter(2)\n  ROOT r = {} scatter(a, i, u), update_window_dims={}, "
        "inserted_window_dims={}, scatter_dims_to_operand_dims={}, input_batching_dims={}, "
        "scatter_indices_batching_dims={}, index_vector_dim={}, to_apply=ordered_sum\n}}\n",
        kOrderedSum, array.type(), indices.type(), updates.type(), expected.type(),
        list(w.window_dims), list(w.absent), list(w.indexed), list(w.array_batch),
        list(w.indices_batch), w.vector_dim);
    EXPECT_EQ(run_integers(hlo, {array, indices, updates}), std::vector{expected}) << hlo;
  }
}

std::string scatter_of(const std::string& type, const std::string& indices_type,
                       const std::string& function) {
  return "HloModule m\nf { a = " + type + "[] parameter(0) b = " + type +
         "[] parameter(1) ROOT r = " + type + "[] " + function + " }\nENTRY e { a = " + type +
         "[3] parameter(0) i = " + indices_type + "[4] parameter(1) u = " + type +
         "[4] parameter(2) ROOT r = " + type +
         "[3] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }";
}

TEST(Scatter, IndicesThatAreOutsideAreDropped) {
  EXPECT_EQ(results_of(scatter_of("s32", "u64", "add(a, b)"),
                       {"s32[3] {1, 2, 3}", "u64[4] {18446744073709551615, 3, 2, 2}",
                        "s32[4] {1000, 1000, 10, 100}"}),
            Strings{"s32[3] {1, 2, 113}"});
  EXPECT_EQ(results_of(scatter_of("s32", "s8", "add(a, b)"),
                       {"s32[3] {1, 2, 3}", "s8[4] {-1, 0, 127, -128}", "s32[4] {7, 10, 7, 7}"}),
            Strings{"s32[3] {11, 2, 3}"});
}

TEST(Scatter, TheLastUpdateOfAPlaceStays) {
  EXPECT_EQ(results_of(scatter_of("bf16", "s32", "copy(b)"),
                       {"bf16[3] {1, 2, 3}", "s32[4] {1, 2, 1, 1}", "bf16[4] {7, -0, 8, nan}"}),
            Strings{"bf16[3] {1, nan, -0}"});
}

TEST(Scatter, AddsUpMorePreciselyThanItsType) {
  EXPECT_EQ(results_of(scatter_of("bf16", "s32", "add(a, b)"),
                       {"bf16[3] {256, 2, 3}", "s32[4] {0, 0, 0, 0}", "bf16[4] {1, 1, 1, -256}"}),
            Strings{"bf16[3] {3, 2, 3}"});
}

TEST(Scatter, SeveralArrays) {
  EXPECT_EQ(results_of(R"(HloModule m
f {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  e = s32[] add(a, c)
  f = f32[] multiply(b, d)
  ROOT r = (s32[], f32[]) tuple(e, f)
}
ENTRY e {
  a = s32[2] parameter(0)
  b = f32[2] parameter(1)
  i = s32[2] parameter(2)
  c = s32[2] parameter(3)
  d = f32[2] parameter(4)
  ROOT r = (s32[2], f32[2]) scatter(a, b, i, c, d), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f
})",
                       {"s32[2] {1, 2}", "f32[2] {3, 4}", "s32[2] {1, 1}", "s32[2] {10, 100}",
                        "f32[2] {0.5, 3}"}),
            (Strings{"s32[2] {1, 112}", "f32[2] {3, 6}"}));
}

TEST(Scatter, ArgumentsKeepTheirValues) {
  // The operand is a result too.
  EXPECT_EQ(results_of(R"(HloModule m
f {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
ENTRY e {
  a = s32[2] parameter(0)
  i = s32[1] parameter(1)
  u = s32[1] parameter(2)
  s = s32[2] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f
  ROOT r = (s32[2], s32[2]) tuple(s, a)
})",
                       {"s32[2] {1, 2}", "s32[1] {0}", "s32[1] {10}"}),
            (Strings{"s32[2] {11, 2}", "s32[2] {1, 2}"}));
}

// Were each of the empty windows looked at, these would not end.
TEST(Gather, OfEmptyWindowsTakesNoTime) {
  EXPECT_EQ(results_of(R"(HloModule m
ENTRY e {
  a = f32[2] parameter(0)
  i = s32[200000000000000000,0] iota(), iota_dimension=0
  g = f32[200000000000000000,0] gather(a, i), offset_dims={1}, collapsed_slice_dims={},
    start_index_map={}, index_vector_dim=1, slice_sizes={0}
  ROOT r = f32[1,0] slice(g), slice={[0:1], [0:0]}
})",
                       {"f32[2] {1, 2}"}),
            Strings{"f32[1,0] { {} }"});
}

TEST(Scatter, OfEmptyWindowsTakesNoTime) {
  EXPECT_EQ(results_of(R"(HloModule m
f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY e {
  a = f32[2] parameter(0)
  i = s32[200000000000000000,0] iota(), iota_dimension=0
  u = f32[200000000000000000,0] iota(), iota_dimension=0
  ROOT s = f32[2] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={},
    scatter_dims_to_operand_dims={}, index_vector_dim=1, to_apply=f
})",
                       {"f32[2] {1, 2}"}),
            Strings{"f32[2] {1, 2}"});
}

}  // namespace
}  // namespace mercator::runtime
