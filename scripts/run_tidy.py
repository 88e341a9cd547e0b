#!/usr/bin/env python3
"""Runs clang-tidy on source files, several at a time.

    run_tidy.py [--jobs N] BUILD_FOLDER FILE...

BUILD_FOLDER holds compile_commands.json. A header is checked through the sources that include it, of
which the first is taken. Prints what clang-tidy finds; the exit status is 1 if it finds anything.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

# The compile commands are GCC's, with warning options that Clang does not have.
TIDY = ["clang-tidy-19", "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def sources_to_check(files, compiled):
    """The compiled sources among `files`, and for each header one that includes it."""
    chosen = {path for path in files if path in compiled}
    texts = {}
    for header in (path for path in files if path.suffix == ".h"):
        include = f'#include "{header.relative_to(ROOT)}"'
        if not texts:
            texts = {path: path.read_text(encoding="utf-8") for path in sorted(compiled)}
        includers = [path for path, text in texts.items() if include in text]
        if includers and not chosen.intersection(includers):
            chosen.add(includers[0])
    return sorted(chosen)


def tidy(build, path):
    """What clang-tidy says of a source, and whether it is content."""
    result = subprocess.run([*TIDY, "-p", build, path], capture_output=True, text=True, check=False)
    return result.stdout + (result.stderr if result.returncode != 0 else ""), result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description="Runs clang-tidy on source files.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    commands = json.loads((arguments.build / "compile_commands.json").read_text(encoding="utf-8"))
    compiled = {pathlib.Path(command["file"]).resolve() for command in commands}
    sources = sources_to_check([path.resolve() for path in arguments.files], compiled)
    content = True
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for text, ok in pool.map(lambda path: tidy(arguments.build, path), sources):
            content = content and ok
            if text.strip():
                print(text)
    print(f"clang-tidy: {len(sources)} sources checked", file=sys.stderr)
    return 0 if content else 1


if __name__ == "__main__":
    sys.exit(main())
