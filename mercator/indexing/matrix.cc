#include <utility>

#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// An index of a matrix within an array of them, the batch dimensions of which are those of `map`.
std::vector<Expr> matrix_index(const MapBuilder& map, Expr row, Expr column, bool swapped) {
  std::vector<Expr> index = map.dims();
  if (swapped) std::swap(row, column);
  index[index.size() - 2] = row;
  index[index.size() - 1] = column;
  return index;
}

// Rows and columns, changed places where that makes the triangle a lower one.
struct Place {
  Expr row;
  Expr column;
};
Place place_in_matrix(const MapBuilder& map, bool swapped) {
  const std::vector<Expr> dims = map.dims();
  Place place{.row = dims[dims.size() - 2], .column = dims[dims.size() - 1]};
  if (swapped) std::swap(place.row, place.column);
  return place;
}

void require_at_least(MapBuilder& map, Expr larger, Expr smaller, std::int64_t by = 0) {
  map.require(larger - smaller, {by, Interval::kPlusInfinity});
}

}  // namespace

// f32[4, 4] cholesky(f32[4, 4] p0), lower=true: the elements (i, j), j <= i, with
//     l[i, j] = (a[i, j] - sum over k < j of l[i, k] * l[j, k]) / l[j, j]
//   o2i: (d0, d1)[s0] -> (d0, s0), s0 <= d1 <= d0
//        (d0, d1)[s0, s1] -> (s0, s1), s1 <= s0 <= d1 <= d0
//   i2o: (d0, d1)[s0] -> (d0, s0), d1 <= s0 <= d0
//        (d0, d1)[s0, s1] -> (s0, s1), d1 <= d0 <= s1 <= s0
// The other triangle of the result is zero, that of the operand is not read. For a matrix that is
// not positive definite HLO leaves the result open.
void cholesky(InstructionMaps& maps) {
  const std::int64_t size = maps.operand(0).dimensions.back();
  const bool swapped = !maps.instruction().get<bool>(AttributeName::kLower);
  const bool is_o2i = maps.is_output_to_input();

  MapBuilder row = maps.from(maps.output());
  const Place at = place_in_matrix(row, swapped);
  const Expr other = row.range(size);
  require_at_least(row, at.row, is_o2i ? at.column : other);
  require_at_least(row, is_o2i ? at.column : other, is_o2i ? other : at.column);
  maps.add(0, row.to(matrix_index(row, at.row, other, swapped)));

  MapBuilder triangle = maps.from(maps.output());
  const Place there = {.row = triangle.range(size), .column = triangle.range(size)};
  const Place& result = is_o2i ? at : there;
  const Place& operand = is_o2i ? there : at;
  require_at_least(triangle, result.row, result.column);
  require_at_least(triangle, result.column, operand.row);
  require_at_least(triangle, operand.row, operand.column);
  maps.add(0, triangle.to(matrix_index(triangle, there.row, there.column, swapped)));
}

namespace {

// The solution y of m y = b, line by line, where m is a lower triangle:
//     y[i] = (b[i] - sum over k < i of m[i, k] * y[k]) / m[i, i]
// For another triangle the lines are taken from the end.
struct TriangularSolve {
  bool is_left = false;
  bool is_lower = false;       // of m
  bool is_transposed = false;  // m is the transpose of operand 0
  bool has_unit_diagonal = false;

  explicit TriangularSolve(const hlo::Instruction& solve)
      : is_left(solve.get<bool>(AttributeName::kLeftSide)),
        has_unit_diagonal(solve.get<bool>(AttributeName::kUnitDiagonal)) {
    const std::string_view transpose = solve.get<hlo::Word>(AttributeName::kTransposeA).text;
    const bool transposes = transpose == "TRANSPOSE" || transpose == "ADJOINT";
    is_transposed = transposes == is_left;
    is_lower = solve.get<bool>(AttributeName::kLower) != is_transposed;
  }

  void require_before(MapBuilder& map, Expr first, Expr second, std::int64_t by = 0) const {
    require_at_least(map, is_lower ? second : first, is_lower ? first : second, by);
  }
  // Element (row, column) of m takes part in line `line` of the solution.
  void require_part(MapBuilder& map, const Place& m, Expr line) const {
    require_before(map, m.column, m.row, has_unit_diagonal ? 1 : 0);
    require_before(map, m.row, line);
  }
  // Of b and the solution: the row is the line, the column tells the solutions apart.
  [[nodiscard]] Place line(const MapBuilder& map) const { return place_in_matrix(map, !is_left); }
};

}  // namespace

// f32[4, 2] triangular-solve(f32[4, 4] p0, f32[4, 2] p1), left_side=true, lower=true
//   o2i of p0: (d0, d1)[s0, s1] -> (s0, s1), s1 <= s0 <= d0; s1 < s0 for a unit diagonal
//   o2i of p1: (d0, d1)[s0] -> (s0, d1), s0 <= d0
//   i2o of p0: (d0, d1)[s0, s1] -> (s0, s1), d1 <= d0 <= s0
//   i2o of p1: (d0, d1)[s0] -> (s0, d1), d0 <= s0
void triangular_solve(InstructionMaps& maps) {
  const TriangularSolve solve(maps.instruction());
  const bool is_o2i = maps.is_output_to_input();
  const std::int64_t lines = maps.operand(0).dimensions.back();
  const std::span<const std::int64_t> sizes = maps.output().dimensions;
  const std::int64_t solutions = sizes[sizes.size() - (solve.is_left ? 1 : 2)];

  MapBuilder matrix = maps.from_here(0);
  if (is_o2i) {
    const Place m = {.row = matrix.range(lines), .column = matrix.range(lines)};
    solve.require_part(matrix, m, solve.line(matrix).row);
    maps.add(0, matrix.to(matrix_index(matrix, m.row, m.column, solve.is_transposed)));
  } else {
    const Expr line = matrix.range(lines);
    solve.require_part(matrix, place_in_matrix(matrix, solve.is_transposed), line);
    maps.add(0, matrix.to(matrix_index(matrix, line, matrix.range(solutions), !solve.is_left)));
  }

  MapBuilder right_side = maps.from(maps.output());
  const Place here = solve.line(right_side);
  const Expr there = right_side.range(lines);
  solve.require_before(right_side, is_o2i ? there : here.row, is_o2i ? here.row : there);
  maps.add(1, right_side.to(matrix_index(right_side, there, here.column, !solve.is_left)));
}

// c64[4, 5] fft(f32[4, 8] p0), fft_type=RFFT, fft_length={8}: every frequency has to do with every
// element, along the last dimensions
//   o2i: (d0, d1)[s0] -> (d0, s0), s0 in [0, 7]
//   i2o: (d0, d1)[s0] -> (d0, s0), s0 in [0, 4]
void fft(InstructionMaps& maps) {
  const std::int64_t rank = maps.operand(0).rank();
  std::vector<std::int64_t> transformed;
  const auto length = maps.instruction().integers(AttributeName::kFftLength);
  for (std::int64_t i = rank - std::ssize(length); i < rank; ++i) transformed.push_back(i);
  add_along(maps, {}, 0, transformed);
}

}  // namespace mercator::indexing
