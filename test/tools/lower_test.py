#!/usr/bin/env python3
"""Tests of `mercator simplify --lower`.

    lower_test.py MERCATOR
"""

import json
import unittest

import command
from command import run

QUOTIENT = "(d0 * 3 + d1) floordiv 48, domain: d0 in [0, 999], d1 in [0, 47]"
TOO_LARGE = "(x, y) -> (x * y), domain: x in [0, 99], y in [0, 9000000000000000000]"
UNBOUNDED = "(row) -> (row * 3)"


class Lower(unittest.TestCase):
    def test_prints_the_map_and_its_program(self):
        result = run("simplify", "--lower", text="(row) -> (row * 8), domain: row in [0, 9]")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stdout,
            "# (row) -> (row * 8), domain: row in [0, 9]\ninputs row: i32\n%0: i32 = shl row, 3\nresults %0\n",
        )

    def test_constraints_are_the_gate(self):
        text = "(d0, d1) -> (d0 + d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 7]"
        self.assertRegex(run("simplify", "--lower", text=text).stdout, r"\nresults %0\ngate %\d+\n\Z")

    def test_an_empty_domain_has_a_closed_gate(self):
        result = run("simplify", "--lower", text="(d0) -> (d0), domain: d0 in [0, 3], d0 + 5 in [0, 1]")
        self.assertEqual(result.stdout, "# KNOWN EMPTY\ninputs none\nresults 0\ngate 0\n")

    def test_json_has_the_text_of_the_program(self):
        result = run("simplify", "--lower", "--json", text=QUOTIENT)
        entry = json.loads(result.stdout)
        self.assertEqual(list(entry)[-1], "program")
        self.assertTrue(entry["program"].startswith("inputs d0: i32, d1: i32\n"))
        self.assertNotIn("program", json.loads(run("simplify", "--json", text=QUOTIENT).stdout))

    def test_what_is_not_supported_is_named_and_the_rest_is_printed(self):
        text = f"{QUOTIENT}\n---\n{TOO_LARGE}\n---\n{UNBOUNDED}\n---\n{QUOTIENT}\n"
        result = run("simplify", "--lower", text=text)
        self.assertEqual(result.returncode, 3)
        self.assertIn("<stdin>:3:1: error: the value of 'x * y' may leave 64 bits\n", result.stderr)
        self.assertIn("<stdin>:5:1: error: 'row' has no bounds\n", result.stderr)
        self.assertIn("hint: give them: row in [0, 99]\n", result.stderr)
        entries = result.stdout.split("---\n")
        self.assertEqual(len(entries), 4)
        self.assertEqual(entries[0], entries[3])
        programs = [json.loads(line)["program"] for line in run("simplify", "--lower", "--json", text=text).stdout.splitlines()]
        self.assertEqual([program is None for program in programs], [False, True, True, False])


if __name__ == "__main__":
    command.main()
