#include <algorithm>

#include "mercator/indexing/dependence.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// The slices of N inputs, one after another, go through a function together with C carried values;
// it gives a slice of each of M outputs and new carried values, the last of which are results too.
//
// Result j of the function, at some step, is made from the slices of that step that it depends on,
// and through the carried values that it depends on from slices of earlier steps and from initial
// values. A carried value that depends on itself keeps what it was made from.
class Scan {
 public:
  explicit Scan(InstructionMaps& maps)
      : maps_(maps),
        function_(*maps.instruction().computation(AttributeName::kToApply)),
        along_(
            static_cast<std::size_t>(maps.instruction().integers(AttributeName::kDimensions)[0])),
        length_(maps.operand(0).dimensions[along_]),
        is_reverse_(maps.instruction().get<bool>(AttributeName::kIsReverse)),
        carries_(
            static_cast<std::size_t>(maps.instruction().integer(AttributeName::kNumCarries, 0))),
        inputs_(maps.instruction().operands.size() - carries_),
        results_(maps.output().is_tuple() ? maps.output().elements.size() : 1) {
    for (std::size_t j = 0; j < results_; ++j) {
      for (std::size_t k = 0; k < inputs_ + carries_; ++k) {
        is_elementwise_ = is_elementwise_ && function_(j, k) != Dependence::kPossible;
      }
    }
    find_states();
  }

  void add_maps() {
    if (length_ == 0) return add_untouched();
    for (std::size_t j = 0; j < results_; ++j) {
      for (std::size_t k = 0; k < inputs_; ++k) {
        const Dependence direct = function_(j, k);
        const bool elementwise = direct == Dependence::kElementwise;
        const bool earlier_exact = is_elementwise_ && keeps_all(j, k);
        if (!depends_on_earlier(j, k)) {
          if (direct != Dependence::kNone) add(j, k, Step::kSame, elementwise, elementwise);
        } else if (elementwise && earlier_exact) {
          add(j, k, Step::kUpToSame, true, true);
        } else {
          if (direct != Dependence::kNone) add(j, k, Step::kSame, elementwise, elementwise);
          add(j, k, Step::kEarlier, is_elementwise_, earlier_exact);
        }
      }
      for (std::size_t c = 0; c < carries_; ++c) {
        if (!state_[j][c]) continue;
        const bool keeps = depends(j, inputs_ + c) && (length_ == 1 || keeps_itself(c));
        add(j, inputs_ + c, Step::kInitial, is_elementwise_, is_elementwise_ && keeps);
      }
    }
  }

 private:
  // Which step an operand is read of.
  enum class Step : std::uint8_t { kSame, kEarlier, kUpToSame, kInitial };

  [[nodiscard]] bool depends(std::size_t j, std::size_t k) const {
    return function_(j, k) != Dependence::kNone;
  }
  // The result of the function that is carried value `c`.
  [[nodiscard]] std::size_t carried(std::size_t c) const { return results_ - carries_ + c; }
  [[nodiscard]] bool keeps_itself(std::size_t c) const { return depends(carried(c), inputs_ + c); }

  // state_[j][c]: result j depends on carried value c, of the step itself or of one before it.
  void find_states() {
    state_.assign(results_, std::vector<bool>(carries_, false));
    for (std::size_t j = 0; j < results_; ++j) {
      for (std::size_t c = 0; c < carries_; ++c) state_[j][c] = depends(j, inputs_ + c);
    }
    for (std::size_t through = 0; through < carries_; ++through) {
      for (std::size_t j = 0; j < results_; ++j) {
        if (!state_[j][through]) continue;
        for (std::size_t c = 0; c < carries_; ++c) {
          if (state_[carried(through)][c]) state_[j][c] = true;
        }
      }
    }
  }

  [[nodiscard]] bool depends_on_earlier(std::size_t j, std::size_t k) const {
    for (std::size_t c = 0; c < carries_; ++c) {
      if (state_[j][c] && depends(carried(c), k)) return true;
    }
    return false;
  }

  // Whether result j depends on input k at every earlier step.
  [[nodiscard]] bool keeps_all(std::size_t j, std::size_t k) const {
    for (std::size_t c = 0; c < carries_; ++c) {
      if (depends(j, inputs_ + c) && keeps_itself(c) && depends(carried(c), k)) return true;
    }
    return false;
  }

  // Without steps the carried values are what they were.
  void add_untouched() {
    for (std::size_t c = 0; c < carries_; ++c) {
      maps_.add_identity(output_leaf(carried(c)), static_cast<std::int64_t>(inputs_ + c), {},
                         maps_.operand(inputs_ + c));
    }
  }

  [[nodiscard]] ShapeIndex output_leaf(std::size_t j) const {
    return maps_.output().is_tuple() ? ShapeIndex{static_cast<std::int64_t>(j)} : ShapeIndex{};
  }

  // A result or an operand.
  struct Side {
    const hlo::Shape& shape;
    bool is_sliced;
  };

  // Elementwise: an element of a slice belongs to the element at the same index of the other.
  void add(std::size_t j, std::size_t k, Step step, bool elementwise, bool exact) {
    const bool is_o2i = maps_.is_output_to_input();
    const Side result = {
        .shape = maps_.output().is_tuple() ? maps_.output().elements[j] : maps_.output(),
        .is_sliced = j < results_ - carries_};
    const Side operand = {.shape = maps_.operand(k), .is_sliced = k < inputs_};
    const Side& here = is_o2i ? result : operand;
    const Side& there = is_o2i ? operand : result;
    MapBuilder map = maps_.from(here.shape);
    std::vector<Expr> index = elementwise ? map.dims() : std::vector<Expr>();
    const auto place = static_cast<std::ptrdiff_t>(along_);
    if (elementwise && here.is_sliced) index.erase(index.begin() + place);
    if (!elementwise) {
      for (std::size_t i = 0; i < there.shape.dimensions.size(); ++i) {
        if (!there.is_sliced || i != along_) index.push_back(map.range(there.shape.dimensions[i]));
      }
    }
    // The last carried values come from the last step.
    const Expr last = map.constant(is_reverse_ ? 0 : length_ - 1);
    const Expr here_step = here.is_sliced ? map.dim(along_) : last;
    const Expr there_step = !there.is_sliced                        ? last
                            : step == Step::kSame && here.is_sliced ? here_step
                                                                    : map.range(length_);
    require_order(map, step, is_o2i ? here_step : there_step, is_o2i ? there_step : here_step);
    if (there.is_sliced) index.insert(index.begin() + place, there_step);
    maps_.add(output_leaf(j), static_cast<std::int64_t>(k), {}, map.to(std::move(index)), exact);
  }

  void require_order(MapBuilder& map, Step step, Expr of_result, Expr of_operand) const {
    const Expr distance = is_reverse_ ? of_operand - of_result : of_result - of_operand;
    if (step == Step::kSame) map.require(distance, Interval::point(0));
    if (step == Step::kEarlier) map.require(distance, {1, Interval::kPlusInfinity});
    if (step == Step::kUpToSame) map.require(distance, {0, Interval::kPlusInfinity});
  }

  InstructionMaps& maps_;
  FunctionDependence function_;
  std::size_t along_;
  std::int64_t length_;
  bool is_reverse_;
  std::size_t carries_;
  std::size_t inputs_;
  std::size_t results_;
  // Of everything that the function depends on.
  bool is_elementwise_ = true;
  std::vector<std::vector<bool>> state_;
};

}  // namespace

// (f32[8, 3], f32[3]) scan(f32[8, 3] p0, f32[3] p1), dimensions={0}, num_carries=1, to_apply=sum,
//     where sum gives x + c twice
//   o2i of {0} from p0: (d0, d1)[s0] -> (s0, d1), d0 - s0 in [0, 7]
//   o2i of {0} from p1: (d0, d1) -> (d1)
//   o2i of {1} from p0: (d0)[s0] -> (s0, d0)
// Where the function does more than elementwise arithmetic, whole slices are named, as an
// over-approximation.
void scan(InstructionMaps& maps) {
  if (std::ssize(maps.instruction().operands) * std::ssize(maps.output().is_tuple()
                                                               ? maps.output().elements
                                                               : std::span(&maps.output(), 1)) >
      kMaxPairs) {
    return maps.unknown("not supported: a scan of that many operands");
  }
  Scan(maps).add_maps();
}

}  // namespace mercator::indexing
