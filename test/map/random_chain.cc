#include "test/map/random_chain.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "mercator/expr/interval.h"

namespace mercator::map_test {

namespace {

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// The position in memory, last dimension fastest.
Expr linearized(ExprContext& context, const std::vector<Expr>& index,
                const std::vector<std::int64_t>& shape) {
  Expr position = context.constant(0);
  for (std::size_t i = 0; i < index.size(); ++i) position = position * shape[i] + index[i];
  return position;
}

std::vector<Expr> delinearized(Expr position, const std::vector<std::int64_t>& shape) {
  std::vector<Expr> index;
  std::int64_t stride = elements_of(shape);
  for (const std::int64_t size : shape) {
    stride /= size;
    index.push_back(mod(floor_div(position, stride), size));
  }
  return index;
}

}  // namespace

std::vector<Expr> RandomChains::dimensions(std::size_t count) {
  std::vector<Expr> index;
  for (std::uint32_t i = 0; i < count; ++i) index.push_back(context_.dimension(i));
  return index;
}

IndexMap RandomChains::make(const Shape& shape, std::vector<Expr> results,
                            std::vector<Constraint> constraints, std::vector<Variable> ranges,
                            std::vector<RuntimeVariable> runtimes) {
  return IndexMap(context_, IndexMap::dimensions_of(shape), std::move(ranges), std::move(runtimes),
                  std::move(results), std::move(constraints));
}

RandomChains::Shape RandomChains::factors_of(std::int64_t elements) {
  Shape shape;
  for (std::int64_t rank = uniform(1, 3); rank > 0; --rank) {
    // What it has in common with a number that has many divisors.
    shape.push_back(std::gcd(elements, uniform(1, 840) * uniform(1, 720)));
    elements /= shape.back();
  }
  if (elements > 1) shape.push_back(elements);
  shuffle(shape);
  return shape;
}

RandomChains::Shape RandomChains::random_shape(std::int64_t max_elements) {
  Shape shape;
  std::int64_t room = max_elements;
  for (std::int64_t rank = uniform(1, 4); rank > 0; --rank) {
    shape.push_back(uniform(1, std::max<std::int64_t>(1, rank == 1 ? room : room / 2)));
    room /= shape.back();
  }
  return shape;
}

IndexMap RandomChains::reshape(Shape& shape) {
  const Shape operand = shape;
  shape = factors_of(elements_of(operand));
  const Expr position = linearized(context_, dimensions(shape.size()), shape);
  return make(shape, delinearized(position, operand), {});
}

IndexMap RandomChains::transpose(Shape& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order);
  Shape result(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = shape[i];
  std::vector<Expr> index;
  for (const std::size_t axis : order) {
    index.push_back(context_.dimension(static_cast<std::uint32_t>(axis)));
  }
  shape = result;
  return make(shape, std::move(index), {});
}

IndexMap RandomChains::reverse(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  index[axis] = -index[axis] + (shape[axis] - 1);
  return make(shape, std::move(index), {});
}

IndexMap RandomChains::slice(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  const std::int64_t start = uniform(0, shape[axis] - 1);
  const std::int64_t stride = uniform(1, 3);
  const std::int64_t size = uniform(1, (shape[axis] - 1 - start) / stride + 1);
  index[axis] = index[axis] * stride + start;
  shape[axis] = size;
  return make(shape, std::move(index), {});
}

IndexMap RandomChains::dynamic_slice(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  const std::int64_t size = std::max(uniform(1, shape[axis]), shape[axis] - 3);
  const RuntimeVariable offset = {.bounds = {0, shape[axis] - size},
                                  .name = "r" + std::to_string(runtime_count_++)};
  index[axis] = index[axis] + context_.runtime(0);
  shape[axis] = size;
  return make(shape, std::move(index), {}, {}, {offset});
}

IndexMap RandomChains::pad(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  const std::int64_t size = shape[axis];
  const std::int64_t low = uniform(-1, 3);
  const std::int64_t step = one_in(3) ? uniform(2, 3) : 1;  // one more than the interior padding
  const std::int64_t padded = low + (size - 1) * step + 1 + uniform(-1, 3);
  const Expr place = index[axis] - low;
  std::vector<Constraint> constraints = {{place, {0, (size - 1) * step}}};
  if (step > 1) constraints.push_back({mod(place, step), Interval::point(0)});
  index[axis] = floor_div(place, step);
  shape[axis] = std::max<std::int64_t>(1, padded);
  return make(shape, std::move(index), std::move(constraints));
}

IndexMap RandomChains::concatenate(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  const std::int64_t before = uniform(0, 4);
  const Constraint within = {index[axis], {before, before + shape[axis] - 1}};
  index[axis] = index[axis] - before;
  shape[axis] += before + uniform(0, 4);
  return make(shape, std::move(index), {within});
}

IndexMap RandomChains::broadcast(Shape& shape) {
  const auto axis = static_cast<std::size_t>(uniform(0, static_cast<std::int64_t>(shape.size())));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), uniform(1, 3));
  std::vector<Expr> index = dimensions(shape.size());
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis));
  return make(shape, std::move(index), {});
}

IndexMap RandomChains::reduce(Shape& shape) {
  const std::size_t axis = random_axis(shape);
  std::vector<Expr> index = dimensions(shape.size() - 1);
  index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), context_.range(0));
  const Variable range = {.bounds = Interval::indices(shape[axis])};
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return make(shape, std::move(index), {}, {range});
}

IndexMap RandomChains::window(Shape& shape) {
  std::vector<Expr> index = dimensions(shape.size());
  const std::size_t axis = random_axis(shape);
  const std::int64_t size = shape[axis];
  const std::int64_t window = uniform(1, 3);
  const std::int64_t stride = uniform(1, 3);
  const std::int64_t dilation = uniform(1, 2);
  const std::int64_t low = uniform(-1, 2);
  const std::int64_t base = one_in(3) ? 2 : 1;
  const Expr place = index[axis] * stride + context_.range(0) * dilation - low;
  std::vector<Constraint> constraints = {{place, {0, (size - 1) * base}}};
  if (base > 1) constraints.push_back({mod(place, base), Interval::point(0)});
  index[axis] = floor_div(place, base);
  const std::int64_t reach = (size - 1) * base + 1 + low + uniform(0, 2);
  shape[axis] = std::max<std::int64_t>(1, (reach - (window - 1) * dilation - 1) / stride + 1);
  return make(shape, std::move(index), std::move(constraints),
              {{.bounds = Interval::indices(window)}});
}

// One dimension as tiles and places within a tile; the last tile may be partial.
IndexMap RandomChains::split(Shape& shape) {
  const std::size_t axis = random_axis(shape);
  const std::int64_t tile = uniform(1, std::min<std::int64_t>(shape[axis] + 1, 8));
  const std::int64_t size = shape[axis];
  shape[axis] = (size + tile - 1) / tile;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, tile);
  std::vector<Expr> index = dimensions(shape.size());
  index[axis] = index[axis] * tile + index[axis + 1];
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  std::vector<Constraint> constraints;
  if (size % tile != 0) constraints.push_back({index[axis], {0, size - 1}});
  return make(shape, std::move(index), std::move(constraints));
}

// Threads and blocks, each with a few elements side by side.
IndexMap RandomChains::threads(Shape& shape) {
  const Shape operand = shape;
  const std::int64_t elements = elements_of(operand);
  const std::int64_t unroll = uniform(1, 4);
  const std::int64_t block = uniform(1, 8);
  const std::int64_t per_block = unroll * block;
  shape = {block, (elements + per_block - 1) / per_block, unroll};
  const std::vector<Expr> index = dimensions(3);
  const Expr position = (index[1] * block + index[0]) * unroll + index[2];
  std::vector<Constraint> constraints;
  if (elements % per_block != 0) constraints.push_back({position, {0, elements - 1}});
  return make(shape, delinearized(position, operand), std::move(constraints));
}

IndexMap RandomChains::step(Shape& shape, const ChainOptions& options) {
  switch (uniform(0, 13)) {
    case 0:
    case 1:
    case 2:
      return reshape(shape);
    case 3:
      return transpose(shape);
    case 4:
      return slice(shape);
    case 5:
      return pad(shape);
    case 6:
      return concatenate(shape);
    case 7:
      return broadcast(shape);
    case 8:
      return split(shape);
    case 9:
      return reverse(shape);
    case 10:
      return options.has_ranges ? window(shape) : reshape(shape);
    case 11:
      return options.has_ranges && shape.size() > 1 ? reduce(shape) : transpose(shape);
    case 12:
      return options.has_runtimes ? dynamic_slice(shape) : slice(shape);
    default:
      return one_in(3) ? threads(shape) : reshape(shape);
  }
}

IndexMap RandomChains::map(const ChainOptions& options) {
  runtime_count_ = 0;
  Shape shape = random_shape(options.max_elements);
  IndexMap chain = IndexMap::identity(context_, shape);
  for (std::int64_t steps = uniform(1, options.max_steps); steps > 0; --steps) {
    chain = compose(step(shape, options), chain);
    // Pads and broadcasts make tensors larger and larger.
    if (elements_of(shape) > 4 * options.max_elements) break;
  }
  return chain;
}

}  // namespace mercator::map_test
