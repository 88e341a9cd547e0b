// How long Mercator takes to read HLO. Reads file names from standard input, one a line, and
// answers each with a line: the milliseconds of the fastest of many readings, or "error: …".

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "mercator/hlo/module.h"

namespace mercator {
namespace {

using Clock = std::chrono::steady_clock;

// At least three readings, and as many as fit into a fifth of a second.
constexpr int kLeastReadings = 3;
constexpr std::chrono::milliseconds kTime{200};

std::string answer(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "error: cannot open the file";
  const std::string text(std::istreambuf_iterator<char>(file), {});

  std::chrono::nanoseconds fastest = std::chrono::nanoseconds::max();
  const auto start = Clock::now();
  for (int i = 0; i < kLeastReadings || Clock::now() - start < kTime; ++i) {
    const auto begin = Clock::now();
    const auto module = hlo::parse_module(text);
    fastest = std::min<std::chrono::nanoseconds>(fastest, Clock::now() - begin);
    if (!module) return "error: " + module.error().message;
  }
  return fmt::format("{:.6f}", std::chrono::duration<double, std::milli>(fastest).count());
}

}  // namespace
}  // namespace mercator

int main() {
  std::string path;
  while (std::getline(std::cin, path)) {
    fmt::print("{}\n", mercator::answer(path));
    std::fflush(stdout);
  }
}
