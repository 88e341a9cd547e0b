#include "mercator/runtime/cluster.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace mercator::runtime {
namespace {

using Node = std::uint32_t;
using NodeList = std::vector<Node>;

class Merger {
 public:
  explicit Merger(const ColouredGraph& graph) : graph_(graph), parents_(graph.colours.size()) {
    std::iota(parents_.begin(), parents_.end(), Node{0});
  }

  NodeList run() {
    merge_levels();
    collect_edges();
    for (std::size_t place = 0; place < at_.size(); ++place) merge_with_needed(at_[place]);
    return numbers();
  }

 private:
  [[nodiscard]] Node node_count() const { return static_cast<Node>(parents_.size()); }

  // The node that stands for the cluster of a node.
  Node find(Node node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  // ---- step 1 ----

  void merge_levels() {
    std::vector<std::uint32_t> levels(node_count(), 0);
    for (Node node = 0; node < node_count(); ++node) {
      for (const Node needed : graph_.needs[node]) {
        const bool differs = graph_.colours[needed] != graph_.colours[node];
        levels[node] = std::max(levels[node], levels[needed] + (differs ? 1 : 0));
      }
      for (const Node needed : graph_.needs[node]) {
        const bool same = graph_.colours[needed] == graph_.colours[node];
        if (same && levels[needed] == levels[node]) parents_[find(node)] = find(needed);
      }
    }
    // In the order of their levels, the clusters are in a topological order.
    for (Node node = 0; node < node_count(); ++node) {
      if (find(node) == node) at_.push_back(node);
    }
    std::ranges::stable_sort(at_, {}, [&](Node node) { return levels[node]; });
    places_.resize(node_count());
    for (std::size_t place = 0; place < at_.size(); ++place) {
      places_[at_[place]] = static_cast<std::uint32_t>(place);
    }
  }

  // ---- step 2 ----

  void collect_edges() {
    needs_.resize(node_count());
    needed_by_.resize(node_count());
    std::uint64_t edges = 0;
    for (Node node = 0; node < node_count(); ++node) {
      for (const Node needed : graph_.needs[node]) {
        ++edges;
        const Node from = find(needed);
        const Node to = find(node);
        if (from == to) continue;
        needed_by_[from].push_back(to);
        needs_[to].push_back(from);
      }
    }
    // Small graphs are searched as long as it takes.
    constexpr std::uint64_t kAtLeast = std::uint64_t{1} << 20;
    steps_left_ = kAtLeast + kSearchesPerEdge * edges;
    reached_.resize(node_count(), 0);
  }

  void merge_with_needed(Node cluster) {
    NodeList same_colour;
    for (const Node needed : needs_[cluster]) {
      const Node from = find(needed);
      if (graph_.colours[from] == graph_.colours[cluster]) same_colour.push_back(from);
    }
    std::ranges::sort(same_colour, std::greater<>(), [&](Node node) { return places_[node]; });
    const auto repeated = std::ranges::unique(same_colour);
    same_colour.erase(repeated.begin(), repeated.end());
    // What is merged on the way stands before all those that are still to come.
    for (const Node needed : same_colour) cluster = try_to_merge(needed, cluster);
  }

  // Merges `to` with `from`, which it needs, unless there is another path between them. Returns the
  // cluster that `to` is in then.
  Node try_to_merge(Node from, Node to) {
    NodeList after;
    NodeList before;
    const bool no_other_path = search(from, to, needed_by_, std::less<>(), after) &&
                               search(to, from, needs_, std::greater<>(), before);
    if (!no_other_path) return to;
    const Node merged = unite(from, to);
    reorder(before, from, merged, to, after);
    return merged;
  }

  // Appends what can be reached from `start` by `edges` without passing `end`'s place in the order.
  // False if a path of several edges leads to `end`, or if there are no steps left.
  template <class Compare>
  bool search(Node start, Node end, const std::vector<NodeList>& edges, Compare inside,
              NodeList& reached) {
    ++search_number_;
    reached_[start] = search_number_;
    NodeList stack = {start};
    while (!stack.empty()) {
      const Node node = stack.back();
      stack.pop_back();
      for (const Node edge : edges[node]) {
        if (steps_left_ == 0) return false;
        --steps_left_;
        const Node next = find(edge);
        if (next == end && node != start) return false;
        if (!inside(places_[next], places_[end]) || reached_[next] == search_number_) continue;
        reached_[next] = search_number_;
        reached.push_back(next);
        stack.push_back(next);
      }
    }
    return true;
  }

  Node unite(Node a, Node b) {
    // The longer lists stay, so that each edge moves at most log(nodes) times.
    if (needs_[a].size() + needed_by_[a].size() < needs_[b].size() + needed_by_[b].size()) {
      std::swap(a, b);
    }
    parents_[b] = a;
    for (std::vector<NodeList>* edges : {&needs_, &needed_by_}) {
      NodeList& kept = (*edges)[a];
      NodeList& moved = (*edges)[b];
      kept.insert(kept.end(), moved.begin(), moved.end());
      moved = {};
    }
    return a;
  }

  // What is between the two is needed by `to`, or needs `from`, or neither. The places of the
  // first, the two and the second are given out anew, in this order; nobody else moves. All of them
  // have had their turn before, so that `at_` need not know.
  void reorder(NodeList& before, Node from, Node merged, Node to, NodeList& after) {
    const auto by_place = [&](Node node) { return places_[node]; };
    std::ranges::sort(before, {}, by_place);
    std::ranges::sort(after, {}, by_place);
    std::vector<std::uint32_t> places = {places_[from], places_[to]};
    for (const Node node : before) places.push_back(places_[node]);
    for (const Node node : after) places.push_back(places_[node]);
    std::ranges::sort(places);

    std::size_t next = 0;
    for (const Node node : before) places_[node] = places[next++];
    places_[merged] = places[next++];
    for (const Node node : after) places_[node] = places[next++];
  }

  // ---- the result ----

  // Numbers the clusters, those first that have the lowest node among those that can be next.
  NodeList numbers() {
    std::vector<std::uint32_t> missing(node_count(), 0);
    std::vector<NodeList> readers(node_count());
    NodeList first(node_count(), node_count());
    for (Node node = 0; node < node_count(); ++node) {
      const Node to = find(node);
      first[to] = std::min(first[to], node);
      for (const Node needed : graph_.needs[node]) {
        if (find(needed) == to) continue;
        readers[find(needed)].push_back(to);
        ++missing[to];
      }
    }
    using Candidate = std::pair<Node, Node>;  // the lowest node, the cluster
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    for (Node node = 0; node < node_count(); ++node) {
      if (find(node) == node && missing[node] == 0) candidates.emplace(first[node], node);
    }
    NodeList number(node_count());
    for (Node next = 0; !candidates.empty(); ++next) {
      const Node cluster = candidates.top().second;
      candidates.pop();
      number[cluster] = next;
      for (const Node reader : readers[cluster]) {
        if (--missing[reader] == 0) candidates.emplace(first[reader], reader);
      }
    }
    NodeList result(node_count());
    for (Node node = 0; node < node_count(); ++node) result[node] = number[find(node)];
    return result;
  }

  const ColouredGraph& graph_;
  NodeList parents_;
  NodeList at_;                        // the clusters in the order of step 1
  std::vector<std::uint32_t> places_;  // of each cluster in a topological order
  std::vector<NodeList> needs_;        // between clusters; may name nodes that have been merged
  std::vector<NodeList> needed_by_;
  std::vector<std::uint64_t> reached_;  // the last search that came by
  std::uint64_t search_number_ = 0;
  std::uint64_t steps_left_ = 0;
};

}  // namespace

std::vector<std::uint32_t> merge_nodes(const ColouredGraph& graph) { return Merger(graph).run(); }

}  // namespace mercator::runtime
