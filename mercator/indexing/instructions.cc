#include "mercator/indexing/instructions.h"

#include <fmt/format.h>

namespace mercator::indexing {

// parameter(0), constant(1), iota(): no operands. after-all(token): no elements.
void reads_nothing(InstructionMaps&) {}

void not_yet(InstructionMaps& maps) {
  maps.unknown(fmt::format("not yet: {}", hlo::name(maps.instruction().opcode)));
}

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
    case Opcode::kSelect:
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
    case Opcode::kIota:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
      return {reads_nothing, reads_nothing};

    case Opcode::kAddDependency:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      return {pass_through, pass_through};

    case Opcode::kBitcast:
      return {bitcast, bitcast};
    case Opcode::kBitcastConvert:
      return {bitcast_convert_o2i, bitcast_convert_i2o};
    case Opcode::kBroadcast:
      return {broadcast_o2i, broadcast_i2o};
    case Opcode::kCall:
    case Opcode::kFusion:
      return {called_computation, called_computation};
    case Opcode::kConcatenate:
      return {concatenate_o2i, concatenate_i2o};
    case Opcode::kConvolution:
      return {convolution_o2i, convolution_i2o};
    case Opcode::kCopyDone:
      return {copy_done, copy_done};
    case Opcode::kCopyStart:
      return {copy_start, copy_start};
    case Opcode::kDot:
      return {dot_o2i, dot_i2o};
    case Opcode::kDynamicSlice:
      return {dynamic_slice_o2i, dynamic_slice_i2o};
    case Opcode::kDynamicUpdateSlice:
      return {dynamic_update_slice_o2i, dynamic_update_slice_i2o};
    case Opcode::kGather:
      return {gather_o2i, gather_i2o};
    case Opcode::kGetTupleElement:
      return {get_tuple_element, get_tuple_element};
    case Opcode::kPad:
      return {pad_o2i, pad_i2o};
    case Opcode::kReduce:
      return {reduce_o2i, reduce_i2o};
    case Opcode::kReduceWindow:
      return {reduce_window_o2i, reduce_window_i2o};
    case Opcode::kReshape:
      return {reshape, reshape};
    case Opcode::kReverse:
      return {reverse, reverse};
    case Opcode::kSlice:
      return {slice_o2i, slice_i2o};
    case Opcode::kTranspose:
      return {transpose_o2i, transpose_i2o};
    case Opcode::kTuple:
      return {tuple, tuple};

    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kDynamicReshape:
    case Opcode::kFft:
    case Opcode::kGetDimensionSize:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRaggedDot:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReduceScatter:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kSetDimensionSize:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kTriangularSolve:
    case Opcode::kWhile:
      return {not_yet, not_yet};
  }
  return {not_yet, not_yet};  // not an opcode
}
#pragma GCC diagnostic pop

}  // namespace mercator::indexing
