#include "mercator/tools/report_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include "mercator/analysis/kernel_choice.h"
#include "mercator/tools/map_listing.h"
#include "mercator/tools/report_maps.h"
#include "mercator/tools/report_module.h"

namespace mercator::tools {
namespace {

constexpr std::size_t kLongestText = 4000;
// Of an instruction with more pairs of leaves that have maps the page has only the first.
constexpr std::size_t kMostPairs = 2000;

// The text of an instruction as it stands in the module.
std::string written(const hlo::Module& module, const hlo::Instruction& instruction) {
  const TextSpan span = instruction.span;
  std::string_view text = module.text().substr(span.begin, span.end - span.begin);
  if (text.size() <= kLongestText) return std::string(text);
  return std::string(text.substr(0, kLongestText)) + " …";
}

class Details {
 public:
  Details(const hlo::Module& module, IndexingAnalysis& analysis, const ModuleCost& cost,
          const Device& device)
      : module_(module),
        analysis_(analysis),
        device_(device),
        launches_(computations_that_launch(module)),
        maps_(module) {
    for (const InstructionCost& instruction : cost.instructions) {
      if (instruction.kernel) kernels_.emplace(instruction.instruction->id, *instruction.kernel);
    }
  }

  std::string operator()(const hlo::Instruction& instruction) {
    Json json = {{"hlo", written(module_, instruction)}};
    if (!instruction.operands.empty()) {
      for (const auto& [key, direction] :
           {std::pair("o", Direction::kOutputToInput), std::pair("i", Direction::kInputToOutput)}) {
        Json maps = indexing_json(instruction, direction, json);
        json[key] = std::move(maps);
      }
      if (launches_[instruction.parent->id]) {
        const KernelKind kind = kernel_kind(analysis_, instruction);
        if (kind == KernelKind::kGenerated) json["k"] = kernel_json(instruction, json["o"]);
        if (kind == KernelKind::kLibrary) {
          json["k"] = "a library computes it, and how that accesses memory is not known";
        }
      }
    }
    return dump(json);
  }
  [[nodiscard]] const std::vector<std::string>& maps() const { return maps_.lines(); }

 private:
  Json maps_json(const OperandMaps& maps) {
    if (!maps.unknown.empty()) return maps.unknown;
    Json numbers = Json::array();
    for (const OperandMap& map : maps.maps) numbers.push_back(maps_.add(map));
    return numbers;
  }

  // By instruction, since the leaves of a tuple are numbered anew otherwise for each of its users.
  const LeafNumbers& leaf_numbers(const hlo::Instruction& instruction) {
    return leaf_numbers_.try_emplace(instruction.id, instruction.shape).first->second;
  }

  Json indexing_json(const hlo::Instruction& instruction, Direction direction, Json& details) {
    const InstructionIndexing indexing = analysis_.indexing(instruction, direction);
    if (!indexing.unknown.empty()) return indexing.unknown;
    if (indexing.pairs.size() > kMostPairs) details["pairs"] = indexing.pairs.size();
    const LeafNumbers& outputs = leaf_numbers(instruction);
    Json pairs = Json::array();
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      if (pairs.size() == kMostPairs) break;
      const auto operand = static_cast<std::size_t>(pair.operand);
      const LeafNumbers& leaves = leaf_numbers(instruction.operand(operand));
      pairs.push_back(
          {outputs(pair.output), pair.operand, leaves(pair.operand_leaf), maps_json(pair.maps)});
    }
    return pairs;
  }

  // `maps` are those from output to input.
  Json kernel_json(const hlo::Instruction& instruction, const Json& maps) {
    const auto found = kernels_.find(instruction.id);
    // What the entry computation never runs has no cost.
    const Kernel kernel =
        found == kernels_.end() ? generated_kernel(instruction, device_) : found->second;
    if (kernel.scheme != Scheme::kLoop) return kernel_json(instruction, kernel);
    // Loops over equal arrays that read equal arrays by equal maps are equal, and programs have
    // many of those: as many as a model has layers.
    std::string key = shape_text(instruction.shape);
    for (const hlo::Instruction* operand : instruction.operands) {
      key += fmt::format(" {}", shape_text(operand->shape));
    }
    key += fmt::format(" {} {} {} {}", dump(maps), fmt::join(kernel.launch.threads, ","),
                       fmt::join(kernel.launch.blocks, ","), kernel.vector);
    const auto [known, is_new] = loops_.try_emplace(std::move(key));
    if (is_new) known->second = kernel_json(instruction, kernel);
    return known->second;
  }
  Json kernel_json(const hlo::Instruction& instruction, const Kernel& kernel) {
    Result<KernelIndexing> indexing = analysis_.kernel(instruction, kernel);
    if (!indexing) return indexing.error().message;
    Json reads = Json::array();
    for (const KernelIndexing::Read& read : indexing->reads) {
      const hlo::Instruction& operand = instruction.operand(static_cast<std::size_t>(read.operand));
      const std::size_t leaf = leaf_numbers(operand)(read.leaf);
      reads.push_back({read.operand, leaf, positions_json(operand.shape, leaf, read.maps)});
    }
    Json writes = Json::array();
    for (const KernelIndexing::Write& write : indexing->writes) {
      const std::size_t leaf = leaf_numbers(instruction)(write.output);
      writes.push_back({leaf, positions_json(instruction.shape, leaf, write.maps)});
    }
    return {{"scheme", std::string(name(kernel.scheme))},
            {"threads", kernel.launch.threads},
            {"blocks", kernel.launch.blocks},
            {"r", std::move(reads)},
            {"w", std::move(writes)}};
  }

  // The maps to a leaf of `shape`, to the positions of its elements in memory.
  Json positions_json(const hlo::Shape& shape, std::size_t leaf, const OperandMaps& maps) {
    if (!maps.unknown.empty()) return maps.unknown;
    const hlo::Shape array = shape.is_array() ? shape : hlo::leaves(shape)[leaf].shape;
    const Result<IndexMap> position = analysis_.physical_position(array);
    if (!position) return position.error().message;
    OperandMaps physical;
    for (const OperandMap& map : maps.maps) {
      physical.maps.push_back({.map = simplify_(compose(map.map, *position)), .exact = map.exact});
    }
    return maps_json(physical);
  }

  const hlo::Module& module_;
  IndexingAnalysis& analysis_;
  const Device& device_;
  std::unordered_map<std::uint32_t, Kernel> kernels_;  // by instruction
  std::vector<bool> launches_;
  ReportMaps maps_;
  MapSimplifier simplify_;
  std::unordered_map<std::uint32_t, LeafNumbers> leaf_numbers_;
  std::unordered_map<std::string, Json> loops_;  // kernels by what they depend on
};

}  // namespace

ReportData report_data(const hlo::Module& module, IndexingAnalysis& analysis,
                       const ModuleCost& cost, const Device& device,
                       const std::function<void()>& advance) {
  ReportData data = {.module = report_module(module, analysis.device_count())};
  data.module["warp_size"] = device.warp_size;
  data.module["sector_bytes"] = device.sector_bytes;
  Details details(module, analysis, cost, device);
  for (const hlo::Instruction* instruction : module.instructions) {
    data.details.push_back(details(*instruction));
    advance();
  }
  data.maps = details.maps();
  return data;
}

}  // namespace mercator::tools
