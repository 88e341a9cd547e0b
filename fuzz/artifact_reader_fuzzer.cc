// Reads any bytes as an artifact, as they are and with the checksum that is right for them, so that
// what lies behind it is reached. What reads is written, must read back to the same program, and is
// run: it may fail, but not crash.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "mercator/runtime/artifact.h"
#include "mercator/runtime/binary.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/program.h"
#include "mercator/runtime/random_tensor.h"
#include "mercator/runtime/tensor_files.h"

namespace {

using mercator::Result;
namespace runtime = mercator::runtime;

constexpr std::int64_t kMemory = std::int64_t{1} << 20;
constexpr std::size_t kChecksumAt = 13;
constexpr std::size_t kContentAt = kChecksumAt + 16;

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Requests a stop if it still exists after a second: programs need not end.
class Watchdog {
 public:
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_ = std::jthread([this](const std::stop_token& done) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, done, std::chrono::seconds(1),
                                           [] { return false; });
    if (!done.stop_requested()) source_.request_stop();
  });
};

Result<std::vector<runtime::Tensor>> arguments(const runtime::Program& program,
                                               const runtime::RunContext& context) {
  std::vector<runtime::Tensor> tensors;
  for (const runtime::WantedArray& wanted :
       MERCATOR_TRY(runtime::argument_arrays(*program.module().entry))) {
    const auto& sizes = wanted.shape.dimensions;
    tensors.push_back(
        MERCATOR_TRY(runtime::random_tensor(wanted.shape.element_type, {sizes.begin(), sizes.end()},
                                            1, tensors.size(), context.pool, context.stop)));
  }
  return tensors;
}

void run(const runtime::Program& program) {
  const Watchdog watchdog;
  runtime::RunContext context{.pool = runtime::MemoryPool(kMemory), .stop = watchdog.token()};
  const Result<std::vector<runtime::Tensor>> tensors = arguments(program, context);
  if (!tensors) return;
  runtime::RunStatistics statistics;
  const auto results =
      program.run(runtime::argument_values(*program.module().entry, *tensors), context, statistics);
  if (!results && results.error().message.empty()) stop("an error without a message");
}

void read(const std::string& bytes) {
  const auto program = runtime::read_artifact(bytes, runtime::engines());
  if (!program) {
    if (program.error().message.empty()) stop("an error without a message");
    return;
  }
  const Result<std::string> saved = (*program)->save();
  if (!saved) stop("what was read cannot be written");
  const auto again = runtime::read_artifact(*saved, runtime::engines());
  if (!again) stop("what was written does not read");
  if ((*again)->save() != *saved) stop("what was written reads back differently");
  run(**program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (!runtime::is_artifact(bytes) || size < kContentAt) return 0;
  runtime::BinaryWriter checksum;
  checksum.write_checksum(runtime::checksum(std::string_view(bytes).substr(kContentAt)));
  bytes.replace(kChecksumAt, kContentAt - kChecksumAt, std::move(checksum).take());
  read(bytes);
  return 0;
}
