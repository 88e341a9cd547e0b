// `mercator map` for programs: one JSON object, an instruction a line. docs/command-line.md says
// what it holds.

#pragma once

#include "mercator/tools/inside_maps.h"
#include "mercator/tools/map_listing.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

class MapJsonWriter {
 public:
  // Starts the object.
  MapJsonWriter(const hlo::Module& module, Output& output);
  void write(const InstructionMaps& maps);
  void write(const hlo::Instruction& instruction, const InsideMaps& maps);
  // Ends the object. To be called once, last.
  void finish();

 private:
  void write(const Json& json);

  const hlo::Module& module_;
  Output& output_;
  bool first_ = true;
};

}  // namespace mercator::tools
