// The sectors that one warp touches in one step.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/lane_program.h"
#include "mercator/analysis/warp_sectors.h"
#include "mercator/map/index_map.h"

namespace mercator::analysis {

// Of one step. `lo` and `hi` differ where they depend on the values of runtime variables.
struct StepCount {
  struct Bounds {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
  };
  std::int64_t active_lanes = 0;
  Bounds sectors = {};
  Bounds elements = {};  // distinct ones
  Bounds ideal_sectors = {};
  std::optional<std::int64_t> stride = std::nullopt;  // of the lanes, if they are evenly spaced
};

// Of many steps.
class StepTotals {
 public:
  explicit StepTotals(std::int64_t element_bits) : element_bits_(element_bits) {}

  // `occurrences` steps of this kind.
  void add(const StepCount& step, std::int64_t occurrences);
  // `reason` says why bounds differ.
  [[nodiscard]] WarpSectors result(const std::string& reason) const;

 private:
  std::int64_t element_bits_;
  std::int64_t steps_ = 0;
  StepCount::Bounds sectors_;
  StepCount::Bounds elements_;
  StepCount::Bounds ideal_sectors_;
  std::optional<std::int64_t> stride_;
  std::int64_t stride_lanes_ = 0;  // of the step that the stride is of
  std::int64_t most_lanes_ = 0;
};

class StepProgram;

// How elements lie to sectors. All maps lead from (lane, …) to a position in elements.
class StepSectors {
 public:
  StepSectors(std::int64_t element_bits, const MemoryGeometry& geometry);

  // Elements so far apart lie equally to the sectors.
  [[nodiscard]] std::int64_t elements_per_alignment() const;
  [[nodiscard]] std::int64_t most_sectors_per_element() const;
  [[nodiscard]] std::int64_t ideal_sectors(std::int64_t elements) const;
  [[nodiscard]] std::int64_t element_bits() const { return element_bits_; }

  // Why steps of this map, no constraint of which has runtime variables, cannot be counted; empty
  // if they can.
  [[nodiscard]] std::string why_not(const IndexMap& map) const;
  // Why the counts are bounds, if they are.
  [[nodiscard]] std::string runtime_reason(const IndexMap& map) const;

  // Counts steps of the map, with these constraints in place of its own.
  [[nodiscard]] StepProgram program(const IndexMap& map,
                                    std::span<const Constraint> constraints) const;

 private:
  friend class StepProgram;
  std::int64_t element_bits_;
  std::int64_t sector_bits_;
};

class StepProgram {
 public:
  StepProgram(const StepSectors& geometry, const IndexMap& map,
              std::span<const Constraint> constraints);

  // The step with these values of the dimensions (whatever the first is) and the ranges.
  [[nodiscard]] StepCount run(std::span<const std::int64_t> dimensions,
                              std::span<const std::int64_t> ranges);

 private:
  // Lanes that have the same element for each runtime variable.
  void count_group(std::span<std::int64_t> positions, StepCount& step);
  [[nodiscard]] std::int64_t sectors(std::span<const std::int64_t> sorted,
                                     std::int64_t offset_bits);

  StepSectors geometry_;
  std::vector<Interval> constraint_ranges_;
  std::vector<std::int64_t> runtimes_;
  std::size_t index_count_ = 0;  // expressions that say which elements hold the runtime variables
  std::int64_t alignment_step_bits_ = 0;  // runtime variables move elements by multiples of this
  LaneProgram program_;
  // Of the active lanes: which elements hold their runtime variables, and their positions.
  std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>> keyed_;
  std::vector<std::int64_t> positions_;
};

}  // namespace mercator::analysis
