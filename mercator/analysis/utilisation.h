// What instructions read: how many distinct elements of each operand, and how often in all.
//
//   b = f32[10,20,30] broadcast(f32[20] a), dimensions={1}     20 elements read, by 6000 reads
//   s = f32[5] slice(f32[10] a), slice={[0:10:2]}              5 elements read, by 5 reads
//
// Counts are exact where the maps are, and the elements do not depend on what the program computes:
// in closed form where the dimensions of the operand are independent of one another, otherwise by
// enumeration within a budget. What cannot be counted is an interval with its reason.
//
// What values decide is counted exactly where all values give the same count: a dynamic-slice reads
// as many elements wherever it starts, a dynamic-update-slice leaves as many. Otherwise, as in a
// gather, the interval holds the counts for all values.
//
// On several devices, counts are of one device. `reads` are those for the elements of the result
// on one device, on whatever devices the operand's elements are; `elements_read` are the elements
// of the operand on one device that any device reads. Where devices differ, the interval holds the
// counts of all of them.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercator/analysis/count.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator {

struct ReadCounts {
  // Distinct elements of the operand that are read.
  Count elements;
  // Pairs (element of the result, element of the operand) such that the one is made from the other,
  // added up over the leaves of the result and over the maps of each: an element that two maps lead
  // to is read twice.
  Count reads;
};

// Steps that may be taken for one set of maps where a closed form is not known; about 10 ns each.
inline constexpr std::int64_t kDefaultReadBudget = std::int64_t{1} << 19;

// What maps from elements of results, of one array or several, to elements of an array of these
// sizes read. `devices` are as many as the module runs on.
[[nodiscard]] ReadCounts count_reads(std::span<const OperandMap> maps,
                                     std::span<const std::int64_t> sizes, std::int64_t devices = 1,
                                     std::int64_t budget = kDefaultReadBudget);

// An array among the operands of an instruction.
struct ArrayReads {
  std::int64_t operand = 0;
  ShapeIndex leaf;            // {} unless the operand is a tuple
  std::int64_t elements = 0;  // that the array has
  Count elements_read;
  Count reads;
};

// Counts what the instructions of one module read; remembers equal sets of maps.
class ReadCounter {
 public:
  // The analysis must outlive the counter.
  explicit ReadCounter(IndexingAnalysis& analysis, std::int64_t budget = kDefaultReadBudget);
  ~ReadCounter();

  // For every array among the operands, in their order; those that are not read have counts of 0.
  [[nodiscard]] std::vector<ArrayReads> operator()(const hlo::Instruction& instruction);
  // The same where the o2i maps of the instruction are there already.
  [[nodiscard]] std::vector<ArrayReads> operator()(const hlo::Instruction& instruction,
                                                   const InstructionIndexing& indexing);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator
