#include "mercator/support/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace mercator {
namespace {

constexpr std::size_t kMaxLength = 64;

using Row = std::array<std::size_t, kMaxLength + 1>;

// The number of edits between `a` and `b`, each at most kMaxLength bytes long: the optimal string
// alignment distance, three rows of its table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Row before_last{};
  Row last{};
  Row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = current;
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, last[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
  }
  return current[b.size()];
}

}  // namespace

std::vector<std::string_view> nearest_words(std::string_view word,
                                            std::span<const std::string_view> candidates,
                                            std::size_t limit) {
  struct Neighbour {
    std::size_t distance;
    std::string_view word;
  };
  std::vector<Neighbour> neighbours;
  const std::size_t most_edits = std::max<std::size_t>(1, word.size() / 3);
  for (const std::string_view candidate : candidates) {
    if (candidate == word) continue;
    if (word.size() > kMaxLength || candidate.size() > kMaxLength) continue;
    const std::size_t distance = edit_distance(word, candidate);
    const bool share_nothing = distance == std::max(word.size(), candidate.size());
    if (distance > most_edits || share_nothing) continue;
    neighbours.push_back({.distance = distance, .word = candidate});
  }
  std::ranges::stable_sort(neighbours, {}, &Neighbour::distance);

  std::vector<std::string_view> words;
  for (const Neighbour& neighbour : neighbours) {
    if (words.size() == limit) break;
    if (std::ranges::find(words, neighbour.word) == words.end()) words.push_back(neighbour.word);
  }
  return words;
}

std::string did_you_mean(std::span<const std::string_view> words) {
  if (words.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    list += fmt::format("{}'{}'", separator, words[i]);
  }
  return fmt::format("did you mean {}?", list);
}

}  // namespace mercator
