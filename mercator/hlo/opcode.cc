#include "mercator/hlo/opcode.h"

#include "mercator/hlo/name_index.h"

namespace mercator::hlo {
namespace {

constexpr NameIndex kNames(std::to_array<std::string_view>({
#define MERCATOR_X(id, name, operands, opcode_class) name,
    MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
}));

constexpr std::int8_t kOperandCounts[] = {
#define MERCATOR_X(id, name, operands, opcode_class) operands,
    MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
};

constexpr OpcodeClass kClasses[] = {
#define MERCATOR_X(id, name, operands, opcode_class) OpcodeClass::opcode_class,
    MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
};

}  // namespace

std::string_view name(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

std::optional<Opcode> opcode(std::string_view name) {
  const int found = kNames.find(name);
  if (found < 0) return std::nullopt;
  return static_cast<Opcode>(found);
}

int operand_count(Opcode opcode) { return kOperandCounts[static_cast<std::size_t>(opcode)]; }

bool is_elementwise(Opcode opcode) {
  return kClasses[static_cast<std::size_t>(opcode)] == OpcodeClass::kElementwise;
}

}  // namespace mercator::hlo
