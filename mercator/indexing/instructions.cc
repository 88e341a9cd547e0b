#include "mercator/indexing/instructions.h"

namespace mercator::indexing {

// parameter(0), constant(1), iota(): no operands. after-all(token): no elements.
// get-dimension-size(p0): the size, and no element.
void reads_nothing(InstructionMaps&) {}

// An opcode that is missing in the switch does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
MapFunctions map_functions(hlo::Opcode opcode) {
  using hlo::Opcode;
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kClz:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kConvert:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kMap:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPopcnt:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kStochasticConvert:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kXor:
      return {elementwise, elementwise};

    case Opcode::kAfterAll:
    case Opcode::kConstant:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSendDone:
      return {reads_nothing, reads_nothing};

    case Opcode::kAddDependency:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      return {pass_through, pass_through};

    case Opcode::kBatchNormGrad:
      return {batch_norm_grad, batch_norm_grad};
    case Opcode::kBatchNormInference:
      return {batch_norm_inference, batch_norm_inference};
    case Opcode::kBatchNormTraining:
      return {batch_norm_training, batch_norm_training};
    case Opcode::kAllGather:
      return {all_gather, all_gather};
    case Opcode::kAllGatherDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
      return {second_part, second_part};
    case Opcode::kAllGatherStart:
      return {all_gather_start, all_gather_start};
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      return {all_reduce, all_reduce};
    case Opcode::kAllToAll:
      return {all_to_all, all_to_all};
    case Opcode::kAsyncStart:
      return {async_start, async_start};
    case Opcode::kBitcast:
      return {bitcast, bitcast};
    case Opcode::kBitcastConvert:
      return {bitcast_convert_o2i, bitcast_convert_i2o};
    case Opcode::kBroadcast:
      return {broadcast_o2i, broadcast_i2o};
    case Opcode::kCall:
    case Opcode::kFusion:
      return {called_computation, called_computation};
    case Opcode::kCholesky:
      return {cholesky, cholesky};
    case Opcode::kCollectiveBroadcast:
      return {collective_broadcast, collective_broadcast};
    case Opcode::kCollectivePermute:
      return {collective_permute, collective_permute};
    case Opcode::kCollectivePermuteStart:
      return {collective_permute_start, collective_permute_start};
    case Opcode::kConcatenate:
      return {concatenate_o2i, concatenate_i2o};
    case Opcode::kConditional:
      return {conditional, conditional};
    case Opcode::kConvolution:
      return {convolution, convolution};
    case Opcode::kCopyDone:
      return {copy_done, copy_done};
    case Opcode::kCopyStart:
      return {copy_start, copy_start};
    case Opcode::kCustomCall:
      return {custom_call, custom_call};
    case Opcode::kDot:
      return {dot, dot};
    case Opcode::kDynamicReshape:
      return {dynamic_reshape, dynamic_reshape};
    case Opcode::kDynamicSlice:
      return {dynamic_slice_o2i, dynamic_slice_i2o};
    case Opcode::kDynamicUpdateSlice:
      return {dynamic_update_slice_o2i, dynamic_update_slice_i2o};
    case Opcode::kFft:
      return {fft, fft};
    case Opcode::kGather:
      return {gather_o2i, gather_i2o};
    case Opcode::kGetTupleElement:
      return {get_tuple_element, get_tuple_element};
    case Opcode::kInfeed:
      return {infeed, infeed};
    case Opcode::kOutfeed:
      return {outfeed, outfeed};
    case Opcode::kPad:
      return {pad_o2i, pad_i2o};
    case Opcode::kRaggedDot:
      return {ragged_dot, ragged_dot};
    case Opcode::kRaggedAllToAll:
      return {ragged_all_to_all, ragged_all_to_all};
    case Opcode::kRecv:
      return {receive, receive};
    case Opcode::kRecvDone:
      return {receive_done, receive_done};
    case Opcode::kReduce:
      return {reduce_o2i, reduce_i2o};
    case Opcode::kReduceScatter:
      return {reduce_scatter, reduce_scatter};
    case Opcode::kReduceWindow:
      return {reduce_window_o2i, reduce_window_i2o};
    case Opcode::kReshape:
      return {reshape, reshape};
    case Opcode::kReverse:
      return {reverse, reverse};
    case Opcode::kRng:
      return {rng, rng};
    case Opcode::kRngBitGenerator:
      return {rng_bit_generator, rng_bit_generator};
    case Opcode::kScaledDot:
      return {scaled_dot, scaled_dot};
    case Opcode::kScan:
      return {scan, scan};
    case Opcode::kScatter:
      return {scatter, scatter};
    case Opcode::kSelect:
      return {select, select};
    case Opcode::kSelectAndScatter:
      return {select_and_scatter, select_and_scatter};
    case Opcode::kSetDimensionSize:
      return {set_dimension_size, set_dimension_size};
    case Opcode::kSend:
      return {send, send};
    case Opcode::kSlice:
      return {slice_o2i, slice_i2o};
    case Opcode::kSort:
      return {sort, sort};
    case Opcode::kTopK:
      return {topk, topk};
    case Opcode::kTranspose:
      return {transpose_o2i, transpose_i2o};
    case Opcode::kTriangularSolve:
      return {triangular_solve, triangular_solve};
    case Opcode::kTuple:
      return {tuple, tuple};
    case Opcode::kWhile:
      return {while_loop, while_loop};
  }
  __builtin_unreachable();  // not an opcode
}
#pragma GCC diagnostic pop

}  // namespace mercator::indexing
