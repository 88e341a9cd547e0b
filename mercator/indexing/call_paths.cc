#include "mercator/indexing/call_paths.h"

#include <utility>

#include "mercator/indexing/analysis.h"

namespace mercator::indexing {
namespace {

// The most trees that are looked at for one answer.
constexpr int kMaxTrees = 1024;

}  // namespace

CallPaths::CallPaths(const hlo::Module& module) : nodes_(module.computations.size()) {
  for (const hlo::Instruction* instruction : module.instructions) {
    for (const CallSite& site : call_sites(*instruction)) {
      nodes_[site.computation->id].callers.push_back(instruction->parent->id);
    }
  }
  number_trees();
}

void CallPaths::number_trees() {
  std::vector<std::vector<std::uint32_t>> below(nodes_.size());
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].callers.size() == 1) below[nodes_[id].callers[0]].push_back(id);
  }
  std::uint32_t next = 1;
  for (std::uint32_t root = 0; root < nodes_.size(); ++root) {
    if (nodes_[root].callers.size() == 1) continue;
    // Nodes, and how many of those below them have been entered.
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [id, entered] = stack.back();
      if (entered == 0) {
        nodes_[id].first = next++;
        nodes_[id].root = root;
      }
      if (entered == below[id].size()) {
        nodes_[id].last = next - 1;
        stack.pop_back();
      } else {
        const std::uint32_t child = below[id][entered++];
        stack.emplace_back(child, 0);
      }
    }
  }
}

bool CallPaths::are_several(const hlo::Computation& outer, const hlo::Computation& inner) const {
  const Node& goal = nodes_[outer.id];
  int trees = 0;
  bool found = false;
  std::vector<std::uint32_t> open = {inner.id};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.first == 0 || ++trees > kMaxTrees) return true;
    if (goal.first <= node.first && node.first <= goal.last) {
      // Within a tree there is one way down.
      if (std::exchange(found, true)) return true;
      continue;
    }
    const std::vector<std::uint32_t>& callers = nodes_[node.root].callers;
    if (callers.size() > kMaxTrees) return true;
    open.insert(open.end(), callers.begin(), callers.end());
  }
  return false;
}

}  // namespace mercator::indexing
