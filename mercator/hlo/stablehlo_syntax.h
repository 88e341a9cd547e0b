// A StableHLO program as its text has it: operations with operands, attributes and regions.
// Internal to the reader of StableHLO.
//
// What an operation means is not known here. Its pretty form and its generic form become the same:
// `dims = [0]` and `<{dimensions = array<i64: 0>}>` are both an attribute with a list of numbers.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mercator/hlo/shape.h"
#include "mercator/support/error.h"

namespace mercator::hlo::stablehlo {

struct Op;
struct Region;

// A result of an operation, or an argument of a region or function.
struct Value {
  std::string_view name;  // without '%'
  Shape type;
  const Op* op = nullptr;          // that it is a result of; null: an argument
  std::size_t result = 0;          // which
  const Region* region = nullptr;  // in which it is defined
};

struct NamedAttribute;

struct Attribute {
  enum class Kind : std::uint8_t {
    kInteger,  // 3, true
    kString,   // "…": without the quotes, escapes as written
    kSymbol,   // @name: without the '@'
    kList,     // [1, 2], array<i64: 1, 2>, dense<[1, 2]>
    kDense,    // dense<…>: what stands between the angle brackets
    kFields,   // {a = 1}, #stablehlo.gather<offset_dims = [0], …>
    kText,     // anything else
  };
  Kind kind = Kind::kText;
  std::string_view text;  // all of it, but for kString, kSymbol and kDense
  std::int64_t integer = 0;
  std::span<const Attribute> list = {};
  std::span<const NamedAttribute> fields = {};
};

struct NamedAttribute {
  std::string_view name;
  Attribute value;
};

struct Region {
  std::span<Value* const> arguments = {};
  std::span<Op* const> ops = {};  // the last one returns
  const Region* parent = nullptr;
};

struct Op {
  std::string_view name;  // stablehlo.add; call, return and func.… without `func.`
  std::span<Value* const> operands = {};
  std::span<Value* const> results = {};
  std::span<const NamedAttribute> attributes = {};
  // What stands in the pretty form without a name, in order: LT, FLOAT, @f, [0:2], dense<1>, "x".
  std::span<const Attribute> words = {};
  std::span<Region* const> regions = {};
  TextSpan span;  // of its name
};

struct Function {
  std::string_view name;  // without '@'
  Region* body = nullptr;
  TextSpan span;
};

struct Program {
  std::string_view name;
  std::int64_t replica_count = 1;
  std::int64_t partition_count = 1;
  std::span<const Function> functions = {};
};

}  // namespace mercator::hlo::stablehlo
