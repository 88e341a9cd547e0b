#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {

// f32[4] rng(f32[] p0, f32[] p1), distribution=rng_uniform: the bounds, or mean and deviation
//   o2i of p0, p1: (d0) -> ()
void rng(InstructionMaps& maps) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) add_everything(maps, {}, k);
}

// (u64[2], u32[8]) rng-bit-generator(u64[2] p0), algorithm=rng_default
//   o2i of every number: (d0)[s0] -> (s0)
// How the new state is made from the old one is left open by HLO: it may be made from less.
void rng_bit_generator(InstructionMaps& maps) {
  if (!maps.output().is_tuple()) return add_everything(maps, {}, 0);
  add_everything(maps, {0}, 0, /*exact=*/false);
  add_everything(maps, {1}, 0);
}

}  // namespace mercator::indexing
