// The instructions of HLO: one table with all of them.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mercator::hlo {

// Whether each result element is computed from the operand elements at the same index.
enum class OpcodeClass : std::uint8_t { kElementwise, kOther };

// id, name in the text, number of operands (-1: any), class.
// clang-format off
#define MERCATOR_HLO_OPCODES(X)                                    \
  X(kAbs, "abs", 1, kElementwise)                                  \
  X(kAcos, "acos", 1, kElementwise)                                \
  X(kAcosh, "acosh", 1, kElementwise)                              \
  X(kAdd, "add", 2, kElementwise)                                  \
  X(kAddDependency, "add-dependency", 2, kOther)                   \
  X(kAfterAll, "after-all", -1, kOther)                            \
  X(kAllGather, "all-gather", -1, kOther)                          \
  X(kAllGatherDone, "all-gather-done", 1, kOther)                  \
  X(kAllGatherStart, "all-gather-start", -1, kOther)               \
  X(kAllReduce, "all-reduce", -1, kOther)                          \
  X(kAllReduceDone, "all-reduce-done", 1, kOther)                  \
  X(kAllReduceStart, "all-reduce-start", -1, kOther)               \
  X(kAllToAll, "all-to-all", -1, kOther)                           \
  X(kAnd, "and", 2, kElementwise)                                  \
  X(kAsin, "asin", 1, kElementwise)                                \
  X(kAsinh, "asinh", 1, kElementwise)                              \
  X(kAsyncDone, "async-done", 1, kOther)                           \
  X(kAsyncStart, "async-start", -1, kOther)                        \
  X(kAsyncUpdate, "async-update", 1, kOther)                       \
  X(kAtan2, "atan2", 2, kElementwise)                              \
  X(kAtanh, "atanh", 1, kElementwise)                              \
  X(kBatchNormGrad, "batch-norm-grad", 5, kOther)                  \
  X(kBatchNormInference, "batch-norm-inference", 5, kOther)        \
  X(kBatchNormTraining, "batch-norm-training", 3, kOther)          \
  X(kBitcast, "bitcast", 1, kOther)                                \
  X(kBitcastConvert, "bitcast-convert", 1, kOther)                 \
  X(kBroadcast, "broadcast", 1, kOther)                            \
  X(kCall, "call", -1, kOther)                                     \
  X(kCbrt, "cbrt", 1, kElementwise)                                \
  X(kCeil, "ceil", 1, kElementwise)                                \
  X(kCholesky, "cholesky", 1, kOther)                              \
  X(kClamp, "clamp", 3, kOther)                                    \
  X(kClz, "count-leading-zeros", 1, kElementwise)                  \
  X(kCollectiveBroadcast, "collective-broadcast", -1, kOther)      \
  X(kCollectivePermute, "collective-permute", -1, kOther)          \
  X(kCollectivePermuteDone, "collective-permute-done", 1, kOther)  \
  X(kCollectivePermuteStart, "collective-permute-start", -1, kOther) \
  X(kCompare, "compare", 2, kElementwise)                          \
  X(kComplex, "complex", 2, kElementwise)                          \
  X(kConcatenate, "concatenate", -1, kOther)                       \
  X(kConditional, "conditional", -1, kOther)                       \
  X(kConstant, "constant", 0, kOther)                              \
  X(kConvert, "convert", 1, kElementwise)                          \
  X(kConvolution, "convolution", 2, kOther)                        \
  X(kCopy, "copy", 1, kElementwise)                                \
  X(kCopyDone, "copy-done", 1, kOther)                             \
  X(kCopyStart, "copy-start", 1, kOther)                           \
  X(kCosh, "cosh", 1, kElementwise)                                \
  X(kCosine, "cosine", 1, kElementwise)                            \
  X(kCustomCall, "custom-call", -1, kOther)                        \
  X(kDivide, "divide", 2, kElementwise)                            \
  X(kDomain, "domain", 1, kOther)                                  \
  X(kDot, "dot", -1, kOther)                                       \
  X(kDynamicReshape, "dynamic-reshape", -1, kOther)                \
  X(kDynamicSlice, "dynamic-slice", -1, kOther)                    \
  X(kDynamicUpdateSlice, "dynamic-update-slice", -1, kOther)       \
  X(kErf, "erf", 1, kElementwise)                                  \
  X(kExp, "exponential", 1, kElementwise)                          \
  X(kExpm1, "exponential-minus-one", 1, kElementwise)              \
  X(kFft, "fft", 1, kOther)                                        \
  X(kFloor, "floor", 1, kElementwise)                              \
  X(kFusion, "fusion", -1, kOther)                                 \
  X(kGather, "gather", 2, kOther)                                  \
  X(kGetDimensionSize, "get-dimension-size", 1, kOther)            \
  X(kGetTupleElement, "get-tuple-element", 1, kOther)              \
  X(kImag, "imag", 1, kElementwise)                                \
  X(kInfeed, "infeed", 1, kOther)                                  \
  X(kIota, "iota", 0, kOther)                                      \
  X(kIsFinite, "is-finite", 1, kElementwise)                       \
  X(kLog, "log", 1, kElementwise)                                  \
  X(kLog1p, "log-plus-one", 1, kElementwise)                       \
  X(kLogistic, "logistic", 1, kElementwise)                        \
  X(kMap, "map", -1, kElementwise)                                 \
  X(kMaximum, "maximum", 2, kElementwise)                          \
  X(kMinimum, "minimum", 2, kElementwise)                          \
  X(kMultiply, "multiply", 2, kElementwise)                        \
  X(kNegate, "negate", 1, kElementwise)                            \
  X(kNot, "not", 1, kElementwise)                                  \
  X(kOptimizationBarrier, "opt-barrier", 1, kOther)                \
  X(kOr, "or", 2, kElementwise)                                    \
  X(kOutfeed, "outfeed", 2, kOther)                                \
  X(kPad, "pad", 2, kOther)                                        \
  X(kParameter, "parameter", 0, kOther)                            \
  X(kPartitionId, "partition-id", 0, kOther)                       \
  X(kPopcnt, "popcnt", 1, kElementwise)                            \
  X(kPower, "power", 2, kElementwise)                              \
  X(kRaggedAllToAll, "ragged-all-to-all", 6, kOther)               \
  X(kRaggedDot, "ragged-dot", 3, kOther)                           \
  X(kReal, "real", 1, kElementwise)                                \
  X(kRecv, "recv", 1, kOther)                                      \
  X(kRecvDone, "recv-done", 1, kOther)                             \
  X(kReduce, "reduce", -1, kOther)                                 \
  X(kReducePrecision, "reduce-precision", 1, kElementwise)         \
  X(kReduceScatter, "reduce-scatter", -1, kOther)                  \
  X(kReduceWindow, "reduce-window", -1, kOther)                    \
  X(kRemainder, "remainder", 2, kElementwise)                      \
  X(kReplicaId, "replica-id", 0, kOther)                           \
  X(kReshape, "reshape", 1, kOther)                                \
  X(kReverse, "reverse", 1, kOther)                                \
  X(kRng, "rng", -1, kOther)                                       \
  X(kRngBitGenerator, "rng-bit-generator", 1, kOther)              \
  X(kRngGetAndUpdateState, "rng-get-and-update-state", 0, kOther)  \
  X(kRoundNearestAfz, "round-nearest-afz", 1, kElementwise)        \
  X(kRoundNearestEven, "round-nearest-even", 1, kElementwise)      \
  X(kRsqrt, "rsqrt", 1, kElementwise)                              \
  X(kScaledDot, "scaled-dot", -1, kOther)                          \
  X(kScan, "scan", -1, kOther)                                     \
  X(kScatter, "scatter", -1, kOther)                               \
  X(kSelect, "select", 3, kElementwise)                            \
  X(kSelectAndScatter, "select-and-scatter", 3, kOther)            \
  X(kSend, "send", 2, kOther)                                      \
  X(kSendDone, "send-done", 1, kOther)                             \
  X(kSetDimensionSize, "set-dimension-size", 2, kOther)            \
  X(kShiftLeft, "shift-left", 2, kElementwise)                     \
  X(kShiftRightArithmetic, "shift-right-arithmetic", 2, kElementwise) \
  X(kShiftRightLogical, "shift-right-logical", 2, kElementwise)    \
  X(kSign, "sign", 1, kElementwise)                                \
  X(kSine, "sine", 1, kElementwise)                                \
  X(kSinh, "sinh", 1, kElementwise)                                \
  X(kSlice, "slice", 1, kOther)                                    \
  X(kSort, "sort", -1, kOther)                                     \
  X(kSqrt, "sqrt", 1, kElementwise)                                \
  X(kStochasticConvert, "stochastic-convert", 2, kElementwise)     \
  X(kSubtract, "subtract", 2, kElementwise)                        \
  X(kTan, "tan", 1, kElementwise)                                  \
  X(kTanh, "tanh", 1, kElementwise)                                \
  X(kTopK, "topk", 1, kOther)                                      \
  X(kTranspose, "transpose", 1, kOther)                            \
  X(kTriangularSolve, "triangular-solve", 2, kOther)               \
  X(kTuple, "tuple", -1, kOther)                                   \
  X(kWhile, "while", 1, kOther)                                    \
  X(kXor, "xor", 2, kElementwise)
// clang-format on

enum class Opcode : std::uint8_t {
#define MERCATOR_X(id, name, operands, opcode_class) id,
  MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
};

[[nodiscard]] std::string_view name(Opcode opcode);
[[nodiscard]] std::optional<Opcode> opcode(std::string_view name);
[[nodiscard]] int operand_count(Opcode opcode);  // -1: any
[[nodiscard]] bool is_elementwise(Opcode opcode);

}  // namespace mercator::hlo
