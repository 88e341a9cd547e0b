#!/usr/bin/env python3
"""Checks that the JSON of the command has the form that docs/command-line.md promises."""

import json
import os
import pathlib
import unittest

import command
from command import EXAMPLES, run

MAP = {"text", "exact", "runtime"}


class MapJson(unittest.TestCase):
    def check_maps(self, entry):
        """`entry` holds maps, or says why not."""
        self.assertNotEqual("maps" in entry, "unknown" in entry, entry)
        if "unknown" in entry:
            self.assertTrue(entry["unknown"])
            return
        for each in entry["maps"]:
            self.assertEqual(set(each) - {"across_devices"}, MAP)
            self.assertIsInstance(each["exact"], bool)
            self.check_map(each)
            if "across_devices" in each:
                self.assertEqual(set(each["across_devices"]), {"text", "runtime"})
                self.assertTrue(each["across_devices"]["text"].startswith("(device"))
                self.check_map(each["across_devices"])

    def check_map(self, entry):
        self.assertNotIn("\n", entry["text"])
        variables = []
        for runtime in entry["runtime"]:
            self.assertEqual(set(runtime), {"variable", "instruction", "text"})
            # The dimensions and ranges are those of the map.
            head = entry["text"].partition("{")[0]
            self.assertTrue(runtime["text"].startswith(head.rstrip()), (runtime["text"], head))
            variables.append(runtime["variable"])
        self.assertEqual(len(variables), len(set(variables)))

    def check_operand(self, entry):
        expected = {"operand", "name", "shape"} | ({"leaf"} if "leaf" in entry else set())
        self.assertEqual(set(entry) - {"maps", "unknown"}, expected)
        self.check_maps(entry)

    def check_instruction(self, entry):
        self.assertEqual(list(entry), ["name", "opcode", "computation", "shape", "o2i", "i2o"])
        for output in entry["o2i"]:
            self.assertEqual(list(output), ["output", "operands"])
            for operand in output["operands"]:
                self.check_operand(operand)
        for operand in entry["i2o"]:
            self.assertEqual(set(operand) - {"leaf"}, {"operand", "outputs"})
            for output in operand["outputs"]:
                self.assertEqual(set(output) - {"maps", "unknown"}, {"output"})
                self.check_maps(output)

    def module(self, path, *arguments):
        result = run("map", path, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        module = json.loads(result.stdout)
        self.assertEqual(list(module), ["module", "instructions"])
        return module

    def instruction(self, path, name):
        (found,) = self.module(path, "--instruction", name)["instructions"]
        return found

    def test_form(self):
        for path in sorted(EXAMPLES.glob("*.hlo")):
            with self.subTest(path.name):
                module = self.module(path)
                self.assertGreater(len(module["instructions"]), 1)
                for instruction in module["instructions"]:
                    self.check_instruction(instruction)

    def test_every_output_lists_every_operand(self):
        entry = self.instruction(EXAMPLES / "embedding.hlo", "out")
        self.assertEqual([output["output"] for output in entry["o2i"]], [[0], [1]])
        for i, output in enumerate(entry["o2i"]):
            self.assertEqual([operand["operand"] for operand in output["operands"]], [0, 1])
            # Each element of a tuple is one operand; the other is not read.
            self.assertEqual([len(operand["maps"]) for operand in output["operands"]], [1 - i, i])
        self.assertEqual([operand["operand"] for operand in entry["i2o"]], [0, 1])
        for i, operand in enumerate(entry["i2o"]):
            self.assertEqual([output["output"] for output in operand["outputs"]], [[0], [1]])
            self.assertEqual([len(output["maps"]) for output in operand["outputs"]], [1 - i, i])

    def test_leaves_of_tuples(self):
        entry = self.instruction(EXAMPLES / "heads.hlo", "second")
        (operand,) = entry["o2i"][0]["operands"]
        self.assertEqual(operand["leaf"], [1])
        self.assertEqual(operand["shape"], "f32[8,96,4,16]{3,2,1,0}")
        self.assertEqual([operand["leaf"] for operand in entry["i2o"]], [[1]])

    def test_runtime_variables(self):
        (operand, _) = self.instruction(EXAMPLES / "embedding.hlo", "rows")["o2i"][0]["operands"]
        (found,) = operand["maps"]
        self.assertEqual(
            found["runtime"],
            [
                {
                    "variable": "rt0",
                    "instruction": "ids",
                    "text": "(d0, d1, d2) -> (d0, 0), domain: d0 in [0, 5], d1 in [0, 0], d2 in [0, 31]",
                }
            ],
        )

    def test_layouts_are_given_where_the_program_leaves_them_out(self):
        text = "HloModule m\nENTRY e { ROOT p = (f32[2,3], s32[], token[]) parameter(0) }\n"
        result = run("map", "-", "--json", text=text)
        self.assertEqual(json.loads(result.stdout)["instructions"][0]["shape"], "(f32[2,3]{1,0}, s32[], token[])")

    def test_directions(self):
        for direction, other in (("o2i", "i2o"), ("i2o", "o2i")):
            for instruction in self.module(EXAMPLES / "heads.hlo", "--direction", direction)["instructions"]:
                self.assertIn(direction, instruction)
                self.assertNotIn(other, instruction)

    def test_operands_that_are_unknown_or_not_read(self):
        text = """HloModule m
ENTRY e { p = f32[4] parameter(0)
  c = f32[4] custom-call(p), custom_call_target="f"
  ROOT s = f32[0] slice(p), slice={[2:2]} }
"""
        result = run("map", "-", "--json", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        custom_call, empty = json.loads(result.stdout)["instructions"][1:]
        (operand,) = custom_call["o2i"][0]["operands"]
        self.assertIn("unknown", operand)
        self.assertIn("unknown", custom_call["i2o"][0]["outputs"][0])
        (operand,) = empty["o2i"][0]["operands"]
        self.assertEqual(operand["maps"], [])

    def test_stats(self):
        result = run("map", EXAMPLES / "heads.hlo", "--stats", "--json")
        stats = json.loads(result.stdout)
        self.assertEqual(list(stats), ["module", "instructions", "o2i", "i2o", "unknown", "ms"])
        self.assertEqual(list(stats["ms"]), ["parse", "verify", "analyse", "simplify"])
        module = self.module(EXAMPLES / "heads.hlo")
        self.assertEqual(stats["instructions"], len(module["instructions"]))
        maps = [
            each
            for instruction in module["instructions"]
            for output in instruction["o2i"]
            for operand in output["operands"]
            for each in operand["maps"]
        ]
        self.assertEqual(stats["o2i"]["exact"], sum(each["exact"] for each in maps))
        self.assertEqual(stats["o2i"]["over_approximate"], sum(not each["exact"] for each in maps))


class CorpusJson(unittest.TestCase):
    """Real programs, where they are there."""

    def test_form(self):
        folder = pathlib.Path(os.environ.get("MERCATOR_SHARED_DIR", "")) / "corpus"
        paths = sorted(folder.rglob("*.hlo")) if folder.is_absolute() else []
        if not paths:
            self.skipTest(f"no programs in {folder}")
        form = MapJson()
        for path in paths:
            with self.subTest(str(path.relative_to(folder))):
                module = form.module(path, "--all")
                for instruction in module["instructions"]:
                    form.check_instruction(instruction)


class SimplifyJson(unittest.TestCase):
    COST = ["div", "mod", "mul", "add", "minmax", "constraints"]

    def entries(self, text):
        result = run("simplify", "--json", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        entries = [json.loads(line) for line in result.stdout.splitlines()]
        for entry in entries:
            self.assertEqual(list(entry), ["input", "output", "changed", "cost_before", "cost_after", "ns"])
            self.assertEqual(list(entry["cost_before"]), self.COST)
            self.assertEqual(list(entry["cost_after"]), self.COST)
            self.assertGreater(entry["ns"], 0)
        return entries

    def test_a_map_and_an_expression(self):
        entries = self.entries(
            "(d0,  d1)\n -> (d0 mod 8), domain: d0 in [0, 7],\n d1 in [0, 3], d0 in [0, 6]\n---\n"
            "(d0 * 4 + d1) floordiv 8, domain: d0 in [0, 7], d1 in [0, 3]\n"
        )
        self.assertEqual(
            entries[0]["input"], "(d0, d1) -> (d0 mod 8), domain: d0 in [0, 7], d1 in [0, 3], d0 in [0, 6]"
        )
        self.assertEqual(entries[0]["output"], "(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [0, 3]")
        self.assertEqual(entries[0]["cost_before"]["mod"], 1)
        self.assertEqual(entries[0]["cost_before"]["constraints"], 1)
        self.assertEqual(set(entries[0]["cost_after"].values()), {0})
        self.assertEqual(entries[1]["output"], "d0 floordiv 2, domain: d0 in [0, 7], d1 in [0, 3]")
        self.assertTrue(entries[1]["changed"])

    def test_what_is_simple_does_not_change(self):
        (entry,) = self.entries("(d0) -> (d0 floordiv 3), domain: d0 in [0, 99]")
        self.assertFalse(entry["changed"])
        self.assertEqual(entry["cost_before"], entry["cost_after"])

    def test_certificates(self):
        domain = ", domain: x in [0, 9], y in [0, 9]"
        text = "\n---\n".join(
            [
                f"(x, y) -> ((x * 10 + y) floordiv 10){domain}",
                f"(x, y) -> (x * y){domain}",
                # The first runtime variable is dropped, the second one takes its default name.
                "(x){rt0, rt1} -> (x + rt1), domain: x in [0, 9], rt0 in [0, 4], rt1 in [0, 5]",
            ]
        )
        result = run("simplify", "--certify", "--json", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        entries = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([entry["certified"] for entry in entries], [True, "not quasi-affine", True])
        self.assertEqual(list(entries[0])[:4], ["input", "output", "changed", "certified"])

    def test_steps(self):
        text = "(d0 * 4 + d1) floordiv 8, domain: d0 in [0, 7], d1 in [0, 3]"
        result = run("simplify", "--explain", "--json", text=text)
        (step,) = json.loads(result.stdout)["steps"]
        self.assertEqual(step["rule"], "quotient-by-factor")
        self.assertEqual(step["before"], "(d0 * 4 + d1) floordiv 8")
        self.assertEqual(step["after"], "d0 floordiv 2")
        self.assertIn({"expr": "d1", "lo": 0, "hi": 3}, step["ranges"])

    def test_rules(self):
        result = run("simplify", "--rules", "--json")
        for line in result.stdout.splitlines():
            self.assertEqual(list(json.loads(line)), ["name", "algebra", "guard", "by_construction"])


if __name__ == "__main__":
    command.main()
