// What gather and scatter have in common: an array of windows, each of which belongs to the place
// of the operand where a vector of indices says that it starts.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

// The array of windows is the result of a gather and the updates of a scatter. Its window
// dimensions walk through a window, its others, the batch dimensions, from vector to vector.
class IndexedWindows {
 public:
  static IndexedWindows of_gather(const hlo::Instruction& gather);
  static IndexedWindows of_scatter(const hlo::Instruction& scatter);

  using Sizes = std::span<const std::int64_t>;
  // Of the operand, the indices, the array of windows.
  [[nodiscard]] Sizes operand() const { return operand_; }
  [[nodiscard]] Sizes indices() const { return indices_->shape.dimensions; }
  [[nodiscard]] Sizes windows() const { return windows_; }

  // ---- given an index of the array of windows; its batch dimensions suffice ----

  // The element of the indices that holds component `component` of the vector.
  [[nodiscard]] std::vector<Expr> element_of_indices(const std::vector<Expr>& window,
                                                     Expr component) const;
  // Where the window starts in the operand; the components of the vector are clamped so that it
  // fits.
  [[nodiscard]] std::vector<Expr> clamped_start(MapBuilder& map,
                                                const std::vector<Expr>& window) const;
  // The same where the window is required to fit.
  [[nodiscard]] std::vector<Expr> fitting_start(MapBuilder& map,
                                                const std::vector<Expr>& window) const;

  // ---- between the operand and the array of windows ----

  // The element of the operand that belongs to an index of the array of windows.
  [[nodiscard]] std::vector<Expr> element_of_operand(const std::vector<Expr>& window,
                                                     const std::vector<Expr>& start) const;
  // The index of the array of windows, its batch dimensions only, with a range over all vectors
  // that may have to do with an element of the operand.
  [[nodiscard]] std::vector<Expr> any_window(MapBuilder& map,
                                             const std::vector<Expr>& element) const;
  // Completes that to the element of the window that belongs to the element of the operand, which
  // is required to lie in the window.
  void locate(MapBuilder& map, const std::vector<Expr>& element, const std::vector<Expr>& start,
              std::vector<Expr>& window) const;

  // ---- between the indices and the other two ----

  // The number of components of a vector.
  [[nodiscard]] std::int64_t components() const { return std::ssize(indexed_); }
  // All elements of the array of windows that belong to a vector, which is given by an element of
  // the indices.
  [[nodiscard]] std::vector<Expr> elements_of_vector(MapBuilder& map,
                                                     const std::vector<Expr>& indices) const;
  // All elements of the operand that may belong to it.
  [[nodiscard]] std::vector<Expr> elements_near_vector(MapBuilder& map,
                                                       const std::vector<Expr>& indices) const;

 private:
  IndexedWindows(const hlo::Instruction& instruction, const hlo::Instruction& indices,
                 Sizes windows);

  // Otherwise each element of the indices is a vector of one component.
  [[nodiscard]] bool has_vectors() const;
  template <class Component>
  [[nodiscard]] std::vector<Expr> start(MapBuilder& map, const std::vector<Expr>& window,
                                        Component&& component) const;

  const hlo::Instruction* indices_;
  Sizes operand_;
  Sizes windows_;
  Sizes window_dims_;
  Sizes indexed_;
  std::int64_t index_vector_dim_;
  std::vector<std::int64_t> batch_dims_;   // of the array of windows
  std::vector<std::int64_t> vector_dims_;  // of the indices, that batch_dims_ stand for, in order
  std::vector<std::int64_t> walked_;       // of the operand, that window_dims_ stand for, in order
  // For each dimension of the operand: the size of a window, and the batch dimension that it goes
  // along with, or -1.
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> batch_of_operand_;
};

}  // namespace mercator::indexing
