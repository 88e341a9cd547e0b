#include "mercator/runtime/program_run.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/split_mix.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// What is wrong with a value that an engine or a caller gives; "" if nothing is.
std::string fault(const Value& value, const hlo::Shape& shape) {
  std::string wrong = mismatch(value, shape);
  if (!wrong.empty()) return wrong;
  for (const Tensor& tensor : leaves(value)) {
    if (!tensor.is_dense()) return "is not dense";
    const Result<std::int64_t> bytes = byte_size(tensor.element_type(), tensor.dimensions());
    if (!bytes || tensor.buffer().size() < *bytes) return "has too little memory";
  }
  return "";
}

// Another seed for each part that draws random numbers; the first has the one of the run, so that
// a program that is not split draws what the interpreter draws.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t number) {
  if (number == 0) return seed;
  return split_mix(seed + number * kSplitMixGamma);
}

Result<void> check_results(std::span<const Value> results, const Subgraph& subgraph,
                           std::string_view engine) {
  if (results.size() != subgraph.outputs.size()) {
    return fail(
        ErrorKind::kUnsupported,
        fmt::format("the engine '{}' has {} results for '{}', where {} are wanted", engine,
                    results.size(), subgraph.instructions.back()->name, subgraph.outputs.size()),
        subgraph.instructions.back()->span);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const hlo::Instruction& output = *subgraph.outputs[i];
    const std::string wrong = fault(results[i], output.shape);
    if (wrong.empty()) continue;
    return fail(ErrorKind::kUnsupported,
                fmt::format("'{}': the result of the engine '{}' {}", output.name, engine, wrong),
                output.span);
  }
  return {};
}

// The message without the name of an instruction that it begins with: `'v3': too large`.
std::string_view without_name(std::string_view message) {
  constexpr std::string_view kEnd = "': ";
  const std::size_t end = message.starts_with('\'') ? message.find(kEnd) : message.npos;
  return end == message.npos ? message : message.substr(end + kEnd.size());
}

}  // namespace

Error error_in_module(Error error, std::span<const Origin> origins, std::string_view engine) {
  const auto found =
      error.span ? std::ranges::find(origins, *error.span, &Origin::span) : origins.end();
  error.span.reset();
  if (found == origins.end() || found->instruction == nullptr) {
    if (error.kind != ErrorKind::kInterrupted) {
      error.message = fmt::format("the engine '{}': {}", engine, error.message);
    }
    return error;
  }
  error.span = found->instruction->span;
  error.message = fmt::format("'{}': {}", found->instruction->name, without_name(error.message));
  return error;
}

ProgramRun::ProgramRun(const Program& program, std::vector<Value> arguments,
                       const RunContext& context)
    : program_(program),
      context_(context),
      values_(std::move(arguments)),
      readers_left_(program.slot_readers_),
      failed_(static_cast<std::uint32_t>(program.parts_.size())),
      engine_seconds_(program.engines_.size()) {
  for (std::uint32_t part = 0; part < program.parts_.size(); ++part) {
    needed_.push_back(program.links_[part].needed);
    if (needed_.back() == 0) ready_.push(part);
  }
}

Result<void> ProgramRun::check_arguments() const {
  const std::span<hlo::Instruction* const> parameters = program_.module_->entry->parameters;
  if (values_.size() != parameters.size()) {
    return fail(ErrorKind::kUsage, fmt::format("{} arguments, where {} are wanted", values_.size(),
                                               parameters.size()));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::string wrong = fault(values_[i], parameters[i]->shape);
    if (wrong.empty()) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("argument {} ('{}') {}", i, parameters[i]->name, wrong));
  }
  return {};
}

Result<Value> ProgramRun::run(RunStatistics& statistics) {
  MERCATOR_TRY_VOID(check_arguments());
  MERCATOR_TRY_VOID(check_stop(context_.stop));
  for (std::size_t slot = 0; slot < values_.size(); ++slot) {
    if (readers_left_[slot] == 0) values_[slot] = Value();
  }
  values_.resize(readers_left_.size());
  work();
  // Nobody calls helpers any more: no work is left, and none is running.
  for (const pthread_t helper : helpers_) ::pthread_join(helper, nullptr);
  statistics.engine_seconds = engine_seconds_;
  if (failed_ < program_.parts_.size()) return std::unexpected(std::move(error_));
  return std::move(values_[program_.root_slot_]);
}

bool ProgramRun::has_work() const { return !ready_.empty() && ready_.top() < failed_; }

// Runs parts until none is left. Several threads may be in here.
void ProgramRun::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return has_work() || running_.empty(); });
    if (!has_work()) return;
    const std::uint32_t part = ready_.top();
    ready_.pop();
    const std::stop_source stop;
    running_.emplace(part, stop);
    std::vector<Value> inputs = take_inputs(part);
    if (has_work()) call_helper();
    const int threads = std::max(1, context_.threads / static_cast<int>(running_.size()));

    lock.unlock();
    const Clock::time_point start = Clock::now();
    Result<std::vector<Value>> results = run_part(part, std::move(inputs), threads, stop);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    lock.lock();

    engine_seconds_[program_.parts_[part].subgraph.engine] += seconds;
    running_.erase(part);
    finish(part, std::move(results));
    changed_.notify_all();
  }
}

// Another thread, if the run may have one more and the system has one.
void ProgramRun::call_helper() {
  constexpr std::size_t kMostHelpers = 255;
  if (helpers_.size() >= kMostHelpers ||
      helpers_.size() + 1 >= static_cast<std::size_t>(std::max(context_.threads, 1))) {
    return;
  }
  pthread_t helper{};
  if (::pthread_create(&helper, nullptr, &ProgramRun::help, this) == 0) helpers_.push_back(helper);
}

void* ProgramRun::help(void* run) {
  auto& helped = *static_cast<ProgramRun*>(run);
  const CallDepth depth(helped.call_depth_);
  helped.work();
  return nullptr;
}

std::vector<Value> ProgramRun::take_inputs(std::uint32_t part) {
  std::vector<Value> inputs;
  for (const std::uint32_t slot : program_.links_[part].inputs) {
    const bool is_last = --readers_left_[slot] == 0;
    inputs.push_back(is_last ? std::move(values_[slot]) : values_[slot]);
    if (is_last) values_[slot] = Value();
  }
  return inputs;
}

Result<std::vector<Value>> ProgramRun::run_part(std::uint32_t part, std::vector<Value> inputs,
                                                int threads, const std::stop_source& stop) const {
  const Program::Part& own = program_.parts_[part];
  const std::string_view engine = program_.engines_[own.subgraph.engine].name;
  const std::stop_callback forward(context_.stop, [stop]() mutable { stop.request_stop(); });
  RunContext context = context_;
  context.stop = stop.get_token();
  context.threads = threads;
  context.seed = seed_of(context_.seed, program_.links_[part].random_number);
  MERCATOR_TRY_VOID(check_stop(context.stop));
  Result<std::vector<Value>> results = own.executable->run(std::move(inputs), context);
  if (!results) {
    return std::unexpected(error_in_module(std::move(results).error(), own.origins, engine));
  }
  MERCATOR_TRY_VOID(check_results(*results, own.subgraph, engine));
  return results;
}

void ProgramRun::finish(std::uint32_t part, Result<std::vector<Value>> results) {
  if (!results) return fail_from(part, std::move(results).error());
  const Program::Links& links = program_.links_[part];
  for (std::size_t i = 0; i < results->size(); ++i) {
    const std::size_t slot = links.first_output + i;
    if (readers_left_[slot] > 0) values_[slot] = std::move((*results)[i]);
  }
  for (const std::uint32_t reader : links.readers) {
    if (--needed_[reader] == 0) ready_.push(reader);
  }
}

void ProgramRun::fail_from(std::uint32_t part, Error error) {
  if (part > failed_) return;
  failed_ = part;
  error_ = std::move(error);
  for (auto later = running_.upper_bound(part); later != running_.end(); ++later) {
    later->second.request_stop();
  }
}

}  // namespace mercator::runtime
