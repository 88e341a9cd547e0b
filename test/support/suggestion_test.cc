#include "mercator/support/suggestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace mercator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kVerbs[] = {"map", "simplify", "cost", "compile", "opt"};

TEST(NearestWords, FindsEachKindOfTypingMistake) {
  EXPECT_THAT(nearest_words("simplfy", kVerbs), ElementsAre("simplify"));    // one missing
  EXPECT_THAT(nearest_words("simpllify", kVerbs), ElementsAre("simplify"));  // one too many
  EXPECT_THAT(nearest_words("simplefy", kVerbs), ElementsAre("simplify"));   // one replaced
  EXPECT_THAT(nearest_words("mpa", kVerbs), ElementsAre("map"));             // two swapped
}

TEST(NearestWords, LeavesOutWhatIsTooFar) {
  EXPECT_THAT(nearest_words("transpose", kVerbs), IsEmpty());
  EXPECT_THAT(nearest_words("x", kVerbs), IsEmpty());
  EXPECT_THAT(nearest_words("", kVerbs), IsEmpty());
}

TEST(NearestWords, LeavesOutWhatSharesNothing) {
  const std::vector<std::string_view> names = {"", "x", "yz", "yx"};
  EXPECT_THAT(nearest_words("y", names), ElementsAre("yz", "yx"));
  EXPECT_THAT(nearest_words("", names), IsEmpty());
}

TEST(NearestWords, LeavesOutTheWordItself) { EXPECT_THAT(nearest_words("map", kVerbs), IsEmpty()); }

TEST(NearestWords, SortsByDistanceAndThenAsGiven) {
  const std::vector<std::string_view> names = {"fusion.12", "fusion.2", "fusion", "fusion.11"};
  EXPECT_THAT(nearest_words("fusion.1", names, 4),
              ElementsAre("fusion.12", "fusion.2", "fusion.11", "fusion"));
  EXPECT_THAT(nearest_words("fusion.1", names, 2), ElementsAre("fusion.12", "fusion.2"));
}

TEST(NearestWords, NamesAWordOnce) {
  const std::vector<std::string_view> names = {"add", "add"};
  EXPECT_THAT(nearest_words("ad", names), ElementsAre("add"));
}

TEST(NearestWords, SkipsVeryLongWords) {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  const std::vector<std::string_view> names = {longest, longer};
  EXPECT_THAT(nearest_words(longest.substr(1), names), ElementsAre(longest));
  EXPECT_THAT(nearest_words(longer, names), IsEmpty());
}

TEST(DidYouMean, ListsTheWords) {
  EXPECT_EQ(did_you_mean({}), "");
  EXPECT_EQ(did_you_mean(std::vector<std::string_view>{"a"}), "did you mean 'a'?");
  EXPECT_EQ(did_you_mean(std::vector<std::string_view>{"a", "b"}), "did you mean 'a' or 'b'?");
  EXPECT_EQ(did_you_mean(std::vector<std::string_view>{"a", "b", "c"}),
            "did you mean 'a', 'b' or 'c'?");
}

}  // namespace
}  // namespace mercator
