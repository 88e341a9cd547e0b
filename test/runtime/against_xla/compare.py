#!/usr/bin/env python3
"""Compares Mercator with XLA on random modules (random_modules.py), and cuts those that differ down to one instruction.

    compare.py MERCATOR FIRST LAST [--processes N] [--timeout S] [--keep FOLDER]

MERCATOR is the command. Seeds run from FIRST to LAST - 1. Needs `pip install jax==0.10.2 ml_dtypes numpy`. For each module
that differs it prints the instruction that does, with its arguments and both results; --keep writes it to
FOLDER/SEED.case as well, as in test/golden/run. Exit status 1 if something differs.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import queue
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import numpy as np

import oracle
import random_modules
from module_text import Computation, Instruction, Module, with_results
from tensors import COMPLEX, FLOATS, load_npz, name_of, save_npz, shape_text, typed_literal


class Failed(Exception):
    """Mercator does not run a module; the message says why."""


class Mercator:
    def __init__(self, command, timeout_s):
        self.command = command
        self.timeout_s = timeout_s

    def run(self, text, arrays, types):
        """The leaves of the result, of these element types. Raises Failed."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "module.hlo").write_text(text, encoding="utf-8")
            arguments = [self.command, "run", str(folder / "module.hlo"), "--output", str(folder / "out.npz")]
            if arrays:
                save_npz(folder / "in.npz", arrays)
                arguments += ["--input", str(folder / "in.npz")]
            try:
                done = subprocess.run(arguments, capture_output=True, timeout=self.timeout_s)
            except subprocess.TimeoutExpired:
                raise Failed("took too long") from None
            if done.returncode != 0:
                raise Failed(
                    f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()[:2000]}")
            return load_npz(folder / "out.npz", types)


# ---- comparing ----


def wide(array):
    return np.asarray(array).astype(np.complex128 if name_of(array) in COMPLEX else np.float64)


def difference(got, expected, error):
    """In words; "" for none. `error` is how far numbers may be apart. Zeros are equal, and so are nans."""
    if shape_text(got) != shape_text(expected):
        return f"{shape_text(got)} instead of {shape_text(expected)}"
    if got.size == 0:
        return ""
    name = name_of(got)
    if name not in FLOATS and name not in COMPLEX:
        same = np.asarray(got == expected)
    else:
        parts = [(wide(got).real, wide(expected).real), (wide(got).imag, wide(expected).imag)]
        same = np.ones(got.shape, bool)
        for a, b in parts:
            with np.errstate(invalid="ignore"):
                close = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.isfinite(a) & np.isfinite(b) &
                                                                  (np.abs(a - b) <= error))
            same &= close
    if same.all():
        return ""
    first = np.argwhere(~same)[0].tolist()
    place = tuple(first)
    return f"{int((~same).sum())} of {got.size}, first at {first}: {got[place]!s} instead of {expected[place]!s}" + (
        f" (within {error:.2g})" if error else "")


def types_of(arrays):
    return [name_of(a) for a in arrays]


class Checker:
    """Runs modules with both. For one thread."""
    def __init__(self, mercator, timeout_s):
        self.mercator = mercator
        self.xla = oracle.Oracle(timeout_s)

    def both(self, module, arguments):
        """What XLA and Mercator compute; raises what goes wrong."""
        text = module.text()
        expected = self.xla.run(text, arguments)
        return self.mercator.run(text, arguments, types_of(expected)), expected

    def wrong(self, module, arguments, errors):
        """The first difference among the results, in words, or what Mercator says that it fails with; "" for none."""
        try:
            got, expected = self.both(module, arguments)
        except Failed as failure:
            return str(failure)
        for i, (g, e) in enumerate(zip(got, expected)):
            text = difference(g, e, errors[i])
            if text:
                return f"result {i}: {text}"
        return ""

    # ---- cutting down ----

    def reduce(self, module, arguments, errors):
        """A small module with arguments that differs too, and how; the whole if none is found."""
        alone = self.one_result(module, arguments, errors)
        if alone is not None:
            module, result_errors = alone
        else:
            result_errors = [errors.get(n, 0.0) for n in module.entry.find(module.entry.root).operands]
        wrong = self.wrong(module, arguments, result_errors)
        values = self.intermediate_values(module, arguments)
        if values is None:
            return module, arguments, result_errors, wrong
        for instruction in module.entry.instructions:
            if instruction.opcode in ("parameter", "constant", "tuple", "get-tuple-element"):
                continue
            cut = self.single(module, instruction, values, errors)
            if cut is None:
                continue
            smaller, inputs, bounds = cut
            text = self.attempt(smaller, inputs, bounds)
            if not text:
                continue
            if instruction.opcode in ("fusion", "call"):
                inner = self.called(module, instruction)
                inner_errors = {i.name: bounds[0] for i in inner.entry.instructions}
                if self.attempt(inner, inputs, bounds):
                    # What rounding may do within is not known: as much as to the result.
                    return self.reduce_inner(inner, inputs, bounds, inner_errors, text)
            return smaller, inputs, bounds, text
        return self.cut_front(module, arguments, result_errors, wrong, values)

    def cut_front(self, module, arguments, errors, wrong, values):
        """Where no instruction differs alone: replaces as many as possible by arguments, and drops what is not read."""
        for instruction in list(module.entry.instructions):
            if instruction.opcode == "parameter" or instruction.is_tuple:
                continue
            given = Instruction(instruction.name, instruction.shape, "parameter", [], "", str(len(arguments)))
            lines = [given if i.name == instruction.name else i for i in module.entry.instructions]
            smaller = Module(module.name, module.computations, Computation("main", lines, module.entry.root)).used()
            inputs = [*arguments, values[instruction.name]]
            text = self.attempt(smaller, inputs, errors)
            if text:
                module, arguments, wrong = smaller, inputs, text
        entry = module.entry.used(keep_parameters=False)
        kept = entry.parameters()
        numbers = {p.name: i for i, p in enumerate(kept)}
        lines = [
            Instruction(i.name, i.shape, i.opcode, [], "", str(numbers[i.name])) if i.name in numbers else i
            for i in entry.instructions
        ]
        smaller = Module(module.name, module.computations, Computation("main", lines, entry.root))
        inputs = [arguments[int(p.literal)] for p in kept]
        text = self.attempt(smaller, inputs, errors)
        return (smaller, inputs, errors, text) if text else (module, arguments, errors, wrong)

    def reduce_inner(self, module, arguments, bounds, errors, text):
        root = module.entry.root
        wrapped = with_results(module, [root])
        small = self.reduce(wrapped, arguments, errors)
        return small if small[3] else (module, arguments, bounds, text)

    def attempt(self, module, arguments, errors):
        try:
            return self.wrong(module, arguments, errors)
        except (oracle.Refused, oracle.Crashed):
            return ""

    def one_result(self, module, arguments, errors):
        """With only one of the results, one that differs."""
        for name in module.entry.find(module.entry.root).operands:
            alone = with_results(module, [name])
            if self.attempt(alone, arguments, [errors.get(name, 0.0)]):
                return alone, [errors.get(name, 0.0)]
        return None

    def intermediate_values(self, module, arguments):
        """By name, what XLA computes for every array; None if it does not when all are asked for."""
        names = [i.name for i in module.entry.instructions if not i.is_tuple]
        for i in range(0, len(names), 40):
            try:
                results = self.xla.run(with_results(module, names[i:i + 40]).text(), arguments)
            except (oracle.Refused, oracle.Crashed):
                return None
            if i == 0:
                values = {}
            values.update(zip(names[i:i + 40], results))
        return values

    def single(self, module, instruction, values, errors):
        """A module of this instruction alone; the values of its operands are its arguments."""
        inputs, lines, parameters = [], [], {}

        def give(name):
            if name not in parameters:
                parameters[name] = Instruction(name, shape_text(values[name]), "parameter", [], "",
                                               str(len(inputs)))
                lines.append(parameters[name])
                inputs.append(values[name])

        for operand in instruction.operands:
            source = module.entry.find(operand)
            if not source.is_tuple:
                give(operand)
            elif source.opcode == "tuple" and not any(module.entry.find(o).is_tuple for o in source.operands):
                for o in source.operands:
                    give(o)
                lines.append(source)
            else:
                return None
        lines.append(instruction)
        if not instruction.is_tuple:
            results = [instruction.name]
        else:
            elements = [
                i for i in module.entry.instructions
                if i.opcode == "get-tuple-element" and i.operands == [instruction.name]
            ]
            lines += elements
            results = [e.name for e in elements]
        if not results:
            return None
        # Each result in a tuple of its own kind, as everywhere.
        small = Module(module.name, module.computations, Computation("main", lines, instruction.name))
        return with_results(small, results), inputs, [errors.get(n, 0.0) for n in results]

    @staticmethod
    def called(module, instruction):
        """The computation that an instruction calls, as a module."""
        target = module.find(instruction.calls[0])
        return Module(module.name, module.computations, Computation("main", target.instructions,
                                                                    target.root)).used()


def case_text(name, module, arguments, results):
    lines = [
        f"=== {name}", "--- hlo",
        module.text().rstrip("\n"), "--- inputs", *(typed_literal(a) for a in arguments), "--- results exact",
        *(typed_literal(r, False) for r in results)
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mercator", metavar="MERCATOR")
    parser.add_argument("first", type=int, metavar="FIRST")
    parser.add_argument("last", type=int, metavar="LAST")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()

    checkers = queue.SimpleQueue()
    for _ in range(options.processes):
        checkers.put(Checker(Mercator(options.mercator, options.timeout), options.timeout))
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)

    def check(seed):
        """(kind, text): "equal", "refused" by XLA, or "differs"."""
        checker = checkers.get()
        try:
            made = random_modules.generate(seed)
            names = made.module.entry.find(made.module.entry.root).operands
            wrong = checker.wrong(made.module, made.arguments, [made.errors[n] for n in names])
            if not wrong:
                return "equal", ""
            module, arguments, _, text = checker.reduce(made.module, made.arguments, made.errors)
            try:
                expected = checker.xla.run(module.text(), arguments)
            except (oracle.Refused, oracle.Crashed):
                expected = []
            case = case_text(f"seed_{seed}", module, arguments, expected)
            if options.keep:
                (options.keep / f"{seed}.case").write_text(case, encoding="utf-8")
            return "differs", f"{text or wrong}\n{case}"
        except (oracle.Refused, oracle.Crashed) as error:
            return "refused", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        finally:
            checkers.put(checker)

    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.processes) as threads:
        futures = {threads.submit(check, seed): seed for seed in range(options.first, options.last)}
        for future in concurrent.futures.as_completed(futures):
            kind, text = future.result()
            counts[kind] += 1
            if sum(counts.values()) % 100 == 0:
                print(f"{sum(counts.values())} modules", file=sys.stderr, flush=True)
            if kind != "equal":
                print(f"seed {futures[future]} {kind}: {text}", flush=True)
    for _ in range(options.processes):
        checkers.get().xla.close()
    print(", ".join(f"{counts[k]} {k}" for k in ("equal", "differs", "refused")))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
