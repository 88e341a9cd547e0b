// How the command shows certificates (map/certify.h).

#pragma once

#include <string>

#include "mercator/map/certify.h"
#include "mercator/map/index_map.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

// `map` with the number of each runtime variable as its tensor, by which it is known again once
// others have been dropped. Requires that no runtime variable has a tensor.
[[nodiscard]] IndexMap with_numbered_runtimes(const IndexMap& map);

// Whether `after` means the same as `before`, of which it was made by simplification. `before` has
// numbered runtime variables.
[[nodiscard]] Certification certify_simplification(const IndexMap& before, const IndexMap& after);

// true, false, "not quasi-affine" or "undecided".
[[nodiscard]] Json certificate_json(Certificate certificate);

// A line that files of maps may have between entries: `# certified`, or why it is not.
[[nodiscard]] std::string certificate_comment(const Certification& certification);

}  // namespace mercator::tools
