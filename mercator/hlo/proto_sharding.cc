// OpSharding as XLA prints it: {replicated}, {devices=[2,1]<=[2]}, {{maximal device=0}, {manual}}.

#include <array>

#include <fmt/format.h>

#include "mercator/hlo/proto_text.h"
#include "mercator/hlo/shape_reader.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

constexpr std::array<std::string_view, 7> kTypes = {"replicated", "maximal", "tuple",    "other",
                                                    "manual",     "unknown", "unreduced"};
constexpr std::int64_t kMaximal = 1;
constexpr std::int64_t kTuple = 2;
constexpr std::int64_t kOther = 3;

std::string_view type_name(std::int64_t type) {
  return type >= 0 && type < static_cast<std::int64_t>(kTypes.size())
             ? kTypes[static_cast<std::size_t>(type)]
             : "unknown";
}

}  // namespace

// Shardings by the names of a mesh have no text that Mercator knows. A sharding has no part in what
// a program computes, so that they are left out.
bool ProtoText::can_write(const WireMessage& sharding, int depth) const {
  constexpr std::uint32_t kNamedSharding = 14;
  if (depth > kMaxNesting || sharding.has(kNamedSharding)) return false;
  for (const WireMessage& element : sharding.messages(5)) {
    if (!can_write(element, depth + 1)) return false;
  }
  return true;
}

void ProtoText::append_sharding(const WireMessage& sharding, int depth) {
  const std::int64_t type = sharding.integer(1);
  out_ += '{';
  if (type == kTuple) {
    constexpr std::size_t kCommentEvery = 5;
    const std::vector<WireMessage> elements = sharding.messages(5);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (i > 0 && i % kCommentEvery == 0) out_ += fmt::format("/*index={}*/", i);
      append_sharding(elements[i], depth + 1);
    }
    out_ += '}';
    return;
  }
  if (type == kOther) {
    append_tile_assignment(sharding);
  } else {
    out_ += type_name(type);
  }
  const std::vector<std::int64_t> devices = sharding.integers(4);
  if (type == kMaximal && !devices.empty()) out_ += fmt::format(" device={}", devices[0]);
  if (sharding.boolean(11)) {
    out_ += sharding.integer(13) == 0 ? " shard_as " : " shard_like ";
    write(sharding.integer(12), out_);
  }
  const std::vector<WireMessage> notes = sharding.messages(7);
  if (!notes.empty()) {
    out_ += " metadata=";
    if (notes.size() > 1) out_ += '{';
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (i > 0) out_ += ", ";
      append_metadata(notes[i]);
    }
    if (notes.size() > 1) out_ += '}';
  }
  out_ += '}';
}

void ProtoText::append_tile_assignment(const WireMessage& sharding) {
  out_ += "devices=";
  append(sharding.integers(3), '[', ']');
  if (const std::vector<std::int64_t> reshape = sharding.integers(9); !reshape.empty()) {
    out_ += "<=";
    append(reshape, '[', ']');
    // A transposition that moves nothing is not written.
    if (reshape.size() > 1) {
      out_ += 'T';
      append(sharding.integers(10), '(', ')');
    }
  } else {
    out_ += fmt::format("{}", fmt::join(sharding.integers(4), ","));
  }
  if (sharding.boolean(6)) out_ += " last_tile_dim_replicate";
  if (const std::vector<std::int64_t> types = sharding.integers(8); !types.empty()) {
    out_ += " last_tile_dims={";
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += type_name(types[i]);
    }
    out_ += '}';
  }
}

}  // namespace mercator::hlo
