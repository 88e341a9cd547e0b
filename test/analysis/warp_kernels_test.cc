// The warps of whole kernels, in all schemes and for elements of all widths, against a simulation
// of every one of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mercator/analysis/kernel_choice.h"
#include "mercator/analysis/warp_sectors.h"
#include "test/analysis/warp_simulation.h"
#include "test/indexing/analyzed_module.h"

namespace mercator {
namespace {

constexpr std::int64_t kBudget = 100'000;

// T is the element type; L a layout that packs it, where it is narrow.
struct Program {
  const char* what;
  const char* text;
};

constexpr Program kPrograms[] = {
    {"elementwise", R"(
  p = T[37,41]L2 parameter(0)
  ROOT r = T[37,41]L2 copy(p))"},
    {"transposed", R"(
  p = T[5,100]L2 parameter(0)
  ROOT r = T[100,5]L2 transpose(p), dimensions={1,0})"},
    {"transposed by tiles", R"(
  p = T[50,70]L2 parameter(0)
  ROOT r = T[70,50]L2 transpose(p), dimensions={1,0})"},
    {"batches transposed by tiles", R"(
  p = T[3,20,33]L3 parameter(0)
  ROOT r = T[3,33,20]L3 transpose(p), dimensions={0,2,1})"},
    {"strided", R"(
  p = T[40,60]L2 parameter(0)
  ROOT r = T[13,20]L2 slice(p), slice={[1:40:3], [0:60:3]})"},
    {"broadcast", R"(
  p = T[30]L1 parameter(0)
  ROOT r = T[20,30,7]L3 broadcast(p), dimensions={1})"},
    {"concatenated", R"(
  p = T[9,50]L2 parameter(0)
  q = T[9,23]L2 parameter(1)
  ROOT r = T[9,96]L2 concatenate(p, q, q), dimensions={1})"},
    {"padded", R"(
  p = T[9,50]L2 parameter(0)
  z = T[] parameter(1)
  ROOT r = T[12,103]L2 pad(p, z), padding=1_2x3_1_1)"},
    {"reversed", R"(
  p = T[9,50]L2 parameter(0)
  ROOT r = T[9,50]L2 reverse(p), dimensions={1})"},
    {"rows", R"(
  p = T[11,100]L2 parameter(0)
  z = T[] parameter(1)
  ROOT r = T[11]L1 reduce(p, z), dimensions={1}, to_apply=first)"},
    {"short rows", R"(
  p = T[70,6]L2 parameter(0)
  z = T[] parameter(1)
  ROOT r = T[70]L1 reduce(p, z), dimensions={1}, to_apply=first)"},
    {"columns", R"(
  p = T[4,70,45]L3 parameter(0)
  z = T[] parameter(1)
  ROOT r = T[4,45]L2 reduce(p, z), dimensions={1}, to_apply=first)"},
};

std::string with(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
  return text;
}

std::string module_of(const Program& program, const std::string& type, std::int64_t packed_bits) {
  const std::string body =
      std::string("first {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n") +
      "  ROOT c = T[] copy(a)\n}\nENTRY e {" + program.text + "\n}\n";
  std::string text = with(body, "T[", type + "[");
  const std::string packed = packed_bits == 0 ? "" : fmt::format(":E({})", packed_bits);
  text = with(text, "L1", "{0" + packed + "}");
  text = with(text, "L2", "{1,0" + packed + "}");
  text = with(text, "L3", "{2,1,0" + packed + "}");
  return "HloModule m\n" + text;
}

// Of each map of the kernel.
void check(testing::AnalyzedModule& m, const Kernel& kernel, const std::string& what) {
  const Result<KernelIndexing> threads = m.analysis().kernel(m.root(), kernel);
  ASSERT_TRUE(threads.has_value()) << what << ": " << threads.error().message;
  const auto check_maps = [&](const OperandMaps& maps, const hlo::Shape& array) {
    EXPECT_FALSE(maps.maps.empty()) << what;
    const Result<IndexMap> position = m.analysis().physical_position(array);
    ASSERT_TRUE(position.has_value());
    for (const OperandMap& map : maps.maps) {
      const IndexMap positions = simplify(compose(map.map, *position));
      const std::int64_t bits = hlo::bits_in_memory(array);
      const testing::Simulated s =
          testing::simulate(positions, bits, kernel.launch, {}, [](const auto&) { return 0; });
      const WarpSectors counted = count_warp_sectors(positions, bits, kernel.launch, {}, kBudget);
      ASSERT_TRUE(counted.sectors.is_exact());
      EXPECT_EQ(fmt::format("{} {} {} {}", counted.steps.lo, counted.sectors.lo,
                            counted.ideal_sectors.lo, counted.useful_bits.lo),
                fmt::format("{} {} {} {}", s.steps, s.sectors, s.ideal_sectors, s.useful_bits))
          << what << ": " << to_string(positions, MapStyle::kOneLine);
    }
  };
  for (const KernelIndexing::Read& read : threads->reads) {
    check_maps(read.maps, m.root().operand(static_cast<std::size_t>(read.operand)).shape);
  }
  for (const KernelIndexing::Write& write : threads->writes) {
    check_maps(write.maps, m.root().shape);
  }
}

TEST(WarpKernels, AsSimulated) {
  struct Type {
    const char* name;
    std::int64_t packed_bits;
  };
  constexpr Type kTypes[] = {{"s4", 4},  {"s4", 0},  {"f8e5m2", 0}, {"bf16", 0},
                             {"f32", 0}, {"f64", 0}, {"c128", 0}};
  const Device& device = *find_device("a100");
  for (const Program& program : kPrograms) {
    for (const Type& type : kTypes) {
      testing::AnalyzedModule m(module_of(program, type.name, type.packed_bits));
      const std::string what = fmt::format("{} of {}", program.what, type.name);
      Kernel kernel = generated_kernel(m.root(), device);
      check(m, kernel, what);
      kernel = loop_kernel(m.root().shape.element_count());
      check(m, kernel, what + " by a loop");
      // Fewer blocks, so that threads go round.
      kernel.launch = {.threads = {48, 1, 1}, .blocks = {3, 1, 1}};
      kernel.vector = 2;
      check(m, kernel, what + " by a loop of few threads");
    }
  }
}

}  // namespace
}  // namespace mercator
