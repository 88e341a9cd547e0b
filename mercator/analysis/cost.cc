#include "mercator/analysis/cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "mercator/analysis/in_place.h"
#include "mercator/analysis/inside.h"
#include "mercator/analysis/roofline.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

std::int64_t bytes_of(std::int64_t elements, const hlo::Shape& array) {
  const std::int64_t bits = saturating_mul(elements, hlo::bits_in_memory(array));
  return bits / 8 + (bits % 8 == 0 ? 0 : 1);
}

Count bytes_of(const Count& elements, const hlo::Shape& array) {
  return Count::between(bytes_of(elements.lo, array), bytes_of(elements.hi, array),
                        elements.reason);
}

const hlo::Shape& at_leaf(const hlo::Shape& shape, const ShapeIndex& leaf) {
  const hlo::Shape* at = &shape;
  for (const std::int64_t i : leaf) at = &at->elements[static_cast<std::size_t>(i)];
  return *at;
}

// The computations that an instruction runs as a program, not as a function of elements.
std::vector<const hlo::Computation*> runs(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
    case Opcode::kAsyncStart:
      return instruction.called_computations();
    default:
      return {};
  }
}

// Those that the entry computation runs, callers first, in the order of the first call.
std::vector<const hlo::Computation*> run_order(const hlo::Module& module) {
  std::vector<const hlo::Computation*> finished;
  std::set<const hlo::Computation*> seen = {module.entry};
  struct Frame {
    const hlo::Computation* computation;
    std::vector<const hlo::Computation*> called;
  };
  const auto frame_of = [](const hlo::Computation* computation) {
    Frame frame = {.computation = computation, .called = {}};
    for (const Instruction* instruction : computation->instructions) {
      const auto called = runs(*instruction);
      frame.called.insert(frame.called.end(), called.begin(), called.end());
    }
    return frame;
  };
  std::vector<Frame> stack = {frame_of(module.entry)};
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.called.empty()) {
      finished.push_back(top.computation);
      stack.pop_back();
      continue;
    }
    // The last first, since the order is turned round at the end.
    const hlo::Computation* next = top.called.back();
    top.called.pop_back();
    if (seen.insert(next).second) stack.push_back(frame_of(next));
  }
  std::ranges::reverse(finished);
  return finished;
}

}  // namespace

CostAnalysis::CostAnalysis(IndexingAnalysis& indexing, const Device& device)
    : indexing_(indexing), device_(device), reads_(indexing), coalescing_(indexing, device) {}

InstructionCost CostAnalysis::operator()(const Instruction& instruction) {
  InstructionCost cost = {.instruction = &instruction, .kind = kernel_kind(indexing_, instruction)};
  if (cost.kind == KernelKind::kNone || cost.kind == KernelKind::kControl) {
    cost.limited_by = "nothing";
    return cost;
  }
  cost.work = work_(instruction);
  std::vector<ArrayReads> all_reads = reads_(instruction);
  if (instruction.opcode == Opcode::kCustomCall && analysis::is_product(instruction) &&
      !all_reads.empty()) {
    // Each element of the result is a sum of as many products as it is made from elements.
    cost.work.flops = saturating_mul(2, all_reads.front().reads.lo);
  }
  const std::vector<analysis::InPlaceUpdate> updates = analysis::in_place_updates(instruction);
  const auto is_updated = [&](std::int64_t operand) {
    return std::ranges::find(updates, operand, &analysis::InPlaceUpdate::operand) != updates.end();
  };
  for (ArrayReads& reads : all_reads) {
    const hlo::Shape& array =
        at_leaf(instruction.operand(static_cast<std::size_t>(reads.operand)).shape, reads.leaf);
    OperandCost operand = {.reads = std::move(reads), .array = &array};
    operand.bytes_read = bytes_of(operand.reads.elements_read, array);
    // The same array may be several operands, but lies in memory once.
    const auto is_same = [&](const OperandCost& before) {
      return instruction.operands[static_cast<std::size_t>(before.reads.operand)] ==
                 instruction.operands[static_cast<std::size_t>(operand.reads.operand)] &&
             before.reads.leaf == operand.reads.leaf &&
             before.bytes_read.lo >= operand.bytes_read.hi;
    };
    if (is_updated(operand.reads.operand)) {
      operand.bytes_read = {};
    } else if (std::ranges::any_of(cost.operands, is_same)) {
      operand.bytes_read = {};
      cost.bytes_read_in_all.add(bytes_of(operand.reads.reads, array));
    } else {
      cost.bytes_read_in_all.add(bytes_of(operand.reads.reads, array));
    }
    cost.bytes_read.add(operand.bytes_read);
    cost.operands.push_back(std::move(operand));
  }
  for (hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
    if (!leaf.shape.is_array()) continue;
    const hlo::Shape& array = at_leaf(instruction.shape, leaf.index);
    const auto update = std::ranges::find(updates, leaf.index, &analysis::InPlaceUpdate::output);
    const hlo::Shape& written = update == updates.end() ? array : *update->update;
    cost.outputs.push_back({.output = std::move(leaf.index),
                            .array = &array,
                            .in_place = update != updates.end(),
                            .bytes_written = bytes_of(written.element_count(), array)});
    cost.bytes_written = saturating_add(cost.bytes_written, cost.outputs.back().bytes_written);
  }
  // What is updated in place is written by a loop over the update.
  if (cost.kind == KernelKind::kGenerated && updates.empty()) add_accesses(cost);
  analysis::set_time(cost, device_);
  return cost;
}

void CostAnalysis::add_accesses(InstructionCost& cost) {
  cost.kernel = generated_kernel(*cost.instruction, device_);
  Result<KernelIndexing> threads = indexing_.kernel(*cost.instruction, *cost.kernel);
  if (!threads) {
    // A second result may suit no hero.
    std::int64_t most = 0;
    for (const OutputCost& output : cost.outputs) {
      most = std::max(most, output.array->element_count());
    }
    cost.kernel = loop_kernel(most);
    threads = indexing_.kernel(*cost.instruction, *cost.kernel);
  }
  if (!threads) {
    for (OperandCost& operand : cost.operands) {
      operand.coalescing = Coalescing{.unknown = threads.error().message};
    }
    return;
  }
  for (const KernelIndexing::Read& read : threads->reads) {
    const auto operand = std::ranges::find_if(cost.operands, [&](const OperandCost& candidate) {
      return candidate.reads.operand == read.operand && candidate.reads.leaf == read.leaf;
    });
    if (operand == cost.operands.end()) continue;
    operand->coalescing =
        coalescing_(read.maps, *operand->array, cost.kernel->launch, /*is_write=*/false);
  }
  for (const KernelIndexing::Write& write : threads->writes) {
    const auto output = std::ranges::find(cost.outputs, write.output, &OutputCost::output);
    if (output == cost.outputs.end()) continue;
    output->coalescing =
        coalescing_(write.maps, *output->array, cost.kernel->launch, /*is_write=*/true);
  }
}

ModuleCost CostAnalysis::operator()(const hlo::Module& module) {
  ModuleCost total;
  std::map<const hlo::Computation*, std::int64_t> times = {{module.entry, 1}};
  for (const hlo::Computation* computation : run_order(module)) {
    const std::int64_t runs_here = times[computation];
    for (const Instruction* instruction : computation->instructions) {
      const auto add_runs = [&](const hlo::Computation* called, std::int64_t each_time) {
        std::int64_t& sum = times[called];
        sum = saturating_add(sum, saturating_mul(runs_here, each_time));
      };
      if (instruction->opcode == Opcode::kWhile) {
        const std::int64_t rounds = indexing_.round_count(*instruction).value_or(1);
        add_runs(instruction->computation(hlo::AttributeName::kBody), rounds);
        // Before each round, and once more to end the loop.
        add_runs(instruction->computation(hlo::AttributeName::kCondition),
                 saturating_add(rounds, 1));
      } else {
        for (const hlo::Computation* called : runs(*instruction)) add_runs(called, 1);
      }
      InstructionCost cost = (*this)(*instruction);
      cost.times = runs_here;
      total.work += cost.work * runs_here;
      total.bytes_read.add(cost.bytes_read, runs_here);
      total.bytes_written =
          saturating_add(total.bytes_written, saturating_mul(cost.bytes_written, runs_here));
      total.time_us += cost.time_us * static_cast<double>(runs_here);
      total.instructions.push_back(std::move(cost));
    }
  }
  return total;
}

}  // namespace mercator
