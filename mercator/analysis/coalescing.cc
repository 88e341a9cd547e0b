#include "mercator/analysis/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercator/analysis/vector_width.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

namespace {

// Steps of warps that are looked at, for each place that accesses an array.
constexpr std::int64_t kBudget = 1 << 16;
constexpr std::int64_t kMostBytesAtOnce = 16;

// a / b for counts that grow together.
Measure ratio(const Count& a, const Count& b, double unit = 1) {
  const auto divide = [&](std::int64_t x, std::int64_t y) {
    return y == 0 ? 0.0 : static_cast<double>(x) / static_cast<double>(y) * unit;
  };
  const double lo = divide(a.lo, b.lo);
  const double hi = divide(a.hi, b.hi);
  return {.lo = std::min(lo, hi), .hi = std::max(lo, hi)};
}

bool is_coalesced(const WarpSectors& access) {
  return access.sectors.hi / 2 < access.ideal_sectors.hi || access.sectors.hi == 0;
}

// Whether sectors are touched for which the elements do not account.
bool has_waste(const WarpSectors& access, const MemoryGeometry& geometry) {
  return saturating_mul(access.sectors.hi, geometry.sector_bytes * 8) > access.useful_bits.lo;
}

// "neighbouring threads read 4096 bytes apart"
std::string describe(const WarpSectors& access, const hlo::Shape& array, bool is_write) {
  const char* verb = is_write ? "write" : "read";
  const std::int64_t bits = hlo::bits_in_memory(array);
  if (access.steps.hi == 0) return fmt::format("no thread {}s anything", verb);
  const char* perhaps = access.steps.is_exact() ? "" : ", if at all";
  if (!access.has_neighbours) {
    return fmt::format("only one thread of a warp {}s at a time{}", verb, perhaps);
  }
  if (!access.stride) {
    if (!access.steps.is_exact()) return access.steps.reason;
    return fmt::format("neighbouring threads {} at no fixed distance{}", verb,
                       access.sectors.is_exact() ? "" : ": it " + access.sectors.reason);
  }
  const std::int64_t stride = *access.stride < 0 ? -*access.stride : *access.stride;
  if (stride == 0) return fmt::format("the threads of a warp {} the same element{}", verb, perhaps);
  if (stride > 1) {
    const bool is_whole = bits % 8 == 0;
    return fmt::format("neighbouring threads {} {} {} apart{}", verb,
                       is_whole ? stride * (bits / 8) : stride, is_whole ? "bytes" : "elements",
                       perhaps);
  }
  const bool is_aligned = access.sectors.hi == access.ideal_sectors.hi;
  return fmt::format("neighbouring threads {} neighbouring elements{}{}", verb,
                     is_aligned ? "" : ", not all from the start of a sector", perhaps);
}

}  // namespace

const CoalescingAnalysis::Access& CoalescingAnalysis::access(const IndexMap& map,
                                                             const hlo::Shape& array,
                                                             const Launch& launch) {
  const std::int64_t bits = hlo::bits_in_memory(array);
  const auto [place, is_new] = accesses_.try_emplace(Key{map, bits, launch.threads}, Access());
  if (is_new) {
    MemoryGeometry geometry = {.warp_size = device_.warp_size,
                               .sector_bytes = device_.sector_bytes};
    Access& access = place->second;
    access.sectors = count_warp_sectors(map, bits, launch, geometry, kBudget);
    access.vector_width = analysis::vector_width(
        map, launch.threads[0], std::max<std::int64_t>(1, kMostBytesAtOnce * 8 / bits));
    access.moved = access.sectors;
    // What the threads of a warp access at once, several elements each, are the elements of as many
    // times the threads with one each. They are those of one block, if it has fewer.
    geometry.warp_size = std::min(saturating_mul(geometry.warp_size, access.vector_width),
                                  launch.threads_per_block());
    if (geometry.warp_size > device_.warp_size && has_waste(access.sectors, geometry)) {
      const WarpSectors at_once = count_warp_sectors(map, bits, launch, geometry, kBudget);
      if (at_once.sectors.hi < access.sectors.sectors.hi) access.moved = at_once;
    }
  }
  return place->second;
}

Coalescing CoalescingAnalysis::operator()(const OperandMaps& maps, const hlo::Shape& array,
                                          const Launch& launch, bool is_write) {
  if (!maps.unknown.empty()) return {.unknown = maps.unknown};
  const Result<IndexMap> position = indexing_.physical_position(array);
  if (!position) return {.unknown = position.error().message};

  Coalescing result;
  WarpSectors all;
  Count moved;
  double worst = -1;
  for (const OperandMap& map : maps.maps) {
    const Access& one = access(simplify(compose(map.map, *position)), array, launch);
    const WarpSectors& sectors = one.sectors;
    all.steps.add(sectors.steps);
    all.sectors.add(sectors.sectors);
    all.ideal_sectors.add(sectors.ideal_sectors);
    all.useful_bits.add(sectors.useful_bits);
    moved.add(one.moved.sectors);
    const bool is_first = worst < 0;
    result.vector_width =
        is_first ? one.vector_width : std::min(result.vector_width, one.vector_width);
    const bool needs_vectors = !is_coalesced(sectors) && is_coalesced(one.moved);
    result.coalesced &= needs_vectors || is_coalesced(sectors);
    const double times = ratio(sectors.sectors, sectors.ideal_sectors).hi;
    if (times > worst) {
      worst = times;
      result.why = describe(sectors, array, is_write);
      if (needs_vectors) {
        result.why += fmt::format(", but in few sectors if {} at once", one.vector_width);
      }
    }
  }
  result.sectors_per_warp = ratio(all.sectors, all.steps);
  result.ideal_sectors_per_warp = ratio(all.ideal_sectors, all.steps);
  result.useful_share =
      ratio(all.useful_bits, all.sectors, 1.0 / static_cast<double>(device_.sector_bytes * 8));
  const auto bytes = [&](std::int64_t sectors) {
    return saturating_mul(sectors, device_.sector_bytes);
  };
  result.moved_bytes = Count::between(bytes(moved.lo), bytes(moved.hi), moved.reason);
  return result;
}

}  // namespace mercator
