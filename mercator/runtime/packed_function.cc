#include "mercator/runtime/packed_function.h"

#include <algorithm>

#include <fmt/format.h>

#include "mercator/runtime/call_depth.h"

namespace mercator::runtime {
namespace {

// The stack that a function and what it runs take, in calls of computations.
constexpr int kCallSteps = 5;

std::string wanted_count(const PackedFunction::ArgumentCount& count) {
  if (count.least == count.most) {
    return fmt::format("{} argument{}", count.least, count.least == 1 ? "" : "s");
  }
  if (count.most == PackedFunction::ArgumentCount{}.most) {
    return fmt::format("{} or more arguments", count.least);
  }
  return fmt::format("{} to {} arguments", count.least, count.most);
}

}  // namespace

struct PackedFunction::Content {
  std::string name;
  Body body;
  ArgumentCount count;
};

PackedFunction::PackedFunction(std::string name, Body body, ArgumentCount count)
    : content_(std::make_shared<const Content>(
          Content{.name = std::move(name), .body = std::move(body), .count = count})) {}

Result<Any> PackedFunction::operator()(std::span<const Any> arguments) const {
  if (!accepts(arguments.size())) {
    return fail(ErrorKind::kUsage, fmt::format("'{}' takes {}, not {}", name(),
                                               wanted_count(content_->count), arguments.size()));
  }
  MERCATOR_TRY_VOID(CallDepth::check(kCallSteps));
  const CallDepth depth(CallDepth::current() + kCallSteps);
  return content_->body(arguments);
}

std::string_view PackedFunction::name() const { return content_->name; }

bool PackedFunction::accepts(std::size_t argument_count) const {
  return content_->count.least <= argument_count && argument_count <= content_->count.most;
}

struct Any::List {
  std::vector<Any> elements;
  int depth = 1;
};

Any::Any(std::string value) : content_(std::make_shared<const std::string>(std::move(value))) {}

Any::Any(std::vector<Any> elements) {
  int depth = 0;
  for (const Any& element : elements) depth = std::max(depth, element.depth());
  content_ =
      std::make_shared<const List>(List{.elements = std::move(elements), .depth = depth + 1});
}

const std::string* Any::string() const {
  const auto* const found = std::get_if<std::shared_ptr<const std::string>>(&content_);
  return found == nullptr ? nullptr : found->get();
}

const std::vector<Any>* Any::list() const {
  const auto* const found = std::get_if<std::shared_ptr<const List>>(&content_);
  return found == nullptr ? nullptr : &(*found)->elements;
}

int Any::depth() const {
  const auto* const found = std::get_if<std::shared_ptr<const List>>(&content_);
  return found == nullptr ? 0 : (*found)->depth;
}

std::string describe(const Any& value) {
  switch (value.kind()) {
    case Any::Kind::kNull:
      return "null";
    case Any::Kind::kBool:
      return "a bool";
    case Any::Kind::kInteger:
      return fmt::format("the integer {}", *value.integer());
    case Any::Kind::kReal:
      return fmt::format("the number {}", *value.real());
    case Any::Kind::kString:
      return "a string";
    case Any::Kind::kTensor:
      return fmt::format("a tensor {}", type_text(*value.tensor()));
    case Any::Kind::kFunction:
      return "a function";
    case Any::Kind::kHandle:
      return fmt::format("a handle of type '{}'", value.handle()->type_name);
    case Any::Kind::kList:
      return "a list";
  }
  return "";
}

Any any_of(const Value& value) {
  if (value.is_token()) return nullptr;
  if (value.is_tensor()) return value.tensor();
  std::vector<Any> elements;
  elements.reserve(value.elements().size());
  for (const Value& element : value.elements()) elements.push_back(any_of(element));
  return elements;
}

std::optional<Value> value_of(const Any& value) {
  if (value.is_null()) return Value();
  if (value.tensor() != nullptr) return Value(*value.tensor());
  if (value.list() == nullptr) return std::nullopt;
  std::vector<Value> elements;
  elements.reserve(value.list()->size());
  for (const Any& element : *value.list()) {
    std::optional<Value> converted = value_of(element);
    if (!converted) return std::nullopt;
    elements.push_back(*std::move(converted));
  }
  return Value::tuple(std::move(elements));
}

}  // namespace mercator::runtime
