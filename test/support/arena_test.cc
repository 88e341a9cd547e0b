#include "mercator/support/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercator {
namespace {

bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

// Fills every allocation with a byte of its own and checks all of them at the end: none overlap,
// and none moved.
TEST(Arena, AllocationsAreAlignedAndDisjoint) {
  struct Allocation {
    unsigned char* data;
    std::size_t size;
  };
  Arena arena;
  std::mt19937 random(7);
  std::vector<Allocation> allocations;
  for (int i = 0; i < 5'000; ++i) {
    const std::size_t size = i % 500 == 0 ? 100'000 : random() % 300;
    const std::size_t alignment = std::size_t{1} << random() % 5;
    void* data = arena.allocate(size, alignment);
    ASSERT_TRUE(is_aligned(data, alignment)) << alignment;
    allocations.push_back({static_cast<unsigned char*>(data), size});
    if (size > 0) std::memset(data, i % 251, size);
  }
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const auto& [data, size] = allocations[i];
    EXPECT_TRUE(std::all_of(data, data + size, [&](unsigned char byte) { return byte == i % 251; }))
        << i;
  }
}

TEST(Arena, AnAllocationLargerThanABlockFits) {
  Arena arena;
  const std::span<char> small = arena.make_array<char>(10);
  const std::span<char> large = arena.make_array<char>(10'000'000);
  std::fill(large.begin(), large.end(), 'x');
  EXPECT_EQ(std::count(small.begin(), small.end(), '\0'), 10);
  EXPECT_GE(arena.bytes(), 10'000'010U);
}

TEST(Arena, TakesAtMostTwiceWhatIsAskedFor) {
  Arena arena;
  for (int i = 0; i < 100'000; ++i) arena.allocate(100, 1);
  EXPECT_GE(arena.bytes(), 10'000'000U);
  EXPECT_LE(arena.bytes(), 20'000'000U);
}

TEST(Arena, CopiesOutliveWhatTheyWereMadeFrom) {
  Arena arena;
  std::string text = "fusion.3";
  std::vector<std::int64_t> numbers = {1, 2, 3};
  const std::string_view text_copy = arena.copy(std::string_view(text));
  const std::span<const std::int64_t> numbers_copy =
      arena.copy(std::span<const std::int64_t>(numbers));
  text.assign(text.size(), '?');
  numbers.assign(numbers.size(), 0);
  EXPECT_EQ(text_copy, "fusion.3");
  EXPECT_TRUE(std::ranges::equal(numbers_copy, std::vector<std::int64_t>{1, 2, 3}));
}

TEST(Arena, EmptyCopiesTakeNothing) {
  Arena arena;
  EXPECT_TRUE(arena.copy(std::string_view()).empty());
  EXPECT_TRUE(arena.copy(std::span<const double>()).empty());
  EXPECT_TRUE(arena.make_array<double>(0).empty());
  EXPECT_EQ(arena.bytes(), 0U);
}

TEST(Arena, MakesObjects) {
  struct Point {
    std::int64_t x = 1;
    std::int64_t y = 2;
  };
  Arena arena;
  arena.allocate(1, 1);
  const Point* point = arena.make<Point>(5, 6);
  EXPECT_TRUE(is_aligned(point, alignof(Point)));
  EXPECT_EQ(point->x, 5);
  EXPECT_EQ(point->y, 6);
  EXPECT_EQ(arena.make_array<Point>(3)[2].y, 2);
}

TEST(Arena, AddressesStayWhenTheArenaIsMoved) {
  Arena first;
  const std::string_view text = first.copy(std::string_view("kept"));
  Arena second = std::move(first);
  EXPECT_EQ(text, "kept");
  const std::string_view other = second.copy(std::string_view("also"));

  // An arena that was moved from starts anew, apart from the other.
  first = Arena();
  EXPECT_EQ(first.bytes(), 0U);
  EXPECT_EQ(first.copy(std::string_view("new")), "new");
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(other, "also");
}

}  // namespace
}  // namespace mercator
