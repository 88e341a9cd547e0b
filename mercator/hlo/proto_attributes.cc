// The attributes of an instruction, in the order in which XLA prints them. The numbers are those of
// HloInstructionProto and of the messages in it.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "mercator/hlo/index_numbers.h"
#include "mercator/hlo/proto_text.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kPrecisions[] = {"default", "high", "highest"};
constexpr std::string_view kDotAlgorithms[] = {"",
                                               "dot_any_f8_any_f8_f32",
                                               "dot_any_f8_any_f8_f32_fast_accum",
                                               "dot_f16_f16_f16",
                                               "dot_f16_f16_f32",
                                               "dot_bf16_bf16_bf16",
                                               "dot_bf16_bf16_f32",
                                               "dot_bf16_bf16_f32_x3",
                                               "dot_bf16_bf16_f32_x6",
                                               "dot_tf32_tf32_f32",
                                               "dot_tf32_tf32_f32_x3",
                                               "dot_f32_f32_f32",
                                               "dot_f64_f64_f64",
                                               "dot_bf16_bf16_f32_x9"};
constexpr std::string_view kPaddingTypes[] = {"", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                            "ADJOINT"};
constexpr std::string_view kSchedules[] = {"", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApiVersions[] = {"", "", "API_VERSION_STATUS_RETURNING",
                                             "API_VERSION_STATUS_RETURNING_UNIFIED",
                                             "API_VERSION_TYPED_FFI"};
constexpr std::string_view kConvolutionKinds[] = {"", "fprop", "dgrad", "wgrad"};
constexpr std::string_view kAccuracies[] = {"default", "highest"};

bool has_replica_groups(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

bool is_permute(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

// Those that say dimensions={} where there are none.
bool always_has_dimensions(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kSort:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

// How a comparison compares if it does not say so.
std::string_view usual_comparison(ElementType type) {
  if (is_floating(type) || is_complex(type)) return "FLOAT";
  return is_integral(type) && is_signed(type) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

void ProtoText::write_attributes(const Instruction& instruction) {
  if (!instruction.opcode) return;
  write_collective(instruction);
  write_dimensions(instruction);
  write_indexing(instruction);
  write_contraction(instruction);
  write_library(instruction);
  write_host(instruction);
  write_comparison(instruction);
  write_custom_call(instruction);
  write_called(instruction);
  write_notes(instruction);
}

void ProtoText::write_collective(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  const Opcode opcode = *instruction.opcode;
  const std::int64_t channel = message.integer(26);
  if (channel > 0) write_integer(AttributeName::kChannelId, channel);
  if (has_replica_groups(opcode)) {
    write_replica_groups(message);
    write_true(AttributeName::kConstrainLayout, message.boolean(56));
  }
  if (is_permute(opcode)) {
    begin(AttributeName::kSourceTargetPairs);
    out_ += '{';
    bool first = true;
    for (const WireMessage& pair : message.messages(52)) {
      out_ += fmt::format("{}{{{},{}}}", first ? "" : ",", pair.integer(1), pair.integer(2));
      first = false;
    }
    out_ += '}';
  }
}

void ProtoText::write_replica_groups(const WireMessage& message) {
  constexpr std::uint32_t kOld = 49;
  constexpr std::uint32_t kDeviceList = 87;
  constexpr std::uint32_t kIotaList = 92;
  constexpr std::uint32_t kMeshList = 93;
  if (message.has(kMeshList)) return write_mesh_groups(message.message(kMeshList));
  begin(AttributeName::kReplicaGroups);
  const WireMessage list = message.message(kDeviceList);
  // The iota form had another place before.
  const WireMessage iota = message.has(kIotaList) ? message.message(kIotaList) : list.message(2);
  if (const std::vector<std::int64_t> reshape = iota.integers(3); !reshape.empty()) {
    out_ += fmt::format("[{},{}]<=", iota.integer(1), iota.integer(2));
    append(reshape, '[', ']');
    if (const std::vector<std::int64_t> transpose = iota.integers(4); transpose.size() > 1) {
      out_ += 'T';
      append(transpose, '(', ')');
    }
    return;
  }
  out_ += '{';
  bool first = true;
  for (const WireMessage& group :
       message.has(kDeviceList) ? list.messages(1) : message.messages(kOld)) {
    if (!first) out_ += ',';
    first = false;
    append(group.integers(1));
  }
  out_ += '}';
}

// mesh['x'=2,'y'=4], device_ids=(0,2,1,3) {'x', 'y':(1)2}
void ProtoText::write_mesh_groups(const WireMessage& list) {
  const WireMessage mesh = list.message(1);
  const std::vector<WireMessage> axes = mesh.messages(1);
  begin(AttributeName::kReplicaGroups);
  const auto append_name = [&](std::string_view axis) {
    if (!check_name(axis, "an axis of a mesh")) return;
    out_ += fmt::format("'{}'", axis);
  };
  out_ += "mesh[";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) out_ += ',';
    append_name(axes[i].bytes(1));
    out_ += fmt::format("={}", axes[i].integer(2));
  }
  out_ += ']';
  if (const std::vector<std::int64_t> devices = mesh.integers(2); !devices.empty()) {
    out_ += ", device_ids=";
    append(devices, '(', ')');
  }
  out_ += " {";
  bool first = true;
  for (const WireMessage& reference : list.messages(2)) {
    if (!first) out_ += ',';
    first = false;
    const std::int64_t axis = reference.integer(1);
    if (axis < 0 || axis >= static_cast<std::int64_t>(axes.size())) {
      file_.fail("an axis of a mesh does not exist");
      return;
    }
    append_name(axes[static_cast<std::size_t>(axis)].bytes(1));
    if (!reference.has(2)) continue;
    const WireMessage part = reference.message(2);
    out_ += fmt::format(":({}){}", part.integer(1), part.integer(2));
  }
  out_ += '}';
}

// What the field `dimensions` is called depends on the instruction.
void ProtoText::write_dimensions(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  const Opcode opcode = *instruction.opcode;
  const std::vector<std::int64_t> dimensions = message.integers(14);
  const bool global_ids = message.boolean(71);
  const bool global_ids_first = opcode == Opcode::kReduceScatter;
  write_true(AttributeName::kUseGlobalDeviceIds, global_ids && global_ids_first);
  if (opcode == Opcode::kIota || opcode == Opcode::kReshape) {
    if (dimensions.empty()) return;
    write_integer(
        opcode == Opcode::kIota ? AttributeName::kIotaDimension : AttributeName::kInferredDimension,
        dimensions[0]);
  } else if (always_has_dimensions(opcode) || !dimensions.empty()) {
    write_integers(AttributeName::kDimensions, dimensions);
  }
  write_true(AttributeName::kUseGlobalDeviceIds, global_ids && !global_ids_first);
  write_true(AttributeName::kIsStable, message.boolean(60));
}

// Where elements are moved to: slices, padding, windows of gather and scatter.
void ProtoText::write_indexing(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  const Opcode opcode = *instruction.opcode;
  if (opcode == Opcode::kGetTupleElement) write_integer(AttributeName::kIndex, message.integer(13));
  if (opcode == Opcode::kSlice) {
    std::vector<SliceDimension> slice;
    for (const WireMessage& d : message.messages(17)) {
      slice.push_back({d.integer(1), d.integer(2), d.integer(3)});
    }
    out_ += ", ";
    write(Attribute{AttributeName::kSlice, {}, keep(slice)}, out_);
  }
  if (opcode == Opcode::kPad) {
    std::vector<PaddingDimension> padding;
    for (const WireMessage& d : message.message(21).messages(1)) {
      padding.push_back({d.integer(1), d.integer(2), d.integer(3)});
    }
    if (!padding.empty()) {
      out_ += ", ";
      write(Attribute{AttributeName::kPadding, {}, keep(padding)}, out_);
    }
  }
  if (opcode == Opcode::kDynamicSlice) {
    write_integers(AttributeName::kDynamicSliceSizes, message.integers(20));
  }
  if (opcode == Opcode::kGather || opcode == Opcode::kScatter) {
    const bool is_gather = opcode == Opcode::kGather;
    const IndexNumberNames names = index_number_names(opcode);
    const WireMessage numbers = message.message(is_gather ? 33 : 48);
    write_integers(names.window, numbers.integers(1));
    write_integers(names.absent, numbers.integers(2));
    write_integers(names.indexed, numbers.integers(3));
    write_nonempty(names.operand_batch, numbers.integers(5));
    write_nonempty(names.indices_batch, numbers.integers(6));
    write_integer(AttributeName::kIndexVectorDim, numbers.integer(4));
    if (is_gather) write_integers(AttributeName::kSliceSizes, message.integers(34));
  }
  write_true(AttributeName::kIndicesAreSorted, message.boolean(67));
  write_true(AttributeName::kUniqueIndices, message.boolean(69));
}

void ProtoText::write_window(const WireMessage& message) {
  std::vector<WindowDimension> window;
  for (const WireMessage& d : message.messages(1)) {
    window.push_back({.size = d.integer(1),
                      .stride = d.integer(2),
                      .padding_low = d.integer(3),
                      .padding_high = d.integer(4),
                      .base_dilation = d.integer(6),
                      .window_dilation = d.integer(5),
                      .reversal = d.boolean(7)});
  }
  if (window.empty()) return;
  out_ += ", ";
  write(Attribute{AttributeName::kWindow, {}, Window(keep(window))}, out_);
}

void ProtoText::write_contraction(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  write_window(message.message(15));
  if (message.has(16)) {
    const WireMessage numbers = message.message(16);
    const ConvolutionDimensions dims = {
        .input_batch = numbers.integer(7),
        .input_feature = numbers.integer(8),
        .input_spatial = keep(numbers.integers(11)),
        .kernel_input_feature = numbers.integer(3),
        .kernel_output_feature = numbers.integer(4),
        .kernel_spatial = keep(numbers.integers(6)),
        .output_batch = numbers.integer(9),
        .output_feature = numbers.integer(10),
        .output_spatial = keep(numbers.integers(12)),
    };
    // The places of the labels; more of them than there are dimensions would not fit the text.
    constexpr std::int64_t kMostLabels = 64;
    const auto fits = [](std::int64_t place) { return place >= 0 && place < kMostLabels; };
    if (!fits(dims.input_batch) || !fits(dims.input_feature) || !fits(dims.kernel_input_feature) ||
        !fits(dims.kernel_output_feature) || !fits(dims.output_batch) ||
        !fits(dims.output_feature) || !std::ranges::all_of(dims.input_spatial, fits) ||
        !std::ranges::all_of(dims.kernel_spatial, fits) ||
        !std::ranges::all_of(dims.output_spatial, fits)) {
      file_.fail("a dimension of a convolution is out of range");
      return;
    }
    out_ += ", ";
    write(Attribute{AttributeName::kDimLabels, {}, &dims}, out_);
  }
  const auto write_count = [&](AttributeName attribute, std::int64_t count) {
    if (count > 1) write_integer(attribute, count);
  };
  write_count(AttributeName::kFeatureGroupCount, message.integer(50));
  write_count(AttributeName::kBatchGroupCount, message.integer(58));
  write_word(AttributeName::kConvKind, kConvolutionKinds, message.integer(97));
  write_word(AttributeName::kPaddingType, kPaddingTypes, message.integer(75));
  const bool ragged = message.has(90);
  if (ragged || message.has(30)) {
    const WireMessage numbers = ragged ? message.message(90).message(1) : message.message(30);
    write_nonempty(AttributeName::kLhsBatchDims, numbers.integers(3));
    write_integers(AttributeName::kLhsContractingDims, numbers.integers(1));
    write_nonempty(AttributeName::kRhsBatchDims, numbers.integers(4));
    write_integers(AttributeName::kRhsContractingDims, numbers.integers(2));
  }
  if (ragged) {
    write_integers(AttributeName::kLhsRaggedDims, message.message(90).integers(2));
    write_nonempty(AttributeName::kRhsGroupDims, message.message(90).integers(3));
  }
  write_sparsity(message);
  write_precision(message.message(51));
}

void ProtoText::write_sparsity(const WireMessage& message) {
  std::vector<SparseOperand> operands;
  for (const WireMessage& sparse : message.messages(86)) {
    operands.push_back({.operand = sparse.integer(2),
                        .dimension = sparse.integer(3),
                        .kept = sparse.integer(4),
                        .group = sparse.integer(5)});
  }
  if (operands.empty()) return;
  out_ += ", ";
  write(Attribute{AttributeName::kSparsity, {}, keep(operands)}, out_);
}

void ProtoText::write_precision(const WireMessage& message) {
  const std::vector<std::int64_t> precisions = message.integers(1);
  if (std::ranges::any_of(precisions, [](std::int64_t p) { return p != 0; })) {
    begin(AttributeName::kOperandPrecision);
    for (std::size_t i = 0; i < precisions.size(); ++i) {
      const bool known = precisions[i] >= 0 && precisions[i] < std::ssize(kPrecisions);
      out_ += i == 0 ? '{' : ',';
      out_ += known ? kPrecisions[precisions[i]] : "default";
    }
    out_ += '}';
  }
  write_word(AttributeName::kAlgorithm, kDotAlgorithms, message.integer(2));
}

// Instructions that are one call of a library.
void ProtoText::write_library(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  switch (*instruction.opcode) {
    case Opcode::kFft:
      write_word(AttributeName::kFftType, kFftTypes, message.integer(31));
      write_integers(AttributeName::kFftLength, message.integers(32));
      break;
    case Opcode::kRng:
      write_word(AttributeName::kDistribution, kDistributions, message.integer(23));
      break;
    case Opcode::kRngBitGenerator:
      write_word(AttributeName::kAlgorithm, kAlgorithms, message.integer(70));
      break;
    case Opcode::kRngGetAndUpdateState:
      write_integer(AttributeName::kDelta, message.integer(66));
      break;
    case Opcode::kReducePrecision:
      write_integer(AttributeName::kExponentBits, message.integer(18));
      write_integer(AttributeName::kMantissaBits, message.integer(19));
      break;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      begin(AttributeName::kEpsilon);
      out_ += fmt::format("{}", static_cast<float>(message.real(24)));
      write_integer(AttributeName::kFeatureIndex, message.integer(25));
      break;
    case Opcode::kTriangularSolve: {
      const WireMessage options = message.message(59);
      write_true(AttributeName::kLeftSide, options.boolean(1));
      write_true(AttributeName::kLower, options.boolean(2));
      write_true(AttributeName::kUnitDiagonal, options.boolean(3));
      write_word(AttributeName::kTransposeA, kTransposes, options.integer(4));
      break;
    }
    case Opcode::kCholesky:
      write_true(AttributeName::kLower, message.message(62).boolean(1));
      break;
    case Opcode::kTopK:
      write_integer(AttributeName::kK, message.integer(81));
      begin(AttributeName::kLargest);
      out_ += message.boolean(85) ? "true" : "false";
      break;
    case Opcode::kScan:
      write_true(AttributeName::kIsReverse, message.boolean(94));
      write_integer(AttributeName::kNumCarries, message.integer(95));
      if (const std::int64_t associative = message.integer(96); associative != 0) {
        begin(AttributeName::kIsAssociative);
        out_ += associative == 1 ? "true" : "false";
      }
      break;
    default:
      break;
  }
  if (message.has(91)) {
    const WireMessage accuracy = message.message(91);
    const WireMessage tolerance = accuracy.message(2);
    const std::int64_t mode = accuracy.integer(1);
    if (accuracy.has(2)) {
      begin(AttributeName::kResultAccuracy);
      out_ += fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", tolerance.real(1),
                          tolerance.real(2), tolerance.integer(3));
    } else if (mode > 0 && mode < std::ssize(kAccuracies)) {
      begin(AttributeName::kResultAccuracy);
      out_ += fmt::format("{{mode={}}}", kAccuracies[mode]);
    }
  }
}

// What has to do with the host, with other threads, and with parameters.
void ProtoText::write_host(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  write_true(AttributeName::kIsHostTransfer, message.boolean(47));
  if (!message.bytes(27).empty()) write_quoted(AttributeName::kInfeedConfig, message.bytes(27));
  if (*instruction.opcode == Opcode::kOutfeed && message.has(29)) {
    begin(AttributeName::kOutfeedShape);
    append(shape(message.message(29)));
  }
  if (!message.bytes(22).empty()) write_quoted(AttributeName::kOutfeedConfig, message.bytes(22));
  if (message.has(61)) {
    const std::vector<std::int64_t> leaves = message.message(61).integers(1);
    begin(AttributeName::kParameterReplication);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      out_ += i == 0 ? '{' : ',';
      out_ += leaves[i] != 0 ? "true" : "false";
    }
    out_ += leaves.empty() ? "{}" : "}";
  }
  if (message.has(80)) {
    write_integer(AttributeName::kCrossProgramPrefetchIndex, message.integer(80));
  }
  const std::string_view thread = message.bytes(79);
  if (!thread.empty() && thread != "main") {
    write_quoted(AttributeName::kAsyncExecutionThread, thread);
  }
  if (*instruction.opcode == Opcode::kDomain) {
    // The fields are called the other way round than the parts of the text.
    const WireMessage entry = message.message(55);
    const WireMessage exit = message.message(54);
    if (!can_write(entry) || !can_write(exit)) return;
    begin(AttributeName::kDomain);
    out_ += "{kind=\"sharding\", entry=";
    append_sharding(entry);
    out_ += ", exit=";
    append_sharding(exit);
    out_ += '}';
  }
}

void ProtoText::write_comparison(const Instruction& instruction) {
  if (*instruction.opcode != Opcode::kCompare) return;
  const WireMessage& message = instruction.message;
  write_word(AttributeName::kDirection, message.bytes(63));
  const std::string_view type = message.bytes(72);
  const std::vector<std::int64_t> operands = message.integers(36);
  if (type.empty() || operands.empty()) return;
  const Instruction* operand = this->instruction(operands[0]);
  if (operand == nullptr || !operand->type || type == usual_comparison(*operand->type)) return;
  write_word(AttributeName::kType, type);
}

void ProtoText::write_custom_call(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  if (*instruction.opcode == Opcode::kFusion) {
    write_word(AttributeName::kKind, message.bytes(11));
    write_aliasing(message);
  }
  if (*instruction.opcode != Opcode::kCustomCall) return;
  write_quoted(AttributeName::kCustomCallTarget, message.bytes(28));
  if (message.boolean(56)) {
    begin(AttributeName::kOperandLayoutConstraints);
    out_ += '{';
    bool first = true;
    for (const WireMessage& operand : message.messages(57)) {
      if (!first) out_ += ", ";
      first = false;
      append(shape(operand));
    }
    out_ += '}';
  }
  write_true(AttributeName::kCustomCallHasSideEffect, message.boolean(65));
  if (message.has(8)) {
    const Literal value = literal(message.message(8));
    begin(AttributeName::kLiteral);
    append_with_shapes(value);
  }
  write_aliasing(message);
  write_word(AttributeName::kSchedule, kSchedules, message.integer(76));
  write_word(AttributeName::kApiVersion, kApiVersions, message.integer(77));
}

// f32[2] {1, 2}, or in a tuple ( f32[] 1, s32[] 2 )
void ProtoText::append_with_shapes(const Literal& literal) {
  if (!literal.shape.is_tuple()) {
    append(literal.shape);
    out_ += ' ';
    return write(literal, out_);
  }
  out_ += "( ";
  for (std::size_t i = 0; i < literal.elements.size(); ++i) {
    if (i > 0) out_ += ", ";
    append_with_shapes(literal.elements[i]);
  }
  out_ += " )";
}

// {{1}: (0, {}), {}: (2, {1})}
void ProtoText::write_aliasing(const WireMessage& message) {
  bool first = true;
  for (const WireMessage& alias : message.messages(74)) {
    if (first) begin(AttributeName::kOutputToOperandAliasing);
    out_ += first ? "{" : ", ";
    first = false;
    append(alias.integers(1));
    out_ += fmt::format(": ({}, ", alias.integer(2));
    append(alias.integers(3));
    out_ += ')';
  }
  if (!first) out_ += '}';
}

void ProtoText::write_called(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  const std::vector<std::int64_t> called = message.integers(38);
  const auto needs = [&](std::size_t count) {
    return called.size() == count ||
           file_.fail(fmt::format("'{}' calls {} computations, not {}", instruction.name, count,
                                  called.size()));
  };
  switch (*instruction.opcode) {
    case Opcode::kWhile:
      if (!needs(2)) return;
      write_computation(AttributeName::kCondition, called[1]);
      write_computation(AttributeName::kBody, called[0]);
      return;
    case Opcode::kSelectAndScatter:
      if (!needs(2)) return;
      write_computation(AttributeName::kSelect, called[0]);
      write_computation(AttributeName::kScatter, called[1]);
      return;
    case Opcode::kConditional: {
      const std::vector<std::int64_t> operands = message.integers(36);
      const Instruction* selector = operands.empty() ? nullptr : this->instruction(operands[0]);
      if (selector == nullptr) return;
      if (selector->type == ElementType::kPred) {
        if (!needs(2)) return;
        write_computation(AttributeName::kTrueComputation, called[0]);
        write_computation(AttributeName::kFalseComputation, called[1]);
      } else {
        write_computations(AttributeName::kBranchComputations, called);
      }
      return;
    }
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kCall:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceScatter:
    case Opcode::kReduceWindow:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSort:
    case Opcode::kTopK:
      if (called.empty() || !needs(1)) return;
      write_computation(AttributeName::kToApply, called[0]);
      write_true(AttributeName::kIsComposite, message.boolean(89));
      return;
    case Opcode::kCustomCall:
      if (!called.empty()) write_computations(AttributeName::kCalledComputations, called);
      return;
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
      return;  // the start says it
    default:
      if (called.empty() || !needs(1)) return;
      write_computation(AttributeName::kCalls, called[0]);
      return;
  }
}

// What has no part in what is computed.
void ProtoText::write_notes(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  if (message.has(40)) {
    const WireMessage sharding = message.message(40);
    if (can_write(sharding)) {
      begin(AttributeName::kSharding);
      append_sharding(sharding);
    }
  }
  const std::size_t start = out_.size();
  begin(AttributeName::kFrontendAttributes);
  const std::size_t value = out_.size();
  write_frontend_attributes(message.message(68));
  if (out_.size() == value + 2) out_.resize(start);
  if (const std::vector<std::int64_t> before = message.integers(37); !before.empty()) {
    begin(AttributeName::kControlPredecessors);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Instruction* predecessor = this->instruction(before[i]);
      if (predecessor == nullptr) return;
      out_ += i == 0 ? "{%" : ", %";
      out_ += predecessor->name;
    }
    out_ += '}';
  }
  write_statistics(message.message(82));
  if (message.has(88)) write_origin(message.message(88), shape(message.message(3)));
  if (message.has(7)) {
    const std::size_t before = out_.size();
    begin(AttributeName::kMetadata);
    const std::size_t from = out_.size();
    append_metadata(message.message(7));
    if (out_.size() == from + 2) out_.resize(before);
  }
  write_backend_config(backend_config(message));
}

// {({"a"}, {"b" {1}})}: for each leaf of the shape the array that it was, or {}
void ProtoText::write_origin(const WireMessage& origin, const Shape& shape) {
  std::map<std::vector<std::int64_t>, std::string> arrays;
  for (const WireMessage& element : origin.messages(1)) {
    if (!element.has(2)) continue;
    const WireMessage array = element.message(2);
    const std::vector<std::int64_t> index = array.integers(2);
    std::string text = fmt::format("\"{}\"", array.bytes(1));
    if (!check_name(array.bytes(1), "an array")) return;
    if (!index.empty()) text += fmt::format(" {{{}}}", fmt::join(index, ","));
    arrays[element.integers(1)] = std::move(text);
  }
  if (arrays.empty()) return;
  begin(AttributeName::kOrigin);
  out_ += '{';
  std::vector<std::int64_t> index;
  append_origin(shape, index, arrays);
  out_ += '}';
}

void ProtoText::append_origin(const Shape& shape, std::vector<std::int64_t>& index,
                              const std::map<std::vector<std::int64_t>, std::string>& arrays) {
  if (!shape.is_tuple()) {
    const auto found = arrays.find(index);
    out_ += fmt::format("{{{}}}", found == arrays.end() ? "" : found->second);
    return;
  }
  out_ += '(';
  for (std::size_t i = 0; i < shape.elements.size(); ++i) {
    if (i > 0) out_ += ", ";
    index.push_back(static_cast<std::int64_t>(i));
    append_origin(shape.elements[i], index, arrays);
    index.pop_back();
  }
  out_ += ')';
}

void ProtoText::write_statistics(const WireMessage& message) {
  const std::vector<WireMessage> statistics = message.messages(2);
  if (statistics.empty()) return;
  begin(AttributeName::kStatistics);
  out_ += fmt::format("{{visualizing_index={}", message.integer(1));
  for (const WireMessage& statistic : statistics) {
    if (!check_name(statistic.bytes(1), "a statistic")) return;
    out_ += fmt::format(",{}={}", statistic.bytes(1), statistic.real(2));
  }
  out_ += '}';
}

void ProtoText::append_metadata(const WireMessage& metadata) {
  struct Field {
    std::string_view name;
    std::uint32_t number;
    bool text;
  };
  constexpr Field kFields[] = {
      {"op_type", 1, true},
      {"op_name", 2, true},
      {"source_file", 3, true},
      {"source_line", 4, false},
      {"source_end_line", 17, false},
      {"source_column", 18, false},
      {"source_end_column", 19, false},
      {"stack_frame_id", 15, false},
      {"deduplicated_name", 12, true},
      {"scheduling_name", 16, true},
  };
  out_ += '{';
  bool first = true;
  for (const Field& field : kFields) {
    const std::string_view text = metadata.bytes(field.number);
    const std::int64_t number = metadata.integer(field.number);
    if (field.text ? text.empty() : number == 0) continue;
    if (!first) out_ += ' ';
    first = false;
    out_ += field.name;
    out_ += '=';
    if (field.text) {
      append_quoted(text);
    } else {
      write(number, out_);
    }
  }
  out_ += '}';
}

// In newer files a configuration may stand in a table of the module.
std::string_view ProtoText::backend_config(const WireMessage& message) {
  if (!message.has(99)) return message.bytes(43);
  const WireMessage payload = message.message(99);
  if (!payload.has(2)) return payload.bytes(1);
  const std::int64_t id = payload.integer(2);
  if (id < 0 || id >= std::ssize(payloads_)) {
    file_.fail(fmt::format("there is no payload {}", id));
    return {};
  }
  return payloads_[static_cast<std::size_t>(id)];
}

void ProtoText::write_backend_config(std::string_view config) {
  if (config.empty()) return;
  begin(AttributeName::kBackendConfig);
  append_value(config);
}

// As it is if it looks like JSON, and in quotes otherwise.
void ProtoText::append_value(std::string_view text) {
  bool json = text.starts_with('{');
  if (json) {
    Scanner scanner(terminated(text, arena_));
    std::string_view ignored;
    json = scanner.balanced(&ignored) && scanner.at_end();
  }
  if (json) {
    out_ += text;
  } else {
    append_quoted(text);
  }
}

// {a="b",c={"d": 1}}, in the order of the names; JSON stands without quotes.
void ProtoText::write_frontend_attributes(const WireMessage& attributes) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const WireMessage& entry : attributes.messages(1)) {
    entries.emplace_back(entry.bytes(1), entry.bytes(2));
  }
  std::ranges::sort(entries);
  out_ += '{';
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, value] = entries[i];
    if (!check_name(key, "a frontend attribute")) return;
    if (i > 0) out_ += ',';
    out_ += key;
    out_ += '=';
    append_value(value);
  }
  out_ += '}';
}

// ---- values ----

void ProtoText::begin(AttributeName attribute) {
  out_ += ", ";
  out_ += name(attribute);
  out_ += '=';
}

void ProtoText::write_integer(AttributeName attribute, std::int64_t value) {
  begin(attribute);
  write(value, out_);
}

void ProtoText::write_true(AttributeName attribute, bool value) {
  if (!value) return;
  begin(attribute);
  out_ += "true";
}

void ProtoText::write_word(AttributeName attribute, std::string_view word) {
  if (!check_name(word, name(attribute))) return;
  begin(attribute);
  out_ += word;
}

// The word for a number of an enumeration; an empty one is what is meant without the attribute.
void ProtoText::write_word(AttributeName attribute, Words words, std::int64_t index) {
  if (index < 0 || index >= std::ssize(words)) {
    file_.fail(fmt::format("{}={} is not supported", name(attribute), index),
               ErrorKind::kUnsupported);
  } else if (!words[static_cast<std::size_t>(index)].empty()) {
    write_word(attribute, words[static_cast<std::size_t>(index)]);
  }
}

void ProtoText::write_quoted(AttributeName attribute, std::string_view text) {
  begin(attribute);
  append_quoted(text);
}

void ProtoText::write_integers(AttributeName attribute, std::span<const std::int64_t> values) {
  begin(attribute);
  append(values);
}

void ProtoText::write_nonempty(AttributeName attribute, std::span<const std::int64_t> values) {
  if (!values.empty()) write_integers(attribute, values);
}

void ProtoText::write_computation(AttributeName attribute, std::int64_t id) {
  const Computation* called = computation(id);
  if (called == nullptr) return;
  begin(attribute);
  out_ += '%';
  out_ += called->name;
}

void ProtoText::write_computations(AttributeName attribute, std::span<const std::int64_t> ids) {
  begin(attribute);
  out_ += '{';
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Computation* called = computation(ids[i]);
    if (called == nullptr) return;
    out_ += i == 0 ? "%" : ", %";
    out_ += called->name;
  }
  out_ += '}';
}

void ProtoText::append(std::span<const std::int64_t> values, char open, char close) {
  out_ += open;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_ += ',';
    write(values[i], out_);
  }
  out_ += close;
}

// Escaped as in C: what is not printable in octal.
void ProtoText::append_quoted(std::string_view text) {
  out_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\r') {
      out_ += "\\r";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (c == '"' || c == '\'' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (byte < ' ' || byte >= 0x7F) {
      fmt::format_to(std::back_inserter(out_), "\\{:03o}", byte);
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

}  // namespace mercator::hlo
