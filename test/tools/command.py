"""What the tests of the command share: running it."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Set by `main`: the program under test.
program = None


def run(*arguments, text="", cwd=ROOT, **options):
    """Runs `mercator` with `text` (str or bytes) on its standard input; its outputs as text."""
    data = text.encode() if isinstance(text, str) else text
    result = subprocess.run(
        [program, *map(str, arguments)], input=data, capture_output=True, cwd=cwd, check=False, **options
    )
    return subprocess.CompletedProcess(
        result.args, result.returncode, result.stdout.decode(), result.stderr.decode("utf-8", "replace")
    )


def main():
    """Runs the tests of the calling file: FILE MERCATOR [UNITTEST-ARGUMENT...]."""
    global program
    if len(sys.argv) < 2:
        sys.exit("usage: TEST_FILE MERCATOR [UNITTEST-ARGUMENT...]")
    program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(module="__main__", verbosity=2)
