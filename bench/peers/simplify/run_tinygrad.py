#!/usr/bin/env python3
"""tinygrad's side of the comparison: run_tinygrad.py INPUT OUTPUT [simplify|sym].

`simplify` is UOp.simplify, the rules that tinygrad calls "symbolic"; `sym` the larger set that its
code generator applies to kernels. Variables carry their bounds. Runs where tinygrad is installed.
"""

import sys
import time

import expression as ex
from tinygrad.helpers import Context
from tinygrad.uop import divandmod
from tinygrad.uop.ops import Ops, UOp, graph_rewrite
from tinygrad.uop.symbolic import sym

RUNS = 3
UNBOUNDED = 1 << 62


class Unprintable(Exception):
    """An operation that index expressions do not have."""


def build(expression, bounds):
    def leaf(kind, value):
        if kind == "number":
            return UOp.const(value)
        low, high = bounds.get(value, (-UNBOUNDED, UNBOUNDED))
        return UOp.variable(value, low, high, param=True)

    def operation(kind, a, b):
        match kind:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "floordiv":
                return a // b
            case "mod":
                return a % b
            case "ceildiv":
                return -((-a) // b)
            case "min":
                return a.minimum(b)
            case _:
                return a.maximum(b)

    return ex.fold(expression, leaf, operation)


def is_constant(uop, value):
    return uop.op is Ops.CONST and uop.val == value


WORDS = {Ops.ADD: "+", Ops.SUB: "-", Ops.MUL: "*", Ops.FLOORDIV: "floordiv", Ops.FLOORMOD: "mod"}


def text(uop):
    """Text that Mercator reads. tinygrad has no minimum: it writes -max(-a, -b) or ~max(~a, ~b)."""
    if uop.op is Ops.CONST:
        return f"({uop.val})"
    if uop.op in (Ops.PARAM, Ops.BUFFER):
        return uop.arg.name
    if uop.op is Ops.MAX:
        return f"max({text(uop.src[0])}, {text(uop.src[1])})"
    if uop.op is Ops.XOR and is_constant(uop.src[1], -1):
        if uop.src[0].op is Ops.MAX:
            a, b = (f"(-1 - {text(source)})" for source in uop.src[0].src)
            return f"min({a}, {b})"
        return f"(-1 - {text(uop.src[0])})"
    if uop.op is Ops.MUL and is_constant(uop.src[1], -1) and uop.src[0].op is Ops.MAX:
        a, b = (f"(0 - {text(source)})" for source in uop.src[0].src)
        return f"min({a}, {b})"
    if uop.op not in WORDS:
        raise Unprintable(f"an operation {uop.op.name}")
    return f"({text(uop.src[0])} {WORDS[uop.op]} {text(uop.src[1])})"


def simplify(uop, how):
    if how == "simplify":
        return uop.simplify()
    with Context(TRACK_MATCH_STATS=0):
        return graph_rewrite(uop, sym, name="sym")


def run(line, how):
    expression, bounds = ex.read_line(line)
    best = None
    for _ in range(RUNS):
        # What tinygrad remembers by expression is forgotten, and the expression made anew.
        divandmod.fold_divmod_general.cache_clear()
        result = None
        uop = build(expression, bounds)
        start = time.perf_counter_ns()
        result = simplify(uop, how)
        elapsed = time.perf_counter_ns() - start
        best = elapsed if best is None else min(best, elapsed)
    return f"{best}\t{text(result)}"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    how = sys.argv[3] if len(sys.argv) == 4 else "simplify"
    sys.setrecursionlimit(100_000)
    ex.answer_lines(sys.argv[1], sys.argv[2], lambda line: run(line, how))


if __name__ == "__main__":
    main()
