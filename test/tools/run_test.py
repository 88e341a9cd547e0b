#!/usr/bin/env python3
"""Tests of `mercator run` and `mercator compile`."""

import ast
import json
import os
import pathlib
import pty
import signal
import struct
import subprocess
import tempfile
import unittest
import zipfile

import command
from command import EXAMPLES, run

try:
    import numpy
except ImportError:
    numpy = None

ADD = """HloModule sums
ENTRY main {
  x = s32[3] parameter(0)
  y = s32[3] parameter(1)
  sum = s32[3] add(x, y)
  product = s32[3] multiply(x, y)
  ROOT both = (s32[3], s32[3]) tuple(sum, product)
}
"""
ENDLESS = """HloModule endless
body {
  ROOT n = s32[] parameter(0)
}
condition {
  n = s32[] parameter(0)
  ROOT yes = pred[] constant(true)
}
ENTRY main {
  zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=condition, body=body
}
"""


def entry(lines):
    return f"HloModule m\nENTRY main {{\n{lines}\n}}\n"


def npy(kind, shape, *values, code=None):
    """A .npy file of version 1, of values that struct packs as `code`."""
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
    elements = struct.pack(f"<{len(values)}{code or {'<i4': 'i', '<f4': 'f', '<u2': 'H'}[kind]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + elements


def read_npy(data):
    """The type, the shape and the bytes of the elements of a .npy file."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10 : 10 + length].decode())
    assert (10 + length) % 64 == 0 and not header["fortran_order"]
    return header["descr"], header["shape"], data[10 + length :]


class WithFolder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def archive(self, name, entries, compression=zipfile.ZIP_STORED):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", compression) as file:
            for entry_name, data in entries.items():
                file.writestr(f"{entry_name}.npy", data)
        return path

    def ran(self, *arguments, **options):
        """Standard output of a run that must do well."""
        result = run("run", *arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def expect_error(self, status, message, *arguments, verb="run", **options):
        result = run(verb, *arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertEqual(result.stderr.splitlines()[0], message)
        return result


class Results(WithFolder):
    def test_literals(self):
        for lines, printed in (
            ("ROOT i = s32[2,3] iota(), iota_dimension=1", "s32[2,3] {{0, 1, 2}, {0, 1, 2}}"),
            ("ROOT c = f32[2] constant({0.1, -inf})", "f32[2] {0.1, -inf}"),
            ("ROOT c = pred[2] constant({1, 0})", "pred[2] {1, 0}"),
            ("ROOT c = pred[] constant(true)", "pred[] true"),
            ("ROOT c = bf16[] constant(1.5)", "bf16[] 1.5"),
            ("ROOT c = s4[2] constant({-8, 7})", "s4[2] {-8, 7}"),
            ("ROOT c = c64[1] constant({(1, -2)})", "c64[1] {(1, -2)}"),
            ("ROOT c = u8[0,3] constant({})", "u8[0,3] {}"),
        ):
            self.assertEqual(self.ran("-", text=entry(lines)), printed + "\n")

    def test_every_array_of_a_tuple_has_a_line(self):
        text = entry(
            "a = s8[] constant(1)\n b = u8[2] constant({2, 3})\n t = token[] after-all()\n"
            "n = (u8[2], token[]) tuple(b, t)\n ROOT r = (s8[], (u8[2], token[])) tuple(a, n)"
        )
        self.assertEqual(self.ran("-", text=text), "s8[] 1\nu8[2] {2, 3}\n")

    def test_large_arrays_are_shortened_in_the_middle(self):
        text = entry("ROOT i = s32[4,1000] iota(), iota_dimension=1")
        row = "{0, 1, 2, ..., 997, 998, 999}"
        self.assertEqual(self.ran("-", text=text), f"s32[4,1000] {{{row}, {row}, {row}, {row}}}\n")
        text = entry("ROOT i = s32[1000] iota(), iota_dimension=0")
        self.assertNotIn("...", self.ran("-", text=text))
        text = entry("ROOT i = u16[6,6,6,6,6,6] iota(), iota_dimension=0")
        self.assertLess(len(self.ran("-", text=text)), 10_000)

    def test_files(self):
        x = self.write("x.npy", npy("<i4", (3,), 1, 2, 3))
        y = self.write("y.npy", npy("<i4", (3,), 10, 20, 30))
        out, sums = self.folder / "out.npz", self.folder / "sum.npy"
        printed = self.ran("-", "--input", x, "--input", y, "--output", out, "--output", sums, text=ADD)
        self.assertEqual(printed, "")
        with zipfile.ZipFile(out) as file:
            self.assertEqual(file.namelist(), ["0.npy", "1.npy"])
            self.assertEqual(read_npy(file.read("1.npy")), ("<i4", (3,), struct.pack("<3i", 10, 40, 90)))
        self.assertEqual(read_npy(sums.read_bytes()), ("<i4", (3,), struct.pack("<3i", 11, 22, 33)))
        self.assertEqual(sorted(os.listdir(self.folder)), ["out.npz", "sum.npy", "x.npy", "y.npy"])

    def test_types_that_numpy_lacks(self):
        text = entry("p = bf16[2] parameter(0)\n q = s4[1] parameter(1)\n ROOT t = (bf16[2], s4[1]) tuple(p, q)")
        bits = npy("<u2", (2,), 0x3F80, 0xBFC0)
        void = bits.replace(b"<u2", b"<V2")
        out = self.folder / "out.npz"
        for entries in (
            {"0.bf16": bits, "1": npy("<V1", (1,), 0x0F, code="B")},
            {"p": void, "q.s4": npy("|u1", (1,), 0x0F, code="B")},
        ):
            inputs = self.archive("in.npz", entries, zipfile.ZIP_DEFLATED)
            self.assertEqual(self.ran("-", "--input", inputs, text=text), "bf16[2] {1, -1.5}\ns4[1] {-1}\n")
            self.ran("-", "--input", inputs, "--output", out, text=text)
            with zipfile.ZipFile(out) as file:
                self.assertEqual(file.namelist(), ["0.bf16.npy", "1.s4.npy"])
                self.assertEqual(read_npy(file.read("0.bf16.npy")), read_npy(bits_padded(bits)))
                self.assertEqual(read_npy(file.read("1.s4.npy")), ("|u1", (1,), b"\x0f"))
        files = ("--output", self.folder / "p.npy", "--output", self.folder / "q.npy")
        self.ran("-", "--input", inputs, *files, text=text)
        self.assertEqual(read_npy((self.folder / "p.npy").read_bytes())[0], "<V2")

    def test_f8e5m2_as_ml_dtypes_saves_it(self):
        text = entry("p = f8e5m2[2] parameter(0)\n ROOT c = f8e5m2[2] copy(p)")
        data = npy("<f1", (2,), 0x3C, 0xC1, code="B")
        for path in (self.write("x.npy", data), self.archive("x.npz", {"p": data})):
            self.assertEqual(self.ran("-", "--input", path, text=text), "f8e5m2[2] {1, -2.5}\n")

    def test_a_result_that_cannot_be_written(self):
        text = entry("ROOT c = u8[2] constant({1, 2})")
        out = self.folder / "none" / "out"
        for name in (f"{out}.npy", f"{out}.npz"):
            self.expect_error(1, f"{name}: error: No such file or directory", "-", "--output", name, text=text)
        self.expect_error(
            1, "/dev/full: error: No space left on device", "-", "--output", "/dev/full", text=text
        )
        self.expect_error(
            2, "mercator: error: --output names 2 files for 1 results", "-", "--output", "a", "--output", "b", text=text
        )

    def test_no_result_is_lost(self):
        text = entry(
            "a = u8[] constant(1)\n  b = u8[] constant(2)\n  ROOT t = (u8[], u8[]) tuple(a, b)"
        )
        one = self.folder / "one.npy"
        self.expect_error(
            2, "mercator: error: --output names 1 files for 2 results", "-", "--output", one, text=text
        )
        self.expect_error(
            2,
            f"mercator: error: --output names '{one}' twice",
            *("-", "--output", one, "--output", one),
            text=text,
        )
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_no_file_is_replaced_where_another_cannot_be_written(self):
        first = self.write("first.npy", "what was there before")
        folder = self.folder / "folder"
        folder.mkdir()
        here = sorted(os.listdir(self.folder))
        for second, reason in (
            (self.folder / "none" / "second.npy", "No such file or directory"),
            (self.folder / "none" / "all.npz", "No such file or directory"),
            ("/dev/full", "No space left on device"),
            (folder, "Is a directory"),
        ):
            for outputs in ((first, second), (second, first)):
                outputs = ["--output", outputs[0], "--output", outputs[1]]
                self.expect_error(1, f"{second}: error: {reason}", "-", "--random", "1", *outputs, text=ADD)
                self.assertEqual(first.read_text(), "what was there before")
                self.assertEqual(sorted(os.listdir(self.folder)), here)

    def test_a_full_disk_leaves_what_was_there(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            self.skipTest("only root can mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        text = entry("ROOT i = u8[100000] iota(), iota_dimension=0")
        for name in ("out.npy", "out.npz"):
            out = disk / name
            out.write_bytes(b"before")
            result = self.expect_error(
                1, f"{out}: error: No space left on device", "-", "--output", out, text=text
            )
            self.assertEqual(out.read_bytes(), b"before")
        self.expect_error(
            1, f"{disk}/m.mcx: error: No space left on device", "-", "-o", disk / "m.mcx", verb="compile",
            text=entry("ROOT c = u8[100000] constant({" + ", ".join(["1", "2"] * 50000) + "})"),
        )
        self.assertEqual(sorted(os.listdir(disk)), ["out.npy", "out.npz"])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_round_trip_with_numpy(self):
        arrays = [
            numpy.arange(6).reshape(2, 3).astype(kind)
            for kind in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
        ]
        types = "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split()
        parameters = "\n".join(f"p{i} = {t}[2,3] parameter({i})" for i, t in enumerate(types))
        shapes = ", ".join(f"{t}[2,3]" for t in types)
        names = ", ".join(f"p{i}" for i in range(len(types)))
        text = entry(f"{parameters}\n ROOT t = ({shapes}) tuple({names})")
        out = self.folder / "out.npz"
        for save in (numpy.savez, numpy.savez_compressed):
            for change in (
                lambda a: a,
                numpy.asfortranarray,
                lambda a: a.astype(a.dtype.newbyteorder(">")),
            ):
                save(self.folder / "in.npz", *[], **{str(i): change(a) for i, a in enumerate(arrays)})
                self.ran("-", "--input", self.folder / "in.npz", "--output", out, text=text)
                with numpy.load(out) as results:
                    for i, array in enumerate(arrays):
                        numpy.testing.assert_array_equal(results[str(i)], array)
                        self.assertEqual(results[str(i)].dtype, array.dtype)


def bits_padded(data):
    """The same .npy with a header as long as numpy's."""
    kind, shape, elements = "<u2", (2,), data[-4:]
    header = repr({"descr": kind, "fortran_order": False, "shape": shape})
    header = header.ljust(128 - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + elements


class Arguments(WithFolder):
    def test_what_is_not_wanted(self):
        x = npy("<i4", (3,), 1, 2, 3)
        for data, message in (
            (npy("<i4", (2,), 1, 2), "it holds s32[2], where argument 0 'x' is s32[3]"),
            (npy("<f4", (3,), 1, 2, 3), "it holds f32[3], where argument 0 'x' is s32[3]"),
            (x[:-1], "it is cut short: it has 11 of the 12 bytes of the elements"),
            (x + b"x", "it goes on after the 12 bytes of its elements"),
            (b"", "it is cut short: it has 0 of the 8 bytes of the start of a .npy"),
            (b"no numbers", "it is not a .npy file"),
        ):
            path = self.write("x.npy", data)
            self.expect_error(1, f"{path}: error: {message}", "-", "--input", path, text=ADD)
        path = self.write("x.npy", x)
        self.expect_error(
            1, f"{path}: error: it is one argument too many: the program has 2",
            "-", "--input", path, "--input", path, "--input", path, text=ADD,
        )
        for entries, message in (
            ({"0": x, "2": x}, "entry '2' is no argument of the program, which has 2"),
            ({"z": x}, "entry 'z' is no argument of the program, which has 2"),
            ({"0": x, "x": x}, "entry 'x': argument 0 is given twice"),
            ({"0.bf16": x}, "entry '0.bf16' holds bf16, where argument 0 'x' is s32[3]"),
            ({"0": x[:-1]}, "entry '0': it is cut short: it has 11 of the 12 bytes of the elements"),
        ):
            path = self.archive("in.npz", entries)
            self.expect_error(1, f"{path}: error: {message}", "-", "--input", path, text=ADD)
        path = self.write("in.npz", b"no archive")
        self.expect_error(
            1, f"{path}: error: it is not a zip archive, or not all of one", "-", "--input", path, text=ADD
        )

    def test_what_is_not_given(self):
        x = self.write("x.npy", npy("<i4", (3,), 1, 2, 3))
        result = self.expect_error(
            2, "mercator: error: argument 1 'y' is s32[3], and is not given", "-", "--input", x, text=ADD
        )
        self.assertIn("hint: give it by --input, or draw it by --random\n", result.stderr)

    def test_random_arguments(self):
        x = self.write("x.npy", npy("<i4", (3,), 100, 200, 300))
        once = self.ran("-", "--input", x, "--random", "1", text=ADD)
        self.assertEqual(once, self.ran("-", "--input", x, "--random", "1", text=ADD))
        self.assertNotEqual(once, self.ran("-", "--input", x, "--random", "2", text=ADD))
        self.assertRegex(once, r"^s32\[3\] \{10\d, 20\d, 30\d\}\n")

    def test_a_bomb_is_not_unpacked(self):
        path = self.archive("in.npz", {"0": npy("<i4", (3,), 1, 2, 3) + bytes(10**8)}, zipfile.ZIP_DEFLATED)
        self.expect_error(
            1, f"{path}: error: entry '0': it goes on after the 12 bytes of its elements",
            "-", "--input", path, text=ADD,
        )


class Checks(WithFolder):
    def test_expected_results(self):
        x = self.write("x.npy", npy("<i4", (3,), 1, 2, 3))
        y = self.write("y.npy", npy("<i4", (3,), 10, 20, 30))
        inputs = ["--input", x, "--input", y]
        right = npy("<i4", (3,), 11, 22, 33)
        same = self.archive("same.npz", {"0": right, "1": npy("<i4", (3,), 10, 40, 90)})
        self.assertEqual(
            self.ran("-", *inputs, "--expect", same, text=ADD),
            "result 0 s32[3]: all 3 as expected, exactly\nresult 1 s32[3]: all 3 as expected, exactly\n",
        )
        other = self.archive("other.npz", {"0": right, "1": npy("<i4", (3,), 10, 41, 0)})
        result = run("run", "-", *inputs, "--expect", other, text=ADD)
        self.assertEqual((result.returncode, result.stderr), (4, ""))
        self.assertEqual(
            result.stdout,
            "result 0 s32[3]: all 3 as expected, exactly\n"
            "result 1 s32[3]: 2 of 3 are not as expected, exactly\n"
            "  [2]: 90, where 0 is expected\n"
            "  [1]: 40, where 41 is expected: by 0.0244 of it\n",
        )
        wrong = self.write("wrong.npy", npy("<f4", (3,), 1, 2, 3))
        self.expect_error(
            1, f"{wrong}: error: it holds f32[3], where result 0 is s32[3]", "-", *inputs, "--expect", wrong, text=ADD
        )

    def test_something_is_expected_of_every_result(self):
        inputs = ["--random", "1"]
        nothing = self.archive("nothing.npz", {})
        missing = "mercator: error: result {} is s32[3], and is not given"
        result = self.expect_error(2, missing.format(0), "-", *inputs, "--expect", nothing, text=ADD)
        self.assertIn(missing.format(1) + "\n", result.stderr)
        self.assertIn("hint: give what is expected of it by --expect\n", result.stderr)
        first = self.write("first.npy", npy("<i4", (3,), 0, 0, 0))
        self.expect_error(2, missing.format(1), "-", *inputs, "--expect", first, text=ADD)
        second = self.archive("second.npz", {"1": npy("<i4", (3,), 0, 0, 0)})
        result = run("run", "-", *inputs, "--expect", first, "--expect", second, text=ADD)
        self.assertEqual((result.returncode, result.stderr), (4, ""))
        self.assertEqual(self.ran("-", "--expect", nothing, text=entry("ROOT t = () tuple()")), "")

    def test_tolerance(self):
        # A product rounds once: 4 * 2^-24 is allowed, and no more.
        text = entry("x = f32[1] parameter(0)\n ROOT r = f32[1] multiply(x, x)")
        x = self.write("x.npy", npy("<f4", (1,), 1.0))
        near = self.write("near.npy", npy("<f4", (1,), 1 + 2**-23))
        self.assertEqual(
            self.ran("-", "--input", x, "--expect", near, text=text),
            "result 0 f32[1]: all 1 as expected, within 2.38e-07; off by up to 1.19e-07\n",
        )
        far = self.write("far.npy", npy("<f4", (1,), 1 + 2**-21))
        result = run("run", "-", "--input", x, "--expect", far, text=text)
        self.assertEqual(result.returncode, 4)
        self.assertEqual(
            result.stdout,
            "result 0 f32[1]: 1 of 1 are not as expected, within 2.38e-07\n"
            "  [0]: 1, where 1.0000005 is expected: by 4.77e-07 of it, 4 ulps\n",
        )

    def test_check_with_the_interpreter(self):
        printed = self.ran(EXAMPLES / "distances.hlo", "--random", "1", "--check")
        self.assertRegex(printed, r"^result 0 f32\[4,4\]: all 16 as expected, within [0-9.e-]+\n$")


    def test_what_the_program_drops_is_not_checked(self):
        text = entry(
            'a = f32[2] constant({1, 2})\n u = f32[2] custom-call(a), custom_call_target="nobody"\n'
            "ROOT d = f32[2] add(a, a)"
        )
        self.assertEqual(
            self.ran("-", "--check", text=text), "result 0 f32[2]: all 2 as expected, within 2.38e-07\n"
        )


class Options(WithFolder):
    def test_times(self):
        line = self.ran(EXAMPLES / "distances.hlo", "--random", "1", "--time", "--threads", "2")
        times = json.loads(line)
        self.assertEqual(
            list(times), ["engine", "compile_ms", "run_ms", "median_ms", "runs", "threads", "peak_temp_bytes"]
        )
        self.assertEqual((times["engine"], times["threads"]), ("interpreter", 2))
        self.assertGreaterEqual(times["runs"], 5)
        self.assertGreaterEqual(times["median_ms"], times["run_ms"])
        self.assertGreater(times["peak_temp_bytes"], 0)
        self.assertEqual(line.count("\n"), 1)

    def test_statistics(self):
        cache = self.folder / "cache"
        for hits in (0, 1):
            printed = self.ran(EXAMPLES / "distances.hlo", "--random", "1", "--stats", "--cache", cache)
            self.assertRegex(printed, r"(?m)^subgraphs +1$")
            self.assertRegex(printed, r"(?m)^  interpreter +1   instructions +\d+   run +[\d.]+ ms$")
            self.assertRegex(printed, rf"(?m)^compiled +{1 - hits}$")
            self.assertRegex(printed, rf"(?m)^  before, on disk +{hits}$")
            self.assertRegex(printed, r"(?m)^peak memory +\d+ bytes besides arguments$")

    def test_the_cache_has_a_limit(self):
        cache = self.folder / "cache"
        for i in range(10):
            self.ran("-", "--cache", cache, "--cache-size", "2K", text=entry(f"ROOT c = s32[] constant({i})"))
        entries = [path.stat().st_size for path in cache.iterdir()]
        self.assertGreater(len(entries), 1)
        self.assertLess(len(entries), 10)
        self.assertLessEqual(sum(entries), 2048)
        text = entry("ROOT c = s32[] constant(1)")
        self.expect_error(2, "mercator: error: --cache-size requires --cache", "-", "--cache-size", "2K", text=text)
        for wrong in ("-1", "x", "2Q"):
            result = run("run", "-", "--cache", cache, f"--cache-size={wrong}", text=text)
            self.assertEqual(result.returncode, 2, wrong)

    def test_engines(self):
        once = self.ran(EXAMPLES / "distances.hlo", "--random", "1")
        self.assertEqual(self.ran(EXAMPLES / "distances.hlo", "--random", "1", "--engine", "interpreter"), once)
        result = run("run", EXAMPLES / "distances.hlo", "--random", "1", "--engine", "interpeter")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'interpeter'", result.stderr)

    def test_memory(self):
        text = entry("ROOT i = u8[100000] iota(), iota_dimension=0")
        self.ran("-", "--memory", "1M", text=text)
        result = run("run", "-", "--memory", "10K", text=text)
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("<stdin>:3:6: error: 'i': 100000 bytes do not fit in memory", result.stderr)
        huge = entry("ROOT i = u8[1000000,1000000,1000000] iota(), iota_dimension=0")
        result = run("run", "-", text=huge)
        self.assertEqual(result.returncode, 3)
        self.assertIn("<stdin>:3:6: error: 'i': ", result.stderr)

    def interrupt(self, *arguments, text=None):
        """What the command writes to standard error when it is interrupted after a second; with a text on
        standard input, which stays open without one."""
        with subprocess.Popen(
            [command.program, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # Tests that run in the background may have it turned off.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            if text is not None:
                process.stdin.write(text.encode())
                process.stdin.close()
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            process.send_signal(signal.SIGINT)
            try:
                self.assertEqual(process.wait(timeout=60), 130)
            finally:
                process.kill()
            self.assertEqual(process.stdout.read(), b"")
            return process.stderr.read().decode()

    def test_an_interrupt_ends_the_run(self):
        self.assertIn("interrupted", self.interrupt("run", "-", "--output", self.folder / "out.npz", text=ENDLESS))
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_interrupt_ends_the_drawing_of_arguments(self):
        # They would take some minutes.
        text = entry("p = f64[200000000] parameter(0)\n ROOT c = u8[] constant(1)")
        self.assertEqual(self.interrupt("run", "-", "--random", "1", text=text), "mercator: error: interrupted\n")

    def test_an_interrupt_ends_the_wait_for_a_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        model = self.write("model.hlo", ADD)
        before = self.write("sum.npy", "what was there before")
        here = sorted(os.listdir(self.folder))
        for arguments in (
            ["run", "-"],
            ["run", pipe],
            ["run", model, "--input", pipe],
            ["run", model, "--random", "1", "--output", before, "--output", pipe],
            ["run", model, "--random", "1", "--output", pipe, "--output", before],
            ["compile", model, "-o", pipe],
        ):
            with self.subTest(arguments=arguments):
                self.assertIn("error: interrupted", self.interrupt(*arguments))
                self.assertEqual(before.read_text(), "what was there before")
                self.assertEqual(sorted(os.listdir(self.folder)), here)

    def test_pipes_give_and_take_what_files_do(self):
        model = self.write("model.hlo", ADD)
        given, taken = self.folder / "given", self.folder / "taken"
        os.mkfifo(given)
        os.mkfifo(taken)
        argument = npy("<i4", (3,), 1, 2, 3)
        with subprocess.Popen(
            [command.program, "run", model, "--input", given, "--random", "1", "--output", self.folder / "sum.npy",
             "--output", taken]
        ) as process:
            given.write_bytes(argument)
            product = taken.read_bytes()
            self.assertEqual(process.wait(timeout=60), 0)
        self.ran(model, "--input", self.write("x.npy", argument), "--random", "1", "--output", self.folder / "s.npy",
                 "--output", self.folder / "p.npy")
        self.assertEqual(product, (self.folder / "p.npy").read_bytes())
        self.assertEqual((self.folder / "sum.npy").read_bytes(), (self.folder / "s.npy").read_bytes())

    def test_messages_that_cannot_be_written_are_dropped(self):
        model = self.write("model.hlo", entry("ROOT c = u8[] constant(1)"))
        no_folder = self.write("file", "")
        for options in ({"stderr": subprocess.PIPE}, {"stderr": open("/dev/full", "wb")},
                        {"preexec_fn": lambda: os.close(2)}):
            result = subprocess.run(
                [command.program, "run", model, "--cache", no_folder / "x"],
                stdout=subprocess.PIPE, check=False, **options,
            )
            self.assertEqual((result.returncode, result.stdout), (0, b"u8[] 1\n"))
            if options.get("stderr") == subprocess.PIPE:
                self.assertIn(b"mercator: warning: ", result.stderr)
            elif "stderr" in options:
                options["stderr"].close()

    def test_a_terminal_is_told_how_long_it_takes(self):
        terminal, end = pty.openpty()
        process = subprocess.Popen(
            [command.program, "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=end
        )
        process.stdin.write(ENDLESS.encode())
        process.stdin.close()
        os.close(end)
        shown = b""
        while b"running: 1 s" not in shown:
            shown += os.read(terminal, 1000)
        process.kill()
        process.wait()
        os.close(terminal)

    def test_numbers_out_of_range_are_refused(self):
        text = entry("ROOT c = u8[] constant(1)")
        for option, value, reason in (
            ("--threads", "0", "'0' is no whole number from 1 to 1024"),
            ("--threads", "4x", "'4x' is no whole number from 1 to 1024"),
            ("--random", "-1", "'-1' is no whole number from 0 to 18446744073709551615"),
            ("--seed", "18446744073709551616", "'18446744073709551616' is no whole number from 0 to 18446744073709551615"),
        ):
            self.expect_error(2, f"mercator: error: {option}: {reason}", "-", f"{option}={value}", text=text)
        self.assertEqual(run("run", "-", "--memory=-1", text=text).returncode, 2)
        self.assertEqual(run("run", "-", "--memory=0", text=text).returncode, 3)

    def test_closed_standard_input_is_an_error(self):
        result = subprocess.run(
            ["sh", "-c", f"exec '{command.program}' run - <&-"], capture_output=True, timeout=60, check=False
        )
        self.assertEqual(
            (result.returncode, result.stderr), (1, b"<stdin>: error: Bad file descriptor\n")
        )

    def test_which_of_several_devices_is_not_known(self):
        text = "HloModule m, replica_count=4\nENTRY main {\n  ROOT r = u32[] replica-id()\n}\n"
        result = run("run", "-", text=text)
        self.assertEqual(result.returncode, 3)
        self.assertIn("the program runs on one of 4 replicas, and which one is not said", result.stderr)

    def test_what_is_not_supported_is_named_with_its_place(self):
        text = entry('ROOT c = f32[] custom-call(), custom_call_target="nobody"')
        result = run("run", "-", text=text)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"^<stdin>:3:\d+: error: 'c': .*nobody")


class Artifacts(WithFolder):
    def compiled(self, *arguments, **options):
        path = self.folder / "model.mcx"
        result = run("compile", *arguments, "-o", path, **options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return path

    def test_an_artifact_runs_as_its_module_does(self):
        once = self.ran(EXAMPLES / "distances.hlo", "--random", "1")
        artifact = self.compiled(EXAMPLES / "distances.hlo")
        self.assertEqual(self.ran(artifact, "--random", "1"), once)
        self.assertEqual(self.ran("-", "--random", "1", text=artifact.read_bytes()), once)
        self.expect_error(
            2, "mercator: error: an artifact was compiled for the engines that it has: --engine has no meaning",
            artifact, "--engine", "interpreter",
        )
        self.expect_error(
            2, "mercator: error: an artifact was compiled for the engines that it has: --cache has no meaning",
            artifact, "--cache", self.folder / "cache",
        )

    def test_damage_is_seen(self):
        artifact = self.compiled(EXAMPLES / "distances.hlo")
        whole = artifact.read_bytes()
        for place in range(0, len(whole), 97):
            for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
                artifact.write_bytes(damaged)
                result = run("run", artifact, "--random", "1")
                self.assertEqual((result.returncode, result.stdout), (1, ""), place)
                self.assertIn(f"{artifact}:", result.stderr)

    def test_a_wrong_module_writes_nothing(self):
        path = self.folder / "model.mcx"
        result = run("compile", "-", "-o", path, text="HloModule m\n")
        self.assertEqual(result.returncode, 1)
        self.assertFalse(path.exists())


class Corpus(WithFolder):
    """What XLA computed for the programs of the corpus, in all the forms in which they are there."""

    def test_results_are_those_of_xla(self):
        corpus = pathlib.Path(os.environ.get("MERCATOR_SHARED_DIR", ""), "corpus", "run")
        folders = sorted(path.parent for path in corpus.glob("*/in.npz"))
        if not folders:
            self.skipTest(f"{corpus} is not there")
        for folder in folders:
            for form in ("before.hlo", "before.hlo.pb", "module.mlir", "after.hlo"):
                with self.subTest(f"{folder.name}/{form}"):
                    result = run(
                        "run", folder / form, "--input", folder / "in.npz", "--expect", folder / "out.npz"
                    )
                    self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)


if __name__ == "__main__":
    command.main()
