#include "mercator/hlo/verifier.h"

#include <algorithm>

#include "mercator/hlo/inference.h"
#include "mercator/hlo/shape_reader.h"

namespace mercator::hlo {
namespace {

Result<void> verify_instruction(const Instruction& instruction, Arena& arena) {
  const Inference inference(instruction, &instruction.shape, arena);
  const std::optional<Shape> expected = MERCATOR_TRY(infer(inference));
  if (!expected || same_type_and_dimensions(*expected, instruction.shape)) return {};
  return inference.fail("the result has the shape {}, not {}", text(*expected),
                        text(instruction.shape));
}

// entry_computation_layout={(shape, …)->shape}: the shapes that the caller of the module sees.
class EntryLayout {
 public:
  EntryLayout(const Module& module, std::string_view text, Arena& arena)
      : module_(module), text_(text), scanner_(terminated(text, arena)), shapes_(scanner_, arena) {}

  Result<void> check() {
    if (!read()) {
      return fail(ErrorKind::kInvalidInput,
                  fmt::format("entry_computation_layout: {}", scanner_.error().message), span());
    }
    const Computation& entry = *module_.entry;
    if (parameters_.size() != entry.parameters.size()) {
      return wrong(
          fmt::format("{} parameters, not {}", entry.parameters.size(), parameters_.size()));
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Shape& shape = entry.parameters[i]->shape;
      if (same_type_and_dimensions(shape, parameters_[i])) continue;
      return wrong(fmt::format("parameter {} of the shape {}, not {}", i, text(shape),
                               text(parameters_[i])));
    }
    if (same_type_and_dimensions(entry.root->shape, result_)) return {};
    return wrong(
        fmt::format("a result of the shape {}, not {}", text(entry.root->shape), text(result_)));
  }

 private:
  bool read() {
    if (!scanner_.expect('{', "before the layout") ||
        !scanner_.expect('(', "before the parameters")) {
      return false;
    }
    if (!scanner_.accept(')')) {
      do {
        if (!shapes_.read(&parameters_.emplace_back())) return false;
      } while (scanner_.accept(','));
      if (!scanner_.expect(')', "after the parameters")) return false;
    }
    return scanner_.expect('-', "of '->'") && scanner_.expect('>', "of '->'") &&
           shapes_.read(&result_) && scanner_.expect('}', "after the layout");
  }
  [[nodiscard]] TextSpan span() const {
    const auto begin = static_cast<std::uint32_t>(text_.data() - module_.text().data());
    return {begin, begin + static_cast<std::uint32_t>(text_.size())};
  }
  [[nodiscard]] std::unexpected<Error> wrong(const std::string& has) const {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("entry_computation_layout: the entry computation has {}", has), span());
  }

  const Module& module_;
  std::string_view text_;
  Scanner scanner_;
  ShapeReader shapes_;
  std::vector<Shape> parameters_;
  Shape result_;
};

Result<void> verify_entry_layout(const Module& module) {
  const auto layout =
      std::ranges::find(module.attributes, "entry_computation_layout", &ModuleAttribute::name);
  if (layout == module.attributes.end()) return {};
  Arena arena;
  return EntryLayout(module, layout->value, arena).check();
}

}  // namespace

Result<void> verify(const Module& module) {
  for (const Computation* computation : module.computations) {
    // Nothing that is inferred outlives the computation.
    Arena arena;
    for (const Instruction* instruction : computation->instructions) {
      MERCATOR_TRY_VOID(verify_instruction(*instruction, arena));
    }
  }
  return verify_entry_layout(module);
}

}  // namespace mercator::hlo
