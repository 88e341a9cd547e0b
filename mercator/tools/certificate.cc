#include "mercator/tools/certificate.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace mercator::tools {

IndexMap with_numbered_runtimes(const IndexMap& map) {
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (std::uint32_t i = 0; i < runtimes.size(); ++i) runtimes[i].tensor = i;
  return IndexMap(map.context(), map.dimensions(), map.ranges(), std::move(runtimes), map.results(),
                  map.constraints());
}

Certification certify_simplification(const IndexMap& before, const IndexMap& after) {
  std::vector<std::uint32_t> kept;
  for (const RuntimeVariable& runtime : after.runtimes()) kept.push_back(runtime.tensor.value());
  return certify(before, after, kept);
}

Json certificate_json(Certificate certificate) {
  switch (certificate) {
    case Certificate::kEqual:
      return true;
    case Certificate::kDifferent:
      return false;
    case Certificate::kNotQuasiAffine:
      return "not quasi-affine";
    case Certificate::kUndecided:
      return "undecided";
  }
  __builtin_unreachable();
}

std::string certificate_comment(const Certification& certification) {
  switch (certification.certificate) {
    case Certificate::kEqual:
      return "# certified\n";
    case Certificate::kDifferent:
      return fmt::format("# wrong: {}\n", certification.reason);
    case Certificate::kNotQuasiAffine:
      return fmt::format("# not certified: {} is not quasi-affine\n", certification.reason);
    case Certificate::kUndecided:
      return fmt::format("# not certified: {}\n", certification.reason);
  }
  __builtin_unreachable();
}

}  // namespace mercator::tools
