#include "mercator/runtime/artifact.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/hlo/verifier.h"
#include "mercator/runtime/binary.h"
#include "mercator/runtime/partition.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using InstructionList = std::vector<const hlo::Instruction*>;

constexpr std::string_view kMagic = "mercator\n";
constexpr std::uint32_t kVersion = 1;

void write_places(const InstructionList& instructions, const hlo::Computation& entry,
                  BinaryWriter& writer) {
  writer.write_u32(static_cast<std::uint32_t>(instructions.size()));
  for (const hlo::Instruction* instruction : instructions) {
    writer.write_u32(instruction->id - entry.instructions.front()->id);
  }
}

InstructionList own_instructions(const Subgraph& subgraph) {
  InstructionList own;
  auto copy = subgraph.copies.begin();  // in the order of the instructions
  for (const hlo::Instruction* instruction : subgraph.instructions) {
    if (copy != subgraph.copies.end() && *copy == instruction) {
      ++copy;
    } else {
      own.push_back(instruction);
    }
  }
  return own;
}

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::kInvalidInput, fmt::format("the artifact is damaged: {}", what));
}

// The same error as one about the file: positions are those of a text inside it.
std::unexpected<Error> damaged(const Error& error) { return damaged(error.message); }

class ArtifactReader {
 public:
  ArtifactReader(std::string_view content, const EngineTable& table, const std::stop_token& stop)
      : reader_(content), table_(table), stop_(stop) {}

  Result<std::unique_ptr<Program>> read() {
    MERCATOR_TRY_VOID(check_stop(stop_));
    MERCATOR_TRY_VOID(read_module());
    MERCATOR_TRY_VOID(read_engines());
    const Effects effects(*module_);
    constexpr std::size_t kLeastBytes = 4 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
    const std::uint32_t count = MERCATOR_TRY(reader_.read_count(kLeastBytes));
    std::vector<Subgraph> subgraphs;
    std::vector<std::string_view> saved;
    for (std::uint32_t i = 0; i < count; ++i) {
      MERCATOR_TRY_VOID(check_stop(stop_));
      subgraphs.push_back(MERCATOR_TRY(read_subgraph(effects)));
      saved.push_back(MERCATOR_TRY(reader_.read_text()));
    }
    if (!reader_.rest().empty()) return damaged("something follows its end");
    MERCATOR_TRY_VOID(check_partition(*module_, subgraphs, effects));

    std::vector<Program::Part> parts;
    for (std::uint32_t i = 0; i < count; ++i) {
      MERCATOR_TRY_VOID(check_stop(stop_));
      SubgraphModule own = MERCATOR_TRY(module_of(subgraphs[i], effects));
      Result<std::unique_ptr<Executable>> executable =
          engines_[subgraphs[i].engine]->load(saved[i]);
      if (!executable) return damaged(executable.error());
      parts.push_back({std::move(subgraphs[i]), std::move(own.origins), *std::move(executable)});
    }
    return std::make_unique<Program>(module_, std::move(used_), std::move(parts), effects);
  }

 private:
  Result<void> read_module() {
    const std::string_view text = MERCATOR_TRY(reader_.read_text());
    Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::string(text));
    if (!module) return damaged(module.error());
    module_ = *std::move(module);
    const Result<void> valid = hlo::verify(*module_);
    if (!valid) return damaged(valid.error());
    return {};
  }

  Result<void> read_engines() {
    const std::uint32_t count = MERCATOR_TRY(reader_.read_count(2 * sizeof(std::uint64_t)));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view name = MERCATOR_TRY(reader_.read_text());
      const std::string_view version = MERCATOR_TRY(reader_.read_text());
      const Engine* engine = table_.find(name);
      if (engine == nullptr) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("the artifact needs the engine '{}', which is not here", name));
      }
      if (engine->version() != version) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("the artifact was compiled by version {} of the engine '{}', and "
                                "this is version {}: compile it again",
                                version, name, engine->version()));
      }
      engines_.push_back(engine);
      used_.push_back({std::string(name), std::string(version)});
    }
    return {};
  }

  Result<Subgraph> read_subgraph(const Effects& effects) {
    const std::uint32_t engine = MERCATOR_TRY(reader_.read_u32());
    if (engine >= engines_.size()) return damaged("a subgraph has no engine");
    const InstructionList own = MERCATOR_TRY(read_places());
    const InstructionList copies = MERCATOR_TRY(read_places());
    InstructionList outputs = MERCATOR_TRY(read_places());
    return make_subgraph(engine, own, copies, std::move(outputs), effects);
  }

  Result<InstructionList> read_places() {
    const std::span<hlo::Instruction* const> instructions = module_->entry->instructions;
    const std::uint32_t count = MERCATOR_TRY(reader_.read_count(sizeof(std::uint32_t)));
    InstructionList list;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t place = MERCATOR_TRY(reader_.read_u32());
      if (place >= instructions.size() || instructions[place]->opcode == hlo::Opcode::kParameter) {
        return damaged("a subgraph has no such instruction");
      }
      list.push_back(instructions[place]);
    }
    return list;
  }

  BinaryReader reader_;
  const EngineTable& table_;
  const std::stop_token& stop_;
  std::shared_ptr<const hlo::Module> module_;
  std::vector<const Engine*> engines_;
  std::vector<Program::UsedEngine> used_;
};

}  // namespace

Result<std::string> write_artifact(const Program& program) {
  BinaryWriter content;
  content.write_text(program.module().text());
  content.write_u32(static_cast<std::uint32_t>(program.engines().size()));
  for (const Program::UsedEngine& engine : program.engines()) {
    content.write_text(engine.name);
    content.write_text(engine.version);
  }
  content.write_u32(static_cast<std::uint32_t>(program.parts().size()));
  for (const Program::Part& part : program.parts()) {
    content.write_u32(static_cast<std::uint32_t>(part.subgraph.engine));
    write_places(own_instructions(part.subgraph), *program.module().entry, content);
    write_places(part.subgraph.copies, *program.module().entry, content);
    write_places(part.subgraph.outputs, *program.module().entry, content);
    content.write_text(MERCATOR_TRY(part.executable->save()));
  }
  const std::string bytes = std::move(content).take();
  BinaryWriter artifact;
  artifact.write_raw(kMagic);
  artifact.write_u32(kVersion);
  artifact.write_checksum(checksum(bytes));
  artifact.write_raw(bytes);
  return std::move(artifact).take();
}

bool is_artifact(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<std::unique_ptr<Program>> read_artifact(std::string_view bytes, const EngineTable& engines,
                                               const std::stop_token& stop) {
  if (!is_artifact(bytes)) return fail(ErrorKind::kInvalidInput, "this is not an artifact");
  BinaryReader reader(bytes.substr(kMagic.size()));
  const Result<std::uint32_t> version = reader.read_u32();
  if (!version) return damaged("it is cut off");
  if (*version != kVersion) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("the artifact has version {}; this program reads version {}", *version,
                            kVersion));
  }
  const Result<Checksum> expected = reader.read_checksum();
  if (!expected) return damaged("it is cut off");
  if (checksum(reader.rest()) != *expected) {
    return damaged("its checksum is wrong; it may be cut off");
  }
  return ArtifactReader(reader.rest(), engines, stop).read();
}

}  // namespace mercator::runtime
