// Whether the warps of a kernel access memory in few transactions.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "mercator/analysis/count.h"
#include "mercator/analysis/device.h"
#include "mercator/analysis/warp_sectors.h"
#include "mercator/indexing/indexing.h"
#include "mercator/indexing/kernel.h"

namespace mercator {

// A number that is known, or known to lie between two bounds.
struct Measure {
  double lo = 0;
  double hi = 0;

  [[nodiscard]] bool is_exact() const { return lo == hi; }
};

// How a kernel accesses one array.
struct Coalescing {
  // Not empty: nothing is known, for this reason, and the rest says nothing.
  std::string unknown = {};
  // Of each warp, in each step in which one of its threads accesses something, on average: the
  // sectors that it touches, and as few as could hold the elements.
  Measure sectors_per_warp = {};
  Measure ideal_sectors_per_warp = {};
  // Bytes of elements that a warp uses over the bytes of the sectors that it moves for them.
  Measure useful_share = {};
  // The bytes of all sectors that warps move, over all warps and steps. Where threads could access
  // several neighbouring elements at once, as if they did: that is what compilers make of it, and
  // narrow elements would share sectors with those of the next step otherwise.
  Count moved_bytes = {};
  // Whether, in the same way, less than twice as many sectors are touched as would do, at each
  // place of the kernel that accesses the array.
  bool coalesced = true;
  std::string why = {};  // in words
  // As many neighbouring elements could be accessed at once by a thread: 1, 2, 4, … up to 16 bytes.
  std::int64_t vector_width = 1;
};

// Accesses of one module's kernels on one device. Keeps what it has counted.
class CoalescingAnalysis {
 public:
  CoalescingAnalysis(IndexingAnalysis& indexing, const Device& device)
      : indexing_(indexing), device_(device) {}

  // Of the array that the maps lead to from the threads of a launch (KernelIndexing). `is_write`
  // is for the words.
  Coalescing operator()(const OperandMaps& maps, const hlo::Shape& array, const Launch& launch,
                        bool is_write);

 private:
  // One place of a kernel that accesses an array.
  struct Access {
    WarpSectors sectors = {};  // an element of each thread in each step
    std::int64_t vector_width = 1;
    WarpSectors moved = {};  // so many elements of each thread in each step
  };
  const Access& access(const IndexMap& map, const hlo::Shape& array, const Launch& launch);

  IndexingAnalysis& indexing_;
  const Device& device_;
  using Key = std::tuple<IndexMap, std::int64_t, std::array<std::int64_t, 3>>;
  std::map<Key, Access> accesses_;
};

}  // namespace mercator
