#include "test/indexing/value_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "mercator/indexing/indexing.h"
#include "test/indexing/value_inputs.h"
#include "test/indexing/value_relation.h"

namespace mercator::testing {
namespace {

using hlo::Instruction;
using Fault = std::optional<std::string>;
// The leaf of the result, the operand, the leaf of the operand.
using Place = std::tuple<ShapeIndex, std::int64_t, ShapeIndex>;

constexpr std::int64_t kMaxElements = 600;  // of the operands of an instruction together
constexpr std::int64_t kMaxPoints = 400'000;

std::vector<std::int64_t>& elements_at(Value& value, const ShapeIndex& leaf) {
  Value* at = &value;
  for (const std::int64_t i : leaf) at = &at->parts[static_cast<std::size_t>(i)];
  return at->elements;
}

std::string to_string(const Place& place) {
  const auto& [output, operand, leaf] = place;
  return fmt::format("output {{{}}}, operand {} {{{}}}", fmt::join(output, ","), operand,
                     fmt::join(leaf, ","));
}

std::string first_of(const Positions& positions) {
  return fmt::format("{} pairs, first: element {} of the result, element {} of the operand",
                     positions.size(), positions.begin()->first, positions.begin()->second);
}

Positions without(const Positions& a, const Positions& b) {
  Positions result;
  std::ranges::set_difference(a, b, std::inserter(result, result.end()));
  return result;
}

// One instruction with its operands as they are in a run.
class InstructionCheck {
 public:
  InstructionCheck(const hlo::Module& module, const Instruction& instruction, const Frame& frame,
                   std::uint64_t seed, const MakeEvaluation& make_evaluation)
      : module_(module),
        instruction_(instruction),
        frame_(frame),
        seed_(seed),
        make_evaluation_(make_evaluation),
        numbers_(seed) {}

  Fault check(IndexingAnalysis& analysis, ValueCounts& counts) {
    collect_leaves();
    if (element_count_ > kMaxElements || !can_tell_elements() || !run()) {
      ++counts.skipped;
      return std::nullopt;
    }
    o2i_ = analysis.indexing(instruction_, Direction::kOutputToInput);
    i2o_ = analysis.indexing(instruction_, Direction::kInputToOutput);
    for (const InstructionIndexing* indexing : {&o2i_, &i2o_}) {
      bool is_unknown = !indexing->unknown.empty();
      for (const auto& pair : indexing->pairs) is_unknown |= !pair.maps.unknown.empty();
      if (!is_unknown) continue;
      ++counts.unknown;
      return std::nullopt;
    }
    if (Fault fault = find_sources(counts)) return fault;
    std::set<Place> places;
    for (const auto& [place, positions] : sources_) places.insert(place);
    for (const InstructionIndexing* indexing : {&o2i_, &i2o_}) {
      for (const auto& pair : indexing->pairs) {
        places.insert({pair.output, pair.operand, pair.operand_leaf});
      }
    }
    for (const Place& place : places) {
      if (Fault fault = check_place(place, counts)) {
        return fmt::format("{}: {}", to_string(place), *fault);
      }
    }
    ++counts.instructions;
    return std::nullopt;
  }

 private:
  struct Leaf {
    std::size_t operand = 0;
    hlo::ShapeLeaf leaf;
    bool shows = false;
  };

  void collect_leaves() {
    for (std::size_t k = 0; k < instruction_.operands.size(); ++k) {
      operands_.push_back(frame_.values.at(instruction_.operands[k]));
      for (hlo::ShapeLeaf& leaf : hlo::leaves(instruction_.operand(k).shape)) {
        const bool shows = shows_in_result(instruction_, k, leaf.shape);
        element_count_ += leaf.shape.element_count();
        leaves_.push_back({.operand = k, .leaf = std::move(leaf), .shows = shows});
      }
    }
    for (const Leaf& leaf : leaves_) {
      if (!leaf.shows) continue;
      for (std::int64_t& element : elements_at(operands_[leaf.operand], leaf.leaf.index)) {
        element = numbers_.next();
      }
    }
  }

  // With the operands as they are now.
  Result<Value> result(Evaluation& evaluation) const {
    std::vector<const Value*> operands;
    for (const Value& operand : operands_) operands.push_back(&operand);
    return evaluation.evaluate(instruction_, operands);
  }

  bool can_tell_elements() const {
    const std::unique_ptr<Evaluation> evaluation = make_evaluation_(seed_);
    return std::ranges::all_of(leaves_, [&](const Leaf& leaf) {
      return !leaf.shows || evaluation->holds_any_number(leaf.leaf.shape.element_type);
    });
  }

  bool run() {
    const std::unique_ptr<Evaluation> evaluation = make_evaluation_(seed_);
    Result<Value> value = result(*evaluation);
    if (!value) return false;
    result_ = *std::move(value);
    inside_ = evaluation->frames();
    return true;
  }

  // What each element of the result is made from: what it is equal to, and what it changes with.
  Fault find_sources(ValueCounts& counts) {
    const bool data_only = has_loop(instruction_);
    for (const Leaf& leaf : leaves_) {
      if (data_only && !leaf.shows) continue;
      std::vector<std::int64_t>& elements = elements_at(operands_[leaf.operand], leaf.leaf.index);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::int64_t element = elements[i];
        if (leaf.shows) numbers_seen_[element] = {&leaf, static_cast<std::int64_t>(i)};
        // An odd number, no multiple of which is 0 soon.
        const std::int64_t other =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(element) +
                                      (static_cast<std::uint64_t>(numbers_.next()) | 1U));
        elements[i] = leaf.shows ? other : numbers_.index(leaf.leaf.shape.element_type);
        Result<Value> changed = result(*make_evaluation_(seed_));
        elements[i] = element;
        if (changed) add_sources(leaf, static_cast<std::int64_t>(i), *changed);
      }
    }
    return check_moved(counts);
  }

  void add_sources(const Leaf& leaf, std::int64_t element, Value& changed) {
    for (const hlo::ShapeLeaf& output : hlo::leaves(instruction_.shape)) {
      const auto& before = elements_at(result_, output.index);
      const auto& after = elements_at(changed, output.index);
      for (std::size_t o = 0; o < before.size(); ++o) {
        if (before[o] == after[o]) continue;
        sources_[{output.index, static_cast<std::int64_t>(leaf.operand), leaf.leaf.index}].emplace(
            static_cast<std::int64_t>(o), element);
      }
    }
  }

  // An element of the result that is one of those of the operands was moved from there, and is made
  // from no other.
  Fault check_moved(ValueCounts& counts) {
    std::map<std::pair<ShapeIndex, std::int64_t>, int> source_counts;
    for (const Leaf& leaf : leaves_) {
      if (!leaf.shows) continue;
      for (const hlo::ShapeLeaf& output : hlo::leaves(instruction_.shape)) {
        const auto found =
            sources_.find({output.index, static_cast<std::int64_t>(leaf.operand), leaf.leaf.index});
        if (found == sources_.end()) continue;
        for (const auto& [o, i] : found->second) ++source_counts[{output.index, o}];
      }
    }
    for (const hlo::ShapeLeaf& output : hlo::leaves(instruction_.shape)) {
      const auto& elements = elements_at(result_, output.index);
      for (std::int64_t o = 0; o < std::ssize(elements); ++o) {
        const auto seen = numbers_seen_.find(elements[static_cast<std::size_t>(o)]);
        if (seen == numbers_seen_.end()) continue;
        const auto& [leaf, i] = seen->second;
        const Place place = {output.index, static_cast<std::int64_t>(leaf->operand),
                             leaf->leaf.index};
        const auto found = sources_.find(place);
        if (found == sources_.end() || !found->second.contains({o, i}) ||
            source_counts[{output.index, o}] != 1) {
          return fmt::format("{}: element {} is element {}, but changes otherwise",
                             to_string(place), o, i);
        }
        ++counts.moved;
      }
    }
    return std::nullopt;
  }

  Fault check_place(const Place& place, ValueCounts& counts) {
    const auto forward = related(o2i_, place, true, counts);
    if (!forward) return skip_or_fault("o2i", forward.error(), counts);
    const auto backward = related(i2o_, place, false, counts);
    if (!backward) return skip_or_fault("i2o", backward.error(), counts);
    const Positions& sources = sources_[place];
    counts.pairs += std::ssize(sources);
    for (const auto& [name, positions] : {std::pair("o2i", &*forward), {"i2o", &*backward}}) {
      if (const Positions missing = without(sources, *positions); !missing.empty()) {
        return fmt::format("{}: missing {}", name, first_of(missing));
      }
    }
    if (const Positions more = without(*forward, *backward); !more.empty()) {
      return "o2i has more than i2o: " + first_of(more);
    }
    if (const Positions more = without(*backward, *forward); !more.empty()) {
      return "i2o has more than o2i: " + first_of(more);
    }
    return std::nullopt;
  }

  static Fault skip_or_fault(std::string_view direction, const Error& error, ValueCounts& counts) {
    if (error.kind != ErrorKind::kUnsupported) {
      return fmt::format("{}: {}", direction, error.message);
    }
    ++counts.skipped;
    return std::nullopt;
  }

  // The union of the relations of all maps, from the result to the operand.
  Result<Positions> related(const InstructionIndexing& indexing, const Place& place,
                            bool is_forward, ValueCounts& counts) {
    const auto& [output, operand, leaf] = place;
    Positions all;
    const OperandMaps* maps = indexing.find(output, operand, leaf);
    if (maps == nullptr) return all;
    const hlo::Shape out = shape_at(instruction_.shape, output);
    const std::size_t k = static_cast<std::size_t>(operand);
    const hlo::Shape in = shape_at(instruction_.operand(k).shape, leaf);
    const hlo::Shape& from = is_forward ? out : in;
    const hlo::Shape& to = is_forward ? in : out;
    for (const OperandMap& map : maps->maps) {
      counts.maps += 1;
      counts.runtime_maps += map.map.runtimes().empty() ? 0 : 1;
      counts.inexact_maps += map.exact ? 0 : 1;
      const std::string text = mercator::to_string(map.map, MapStyle::kOneLine);
      Result<Positions> positions = positions_of(
          map.map, from.dimensions, to.dimensions, module_,
          [&](const Instruction& tensor, std::int64_t at) { return number(tensor, at); },
          kMaxPoints);
      // Of a branch that was not taken.
      if (!positions && positions.error().kind == ErrorKind::kUsage && !map.exact) continue;
      if (!positions) {
        return fail(positions.error().kind,
                    fmt::format("{}\nof {}", positions.error().message, text));
      }
      Positions from_result;
      for (const auto& [a, b] : *positions) {
        from_result.emplace(is_forward ? a : b, is_forward ? b : a);
      }
      if (map.exact && shows_in_result(instruction_, k, in)) {
        if (const Positions more = without(from_result, sources_[place]); !more.empty()) {
          return fail(ErrorKind::kInvalidInput,
                      fmt::format("not made from that, {}\nof {}", first_of(more), text));
        }
      }
      all.merge(from_result);
    }
    return all;
  }

  static hlo::Shape shape_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
    const hlo::Shape* at = &shape;
    for (const std::int64_t i : leaf) at = &at->elements[static_cast<std::size_t>(i)];
    return *at;
  }

  // What the run gave for an element of a tensor: beside the instruction, or inside of it.
  Result<std::int64_t> number(const Instruction& tensor, std::int64_t position) const {
    std::set<std::int64_t> found;
    const auto look = [&](const Frame& frame) {
      const auto value = frame.values.find(&tensor);
      if (value == frame.values.end()) return;
      found.insert(number_of(value->second.elements[static_cast<std::size_t>(position)],
                             tensor.shape.element_type));
    };
    look(frame_);
    for (const Frame& frame : inside_) look(frame);
    if (found.size() == 1) return *found.begin();
    return fail(found.empty() ? ErrorKind::kUsage : ErrorKind::kInvalidInput,
                fmt::format("'{}' has {} values", tensor.name, found.size()));
  }

  const hlo::Module& module_;
  const Instruction& instruction_;
  const Frame& frame_;
  std::uint64_t seed_;
  const MakeEvaluation& make_evaluation_;
  InputNumbers numbers_;
  std::vector<Leaf> leaves_;
  std::int64_t element_count_ = 0;
  std::vector<Value> operands_;
  Value result_;
  std::deque<Frame> inside_;
  std::map<std::int64_t, std::pair<const Leaf*, std::int64_t>> numbers_seen_;
  // (element of the result, element of the operand).
  std::map<Place, Positions> sources_;
  InstructionIndexing o2i_;
  InstructionIndexing i2o_;
};

std::string maps_of(const Instruction& instruction, IndexingAnalysis& analysis) {
  std::string text;
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    for (const auto& pair : analysis.indexing(instruction, direction).pairs) {
      text += fmt::format("{} {}:\n", direction == Direction::kOutputToInput ? "o2i" : "i2o",
                          to_string({pair.output, pair.operand, pair.operand_leaf}));
      for (const OperandMap& map : pair.maps.maps) {
        text += fmt::format("  {}{}\n", map.exact ? "" : "(over-approximate) ",
                            mercator::to_string(map.map, MapStyle::kOneLine));
      }
    }
  }
  return text;
}

}  // namespace

ValueCounts& ValueCounts::operator+=(const ValueCounts& other) {
  runs += other.runs;
  undefined += other.undefined;
  instructions += other.instructions;
  skipped += other.skipped;
  unknown += other.unknown;
  maps += other.maps;
  runtime_maps += other.runtime_maps;
  inexact_maps += other.inexact_maps;
  moved += other.moved;
  pairs += other.pairs;
  return *this;
}

std::unique_ptr<Evaluation> make_value_evaluator(std::uint64_t seed) {
  return std::make_unique<ValueEvaluator>(seed);
}

Fault check_values(const hlo::Module& module, std::uint64_t seed, ValueCounts& counts,
                   const MakeEvaluation& make_evaluation) {
  InputNumbers numbers(seed);
  std::vector<Value> inputs;
  for (const Instruction* parameter : module.entry->parameters) {
    inputs.push_back(random_value(parameter->shape, numbers));
  }
  std::vector<const Value*> arguments;
  for (const Value& input : inputs) arguments.push_back(&input);
  const std::unique_ptr<Evaluation> evaluation = make_evaluation(seed);
  ++counts.runs;
  if (!evaluation->evaluate(*module.entry, arguments)) {
    ++counts.undefined;
    return std::nullopt;
  }
  ExprContext context;
  IndexingAnalysis analysis(module, context);
  std::map<const hlo::Computation*, int> evaluations;
  for (const Frame& frame : evaluation->frames()) ++evaluations[frame.computation];
  for (const Frame& frame : evaluation->frames()) {
    if (evaluations[frame.computation] != 1) continue;
    for (const Instruction* instruction : frame.computation->instructions) {
      // What nothing is made from may not have been evaluated.
      if (instruction->operands.empty() || !frame.values.contains(instruction)) continue;
      InstructionCheck check(module, *instruction, frame, seed, make_evaluation);
      if (Fault fault = check.check(analysis, counts)) {
        return fmt::format("'{}': {}\n{}", instruction->name, *fault,
                           maps_of(*instruction, analysis));
      }
    }
  }
  return std::nullopt;
}

}  // namespace mercator::testing
