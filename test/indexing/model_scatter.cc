// Definitions of the instructions that apply a function again and again: scatter, scan, sort,
// select-and-scatter.

#include <numeric>
#include <set>
#include <utility>

#include "test/indexing/model_definitions.h"

namespace mercator::testing {

using hlo::AttributeName;
using hlo::Instruction;

namespace {

// Elements of operands.
using Sources = std::set<std::pair<std::size_t, std::int64_t>>;
// What an array is made from, element by element.
using Made = std::vector<Sources>;

void add_all(Sources& sources, const Sources& more) { sources.insert(more.begin(), more.end()); }

// Element by element the sources of result `result` of a function with parameters made so.
Made apply(const std::vector<FunctionRead>& reads, std::size_t result, std::size_t elements,
           const std::vector<Made>& parameters) {
  Made made(elements);
  for (const FunctionRead& read : reads) {
    if (read.result != result) continue;
    for (const auto& [output, element] : read.pairs) {
      add_all(made[static_cast<std::size_t>(output)],
              parameters[read.parameter][static_cast<std::size_t>(element)]);
    }
  }
  return made;
}

void say(const Reader& reader, std::size_t result, std::int64_t output, const Sources& sources) {
  for (const auto& [operand, element] : sources) reader.read_by(result, operand, output, element);
}

bool fits(Sizes start, Sizes window, Sizes sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (start[d] < 0 || start[d] > sizes[d] - window[d]) return false;
  }
  return true;
}

// The dimension numbers of a scatter, and where its windows start.
struct ScatterNumbers {
  Sizes operand;
  Sizes indices;
  Sizes updates;
  std::size_t count;
  Sizes window_dims;
  Sizes indexed;
  Sizes operand_batch;
  Sizes indices_batch;
  Index walked;   // of the operand
  Index batch;    // of the updates
  Index vectors;  // of the indices
  std::int64_t vector_dim;
  Index window;  // sizes, by dimension of the operand

  explicit ScatterNumbers(const Instruction& scatter)
      : operand(scatter.operand(0).shape.dimensions),
        count(scatter.operands.size() / 2),
        window_dims(scatter.integers(AttributeName::kUpdateWindowDims)),
        indexed(scatter.integers(AttributeName::kScatterDimsToOperandDims)),
        operand_batch(scatter.integers(AttributeName::kInputBatchingDims)),
        indices_batch(scatter.integers(AttributeName::kScatterIndicesBatchingDims)),
        vector_dim(scatter.integer(AttributeName::kIndexVectorDim, 0)),
        window(operand.size(), 1) {
    indices = scatter.operand(count).shape.dimensions;
    updates = scatter.operand(count + 1).shape.dimensions;
    const Sizes inserted = scatter.integers(AttributeName::kInsertedWindowDims);
    walked = others(std::ssize(operand), inserted, operand_batch);
    batch = others(std::ssize(updates), window_dims);
    vectors = others(std::ssize(indices), Index{vector_dim});
    assign(window, walked, chosen(updates, window_dims));
  }

  // The index of component `component` of the vector that an update belongs to.
  [[nodiscard]] Index component_index(Sizes update, std::int64_t component) const {
    Index at(indices.size());
    assign(at, vectors, chosen(update, batch));
    if (vector_dim < std::ssize(at)) at[static_cast<std::size_t>(vector_dim)] = component;
    return at;
  }

  [[nodiscard]] Index start(Sizes update, const Reader& reader) const {
    Index result(operand.size(), 0);
    for (std::size_t k = 0; k < indexed.size(); ++k) {
      const Index at = component_index(update, static_cast<std::int64_t>(k));
      result[static_cast<std::size_t>(indexed[k])] = reader.value(count, position_of(at, indices));
    }
    const Index at = component_index(update, 0);
    for (std::size_t k = 0; k < operand_batch.size(); ++k) {
      result[static_cast<std::size_t>(operand_batch[k])] =
          at[static_cast<std::size_t>(indices_batch[k])];
    }
    return result;
  }
};

// Each element reads all indices of its batch.
void read_scatter_indices(const ScatterNumbers& numbers, const Reader& reader) {
  if (numbers.indexed.empty()) return;
  std::int64_t element = 0;
  for_each_index(numbers.indices, [&](Sizes at) {
    std::int64_t output = 0;
    for_each_index(numbers.operand, [&](Sizes index) {
      if (chosen(index, numbers.operand_batch) == chosen(at, numbers.indices_batch)) {
        reader.read(numbers.count, output, element);
      }
      ++output;
    });
    ++element;
  });
}

}  // namespace

// One update after another, in the order of their array; of a window that does not fit, none.
Result<void> read_scatter(const Instruction& instruction, const Reader& reader) {
  const ScatterNumbers numbers(instruction);
  const std::size_t count = numbers.count;
  const std::vector<FunctionRead> combiner =
      MERCATOR_TRY(reader.function_reads(*instruction.computation(AttributeName::kToApply)));
  const auto elements = static_cast<std::size_t>(instruction.operand(0).shape.element_count());
  std::vector<Made> made(count, Made(elements));
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < elements; ++i) {
      made[k][i] = {{k, static_cast<std::int64_t>(i)}};
    }
  }
  std::int64_t update = 0;
  for_each_index(numbers.updates, [&](Sizes index) {
    Index target = numbers.start(index, reader);
    if (fits(target, numbers.window, numbers.operand)) {
      for (std::size_t k = 0; k < numbers.walked.size(); ++k) {
        target[static_cast<std::size_t>(numbers.walked[k])] +=
            index[static_cast<std::size_t>(numbers.window_dims[k])];
      }
      const auto place = static_cast<std::size_t>(position_of(target, numbers.operand));
      std::vector<Made> parameters;
      for (std::size_t k = 0; k < count; ++k) parameters.push_back({made[k][place]});
      for (std::size_t k = 0; k < count; ++k) parameters.push_back({{{count + 1 + k, update}}});
      for (std::size_t k = 0; k < count; ++k) {
        made[k][place] = apply(combiner, k, 1, parameters)[0];
      }
    }
    ++update;
  });
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < elements; ++i) {
      say(reader, k, static_cast<std::int64_t>(i), made[k][i]);
    }
  }
  read_scatter_indices(numbers, reader);
  return {};
}

namespace {

// The positions of the elements of slice `step` along a dimension, in the order of the slice.
Index slice_positions(Sizes sizes, std::size_t along, std::int64_t step) {
  Index positions;
  std::int64_t position = 0;
  for_each_index(sizes, [&](Sizes index) {
    if (index[along] == step) positions.push_back(position);
    ++position;
  });
  return positions;
}

}  // namespace

Result<void> read_scan(const Instruction& instruction, const Reader& reader) {
  const std::vector<FunctionRead> function =
      MERCATOR_TRY(reader.function_reads(*instruction.computation(AttributeName::kToApply)));
  const auto along = static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  const auto carries = static_cast<std::size_t>(instruction.integer(AttributeName::kNumCarries, 0));
  const std::size_t inputs = instruction.operands.size() - carries;
  const std::vector<hlo::ShapeLeaf> results = hlo::leaves(instruction.shape);
  const std::size_t outputs = results.size() - carries;
  std::vector<Made> carried;
  for (std::size_t c = 0; c < carries; ++c) {
    Made initial;
    for (std::int64_t i = 0; i < instruction.operand(inputs + c).shape.element_count(); ++i) {
      initial.push_back({{inputs + c, i}});
    }
    carried.push_back(std::move(initial));
  }
  const std::int64_t length = instruction.operand(0).shape.dimensions[along];
  const bool reverse = instruction.get<bool>(AttributeName::kIsReverse);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t step = reverse ? length - 1 - i : i;
    std::vector<Made> parameters;
    for (std::size_t k = 0; k < inputs; ++k) {
      Made slice;
      for (const std::int64_t position :
           slice_positions(instruction.operand(k).shape.dimensions, along, step)) {
        slice.push_back({{k, position}});
      }
      parameters.push_back(std::move(slice));
    }
    parameters.insert(parameters.end(), carried.begin(), carried.end());
    for (std::size_t j = 0; j < results.size(); ++j) {
      const Sizes sizes = results[j].shape.dimensions;
      if (j >= outputs) {
        carried[j - outputs] = apply(function, j, carried[j - outputs].size(), parameters);
        continue;
      }
      const Index positions = slice_positions(sizes, along, step);
      const Made slice = apply(function, j, positions.size(), parameters);
      for (std::size_t p = 0; p < positions.size(); ++p) say(reader, j, positions[p], slice[p]);
    }
  }
  for (std::size_t c = 0; c < carries; ++c) {
    for (std::size_t i = 0; i < carried[c].size(); ++i) {
      say(reader, outputs + c, static_cast<std::int64_t>(i), carried[c][i]);
    }
  }
  return {};
}

// The comparator orders by the first operand that it looks at, smallest first.
Result<void> read_sort(const Instruction& instruction, const Reader& reader) {
  const std::vector<FunctionRead> comparator =
      MERCATOR_TRY(reader.function_reads(*instruction.computation(AttributeName::kToApply)));
  std::set<std::size_t> keys;
  for (const FunctionRead& read : comparator) keys.insert(read.parameter / 2);
  const auto along = static_cast<std::size_t>(instruction.integers(AttributeName::kDimensions)[0]);
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const std::size_t count = instruction.operands.size();
  Index first(sizes.begin(), sizes.end());
  if (first[along] > 0) first[along] = 1;
  for_each_index(first, [&](Sizes start) {
    Index line;
    Index index(start.begin(), start.end());
    for (index[along] = 0; index[along] < sizes[along]; ++index[along]) {
      line.push_back(position_of(index, sizes));
    }
    Index order = line;
    if (!keys.empty()) {
      std::ranges::stable_sort(
          order, {}, [&](std::int64_t element) { return reader.value(*keys.begin(), element); });
    }
    for (std::size_t p = 0; p < line.size(); ++p) {
      for (std::size_t j = 0; j < count; ++j) {
        reader.read_by(j, j, line[p], order[p]);
        if (line.size() == 1) continue;
        for (const std::size_t key : keys) {
          for (const std::int64_t element : line) reader.read_by(j, key, line[p], element);
        }
      }
    }
  });
  return {};
}

// The largest element of a window, the first of several, gets its element of the source.
void read_select_and_scatter(const Instruction& instruction, const Reader& reader) {
  const auto window = instruction.get<hlo::Window>(AttributeName::kWindow);
  const Sizes sizes = instruction.shape.dimensions;
  const Index extents = window_sizes(window);
  std::int64_t source = 0;
  for_each_index(instruction.operand(1).shape.dimensions, [&](Sizes index) {
    Index covered;
    for_each_index(extents, [&](Sizes place) {
      Index element(sizes.size());
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        element[d] = index[d] * window[d].stride + place[d] * window[d].window_dilation -
                     window[d].padding_low;
        if (element[d] < 0 || element[d] % window[d].base_dilation != 0) return;
        element[d] /= window[d].base_dilation;
      }
      if (is_inside(element, sizes)) covered.push_back(position_of(element, sizes));
    });
    if (!covered.empty()) {
      const auto largest = std::ranges::max_element(
          covered, {}, [&](std::int64_t element) { return reader.value(0, element); });
      reader.read(1, *largest, source);
    }
    for (const std::int64_t output : covered) {
      for (const std::int64_t element : covered) reader.read(0, output, element);
    }
    ++source;
  });
  for_each_output(instruction, [&](Sizes, std::int64_t output) { reader.read(2, output, 0); });
}

}  // namespace mercator::testing
