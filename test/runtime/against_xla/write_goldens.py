#!/usr/bin/env python3
"""Writes what XLA computes for the programs of programs.py to test/golden/run, one file for each group.

    write_goldens.py [--report] [--processes N] [GROUP...]

Needs `pip install jax==0.10.2 ml_dtypes numpy`. Programs that XLA:CPU refuses, or ends its process on, are left out;
--report lists them with XLA's reason. A file is a sequence of

    === NAME
    --- hlo
    HloModule …
    --- inputs
    s8[4] {127, -128, 1, 0}
    --- results exact
    s8[4] {-2, 0, 2, 0}

with one line for each argument and for each leaf of the result. Results are `exact`, or `within 4 ulps`, or
`within 4 ulps or 1e-06`: so many units in the last place of the expected value (of a complex number: of its larger part),
or a difference as small as that. Integers are always exact. `nan` among the results stands for every nan, `-nan` and
`nan(0x1)` for those bits only.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True

import numpy as np

import oracle
import programs
from tensors import INTEGERS, bits_of, least, most, name_of, typed_literal

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "run"


def case_text(program, results):
    """One program as it stands in the file."""
    lines = [f"=== {program.name}", "--- hlo", program.text.rstrip("\n"), "--- inputs"]
    lines += [typed_literal(a) for a in program.inputs]
    lines.append(f"--- results {program.bound}")
    lines += [typed_literal(r, program.exact_nan) for r in results]
    return "\n".join(lines) + "\n"


def fault(results):
    """What is wrong with results that no type allows."""
    for result in results:
        name = name_of(result)
        if name in INTEGERS and bits_of(name) < 8 and result.size:
            wide = result.astype(np.int64)
            if wide.min() < least(name) or wide.max() > most(name):
                return f"a value that {name} does not hold: {wide.tolist()}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP")
    parser.add_argument("--report", action="store_true", help="list the programs that XLA does not run, and why")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()

    chosen = [g for g in programs.groups() if not options.groups or g.name in options.groups]
    everything = [(group, program) for group in chosen for program in group.programs]
    outcomes = [None] * len(everything)
    for i, outcome in oracle.run_all([(p.text, p.inputs) for _, p in everything], options.processes):
        outcomes[i] = outcome

    GOLDEN.mkdir(parents=True, exist_ok=True)
    left_out = []
    for group in chosen:
        cases = []
        for (of, program), outcome in zip(everything, outcomes):
            if of is not group:
                continue
            reason = f"{type(outcome).__name__}: {outcome}" if isinstance(outcome, Exception) else fault(outcome)
            if reason:
                left_out.append((group.name, program.name, reason))
            else:
                cases.append(case_text(program, outcome))
        (GOLDEN / f"{group.name}.cases").write_text("\n".join(cases), encoding="utf-8")
        print(f"{group.name}: {len(cases)} of {len(group.programs)} programs", file=sys.stderr)
    if options.report:
        for group_name, name, reason in left_out:
            print(f"{group_name} {name}: {' '.join(reason.split())[:300]}")


if __name__ == "__main__":
    main()
