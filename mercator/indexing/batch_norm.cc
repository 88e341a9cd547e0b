#include <initializer_list>

#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

// Arrays with a dimension of features, and vectors with an element for each feature.
class BatchNorm {
 public:
  explicit BatchNorm(InstructionMaps& maps)
      : maps_(maps),
        feature_(static_cast<std::size_t>(
            maps.instruction().integer(hlo::AttributeName::kFeatureIndex, 0))) {}

  // Every element of a leaf of the result is made from all elements of the same feature.
  void add(const ShapeIndex& output, std::initializer_list<std::size_t> operands) {
    // Where the result is a tuple, all leaves but the first are vectors.
    const bool is_vector = !output.empty() && output[0] > 0;
    for (const std::size_t k : operands) {
      const Side result = {.shape = output_at(maps_, output), .is_vector = is_vector};
      // Operand 0 is an array, and so is the gradient of the result, operand 4.
      const bool is_gradient = k == 4 && maps_.instruction().opcode == hlo::Opcode::kBatchNormGrad;
      const Side operand = {.shape = maps_.operand(k), .is_vector = k != 0 && !is_gradient};
      const bool is_o2i = maps_.is_output_to_input();
      maps_.add(output, static_cast<std::int64_t>(k), {},
                is_o2i ? same_feature(result, operand) : same_feature(operand, result));
    }
  }

 private:
  struct Side {
    const hlo::Shape& shape;
    bool is_vector;
  };

  [[nodiscard]] IndexMap same_feature(const Side& from, const Side& to) {
    MapBuilder map = maps_.from(from.shape);
    const Expr feature = map.dim(from.is_vector ? 0 : feature_);
    if (to.is_vector) return map.to({feature});
    std::vector<Expr> index;
    for (std::size_t i = 0; i < to.shape.dimensions.size(); ++i) {
      index.push_back(i == feature_ ? feature : map.range(to.shape.dimensions[i]));
    }
    return map.to(std::move(index));
  }

  InstructionMaps& maps_;
  std::size_t feature_;
};

}  // namespace

// (f32[2, 3], f32[3], f32[3]) batch-norm-training(f32[2, 3] p0, f32[3] p1, f32[3] p2),
//     feature_index=1: the normalised array, the means, the variances
//   o2i of {0} from p0: (d0, d1)[s0] -> (s0, d1)
//   o2i of {0} from p1, p2: (d0, d1) -> (d1)
//   o2i of {1} and {2} from p0: (d0)[s0] -> (s0, d0)
void batch_norm_training(InstructionMaps& maps) {
  BatchNorm norm(maps);
  norm.add({0}, {0, 1, 2});
  norm.add({1}, {0});
  norm.add({2}, {0});
}

// f32[2, 3] batch-norm-inference(f32[2, 3] p0, f32[3] p1, …), feature_index=1: scale, offset, means
// and variances
//   o2i of p0: (d0, d1) -> (d0, d1)
//   o2i of the others: (d0, d1) -> (d1)
void batch_norm_inference(InstructionMaps& maps) {
  maps.add_identity({}, 0, {}, maps.output());
  BatchNorm(maps).add({}, {1, 2, 3, 4});
}

// (f32[2, 3], f32[3], f32[3]) batch-norm-grad(f32[2, 3] p0, f32[3] p1, f32[3] p2, f32[3] p3,
//     f32[2, 3] p4), feature_index=1: of the array, the scale p1 and the offset, with means p2,
//     variances p3 and the gradient p4 of the result
//   o2i of {0} from p0, p4: (d0, d1)[s0] -> (s0, d1)
//   o2i of {1} and {2} from p4: (d0)[s0] -> (s0, d0)
void batch_norm_grad(InstructionMaps& maps) {
  BatchNorm norm(maps);
  norm.add({0}, {0, 1, 2, 3, 4});
  norm.add({1}, {0, 2, 3, 4});
  norm.add({2}, {4});
}

}  // namespace mercator::indexing
