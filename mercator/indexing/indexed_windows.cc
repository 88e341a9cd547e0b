#include "mercator/indexing/indexed_windows.h"

#include <algorithm>

#include "mercator/hlo/index_numbers.h"

namespace mercator::indexing {
namespace {

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

}  // namespace

IndexedWindows::IndexedWindows(const hlo::Instruction& instruction, const hlo::Instruction& indices,
                               Sizes windows)
    : indices_(&indices),
      operand_(instruction.operand(0).shape.dimensions),
      windows_(windows),
      sizes_(operand_.size(), 1),
      batch_of_operand_(operand_.size(), -1) {
  const hlo::IndexNumbers numbers(instruction);
  window_dims_ = numbers.window;
  indexed_ = numbers.indexed;
  index_vector_dim_ = numbers.vector_dim;
  batch_dims_ = other_dimensions(windows_.size(), window_dims_);
  walked_ = other_dimensions(operand_.size(), numbers.absent, numbers.operand_batch);
  vector_dims_ = has_vectors() ? other_dimensions(this->indices().size(), {{index_vector_dim_}})
                               : other_dimensions(this->indices().size(), {});
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    sizes_[at(walked_[i])] = windows_[at(window_dims_[i])];
  }
  for (std::size_t i = 0; i < numbers.operand_batch.size(); ++i) {
    const auto place =
        std::ranges::find(vector_dims_, numbers.indices_batch[i]) - vector_dims_.begin();
    batch_of_operand_[at(numbers.operand_batch[i])] = batch_dims_[at(place)];
  }
}

IndexedWindows IndexedWindows::of_gather(const hlo::Instruction& gather) {
  IndexedWindows result(gather, gather.operand(1), gather.shape.dimensions);
  // A slice of a collapsed dimension may have no elements.
  const Sizes slice_sizes = gather.integers(hlo::AttributeName::kSliceSizes);
  result.sizes_.assign(slice_sizes.begin(), slice_sizes.end());
  return result;
}

IndexedWindows IndexedWindows::of_scatter(const hlo::Instruction& scatter) {
  const std::size_t count = scatter.operands.size() / 2;
  return IndexedWindows(scatter, scatter.operand(count),
                        scatter.operand(count + 1).shape.dimensions);
}

bool IndexedWindows::has_vectors() const { return at(index_vector_dim_) < indices().size(); }

std::vector<Expr> IndexedWindows::element_of_indices(const std::vector<Expr>& window,
                                                     Expr component) const {
  std::vector<Expr> index(indices().size());
  if (has_vectors()) index[at(index_vector_dim_)] = component;
  for (std::size_t i = 0; i < vector_dims_.size(); ++i) {
    index[at(vector_dims_[i])] = window[at(batch_dims_[i])];
  }
  return index;
}

// `component(element, limit)` is the component that the element of the indices holds; with at most
// `limit` the window fits.
template <class Component>
std::vector<Expr> IndexedWindows::start(MapBuilder& map, const std::vector<Expr>& window,
                                        Component&& component) const {
  std::vector<Expr> start(operand_.size(), map.constant(0));
  for (std::size_t k = 0; k < indexed_.size(); ++k) {
    const std::size_t i = at(indexed_[k]);
    start[i] = component(element_of_indices(window, map.constant(static_cast<std::int64_t>(k))),
                         operand_[i] - sizes_[i]);
  }
  for (std::size_t i = 0; i < operand_.size(); ++i) {
    if (batch_of_operand_[i] >= 0) start[i] = window[at(batch_of_operand_[i])];
  }
  return start;
}

std::vector<Expr> IndexedWindows::clamped_start(MapBuilder& map,
                                                const std::vector<Expr>& window) const {
  return start(map, window, [&](std::vector<Expr> element, std::int64_t limit) {
    return map.runtime(*indices_, std::move(element), {0, limit});
  });
}

std::vector<Expr> IndexedWindows::fitting_start(MapBuilder& map,
                                                const std::vector<Expr>& window) const {
  return start(map, window, [&](std::vector<Expr> element, std::int64_t limit) {
    return map.index_in(map.runtime(*indices_, std::move(element)), limit + 1);
  });
}

std::vector<Expr> IndexedWindows::element_of_operand(const std::vector<Expr>& window,
                                                     const std::vector<Expr>& start) const {
  std::vector<Expr> element = start;
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    Expr& component = element[at(walked_[i])];
    component = component + window[at(window_dims_[i])];
  }
  return element;
}

std::vector<Expr> IndexedWindows::any_window(MapBuilder& map,
                                             const std::vector<Expr>& element) const {
  std::vector<Expr> window(windows_.size());
  for (std::size_t i = 0; i < operand_.size(); ++i) {
    if (batch_of_operand_[i] >= 0) window[at(batch_of_operand_[i])] = element[i];
  }
  for (const std::int64_t dimension : batch_dims_) {
    if (!window[at(dimension)]) window[at(dimension)] = map.range(windows_[at(dimension)]);
  }
  return window;
}

void IndexedWindows::locate(MapBuilder& map, const std::vector<Expr>& element,
                            const std::vector<Expr>& start, std::vector<Expr>& window) const {
  std::vector<Expr> offset(operand_.size());
  for (std::size_t i = 0; i < offset.size(); ++i) {
    offset[i] = map.index_in(element[i] - start[i], sizes_[i]);
  }
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    window[at(window_dims_[i])] = offset[at(walked_[i])];
  }
}

std::vector<Expr> IndexedWindows::elements_of_vector(MapBuilder& map,
                                                     const std::vector<Expr>& indices) const {
  std::vector<Expr> window(windows_.size());
  for (std::size_t i = 0; i < batch_dims_.size(); ++i) {
    window[at(batch_dims_[i])] = indices[at(vector_dims_[i])];
  }
  for (const std::int64_t dimension : window_dims_) {
    window[at(dimension)] = map.range(windows_[at(dimension)]);
  }
  return window;
}

std::vector<Expr> IndexedWindows::elements_near_vector(MapBuilder& map,
                                                       const std::vector<Expr>& indices) const {
  std::vector<Expr> window(windows_.size());
  for (std::size_t i = 0; i < batch_dims_.size(); ++i) {
    window[at(batch_dims_[i])] = indices[at(vector_dims_[i])];
  }
  std::vector<Expr> element(operand_.size());
  for (std::size_t i = 0; i < element.size(); ++i) {
    const bool is_batch = batch_of_operand_[i] >= 0;
    element[i] = is_batch ? window[at(batch_of_operand_[i])] : map.range(operand_[i]);
  }
  return element;
}

}  // namespace mercator::indexing
