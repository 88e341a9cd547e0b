// Files of maps to measure with.

#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace mercator {

struct NamedMap {
  std::string name;
  std::string text;
};

// The maps of a file: separated by lines of ---, with a `# name` before each. Empty if it is
// missing.
inline std::vector<NamedMap> read_maps(const std::string& path) {
  std::ifstream file(path);
  std::vector<NamedMap> maps;
  NamedMap map;
  const auto finish = [&] {
    if (!map.text.empty()) maps.push_back(std::exchange(map, {}));
  };
  for (std::string line; std::getline(file, line);) {
    if (line == "---") {
      finish();
    } else if (line.starts_with("# ")) {
      map.name = line.substr(2);
    } else {
      map.text += line;
    }
  }
  finish();
  return maps;
}

}  // namespace mercator
