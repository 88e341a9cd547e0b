// Artifacts: programs as files (.mcx).

#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "mercator/runtime/engine.h"
#include "mercator/runtime/program.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The whole of a program as bytes, which read_artifact makes the same program of: the text of the
// module, which engine runs which instructions, and what these engines saved. Errors are those of
// Executable::save.
//
// The form, numbers little-endian: "mercator" and 0x0A; the version (u32); the checksum of all that
// follows (XXH3, 128 bits); the module (a text: its length as u64, then its bytes); the engines
// (u32 count, for each two texts: name and version); the subgraphs (u32 count). For each of them:
// the place of its engine (u32), three lists of instructions of the entry computation (u32 count,
// then for each its place in the text as u32): its own, copies, outputs; and the executable (a
// text).
[[nodiscard]] Result<std::string> write_artifact(const Program& program);

// Whether the bytes begin as artifacts do, of whatever version.
[[nodiscard]] bool is_artifact(std::string_view bytes);

// Reads what write_artifact wrote. Any bytes may be given: an error of kind kInvalidInput if they
// are damaged, cut off, of a newer version or no artifact at all. An error of kind kUnsupported if
// an engine is needed that `engines` lacks, or has in another version; kInterrupted soon after a
// stop is requested.
[[nodiscard]] Result<std::unique_ptr<Program>> read_artifact(std::string_view bytes,
                                                             const EngineTable& engines,
                                                             const std::stop_token& stop = {});

}  // namespace mercator::runtime
