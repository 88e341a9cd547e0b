#include "mercator/runtime/cluster.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/random_draw.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using Clusters = std::vector<std::uint32_t>;

TEST(Cluster, AChainOfOneColourIsOneCluster) {
  EXPECT_THAT(merge_nodes({.colours = {0, 0, 0}, .needs = {{}, {0}, {1}}}), ElementsAre(0, 0, 0));
}

TEST(Cluster, APathThroughAnotherColourKeepsApart) {
  // 0 is needed by 1, of another colour, and by 2, which needs 1.
  EXPECT_THAT(merge_nodes({.colours = {0, 1, 0}, .needs = {{}, {0}, {0, 1}}}),
              ElementsAre(0, 1, 2));
}

TEST(Cluster, WhatWouldBeTooEarlyMovesToItsReader) {
  // By its level, 2 would stand with 0; but only 3 needs it.
  EXPECT_THAT(merge_nodes({.colours = {0, 1, 0, 0}, .needs = {{}, {0}, {}, {1, 2}}}),
              ElementsAre(0, 1, 2, 2));
}

TEST(Cluster, UnconnectedNodesStayApart) {
  EXPECT_THAT(merge_nodes({.colours = {0, 0, 1}, .needs = {{}, {}, {0, 1}}}), ElementsAre(0, 1, 2));
}

TEST(Cluster, NothingGivesNothing) { EXPECT_THAT(merge_nodes({}), ElementsAre()); }

ColouredGraph random_graph(std::uint32_t nodes, std::uint32_t colours, std::int64_t reach,
                           std::int64_t most_needed, const test::Draw& draw) {
  ColouredGraph graph;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    graph.colours.push_back(static_cast<std::uint32_t>(draw(0, colours - 1)));
    std::vector<std::uint32_t>& needs = graph.needs.emplace_back();
    if (node == 0) continue;
    for (std::int64_t i = draw(0, most_needed); i > 0; --i) {
      needs.push_back(
          static_cast<std::uint32_t>(draw(std::max<std::int64_t>(0, node - reach), node - 1)));
    }
  }
  return graph;
}

// What is wrong with the clusters of a graph, by brute force; "" if nothing is.
std::string fault(const ColouredGraph& graph, const Clusters& clusters) {
  std::uint32_t count = 0;
  for (const std::uint32_t cluster : clusters) count = std::max(count, cluster + 1);
  std::vector<std::set<std::uint32_t>> colours(count);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  // Connected: joining along the edges inside clusters leaves one piece of each.
  Clusters piece(clusters.size());
  for (std::uint32_t node = 0; node < clusters.size(); ++node) {
    colours[clusters[node]].insert(graph.colours[node]);
    piece[node] = node;
    for (const std::uint32_t needed : graph.needs[node]) {
      if (clusters[needed] != clusters[node]) {
        if (clusters[needed] > clusters[node]) return "the order is wrong";
        edges.emplace(clusters[needed], clusters[node]);
        continue;
      }
      const std::uint32_t from = piece[node];
      for (std::uint32_t& p : piece) p = p == from ? piece[needed] : p;
    }
  }
  for (const auto& of_cluster : colours) {
    if (of_cluster.size() != 1) return "a cluster has no colour, or two";
  }
  std::set<std::uint32_t> pieces(piece.begin(), piece.end());
  if (pieces.size() != count) return "a cluster is not connected";

  // By how many edges one can be reached from another at most: 0, 1, or more.
  std::vector<std::vector<bool>> far(count, std::vector<bool>(count));
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (const auto& [from, to] : edges) reaches[from][to] = true;
  for (std::uint32_t through = 0; through < count; ++through) {
    for (std::uint32_t from = 0; from < count; ++from) {
      for (std::uint32_t to = 0; to < count; ++to) {
        if (!reaches[from][through] || !reaches[through][to]) continue;
        reaches[from][to] = true;
        far[from][to] = true;
      }
    }
  }
  for (const auto& [from, to] : edges) {
    if (colours[from] == colours[to] && !far[from][to]) return "two clusters could be merged";
  }
  return "";
}

TEST(Cluster, RandomGraphsAreSplitIntoMaximalPartsWithoutACycle) {
  const std::int64_t graphs = 3000 * test::random_factor();
  for (std::int64_t seed = 0; seed < graphs; ++seed) {
    const test::Draw draw = test::seeded_draw(static_cast<std::uint64_t>(seed));
    const auto nodes = static_cast<std::uint32_t>(draw(1, 40));
    const ColouredGraph graph =
        random_graph(nodes, static_cast<std::uint32_t>(draw(1, 4)), draw(1, 40), draw(1, 4), draw);
    ASSERT_EQ(fault(graph, merge_nodes(graph)), "") << "seed " << seed;
  }
}

TEST(Cluster, LargeGraphsTakeLittleTime) {
  const test::Draw draw = test::seeded_draw(1);
  // Far edges between many colours are what the search for other paths is worst at.
  for (const std::int64_t reach : {10, 1000, 20000}) {
    for (const std::uint32_t colours : {1U, 2U, 8U}) {
      const ColouredGraph graph = random_graph(20000, colours, reach, 3, draw);
      const std::clock_t start = std::clock();
      EXPECT_EQ(merge_nodes(graph).size(), 20000U);
      EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5)
          << "reach " << reach << ", colours " << colours;
    }
  }
}

}  // namespace
}  // namespace mercator::runtime
