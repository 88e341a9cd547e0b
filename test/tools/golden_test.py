#!/usr/bin/env python3
"""Compares what the command prints with the files in test/golden.

    golden_test.py MERCATOR [--update]

`./dev golden` writes the files anew.
"""

import pathlib
import sys
import unittest

import command
from command import ROOT, run

GOLDEN = ROOT / "test" / "golden"

# What each file holds the output of, run in the root of the repository.
CASES = {
    "convolution.txt": ["map", "examples/convolution.hlo"],
    "embedding.txt": ["map", "examples/embedding.hlo"],
    "embedding.json": ["map", "examples/embedding.hlo", "--json"],
    "embedding_physical.txt": ["map", "examples/embedding.hlo", "--physical", "--direction", "o2i"],
    "heads.txt": ["map", "examples/heads.hlo"],
    "heads.json": ["map", "examples/heads.hlo", "--json", "--instruction", "fusion", "--instruction", "second"],
    "heads_kernel.json": [
        *["map", "examples/heads.hlo", "--json", "--instruction", "fusion"],
        *["--kernel", "loop", "--threads", "64,2", "--blocks", "192", "--vector", "2"],
    ],
    "softmax_grouped.json": ["map", "examples/softmax.hlo", "--json", "--grouped"],
    "shards.json": ["map", "examples/shards.hlo", "--json", "--instruction", "block"],
    "shards.txt": ["map", "examples/shards.hlo"],
    "softmax_tile.txt": ["tile", "examples/softmax.hlo", "--instruction", "softmax", "--sizes", "16,32"],
    "heads_tile.json": [
        *["tile", "examples/heads.hlo", "--instruction", "fusion", "--sizes", "1,1,8,16", "--json"],
    ],
    "softmax.txt": ["map", "examples/softmax.hlo", "--all"],
    "reshape.txt": ["simplify", "examples/reshape.maps"],
}


class Golden(unittest.TestCase):
    maxDiff = None

    def test_output_is_as_expected(self):
        for name, arguments in CASES.items():
            with self.subTest(name):
                result = run(*arguments)
                self.assertEqual(result.stderr, "")
                self.assertEqual(result.returncode, 0)
                expected = (GOLDEN / name).read_text(encoding="utf-8")
                self.assertEqual(expected, result.stdout, "./dev golden writes it anew")

    def test_no_file_is_left_over(self):
        self.assertEqual(sorted(path.name for path in GOLDEN.iterdir() if path.is_file()), sorted(CASES))


def update():
    command.program = str(pathlib.Path(sys.argv[1]).resolve())
    for name, arguments in CASES.items():
        result = run(*arguments)
        if result.returncode != 0:
            sys.exit(f"{name}: {result.stderr}")
        (GOLDEN / name).write_text(result.stdout, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[2:] == ["--update"]:
        update()
    else:
        command.main()
