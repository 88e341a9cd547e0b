#include "mercator/hlo/attribute.h"

#include "mercator/hlo/name_index.h"

namespace mercator::hlo {
namespace {

constexpr NameIndex kNames(std::to_array<std::string_view>({
#define MERCATOR_X(id, name, syntax) name,
    MERCATOR_HLO_ATTRIBUTES(MERCATOR_X)
#undef MERCATOR_X
}));

constexpr AttributeSyntax kSyntaxes[] = {
#define MERCATOR_X(id, name, syntax) AttributeSyntax::syntax,
    MERCATOR_HLO_ATTRIBUTES(MERCATOR_X)
#undef MERCATOR_X
};

}  // namespace

std::string_view name(AttributeName name) {
  const auto i = static_cast<std::size_t>(name);
  return i < kNames.size() ? kNames[i] : std::string_view();
}

AttributeSyntax syntax(AttributeName name) {
  const auto i = static_cast<std::size_t>(name);
  return i < kNames.size() ? kSyntaxes[i] : AttributeSyntax::kRaw;
}

AttributeName attribute_name(std::string_view name) {
  const int found = kNames.find(name);
  return found < 0 ? AttributeName::kUnknown : static_cast<AttributeName>(found);
}

}  // namespace mercator::hlo
