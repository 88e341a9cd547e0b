// Writes the parts of a module. Internal to the printer: each function appends to `out`.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mercator/hlo/module.h"

namespace mercator::hlo {

void write(std::int64_t value, std::string& out);
void write(const Shape& shape, bool layout, std::string& out);
void write(const Literal& literal, std::string& out);
// `name=value`, without a comma before it.
void write(const Attribute& attribute, std::string& out);
void write(const Instruction& instruction, std::string& out);

}  // namespace mercator::hlo
