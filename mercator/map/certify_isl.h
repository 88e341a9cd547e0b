// isl's objects with owners. For the files of certify.h only.
//
// Functions of isl consume what is marked __isl_take: pass `x.release()`, or `copy(x)` to keep x.
// They yield null when something has failed, and pass null on, so that only the end result needs a
// look.

#pragma once

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <memory>

namespace mercator::isl {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Context = std::unique_ptr<isl_ctx, Free<isl_ctx_free>>;
using Space = std::unique_ptr<isl_space, Free<isl_space_free>>;
using Value = std::unique_ptr<isl_val, Free<isl_val_free>>;
using Affine = std::unique_ptr<isl_aff, Free<isl_aff_free>>;
using Pieces = std::unique_ptr<isl_pw_aff, Free<isl_pw_aff_free>>;
using Set = std::unique_ptr<isl_set, Free<isl_set_free>>;
using Map = std::unique_ptr<isl_map, Free<isl_map_free>>;
using Point = std::unique_ptr<isl_point, Free<isl_point_free>>;

inline isl_space* copy(const Space& space) { return isl_space_copy(space.get()); }
inline isl_aff* copy(const Affine& affine) { return isl_aff_copy(affine.get()); }
inline isl_pw_aff* copy(const Pieces& pieces) { return isl_pw_aff_copy(pieces.get()); }
inline isl_set* copy(const Set& set) { return isl_set_copy(set.get()); }
inline isl_map* copy(const Map& map) { return isl_map_copy(map.get()); }

}  // namespace mercator::isl
