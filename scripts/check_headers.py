#!/usr/bin/env python3
"""Checks that each header compiles on its own.

    check_headers.py [--jobs N] HEADER...

Compiles each header as if it were a source file; arguments that are not headers are left out.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = [os.environ.get("CXX", "c++"), "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-I", ROOT]


def compile_header(path):
    """The compiler's messages; none if the header is fine."""
    command = [*COMPILER, "-include", path, "-x", "c++", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stderr if result.returncode != 0 or result.stderr else ""


def main():
    parser = argparse.ArgumentParser(description="Checks that each header compiles on its own.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    headers = [path.resolve() for path in arguments.files if path.suffix == ".h"]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        messages = [message for message in pool.map(compile_header, headers) if message]
    for message in messages:
        print(message, file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
