#!/usr/bin/env python3
"""Checks the model of what instructions read (model.h) against what XLA:CPU computes.

    MERCATOR_JAX_PYTHON=…/bin/python ./check_model_with_xla.py --dump …/model_dump --shared …/shared

Random programs made of sums and products of positive numbers: an element of the result changes when, and
only when, an element that it reads is changed. So one run of the program for each element of each
parameter shows what XLA's result depends on, to compare with what the model says. Start indices stay as
they are: whether an element "reads" them is a convention.

XLA runs in a process of its own (`--worker`), since it ends the process on some inputs; a program that it
refuses or does not survive is counted and passed over. Exit status: 0 all equal, 1 a difference or too
few comparisons, 77 there is no JAX to compare with.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
GENERATORS = [
    "convolution", "reduce-window", "pad", "gather", "simple-gather", "scatter", "dynamic-slice",
    "dynamic-update-slice", "dot", "reduce", "broadcast", "transpose", "reverse", "slice", "reshape",
    "concatenate", "binary", "tuple", "call", "many",
]


def changed_elements(numpy, execute, arguments):
    """For each float argument, the pairs [output, element] where changing the element changes the output."""
    usual = execute(arguments)
    reads = []
    for number, argument in enumerate(arguments):
        if argument.dtype.kind != "f":
            continue
        pairs = []
        for element in range(argument.size):
            other = argument.copy()
            other.flat[element] += 1.0 + other.flat[element] / 3
            outputs = execute([*arguments[:number], other, *arguments[number + 1:]])
            pairs += [[int(o), element] for o in numpy.nonzero((outputs != usual).ravel())[0]]
        reads.append([number, sorted(pairs)])
    return reads


def work(shared):
    """Reads programs, a JSON object a line, and answers each with what XLA's result depends on."""
    sys.path.insert(0, str(pathlib.Path(shared) / "corpus" / "run"))
    import jax
    import numpy
    import xla

    jax.config.update("jax_enable_x64", True)

    def arguments_of(program):
        random = numpy.random.default_rng(program["seed"])
        for parameter in program["parameters"]:
            if "values" in parameter:
                kind = {"s": "int", "u": "uint"}[parameter["type"][0]] + parameter["type"][1:]
                yield numpy.array(parameter["values"]).astype(kind).reshape(parameter["sizes"])
            else:
                yield numpy.array(1.0 + random.integers(0, 8, size=parameter["sizes"]) / 8)

    for line in sys.stdin:
        program = json.loads(line)
        try:
            executable = xla.compile_hlo(program["hlo"])

            def execute(arguments):
                (result,) = executable.execute([jax.device_put(a) for a in arguments])
                return numpy.asarray(result)

            answer = {"reads": changed_elements(numpy, execute, list(arguments_of(program)))}
        except Exception as error:  # whatever XLA says, it is its answer
            answer = {"refused": str(error).strip().split("\n")[0][:200]}
        print(json.dumps(answer), flush=True)


class Worker:
    """The process in which XLA runs; started anew when it has died."""

    def __init__(self, python, shared):
        self.command = [python, __file__, "--worker", "--shared", shared]
        # The simplifier drops initial values of reductions and ends the process on some windows.
        self.environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3",
                            "XLA_FLAGS": "--xla_disable_hlo_passes=algsimp"}
        self.process = None

    def ask(self, line):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, env=self.environment)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = self.process.wait()
            self.process = None
            return {"refused": f"XLA ended the process (status {status})"}
        return json.loads(answer)

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def difference(program, answer):
    """What the model and XLA disagree on, in words; None if nothing."""
    model = {number: {tuple(p) for p in pairs} for number, pairs in program["reads"]}
    for number, pairs in answer["reads"]:
        found = {tuple(p) for p in pairs}
        expected = model.get(number, set())
        if found != expected:
            return (f"parameter {number}: only XLA reads {sorted(found - expected)[:5]}, "
                    f"only the model reads {sorted(expected - found)[:5]} (output, element)")
    return None


def check(generator, arguments, worker):
    """Compares the programs of one generator; the number of differences."""
    dump = [arguments.dump, generator, str(arguments.seed), str(arguments.count), str(arguments.elements)]
    lines = subprocess.run(dump, check=True, capture_output=True, text=True).stdout.splitlines()
    compared = pairs = differences = 0
    refusals = collections.Counter()
    for line in lines:
        program = json.loads(line)
        if "error" in program:
            refusals["the model: " + program["error"]] += 1
            continue
        answer = worker.ask(line)
        if "refused" in answer:
            refusals[answer["refused"]] += 1
            if arguments.verbose:
                print(program["hlo"])
            continue
        compared += 1
        pairs += sum(len(p) for _, p in answer["reads"])
        what = difference(program, answer)
        if what is not None:
            differences += 1
            print(f"{generator}, seed {program['seed']}: {what}\n{program['hlo']}")
    print(f"{generator}: {compared} programs equal in {pairs} pairs, {differences} differences, "
          f"{sum(refusals.values())} refused")
    for refusal, times in refusals.most_common(5 if arguments.verbose else 2):
        print(f"    {times} times: {refusal}")
    too_few = compared < arguments.count // 2
    if too_few:
        print(f"{generator}: too few programs were compared")
    return differences + too_few


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dump", help="the program model_dump")
    parser.add_argument("--shared", required=True, help="the folder that holds corpus/run/xla.py")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="programs of each generator")
    parser.add_argument("--elements", type=int, default=40, help="the most elements of an array")
    parser.add_argument("--verbose", action="store_true", help="show programs that XLA refuses")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("generators", nargs="*", default=GENERATORS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.shared)
    python = os.environ.get("MERCATOR_JAX_PYTHON")
    if not python or not (pathlib.Path(arguments.shared) / "corpus" / "run" / "xla.py").exists():
        print("skipped: needs MERCATOR_JAX_PYTHON, a Python with JAX, and --shared")
        return SKIPPED
    worker = Worker(python, arguments.shared)
    failures = sum(check(generator, arguments, worker) for generator in arguments.generators)
    worker.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
