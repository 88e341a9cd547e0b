#!/usr/bin/env python3
"""Tests of `mercator tile`."""

import json
import unittest

import command
from command import EXAMPLES, run

SOFTMAX = EXAMPLES / "softmax.hlo"
RESHAPE = """HloModule m
ENTRY e {
  p = f32[96] parameter(0)
  r = f32[8,12] reshape(p)
  ROOT n = f32[8,12] negate(r)
}
"""


class Tile(unittest.TestCase):
    def tile(self, *arguments, text=""):
        result = run("tile", *arguments, "--json", text=text)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0)
        return json.loads(result.stdout)

    def test_lists_what_is_inside_and_what_is_below(self):
        arrays = self.tile(SOFTMAX, "--instruction", "softmax", "--sizes", "16,32")["arrays"]
        self.assertEqual([a["name"] for a in arrays if a["where"] == "below"], ["logits"])
        inside = [a["name"] for a in arrays if a["where"] == "inside"]
        self.assertEqual(inside[0], "quotient")
        self.assertEqual(inside[-1], "x")

    def test_goes_through_the_computation(self):
        tile = self.tile("-", "--instruction", "n", "--sizes", "2,12", "--offsets", "4,0", text=RESHAPE)
        self.assertEqual([a["name"] for a in tile["arrays"]], ["r", "p"])
        self.assertEqual(tile["parameters"], {})
        (case,) = tile["arrays"][1]["tiles"][0]["cases"]
        self.assertEqual(case["dimensions"], [{"offset": 48, "size": 24, "stride": 1}])

    def test_one_output_of_very_many(self):
        # All of them together depend on too much of the computation to list it; each by itself does not.
        lines = ["HloModule m", "ENTRY e {", "  x0 = f32[8] parameter(0)"]
        lines += [f"  x{i} = f32[8] negate(x{i - 1})" for i in range(1, 2001)]
        lines += [f"  y{i} = f32[8] add(x2000, x{i})" for i in range(1500)]
        shape = ", ".join(["f32[8]"] * 1500)
        lines.append(f"  ROOT t = ({shape}) tuple({', '.join(f'y{i}' for i in range(1500))})\n}}\n")
        tile = self.tile("-", "--instruction", "t", "--output", 7, "--sizes", 4, text="\n".join(lines))
        self.assertNotIn("unknown", tile)
        self.assertEqual(len(tile["arrays"]), 2002)
        self.assertEqual([tile["arrays"][0]["name"], tile["arrays"][-1]["name"]], ["y7", "x0"])

    def test_conditions_and_reasons(self):
        tile = self.tile("-", "--instruction", "n", "--sizes", "2,8", text=RESHAPE)
        (flat,) = tile["arrays"][1]["tiles"]
        self.assertEqual(flat["cases"], [])
        self.assertIn("evenly spaced", flat["otherwise"])
        tile = self.tile("-", "--instruction", "r", "--operand", 0, text=RESHAPE)
        (rows,) = tile["arrays"][0]["tiles"]
        self.assertIn("offset0 mod 12 = 0", rows["cases"][0]["conditions"])

    def test_a_tile_at_the_edge_is_smaller(self):
        tile = self.tile(SOFTMAX, "--instruction", "softmax", "--sizes", "16,128", "--offsets", "56,0")
        self.assertEqual(tile["tile"][0], {"offset": 56, "size": 8, "stride": 1})
        tile = self.tile(SOFTMAX, "--instruction", "softmax", "--sizes", "100,128", "--offsets", "56,0")
        self.assertEqual(tile["tile"][0], {"offset": 56, "size": 8, "stride": 1})
        tile = self.tile(SOFTMAX, "--instruction", "softmax", "--sizes", "100,16")
        self.assertEqual(tile["tile"][0], {"offset": 0, "size": 64, "stride": 1})
        tile = self.tile(SOFTMAX, "--instruction", "softmax", "--sizes", "100,16", "--strides", "3,1")
        self.assertEqual(tile["tile"][0], {"offset": 0, "size": 22, "stride": 3})

    def test_sizes_that_fit(self):
        choices = self.tile("-", "--instruction", "r", "--fit", 400, text=RESHAPE)
        self.assertTrue(choices["complete"])
        sizes = [choice["sizes"] for choice in choices["choices"]]
        self.assertEqual(sizes[0], [4, 12])
        self.assertNotIn([2, 8], sizes)
        for choice in choices["choices"]:
            rows, columns = choice["sizes"]
            self.assertEqual(choice["bytes"], 8 * rows * columns)

    def test_wrong_usage(self):
        def expect(status, message, *arguments, text=RESHAPE):
            result = run("tile", "-", *arguments, text=text)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertIn(message, result.stderr)

        expect(2, "1 sizes for an array of 2 dimensions", "--instruction", "n", "--sizes", "4")
        expect(2, "no tile with offset 9, size 1", "--instruction", "n", "--sizes", "1,1", "--offsets", "9,0")
        expect(2, "no tile with offset 0, size 0", "--instruction", "n", "--sizes", "0,1")
        expect(2, "'4,' is not a list of numbers", "--instruction", "n", "--sizes", "4,")
        expect(2, "no instruction 'm'", "--instruction", "m")
        expect(2, "no operand 3", "--instruction", "n", "--operand", 3)
        expect(2, "no operand -1", "--instruction", "n", "--operand=-1")
        expect(2, "--instruction is required", "--sizes", "4,4")
        expect(2, "--fit", "--instruction", "n", "--fit", 100, "--sizes", "1,1")
        expect(1, "error", "--instruction", "n", text="HloModule")
        empty = RESHAPE.replace("96", "0").replace("8,12", "0,12")
        expect(3, "'n' has no elements", "--instruction", "n", text=empty)
        token = "HloModule m\nENTRY e { ROOT t = token[] after-all() }\n"
        expect(3, "'t' is not an array", "--instruction", "t", text=token)


if __name__ == "__main__":
    command.main()
