#!/usr/bin/env python3
"""Tests of `mercator cost`."""

import json
import os
import pathlib
import tempfile
import unittest

import command
from command import EXAMPLES, run

SHARED = pathlib.Path(os.environ.get("MERCATOR_SHARED_DIR", ""))
TRANSPOSED = EXAMPLES / "transposed.hlo"

# The program of the design: both operands are read whole, one of them across.
ADD = """HloModule m
f {
  p0 = f32[1024,2048]{1,0} parameter(0)
  p1 = f32[2048,1024]{1,0} parameter(1)
  t = f32[1024,2048]{1,0} transpose(p1), dimensions={1,0}
  ROOT s = f32[1024,2048]{1,0} add(p0, t)
}
ENTRY e {
  p0 = f32[1024,2048]{1,0} parameter(0)
  p1 = f32[2048,1024]{1,0} parameter(1)
  ROOT fusion = f32[1024,2048]{1,0} fusion(p0, p1), kind=kLoop, calls=f
}
"""


DEVICE_RATES = (
    "memory_bytes_per_second",
    "f64_flops",
    "f32_flops",
    "f16_flops",
    "int32_ops",
    "tensor_f64_flops",
    "tensor_f32_flops",
    "tensor_f16_flops",
    "tensor_f8_flops",
    "tensor_s8_ops",
)


class Cost(unittest.TestCase):
    maxDiff = None

    def cost(self, path, *arguments, text=""):
        result = run("cost", path, "--json", *arguments, text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def instruction(self, cost, name):
        (found,) = [each for each in cost["instructions"] if each["name"] == name]
        return found

    def least(self, value):
        return value[0] if isinstance(value, list) else value

    def most(self, value):
        return value[1] if isinstance(value, list) else value

    def check_access(self, entry):
        if "sectors_per_warp" not in entry:
            self.assertNotIn("coalesced", entry)
            return
        self.assertLessEqual(self.least(entry["sectors_per_warp"]), self.most(entry["sectors_per_warp"]))
        self.assertLessEqual(self.least(entry["ideal_sectors_per_warp"]), self.most(entry["sectors_per_warp"]))
        self.assertIsInstance(entry["coalesced"], bool)
        self.assertIn(entry["vector_width"], (1, 2, 4, 8, 16, 32))
        if self.most(entry["sectors_per_warp"]) > 0:
            self.assertTrue(entry["why"])

    def check_form(self, cost):
        self.assertEqual(list(cost), ["module", "device", "total", "instructions"])
        self.assertGreater(cost["total"]["time_us"], 0)
        time, flops, written = 0.0, 0, 0
        for each in cost["instructions"]:
            time += each["time_us"] * each["times"]
            flops += each["flops"] * each["times"]
            written += each["bytes_written"] * each["times"]
            self.assertTrue(each["limited_by"])
            self.assertEqual(each["limited_by"] == "nothing", each["time_us"] == 0, each)
            for operand in each["operands"]:
                self.assertLessEqual(self.most(operand["elements_read"]), operand["elements"])
                self.assertEqual(
                    "reason" in operand,
                    isinstance(operand["elements_read"], list) or isinstance(operand["reads"], list),
                )
                self.check_access(operand)
            for output in each["outputs"]:
                self.check_access(output)
        self.assertEqual(cost["total"]["flops"], flops)
        self.assertEqual(cost["total"]["bytes_written"], written)
        self.assertAlmostEqual(cost["total"]["time_us"], time, delta=1e-9 * time)

    def test_form(self):
        for path in sorted(EXAMPLES.glob("*.hlo")):
            with self.subTest(path.name):
                self.check_form(self.cost(path))

    def test_form_of_programs(self):
        paths = sorted((SHARED / "corpus" / "hlo").glob("*.hlo"))
        if not paths:
            self.skipTest("there is no folder of programs")
        for path in paths:
            with self.subTest(path.name):
                self.check_form(self.cost(path))

    def test_an_operand_that_is_read_across(self):
        # Long enough on both sides for a tile in shared memory, which reads it along its rows.
        fusion = self.instruction(self.cost("-", text=ADD), "fusion")
        self.assertEqual(fusion["kernel"]["scheme"], "transpose")
        self.assertEqual(fusion["flops"], 2097152)
        self.assertEqual(fusion["bytes_read"], 16777216)
        self.assertEqual(fusion["bytes_written"], 8388608)
        self.assertEqual([operand["coalesced"] for operand in fusion["operands"]], [True, True])
        self.assertEqual([operand["utilisation"] for operand in fusion["operands"]], [1.0, 1.0])
        # 8 MiB twice and once, at 2039 GB/s.
        self.assertAlmostEqual(fusion["time_us"], 3 * 8388608 / 2039e3, places=6)
        self.assertEqual(fusion["limited_by"], "memory")

        both = self.instruction(self.cost(TRANSPOSED), "both")
        left, right = both["operands"]
        self.assertEqual((left["sectors_per_warp"], left["coalesced"]), (4.0, True))
        self.assertEqual((right["sectors_per_warp"], right["ideal_sectors_per_warp"]), (32.0, 4.0))
        self.assertFalse(right["coalesced"])
        self.assertEqual(right["why"], "neighbouring threads read 32 bytes apart")
        self.assertEqual(both["limited_by"], "uncoalesced read of operand 1")

    def test_loops_count_their_rounds(self):
        text = """HloModule m
body {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[64] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[64] negate(x)
  ROOT r = (s32[], f32[64]) tuple(j, y)
}
condition {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[64] parameter(0)
  s = (s32[], f32[64]) tuple(zero, x)
  ROOT w = (s32[], f32[64]) while(s), condition=condition, body=body
}
"""
        cost = self.cost("-", text=text)
        self.assertEqual(self.instruction(cost, "y")["times"], 10)
        self.assertEqual(self.instruction(cost, "w")["times"], 1)
        # 10 rounds of 64 negations and an addition. The comparison ends the loop, too.
        self.assertEqual(self.instruction(cost, "c")["times"], 11)
        self.assertEqual(cost["total"]["flops"], 10 * 65 + 11)

    def test_rounds_of_loops_in_loops(self):
        text = """HloModule m
inner {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[64] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[64] negate(x)
  ROOT r = (s32[], f32[64]) tuple(j, y)
}
below_four {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  four = s32[] constant(4)
  ROOT c = pred[] compare(i, four), direction=LT
}
outer {
  u = (s32[], f32[64]) parameter(0)
  k = s32[] get-tuple-element(u), index=0
  z = f32[64] get-tuple-element(u), index=1
  start = s32[] constant(0)
  s = (s32[], f32[64]) tuple(start, z)
  w = (s32[], f32[64]) while(s), condition=below_four, body=inner
  v = f32[64] get-tuple-element(w), index=1
  unit = s32[] constant(1)
  l = s32[] add(k, unit)
  ROOT q = (s32[], f32[64]) tuple(l, v)
}
below_three {
  u = (s32[], f32[64]) parameter(0)
  k = s32[] get-tuple-element(u), index=0
  three = s32[] constant(3)
  ROOT d = pred[] compare(k, three), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[64] parameter(0)
  s = (s32[], f32[64]) tuple(zero, x)
  ROOT o = (s32[], f32[64]) while(s), condition=below_three, body=outer
}
"""
        cost = self.cost("-", text=text)
        times = {name: self.instruction(cost, name)["times"] for name in ("o", "w", "l", "d", "y", "c")}
        # Each of the 3 rounds of the outer loop asks the condition of the inner one 5 times.
        self.assertEqual(times, {"o": 1, "w": 3, "l": 3, "d": 4, "y": 12, "c": 15})

    def test_updates_in_place(self):
        text = """HloModule m
f {
  cache = f32[1024,512] parameter(0)
  row = f32[1,512] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  n = f32[1,512] negate(row)
  ROOT u = f32[1024,512] dynamic-update-slice(cache, n, i, zero)
}
ENTRY e {
  cache = f32[1024,512] parameter(0)
  row = f32[1,512] parameter(1)
  i = s32[] parameter(2)
  ROOT x = f32[1024,512] fusion(cache, row, i), kind=kLoop, calls=f
}
"""
        update = self.instruction(self.cost("-", text=text), "x")
        self.assertEqual(update["bytes_written"], 2048)
        self.assertEqual(update["bytes_read"], 2048 + 4)
        self.assertTrue(update["outputs"][0]["in_place"])
        self.assertEqual(update["operands"][0]["elements_read"], 1023 * 512)
        # The old array is needed besides.
        both = text.replace("ROOT u", "u").replace("(cache, n, i, zero)", "(cache, n, i, zero)\n  ROOT s = f32[1024,512] add(u, cache)")
        self.assertEqual(self.instruction(self.cost("-", text=both), "x")["bytes_written"], 4 * 1024 * 512)

    def only(self, text, *arguments):
        """The one instruction of the entry computation that takes time."""
        (found,) = [each for each in self.cost("-", *arguments, text=text)["instructions"] if each["time_us"] > 0]
        return found

    def test_rounds_that_the_program_says(self):
        text = """HloModule m
body {
  t = (f32[64], pred[]) parameter(0)
  x = f32[64] get-tuple-element(t), index=0
  c = pred[] get-tuple-element(t), index=1
  y = f32[64] negate(x)
  ROOT r = (f32[64], pred[]) tuple(y, c)
}
condition {
  t = (f32[64], pred[]) parameter(0)
  ROOT c = pred[] get-tuple-element(t), index=1
}
ENTRY e {
  s = (f32[64], pred[]) parameter(0)
  ROOT w = (f32[64], pred[]) while(s), condition=condition, body=body, backend_config={"known_trip_count":{"n":"7"}}
}
"""
        cost = self.cost("-", text=text)
        self.assertEqual(self.instruction(cost, "y")["times"], 7)
        cost = self.cost("-", text=text.replace('"n":"7"', '"n":"seven"'))
        self.assertEqual(self.instruction(cost, "y")["times"], 1)

    def test_a_loop_that_never_runs(self):
        text = """HloModule m
body { b = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT r = s32[] add(b, one) }
condition { c = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT r = pred[] compare(c, zero), direction=LT }
ENTRY e { z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=condition, body=body }
"""
        result = run("cost", "-", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("nan", result.stdout)
        # Its condition does, once.
        cost = self.cost("-", text=text)
        times = {each["opcode"]: each["times"] for each in cost["instructions"]}
        self.assertEqual((times["compare"], times["add"]), (1, 0))

    def test_a_reshape_that_moves_elements(self):
        def reshape(result):
            return f"""HloModule m
ENTRY e {{
  p = f32[1024,512]{{1,0}} parameter(0)
  ROOT r = {result} reshape(p)
}}
"""

        moved = self.only(reshape("f32[512,1024]{0,1}"))
        self.assertEqual(moved["opcode"], "reshape")
        self.assertEqual((moved["flops"], moved["bytes_read"], moved["bytes_written"]), (0, 2**21, 2**21))
        self.assertGreaterEqual(moved["time_us"], 2 * 2**21 / 2039e3)
        self.assertEqual(moved["kernel"]["scheme"], "loop")
        # Of the result, neighbours in memory are 1024 elements apart in the row-major order.
        self.assertEqual(moved["operands"][0]["why"], "neighbouring threads read 4096 bytes apart")
        for result in ("f32[512,1024]{1,0}", "f32[2,512,512]{2,1,0}", "f32[1024,1,512]{2,0,1}"):
            cost = self.cost("-", text=reshape(result))
            self.assertEqual([each["time_us"] for each in cost["instructions"]], [0, 0], result)

    def test_an_array_that_is_both_operands_is_read_once(self):
        cost = self.only("HloModule m\nENTRY e { p = f32[4096] parameter(0)\n  ROOT r = f32[4096] multiply(p, p) }\n")
        self.assertEqual(cost["bytes_read"], 16384)
        self.assertEqual(cost["bytes_read_in_all"], 32768)

    def test_deeply_nested_fusions(self):
        lines = ["HloModule m", "f0 { p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p) }"]
        for i in range(1, 70):
            lines.append(
                f"f{i} {{ p{i} = f32[4] parameter(0)\n  a{i} = f32[4] fusion(p{i}), kind=kLoop, calls=f{i - 1}\n"
                f"  ROOT b{i} = f32[4] fusion(a{i}), kind=kLoop, calls=f{i - 1} }}"
            )
        lines.append("ENTRY e { q = f32[4] parameter(0)\n  ROOT r = f32[4] fusion(q), kind=kLoop, calls=f69 }")
        self.assertEqual(self.only("\n".join(lines))["flops"], 2**63 - 1)

    def test_products_and_types_inside_of_fusions(self):
        text = """HloModule m
f {
  i = s32[] parameter(0)
  w = bf16[8,1024,1024] parameter(1)
  x = bf16[1024,1024] parameter(2)
  z = s32[] constant(0)
  s = bf16[1,1024,1024] dynamic-slice(w, i, z, z), dynamic_slice_sizes={1,1024,1024}
  m = bf16[1024,1024] reshape(s)
  ROOT d = bf16[1024,1024] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  i = s32[] parameter(0)
  w = bf16[8,1024,1024] parameter(1)
  x = bf16[1024,1024] parameter(2)
  ROOT r = bf16[1024,1024] fusion(i, w, x), kind=kOutput, calls=f
}
"""
        self.assertAlmostEqual(self.only(text)["time_us"], 2 * 1024**3 / 312e6, places=5)
        gemm = """HloModule m
ENTRY e {
  a = bf16[1024,1024] parameter(0)
  b = bf16[1024,1024] parameter(1)
  ROOT r = (bf16[1024,1024], s8[4096]) custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"beta":0}}
}
"""
        self.assertEqual(self.only(gemm)["flops"], 2 * 1024**3)
        wide = """HloModule m
f { p = f32[4096] parameter(0)
  c = f64[4096] convert(p)
  x = f64[4096] exponential(c)
  ROOT r = f32[4096] convert(x) }
ENTRY e { p = f32[4096] parameter(0)
  ROOT r = f32[4096] fusion(p), kind=kLoop, calls=f }
"""
        self.assertAlmostEqual(self.only(wide, "--device", "rtx-a6000")["time_us"], 4096 * 16 / 0.605e6, places=6)

    def test_a_thread_that_has_no_neighbours_at_work(self):
        # The first of the 128 threads of a row writes its sum; all of them read.
        cost = self.only(
            """HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e { p = f32[64,1024] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[64] reduce(p, z), dimensions={1}, to_apply=add }
"""
        )
        self.assertEqual((cost["kernel"]["threads"], cost["kernel"]["tile"]), (256, 128))
        (output,) = cost["outputs"]
        self.assertEqual((output["sectors_per_warp"], output["ideal_sectors_per_warp"]), (1.0, 1.0))
        self.assertEqual(output["why"], "only one thread of a warp writes at a time")
        self.assertEqual(cost["operands"][0]["why"], "neighbouring threads read neighbouring elements")
        scalar = self.only("HloModule m\nENTRY e { p = s32[] parameter(0)\n  ROOT r = s32[] negate(p) }\n")
        self.assertEqual(scalar["operands"][0]["why"], "only one thread of a warp reads at a time")
        # A single row of three: lanes of the same warp, however few.
        few = self.only("HloModule m\nENTRY e { p = s32[3] parameter(0)\n  ROOT r = s32[3] negate(p) }\n")
        self.assertEqual(few["operands"][0]["why"], "neighbouring threads read neighbouring elements")

    def test_elements_that_are_accessed_in_vectors(self):
        def moved(first):
            count = 2**20 - 1024
            text = f"""HloModule m
ENTRY e {{
  p = u8[{2**20}] parameter(0)
  ROOT s = u8[{count}] slice(p), slice={{[{first}:{first + count}]}}
}}
"""
            return self.only(text), 2 * count / 2039e3

        cost, us = moved(16)
        (read,) = cost["operands"]
        # A warp reads half of each of two sectors; 16 bytes at once, sectors that touch.
        self.assertEqual((read["sectors_per_warp"], read["ideal_sectors_per_warp"]), (2.0, 1.0))
        self.assertEqual((read["vector_width"], read["coalesced"]), (16, True))
        self.assertEqual(
            read["why"],
            "neighbouring threads read neighbouring elements, not all from the start of a sector, but in few sectors if 16 at once",
        )
        self.assertAlmostEqual(cost["time_us"], us, places=6)
        self.assertEqual(cost["limited_by"], "memory")
        # No two bytes that start with an even address.
        cost, us = moved(5)
        (read,) = cost["operands"]
        self.assertEqual((read["sectors_per_warp"], read["vector_width"], read["coalesced"]), (2.0, 1, False))
        self.assertAlmostEqual(cost["time_us"], 1.5 * us, places=6)
        self.assertEqual(cost["limited_by"], "uncoalesced read of operand 0")
        cost, us = moved(64)
        self.assertEqual(cost["operands"][0]["sectors_per_warp"], 1.0)
        self.assertAlmostEqual(cost["time_us"], us, places=6)

    def test_what_is_small_is_not_blamed_on_reads(self):
        cost = self.only("HloModule m\nENTRY e { p = s32[] parameter(0)\n  ROOT r = s32[] negate(p) }\n")
        self.assertEqual(cost["limited_by"], "memory")

    def test_what_is_only_bounded(self):
        text = """HloModule m
ENTRY e {
  table = f32[100,60] parameter(0)
  ids = s32[50] parameter(1)
  ROOT g = f32[50,60] gather(table, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,60}
}
"""
        table = self.instruction(self.cost("-", text=text), "g")["operands"][0]
        self.assertEqual(table["elements_read"], [60, 3000])
        self.assertEqual(table["reads"], 3000)
        self.assertTrue(table["reason"])
        self.assertIsInstance(table["sectors_per_warp"], list)

    def test_the_table(self):
        result = run("cost", TRANSPOSED)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^transposed on a100: [0-9.]+ us, ")
        self.assertRegex(lines[3], r" both +uncoalesced read of operand 1$")
        self.assertIn(
            "  operand 1: right f32[65536,8]{1,0}: neighbouring threads read 32 bytes apart; "
            "32.0 sectors a warp where 4.0 would do",
            lines,
        )

    def test_devices(self):
        slow = self.cost(TRANSPOSED, "--device", "a100")["total"]["time_us"]
        fast = self.cost(TRANSPOSED, "--device", "H200")["total"]["time_us"]
        self.assertAlmostEqual(slow / fast, 4800 / 2039, places=4)
        result = run("cost", TRANSPOSED, "--device", "h10")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"mercator: error: no device 'h10'\nhint: did you mean 'h100'?\n")

    def test_devices_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "devices.json")

            def read(text):
                path.write_text(text, encoding="utf-8")
                return run("cost", TRANSPOSED, "--devices", path, "--device", "mine", "--json")

            half = read('[{"name": "mine", "like": "a100", "memory_bytes_per_second": 1019.5e9}]')
            self.assertEqual(half.returncode, 0, half.stderr)
            whole = self.cost(TRANSPOSED)
            self.assertAlmostEqual(
                json.loads(half.stdout)["total"]["time_us"], 2 * whole["total"]["time_us"], places=4
            )
            for text, message in (
                ("[", f"{path}:1:1: error: this is not JSON"),
                ("{}", f"{path}:1:1: error: expected a list of devices"),
                ('[{"name": "mine"}]', f"{path}:1:3: error: 'mine' must say \"memory_bytes_per_second\", or what it is \"like\""),
                ('[{"name": "mine", "like": "z80"}]', f"{path}:1:19: error: there is no device that it could be like"),
                ('[{"name": "mine", "like": "a100", "warp": 8}]', f'{path}:1:35: error: a device has no "warp"'),
                (
                    '[{"name": "mine", "like": "a100", "warp_size": 0}]',
                    f'{path}:1:35: error: "warp_size" must be a number from 1 to 1073741824',
                ),
                (
                    '[{"name": "mine", "like": "a100", "f32_flops": -1}]',
                    f'{path}:1:35: error: "f32_flops" must be a number from 1 to 1e+24',
                ),
                (
                    '[{"name": "mine", "like": "a100", "f32_flops": 1e999}]',
                    f"{path}:1:52: error: this number is too large",
                ),
                ('[{"name": "mine", "like": "a100"}, 7]', f"{path}:1:36: error: a device must be an object"),
                # In the device that it is about, at the key and not at a text that is the same.
                (
                    '[{"name": "f32_flops", "like": "a100", "f32_flops": 1e12},\n {"name": "mine", "f32_flops": 0}]',
                    f'{path}:2:19: error: "f32_flops" must be a number from 1 to 1e+24',
                ),
                (
                    '[{"name": "mine", "like": "a100"},\n {"name": "other", "like": "a100"},\n {"like": "h100", "name": "Mine"}]',
                    f"{path}:3:19: error: there is a device 'Mine' at 1:3 already",
                ),
                ('[{"name": "mine", "like": "a100"}, {"name": "H100", "like": "h100"}]', f"{path}:1:37: error: the device 'H100' is built in"),
                (
                    '[{"name": "mine", "like": "a100", "f32_flops": 1,\n "f32\\u005fflops": 2}]',
                    f'{path}:2:2: error: "f32_flops" stands at 1:35 already',
                ),
            ):
                result = read(text)
                self.assertEqual(result.returncode, 1, text)
                self.assertEqual(result.stderr.splitlines()[0], message)

            # The ends of what a rate may be: everything still has a time.
            for rate in (1, 1e24):
                text = json.dumps([{"name": "mine", "like": "a100", **{key: rate for key in DEVICE_RATES}}])
                result = read(text)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("null", result.stdout)
                self.check_form(json.loads(result.stdout))
            for key in DEVICE_RATES:
                for rate in ("0", "1e-300", "1e300", "-1e20", "0.5", "null", '"1e12"'):
                    result = read(f'[{{"name": "mine", "like": "a100", "{key}": {rate}}}]')
                    self.assertEqual(result.returncode, 1, rate)
                    self.assertIn(f'error: "{key}" must be a number from 1 to 1e+24', result.stderr)
            self.assertEqual(read("\ufeff" + '[{"name": "MINE", "like": "a100"}]').returncode, 0)

    def test_the_longest_time(self):
        # As much as counts hold, as often as counts hold, on the slowest device that there may be.
        text = """HloModule m
body {
  x = f64[300000000,300000000] parameter(0)
  ROOT y = f64[300000000,300000000] tanh(x)
}
condition {
  x = f64[300000000,300000000] parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY e {
  x = f64[300000000,300000000] parameter(0)
  ROOT w = f64[300000000,300000000] while(x), condition=condition, body=body, backend_config={"known_trip_count":{"n":"9223372036854775807"}}
}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "devices.json")
            path.write_text(json.dumps([{"name": "mine", **{key: 1 for key in DEVICE_RATES}}]), encoding="utf-8")
            result = run("cost", "-", "--devices", path, "--device", "mine", "--json", text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("null", result.stdout)


if __name__ == "__main__":
    command.main()
