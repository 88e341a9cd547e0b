#include "mercator/runtime/evaluator.h"

#include <ranges>
#include <set>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/call_depth.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/interpreter.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

Error named(Error error, const hlo::Instruction& instruction) {
  if (error.span) return error;  // of an instruction further inside
  error.message = fmt::format("'{}': {}", instruction.name, error.message);
  error.span = instruction.span;
  return error;
}

}  // namespace

Result<Tensor> Evaluation::allocate(std::vector<std::int64_t> dimensions) const {
  return allocate(element_type(), std::move(dimensions));
}

Result<Tensor> Evaluation::allocate(hlo::ElementType element_type,
                                    std::vector<std::int64_t> dimensions) const {
  return Tensor::allocate(element_type, std::move(dimensions), evaluator.pool());
}

Evaluator::Schedule& Evaluator::schedule(const hlo::Computation& computation) {
  const auto [found, is_new] = schedules_.try_emplace(&computation);
  Schedule& schedule = found->second;
  if (!is_new) return schedule;

  const std::vector<const hlo::Instruction*> order = live_instructions(computation);
  std::unordered_map<const hlo::Instruction*, std::size_t> slots;
  for (const hlo::Instruction* instruction : order) {
    Step& step = schedule.steps.emplace_back();
    step.instruction = instruction;
    for (const hlo::Instruction* operand : instruction->operands) {
      step.operands.push_back({.slot = slots.at(operand)});
    }
    slots.emplace(instruction, slots.size());
  }
  schedule.root = slots.at(computation.root);
  mark_last_uses(schedule);
  return schedule;
}

// Parameters stay, so that the argument of one that nobody reads is freed.
std::vector<const hlo::Instruction*> Evaluator::live_instructions(
    const hlo::Computation& computation) {
  if (!effects_) effects_.emplace(*computation.module);
  std::vector<const hlo::Instruction*> order = computation.post_order();
  std::unordered_set<const hlo::Instruction*> live = {computation.root};
  for (const hlo::Instruction* instruction : std::views::reverse(order)) {
    if (!live.contains(instruction) && !effects_->has_effect(*instruction)) continue;
    live.insert(instruction);
    live.insert(instruction->operands.begin(), instruction->operands.end());
  }
  std::erase_if(order, [&](const hlo::Instruction* instruction) {
    return instruction->opcode != hlo::Opcode::kParameter && !live.contains(instruction);
  });
  return order;
}

void Evaluator::mark_last_uses(Schedule& schedule) {
  // What the steps below the one that is looked at read: whole values, and elements of tuples.
  std::vector<bool> is_read(schedule.steps.size(), false);
  std::vector<bool> is_read_whole(schedule.steps.size(), false);
  std::set<std::pair<std::size_t, std::int64_t>> read_elements;
  is_read[schedule.root] = true;
  is_read_whole[schedule.root] = true;
  for (std::size_t i = schedule.steps.size(); i-- > 0;) {
    Step& step = schedule.steps[i];
    step.is_unused = !is_read[i];
    const bool reads_element = step.instruction->opcode == hlo::Opcode::kGetTupleElement;
    if (reads_element) {
      const std::size_t slot = step.operands[0].slot;
      const std::int64_t index = step.instruction->integer(hlo::AttributeName::kIndex, 0);
      step.takes_element = read_elements.emplace(slot, index).second && !is_read_whole[slot];
    }
    for (auto operand = step.operands.rbegin(); operand != step.operands.rend(); ++operand) {
      operand->is_last_use = !is_read[operand->slot];
      is_read[operand->slot] = true;
      if (!reads_element) is_read_whole[operand->slot] = true;
    }
  }
}

Result<Value> Evaluator::call(const hlo::Computation& computation, std::vector<Value> arguments) {
  MERCATOR_TRY_VOID(CallDepth::check(1));
  const CallDepth depth(CallDepth::current() + 1);
  return run(schedule(computation), std::move(arguments));
}

Result<Value> Evaluator::run(Schedule& schedule, std::vector<Value> arguments) {
  std::vector<Value> values(schedule.steps.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    MERCATOR_TRY_VOID(check_stop(stop()));
    Step& step = schedule.steps[i];
    const hlo::Instruction& instruction = *step.instruction;
    if (instruction.opcode == hlo::Opcode::kParameter) {
      Value& argument = arguments[static_cast<std::size_t>(instruction.parameter_number)];
      if (observer_) observer_(instruction, argument);
      if (!step.is_unused) values[i] = std::move(argument);
      argument = Value();
      continue;
    }
    Result<Value> value = run_step(step, values);
    if (!value) return std::unexpected(named(std::move(value).error(), instruction));
    if (observer_) observer_(instruction, *value);
    if (!step.is_unused) values[i] = *std::move(value);
  }
  return std::move(values[schedule.root]);
}

Result<Value> Evaluator::run_step(Step& step, std::vector<Value>& values) {
  const hlo::Instruction& instruction = *step.instruction;
  if (step.takes_element) {
    const std::int64_t index = instruction.integer(hlo::AttributeName::kIndex, 0);
    Value& tuple = values[step.operands[0].slot];
    Value element = tuple.take_element(static_cast<std::size_t>(index));
    if (step.operands[0].is_last_use) tuple = Value();
    return element;
  }
  if (!step.constant.is_token()) return step.constant;
  std::vector<Value> operands;
  operands.reserve(step.operands.size());
  for (const Operand& operand : step.operands) {
    Value& value = values[operand.slot];
    operands.push_back(operand.is_last_use ? std::exchange(value, Value()) : value);
  }
  Result<Value> value = evaluate(instruction, std::move(operands));
  if (value && instruction.opcode == hlo::Opcode::kConstant) step.constant = *value;
  return value;
}

Result<Value> Evaluator::evaluate(const hlo::Instruction& instruction,
                                  std::vector<Value> operands) {
  MERCATOR_TRY_VOID(interpreter_supports(instruction));
  Evaluation evaluation{.instruction = instruction, .operands = operands, .evaluator = *this};
  Result<Value> value = evaluate_function(instruction.opcode)(evaluation);
  if (!value) return value;
  const std::string wrong = mismatch(*value, instruction.shape);
  if (wrong.empty()) return value;
  if (differs_in_sizes_only(*value, instruction.shape)) {
    // What operands with dynamic dimensions lead to; the verifier knows their bounds only.
    return fail(ErrorKind::kInvalidInput, fmt::format("it {}", wrong));
  }
  return fail(ErrorKind::kUnsupported, fmt::format("a fault of the interpreter: it {}", wrong));
}

EvaluateFunction evaluate_function(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kAbs:
    case hlo::Opcode::kAcos:
    case hlo::Opcode::kAcosh:
    case hlo::Opcode::kAdd:
    case hlo::Opcode::kAnd:
    case hlo::Opcode::kAsin:
    case hlo::Opcode::kAsinh:
    case hlo::Opcode::kAtan2:
    case hlo::Opcode::kAtanh:
    case hlo::Opcode::kCbrt:
    case hlo::Opcode::kCeil:
    case hlo::Opcode::kClamp:
    case hlo::Opcode::kClz:
    case hlo::Opcode::kCompare:
    case hlo::Opcode::kComplex:
    case hlo::Opcode::kConvert:
    case hlo::Opcode::kCosh:
    case hlo::Opcode::kCosine:
    case hlo::Opcode::kDivide:
    case hlo::Opcode::kErf:
    case hlo::Opcode::kExp:
    case hlo::Opcode::kExpm1:
    case hlo::Opcode::kFloor:
    case hlo::Opcode::kImag:
    case hlo::Opcode::kIsFinite:
    case hlo::Opcode::kLog:
    case hlo::Opcode::kLog1p:
    case hlo::Opcode::kLogistic:
    case hlo::Opcode::kMaximum:
    case hlo::Opcode::kMinimum:
    case hlo::Opcode::kMultiply:
    case hlo::Opcode::kNegate:
    case hlo::Opcode::kNot:
    case hlo::Opcode::kOr:
    case hlo::Opcode::kPopcnt:
    case hlo::Opcode::kPower:
    case hlo::Opcode::kReal:
    case hlo::Opcode::kReducePrecision:
    case hlo::Opcode::kRemainder:
    case hlo::Opcode::kRoundNearestAfz:
    case hlo::Opcode::kRoundNearestEven:
    case hlo::Opcode::kRsqrt:
    case hlo::Opcode::kSelect:
    case hlo::Opcode::kShiftLeft:
    case hlo::Opcode::kShiftRightArithmetic:
    case hlo::Opcode::kShiftRightLogical:
    case hlo::Opcode::kSign:
    case hlo::Opcode::kSine:
    case hlo::Opcode::kSinh:
    case hlo::Opcode::kSqrt:
    case hlo::Opcode::kStochasticConvert:
    case hlo::Opcode::kSubtract:
    case hlo::Opcode::kTan:
    case hlo::Opcode::kTanh:
    case hlo::Opcode::kXor:
      return evaluate_elementwise;
    case hlo::Opcode::kAddDependency:
    case hlo::Opcode::kCopy:
    case hlo::Opcode::kDomain:
      return evaluate_forward;
    case hlo::Opcode::kAfterAll:
      return evaluate_after_all;
    case hlo::Opcode::kAllGather:
    case hlo::Opcode::kAllGatherDone:
    case hlo::Opcode::kAllGatherStart:
    case hlo::Opcode::kAllReduce:
    case hlo::Opcode::kAllReduceDone:
    case hlo::Opcode::kAllReduceStart:
    case hlo::Opcode::kAllToAll:
    case hlo::Opcode::kCollectiveBroadcast:
    case hlo::Opcode::kCollectivePermute:
    case hlo::Opcode::kCollectivePermuteDone:
    case hlo::Opcode::kCollectivePermuteStart:
    case hlo::Opcode::kRaggedAllToAll:
    case hlo::Opcode::kReduceScatter:
      return evaluate_collective;
    case hlo::Opcode::kAsyncDone:
      return evaluate_async_done;
    case hlo::Opcode::kAsyncStart:
      return evaluate_async_start;
    case hlo::Opcode::kAsyncUpdate:
      return evaluate_forward;
    case hlo::Opcode::kBatchNormGrad:
      return evaluate_batch_norm_grad;
    case hlo::Opcode::kBatchNormInference:
      return evaluate_batch_norm_inference;
    case hlo::Opcode::kBatchNormTraining:
      return evaluate_batch_norm_training;
    case hlo::Opcode::kBitcast:
      return evaluate_bitcast;
    case hlo::Opcode::kBitcastConvert:
      return evaluate_bitcast_convert;
    case hlo::Opcode::kBroadcast:
      return evaluate_broadcast;
    case hlo::Opcode::kCall:
    case hlo::Opcode::kFusion:
      return evaluate_call;
    case hlo::Opcode::kCholesky:
      return evaluate_cholesky;
    case hlo::Opcode::kConcatenate:
      return evaluate_concatenate;
    case hlo::Opcode::kConditional:
      return evaluate_conditional;
    case hlo::Opcode::kConstant:
      return evaluate_constant;
    case hlo::Opcode::kConvolution:
      return evaluate_convolution;
    case hlo::Opcode::kCopyDone:
      return evaluate_copy_done;
    case hlo::Opcode::kCopyStart:
      return evaluate_copy_start;
    case hlo::Opcode::kCustomCall:
      return evaluate_custom_call;
    case hlo::Opcode::kDot:
      return evaluate_dot;
    case hlo::Opcode::kDynamicReshape:
    case hlo::Opcode::kReshape:
      return evaluate_reshape;
    case hlo::Opcode::kDynamicSlice:
      return evaluate_dynamic_slice;
    case hlo::Opcode::kDynamicUpdateSlice:
      return evaluate_dynamic_update_slice;
    case hlo::Opcode::kFft:
      return evaluate_fft;
    case hlo::Opcode::kGather:
      return evaluate_gather;
    case hlo::Opcode::kGetDimensionSize:
      return evaluate_get_dimension_size;
    case hlo::Opcode::kGetTupleElement:
      return evaluate_get_tuple_element;
    case hlo::Opcode::kInfeed:
    case hlo::Opcode::kOutfeed:
    case hlo::Opcode::kParameter:
    case hlo::Opcode::kRecv:
    case hlo::Opcode::kRecvDone:
    case hlo::Opcode::kSend:
    case hlo::Opcode::kSendDone:
      return nullptr;
    case hlo::Opcode::kIota:
      return evaluate_iota;
    case hlo::Opcode::kMap:
      return evaluate_map;
    case hlo::Opcode::kOptimizationBarrier:
      return evaluate_opt_barrier;
    case hlo::Opcode::kPad:
      return evaluate_pad;
    case hlo::Opcode::kPartitionId:
    case hlo::Opcode::kReplicaId:
      return evaluate_device_id;
    case hlo::Opcode::kRaggedDot:
      return evaluate_ragged_dot;
    case hlo::Opcode::kReduce:
      return evaluate_reduce;
    case hlo::Opcode::kReduceWindow:
      return evaluate_reduce_window;
    case hlo::Opcode::kReverse:
      return evaluate_reverse;
    case hlo::Opcode::kRng:
      return evaluate_rng;
    case hlo::Opcode::kRngBitGenerator:
      return evaluate_rng_bit_generator;
    case hlo::Opcode::kRngGetAndUpdateState:
      return evaluate_rng_get_and_update_state;
    case hlo::Opcode::kScaledDot:
      return evaluate_scaled_dot;
    case hlo::Opcode::kScan:
      return evaluate_scan;
    case hlo::Opcode::kScatter:
      return evaluate_scatter;
    case hlo::Opcode::kSelectAndScatter:
      return evaluate_select_and_scatter;
    case hlo::Opcode::kSetDimensionSize:
      return evaluate_set_dimension_size;
    case hlo::Opcode::kSlice:
      return evaluate_slice;
    case hlo::Opcode::kSort:
      return evaluate_sort;
    case hlo::Opcode::kTopK:
      return evaluate_top_k;
    case hlo::Opcode::kTranspose:
      return evaluate_transpose;
    case hlo::Opcode::kTriangularSolve:
      return evaluate_triangular_solve;
    case hlo::Opcode::kTuple:
      return evaluate_tuple;
    case hlo::Opcode::kWhile:
      return evaluate_while;
  }
  return nullptr;
}

}  // namespace mercator::runtime
