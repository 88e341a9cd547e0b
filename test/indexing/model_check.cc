#include "test/indexing/model_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "test/indexing/map_relation.h"
#include "test/indexing/model.h"
#include "test/indexing/random_program.h"

namespace mercator::testing {
namespace {

using Pairs = std::vector<ElementPair>;
// The leaf of the result, the operand, the leaf of the operand.
using Place = std::tuple<ShapeIndex, std::int64_t, ShapeIndex>;
using Fault = std::optional<std::string>;

Place place_of(const InstructionIndexing::Pair& pair) {
  return {pair.output, pair.operand, pair.operand_leaf};
}

std::string to_string(const Place& place) {
  const auto& [output, operand, leaf] = place;
  return fmt::format("output {{{}}}, operand {} {{{}}}", fmt::join(output, ","), operand,
                     fmt::join(leaf, ","));
}

const hlo::Shape* array_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
  const hlo::Shape* at = &shape;
  for (const std::int64_t i : leaf) {
    if (!at->is_tuple() || i < 0 || i >= std::ssize(at->elements)) return nullptr;
    at = &at->elements[static_cast<std::size_t>(i)];
  }
  return at->is_array() ? at : nullptr;
}

std::int64_t most_elements(const hlo::Shape& shape) {
  std::int64_t most = 0;
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(shape)) {
    if (leaf.shape.is_array()) most = std::max(most, leaf.shape.element_count());
  }
  return most;
}

bool small_enough(const hlo::Instruction& instruction, std::int64_t max_pairs) {
  const std::int64_t outputs = most_elements(instruction.shape);
  return std::ranges::all_of(instruction.operands, [&](const hlo::Instruction* operand) {
    std::int64_t pairs = 0;
    return !__builtin_mul_overflow(outputs, most_elements(operand->shape), &pairs) &&
           pairs <= max_pairs;
  });
}

// Values for what the program does not say: small ones that fit, ones that need clamping on either
// side, and the largest and smallest of their type.
UnknownValues random_values(std::uint64_t seed, int draw) {
  return [=](const hlo::Instruction& instruction, const ShapeIndex& leaf, std::int64_t element,
             std::size_t scope) {
    std::uint64_t key = seed;
    for (const std::int64_t part :
         {static_cast<std::int64_t>(draw), static_cast<std::int64_t>(instruction.id), element,
          static_cast<std::int64_t>(scope), leaf.empty() ? 0 : leaf[0] + 1}) {
      key = Random(key ^ static_cast<std::uint64_t>(part)).next();
    }
    Random random(key);
    if (draw == 0) return random.in(0, 3);
    if (draw % 2 == 0 && random.percent(30)) {
      static constexpr std::int64_t kExtremes[] = {INT64_MIN, INT32_MIN, INT32_MAX, INT64_MAX};
      return kExtremes[random.in(0, 3)];
    }
    return random.in(-4, 9);
  };
}

Pairs transposed(const Pairs& pairs) {
  Pairs result;
  for (const auto& [a, b] : pairs) result.emplace_back(b, a);
  std::ranges::sort(result);
  return result;
}

// What is in `a` but not in `b`.
Pairs without(const Pairs& a, const Pairs& b) {
  Pairs result;
  std::ranges::set_difference(a, b, std::back_inserter(result));
  return result;
}

std::string first_of(const Pairs& pairs) {
  return fmt::format("{} pairs, first: element {} of the result, element {} of the operand",
                     pairs.size(), pairs.front().first, pairs.front().second);
}

// A runtime variable as its text says it: where its value is does not stand there.
IndexMap as_in_text(const IndexMap& map) {
  std::vector<RuntimeVariable> runtimes;
  for (const RuntimeVariable& variable : map.runtimes()) {
    runtimes.push_back({.bounds = variable.bounds, .name = variable.name});
  }
  return IndexMap(map.context(), map.dimensions(), map.ranges(), std::move(runtimes), map.results(),
                  map.constraints());
}

std::string text_of(const OperandMap& map) {
  return mercator::to_string(map.across_devices.value_or(map.map), MapStyle::kOneLine);
}

// The checks that need no model.
Fault check_form(const IndexMap& map) {
  const std::string text = mercator::to_string(map, MapStyle::kOneLine);
  if (simplify(map) != map) {
    return fmt::format("not simplified: {}\nwould be: {}", text,
                       mercator::to_string(simplify(map), MapStyle::kOneLine));
  }
  for (const MapStyle style : {MapStyle::kLines, MapStyle::kOneLine}) {
    const auto back = parse_index_map(mercator::to_string(map, style), map.context());
    if (!back) return fmt::format("does not read back: {}: {}", text, back.error().message);
    const bool same = map.is_known_empty() ? back->is_known_empty() : *back == as_in_text(map);
    if (!same) {
      return fmt::format("reads back as another map: {}\n{}", text,
                         mercator::to_string(*back, MapStyle::kOneLine));
    }
  }
  return std::nullopt;
}

Fault check_form(const OperandMaps& maps) {
  for (std::size_t i = 0; i < maps.maps.size(); ++i) {
    const OperandMap& map = maps.maps[i];
    if (Fault fault = check_form(map.map)) return fault;
    if (map.across_devices) {
      if (Fault fault = check_form(*map.across_devices)) return fault;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool same =
          maps.maps[j].map == map.map && maps.maps[j].across_devices == map.across_devices;
      if (same) return "twice the same map: " + text_of(map);
    }
  }
  return std::nullopt;
}

// The union of the relations of a set of maps, as pairs (output, operand).
struct MapSetRelation {
  Pairs all;
  bool exact = true;
};

class Checker {
 public:
  Checker(const hlo::Module& module, const hlo::Instruction& instruction,
          const CheckOptions& options)
      : module_(module), instruction_(instruction), options_(options) {}

  Fault check(IndexingAnalysis& analysis, CheckCounts& counts) {
    o2i_ = analysis.indexing(instruction_, Direction::kOutputToInput);
    i2o_ = analysis.indexing(instruction_, Direction::kInputToOutput);
    const bool unknown = is_unknown(o2i_);
    if (unknown != is_unknown(i2o_)) return "unknown in one direction only";
    if (unknown) {
      ++counts.unknown;
      return std::nullopt;
    }
    for (const InstructionIndexing* indexing : {&o2i_, &i2o_}) {
      if (Fault fault = check_structure(*indexing, indexing == &o2i_)) return fault;
    }
    for (int draw = 0; draw < options_.draws; ++draw) {
      Model model(module_, random_values(options_.seed, draw));
      const auto reads = model.reads(instruction_);
      if (!reads) {
        ++counts.skipped;
        return std::nullopt;
      }
      if (Fault fault = check_values(*reads, model)) {
        return fmt::format("with values of draw {}: {}", draw, *fault);
      }
      if (!has_runtimes() && !model.depends_on_values()) break;
    }
    counts += counts_;
    ++counts.instructions;
    return std::nullopt;
  }

 private:
  static bool is_unknown(const InstructionIndexing& indexing) {
    return !indexing.unknown.empty() || std::ranges::any_of(indexing.pairs, [](const auto& pair) {
      return !pair.maps.unknown.empty();
    });
  }

  [[nodiscard]] bool has_runtimes() const {
    return std::ranges::any_of(o2i_.pairs, [](const auto& pair) {
      return std::ranges::any_of(pair.maps.maps,
                                 [](const auto& m) { return !m.map.runtimes().empty(); });
    });
  }

  Fault check_structure(const InstructionIndexing& indexing, bool count) {
    for (std::size_t i = 0; i < indexing.pairs.size(); ++i) {
      const auto& pair = indexing.pairs[i];
      const std::string place = to_string(place_of(pair));
      if (i > 0 && place_of(indexing.pairs[i - 1]) >= place_of(pair)) {
        return place + ": out of order";
      }
      if (pair.operand < 0 || pair.operand >= std::ssize(instruction_.operands) ||
          array_at(instruction_.shape, pair.output) == nullptr ||
          array_at(operand_shape(pair.operand), pair.operand_leaf) == nullptr) {
        return place + ": there is no such array";
      }
      if (pair.maps.maps.empty()) return place + ": listed without a map";
      if (indexing.find(pair.output, pair.operand, pair.operand_leaf) != &pair.maps) {
        return place + ": not found";
      }
      if (Fault fault = check_form(pair.maps)) return fmt::format("{}: {}", place, *fault);
      for (const OperandMap& map : pair.maps.maps) {
        counts_.maps += count ? 1 : 0;
        counts_.inexact_maps += count && !map.exact ? 1 : 0;
        counts_.runtime_maps += count && !map.map.runtimes().empty() ? 1 : 0;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] const hlo::Shape& operand_shape(std::int64_t operand) const {
    return instruction_.operand(static_cast<std::size_t>(operand)).shape;
  }

  Fault check_values(const std::vector<ReadSet>& reads, Model& model) {
    std::map<Place, Pairs> expected;
    for (const ReadSet& set : reads)
      expected[{set.output, set.operand, set.operand_leaf}] = set.pairs;
    for (const auto& pair : o2i_.pairs) expected.try_emplace(place_of(pair));
    for (const auto& pair : i2o_.pairs) expected.try_emplace(place_of(pair));
    for (const auto& [place, pairs] : expected) {
      if (Fault fault = check_place(place, pairs, model)) {
        return fmt::format("{}: {}", to_string(place), *fault);
      }
      counts_.pairs += std::ssize(pairs);
    }
    return std::nullopt;
  }

  Fault check_place(const Place& place, const Pairs& expected, Model& model) {
    const auto forward = relation(o2i_, place, expected, true, model);
    if (!forward) return "o2i: " + forward.error().message;
    const auto backward = relation(i2o_, place, expected, false, model);
    if (!backward) return "i2o: " + backward.error().message;
    for (const auto* set : {&*forward, &*backward}) {
      const Pairs missing = without(expected, set->all);
      if (!missing.empty()) {
        return fmt::format("{}: missing {}", set == &*forward ? "o2i" : "i2o", first_of(missing));
      }
    }
    if (forward->all != backward->all) {
      const Pairs more = without(forward->all, backward->all);
      return more.empty()
                 ? "i2o has more than o2i: " + first_of(without(backward->all, forward->all))
                 : "o2i has more than i2o: " + first_of(more);
    }
    return std::nullopt;
  }

  Result<MapSetRelation> relation(const InstructionIndexing& indexing, const Place& place,
                                  const Pairs& expected, bool forward, Model& model) const {
    const auto& [output, operand, leaf] = place;
    MapSetRelation result;
    const OperandMaps* maps = indexing.find(output, operand, leaf);
    if (maps == nullptr) return result;
    const hlo::Shape& out = *array_at(instruction_.shape, output);
    const hlo::Shape& in = *array_at(operand_shape(operand), leaf);
    for (const OperandMap& map : maps->maps) {
      const std::string text = text_of(map);
      auto pairs = relation_of_map(map, forward ? out : in, forward ? in : out, model);
      if (!pairs) {
        return fail(pairs.error().kind, fmt::format("{}\nof {}", pairs.error().message, text));
      }
      if (!forward) *pairs = transposed(*pairs);
      const Pairs more = without(*pairs, expected);
      if (map.exact && !more.empty()) {
        return fail(ErrorKind::kInvalidInput,
                    fmt::format("names what is not read, {}\nof {}", first_of(more), text));
      }
      result.exact = result.exact && map.exact;
      result.all.insert(result.all.end(), pairs->begin(), pairs->end());
    }
    std::ranges::sort(result.all);
    const auto rest = std::ranges::unique(result.all);
    result.all.erase(rest.begin(), rest.end());
    return result;
  }

  // Of the elements on all devices.
  Result<Pairs> relation_of_map(const OperandMap& map, const hlo::Shape& from, const hlo::Shape& to,
                                Model& model) const {
    const std::int64_t devices = model.device_count();
    if (!map.across_devices && devices == 1) {
      return relation_of(map.map, from.dimensions, to.dimensions, module_, model,
                         options_.max_points);
    }
    const auto with_devices = [&](const hlo::Shape& shape) {
      ShapeIndex sizes(shape.dimensions.begin(), shape.dimensions.end());
      sizes.insert(sizes.begin(), devices);
      return sizes;
    };
    Pairs pairs = MERCATOR_TRY(relation_of(
        map.across_devices ? *map.across_devices : on_each_device(map.map, devices),
        with_devices(from), with_devices(to), module_, model, options_.max_points, true));
    if (map.across_devices && map.map.runtimes().empty()) {
      Pairs of_all = pairs;
      for (auto& [a, b] : of_all) {
        a %= from.element_count();
        b %= to.element_count();
      }
      std::ranges::sort(of_all);
      const auto rest = std::ranges::unique(of_all);
      of_all.erase(rest.begin(), rest.end());
      const Pairs said = MERCATOR_TRY(relation_of(map.map, from.dimensions, to.dimensions, module_,
                                                  model, options_.max_points));
      if (said != of_all) {
        return fail(ErrorKind::kInvalidInput, "says something else of all devices together");
      }
    }
    return pairs;
  }

  const hlo::Module& module_;
  const hlo::Instruction& instruction_;
  const CheckOptions& options_;
  InstructionIndexing o2i_;
  InstructionIndexing i2o_;
  CheckCounts counts_;
};

}  // namespace

CheckCounts& CheckCounts::operator+=(const CheckCounts& other) {
  instructions += other.instructions;
  unknown += other.unknown;
  skipped += other.skipped;
  maps += other.maps;
  inexact_maps += other.inexact_maps;
  runtime_maps += other.runtime_maps;
  pairs += other.pairs;
  return *this;
}

Fault check_with_model(const hlo::Module& module, const hlo::Instruction& instruction,
                       IndexingAnalysis& analysis, const CheckOptions& options,
                       CheckCounts& counts) {
  if (!small_enough(instruction, options.max_pairs)) {
    ++counts.skipped;
    return std::nullopt;
  }
  Fault fault = Checker(module, instruction, options).check(analysis, counts);
  if (fault) {
    return fmt::format("'{}': {}\n{}", instruction.name, *fault, maps_text(instruction, analysis));
  }
  return std::nullopt;
}

std::string maps_text(const hlo::Instruction& instruction, IndexingAnalysis& analysis) {
  std::string text;
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    const InstructionIndexing indexing = analysis.indexing(instruction, direction);
    const std::string_view name = direction == Direction::kOutputToInput ? "o2i" : "i2o";
    if (!indexing.unknown.empty()) text += fmt::format("{} unknown: {}\n", name, indexing.unknown);
    for (const auto& pair : indexing.pairs) {
      text += fmt::format("{} {}:{}\n", name, to_string(place_of(pair)),
                          pair.maps.unknown.empty() ? "" : " unknown: " + pair.maps.unknown);
      for (const OperandMap& map : pair.maps.maps) {
        text += fmt::format("  {}{}\n", map.exact ? "" : "(over-approximate) ", text_of(map));
      }
    }
  }
  return text;
}

}  // namespace mercator::testing
