// Merging the nodes of an acyclic graph as far as it stays acyclic. Internal to the splitting.

#pragma once

#include <cstdint>
#include <vector>

namespace mercator::runtime {

// Nodes are numbered so that each comes after those that it needs.
struct ColouredGraph {
  std::vector<std::uint32_t> colours;
  // For each node those that it needs.
  std::vector<std::vector<std::uint32_t>> needs;
};

// For each node the number of its cluster, from 0. A cluster has nodes of one colour, connected
// with each other by edges between nodes of the cluster. Clusters are numbered so that each comes
// after those that it needs; so there is no cycle between them, and no path leaves a cluster and
// comes back to it. Between such orders it is the one nearest to that of the nodes.
//
// *Maximal*: no two clusters of the same colour that an edge joins could be merged without a cycle.
// Each such pair takes a search for another path between them. All searches together visit at most
// `kSearchesPerEdge` edges for each edge of the graph; in graphs in which that does not suffice (it
// takes thousands of pairs, each with thousands of clusters in between), pairs that are left over
// stay apart. Time is O(edges * log nodes), with that constant.
//
// It works in two steps.
//
// 1. *Levels.* The level of a node is the greatest of the levels of the nodes that it needs, plus 1
//    for those of another colour. Nodes of one level and colour that edges connect are merged. An
//    edge between two of these clusters leads to a higher level: at the same level, it would join
//    nodes of the same colour, which are in one cluster. So there is no cycle. This takes most of
//    the nodes of most graphs, in linear time.
//
// 2. *Pairs.* Cluster by cluster in a topological order, which is kept up to date (as Pearce and
//    Kelly do), each is merged with those of its colour that it needs, the latest in the order
//    first, unless there is another path between the two. One pass suffices: a pair that is kept
//    apart once could not be merged later. For the other path either goes through a cluster of
//    another colour, which will never be merged with the two. Or it goes through clusters of the
//    same colour only: the last of them, which comes later in the order, has been tried before and
//    kept apart from the second of the pair, so that (by induction over the order) there is a path
//    through another colour from it, and thus also from the first.
[[nodiscard]] std::vector<std::uint32_t> merge_nodes(const ColouredGraph& graph);

inline constexpr std::uint64_t kSearchesPerEdge = 64;

}  // namespace mercator::runtime
