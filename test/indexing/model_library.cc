// Definitions of the instructions that stand for a whole algorithm.

#include <array>
#include <set>
#include <string_view>

#include "test/indexing/model_definitions.h"

namespace mercator::testing {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

using Elements = std::set<std::int64_t>;

// Of each element of the result, read all of the operand.
void read_all(const Instruction& instruction, std::size_t result, std::size_t operand,
              const Reader& reader) {
  const hlo::Shape shape = hlo::leaves(instruction.shape)[result].shape;
  for (std::int64_t output = 0; output < shape.element_count(); ++output) {
    for (std::int64_t i = 0; i < instruction.operand(operand).shape.element_count(); ++i) {
      reader.read_by(result, operand, output, i);
    }
  }
}

bool same_but_for(Sizes a, Sizes b, Sizes dimensions) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d] && !contains(dimensions, static_cast<std::int64_t>(d))) return false;
  }
  return true;
}

// Calls visit(batch) for every matrix of an array, with an index whose last two components are 0.
template <class Visit>
void for_each_matrix(Sizes sizes, Visit&& visit) {
  Index batch(sizes.begin(), sizes.end());
  if (batch[batch.size() - 1] > 0) batch[batch.size() - 1] = 1;
  if (batch[batch.size() - 2] > 0) batch[batch.size() - 2] = 1;
  for_each_index(batch, visit);
}

std::int64_t in_matrix(Sizes batch, std::int64_t row, std::int64_t column, Sizes sizes) {
  Index index(batch.begin(), batch.end());
  index[index.size() - 2] = row;
  index[index.size() - 1] = column;
  return position_of(index, sizes);
}

}  // namespace

void read_topk(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Index last = {std::ssize(sizes) - 1};
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    std::int64_t element = 0;
    for_each_index(sizes, [&](Sizes at) {
      if (same_but_for(index, at, last)) reader.read(0, output, element);
      ++element;
    });
  });
}

// Column by column of the lower triangle: l[i, j] needs a[i, j], the columns before it in rows i
// and j, and below the diagonal l[j, j]. Without `lower`, the same of the transposes.
void read_cholesky(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.shape.dimensions;
  const std::int64_t n = sizes.back();
  const bool lower = instruction.get<bool>(AttributeName::kLower);
  for_each_matrix(sizes, [&](Sizes batch) {
    const auto position = [&](std::int64_t i, std::int64_t j) {
      return lower ? in_matrix(batch, i, j, sizes) : in_matrix(batch, j, i, sizes);
    };
    std::vector<std::vector<Elements>> made(static_cast<std::size_t>(n),
                                            std::vector<Elements>(static_cast<std::size_t>(n)));
    for (std::size_t j = 0; j < made.size(); ++j) {
      for (std::size_t i = j; i < made.size(); ++i) {
        Elements& l = made[i][j];
        l.insert(position(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
        for (std::size_t k = 0; k < j; ++k) {
          l.insert(made[i][k].begin(), made[i][k].end());
          l.insert(made[j][k].begin(), made[j][k].end());
        }
        if (i > j) l.insert(made[j][j].begin(), made[j][j].end());
        for (const std::int64_t element : l) {
          reader.read(0, position(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)),
                      element);
        }
      }
    }
  });
}

// By substitution: op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
void read_triangular_solve(const Instruction& instruction, const Reader& reader) {
  const Sizes a_sizes = instruction.operand(0).shape.dimensions;
  const Sizes b_sizes = instruction.shape.dimensions;
  const bool left = instruction.get<bool>(AttributeName::kLeftSide);
  const bool unit = instruction.get<bool>(AttributeName::kUnitDiagonal);
  bool lower = instruction.get<bool>(AttributeName::kLower);
  bool transposed = instruction.get<hlo::Word>(AttributeName::kTransposeA).text != "NO_TRANSPOSE";
  if (!left) transposed = !transposed;
  if (transposed) lower = !lower;
  const std::int64_t n = a_sizes.back();
  const std::int64_t solutions = left ? b_sizes.back() : b_sizes[b_sizes.size() - 2];
  for_each_matrix(b_sizes, [&](Sizes batch) {
    const auto m = [&](std::int64_t row, std::int64_t column) {
      return transposed ? in_matrix(batch, column, row, a_sizes)
                        : in_matrix(batch, row, column, a_sizes);
    };
    const auto x = [&](std::int64_t line, std::int64_t solution) {
      return left ? in_matrix(batch, line, solution, b_sizes)
                  : in_matrix(batch, solution, line, b_sizes);
    };
    for (std::int64_t solution = 0; solution < solutions; ++solution) {
      Elements of_a;
      Elements of_b;
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t line = lower ? step : n - 1 - step;
        of_b.insert(x(line, solution));
        if (!unit) of_a.insert(m(line, line));
        for (std::int64_t before = 0; before < step; ++before) {
          of_a.insert(m(line, lower ? before : n - 1 - before));
        }
        for (const std::int64_t element : of_a) reader.read(0, x(line, solution), element);
        for (const std::int64_t element : of_b) reader.read(1, x(line, solution), element);
      }
    }
  });
}

// Every frequency is a sum over all elements. The half of a spectrum that is not stored mirrors the
// other one.
void read_fft(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Sizes length = instruction.integers(AttributeName::kFftLength);
  Index full(sizes.begin(), sizes.end());
  std::ranges::copy(length, full.end() - std::ssize(length));
  Index transformed;
  for (std::size_t d = sizes.size() - length.size(); d < sizes.size(); ++d) {
    transformed.push_back(static_cast<std::int64_t>(d));
  }
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for_each_index(full, [&](Sizes at) {
      if (!same_but_for(index, at, transformed)) return;
      Index stored(at.begin(), at.end());
      if (stored.back() >= sizes.back()) {
        for (const std::int64_t d : transformed) {
          const auto i = static_cast<std::size_t>(d);
          stored[i] = (full[i] - stored[i]) % full[i];
        }
      }
      reader.read(0, output, position_of(stored, sizes));
    });
  });
}

namespace {

// Between arrays with a dimension of features and vectors of features: all pairs of one feature.
void read_feature(const Instruction& instruction, std::size_t result, std::size_t operand,
                  const Reader& reader) {
  const auto feature =
      static_cast<std::size_t>(instruction.integer(AttributeName::kFeatureIndex, 0));
  const bool grad = instruction.opcode == Opcode::kBatchNormGrad;
  const auto feature_of = [&](Sizes index, bool array) { return index[array ? feature : 0]; };
  const Sizes sizes = hlo::leaves(instruction.shape)[result].shape.dimensions;
  const Sizes operand_sizes = instruction.operand(operand).shape.dimensions;
  std::int64_t output = 0;
  for_each_index(sizes, [&](Sizes index) {
    std::int64_t element = 0;
    for_each_index(operand_sizes, [&](Sizes at) {
      const bool array = operand == 0 || (grad && operand == 4);
      if (feature_of(index, result == 0) == feature_of(at, array)) {
        reader.read_by(result, operand, output, element);
      }
      ++element;
    });
    ++output;
  });
}

}  // namespace

void read_batch_norm(const Instruction& instruction, const Reader& reader) {
  // By result, the operands that matter.
  std::vector<std::vector<std::size_t>> reads = {{0, 1, 2}, {0}, {0}};
  if (instruction.opcode == Opcode::kBatchNormInference) {
    reads = {{1, 2, 3, 4}};
    for_each_output(instruction,
                    [&](Sizes, std::int64_t output) { reader.read(0, output, output); });
  }
  if (instruction.opcode == Opcode::kBatchNormGrad) {
    reads = {{0, 1, 2, 3, 4}, {0, 2, 3, 4}, {4}};
  }
  for (std::size_t result = 0; result < reads.size(); ++result) {
    for (const std::size_t operand : reads[result]) {
      read_feature(instruction, result, operand, reader);
    }
  }
}

void read_rng(const Instruction& instruction, const Reader& reader) {
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    read_all(instruction, 0, k, reader);
  }
}

// The new state is the old one, counted on.
void read_rng_bit_generator(const Instruction& instruction, const Reader& reader) {
  if (!instruction.shape.is_tuple()) return read_all(instruction, 0, 0, reader);
  for (std::int64_t i = 0; i < instruction.operand(0).shape.element_count(); ++i) {
    reader.read_by(0, 0, i, i);
  }
  read_all(instruction, 1, 0, reader);
}

// Elements stay in their order; the sizes are operands too.
void read_dynamic_size(const Instruction& instruction, const Reader& reader) {
  for_each_output(instruction, [&](Sizes, std::int64_t output) { reader.read(0, output, output); });
  for (std::size_t k = 1; k < instruction.operands.size(); ++k) {
    read_all(instruction, 0, k, reader);
  }
}

}  // namespace mercator::testing
