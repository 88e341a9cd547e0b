#include "mercator/hlo/names.h"

#include <fmt/format.h>

namespace mercator::hlo {

void Names::fail_twice(std::string_view name, std::string_view kind) {
  scanner_.fail(fmt::format("there are two {}s '{}'", kind, name), scanner_.span(name));
}

}  // namespace mercator::hlo
