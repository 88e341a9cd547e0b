#include "mercator/runtime/element_access.h"

#include <vector>

#include "mercator/support/stop_check.h"

namespace mercator::runtime {

Result<Tensor> converted(const Tensor& tensor, hlo::ElementType to, const RunContext& context) {
  if (tensor.element_type() == to) return tensor;
  const std::span<const std::int64_t> sizes = tensor.dimensions();
  Tensor result = MERCATOR_TRY(Tensor::allocate(to, {sizes.begin(), sizes.end()}, context.pool));
  const ElementReader read(tensor, to);
  const ElementWriter write(result, to);
  StopCheck check_stop(context.stop);
  for (std::int64_t i = 0; i < result.element_count(); ++i) {
    MERCATOR_TRY_VOID(check_stop());
    write(i, read(i));
  }
  return result;
}

}  // namespace mercator::runtime
