#!/usr/bin/env python3
"""Compares Mercator's simplifier with others, and prints a table for each set of expressions.

    compare.py PROGRAMS [--python PYTHON] [--out FOLDER] [--shared FOLDER] [--sympy-seconds S] [--again]

PROGRAMS is the folder of the built programs simplify_*; PYTHON an interpreter that has tinygrad and SymPy
(those that it lacks are left out, as is MLIR if its program is not there). FOLDER takes what each peer
answered, and the lists of inputs where one of them does better than Mercator. What the others answered is
kept there and used again while the input is the same, unless --again. README.md says how to read the output.
"""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def has_module(python, name):
    return subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def runnable_peers(arguments):
    """(name, file name, command before INPUT OUTPUT, command after) of each peer that can run; Mercator first."""
    programs, python = arguments.programs, arguments.python
    found = [("Mercator", "mercator", [programs / "simplify_mercator"], [])]
    if (programs / "simplify_mlir").exists():
        found.append(("MLIR 19", "mlir", [programs / "simplify_mlir"], []))
    else:
        say("left out: MLIR, whose program was not built")
    if has_module(python, "tinygrad"):
        script = [python, HERE / "run_tinygrad.py"]
        found.append(("tinygrad", "tinygrad", script, ["simplify"]))
        found.append(("tinygrad sym", "tinygrad_sym", script, ["sym"]))
    else:
        say(f"left out: tinygrad, which {python} does not have")
    if has_module(python, "sympy"):
        seconds = f"{arguments.sympy_seconds:g}"
        found.append(("SymPy", f"sympy_{seconds}s", [python, HERE / "run_sympy.py"], [seconds]))
    else:
        say(f"left out: SymPy, which {python} does not have")
    return found


def answer_file(arguments, source, file_name):
    return arguments.out / f"{source.stem}.{file_name}"


def is_newer(path, source):
    return path.exists() and path.stat().st_mtime >= source.stat().st_mtime


def judge(arguments, source, options=()):
    """Prints the table of what all peers answered to the expressions of a file."""
    answers = [f"{name}={answer_file(arguments, source, file_name)}" for name, file_name, _, _ in arguments.peers]
    subprocess.run([arguments.programs / "simplify_judge", source, *answers, *options], check=True)


def compare(arguments, source):
    """Asks all peers for the expressions of a file, and judges what they answer."""
    for name, file_name, before, after in arguments.peers:
        answer = answer_file(arguments, source, file_name)
        if file_name == "mercator" or arguments.again or not is_newer(answer, source):
            say(f"{source.name}: {name}")
            partial = answer.with_suffix(answer.suffix + ".partial")
            subprocess.run([*before, source, partial, *after], check=True)
            partial.replace(answer)
    worse, costlier = (arguments.out / f"{source.stem}.{kind}.txt" for kind in ("worse", "costlier"))
    judge(arguments, source, ["--worse", worse, "--costlier", costlier])
    print(f"those inputs: {worse} and {costlier}\n", flush=True)


def compare_together(arguments, sources):
    """Judges several files, whose answers are there, as if they were one."""
    together = arguments.out / "all.txt"
    together.write_bytes(b"".join(source.read_bytes() for source in sources))
    for _, file_name, _, _ in arguments.peers:
        parts = [answer_file(arguments, source, file_name).read_bytes() for source in sources]
        answer_file(arguments, together, file_name).write_bytes(b"".join(parts))
    judge(arguments, together)
    print(flush=True)


def write_if_changed(path, content):
    """An unchanged file keeps its time, so that the answers to it are used again."""
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def generated_expressions(arguments):
    """A copy of the committed expressions, which must be what the generator makes."""
    committed = (HERE / "corpus.txt").read_bytes()
    made = subprocess.run([sys.executable, HERE / "generate.py"], stdout=subprocess.PIPE, check=True).stdout
    if made != committed:
        sys.exit("corpus.txt is not what generate.py makes; write it anew: ./generate.py > corpus.txt")
    path = arguments.out / "corpus.txt"
    write_if_changed(path, committed)
    return path


def hlo_expressions(arguments):
    """The file of the index expressions of the HLO programs; None if there are no programs."""
    corpus = arguments.shared / "corpus"
    programs = sorted(corpus.glob("hlo/*.hlo")) + sorted(corpus.glob("run/*/*.hlo"))
    if not programs:
        say(f"skipped: the expressions of HLO programs; there are none in {corpus}")
        return None
    dump = subprocess.run([arguments.programs / "simplify_dump_hlo", *programs], stdout=subprocess.PIPE, check=True)
    path = arguments.out / "hlo.txt"
    write_if_changed(path, dump.stdout)
    return path


def time_maps(arguments, maps):
    """Times the simplifiers on whole maps; tinygrad, which has expressions only, on their results."""
    program = arguments.programs / "simplify_bench_maps"
    options = []
    for name, file_name, before, after in arguments.peers:
        if file_name == "tinygrad":
            listed, answer = arguments.out / "maps.txt", arguments.out / "maps.tinygrad"
            listed.write_bytes(subprocess.run([program, maps, "--list"], stdout=subprocess.PIPE, check=True).stdout)
            subprocess.run([*before, listed, answer, *after], check=True)
            options = [f"{name}={answer}"]
    subprocess.run([program, maps, *options], check=True)


def main():
    parser = argparse.ArgumentParser(description="Compares Mercator's simplifier with others.")
    parser.add_argument("programs", type=pathlib.Path, help="the folder of the built programs simplify_*")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has tinygrad and SymPy")
    parser.add_argument("--out", type=pathlib.Path, help="for answers and lists (PROGRAMS/results)")
    parser.add_argument(
        "--shared", type=pathlib.Path, default=HERE.parents[3] / "shared", help="holds corpus/ and cases/bench.maps"
    )
    parser.add_argument("--sympy-seconds", type=float, default=1.0, help="SymPy's limit for an expression (1)")
    parser.add_argument("--again", action="store_true", help="ask the peers anew for what they answered already")
    arguments = parser.parse_args()
    arguments.out = arguments.out or arguments.programs / "results"
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.peers = runnable_peers(arguments)

    print("== generated expressions ==", flush=True)
    corpus = generated_expressions(arguments)
    compare(arguments, corpus)

    hlo = hlo_expressions(arguments)
    if hlo is not None:
        print("== expressions of HLO programs, before simplification ==", flush=True)
        compare(arguments, hlo)
        print("== both together ==", flush=True)
        compare_together(arguments, [corpus, hlo])

    maps = arguments.shared / "cases" / "bench.maps"
    if maps.exists():
        print("== time for maps ==", flush=True)
        time_maps(arguments, maps)
    else:
        say(f"skipped: the time for maps; there is no {maps}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
