#!/usr/bin/env python3
"""SymPy's side of the comparison: run_sympy.py INPUT OUTPUT [SECONDS].

The quotient is floor(x / n), the remainder Mod(x, n), minimum and maximum Min and Max; `simplify` is
applied to what is so made. Variables are integers. Of bounds SymPy can be told the sign only: a variable
with no negative values is nonnegative, and that is all that it knows of it. An expression that takes longer
than SECONDS (1) of processor time counts as not simplified. Runs where SymPy is installed.
"""

import signal
import sys
import time

import expression as ex
import sympy
from sympy.core.cache import clear_cache


class Unprintable(Exception):
    """Something that is not an index expression."""


class OutOfTime(Exception):
    """The time is over."""


def build(expression, bounds):
    def leaf(kind, value):
        if kind == "number":
            return sympy.Integer(value)
        nonnegative = True if bounds.get(value, (-1, 0))[0] >= 0 else None
        return sympy.Symbol(value, integer=True, nonnegative=nonnegative)

    def operation(kind, a, b):
        match kind:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "floordiv":
                return sympy.floor(a / b)
            case "mod":
                return sympy.Mod(a, b)
            case "ceildiv":
                return sympy.ceiling(a / b)
            case "min":
                return sympy.Min(a, b)
            case _:
                return sympy.Max(a, b)

    return ex.fold(expression, leaf, operation)


def quotient(argument, word):
    """The quotient that floor or ceiling of a rational form stands for."""
    numerator, denominator = sympy.together(argument).as_numer_denom()
    if not denominator.is_Integer:
        raise Unprintable(f"a quotient by {denominator}")
    return f"({text(sympy.expand(numerator))} {word} {denominator})"


def text(node):
    """Text that Mercator reads."""
    if node.is_Integer:
        return f"({node})"
    if node.is_Symbol:
        return node.name
    if isinstance(node, sympy.floor):
        return quotient(node.args[0], "floordiv")
    if isinstance(node, sympy.ceiling):
        return quotient(node.args[0], "ceildiv")
    if isinstance(node, sympy.Mod):
        return f"({text(node.args[0])} mod {text(node.args[1])})"
    if isinstance(node, (sympy.Min, sympy.Max)):
        word = "min" if isinstance(node, sympy.Min) else "max"
        return f"{word}({', '.join(text(argument) for argument in node.args)})"
    if isinstance(node, (sympy.Add, sympy.Mul)):
        word = " + " if isinstance(node, sympy.Add) else " * "
        return "(" + word.join(text(argument) for argument in node.args) + ")"
    if isinstance(node, sympy.Pow) and node.exp.is_Integer and node.exp > 0:
        return "(" + " * ".join([text(node.base)] * int(node.exp)) + ")"
    raise Unprintable(f"an operation {type(node).__name__}")


def run(line, seconds):
    expression, bounds = ex.read_line(line)
    clear_cache()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        # Building already simplifies, so it is part of the time.
        start = time.process_time_ns()
        result = sympy.simplify(build(expression, bounds))
        elapsed = time.process_time_ns() - start
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return f"{elapsed}\t{text(result)}"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    seconds = float(sys.argv[3]) if len(sys.argv) == 4 else 1.0

    def stop(_signal, _frame):
        raise OutOfTime(f"more than {seconds:g} s")

    signal.signal(signal.SIGVTALRM, stop)
    ex.answer_lines(sys.argv[1], sys.argv[2], lambda line: run(line, seconds))


if __name__ == "__main__":
    main()
