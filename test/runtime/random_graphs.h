// Random modules and random engines for them.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine_testing.h"
#include "mercator/hlo/opcode.h"
#include "test/support/random_draw.h"

namespace mercator::runtime {

inline constexpr hlo::Opcode kRandomOpcodes[] = {hlo::Opcode::kAdd,      hlo::Opcode::kSubtract,
                                                 hlo::Opcode::kMultiply, hlo::Opcode::kXor,
                                                 hlo::Opcode::kMaximum,  hlo::Opcode::kNegate};

// Two parameters s32[4], then `size` instructions: mostly elementwise on s32[4], some constants,
// iotas, and arithmetic of scalars that is broadcast. Operands are mostly recent ones. Not all are
// used. The root is a tuple of some, or the last.
inline std::string random_module(std::int64_t size, const test::Draw& draw) {
  std::string text =
      "HloModule random\n\nENTRY main {\n"
      "  p0 = s32[4] parameter(0)\n  p1 = s32[4] parameter(1)\n";
  std::vector<std::string> arrays = {"p0", "p1"};
  std::vector<std::string> scalars;
  const auto pick = [&](const std::vector<std::string>& names) {
    const auto last = static_cast<std::int64_t>(names.size()) - 1;
    const std::int64_t reach = draw(0, 3) == 0 ? last : std::min<std::int64_t>(last, 5);
    return names[static_cast<std::size_t>(last - draw(0, reach))];
  };
  const auto add = [&](std::string_view type, std::string_view name, std::string_view what) {
    text += fmt::format("  {} = {} {}\n", name, type, what);
  };
  for (std::int64_t i = 0; i < size; ++i) {
    const std::string name = fmt::format("i{}", i);
    const std::int64_t kind = draw(0, 9);
    if (kind == 0 || (kind <= 2 && scalars.empty())) {
      scalars.push_back(name);
      add("s32[]", name, fmt::format("constant({})", draw(-9, 9)));
    } else if (kind == 1) {
      const std::string operands = fmt::format("add({}, {})", pick(scalars), pick(scalars));
      scalars.push_back(name);
      add("s32[]", name, operands);
    } else if (kind == 2) {
      arrays.push_back(name);
      add("s32[4]", name,
          draw(0, 3) == 0 ? "iota(), iota_dimension=0"
                          : fmt::format("broadcast({}), dimensions={{}}", pick(scalars)));
    } else {
      const hlo::Opcode opcode = kRandomOpcodes[static_cast<std::size_t>(draw(0, 5))];
      const std::string operands = hlo::operand_count(opcode) == 1
                                       ? pick(arrays)
                                       : fmt::format("{}, {}", pick(arrays), pick(arrays));
      arrays.push_back(name);
      add("s32[4]", name, fmt::format("{}({})", hlo::name(opcode), operands));
    }
  }
  if (draw(0, 3) == 0) {
    text += fmt::format("  ROOT last = s32[4] negate({})\n}}\n", arrays.back());
    return text;
  }
  std::string types;
  std::string results;
  for (std::int64_t i = draw(1, 4); i > 0; --i) {
    types += types.empty() ? "s32[4]" : ", s32[4]";
    results += (results.empty() ? "" : ", ") + pick(arrays);
  }
  text += fmt::format("  ROOT all = ({}) tuple({})\n}}\n", types, results);
  return text;
}

// One to four engines that each take some of the opcodes of random modules; the last takes all.
inline std::vector<std::unique_ptr<TestEngine>> random_engines(const test::Draw& draw) {
  constexpr hlo::Opcode kOthers[] = {hlo::Opcode::kConstant, hlo::Opcode::kIota,
                                     hlo::Opcode::kBroadcast, hlo::Opcode::kTuple};
  std::vector<std::unique_ptr<TestEngine>> engines;
  for (std::int64_t i = draw(0, 3); i > 0; --i) {
    std::vector<hlo::Opcode> opcodes;
    for (const hlo::Opcode opcode : kRandomOpcodes) {
      if (draw(0, 2) == 0) opcodes.push_back(opcode);
    }
    for (const hlo::Opcode opcode : kOthers) {
      if (draw(0, 1) == 0) opcodes.push_back(opcode);
    }
    engines.push_back(
        std::make_unique<TestEngine>(fmt::format("engine{}", i), takes(std::move(opcodes))));
  }
  engines.push_back(std::make_unique<TestEngine>("all"));
  return engines;
}

inline std::vector<const Engine*> pointers(
    const std::vector<std::unique_ptr<TestEngine>>& engines) {
  std::vector<const Engine*> result;
  for (const std::unique_ptr<TestEngine>& engine : engines) result.push_back(engine.get());
  return result;
}

}  // namespace mercator::runtime
