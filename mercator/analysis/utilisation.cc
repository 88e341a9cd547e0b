#include "mercator/analysis/utilisation.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "mercator/analysis/value_set.h"

namespace mercator {

namespace {

// What tells sets of maps apart, as far as counts go: the tensors that hold runtime variables by
// the order in which they occur, so that equal instructions of one module have equal keys.
class SetKey {
 public:
  void add(std::int64_t number) { numbers_.push_back(number); }

  void add(const IndexMap& map) {
    add_variables(map.dimensions());
    add_variables(map.ranges());
    add(std::ssize(map.runtimes()));
    for (const RuntimeVariable& runtime : map.runtimes()) {
      add(runtime.bounds);
      add(runtime.tensor ? number_of(*runtime.tensor) : -1);
      add(runtime.index);
    }
    add(map.results());
    add(std::ssize(map.constraints()));
    for (const Constraint& constraint : map.constraints()) {
      add(constraint.expr.id());
      add(constraint.range);
    }
  }

  [[nodiscard]] std::string take() const {
    return {reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(std::int64_t)};
  }

 private:
  void add(Interval interval) {
    add(interval.lo);
    add(interval.hi);
  }
  void add_variables(const std::vector<Variable>& variables) {
    add(std::ssize(variables));
    for (const Variable& variable : variables) add(variable.bounds);
  }
  void add(const std::vector<Expr>& exprs) {
    add(std::ssize(exprs));
    for (const Expr expr : exprs) add(expr.id());
  }
  std::int64_t number_of(std::uint32_t tensor) {
    const auto found = std::ranges::find(tensors_, tensor);
    const auto number = found - tensors_.begin();
    if (found == tensors_.end()) tensors_.push_back(tensor);
    return number;
  }

  std::vector<std::int64_t> numbers_;
  std::vector<std::uint32_t> tensors_;
};

}  // namespace

struct ReadCounter::Impl {
  IndexingAnalysis& analysis;
  std::int64_t budget;
  std::int64_t devices;
  std::unordered_map<std::string, ReadCounts> known = {};

  const ReadCounts& count(std::span<const OperandMap> maps, std::span<const std::int64_t> sizes) {
    SetKey key;
    for (const std::int64_t size : sizes) key.add(size);
    for (const OperandMap& map : maps) {
      key.add(map.exact ? 1 : 0);
      key.add(map.map);
      key.add(map.across_devices ? 1 : 0);
      if (map.across_devices) key.add(*map.across_devices);
    }
    const auto [place, is_new] = known.try_emplace(key.take());
    if (is_new) place->second = count_reads(maps, sizes, devices, budget);
    return place->second;
  }

  ArrayReads count(std::int64_t operand, const hlo::ShapeLeaf& array,
                   const InstructionIndexing& indexing) {
    ArrayReads result{.operand = operand,
                      .leaf = array.index,
                      .elements = array.shape.element_count(),
                      .elements_read = {},
                      .reads = {}};
    if (result.elements == 0) return result;
    std::vector<OperandMap> maps;
    std::string unknown = indexing.unknown;
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      if (pair.operand != operand || pair.operand_leaf != array.index) continue;
      if (unknown.empty()) unknown = pair.maps.unknown;
      maps.insert(maps.end(), pair.maps.maps.begin(), pair.maps.maps.end());
    }
    const ReadCounts& counts = count(maps, array.shape.dimensions);
    result.elements_read = counts.elements;
    result.reads = counts.reads;
    if (!unknown.empty()) {
      result.elements_read = Count::between(counts.elements.lo, result.elements, unknown);
      result.reads = Count::between(counts.reads.lo, INT64_MAX, unknown);
    }
    return result;
  }
};

ReadCounter::ReadCounter(IndexingAnalysis& analysis, std::int64_t budget)
    : impl_(new Impl{.analysis = analysis, .budget = budget, .devices = analysis.device_count()}) {}
ReadCounter::~ReadCounter() = default;

std::vector<ArrayReads> ReadCounter::operator()(const hlo::Instruction& instruction) {
  return (*this)(instruction, impl_->analysis.indexing(instruction, Direction::kOutputToInput));
}

std::vector<ArrayReads> ReadCounter::operator()(const hlo::Instruction& instruction,
                                                const InstructionIndexing& indexing) {
  std::vector<ArrayReads> result;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.operand(i).shape)) {
      if (!leaf.shape.is_array()) continue;
      result.push_back(impl_->count(static_cast<std::int64_t>(i), leaf, indexing));
    }
  }
  return result;
}

}  // namespace mercator
