// Which kernel a GPU compiler would write for an instruction.

#pragma once

#include <cstdint>

#include "mercator/analysis/device.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/indexing/kernel.h"

namespace mercator {

enum class KernelKind : std::uint8_t {
  kNone,           // no kernel: it names, or takes apart, what is there
  kGenerated,      // written for the instruction; see generated_kernel
  kLibrary,        // matrix products, convolutions, sorts and the like, fused or not
  kCommunication,  // with other devices or the host
  kControl,        // runs other computations
};
// A reshape or transpose is kNone if the elements lie in memory as before, as the layouts say, and
// otherwise copies them: kGenerated.
[[nodiscard]] KernelKind kernel_kind(IndexingAnalysis& indexing,
                                     const hlo::Instruction& instruction);

// By the hero nearest to the result: tiled transposes where both dimensions are long enough, and
// reductions and concatenates where nothing that is larger is computed behind them; otherwise the
// loop. A thread takes one element at once. Requires a kernel kind of kGenerated.
[[nodiscard]] Kernel generated_kernel(const hlo::Instruction& instruction, const Device& device);

// The loop over an array of so many elements.
[[nodiscard]] Kernel loop_kernel(std::int64_t elements);

}  // namespace mercator
