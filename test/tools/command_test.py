#!/usr/bin/env python3
"""Tests of how the command behaves: options, exit statuses, errors, inputs and outputs."""

import os
import re
import subprocess
import tempfile
import unittest

import command
from command import EXAMPLES, ROOT, run

SOFTMAX = EXAMPLES / "softmax.hlo"


class Usage(unittest.TestCase):
    def expect_usage_error(self, arguments, message, hint):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, arguments)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, f"{message}\nhint: {hint}\n")

    def test_version(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"\Amercator \d+\.\d+\.\d+\n\Z")
        self.assertEqual(result.stderr, "")

    def test_help_lists_the_verbs_and_each_has_an_example(self):
        listed = run("--help").stdout.partition("Verbs:\n")[2].partition("\n\n")[0]
        verbs = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
        self.assertIn("map", verbs)
        self.assertIn("simplify", verbs)
        for verb in verbs:
            result = run(verb, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stdout, rf"Example:\n  .*mercator {verb}")
            self.assertEqual(result.stderr, "")

    def test_wrong_usage(self):
        self.expect_usage_error([], "mercator: error: a verb is missing", "see 'mercator --help'")
        self.expect_usage_error(["mpa"], "mercator: error: unknown verb 'mpa'", "did you mean 'map'?")
        self.expect_usage_error(
            ["transmogrify"], "mercator: error: unknown verb 'transmogrify'", "see 'mercator --help'"
        )
        self.expect_usage_error(["map"], "mercator: error: FILE is required", "see 'mercator map --help'")
        self.expect_usage_error(
            ["map", "a.hlo", "b.hlo"], "mercator: error: unknown argument 'b.hlo'", "see 'mercator map --help'"
        )
        self.expect_usage_error(
            ["map", "--jsn", "a.hlo"], "mercator: error: unknown argument '--jsn'", "did you mean '--json'?"
        )
        self.expect_usage_error(
            ["map", "--direction", "up", "a.hlo"],
            "mercator: error: --direction: up not in {o2i,i2o,both}",
            "see 'mercator map --help'",
        )
        for number in ("-1", "x", "1.5", "99999999999999999999"):
            self.expect_usage_error(
                ["map", "--operand", number, "a.hlo"],
                f"mercator: error: --operand: '{number}' is not a number from 0",
                "see 'mercator map --help'",
            )


class Choice(unittest.TestCase):
    def names(self, *arguments):
        """The instructions that `map` lists."""
        result = run("map", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return re.findall(r"^(\S+) = ", result.stdout, re.MULTILINE)

    def test_lists_the_entry_computation_and_its_fusions(self):
        names = self.names(SOFTMAX)
        self.assertEqual(names[:2], ["logits", "softmax"])
        self.assertEqual(names[2], "x")
        self.assertEqual(names[-1], "quotient")
        self.assertNotIn("max", names)  # of a reducer

    def test_all_lists_every_computation(self):
        self.assertEqual(set(self.names(SOFTMAX, "--all")) - set(self.names(SOFTMAX)), {"a", "b", "max", "c", "d", "add"})

    def test_fusions_in_fusions_are_listed_once(self):
        text = """HloModule m
inner { x = f32[4] parameter(0)
  ROOT y = f32[4] negate(x) }
outer { u = f32[4] parameter(0)
  v = f32[4] fusion(u), kind=kLoop, calls=inner
  ROOT w = f32[4] fusion(v), kind=kLoop, calls=inner }
ENTRY e { p = f32[4] parameter(0)
  ROOT f = f32[4] fusion(p), kind=kLoop, calls=outer }
"""
        result = run("map", "-", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(re.findall(r"^(\S+) = ", result.stdout, re.MULTILINE), ["p", "f", "u", "v", "w", "x", "y"])

    def test_instructions_by_name_in_the_order_asked_for(self):
        self.assertEqual(
            self.names(SOFTMAX, "--instruction", "exp", "--instruction", "%softmax", "--instruction", "max"),
            ["exp", "softmax", "max"],
        )

    def test_an_instruction_that_does_not_exist(self):
        result = run("map", SOFTMAX, "--instruction", "softmx")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        self.assertEqual(
            result.stderr, f"{SOFTMAX}: error: no instruction 'softmx'\nhint: did you mean 'softmax'?\n"
        )

    def test_directions(self):
        self.assertNotIn("i2o", run("map", SOFTMAX, "--direction", "o2i").stdout)
        self.assertNotIn("o2i", run("map", SOFTMAX, "--direction", "i2o").stdout)
        both = run("map", SOFTMAX, "--direction", "both").stdout
        self.assertIn("o2i", both)
        self.assertIn("i2o", both)
        self.assertEqual(both, run("map", SOFTMAX).stdout)

    def test_operand_and_output(self):
        shifted = run("map", SOFTMAX, "--instruction", "shifted", "--operand", 1).stdout
        self.assertIn("operand 1", shifted)
        self.assertNotIn("operand 0", shifted)
        heads = EXAMPLES / "heads.hlo"
        second = run("map", heads, "--instruction", "fusion", "--output", 1).stdout
        self.assertIn("output {1}", second)
        self.assertNotIn("output {0}", second)

    def test_operand_and_output_that_do_not_exist(self):
        result = run("map", SOFTMAX, "--instruction", "softmax", "--operand", 1)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"{SOFTMAX}: error: no operand 1: 'softmax' has 1 operand\n")
        result = run("map", SOFTMAX, "--instruction", "softmax", "--output", 1)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"{SOFTMAX}: error: no output 1: 'softmax' has 1 output\n")

    def test_without_names_those_without_the_operand_are_left_out(self):
        self.assertEqual(self.names(SOFTMAX, "--operand", 1), ["row_max", "shifted", "row_sum", "quotient"])

    def test_grouped_is_for_fusions(self):
        self.assertEqual(self.names(SOFTMAX, "--grouped"), ["softmax"])
        result = run("map", SOFTMAX, "--grouped", "--instruction", "logits")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "")
        self.assertEqual(
            result.stderr, f"{SOFTMAX}: error: 'logits' is neither a fusion nor a call: nothing is inside\n"
        )

    def test_kernels_that_do_not_suit(self):
        self.assertEqual(self.names(SOFTMAX, "--kernel", "transpose"), [])
        result = run("map", SOFTMAX, "--kernel", "transpose", "--instruction", "softmax", "--json")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "")
        self.assertEqual(
            result.stderr, f"{SOFTMAX}: error: 'softmax' has nothing for a kernel of scheme 'transpose'\n"
        )

    def test_a_launch_that_suits_nothing(self):
        token = "HloModule m\nENTRY e { ROOT t = token[] after-all() }\n"
        large = 2**63 - 1

        def expect(message, *arguments, text=None):
            source = SOFTMAX if text is None else "-"
            name = source if text is None else "<stdin>"
            for form in ((), ("--json",)):
                result = run("map", source, *arguments, *form, text=text or "")
                self.assertEqual(result.returncode, 3, arguments)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr, f"{name}: error: {message}\n")

        threads = "a launch of more than 2^62 threads"
        for scheme in ("loop", "transpose", "row-reduction", "column-reduction", "concatenate"):
            expect(threads, "--kernel", scheme, "--threads", large)
            expect(threads, "--kernel", scheme, "--threads", f"{2**20},{2**20}", "--blocks", f"{2**20},{2**20}")
            expect(
                f"a launch whose threads take {large} elements each, more than 2^62 together",
                *("--kernel", scheme, "--threads", 1024, "--tile", 1024, "--vector", large),
            )
        expect(threads, "--kernel", "loop", "--threads", large, text=token)
        expect(threads, "--kernel", "loop", "--threads", large, "--instruction", "t", text=token)
        self.assertEqual(run("map", SOFTMAX, "--kernel", "loop", "--threads", 2**62).returncode, 0)
        expect(
            "no instruction suits this kernel; 'softmax': a block of 100 threads is not whole groups of 32",
            *("--kernel", "row-reduction", "--threads", 100),
        )
        expect(
            "no instruction suits this kernel; 'softmax': 64 groups of rows want as many blocks, not 1",
            *("--kernel", "row-reduction", "--threads", 32),
        )

    def test_what_no_instruction_has(self):
        for arguments, what in (
            (("--operand", 9), "operand 9"),
            (("--output", 1), "output 1"),
            (("--operand", 9, "--output", 1), "operand 9 and an output 1"),
        ):
            result = run("map", SOFTMAX, *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertEqual((result.stdout, result.stderr), ("", f"{SOFTMAX}: error: no instruction has an {what}\n"))

    def test_physical_maps_to_positions(self):
        text = """HloModule m
ENTRY e { p = f32[4,8]{0,1} parameter(0)
  ROOT c = f32[4,8]{1,0} copy(p) }
"""
        result = run("map", "-", "--physical", "--instruction", "c", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        o2i, i2o = re.findall(r"^    (.*)$", result.stdout, re.MULTILINE)
        domain = "domain: d0 in [0, 3], d1 in [0, 7]"
        self.assertEqual(o2i, f"(d0, d1) -> (d0 + d1 * 4), {domain}")
        self.assertEqual(i2o, f"(d0, d1) -> (d0 * 8 + d1), {domain}")


class Input(unittest.TestCase):
    def expect_input_error(self, text, message, verb="map"):
        result = run(verb, "-", text=text)
        self.assertEqual(result.returncode, 1, result.stderr[:500])
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, message)
        self.assertLess(len(result.stderr), 2000)
        for line in result.stderr.splitlines():
            self.assertRegex(line, r"\A[ -~\u00a0-\U0010ffff]*\Z")

    def test_standard_input_is_read_like_a_file(self):
        self.assertEqual(run("map", "-", text=SOFTMAX.read_text()).stdout, run("map", SOFTMAX).stdout)
        maps = EXAMPLES / "reshape.maps"
        self.assertEqual(run("simplify", text=maps.read_text()).stdout, run("simplify", maps).stdout)
        self.assertEqual(run("simplify", "-", text=maps.read_text()).stdout, run("simplify", maps).stdout)

    def test_files_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, why in ((f"{folder}/missing.hlo", "No such file or directory"), (folder, "Is a directory")):
                for verb in ("map", "simplify"):
                    result = run(verb, path)
                    self.assertEqual(result.returncode, 1)
                    self.assertEqual(result.stdout, "")
                    self.assertEqual(result.stderr, f"{path}: error: {why}\n")

    def test_an_error_shows_its_place(self):
        text = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] negat(p)\n}\n"
        result = run("map", "-", text=text)
        self.assertEqual(result.returncode, 1)
        lines = result.stderr.splitlines()
        self.assertRegex(lines[0], r"\A<stdin>:4:19: error: .*negat")
        self.assertEqual(lines[1], "  ROOT r = f32[4] negat(p)")
        self.assertRegex(lines[2], r"\A {18}\^")

    def test_custom_calls_from_a_file(self):
        program = (
            "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n"
            '  ROOT r = f32[4] custom-call(p), custom_call_target="mine"\n}\n'
        )
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/calls.json"

            def map_with(calls):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(calls)
                return run("map", "-", "--custom-calls", path, text=program)

            result = map_with('{"mine": [{"operand": 0, "map": "(d0) -> (-d0 + 3)"}]}')
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("o2i operand 0: p f32[4]{0}\n    (d0) -> (-d0 + 3), domain: d0 in [0, 3]\n", result.stdout)
            self.assertIn("(d0) -> (d0), domain", map_with('{"mine": "identity"}').stdout)
            self.assertIn("(d0) -> (d0), domain", map_with('{"mine": "elementwise"}').stdout)
            self.assertIn("is not known", map_with("{}").stdout)
            for calls, message in (
                ('{"mine": "identity"', r":1:\d+: error: this is not JSON"),
                ("[]", r":1:1: error: expected an object"),
                ('{\n "mine": 3}', r":2:2: error: 'mine' must be "),
                ('{"other": [{"operand": 0, "map": "mine"}],\n "mine": 3}', r':1:2: error: .other. has a \"map\" without ->'),
                ('{"other": "identity", "\\"mine\\"": "identity",\n "mine": 3}', r":2:2: error: 'mine' must be "),
                ('{"mine": "identity",\n "m\\u0069ne": "elementwise"}', r':2:2: error: "mine" stands at 1:2 already'),
                ('{"mine": [{"map": "(d0) -> (d0)"}]}', r":1:2: error: 'mine' has a map without the number"),
                ('{"mine": [{"operand": 0}]}', r":1:2: error: 'mine' has a map without its text"),
                ('{"mine": [{"operand": 0, "map": "(d0) -> (d9)"}]}', r":1:\d\d: error: .*d9"),
                ('{"mine": [{"operand": 0, "map": "d0 + 1"}]}', r'error: .*"map" without ->'),
                ('{"mine": [{"operand": 0, "map": "(d0){rt0} -> (rt0)"}]}', r"error: .*runtime variables"),
                ('{"mine": [{"operand": 0, "map": "(d0) -> (d0)", "x": 1}]}', r"error: .*unknown key 'x'"),
                ('{"mine": [{"operand": 0, "map": "(d0) -> (d0)", "leaf": "a"}]}', r"error: .*not a list of numbers"),
                ('{"mine": [{"operand": 0, "map": "(d0) -> (d0)", "exact": 1}]}', r"error: .*not a bool"),
            ):
                result = map_with(calls)
                self.assertEqual(result.returncode, 1, calls)
                self.assertRegex(result.stderr, re.escape(path) + ".*" + message)
                self.assertEqual(result.stdout, "")
            os.remove(path)
            result = run("map", "-", "--custom-calls", path, text=program)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, f"{path}: error: No such file or directory\n")

    def test_a_module_that_reads_but_means_nothing(self):
        text = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[5] negate(p)\n}\n"
        self.expect_input_error(text, r"\A<stdin>:4:\d+: error: ")

    def test_hostile_programs(self):
        module = "HloModule m\nENTRY e {{\n  p = {} parameter(0)\n  ROOT r = f32[4] negate({})\n}}\n"
        whole = SOFTMAX.read_bytes()
        hostile = {
            "empty": b"",
            "nul": b"\0" * 100,
            "binary": bytes(range(256)) * 100,
            "not utf-8": module.format("f32[4]", "p").encode().replace(b"p", b"\xff\xfe"),
            "huge number": module.format("f32[99999999999999999999]", "p").encode(),
            "nested braces": b"{" * 1_000_000,
            "nested tuple": module.format("(" * 1_000_000, "p").encode(),
            "cyclic": module.format("f32[4]", "r").encode(),
            "missing operand": module.format("f32[4]", "q").encode(),
            "missing computation": module.format("f32[4]", "p").replace("negate(p)", "call(p), to_apply=g").encode(),
            "escape sequences": b"HloModule m\x1b[2J\x07",
        }
        for size in range(200, len(whole) - 100, 97):
            hostile[f"cut at {size}"] = whole[:size]
        for name, text in hostile.items():
            with self.subTest(name):
                self.expect_input_error(text, r"\A<stdin>:\d+:\d+: error: ")

    def test_hostile_maps(self):
        for text in (
            "(d0) -> (d0",
            "(d0) -> (d1), domain: d0 in [0, 1]",
            "(d0) -> (d0), domain: d0 in [0, 99999999999999999999]",
            "(" * 1_000_000,
            "d0 " + "+ (d0 " * 100_000,
            "\x1b[2J",
            "\0",
            "(d0, d0) -> (d0)",
            "d0 floordiv 0",
        ):
            with self.subTest(text[:40]):
                self.expect_input_error(text, r"\A<stdin>:\d+:\d+: error: ", verb="simplify")

    def test_an_error_in_a_later_map_has_its_line_in_the_file(self):
        result = run("simplify", text="# one\n(d0) -> (d0), domain: d0 in [0, 1]\n---\n# two\n(d0) ->\n  (d0 +),\n")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("<stdin>:6:8: error: "), result.stderr)


class Output(unittest.TestCase):
    def test_a_full_disk_is_an_error(self):
        for arguments in (["map", SOFTMAX], ["simplify", EXAMPLES / "reshape.maps"], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                result = subprocess.run(
                    [command.program, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, "<stdout>: error: No space left on device\n")

    def test_a_closed_output_is_an_error(self):
        result = subprocess.run(
            ["bash", "-c", 'exec "$0" map "$1" >&-', command.program, SOFTMAX],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "<stdout>: error: Bad file descriptor\n")

    def test_a_reader_that_has_seen_enough_ends_it_quietly(self):
        for verb, path in (("map", EXAMPLES / "heads.hlo"), ("simplify", EXAMPLES / "reshape.maps")):
            read_end, write_end = os.pipe()
            os.close(read_end)
            try:
                result = subprocess.run(
                    [command.program, verb, path], stdout=write_end, stderr=subprocess.PIPE, text=True, check=False
                )
            finally:
                os.close(write_end)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, "")

    def test_is_the_same_on_every_run(self):
        for path in sorted(EXAMPLES.glob("*.hlo")):
            for form in ([], ["--json"]):
                self.assertEqual(run("map", path, *form).stdout, run("map", path, *form).stdout)


class Simplify(unittest.TestCase):
    def test_prints_what_it_reads(self):
        """Simplifying the output again changes nothing."""
        once = run("simplify", EXAMPLES / "reshape.maps")
        self.assertEqual(once.returncode, 0, once.stderr)
        twice = run("simplify", text=once.stdout)
        self.assertEqual(twice.returncode, 0, twice.stderr)
        self.assertEqual(once.stdout, twice.stdout)

    def test_comments_and_empty_entries(self):
        text = "# nothing\n---\n\n---\n  d0 mod 4,\n# in between\n  domain: d0 in [0, 3]\n---\n# the end"
        self.assertEqual(run("simplify", text=text).stdout, "d0, domain: d0 in [0, 3]\n")
        self.assertEqual(run("simplify", text="").stdout, "")

    def test_empty_domain(self):
        result = run("simplify", text="(d0) -> (d0), domain: d0 in [0, 3], d0 + 5 in [0, 1]")
        self.assertEqual(result.stdout, "KNOWN EMPTY\n")

    def test_rules_are_listed(self):
        names = re.findall(r"^(\S+)", run("simplify", "--rules").stdout, re.MULTILINE)
        self.assertGreater(len(names), 5)
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    assert ROOT.is_dir()
    command.main()
