#include "mercator/runtime/packed_function.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/runtime/function_table.h"
#include "mercator/runtime/pack.h"

namespace {

class Counter {
 public:
  explicit Counter(std::int64_t start) : count_(start) {}
  std::int64_t add(std::int64_t n) { return count_ += n; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

 private:
  std::int64_t count_;
};

struct Other {};

}  // namespace

template <>
inline constexpr std::string_view mercator::runtime::handle_type_name<Counter> = "test.Counter";
// Two classes of one name are still two classes.
template <>
inline constexpr std::string_view mercator::runtime::handle_type_name<Other> = "test.Counter";

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tensor f32_tensor(std::vector<std::int64_t> dimensions) {
  return Tensor::allocate(hlo::ElementType::kF32, std::move(dimensions), MemoryPool()).value();
}

std::string message(const Result<Any>& result) {
  return result ? "no error: " + describe(*result) : result.error().message;
}

int subtract(int a, int b) { return a - b; }

TEST(Pack, CallsFunctionsLambdasAndMembers) {
  EXPECT_EQ(*pack("subtract", &subtract).call(7, 5)->integer(), 2);
  EXPECT_EQ(*pack("subtract", subtract).call(7, 5)->integer(), 2);
  int three = 3;
  EXPECT_EQ(*pack("times", [three](int a) noexcept { return three * a; }).call(5)->integer(), 15);

  const auto counter = std::make_shared<Counter>(10);
  EXPECT_EQ(*pack("add", &Counter::add).call(counter, 1)->integer(), 11);
  EXPECT_EQ(*pack("add", counter, &Counter::add).call(5)->integer(), 16);
  EXPECT_EQ(*pack("count", &Counter::count).call(counter)->integer(), 16);
  EXPECT_EQ(*pack("count", counter, &Counter::count).call()->integer(), 16);
}

TEST(Pack, EveryKindOfParameterArrives) {
  const auto counter = std::make_shared<Counter>(4);
  const Tensor tensor = f32_tensor({2, 3});
  const auto function =
      pack("f", [&](bool flag, std::uint8_t byte, float single, const std::string& text,
                    std::string_view view, const Tensor& given, const Value& value,
                    const PackedFunction& callback, const Any& any, Counter& by_reference,
                    const std::shared_ptr<Counter>& shared, const std::vector<int>& numbers) {
        EXPECT_TRUE(flag);
        EXPECT_EQ(byte, 255);
        EXPECT_EQ(single, 0.5F);
        EXPECT_EQ(text, "text");
        EXPECT_EQ(view, "view");
        EXPECT_EQ(given.buffer().data(), tensor.buffer().data());
        EXPECT_EQ(type_text(value), "(f32[2,3], token[])");
        EXPECT_EQ(*callback.call()->integer(), 1);
        EXPECT_EQ(any.kind(), Any::Kind::kReal);
        EXPECT_EQ(&by_reference, counter.get());
        EXPECT_EQ(shared, counter);
        EXPECT_THAT(numbers, ElementsAre(1, 2));
      });
  const Result<Any> result = function.call(
      true, 255, 0.5, "text", std::string("view"), tensor, std::vector<Any>{tensor, nullptr},
      pack("one", [] { return 1; }), 1.5, counter, counter, std::vector<Any>{1, 2});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_TRUE(result->is_null());
}

TEST(Pack, EveryKindOfResultReturns) {
  EXPECT_TRUE(pack("f", [] {}).call()->is_null());
  EXPECT_EQ(*pack("f", [] { return true; }).call()->boolean(), true);
  EXPECT_EQ(*pack("f", [] { return std::int8_t{-3}; }).call()->integer(), -3);
  EXPECT_EQ(*pack("f", [] { return std::uint64_t{1} << 40; }).call()->integer(), 1LL << 40);
  EXPECT_EQ(*pack("f", [] { return 0.5F; }).call()->real(), 0.5);
  EXPECT_EQ(*pack("f", [] { return "text"; }).call()->string(), "text");
  EXPECT_EQ(*pack("f", [] { return std::string_view("text"); }).call()->string(), "text");
  EXPECT_EQ(describe(*pack("f", [] { return f32_tensor({4}); }).call()), "a tensor f32[4]");
  EXPECT_EQ(pack("f", [] { return Value::tuple({}); }).call()->list()->size(), 0U);
  EXPECT_TRUE(pack("f", [] { return Value(); }).call()->is_null());
  const PackedFunction inner = pack("inner", [] {});
  EXPECT_EQ(*pack("f", [&]() -> const PackedFunction& { return inner; }).call()->function(), inner);
  const auto counter = std::make_shared<Counter>(0);
  EXPECT_EQ(pack("f", [&]() -> const std::shared_ptr<Counter>& { return counter; })
                .call()
                ->object<Counter>(),
            counter);
  EXPECT_TRUE(pack("f", [] { return std::optional<int>(); }).call()->is_null());
  EXPECT_EQ(*pack("f", [] { return std::optional<int>(7); }).call()->integer(), 7);
  EXPECT_EQ(*pack("f", [] { return std::vector{1.5, 2.5}; }).call()->list()->at(1).real(), 2.5);
  EXPECT_TRUE(pack("f", []() -> Result<void> { return {}; }).call()->is_null());
  EXPECT_EQ(*pack("f", []() -> Result<int> { return 3; }).call()->integer(), 3);
}

TEST(Pack, ErrorsOfTheCallableReturnAsTheyAre) {
  const Result<Any> result =
      pack("f", []() -> Result<int> { return fail(ErrorKind::kIo, "the disk is full"); }).call();
  EXPECT_EQ(result.error().kind, ErrorKind::kIo);
  EXPECT_EQ(result.error().message, "the disk is full");
}

TEST(Pack, AWrongArgumentIsNamed) {
  const auto add = pack("add", [](const Tensor&, const Tensor&) {});
  const Tensor tensor = f32_tensor({2});
  const Result<Any> result = add.call(tensor, "two");
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(message(result), "argument 1 of 'add' is a string, where a tensor is wanted");
  // The first one, if several are wrong.
  EXPECT_EQ(message(add.call(1, 2)),
            "argument 0 of 'add' is the integer 1, where a tensor is wanted");

  EXPECT_EQ(message(pack("f", [](bool) {}).call(1)),
            "argument 0 of 'f' is the integer 1, where a bool is wanted");
  EXPECT_EQ(message(pack("f", [](int) {}).call(true)),
            "argument 0 of 'f' is a bool, where an integer in [-2147483648, 2147483647] is wanted");
  EXPECT_EQ(message(pack("f", [](std::int64_t) {}).call(0.5)),
            "argument 0 of 'f' is the number 0.5, where an integer is wanted");
  EXPECT_EQ(message(pack("f", [](double) {}).call(tensor)),
            "argument 0 of 'f' is a tensor f32[2], where a number is wanted");
  EXPECT_EQ(message(pack("f", [](std::string_view) {}).call(nullptr)),
            "argument 0 of 'f' is null, where a string is wanted");
  EXPECT_EQ(message(pack("f", [](const PackedFunction&) {}).call(std::vector<Any>{})),
            "argument 0 of 'f' is a list, where a function is wanted");
  EXPECT_EQ(message(pack("f", [](const Value&) {}).call(std::vector<Any>{1})),
            "argument 0 of 'f' is a list, where a tensor, a list of these, or null is wanted");
  EXPECT_EQ(message(pack("f", [](std::optional<bool>) {}).call(add)),
            "argument 0 of 'f' is a function, where a bool or null is wanted");
  EXPECT_EQ(message(pack("f", [](const std::vector<bool>&) {}).call(std::vector<Any>{true, 0})),
            "argument 0 of 'f' is a list, where a list (each element a bool) is wanted");
}

TEST(Pack, IntegersMustLieInTheRangeOfTheParameter) {
  const auto byte = pack("f", [](std::uint8_t value) { return value; });
  EXPECT_EQ(*byte.call(255)->integer(), 255);
  EXPECT_EQ(message(byte.call(256)),
            "argument 0 of 'f' is the integer 256, where an integer in [0, 255] is wanted");
  EXPECT_EQ(message(byte.call(-1)),
            "argument 0 of 'f' is the integer -1, where an integer in [0, 255] is wanted");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto wide = pack("f", [](std::uint64_t value) { return value + 1; });
  EXPECT_EQ(*wide.call(kMost - 1)->integer(), kMost);
  EXPECT_EQ(message(wide.call(kMost)),
            "the result of 'f' is 9223372036854775808, which is more than int64 has");
  EXPECT_FALSE(wide.call(-1).has_value());
}

TEST(Pack, TheCountOfArgumentsIsThatOfTheSignature) {
  EXPECT_EQ(message(pack("none", [] {}).call(1)), "'none' takes 0 arguments, not 1");
  EXPECT_EQ(message(pack("one", [](int) {}).call()), "'one' takes 1 argument, not 0");

  const auto some = pack("some", [](std::optional<int> a, int b, std::optional<int> c) {
    return 100 * a.value_or(0) + 10 * b + c.value_or(9);
  });
  EXPECT_EQ(message(some.call(1)), "'some' takes 2 to 3 arguments, not 1");
  EXPECT_EQ(*some.call(nullptr, 2)->integer(), 29);
  EXPECT_EQ(*some.call(1, 2, 3)->integer(), 123);

  const auto rest = pack("rest", [](int a, std::span<const Any> others) {
    return std::vector<std::int64_t>{a, static_cast<std::int64_t>(others.size())};
  });
  EXPECT_EQ(message(rest.call()), "'rest' takes 1 or more arguments, not 0");
  EXPECT_EQ(*rest.call(5)->list()->at(1).integer(), 0);
  EXPECT_EQ(*rest.call(5, "a", nullptr)->list()->at(1).integer(), 2);
  EXPECT_TRUE(rest.accepts(40));
}

TEST(Pack, HandlesHaveAClass) {
  const auto count = pack("count", &Counter::count);
  EXPECT_EQ(message(count.call(std::make_shared<Other>())),
            "argument 0 of 'count' is a handle of type 'test.Counter', where a handle of type "
            "'test.Counter' is wanted");
  EXPECT_EQ(message(count.call(std::make_shared<FunctionTable>())),
            "argument 0 of 'count' is a handle of type 'mercator.FunctionTable', where a handle of "
            "type 'test.Counter' is wanted");
}

TEST(PackedFunction, KeepsItsCallableUntilTheLastCopyGoes) {
  const auto token = std::make_shared<int>(1);
  std::optional<PackedFunction> copy;
  {
    const PackedFunction function = pack("f", [token] { return *token; });
    copy = function;
    EXPECT_EQ(*copy, function);
  }
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_EQ(*copy->call()->integer(), 1);
  copy.reset();
  EXPECT_EQ(token.use_count(), 1);
}

TEST(PackedFunction, RecursionEnds) {
  FunctionTable table;
  ASSERT_TRUE(table
                  .add("again", pack("again",
                                     [&table](std::int64_t n) -> Result<Any> {
                                       if (n == 0) return "done";
                                       return table.find("again")->call(n - 1);
                                     }))
                  .has_value());
  EXPECT_EQ(*table.find("again")->call(99)->string(), "done");
  const Result<Any> deep = table.find("again")->call(1'000'000);
  EXPECT_EQ(deep.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(deep.error().message, "calls lie too deep inside each other");
  // The count is that of the calls under way.
  EXPECT_EQ(*table.find("again")->call(99)->string(), "done");
}

TEST(Any, KnowsHowDeepItsListsAre) {
  EXPECT_EQ(Any(1).depth(), 0);
  EXPECT_EQ(Any(std::vector<Any>()).depth(), 1);
  EXPECT_EQ(Any(std::vector<Any>{1, Any(std::vector<Any>{Any(std::vector<Any>())})}).depth(), 3);
}

TEST(Any, OnlyWhatHloHasIsAValue) {
  const Tensor tensor = f32_tensor({1});
  const Value value = Value::tuple({tensor, Value(), Value::tuple({tensor})});
  EXPECT_EQ(type_text(*value_of(any_of(value))), "(f32[1], token[], (f32[1]))");
  for (const Any& other : {Any(1), Any(0.5), Any(true), Any("text"), Any(pack("f", [] {})),
                           Any(std::make_shared<Counter>(0))}) {
    EXPECT_FALSE(value_of(other).has_value()) << describe(other);
    EXPECT_FALSE(value_of(std::vector<Any>{tensor, other}).has_value()) << describe(other);
  }
}

TEST(FunctionTable, NamesAreTakenOnce) {
  FunctionTable table;
  const PackedFunction one = pack("one", [] { return 1; });
  const PackedFunction two = pack("two", [] { return 2; });
  ASSERT_TRUE(table.add("f", one).has_value());
  const Result<void> taken = table.add("f", two);
  EXPECT_EQ(taken.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(taken.error().message, "there is a function 'f' already");
  EXPECT_EQ(table.find("f"), one);
  ASSERT_TRUE(table.add("f", two, FunctionTable::IfTaken::kReplace).has_value());
  EXPECT_EQ(table.find("f"), two);
  EXPECT_FALSE(table.add("", one).has_value());

  EXPECT_TRUE(table.remove("f"));
  EXPECT_FALSE(table.remove("f"));
  EXPECT_EQ(table.find("f"), std::nullopt);
}

TEST(FunctionTable, StandsOnAnother) {
  const PackedFunction low = pack("low", [] {});
  const PackedFunction high = pack("high", [] {});
  const auto parent = std::make_shared<FunctionTable>();
  FunctionTable table(parent);
  ASSERT_TRUE(parent->add("f", low).has_value());
  ASSERT_TRUE(parent->add("g", low).has_value());
  ASSERT_TRUE(table.add("f", high).has_value());
  ASSERT_TRUE(table.add("a", high).has_value());
  EXPECT_EQ(table.find("f"), high);
  EXPECT_EQ(table.find("g"), low);
  EXPECT_EQ(parent->find("f"), low);
  EXPECT_THAT(table.names(), ElementsAre("a", "f"));
  EXPECT_FALSE(table.remove("g"));
}

TEST(FunctionTable, AFunctionMayUseTheTableWhenItIsFreed) {
  FunctionTable table;
  std::shared_ptr<int> removes(new int(0), [&table](const int* object) {
    delete object;
    table.remove("other");
  });
  ASSERT_TRUE(table.add("other", pack("other", [] {})).has_value());
  ASSERT_TRUE(table.add("f", pack("f", [held = std::move(removes)] {})).has_value());
  EXPECT_TRUE(table.remove("f"));
  EXPECT_THAT(table.names(), IsEmpty());
}

TEST(FunctionTable, ThreadsMayUseItAtOnce) {
  FunctionTable table;
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table, &calls, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string name = "f" + std::to_string(i % 10);
        EXPECT_TRUE(
            table.add(name, pack(name, [&calls] { ++calls; }), FunctionTable::IfTaken::kReplace)
                .has_value());
        if (const auto found = table.find("f" + std::to_string((i + t) % 10))) {
          EXPECT_TRUE(found->call().has_value());
        }
        if (i % 17 == 0) table.remove(name);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(calls, 0);
  EXPECT_THAT(table.names().size(), ::testing::Le(10U));
}

}  // namespace
}  // namespace mercator::runtime
