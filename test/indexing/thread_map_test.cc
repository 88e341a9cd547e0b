// The threads of each scheme against its definition, point by point.

#include "mercator/indexing/thread_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "mercator/hlo/shape.h"
#include "mercator/map/index_map.h"
#include "test/support/random_draw.h"

namespace mercator {
namespace {

using Index = std::vector<std::int64_t>;

constexpr std::int64_t kBudget = 1'000'000;

class ThreadMapTest : public testing::Test {
 protected:
  hlo::Shape shape(const std::string& text) {
    Result<hlo::Shape> shape = hlo::parse_shape(text, arena_);
    EXPECT_TRUE(shape.has_value()) << text;
    return *shape;
  }
  static std::string text(const IndexMap& map) { return to_string(map, MapStyle::kOneLine); }

  Arena arena_;
  ExprContext context_;
};

std::int64_t element_count(const Index& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// For each block, the indices that its threads have; fails if an index occurs twice.
std::map<Index, std::set<Index>> by_block(const IndexMap& map) {
  std::map<Index, std::set<Index>> result;
  std::set<Index> all;
  std::int64_t points = 0;
  const Result<void> done = enumerate(
      map, kBudget, [&](const VariableValues& values, std::span<const std::int64_t> index) {
        const Index block(values.dimensions.begin() + 3, values.dimensions.end());
        const Index key(index.begin(), index.end());
        result[block].insert(key);
        all.insert(key);
        ++points;
      });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(points, std::ssize(all)) << "an element twice: " << to_string(map, MapStyle::kOneLine);
  return result;
}

std::set<Index> all_of(const std::map<Index, std::set<Index>>& by_block) {
  std::set<Index> all;
  for (const auto& [block, indices] : by_block) all.insert(indices.begin(), indices.end());
  return all;
}

std::set<Index> indices_of(const Index& sizes) {
  std::set<Index> all;
  const std::int64_t count = element_count(sizes);
  for (std::int64_t i = 0; i < count; ++i) {
    Index index(sizes.size());
    std::int64_t rest = i;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      index[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    all.insert(index);
  }
  return all;
}

// ---- by hand ----

TEST_F(ThreadMapTest, LinearLoop) {
  const Result<IndexMap> map = linear_loop(context_, shape("f32[100,150,20]"),
                                           {.threads = {128, 1, 1}, .blocks = {586, 1, 1}}, 4);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(text(*map),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z)[element] -> ((th_x + bl_x * 128) floordiv 750, "
            "((th_x + bl_x * 128) floordiv 5) mod 150, element + ((th_x + bl_x * 128) mod 5) * 4), "
            "domain: th_x in [0, 127], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 585], bl_y in "
            "[0, 0], bl_z in [0, 0], element in [0, 3], th_x * 4 + bl_x * 512 + element in [0, "
            "299999]");
}

TEST_F(ThreadMapTest, LinearLoopOverSeveralChunksInTheOrderOfMemory) {
  const Result<IndexMap> map =
      linear_loop(context_, shape("f32[4,8]{0,1}"), {.threads = {4, 1, 1}, .blocks = {2, 1, 1}}, 1);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(text(*map),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk] -> (th_x, bl_x + chunk * 2), domain: th_x "
            "in [0, 3], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 1], bl_y in [0, 0], bl_z in "
            "[0, 0], chunk in [0, 3]");
}

TEST_F(ThreadMapTest, TiledTranspose) {
  const Index permutation = {1, 0};
  const Result<ThreadAccess> access =
      tiled_transpose(context_, shape("f32[64,96]"), shape("f32[96,64]"), permutation,
                      {.threads = {128, 1, 1}, .blocks = {6, 1, 1}}, 32, 1);
  ASSERT_TRUE(access.has_value());
  const std::string domain =
      "domain: th_x in [0, 127], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 5], bl_y in [0, 0], "
      "bl_z in [0, 0], chunk in [0, 7]";
  EXPECT_EQ(text(access->read),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk] -> (chunk * 4 + th_x floordiv 32 + (bl_x "
            "floordiv 3) * 32, th_x mod 32 + (bl_x mod 3) * 32), " +
                domain);
  EXPECT_EQ(text(access->write),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk] -> (chunk * 4 + th_x floordiv 32 + (bl_x "
            "mod 3) * 32, (bl_x floordiv 3) * 32 + th_x mod 32), " +
                domain);
}

TEST_F(ThreadMapTest, RowReduction) {
  const Index reduced = {1};
  const Result<ThreadAccess> access =
      row_reduction(context_, shape("f32[16,1024]"), reduced,
                    {.threads = {256, 1, 1}, .blocks = {2, 1, 1}}, 32, 2);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(text(access->read),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z)[chunk, element] -> (bl_x * 8 + th_x floordiv 32, "
            "chunk * 64 + element + (th_x mod 32) * 2), domain: th_x in [0, 255], th_y in [0, 0], "
            "th_z in [0, 0], bl_x in [0, 1], bl_y in [0, 0], bl_z in [0, 0], chunk in [0, 15], "
            "element in [0, 1]");
  EXPECT_EQ(text(access->write),
            "(th_x, th_y, th_z, bl_x, bl_y, bl_z) -> (bl_x * 8 + th_x floordiv 32), domain: th_x "
            "in [0, 224], th_y in [0, 0], th_z in [0, 0], bl_x in [0, 1], bl_y in [0, 0], bl_z in "
            "[0, 0], th_x mod 32 in [0, 0]");
}

TEST_F(ThreadMapTest, WhatDoesNotFitIsRefused) {
  const Launch launch = {.threads = {64, 1, 1}, .blocks = {1, 1, 1}};
  const hlo::Shape array = shape("f32[64,64]");
  const Index same = {0, 1};
  const Index swapped = {1, 0};
  const Index columns = {0};
  const Index rows = {1};
  const auto message = [](const auto& result) {
    return result.has_value() ? std::string() : result.error().message;
  };
  EXPECT_EQ(message(tiled_transpose(context_, array, array, same, launch, 32, 1)),
            "the innermost dimension stays where it is");
  EXPECT_EQ(message(tiled_transpose(context_, array, array, swapped, launch, 32, 1)),
            "4 tiles want as many blocks, not 1");
  EXPECT_EQ(message(tiled_transpose(context_, array, array, swapped, launch, 32, 3)),
            "a tile of 32 is not whole vectors of 3");
  EXPECT_EQ(message(row_reduction(context_, array, columns, launch, 32, 1)),
            "the dimensions reduced are not rows: innermost, and perhaps outermost");
  EXPECT_EQ(message(row_reduction(context_, array, rows, launch, 48, 1)),
            "a block of 64 threads is not whole groups of 48");
  EXPECT_EQ(message(column_reduction(context_, array, rows, launch, 32, 1)),
            "the dimensions reduced are not columns: before the innermost ones that stay");
  EXPECT_EQ(message(linear_loop(context_, array, {.threads = {0, 1, 1}}, 1)),
            "a launch without threads");
  EXPECT_EQ(message(linear_loop(context_, array, launch, 0)), "0 elements a thread");
  EXPECT_EQ(
      message(linear_loop(context_, array, launch, std::int64_t{1} << 62)),
      "a launch whose threads take 4611686018427387904 elements each, more than 2^62 together");
  EXPECT_EQ(
      message(row_reduction(context_, shape("f32[64,64]{1,0:T(8,128)}"), rows, launch, 32, 1)),
      "the scheme is not for arrays with tiles");
}

TEST_F(ThreadMapTest, ArraysWithoutElements) {
  const Launch launch = {.threads = {32, 1, 1}, .blocks = {1, 1, 1}};
  const Index rows = {1};
  const Result<IndexMap> loop = linear_loop(context_, shape("f32[3,0]"), launch, 2);
  ASSERT_TRUE(loop.has_value());
  EXPECT_TRUE(loop->is_known_empty());
  // The sums of nothing are written all the same.
  const Result<ThreadAccess> sums = row_reduction(context_, shape("f32[3,0]"), rows, launch, 8, 1);
  ASSERT_TRUE(sums.has_value());
  EXPECT_TRUE(sums->read.is_known_empty());
  EXPECT_EQ(all_of(by_block(sums->write)), indices_of({3}));
}

// ---- at random ----

class RandomThreadMapTest : public ThreadMapTest {
 protected:
  // Sizes of a small array of this rank.
  Index sizes(std::int64_t rank, std::int64_t largest) {
    Index sizes;
    for (std::int64_t i = 0; i < rank; ++i)
      sizes.push_back(draw_(0, 9) == 0 ? 1 : draw_(1, largest));
    return sizes;
  }
  Index shuffled(std::int64_t rank) {
    Index order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(draw_(0, static_cast<std::int64_t>(i) - 1))]);
    }
    return order;
  }
  hlo::Shape array(const Index& sizes, const Index& minor_to_major) {
    return shape(
        fmt::format("f32[{}]{{{}}}", fmt::join(sizes, ","), fmt::join(minor_to_major, ",")));
  }
  // As many threads as that, however they are laid out.
  std::array<std::int64_t, 3> split(std::int64_t count) {
    std::array<std::int64_t, 3> counts = {count, 1, 1};
    for (const std::int64_t factor : {2, 3}) {
      if (counts[0] % factor == 0 && draw_(0, 2) == 0) {
        counts[0] /= factor;
        counts[static_cast<std::size_t>(draw_(1, 2))] *= factor;
      }
    }
    return counts;
  }

  const test::Draw draw_ = test::seeded_draw(1912);
};

TEST_F(RandomThreadMapTest, LinearLoopTakesEachElementOnceInTheOrderOfMemory) {
  for (int i = 0; i < 300; ++i) {
    const Index dimensions = sizes(draw_(0, 4), 6);
    const Index order = shuffled(std::ssize(dimensions));
    const Launch launch = {.threads = split(draw_(1, 12)), .blocks = split(draw_(1, 6))};
    const std::int64_t unroll = draw_(1, 4);
    const Result<IndexMap> map = linear_loop(context_, array(dimensions, order), launch, unroll);
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(all_of(by_block(*map)), indices_of(dimensions)) << text(*map);
    // Which thread has which element.
    const std::int64_t threads = launch.threads_per_block() * launch.block_count();
    const Result<void> done = enumerate(
        *map, kBudget, [&](const VariableValues& values, std::span<const std::int64_t> index) {
          std::int64_t position = 0;
          for (std::size_t d = order.size(); d-- > 0;) {
            const auto dimension = static_cast<std::size_t>(order[d]);
            position = position * dimensions[dimension] + index[dimension];
          }
          const auto number = [&](std::size_t first, const std::array<std::int64_t, 3>& counts) {
            const auto v = values.dimensions.subspan(first, 3);
            return v[0] + counts[0] * (v[1] + counts[1] * v[2]);
          };
          const std::int64_t thread =
              number(3, launch.blocks) * launch.threads_per_block() + number(0, launch.threads);
          EXPECT_EQ(position / unroll % threads, thread) << text(*map);
        });
    EXPECT_TRUE(done.has_value());
    if (HasFailure()) return;
  }
}

TEST_F(RandomThreadMapTest, TilesAreReadAndWrittenByTheSameBlocks) {
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    const Index dimensions = sizes(draw_(1, 4), 9);
    const Index permutation = shuffled(std::ssize(dimensions));
    Index result;
    for (const std::int64_t d : permutation)
      result.push_back(dimensions[static_cast<std::size_t>(d)]);
    const std::int64_t vector = draw_(1, 2);
    const std::int64_t lanes = draw_(1, 4);
    const Launch launch = {.threads = split(lanes * draw_(1, 4)), .blocks = split(draw_(1, 300))};
    const Result<ThreadAccess> access =
        tiled_transpose(context_, array(dimensions, shuffled(std::ssize(dimensions))),
                        array(result, shuffled(std::ssize(dimensions))), permutation, launch,
                        lanes * vector, vector);
    if (!access.has_value()) {
      ++refused;
      continue;
    }
    const auto read = by_block(access->read);
    const auto written = by_block(access->write);
    EXPECT_EQ(all_of(read), indices_of(dimensions)) << text(access->read);
    EXPECT_EQ(all_of(written), indices_of(result)) << text(access->write);
    std::map<Index, std::set<Index>> moved;
    for (const auto& [block, indices] : read) {
      for (const Index& index : indices) {
        Index to;
        for (const std::int64_t d : permutation) to.push_back(index[static_cast<std::size_t>(d)]);
        moved[block].insert(to);
      }
    }
    EXPECT_EQ(moved, written) << text(access->read) << "\n" << text(access->write);
    if (HasFailure()) return;
  }
  EXPECT_LT(refused, 250);
}

// The blocks that read what a result is made from are those that write it, for those results that
// are made from something.
void expect_same_blocks(const std::map<Index, std::set<Index>>& read,
                        const std::map<Index, std::set<Index>>& written, const Index& reduced) {
  std::map<Index, std::set<Index>> results;
  for (const auto& [block, indices] : read) {
    for (const Index& index : indices) {
      Index result;
      for (std::size_t d = 0; d < index.size(); ++d) {
        if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) {
          result.push_back(index[d]);
        }
      }
      results[block].insert(result);
    }
  }
  EXPECT_EQ(results, written);
}

TEST_F(RandomThreadMapTest, ReductionsReadEachElementOnceWhereTheyWriteTheResult) {
  int rows = 0;
  int columns = 0;
  for (int i = 0; i < 600; ++i) {
    const Index dimensions = sizes(draw_(1, 4), 6);
    const Index order = shuffled(std::ssize(dimensions));
    Index reduced;
    Index result;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (draw_(0, 1) == 0) {
        reduced.push_back(static_cast<std::int64_t>(d));
      } else {
        result.push_back(dimensions[d]);
      }
    }
    const std::int64_t lanes = draw_(1, 4);
    const std::int64_t vector = draw_(1, 3);
    const Launch launch = {.threads = split(lanes * draw_(1, 3)), .blocks = split(draw_(1, 200))};
    const hlo::Shape from = array(dimensions, order);
    const Result<ThreadAccess> by_rows =
        row_reduction(context_, from, reduced, launch, lanes, vector);
    const Result<ThreadAccess> by_columns =
        column_reduction(context_, from, reduced, launch, lanes * vector, vector);
    rows += by_rows.has_value() ? 1 : 0;
    columns += by_columns.has_value() ? 1 : 0;
    for (const Result<ThreadAccess>* access : {&by_rows, &by_columns}) {
      if (!access->has_value()) continue;
      const auto read = by_block((*access)->read);
      const auto written = by_block((*access)->write);
      EXPECT_EQ(all_of(read), indices_of(dimensions)) << text((*access)->read);
      EXPECT_EQ(all_of(written), indices_of(result)) << text((*access)->write);
      expect_same_blocks(read, written, reduced);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(rows, 100);
  EXPECT_GT(columns, 100);
}

TEST_F(RandomThreadMapTest, ConcatenationsCopyEachElementOnce) {
  for (int i = 0; i < 100; ++i) {
    const std::int64_t rank = draw_(1, 3);
    const std::int64_t dimension = draw_(0, rank - 1);
    Index dimensions = sizes(rank, 5);
    std::vector<hlo::Shape> operands;
    std::vector<Index> operand_sizes;
    std::int64_t total = 0;
    for (std::int64_t count = draw_(1, 4); count > 0; --count) {
      dimensions[static_cast<std::size_t>(dimension)] = draw_(1, 5);
      total += dimensions[static_cast<std::size_t>(dimension)];
      operand_sizes.push_back(dimensions);
      operands.push_back(array(dimensions, shuffled(rank)));
    }
    const Launch launch = {.threads = split(draw_(1, 8)), .blocks = split(draw_(1, 4))};
    const auto accesses = concatenation_loop(context_, operands, dimension, launch, draw_(1, 3));
    ASSERT_TRUE(accesses.has_value());
    ASSERT_EQ(accesses->size(), operands.size());
    std::set<Index> all;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      EXPECT_EQ(all_of(by_block((*accesses)[k].read)), indices_of(operand_sizes[k]));
      for (const Index& index : all_of(by_block((*accesses)[k].write))) {
        EXPECT_TRUE(all.insert(index).second);
      }
    }
    dimensions[static_cast<std::size_t>(dimension)] = total;
    EXPECT_EQ(all, indices_of(dimensions));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mercator
