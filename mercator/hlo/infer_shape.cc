#include "mercator/hlo/inference.h"
#include "mercator/hlo/verifier.h"

namespace mercator::hlo {
namespace {

Inferred infer_none(const Inference&) { return std::nullopt; }

using Rule = Inferred (*)(const Inference&);

// Without a default, so that the compiler asks for a rule for each new opcode.
Rule rule(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClz:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kPopcnt:
    case Opcode::kReal:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return infer_unary;
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSubtract:
    case Opcode::kXor:
      return infer_binary;
    case Opcode::kCompare:
      return infer_compare;
    case Opcode::kComplex:
      return infer_complex;
    case Opcode::kSelect:
      return infer_select;
    case Opcode::kClamp:
      return infer_clamp;
    case Opcode::kConvert:
      return infer_convert;
    case Opcode::kBitcastConvert:
      return infer_bitcast_convert;
    case Opcode::kReducePrecision:
      return infer_reduce_precision;
    case Opcode::kStochasticConvert:
      return infer_stochastic_convert;
    case Opcode::kMap:
      return infer_map;

    case Opcode::kBroadcast:
      return infer_broadcast;
    case Opcode::kReshape:
      return infer_reshape;
    case Opcode::kDynamicReshape:
      return infer_dynamic_reshape;
    case Opcode::kBitcast:
      return infer_bitcast;
    case Opcode::kTranspose:
      return infer_transpose;
    case Opcode::kReverse:
      return infer_reverse;
    case Opcode::kSlice:
      return infer_slice;
    case Opcode::kConcatenate:
      return infer_concatenate;
    case Opcode::kPad:
      return infer_pad;
    case Opcode::kDynamicSlice:
      return infer_dynamic_slice;
    case Opcode::kDynamicUpdateSlice:
      return infer_dynamic_update_slice;
    case Opcode::kGetDimensionSize:
      return infer_get_dimension_size;
    case Opcode::kSetDimensionSize:
      return infer_set_dimension_size;
    case Opcode::kIota:
      return infer_iota;
    case Opcode::kConstant:
      return infer_constant;
    case Opcode::kParameter:
      return infer_none;

    case Opcode::kGather:
      return infer_gather;
    case Opcode::kScatter:
      return infer_scatter;

    case Opcode::kDot:
    case Opcode::kScaledDot:
      return infer_dot;
    case Opcode::kRaggedDot:
      return infer_ragged_dot;
    case Opcode::kConvolution:
      return infer_convolution;

    case Opcode::kReduce:
      return infer_reduce;
    case Opcode::kReduceWindow:
      return infer_reduce_window;
    case Opcode::kSelectAndScatter:
      return infer_select_and_scatter;
    case Opcode::kScan:
      return infer_scan;
    case Opcode::kSort:
      return infer_sort;
    case Opcode::kTopK:
      return infer_topk;

    case Opcode::kFft:
      return infer_fft;
    case Opcode::kCholesky:
      return infer_cholesky;
    case Opcode::kTriangularSolve:
      return infer_triangular_solve;
    case Opcode::kBatchNormTraining:
      return infer_batch_norm_training;
    case Opcode::kBatchNormInference:
      return infer_batch_norm_inference;
    case Opcode::kBatchNormGrad:
      return infer_batch_norm_grad;
    case Opcode::kRng:
      return infer_rng;
    case Opcode::kRngBitGenerator:
      return infer_rng_bit_generator;
    case Opcode::kRngGetAndUpdateState:
      return infer_rng_state;

    case Opcode::kTuple:
      return infer_tuple;
    case Opcode::kGetTupleElement:
      return infer_get_tuple_element;
    case Opcode::kCall:
      return infer_call;
    case Opcode::kFusion:
      return infer_fusion;
    case Opcode::kWhile:
      return infer_while;
    case Opcode::kConditional:
      return infer_conditional;
    case Opcode::kCustomCall:
      return infer_custom_call;
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAllReduceDone:
      return infer_same_as_operand;
    case Opcode::kAddDependency:
      return infer_add_dependency;
    case Opcode::kAfterAll:
      return infer_after_all;

    case Opcode::kAsyncStart:
      return infer_async_start;
    case Opcode::kAsyncUpdate:
      return infer_async_update;
    case Opcode::kAsyncDone:
      return infer_async_done;
    case Opcode::kCopyStart:
      return infer_copy_start;
    case Opcode::kCopyDone:
      return infer_copy_done;
    case Opcode::kSend:
      return infer_send;
    case Opcode::kSendDone:
      return infer_send_done;
    case Opcode::kRecv:
      return infer_recv;
    case Opcode::kRecvDone:
      return infer_recv_done;
    case Opcode::kInfeed:
      return infer_infeed;
    case Opcode::kOutfeed:
      return infer_outfeed;

    case Opcode::kAllGather:
      return infer_all_gather;
    case Opcode::kAllGatherStart:
      return infer_all_gather_start;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      return infer_all_reduce;
    case Opcode::kReduceScatter:
      return infer_reduce_scatter;
    case Opcode::kAllToAll:
      return infer_all_to_all;
    case Opcode::kRaggedAllToAll:
      return infer_ragged_all_to_all;
    case Opcode::kCollectivePermute:
      return infer_collective_permute;
    case Opcode::kCollectivePermuteStart:
      return infer_collective_permute_start;
    case Opcode::kCollectiveBroadcast:
      return infer_collective_broadcast;
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
      return infer_second_of_operand;
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return infer_device_number;
  }
  return infer_none;
}

}  // namespace

Inferred infer(const Inference& inference) {
  const Opcode opcode = inference.instruction().opcode;
  if (const int count = operand_count(opcode); count >= 0) {
    MERCATOR_TRY_VOID(inference.expect_operands(static_cast<std::size_t>(count)));
  }
  return rule(opcode)(inference);
}

Result<std::optional<Shape>> infer_shape(const Instruction& instruction, Arena& arena) {
  return infer(Inference(instruction, &instruction.shape, arena));
}

}  // namespace mercator::hlo
