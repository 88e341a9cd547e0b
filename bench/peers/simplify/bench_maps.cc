// Times the simplifiers of maps of Mercator and MLIR.
//
//   simplify_bench_maps FILE [NAME=RESULTS]
//   simplify_bench_maps FILE --list
//
// FILE holds maps separated by lines of ---, with a `# name` before each. For each map:
// microseconds in a context that has seen it before (warm) and in one made for the call (fresh),
// the mean of a few calls in a row, the fastest of many such rows; the simplifiers take turns, map
// by map, in one run. Mercator simplifies results, constraints and bounds; MLIR the results, for
// its affine maps have no more. Then how Mercator's time grows with the number of terms of a sum,
// and with nesting.
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
// So many calls in a row are timed, each alone, after one that is not: what the making of contexts
// and maps has left in the processor's caches is not what is to be measured. The mean of many is
// finer than the clock.
constexpr int kCalls = 32;

// The mean nanoseconds of a row of calls, `call(0)` first; what each returns is dropped once its
// time is taken. The clock's own time counts.
template <class Call>
double mean_time(Call call) {
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds all{};
  for (int i = 0; i < kCalls; ++i) {
    std::optional<decltype(call(i))> result;
    const auto start = Clock::now();
    result.emplace(call(i));
    all += Clock::now() - start;
  }
  return static_cast<double>(all.count()) / kCalls;
}

IndexMap parse(const NamedMap& map, ExprContext& context) {
  Result<IndexMap> parsed = parse_index_map(map.text, context);
  if (!parsed) fail(fmt::format("{}: {}", map.name, parsed.error().message));
  return *std::move(parsed);
}

// The shortest of several times, the clock's own not counted; none if there is no time.
class Shortest {
 public:
  // In nanoseconds, as `mean_time` gives them.
  void add(double time) {
    static const double own_time = time_of_clock();
    add_net(time - own_time);
  }
  void add_net(double time) { time_ = std::min(time_.value_or(time), std::max(time, 1.0)); }
  [[nodiscard]] std::optional<double> microseconds() const {
    if (!time_) return std::nullopt;
    return *time_ / 1e3;
  }

 private:
  static double time_of_clock() {
    double shortest = mean_time([](int) { return true; });
    for (int i = 0; i < kRounds; ++i) {
      shortest = std::min(shortest, mean_time([](int) { return true; }));
    }
    return shortest;
  }

  std::optional<double> time_;
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
    simplifier_(map_);
    times_.warm.add(mean_time([&](int) { return simplifier_(map_); }));
    std::vector<ExprContext> contexts(kCalls);
    std::vector<IndexMap> maps;
    for (ExprContext& context : contexts) maps.push_back(parse(source_, context));
    simplifier_(map_);
    times_.fresh.add(mean_time([&](int i) { return simplifier_(maps[i]); }));
  }
  [[nodiscard]] const Times& times() const { return times_; }

 private:
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
    const auto simplify = [](AffineMap& map) {
      map.simplify();
      return true;
    };
    simplify(map_);
    times_.warm.add(mean_time([&](int) { return simplify(map_); }));
    std::vector<AffineContext> contexts(kCalls);
    std::vector<std::unique_ptr<AffineMap>> maps;
    for (AffineContext& context : contexts) {
      maps.push_back(std::make_unique<AffineMap>(context, source_.results(), counts_of(source_)));
    }
    simplify(map_);
    times_.fresh.add(mean_time([&](int i) { return simplify(*maps[i]); }));
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
  MapSimplifier simplifier;
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
    sum.add_net(static_cast<double>(sums[i]));
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
