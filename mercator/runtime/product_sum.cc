#include "mercator/runtime/product_sum.h"

#include <algorithm>
#include <vector>

#include "mercator/runtime/index_walk.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {

SumKind sum_kind(std::initializer_list<hlo::ElementType> types) {
  const bool is_complex = std::ranges::any_of(types, hlo::is_complex);
  const bool is_floating = std::ranges::any_of(types, hlo::is_floating);
  const bool is_long = std::ranges::any_of(types, [](hlo::ElementType type) {
    return type == hlo::ElementType::kF64 || type == hlo::ElementType::kC128;
  });
  if (is_complex) return is_long ? SumKind::kLongComplex : SumKind::kComplex;
  if (is_floating) return is_long ? SumKind::kLongReal : SumKind::kReal;
  return SumKind::kInteger;
}

Result<Tensor> as_factors(const Tensor& tensor, std::span<const std::int64_t> order, SumKind kind,
                          const RunContext& context) {
  const std::vector<std::int64_t> strides = row_major_strides(tensor.dimensions());
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> ordered_strides;
  for (const std::int64_t dimension : order) {
    const auto d = static_cast<std::size_t>(dimension);
    sizes.push_back(tensor.dimensions()[d]);
    ordered_strides.push_back(strides[d]);
  }
  const hlo::ElementType type = with_sum(kind, [](auto sum) { return decltype(sum)::kFactorType; });
  Tensor result = MERCATOR_TRY(Tensor::allocate(type, sizes, context.pool));
  const ElementReader read(tensor, type);
  const ElementWriter write(result, type);
  StopCheck check_stop(context.stop);
  std::int64_t place = 0;
  for (IndexWalk<1> walk(sizes, {ordered_strides}); !walk.at_end(); walk.next()) {
    MERCATOR_TRY_VOID(check_stop());
    write(place++, read(walk.offset(0)));
  }
  return result;
}

}  // namespace mercator::runtime
