// "did you mean …": the words nearest to one that was mistyped.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercator {

// Up to `limit` of `candidates` that differ from `word` by so few insertions, deletions,
// replacements and swaps of neighbours (one for every three bytes of `word`, but at least one) that
// they may have been meant; nearest first, those as near as each other in the order given, each
// once. What shares nothing with `word`, such as the empty word, is not among them, nor is `word`
// itself, which is what was not understood. Words longer than 64 bytes have no neighbours.
[[nodiscard]] std::vector<std::string_view> nearest_words(
    std::string_view word, std::span<const std::string_view> candidates, std::size_t limit = 3);

// "did you mean 'a', 'b' or 'c'?"; "" for no words.
[[nodiscard]] std::string did_you_mean(std::span<const std::string_view> words);

}  // namespace mercator
