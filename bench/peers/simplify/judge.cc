// Compares what simplifiers made of the same expressions.
//
//   simplify_judge INPUT NAME=RESULTS... [--worse FILE] [--costlier FILE]
//
// The files are as lines.h says; the first results are Mercator's. Everything is read, counted and
// evaluated by the same code, whoever wrote it. Prints a table, and writes the inputs where the
// right result of a peer is better than Mercator's to the files named.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/peers/simplify/check.h"
#include "bench/peers/simplify/lines.h"

namespace mercator::peers {
namespace {

enum class Verdict : std::uint8_t { kRight, kWrong, kMissing };

// What a peer made of one input.
struct Answer {
  Verdict verdict = Verdict::kMissing;
  ExprCost cost = {};     // of the input unless the verdict is kRight
  std::string text = {};  // the result, or why there is none
  std::int64_t nanoseconds = 0;
};

struct Peer {
  std::string name;
  std::vector<Answer> answers = {};  // to each input
};

std::int64_t quotients(const ExprCost& cost) { return cost.div + cost.mod; }
std::int64_t operations(const ExprCost& cost) {
  return quotients(cost) + cost.mul + cost.add + cost.minmax;
}
ExprCost cost_of(Expr expr) { return cost(std::span(&expr, 1)); }

Answer judge(const InputLine& line, const OutputLine& output) {
  Answer answer{.cost = cost_of(line.expr()), .nanoseconds = output.nanoseconds};
  if (output.text.empty()) {
    answer.text = output.missing;
    return answer;
  }
  const Result<Expr> result = line.parse_result(output.text);
  if (!result) {
    answer.text = fmt::format("{} ({})", output.text, result.error().message);
    return answer;
  }
  answer.text = line.text_of(*result);
  const auto difference = find_difference(line.expr(), *result, line.bounds());
  answer.verdict = difference ? Verdict::kWrong : Verdict::kRight;
  if (!difference) answer.cost = cost_of(*result);
  return answer;
}

Peer judge_peer(std::string name, const std::vector<InputLine>& lines, const std::string& path) {
  const std::vector<OutputLine> outputs = read_output(path);
  if (outputs.size() != lines.size()) {
    fail(fmt::format("{}: {} results of {} inputs", path, outputs.size(), lines.size()));
  }
  Peer peer{.name = std::move(name)};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    peer.answers.push_back(judge(lines[i], outputs[i]));
  }
  return peer;
}

// The inputs themselves, as if someone had answered with them.
Peer inputs_as_peer(const std::vector<InputLine>& lines) {
  Peer peer{.name = "as written"};
  for (const InputLine& line : lines) {
    peer.answers.push_back({.verdict = Verdict::kRight,
                            .cost = cost_of(line.expr()),
                            .text = line.text_of(line.expr())});
  }
  return peer;
}

std::int64_t total_quotients(const Peer& peer) {
  std::int64_t total = 0;
  for (const Answer& answer : peer.answers) total += quotients(answer.cost);
  return total;
}

void print_row(const Peer& peer) {
  const auto count = static_cast<double>(peer.answers.size());
  std::int64_t expressible = 0;
  std::int64_t wrong = 0;
  std::int64_t free = 0;
  std::int64_t left = 0;
  std::int64_t timed = 0;
  double log_time = 0;
  for (const Answer& answer : peer.answers) {
    expressible += answer.verdict != Verdict::kMissing ? 1 : 0;
    wrong += answer.verdict == Verdict::kWrong ? 1 : 0;
    free += quotients(answer.cost) == 0 ? 1 : 0;
    left += operations(answer.cost);
    if (answer.nanoseconds > 0) {
      ++timed;
      log_time += std::log(static_cast<double>(answer.nanoseconds));
    }
  }
  const std::string time =
      timed == 0 ? "-"
                 : fmt::format("{:.2f}", std::exp(log_time / static_cast<double>(timed)) / 1e3);
  fmt::print("{:<18} {:>11} {:>9.1f} % {:>12} {:>15} {:>6} {:>10}\n", peer.name, expressible,
             100 * static_cast<double>(free) / count, total_quotients(peer), left, wrong, time);
}

// The answer that ranks lowest among the right ones of the peers, and whose it is.
template <class Rank>
std::pair<const Peer*, const Answer*> best(const std::vector<Peer>& peers, std::size_t input,
                                           Rank rank) {
  std::pair<const Peer*, const Answer*> found{};
  for (const Peer& peer : peers) {
    const Answer& answer = peer.answers[input];
    if (answer.verdict != Verdict::kRight) continue;
    if (found.second == nullptr || rank(answer.cost) < rank(found.second->cost)) {
      found = {&peer, &answer};
    }
  }
  return found;
}

struct Listing {
  std::int64_t count = 0;
  std::string text;
};

// The inputs where the best of `others` by (quotients, weight) is better than ours: with `costlier`
// by its weight only, else by quotients.
Listing list_better(const std::vector<InputLine>& lines, const Peer& ours,
                    const std::vector<Peer>& others, bool costlier) {
  const auto rank = [](const ExprCost& cost) { return std::pair(quotients(cost), cost.weight()); };
  Listing listing;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [peer, theirs] = best(others, i, rank);
    if (theirs == nullptr) continue;
    const Answer& our = ours.answers[i];
    const auto difference = quotients(our.cost) - quotients(theirs->cost);
    const bool listed =
        costlier ? difference == 0 && our.cost.weight() > theirs->cost.weight() : difference > 0;
    if (!listed) continue;
    ++listing.count;
    listing.text += fmt::format(
        "[{}] {}\n  {:<11}{} div+mod, weight {}: {}\n  "
        "{:<11}{} div+mod, weight {}: {}\n",
        lines[i].family, lines[i].text, ours.name, quotients(our.cost), our.cost.weight(), our.text,
        peer->name, quotients(theirs->cost), theirs->cost.weight(), theirs->text);
  }
  return listing;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!file) fail(fmt::format("cannot write {}", path));
  file << text;
}

// Every answer that is not right, to standard error.
void print_wrong(const std::vector<InputLine>& lines, const Peer& peer) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (peer.answers[i].verdict != Verdict::kWrong) continue;
    fmt::print(stderr, "wrong: {}: {} -> {}\n", peer.name, lines[i].text, peer.answers[i].text);
  }
}

void print_summary(const Peer& ours, const std::vector<Peer>& peers) {
  const auto by_total = [](const Peer& a, const Peer& b) {
    return total_quotients(a) < total_quotients(b);
  };
  const Peer& strongest = *std::ranges::min_element(peers, by_total);
  const auto left = static_cast<double>(total_quotients(ours));
  const auto theirs = static_cast<double>(total_quotients(strongest));
  fmt::print("div+mod left: {} {}, best single peer ({}) {}, {:+.1f} %\n", ours.name,
             total_quotients(ours), strongest.name, total_quotients(strongest),
             theirs == 0 ? 0 : 100 * (left / theirs - 1));
}

struct Arguments {
  std::string input;
  std::vector<std::pair<std::string, std::string>> results;  // name, file
  std::string worse;
  std::string costlier;
};

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if ((words[i] == "--worse" || words[i] == "--costlier") && i + 1 < words.size()) {
      (words[i] == "--worse" ? arguments.worse : arguments.costlier) = words[i + 1];
      ++i;
    } else if (equals != std::string::npos) {
      arguments.results.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
    } else {
      arguments.input = words[i];
    }
  }
  if (arguments.input.empty() || arguments.results.size() < 2) {
    fail("usage: simplify_judge INPUT NAME=RESULTS... [--worse FILE] [--costlier FILE]");
  }
  return arguments;
}

void run(const Arguments& arguments) {
  ExprContext context;
  const std::vector<InputLine> lines = read_input(arguments.input, context);
  std::vector<Peer> peers;
  for (const auto& [name, path] : arguments.results) {
    peers.push_back(judge_peer(name, lines, path));
  }
  const Peer written = inputs_as_peer(lines);

  fmt::print("{} expressions\n", lines.size());
  fmt::print("{:<18} {:>11} {:>11} {:>12} {:>15} {:>6} {:>10}\n", "peer", "expressible",
             "no div, mod", "div+mod left", "operations left", "wrong", "us each");
  print_row(written);
  for (const Peer& peer : peers) print_row(peer);
  for (const Peer& peer : peers) print_wrong(lines, peer);

  const Peer ours = std::move(peers.front());
  peers.erase(peers.begin());
  print_summary(ours, peers);
  peers.push_back(written);
  const Listing worse = list_better(lines, ours, peers, /*costlier=*/false);
  const Listing costlier = list_better(lines, ours, peers, /*costlier=*/true);
  fmt::print("inputs where {} leaves more div+mod than the best of the others: {}\n", ours.name,
             worse.count);
  fmt::print("inputs where it leaves as many and costs more: {}\n", costlier.count);
  if (!arguments.worse.empty()) write(arguments.worse, worse.text);
  if (!arguments.costlier.empty()) write(arguments.costlier, costlier.text);
}

}  // namespace
}  // namespace mercator::peers

int main(int argc, char** argv) {
  mercator::peers::run(mercator::peers::parse_arguments(argc, argv));
}
