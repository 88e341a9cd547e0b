#include "mercator/indexing/thread_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercator/indexing/physical_layout.h"
#include "mercator/indexing/reshape.h"
#include "mercator/indexing/sizes.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using indexing::PhysicalLayout;
using indexing::product;
using indexing::reshape_index;

std::unexpected<Error> unsupported(std::string message) {
  return fail(ErrorKind::kUnsupported, std::move(message));
}

// A map from the threads of a launch, in the making.
class ThreadMapBuilder {
 public:
  static Result<ThreadMapBuilder> of(ExprContext& context, const Launch& launch,
                                     std::int64_t vector) {
    MERCATOR_TRY_VOID(require_launch(launch, vector));
    return ThreadMapBuilder(context, launch);
  }

  [[nodiscard]] ExprContext& context() const { return *context_; }
  // The number of the thread in its block, and of the block.
  [[nodiscard]] Expr thread() const { return number(0, launch_.threads); }
  [[nodiscard]] Expr block() const { return number(3, launch_.blocks); }
  // The step of the loop, and the element in it; to be asked for once each, in this order.
  Expr chunk(std::int64_t count) { return range(count, "chunk"); }
  Expr element(std::int64_t count) { return range(count, "element"); }

  void require(Expr expr, Interval range) { constraints_.push_back({expr, range}); }
  // `expr`, required to be an index of a dimension of this size.
  Expr index_in(Expr expr, std::int64_t size) {
    require(expr, Interval::indices(size));
    return expr;
  }

  [[nodiscard]] IndexMap to(std::vector<Expr> results) const {
    constexpr std::array<const char*, 3> kThreads = {"th_x", "th_y", "th_z"};
    constexpr std::array<const char*, 3> kBlocks = {"bl_x", "bl_y", "bl_z"};
    std::vector<Variable> dimensions;
    for (std::size_t i = 0; i < 3; ++i) {
      dimensions.push_back({.bounds = Interval::indices(launch_.threads[i]), .name = kThreads[i]});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      dimensions.push_back({.bounds = Interval::indices(launch_.blocks[i]), .name = kBlocks[i]});
    }
    return simplify(
        IndexMap(*context_, std::move(dimensions), ranges_, {}, std::move(results), constraints_));
  }

 private:
  ThreadMapBuilder(ExprContext& context, const Launch& launch)
      : context_(&context), launch_(launch) {}

  [[nodiscard]] Expr number(std::uint32_t first, const std::array<std::int64_t, 3>& counts) const {
    const Term terms[] = {{context_->dimension(first), 1},
                          {context_->dimension(first + 1), counts[0]},
                          {context_->dimension(first + 2), counts[0] * counts[1]}};
    return context_->sum(terms);
  }
  Expr range(std::int64_t count, const char* name) {
    ranges_.push_back({.bounds = Interval::indices(count), .name = name});
    return context_->range(static_cast<std::uint32_t>(ranges_.size() - 1));
  }

  ExprContext* context_;
  Launch launch_;
  std::vector<Variable> ranges_;
  std::vector<Constraint> constraints_;
};

// Dimensions of an array, from major to minor in memory, and how many elements they have together.
struct Group {
  std::vector<std::size_t> dimensions;
  std::int64_t size = 1;
};

std::vector<std::size_t> major_to_minor(const hlo::Shape& array) {
  std::vector<std::size_t> order;
  for (const std::int64_t dimension : hlo::minor_to_major(array)) {
    order.push_back(static_cast<std::size_t>(dimension));
  }
  std::ranges::reverse(order);
  return order;
}

// Whether the elements lie in memory in the order of the dimensions, whichever that is.
Result<void> require_untiled(const hlo::Shape& array) {
  const bool is_plain =
      array.layout == nullptr || (array.layout->tiles.empty() && array.layout->other.empty());
  if (!is_plain) return unsupported("the scheme is not for arrays with tiles");
  return {};
}

// Takes the innermost dimensions that are reduced, or are not, off `order`; those of one element
// are of either kind.
Group take_innermost(const hlo::Shape& array, std::span<const std::int64_t> reduced,
                     bool is_reduced, std::vector<std::size_t>& order) {
  Group group;
  while (!order.empty()) {
    const std::size_t dimension = order.back();
    const std::int64_t size = array.dimensions[dimension];
    const bool fits = (std::ranges::find(reduced, static_cast<std::int64_t>(dimension)) !=
                       reduced.end()) == is_reduced;
    if (!fits && size != 1) break;
    group.dimensions.insert(group.dimensions.begin(), dimension);
    group.size *= size;
    order.pop_back();
  }
  return group;
}

// Writes the components of `index` that the position in a group stands for; nothing for a group
// without elements, in which there is no position.
void place(Expr position, const Group& group, const hlo::Shape& array, std::vector<Expr>& index) {
  if (group.size == 0) return;
  std::vector<std::int64_t> sizes;
  for (const std::size_t dimension : group.dimensions) sizes.push_back(array.dimensions[dimension]);
  const std::vector<Expr> components =
      reshape_index(position.context(), std::span(&position, 1), std::span(&group.size, 1), sizes);
  for (std::size_t i = 0; i < components.size(); ++i) index[group.dimensions[i]] = components[i];
}

// The components that are not reduced.
std::vector<Expr> kept(const std::vector<Expr>& index, std::span<const std::int64_t> reduced) {
  std::vector<Expr> result;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (std::ranges::find(reduced, static_cast<std::int64_t>(i)) == reduced.end()) {
      result.push_back(index[i]);
    }
  }
  return result;
}

// How the threads of a block stand in rows: `lanes` in each, which take `vector` elements each at
// once.
struct Rows {
  std::int64_t lanes;
  std::int64_t count;
  std::int64_t vector;

  static Result<Rows> of(const Launch& launch, std::int64_t lanes, std::int64_t vector) {
    const std::int64_t threads = launch.threads_per_block();
    if (lanes <= 0 || vector <= 0 || threads % lanes != 0) {
      return unsupported(
          fmt::format("a block of {} threads is not whole groups of {}", threads, lanes));
    }
    return Rows{.lanes = lanes, .count = threads / lanes, .vector = vector};
  }
  // The element of a row that thread and element stand for, and the row.
  [[nodiscard]] Expr in_row(Expr thread, Expr element) const {
    return mod(thread, lanes) * vector + element;
  }
  [[nodiscard]] Expr row(Expr thread) const { return floor_div(thread, lanes); }
};

Result<void> require_blocks(const Launch& launch, std::int64_t needed, const char* what) {
  if (launch.block_count() >= needed) return {};
  return unsupported(
      fmt::format("{} {} want as many blocks, not {}", needed, what, launch.block_count()));
}

}  // namespace

Result<void> require_launch(const Launch& launch, std::int64_t vector) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t all = 1;
  for (const auto& counts : {launch.threads, launch.blocks}) {
    for (const std::int64_t count : counts) {
      if (count <= 0) return unsupported("a launch without threads");
      if (!checked_mul(all, count, &all) || all > kMost) {
        return unsupported("a launch of more than 2^62 threads");
      }
    }
  }
  if (vector <= 0) return unsupported(fmt::format("{} elements a thread", vector));
  if (!checked_mul(all, vector, &all) || all > kMost) {
    return unsupported(fmt::format(
        "a launch whose threads take {} elements each, more than 2^62 together", vector));
  }
  return {};
}

Result<IndexMap> linear_loop(ExprContext& context, const hlo::Shape& array, const Launch& launch,
                             std::int64_t unroll) {
  ThreadMapBuilder map = MERCATOR_TRY(ThreadMapBuilder::of(context, launch, unroll));
  const std::int64_t per_block = launch.threads_per_block();
  const std::int64_t step = per_block * launch.block_count() * unroll;
  if (std::ranges::find(array.dimensions, 0) != array.dimensions.end()) {
    map.chunk(0);
    return map.to(std::vector<Expr>(array.dimensions.size(), context.constant(0)));
  }
  const PhysicalLayout layout = MERCATOR_TRY(PhysicalLayout::of(array));
  const std::int64_t total = *product(layout.sizes());
  const Expr chunk = map.chunk(ceil_div(total, step));
  const Expr element = map.element(unroll);
  const Term terms[] = {
      {map.block(), per_block * unroll}, {map.thread(), unroll}, {element, 1}, {chunk, step}};
  const Expr position = map.index_in(context.sum(terms), total);
  std::vector<Constraint> constraints;
  std::vector<Expr> index = layout.from_physical(
      reshape_index(context, std::span(&position, 1), std::span(&total, 1), layout.sizes()),
      constraints);
  for (const Constraint& constraint : constraints) map.require(constraint.expr, constraint.range);
  return map.to(std::move(index));
}

Result<ThreadAccess> tiled_transpose(ExprContext& context, const hlo::Shape& from,
                                     const hlo::Shape& to,
                                     std::span<const std::int64_t> permutation,
                                     const Launch& launch, std::int64_t tile, std::int64_t vector) {
  const ThreadMapBuilder threads = MERCATOR_TRY(ThreadMapBuilder::of(context, launch, vector));
  MERCATOR_TRY_VOID(require_untiled(from));
  MERCATOR_TRY_VOID(require_untiled(to));
  if (tile <= 0 || vector <= 0 || tile % vector != 0) {
    return unsupported(fmt::format("a tile of {} is not whole vectors of {}", tile, vector));
  }
  const Rows rows = MERCATOR_TRY(Rows::of(launch, tile / vector, vector));

  const std::vector<std::size_t> order = major_to_minor(from);
  const auto innermost = [](const std::vector<std::size_t>& dimensions, const hlo::Shape& array) {
    return std::find_if(dimensions.rbegin(), dimensions.rend(),
                        [&](std::size_t d) { return array.dimensions[d] != 1; });
  };
  const std::vector<std::size_t> order_of_to = major_to_minor(to);
  const auto last_read = innermost(order, from);
  const auto last_written = innermost(order_of_to, to);
  if (last_read == order.rend() ||
      *last_read == static_cast<std::size_t>(permutation[*last_written])) {
    return unsupported("the innermost dimension stays where it is");
  }
  const std::size_t a = *last_read;
  const auto b = static_cast<std::size_t>(permutation[*last_written]);

  std::vector<std::int64_t> grid;
  for (const std::size_t d : order) {
    const std::int64_t size = from.dimensions[d];
    grid.push_back(d == a || d == b ? ceil_div(size, tile) : size);
  }
  const std::int64_t tiles = *product(grid);
  MERCATOR_TRY_VOID(require_blocks(launch, tiles, "tiles"));

  // The index in `from` of the element that is `across` the tile in dimension b and `along` it in
  // dimension a.
  const auto index_in_tile = [&](ThreadMapBuilder& map, Expr across, Expr along) {
    const Expr block = map.index_in(map.block(), tiles);
    std::vector<Expr> index(from.dimensions.size(), context.constant(0));
    if (tiles > 0) {
      const std::vector<Expr> of_tile =
          reshape_index(context, std::span(&block, 1), std::span(&tiles, 1), grid);
      for (std::size_t i = 0; i < order.size(); ++i) index[order[i]] = of_tile[i];
    }
    index[a] = map.index_in(index[a] * tile + along, from.dimensions[a]);
    index[b] = map.index_in(index[b] * tile + across, from.dimensions[b]);
    return index;
  };
  const auto row_of = [&](ThreadMapBuilder& map) {
    const Expr chunk = map.chunk(ceil_div(tile, rows.count));
    return map.index_in(chunk * rows.count + rows.row(map.thread()), tile);
  };

  ThreadMapBuilder read = threads;
  const Expr row_read = row_of(read);
  const Expr along = rows.in_row(read.thread(), read.element(vector));
  std::vector<Expr> index_read = index_in_tile(read, row_read, along);

  ThreadMapBuilder write = threads;
  const Expr row_written = row_of(write);
  const Expr across = rows.in_row(write.thread(), write.element(vector));
  const std::vector<Expr> index = index_in_tile(write, across, row_written);
  std::vector<Expr> index_written;
  for (const std::int64_t d : permutation)
    index_written.push_back(index[static_cast<std::size_t>(d)]);
  return ThreadAccess{.read = read.to(std::move(index_read)),
                      .write = write.to(std::move(index_written))};
}

Result<ThreadAccess> row_reduction(ExprContext& context, const hlo::Shape& from,
                                   std::span<const std::int64_t> reduced, const Launch& launch,
                                   std::int64_t threads_per_row, std::int64_t vector) {
  const ThreadMapBuilder threads = MERCATOR_TRY(ThreadMapBuilder::of(context, launch, vector));
  MERCATOR_TRY_VOID(require_untiled(from));
  const Rows rows = MERCATOR_TRY(Rows::of(launch, threads_per_row, vector));
  std::vector<std::size_t> order = major_to_minor(from);
  const Group row = take_innermost(from, reduced, /*is_reduced=*/true, order);
  const Group which = take_innermost(from, reduced, /*is_reduced=*/false, order);
  const Group before = take_innermost(from, reduced, /*is_reduced=*/true, order);
  if (row.dimensions.empty() || !order.empty()) {
    return unsupported("the dimensions reduced are not rows: innermost, and perhaps outermost");
  }
  const std::int64_t groups = ceil_div(which.size, rows.count);
  MERCATOR_TRY_VOID(require_blocks(launch, groups, "groups of rows"));

  const auto row_of = [&](ThreadMapBuilder& map) {
    return map.index_in(map.block() * rows.count + rows.row(map.thread()), which.size);
  };
  ThreadMapBuilder read = threads;
  const std::int64_t steps = ceil_div(row.size, rows.lanes * vector);
  const Expr chunk = read.chunk(before.size * steps);
  const Expr element = read.element(vector);
  std::vector<Expr> index(from.dimensions.size(), context.constant(0));
  if (steps > 0) {
    const Expr in_row =
        mod(chunk, steps) * (rows.lanes * vector) + rows.in_row(read.thread(), element);
    place(floor_div(chunk, steps), before, from, index);
    place(row_of(read), which, from, index);
    place(read.index_in(in_row, row.size), row, from, index);
  }

  ThreadMapBuilder write = threads;
  std::vector<Expr> result(from.dimensions.size(), context.constant(0));
  write.require(mod(write.thread(), rows.lanes), Interval::point(0));
  place(row_of(write), which, from, result);
  return ThreadAccess{.read = read.to(std::move(index)), .write = write.to(kept(result, reduced))};
}

Result<ThreadAccess> column_reduction(ExprContext& context, const hlo::Shape& from,
                                      std::span<const std::int64_t> reduced, const Launch& launch,
                                      std::int64_t columns, std::int64_t vector) {
  const ThreadMapBuilder threads = MERCATOR_TRY(ThreadMapBuilder::of(context, launch, vector));
  MERCATOR_TRY_VOID(require_untiled(from));
  if (columns <= 0 || vector <= 0 || columns % vector != 0) {
    return unsupported(fmt::format("{} columns are not whole vectors of {}", columns, vector));
  }
  const Rows rows = MERCATOR_TRY(Rows::of(launch, columns / vector, vector));
  std::vector<std::size_t> order = major_to_minor(from);
  const Group column = take_innermost(from, reduced, /*is_reduced=*/false, order);
  const Group row = take_innermost(from, reduced, /*is_reduced=*/true, order);
  const Group before = take_innermost(from, reduced, /*is_reduced=*/false, order);
  if (column.dimensions.empty() || row.dimensions.empty() || !order.empty()) {
    return unsupported(
        "the dimensions reduced are not columns: before the innermost ones that stay");
  }
  const std::int64_t tiles_across = ceil_div(column.size, columns);
  const std::int64_t tiles = before.size * tiles_across;
  MERCATOR_TRY_VOID(require_blocks(launch, tiles, "tiles"));

  // The components that stay.
  const auto place_kept = [&](ThreadMapBuilder& map, Expr element, std::vector<Expr>& index) {
    const Expr block = map.index_in(map.block(), tiles);
    const Expr in_row = rows.in_row(map.thread(), element);
    place(floor_div(block, tiles_across), before, from, index);
    place(map.index_in(mod(block, tiles_across) * columns + in_row, column.size), column, from,
          index);
  };
  ThreadMapBuilder read = threads;
  const Expr chunk = read.chunk(ceil_div(row.size, rows.count));
  const Expr element = read.element(vector);
  std::vector<Expr> index(from.dimensions.size(), context.constant(0));
  if (tiles > 0) place_kept(read, element, index);
  place(read.index_in(chunk * rows.count + rows.row(read.thread()), row.size), row, from, index);

  ThreadMapBuilder write = threads;
  std::vector<Expr> result(from.dimensions.size(), context.constant(0));
  write.require(rows.row(write.thread()), Interval::point(0));
  const Expr written = write.element(vector);
  if (tiles > 0) place_kept(write, written, result);
  return ThreadAccess{.read = read.to(std::move(index)), .write = write.to(kept(result, reduced))};
}

Result<std::vector<ThreadAccess>> concatenation_loop(ExprContext& context,
                                                     std::span<const hlo::Shape> operands,
                                                     std::int64_t dimension, const Launch& launch,
                                                     std::int64_t unroll) {
  const auto along = static_cast<std::size_t>(dimension);
  const auto size = [along](const hlo::Shape& operand) { return operand.dimensions[along]; };
  if (operands.empty()) return unsupported("a concatenation of nothing");
  const hlo::Shape& largest = *std::ranges::max_element(operands, {}, size);
  const IndexMap loop = MERCATOR_TRY(linear_loop(context, largest, launch, unroll));
  std::vector<ThreadAccess> accesses;
  std::int64_t offset = 0;
  for (const hlo::Shape& operand : operands) {
    std::vector<Constraint> constraints = loop.constraints();
    constraints.push_back({loop.results()[along], Interval::indices(size(operand))});
    std::vector<Expr> written = loop.results();
    written[along] = written[along] + offset;
    const auto map_to = [&](std::vector<Expr> results) {
      return simplify(
          IndexMap(context, loop.dimensions(), loop.ranges(), {}, std::move(results), constraints));
    };
    accesses.push_back({.read = map_to(loop.results()), .write = map_to(std::move(written))});
    offset += size(operand);
  }
  return accesses;
}

}  // namespace mercator
