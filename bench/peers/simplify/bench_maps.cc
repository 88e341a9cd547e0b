// Times the simplifiers of maps of Mercator and MLIR.
//
//   simplify_bench_maps FILE [NAME=RESULTS]
//   simplify_bench_maps FILE --list
//
// FILE holds maps separated by lines of ---, with a `# name` before each. For each map:
// microseconds in a context that has seen it before (warm) and in one made for the call (fresh),
// the fastest of many; the simplifiers take turns, map by map, in one run. Mercator simplifies
// results, constraints and bounds; MLIR the results, for its affine maps have no more. Then how
// Mercator's time grows with the number of terms of a sum, and with nesting.
//
// `--list` writes the results of the maps as input for peers that simplify expressions only
// (lines.h), and RESULTS is what such a peer answered: its time for a map is the sum over the
// results.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/map_file.h"
#include "bench/peers/simplify/growth.h"
#include "bench/peers/simplify/lines.h"
#ifdef MERCATOR_HAVE_MLIR
#include "bench/peers/simplify/affine.h"
#endif

namespace mercator::peers {
namespace {

constexpr int kRounds = 200;
// Calls in a row in a warm context; the first finds the processor's caches cold.
constexpr int kWarmCalls = 5;

IndexMap parse(const NamedMap& map, ExprContext& context) {
  Result<IndexMap> parsed = parse_index_map(map.text, context);
  if (!parsed) fail(fmt::format("{}: {}", map.name, parsed.error().message));
  return *std::move(parsed);
}

// The shortest of several times, in nanoseconds; none if there is no time.
class Shortest {
 public:
  void add(std::int64_t time) { time_ = std::min(time_.value_or(time), time); }
  [[nodiscard]] std::optional<double> microseconds() const {
    if (!time_) return std::nullopt;
    return static_cast<double>(*time_) / 1e3;
  }

 private:
  std::optional<std::int64_t> time_;
};

struct Times {
  Shortest warm;
  Shortest fresh;
};

// Mercator's simplifier of one map.
class MercatorSubject {
 public:
  MercatorSubject(const NamedMap& map, ExprContext& context, MapSimplifier& simplifier)
      : source_(map), simplifier_(simplifier), map_(parse(map, context)) {}

  void measure() {
    for (int i = 0; i < kWarmCalls; ++i) {
      times_.warm.add(time([&] { return simplifier_(map_); }));
    }
    ExprContext context;
    const IndexMap map = parse(source_, context);
    times_.fresh.add(time([&] { return simplify(map); }));
  }
  [[nodiscard]] const Times& times() const { return times_; }

 private:
  // The result is kept until the time is taken.
  template <class Work>
  static std::int64_t time(Work work) {
    std::optional<IndexMap> result;
    return fastest(1, [&] { result.emplace(work()); });
  }

  const NamedMap& source_;
  MapSimplifier& simplifier_;
  IndexMap map_;
  Times times_;
};

#ifdef MERCATOR_HAVE_MLIR
// MLIR's simplifier of one map; has no times for a map that is not affine.
class MlirSubject {
 public:
  MlirSubject(const IndexMap& map, AffineContext& context)
      : source_(map), map_(context, map.results(), counts_of(map)) {}

  void measure() {
    if (!map_.is_expressible()) return;
    times_.warm.add(fastest(kWarmCalls, [&] { map_.simplify(); }));
    AffineContext context;
    AffineMap map(context, source_.results(), counts_of(source_));
    times_.fresh.add(fastest(1, [&] { map.simplify(); }));
  }
  [[nodiscard]] const Times& times() const { return times_; }

 private:
  static VariableCounts counts_of(const IndexMap& map) {
    return {map.dimensions().size(), map.ranges().size(), map.runtimes().size()};
  }

  IndexMap source_;
  AffineMap map_;
  Times times_;
};
#endif

// The results of the maps that are not mere variables or constants, in the order of the maps.
struct ListedExpression {
  std::size_t map;
  std::string line;
};

std::vector<ListedExpression> list_expressions(const std::vector<NamedMap>& maps) {
  std::vector<ListedExpression> listed;
  ExprContext context;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const IndexMap map = parse(maps[i], context);
    for (const Expr result : map.results()) {
      if (!result.operands().empty()) listed.push_back({i, line_of(map, result)});
    }
  }
  return listed;
}

class GeometricMean {
 public:
  void add(double value) {
    log_sum_ += std::log(value);
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? 0 : std::exp(log_sum_ / count_); }

 private:
  double log_sum_ = 0;
  int count_ = 0;
};

// The means over the maps that both can express.
struct Means {
  GeometricMean ours;
  GeometricMean theirs;

  void add(const Shortest& our, const Shortest& their) {
    if (!our.microseconds() || !their.microseconds()) return;
    ours.add(*our.microseconds());
    theirs.add(*their.microseconds());
  }
  void print(std::string_view what, std::string_view name) const {
    fmt::print("geometric mean, {}: Mercator {:.3f} us, {} {:.3f} us, ratio {:.3g}\n", what,
               ours.value(), name, theirs.value(), ours.value() / theirs.value());
  }
};

std::string cell(const Shortest& time) {
  const std::optional<double> microseconds = time.microseconds();
  return microseconds ? fmt::format("{:>16.3f}", *microseconds) : fmt::format("{:>16}", "-");
}

void print_row(const std::string& name, const Times& ours, const Times& theirs) {
  fmt::print("{:<26}{}{}{}{}\n", name, cell(ours.warm), cell(theirs.warm), cell(ours.fresh),
             cell(theirs.fresh));
}

// Returns our times.
std::vector<Times> compare(const std::vector<NamedMap>& maps) {
  ExprContext context;
  MapSimplifier simplifier(context);
  std::vector<MercatorSubject> ours;
  for (const NamedMap& map : maps) ours.emplace_back(map, context, simplifier);
#ifdef MERCATOR_HAVE_MLIR
  AffineContext affine_context;
  std::vector<std::unique_ptr<MlirSubject>> theirs;
  for (const NamedMap& map : maps) {
    theirs.push_back(std::make_unique<MlirSubject>(parse(map, context), affine_context));
  }
#endif
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      ours[i].measure();
#ifdef MERCATOR_HAVE_MLIR
      theirs[i]->measure();
#endif
    }
  }

  fmt::print("{:<26}{:>16}{:>16}{:>16}{:>16}\n", "us for one map", "Mercator warm", "MLIR warm",
             "Mercator fresh", "MLIR fresh");
  Means warm;
  Means fresh;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Times their;
#ifdef MERCATOR_HAVE_MLIR
    their = theirs[i]->times();
#endif
    print_row(maps[i].name, ours[i].times(), their);
    warm.add(ours[i].times().warm, their.warm);
    fresh.add(ours[i].times().fresh, their.fresh);
  }
#ifdef MERCATOR_HAVE_MLIR
  warm.print("warm context", "MLIR");
  fresh.print("fresh context", "MLIR");
#endif
  std::vector<Times> times;
  for (const MercatorSubject& subject : ours) times.push_back(subject.times());
  return times;
}

// The time of a peer that was asked for the results one by one.
void compare_listed(const std::vector<NamedMap>& maps, const std::vector<Times>& ours,
                    const std::string& name, const std::string& path) {
  const std::vector<ListedExpression> listed = list_expressions(maps);
  const std::vector<OutputLine> answers = read_output(path);
  if (answers.size() != listed.size()) fail(fmt::format("{}: not the results of these maps", path));
  std::vector<std::int64_t> sums(maps.size());
  std::vector<bool> is_complete(maps.size(), true);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    sums[listed[i].map] += answers[i].nanoseconds;
    if (answers[i].text.empty()) is_complete[listed[i].map] = false;
  }
  Means means;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (sums[i] == 0 || !is_complete[i]) continue;
    Shortest sum;
    sum.add(sums[i]);
    means.add(ours[i].warm, sum);
  }
  means.print("warm context, of the maps with something to compute", name);
}

}  // namespace
}  // namespace mercator::peers

int main(int argc, char** argv) {
  using namespace mercator::peers;
  if (argc != 2 && argc != 3) fail("usage: simplify_bench_maps FILE [NAME=RESULTS | --list]");
  const std::vector<mercator::NamedMap> maps = mercator::read_maps(argv[1]);
  if (maps.empty()) fail(fmt::format("no maps in {}", argv[1]));
  const std::string option = argc == 3 ? argv[2] : "";
  if (option == "--list") {
    for (const ListedExpression& listed : list_expressions(maps)) fmt::print("{}\n", listed.line);
    return 0;
  }
  const std::vector<Times> times = compare(maps);
  if (const std::size_t equals = option.find('='); equals != std::string::npos) {
    compare_listed(maps, times, option.substr(0, equals), option.substr(equals + 1));
  }
  print_growth();
}
