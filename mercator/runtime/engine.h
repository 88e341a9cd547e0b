// Engines: what can compile and run a part of a program.
//
// docs/engines.md shows how to add one, examples/maximum_engine is one.

#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// What an engine makes of a module. It may be run by several threads at once, and by several
// programs.
class Executable {
 public:
  Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  virtual ~Executable() = default;

  // The results for arguments that have the shapes of the entry computation's parameters, dense.
  // The results are dense too, and depend on nothing but the arguments and `context.seed`, nor on
  // how many threads there are. What takes long stops soon after `context.stop` is requested, with
  // an error of kind kInterrupted. Memory comes from `context.pool`.
  //
  // An error about an instruction of the module has its span in the module's text, and begins with
  // its name in single quotes and a colon: the caller may then name the instruction as the user
  // knows it.
  [[nodiscard]] virtual Result<std::vector<Value>> run(std::vector<Value> arguments,
                                                       const RunContext& context) const = 0;

  // Bytes of which `Engine::load` makes the same executable, in another process too. An error of
  // kind kUnsupported if the engine cannot: it is then compiled anew each time.
  [[nodiscard]] virtual Result<std::string> save() const = 0;
};

// Stateless, or safe to be used by several threads at once.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // One word, unlike that of other engines.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Changes whenever the same module would be compiled to something else, or saved in another form.
  [[nodiscard]] virtual std::string_view version() const = 0;

  // Nothing if the engine can take the instruction, which stands in a verified module: then it can
  // take any subgraph of such instructions. Otherwise an error of kind kUnsupported that says why
  // not. It is asked about each instruction by itself, those of called computations too; not about
  // parameters, which all engines take.
  [[nodiscard]] virtual Result<void> supports(const hlo::Instruction& instruction) const = 0;

  // Compiles the entry computation. Its root is a tuple, whose elements are the results of the
  // executable; the engine is not asked whether it supports that tuple. Errors end the compilation
  // of the whole program. What takes long ends soon after `stop` is requested (kInterrupted).
  [[nodiscard]] virtual Result<std::unique_ptr<Executable>> compile(
      std::shared_ptr<const hlo::Module> module, const std::stop_token& stop) const = 0;

  // What `save` of an executable of this engine and version wrote. The bytes may come from a file
  // that somebody damaged or forged: an error of kind kInvalidInput for what it cannot be.
  [[nodiscard]] virtual Result<std::unique_ptr<Executable>> load(std::string_view bytes) const = 0;
};

// Engines by name. May be used by several threads at once.
class EngineTable {
 public:
  // An error of kind kUsage if there is an engine of that name.
  [[nodiscard]] Result<void> add(std::unique_ptr<Engine> engine);
  // Null if there is none. Engines stay as long as the table.
  [[nodiscard]] const Engine* find(std::string_view name) const;
  // The engines of these names, in their order. An error of kind kUsage for an unknown one, and for
  // none at all.
  [[nodiscard]] Result<std::vector<const Engine*>> find_all(
      std::span<const std::string> names) const;
  // Sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

// The engines of this process. At first there is the one of the interpreter.
[[nodiscard]] EngineTable& engines();

}  // namespace mercator::runtime
