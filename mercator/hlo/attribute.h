// The attributes of instructions: `dimensions={0,1}`, `window={size=3x3 pad=1_1x1_1}`,
// `to_apply=%add`.
//
// One table says, for each attribute that Mercator knows, how its value is written. Reader, printer
// and comparison are driven by it. An attribute that is not in the table is kept as its text.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "mercator/hlo/shape.h"

namespace mercator::hlo {

class Computation;
class Instruction;

// ---- values ----

// One dimension of window={size=… stride=… pad=… lhs_dilate=… rhs_dilate=… rhs_reversal=…}.
struct WindowDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t padding_low = 0;      // may be negative
  std::int64_t padding_high = 0;     // may be negative
  std::int64_t base_dilation = 1;    // lhs_dilate
  std::int64_t window_dilation = 1;  // rhs_dilate
  bool reversal = false;             // rhs_reversal

  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};
using Window = std::span<const WindowDimension>;

// dim_labels=b01f_01io->b01f: which dimension of each tensor plays which part.
struct ConvolutionDimensions {
  std::int64_t input_batch = 0;
  std::int64_t input_feature = 0;
  std::span<const std::int64_t> input_spatial;  // in the order of the window's dimensions
  std::int64_t kernel_input_feature = 0;
  std::int64_t kernel_output_feature = 0;
  std::span<const std::int64_t> kernel_spatial;
  std::int64_t output_batch = 0;
  std::int64_t output_feature = 0;
  std::span<const std::int64_t> output_spatial;
};

// One dimension of slice={[start:limit:stride], …}.
struct SliceDimension {
  std::int64_t start = 0;
  std::int64_t limit = 0;
  std::int64_t stride = 1;

  friend bool operator==(const SliceDimension&, const SliceDimension&) = default;
};

// One dimension of padding=low_high_interior x ….
struct PaddingDimension {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t interior = 0;

  friend bool operator==(const PaddingDimension&, const PaddingDimension&) = default;
};

// replica_groups={{0,1},{2,3}} or, as an iota, [2,2]<=[4] or [2,2]<=[2,2]T(1,0).
struct ReplicaGroups {
  std::span<const std::span<const std::int64_t>> groups;  // the first form
  std::span<const std::int64_t> iota_dimensions;          // [2,2]; empty: the first form
  std::span<const std::int64_t> iota_reshape;             // what stands after <=
  std::span<const std::int64_t> iota_transpose;           // T(…)
};

// One of sparsity=L.1@2:4_R.0@2:4: an operand of a dot that holds, of each `group` elements along
// `dimension`, `kept` ones. Which ones an operand of metadata says.
struct SparseOperand {
  std::int64_t operand = 0;  // 0 (L) or 1 (R)
  std::int64_t dimension = 0;
  std::int64_t kept = 0;
  std::int64_t group = 0;

  friend bool operator==(const SparseOperand&, const SparseOperand&) = default;
};

// metadata={op_type="…" op_name="…" source_file="…" source_line=3 …}.
struct Metadata {
  std::string_view op_type;  // the text between the quotes, escapes as written
  std::string_view op_name;
  std::string_view source_file;
  std::int64_t source_line = 0;
  std::int64_t stack_frame_id = 0;
  std::string_view text;  // all of it, with the braces
};

// A value kept as it was written. Braces, brackets, parentheses and quotes in it are balanced.
struct RawText {
  std::string_view text;
};
// A value that is one word: LT, kLoop, FFT.
struct Word {
  std::string_view text;
};
// A value between quotes, without them, escapes as written.
struct QuotedString {
  std::string_view text;
};

using AttributeValue =
    std::variant<std::int64_t, bool, Word, QuotedString, RawText, std::span<const std::int64_t>,
                 std::span<const std::string_view>, Computation*, std::span<Computation* const>,
                 std::span<const Instruction* const>, Window, const ConvolutionDimensions*,
                 std::span<const SliceDimension>, std::span<const PaddingDimension>,
                 const ReplicaGroups*, std::span<const std::span<const std::int64_t>>,
                 const Metadata*, std::span<const Shape>, std::span<const SparseOperand>>;

// How a value is written.
enum class AttributeSyntax : std::uint8_t {
  kInteger,        // 3, -1
  kFloat,          // 0.5: kept as RawText
  kBool,           // true
  kWord,           // LT
  kString,         // "…"
  kIntegers,       // {0,1}
  kWords,          // {highest,default}
  kComputation,    // %add
  kComputations,   // {%a, %b}
  kInstructions,   // {%a, %b}
  kWindow,         // {size=3 …}
  kConvolution,    // b0f_0io->b0f
  kSlice,          // {[0:1], …}
  kPadding,        // 1_2_0x3_4
  kReplicaGroups,  // {{0,1}} or [1,2]<=[2]
  kIntegerLists,   // {{0,1},{1,0}}
  kSparsity,       // L.1@2:4_R.0@2:4
  kMetadata,       // {op_name="…" …}
  kShape,          // f32[2]{0}: kept as one in the list of shapes
  kShapes,         // {f32[2]{0}, …}
  kLiteral,        // f32[2] {1, 2} or (f32[] 1, s32[] 2): kept as RawText
  kRaw,            // anything that is balanced
};

// id, name in the text, syntax. Sorted by name.
// clang-format off
#define MERCATOR_HLO_ATTRIBUTES(X)                                            \
  X(kAlgorithm, "algorithm", kWord)                                           \
  X(kApiVersion, "api_version", kWord)                                        \
  X(kAsyncExecutionThread, "async_execution_thread", kString)                 \
  X(kAsyncGroupId, "async_group_id", kInteger)                                \
  X(kBackendConfig, "backend_config", kRaw)                                   \
  X(kBatchGroupCount, "batch_group_count", kInteger)                          \
  X(kBody, "body", kComputation)                                              \
  X(kBranchComputations, "branch_computations", kComputations)                \
  X(kBroadcastDimension, "broadcast_dimension", kInteger)                     \
  X(kCalledComputations, "called_computations", kComputations)                \
  X(kCalls, "calls", kComputation)                                            \
  X(kChannelId, "channel_id", kInteger)                                       \
  X(kCollapsedSliceDims, "collapsed_slice_dims", kIntegers)                   \
  X(kComparator, "comparator", kComputation)                                  \
  X(kCondition, "condition", kComputation)                                    \
  X(kConstrainLayout, "constrain_layout", kBool)                              \
  X(kControlPredecessors, "control-predecessors", kInstructions)              \
  X(kConvKind, "conv_kind", kWord)                                            \
  X(kCrossProgramPrefetchIndex, "cross_program_prefetch_index", kInteger)     \
  X(kCustomCallHasSideEffect, "custom_call_has_side_effect", kBool)           \
  X(kCustomCallTarget, "custom_call_target", kString)                         \
  X(kDelta, "delta", kInteger)                                                \
  X(kDimLabels, "dim_labels", kConvolution)                                   \
  X(kDimensions, "dimensions", kIntegers)                                     \
  X(kDirection, "direction", kWord)                                           \
  X(kDistribution, "distribution", kWord)                                     \
  X(kDomain, "domain", kRaw)                                                  \
  X(kDynamicSliceSizes, "dynamic_slice_sizes", kIntegers)                     \
  X(kEpsilon, "epsilon", kFloat)                                              \
  X(kExponentBits, "exponent_bits", kInteger)                                 \
  X(kFalseComputation, "false_computation", kComputation)                     \
  X(kFeatureGroupCount, "feature_group_count", kInteger)                      \
  X(kFeatureIndex, "feature_index", kInteger)                                 \
  X(kFftLength, "fft_length", kIntegers)                                      \
  X(kFftType, "fft_type", kWord)                                              \
  X(kFrontendAttributes, "frontend_attributes", kRaw)                         \
  X(kIndex, "index", kInteger)                                                \
  X(kIndexVectorDim, "index_vector_dim", kInteger)                            \
  X(kIndicesAreSorted, "indices_are_sorted", kBool)                           \
  X(kInfeedConfig, "infeed_config", kString)                                  \
  X(kInferredDimension, "inferred_dimension", kInteger)                       \
  X(kInputBatchingDims, "input_batching_dims", kIntegers)                     \
  X(kInsertedWindowDims, "inserted_window_dims", kIntegers)                   \
  X(kIotaDimension, "iota_dimension", kInteger)                               \
  X(kIsAssociative, "is_associative", kBool)                                  \
  X(kIsComposite, "is_composite", kBool)                                      \
  X(kIsHostTransfer, "is_host_transfer", kBool)                               \
  X(kIsReverse, "is_reverse", kBool)                                          \
  X(kIsStable, "is_stable", kBool)                                            \
  X(kK, "k", kInteger)                                                        \
  X(kKind, "kind", kWord)                                                     \
  X(kLargest, "largest", kBool)                                               \
  X(kLeftSide, "left_side", kBool)                                            \
  X(kLhsBatchDims, "lhs_batch_dims", kIntegers)                               \
  X(kLhsContractingDims, "lhs_contracting_dims", kIntegers)                   \
  X(kLhsRaggedDims, "lhs_ragged_dims", kIntegers)                             \
  X(kLiteral, "literal", kLiteral)                                            \
  X(kLower, "lower", kBool)                                                   \
  X(kMantissaBits, "mantissa_bits", kInteger)                                 \
  X(kMetadata, "metadata", kMetadata)                                         \
  X(kMode, "mode", kWord)                                                     \
  X(kNumCarries, "num_carries", kInteger)                                     \
  X(kOffsetDims, "offset_dims", kIntegers)                                    \
  X(kOperandBatchingDims, "operand_batching_dims", kIntegers)                 \
  X(kOperandLayoutConstraints, "operand_layout_constraints", kShapes)         \
  X(kOperandPrecision, "operand_precision", kWords)                           \
  X(kOrigin, "origin", kRaw)                                                  \
  X(kOutfeedConfig, "outfeed_config", kString)                                \
  X(kOutfeedShape, "outfeed_shape", kShape)                                   \
  X(kOutputToOperandAliasing, "output_to_operand_aliasing", kRaw)             \
  X(kPadding, "padding", kPadding)                                            \
  X(kPaddingType, "padding_type", kWord)                                      \
  X(kParameterReplication, "parameter_replication", kRaw)                     \
  X(kReplicaGroups, "replica_groups", kReplicaGroups)                         \
  X(kResultAccuracy, "result_accuracy", kRaw)                                 \
  X(kRhsBatchDims, "rhs_batch_dims", kIntegers)                               \
  X(kRhsContractingDims, "rhs_contracting_dims", kIntegers)                   \
  X(kRhsGroupDims, "rhs_group_dims", kIntegers)                               \
  X(kScatter, "scatter", kComputation)                                        \
  X(kScatterDimsToOperandDims, "scatter_dims_to_operand_dims", kIntegers)     \
  X(kScatterIndicesBatchingDims, "scatter_indices_batching_dims", kIntegers)  \
  X(kSchedule, "schedule", kWord)                                             \
  X(kSelect, "select", kComputation)                                          \
  X(kSharding, "sharding", kRaw)                                              \
  X(kSlice, "slice", kSlice)                                                  \
  X(kSliceSizes, "slice_sizes", kIntegers)                                    \
  X(kSourceTargetPairs, "source_target_pairs", kIntegerLists)                 \
  X(kSparsity, "sparsity", kSparsity)                                         \
  X(kSplitDimension, "split_dimension", kInteger)                             \
  X(kStartIndexMap, "start_index_map", kIntegers)                             \
  X(kStartIndicesBatchingDims, "start_indices_batching_dims", kIntegers)      \
  X(kStatistics, "statistics", kRaw)                                          \
  X(kToApply, "to_apply", kComputation)                                       \
  X(kTransposeA, "transpose_a", kWord)                                        \
  X(kTrueComputation, "true_computation", kComputation)                       \
  X(kType, "type", kRaw)                                                      \
  X(kUniqueIndices, "unique_indices", kBool)                                  \
  X(kUnitDiagonal, "unit_diagonal", kBool)                                    \
  X(kUpdateWindowDims, "update_window_dims", kIntegers)                       \
  X(kUseGlobalDeviceIds, "use_global_device_ids", kBool)                      \
  X(kWindow, "window", kWindow)
// clang-format on

enum class AttributeName : std::uint8_t {
#define MERCATOR_X(id, name, syntax) id,
  MERCATOR_HLO_ATTRIBUTES(MERCATOR_X)
#undef MERCATOR_X
      kUnknown,
};

[[nodiscard]] std::string_view name(AttributeName name);
[[nodiscard]] AttributeSyntax syntax(AttributeName name);
[[nodiscard]] AttributeName attribute_name(std::string_view name);  // kUnknown if not in the table

struct Attribute {
  AttributeName name = AttributeName::kUnknown;
  std::string_view unknown_name;  // of kUnknown
  AttributeValue value;           // of kUnknown: RawText
};

}  // namespace mercator::hlo
