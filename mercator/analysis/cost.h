// What the instructions of a program cost on a device, by a roofline.
//
// An operand of which a part is written anew (dynamic-update-slice, scatter, fusions that end so)
// counts as updated in place.
//
// The time of a kernel is the longest of
//   - the time for its bytes in memory: every element that is read or written once; where an access
//     is not coalesced, as much more as it touches sectors in vain;
//   - the time for all sectors that its warps touch, from a cache that is kCacheSpeedup times as
//     fast as memory;
//   - the time for what it computes: matrix products and convolutions by tensor cores, the rest at
//     the rate of its element type; a transcendental operation counts as
//     kOperationsOfTranscendental.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercator/analysis/coalescing.h"
#include "mercator/analysis/count.h"
#include "mercator/analysis/device.h"
#include "mercator/analysis/kernel_choice.h"
#include "mercator/analysis/utilisation.h"
#include "mercator/analysis/work.h"
#include "mercator/indexing/indexing.h"

namespace mercator {

inline constexpr double kCacheSpeedup = 3;
inline constexpr double kOperationsOfTranscendental = 16;

struct OperandCost {
  ArrayReads reads = {};
  const hlo::Shape* array = nullptr;
  Count bytes_read = {};  // each element once; nothing where it is updated in place, and where
                          // another operand is the same array
  // None where the kernel is not generated, or does not read it.
  std::optional<Coalescing> coalescing = std::nullopt;
};

struct OutputCost {
  ShapeIndex output = {};
  const hlo::Shape* array = nullptr;
  // Whether it is an operand in which a part is written anew, in place (in_place.h). Then that part
  // is what is written, and the operand is not read for the rest.
  bool in_place = false;
  std::int64_t bytes_written = 0;
  std::optional<Coalescing> coalescing = std::nullopt;
};

struct InstructionCost {
  const hlo::Instruction* instruction = nullptr;
  KernelKind kind = KernelKind::kNone;
  std::optional<Kernel> kernel = std::nullopt;  // of those that are generated
  // How often it runs: the rounds of the loops that it is in, as far as they are known. The
  // condition of a loop runs once more than its body.
  std::int64_t times = 1;

  // Of one run.
  Work work = {};
  Count bytes_read = {};         // of all operands, each element once
  Count bytes_read_in_all = {};  // each element as often as it is read
  std::int64_t bytes_written = 0;
  double time_us = 0;
  // "memory", "compute", "communication", "uncoalesced read of operand 1", "re-reads of operand 0",
  // "uncoalesced write of output {0}"; "nothing" for what takes no time.
  std::string limited_by = {};

  std::vector<OperandCost> operands = {};
  std::vector<OutputCost> outputs = {};
};

struct ModuleCost {
  // Of the entry computation and of the bodies, conditions and branches that it runs, computation
  // by computation in the order of the first call, each in the order of the text. Every branch of a
  // conditional counts as taken, and a loop whose rounds are not known as one round, after which
  // its condition ends it.
  std::vector<InstructionCost> instructions;
  // Sums in that order, each as often as it runs.
  Work work;
  Count bytes_read;
  std::int64_t bytes_written = 0;
  double time_us = 0;
};

class CostAnalysis {
 public:
  // Both must outlive the analysis.
  CostAnalysis(IndexingAnalysis& indexing, const Device& device);

  InstructionCost operator()(const hlo::Instruction& instruction);
  ModuleCost operator()(const hlo::Module& module);

 private:
  void add_accesses(InstructionCost& cost);

  IndexingAnalysis& indexing_;
  const Device& device_;
  ReadCounter reads_;
  CoalescingAnalysis coalescing_;
  WorkCounter work_;
};

}  // namespace mercator
