#include "mercator/runtime/run_context.h"

#include "mercator/runtime/stop_check.h"

namespace mercator::runtime {

Result<void> RunContext::check_stop() const { return runtime::check_stop(stop); }

}  // namespace mercator::runtime
