#!/usr/bin/env python3
"""The programs that Mercator's interpreter is compared on with XLA, in groups. See groups/ for the tables.

    programs.py             counts them
    programs.py NAME...     prints the modules of these names
"""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def groups():
    """All groups, by name."""
    names = sorted(p.stem for p in (HERE / "groups").glob("*.py"))
    return [importlib.import_module(f"groups.{name}").programs() for name in names]


def main():
    everything = groups()
    if len(sys.argv) == 1:
        for group in everything:
            print(f"{len(group.programs):5} {group.name}")
        print(f"{sum(len(g.programs) for g in everything):5} in all")
    for group in everything:
        for program in group.programs:
            if program.name in sys.argv[1:]:
                print(program.text)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
