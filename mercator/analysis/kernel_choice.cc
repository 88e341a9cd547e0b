#include "mercator/analysis/kernel_choice.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "mercator/analysis/inside.h"
#include "mercator/indexing/heroes.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using indexing::long_dimensions;

constexpr std::int64_t kThreads = 128;        // of a block
constexpr std::int64_t kThreadsOfRows = 256;  // of a block that reduces rows
constexpr std::int64_t kMaxThreadsOfRow = 1024;
constexpr std::int64_t kTile = 32;
constexpr std::int64_t kShortestToTile = 16;   // of the dimensions of a transpose
constexpr std::int64_t kElementsOfThread = 8;  // of a row, at least, before a second one shares it

bool is_for_library(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kConvolution:
    case Opcode::kCustomCall:
    case Opcode::kDot:
    case Opcode::kFft:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
}

bool is_library(const Instruction& instruction) {
  bool found = false;
  analysis::for_each_inside(
      instruction, [&](const Instruction& inside) { found |= is_for_library(inside.opcode); });
  return found;
}

std::int64_t element_count(const hlo::Shape& shape) {
  return shape.is_array() ? shape.element_count() : 0;
}

// The elements of the largest array of the result.
std::int64_t most_elements(const hlo::Shape& shape) {
  std::int64_t most = 0;
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(shape)) {
    most = std::max(most, element_count(leaf.shape));
  }
  return most;
}

Launch launch(std::int64_t threads, std::int64_t blocks) {
  return {.threads = {threads, 1, 1}, .blocks = {std::max<std::int64_t>(1, blocks), 1, 1}};
}

// Whether `instruction` is made from one of the heroes, in the same computation.
bool depends_on(const Instruction& instruction, std::span<const Instruction* const> heroes) {
  std::set<const Instruction*> seen = {&instruction};
  std::vector<const Instruction*> pending = {&instruction};
  while (!pending.empty()) {
    const Instruction* next = pending.back();
    pending.pop_back();
    if (std::ranges::find(heroes, next) != heroes.end()) return true;
    for (const Instruction* operand : next->operands) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return false;
}

// The elements of the largest array of the result that is made from a hero.
std::int64_t most_elements_behind(const Instruction& instruction,
                                  std::span<const Instruction* const> heroes) {
  if (instruction.opcode != Opcode::kFusion) return most_elements(instruction.shape);
  const Instruction& root = *instruction.computation(AttributeName::kCalls)->root;
  if (root.opcode != Opcode::kTuple) return most_elements(root.shape);
  std::int64_t most = 0;
  for (const Instruction* element : root.operands) {
    if (depends_on(*element, heroes)) most = std::max(most, most_elements(element->shape));
  }
  return most;
}

std::optional<Kernel> transpose_kernel(const Instruction& hero) {
  const hlo::Shape& from = hero.operand(0).shape;
  const std::int64_t a = from.dimensions[static_cast<std::size_t>(long_dimensions(from).front())];
  const std::int64_t b =
      hero.shape.dimensions[static_cast<std::size_t>(long_dimensions(hero.shape).front())];
  if (std::min(a, b) < kShortestToTile) return std::nullopt;
  const std::int64_t others = from.element_count() / a / b;
  return Kernel{.scheme = Scheme::kTranspose,
                .launch = launch(kThreads, ceil_div(a, kTile) * ceil_div(b, kTile) * others),
                .vector = 1,
                .tile = kTile};
}

// The number of elements of the innermost dimensions that are reduced, or that are not.
std::int64_t innermost_elements(const Instruction& reduce, bool is_reduced) {
  const hlo::Shape& from = reduce.operand(0).shape;
  const auto reduced = reduce.integers(AttributeName::kDimensions);
  std::int64_t count = 1;
  for (const std::int64_t d : hlo::minor_to_major(from)) {
    const std::int64_t size = from.dimensions[static_cast<std::size_t>(d)];
    const bool fits = (std::ranges::find(reduced, d) != reduced.end()) == is_reduced;
    if (!fits && size != 1) break;
    count *= size;
  }
  return count;
}

std::int64_t power_of_two_from(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

Kernel row_kernel(const Instruction& hero, const Device& device) {
  const std::int64_t row = innermost_elements(hero, /*is_reduced=*/true);
  // Whole warps for long rows, and the threads that a short one has work for.
  std::int64_t lanes =
      power_of_two_from(std::min(std::max<std::int64_t>(row, 1), device.warp_size));
  while (lanes * kElementsOfThread < row &&
         lanes * 2 <= std::min(kMaxThreadsOfRow, device.max_threads_per_block)) {
    lanes *= 2;
  }
  const std::int64_t threads = std::max(kThreadsOfRows, lanes);
  const std::int64_t rows = most_elements(hero.shape);
  return {.scheme = Scheme::kRowReduction,
          .launch = launch(threads, ceil_div(rows, threads / lanes)),
          .vector = 1,
          .tile = lanes};
}

Kernel column_kernel(const Instruction& hero, const Device& device) {
  const std::int64_t column = innermost_elements(hero, /*is_reduced=*/false);
  const std::int64_t before = most_elements(hero.shape) / std::max<std::int64_t>(1, column);
  return {.scheme = Scheme::kColumnReduction,
          .launch = launch(std::min(kTile * kTile, device.max_threads_per_block),
                           before * ceil_div(column, kTile)),
          .vector = 1,
          .tile = kTile};
}

std::optional<Kernel> kernel_about(const Instruction& hero, Scheme scheme, const Device& device) {
  switch (scheme) {
    case Scheme::kLoop:
      break;
    case Scheme::kTranspose:
      return transpose_kernel(hero);
    case Scheme::kRowReduction:
      return row_kernel(hero, device);
    case Scheme::kColumnReduction:
      return column_kernel(hero, device);
    case Scheme::kConcatenate: {
      std::int64_t most = 0;
      for (const Instruction* operand : hero.operands) {
        most = std::max(most, element_count(operand->shape));
      }
      Kernel kernel = loop_kernel(most);
      kernel.scheme = Scheme::kConcatenate;
      return kernel;
    }
  }
  return std::nullopt;
}

// Whether each element of a reshape or transpose lies where the one that it is made from does.
// False also where that is not known, since what a compiler can show to lie in place it makes a
// bitcast.
bool lies_in_place(IndexingAnalysis& indexing, const Instruction& instruction) {
  const hlo::Shape& from = instruction.operand(0).shape;
  const hlo::Shape& to = instruction.shape;
  if (from.element_count() == 0) return true;
  if (hlo::bits_in_memory(from) != hlo::bits_in_memory(to)) return false;
  const Result<IndexMap> place_before = indexing.physical_position(from);
  const Result<IndexMap> place = indexing.physical_position(to);
  if (!place_before || !place) return false;
  const InstructionIndexing maps = indexing.indexing(instruction, Direction::kOutputToInput);
  const OperandMaps* to_operand = maps.find({}, 0);
  if (to_operand == nullptr || to_operand->maps.size() != 1) return false;
  const IndexMap moved = simplify(compose(to_operand->maps.front().map, *place_before));
  return moved.results() == simplify(*place).results();
}

}  // namespace

KernelKind kernel_kind(IndexingAnalysis& indexing, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kDomain:
    case Opcode::kGetDimensionSize:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kTuple:
      return KernelKind::kNone;
    case Opcode::kReshape:
    case Opcode::kTranspose:
      return lies_in_place(indexing, instruction) ? KernelKind::kNone : KernelKind::kGenerated;
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return KernelKind::kControl;
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReduceScatter:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return KernelKind::kCommunication;
    default:
      return is_library(instruction) ? KernelKind::kLibrary : KernelKind::kGenerated;
  }
}

Kernel loop_kernel(std::int64_t elements) {
  return {.scheme = Scheme::kLoop, .launch = launch(kThreads, ceil_div(elements, kThreads))};
}

Kernel generated_kernel(const Instruction& instruction, const Device& device) {
  const std::int64_t elements = most_elements(instruction.shape);
  for (const Scheme scheme : {Scheme::kRowReduction, Scheme::kColumnReduction, Scheme::kTranspose,
                              Scheme::kConcatenate}) {
    const std::vector<const Instruction*> heroes = heroes_of(instruction, scheme);
    if (heroes.empty()) continue;
    const Instruction& hero = *heroes.front();
    // Whoever has an element of a hero computes all that is made from it: few threads, where that
    // is much.
    const std::int64_t elements_behind = most_elements_behind(instruction, heroes);
    if (elements_behind == 0 || elements_behind > most_elements(hero.shape)) continue;
    if (const auto kernel = kernel_about(hero, scheme, device)) return *kernel;
  }
  return loop_kernel(elements);
}

}  // namespace mercator
