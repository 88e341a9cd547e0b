// `mercator map` for people: instruction by instruction, a map a line as long as that fits.
//
//   computation main (entry)
//
//   ds = s32[1,32]{1,0} dynamic-slice
//     o2i operand 0: src s32[2,258]{1,0}
//       (d0, d1){rt0, rt1} -> (rt0, d1 + rt1), domain: d0 in [0, 0], d1 in [0, 31], …
//         rt0 = of1[]
//         rt1 = of2[]

#pragma once

#include "mercator/tools/inside_maps.h"
#include "mercator/tools/map_listing.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

class MapTextWriter {
 public:
  MapTextWriter(const hlo::Module& module, Output& output) : module_(module), output_(output) {}
  void write(const InstructionMaps& maps);
  void write(const hlo::Instruction& instruction, const InsideMaps& maps);

 private:
  void write_head(const hlo::Instruction& instruction, bool has_details);
  void write_computation(const hlo::Computation& computation);
  void write_direction(const InstructionMaps& maps, Direction direction);
  void write_maps(const OperandMaps* maps);
  void write_map(const OperandMap& map);

  const hlo::Module& module_;
  Output& output_;
  const hlo::Computation* current_ = nullptr;  // whose instructions are being written
  bool last_had_details_ = false;              // more than the line that names it
};

}  // namespace mercator::tools
