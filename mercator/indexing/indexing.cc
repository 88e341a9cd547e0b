#include "mercator/indexing/indexing.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/instruction_maps.h"
#include "mercator/indexing/physical_layout.h"

namespace mercator {

const OperandMaps* InstructionIndexing::find(const ShapeIndex& output, std::int64_t operand,
                                             const ShapeIndex& operand_leaf) const {
  const auto key = [](const Pair& pair) {
    return std::tie(pair.output, pair.operand, pair.operand_leaf);
  };
  const auto place =
      std::ranges::lower_bound(pairs, std::tie(output, operand, operand_leaf), {}, key);
  const bool found = place != pairs.end() && key(*place) == std::tie(output, operand, operand_leaf);
  return found ? &place->maps : nullptr;
}

struct IndexingAnalysis::Impl {
  Impl(const hlo::Module& module, ExprContext& context) : analysis(module, context) {}

  indexing::Analysis analysis;
};

IndexingAnalysis::IndexingAnalysis(const hlo::Module& module, ExprContext& context)
    : impl_(std::make_unique<Impl>(module, context)) {}
IndexingAnalysis::~IndexingAnalysis() = default;

InstructionIndexing IndexingAnalysis::indexing(const hlo::Instruction& instruction,
                                               Direction direction) {
  indexing::Analysis& analysis = impl_->analysis;
  const indexing::PairList& list = analysis.pairs(instruction, direction);
  InstructionIndexing result;
  if (list.unknown() != nullptr) {
    result.unknown = *list.unknown();
    return result;
  }
  result.pairs.reserve(list.pairs().size());
  for (const indexing::LeafPair& pair : list.pairs()) {
    OperandMaps maps;
    if (pair.unknown != nullptr) {
      maps.unknown = *pair.unknown;
    } else {
      maps.maps.reserve(pair.maps.size());
      for (const indexing::MapRef& ref : pair.maps) {
        maps.maps.push_back({.map = analysis.maps()[ref.map], .exact = ref.exact});
      }
      std::ranges::sort(maps.maps, {}, &OperandMap::map);
    }
    result.pairs.push_back({.output = pair.output,
                            .operand = pair.operand,
                            .operand_leaf = pair.operand_leaf,
                            .maps = std::move(maps)});
  }
  return result;
}

std::chrono::nanoseconds IndexingAnalysis::simplify_time() const {
  return impl_->analysis.maps().simplify_time();
}

Result<IndexMap> IndexingAnalysis::physical_position(const hlo::Shape& array) {
  indexing::Analysis& analysis = impl_->analysis;
  indexing::MapBuilder map(analysis, array.dimensions);
  if (!indexing::has_elements(array)) {
    return IndexMap::empty(analysis.context(), array.dimensions.size(), 1);
  }
  const auto layout = MERCATOR_TRY(indexing::PhysicalLayout::of(array));
  const std::vector<Expr> physical = layout.to_physical(map.dims());
  std::vector<Term> terms;
  std::int64_t stride = 1;
  for (std::size_t i = physical.size(); i-- > 0;) {
    terms.push_back({physical[i], stride});
    stride *= layout.sizes()[i];
  }
  const std::optional<indexing::MapId> id =
      analysis.maps().add(map.to({analysis.context().sum(terms)}));
  return analysis.maps()[*id];
}

}  // namespace mercator
