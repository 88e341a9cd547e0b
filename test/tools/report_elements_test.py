#!/usr/bin/env python3
"""Tests of the page of `mercator report`: what lights up, and what a warp accesses.

    report_elements_test.py MERCATOR [UNITTEST-ARGUMENT...]
"""

import random
import re

import report_page
from command import EXAMPLES
from report_page import MOVES, RESULT, InBrowser, operand


class Elements(InBrowser):
    def check(self, name, result, operands, back):
        """`operands` light up for an element of the result; `back`: [operand, index, elements of the result]."""
        self.select(name)
        self.click(RESULT, result)
        self.assertEqual(self.lit(RESULT, "second"), [result])
        for k, elements in enumerate(operands):
            self.assertEqual(self.lit(operand(k)), elements, f"operand {k} of {name}")
        for k, index, elements in back:
            self.click(operand(k), index)
            self.assertEqual(self.lit(operand(k), "second"), [index])
            self.assertEqual(self.lit(RESULT), elements, f"from operand {k} of {name}")

    def test_what_light_up(self):
        self.open(MOVES)
        self.check("turn", [4, 1], [[[1, 4]]], [(0, [3, 0], [[0, 3]])])
        # 5 * 3 + 1 = 16 = 2 * 6 + 4
        self.check("shape", [5, 1], [[[2, 4]]], [(0, [1, 5], [[3, 2]])])
        self.check("strided", [3], [[[7]]], [(0, [4], []), (0, [5], [[2]])])
        self.check("sums", [2], [[[2, i] for i in range(6)]], [(0, [3, 1], [[3]])])
        self.check("fusion", [5, 2], [[[2, 5]]], [(0, [1, 0], [[0, 1]])])
        self.shot("elements")

    def test_a_value_that_is_known_at_run_time(self):
        self.open(MOVES)
        self.select("window")
        slider = "document.querySelector('.runtimes input[type=range]')"
        self.assertEqual(self.value(f"[{slider}.min, {slider}.max].join()"), "0,2")
        self.click(RESULT, [1, 2])
        self.assertEqual(self.lit(operand(0)), [[1, 2]])
        number = "document.querySelector('.runtimes input[type=number]')"
        self.value(f"{number}.focus(); {number}.select()")
        self.page.type("2")
        self.assertEqual(self.value(f"{slider}.value"), "2")
        self.assertEqual(self.lit(operand(0)), [[3, 2]])
        # Not within the bounds: stays as it was.
        self.value(f"{number}.value = 3; {number}.dispatchEvent(new Event('input'))")
        self.page.settle()
        self.assertEqual(self.lit(operand(0)), [[3, 2]])
        self.click(operand(0), [1, 0])
        self.assertEqual(self.lit(RESULT), [])
        self.click(operand(0), [2, 1])
        self.assertEqual(self.lit(RESULT), [[0, 1]])

    def test_a_tile(self):
        self.open(MOVES)
        self.select("turn")
        self.value(f"{RESULT}.element.scrollIntoView()")
        self.page.drag(*self.value(f"{RESULT}.toWindow([1, 0])"), *self.value(f"{RESULT}.toWindow([3, 1])"))
        self.assertEqual(self.lit(operand(0)), [[r, c] for r in range(2) for c in range(1, 4)])
        self.assertEqual(self.value("document.querySelector('.index').value"), "1:4, 0:2")
        for text, elements in (("0:6:2, 3", [[3, 0], [3, 2], [3, 4]]), ("5, :", [[r, 5] for r in range(4)])):
            self.value(f"document.querySelector('.index').value = '{text}'; Inspector.panel.typed()")
            self.page.settle()
            self.assertEqual(self.lit(operand(0)), elements)
        self.value("document.querySelector('.index').value = '6, 0'; Inspector.panel.typed()")
        self.assertEqual(
            self.value("document.querySelector('.bar .warning').textContent"), "dimension 0 has the indices 0 to 5"
        )

    def test_three_dimensions(self):
        self.open(MOVES)
        self.select("planes")
        self.value("document.querySelector('.index').value = '2, 4, 1'; Inspector.panel.typed()")
        self.page.settle()
        self.assertEqual(self.value(f"{operand(0)}.fixed[0]"), 2)
        self.assertEqual(self.lit(operand(0)), [[2, 1, 4]])
        # The first dimension as rows, the last as columns: the second is where the element is.
        self.value(f"{operand(0)}.setDimensions(0, 2)")
        self.page.settle()
        self.assertEqual(self.lit(operand(0)), [[2, 1, 4]])
        self.value(f"{operand(0)}.fixed[1] = 3; {operand(0)}.draw()")
        self.page.settle()
        self.assertEqual(self.lit(operand(0)), [])

    def test_how_often_each_element_is_read(self):
        self.open(MOVES)
        self.select("sums")
        self.value("document.querySelector('.bar input[type=checkbox]').click()")
        self.page.settle()
        self.assertEqual(self.value(f"{operand(0)}.heats.get('2,3')"), 1)
        self.open(EXAMPLES / "softmax.hlo")
        self.value("document.querySelector('.bar input[type=checkbox]').click()")
        self.page.settle()
        # For every element of its row.
        self.wait(f"{operand(0)}.heats.size === 64 * 128")
        self.assertEqual(self.value(f"{operand(0)}.heats.get('3,5')"), 128)
        self.shot("heat")

    def test_more_than_is_drawn_is_said(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[4096,4096] parameter(0)\n"
            "ROOT r = f32[2048,8192] reshape(p) }\n"
        )
        self.value("document.querySelector('.index').value = ':, :'; Inspector.panel.typed()")
        self.page.settle()
        self.assertIn("only a part is drawn", self.value(f"{operand(0)}.note.textContent"))

    def test_more_arrays_than_the_page_has_are_said(self):
        names = [f"p{i}" for i in range(2001)]
        parameters = "\n".join(f"  {name} = f32[2] parameter({i})" for i, name in enumerate(names))
        types = ", ".join("f32[2]" for _ in names)
        self.open(f"HloModule m\nENTRY e {{\n{parameters}\n  ROOT t = ({types}) tuple({', '.join(names)})\n}}\n")
        self.select("t")
        text = "Of 2,001 pairs of arrays with maps, this page has only the first 2,000."
        self.assertIn(text, self.value("document.querySelector('.tab-body').textContent"))
        self.page.key("3")
        self.assertIn(text, self.value("document.querySelector('.tab-body').textContent"))

    def test_large_arrays_follow_what_lights_up(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[100000,3000] parameter(0)\n"
            "ROOT r = f32[3000,100000] transpose(p), dimensions={1,0} }\n"
        )
        self.value("document.querySelector('.index').value = '2999, 77777'; Inspector.panel.typed()")
        self.page.settle()
        self.assertEqual(
            self.value(f"{operand(0)}.litCells({operand(0)}.seen.rows, {operand(0)}.seen.columns, 1).includes(1)"), True
        )
        self.assertEqual(self.value(f"{operand(0)}.note.textContent"), "1 of 300,000,000 elements")


class Agreement(InBrowser):
    """What lights up is what the texts of the maps say, evaluated by Python's integers."""

    MOST_POINTS = 3000

    @staticmethod
    def parse(text):
        """The variables, with their bounds, by kind; the results and constraints, as code of Python."""
        head, _, domain = text.partition(", domain: ")
        start, _, results = head.partition(" -> ")
        kinds = [
            [name.strip() for name in part.split(",") if name.strip()]
            for part in re.match(r"\(([^)]*)\)(?:\[([^\]]*)\])?(?:\{([^}]*)\})?$", start).groups(default="")
        ]

        def code(expression):
            return expression.replace(" floordiv ", " // ").replace(" mod ", " % ")

        bounds, constraints = {}, []
        for expression, lo, hi in re.findall(r"([^\[\]]+?) in \[(-?\d+), (-?\d+)\](?:, )?", domain):
            if expression in sum(kinds, []) and expression not in bounds:
                bounds[expression] = (int(lo), int(hi))
            else:
                constraints.append(f"{lo} <= ({code(expression)}) <= {hi}")
        index = f"[{code(results)[1:-1]}]"
        condition = " and ".join(constraints) or "True"
        return kinds, bounds, f"lambda {', '.join(sum(kinds, []))}: tuple({index}) if {condition} else None"

    def expected(self, text, index, runtimes):
        """The set of what an element leads to; None if that takes too long."""
        (dimensions, ranges, _), bounds, source = self.parse(text)
        if any(not bounds[name][0] <= value <= bounds[name][1] for name, value in zip(dimensions, index)):
            return set()
        function = eval(source)  # pylint: disable=eval-used
        points = [()]
        for name in ranges:
            lo, hi = bounds[name]
            if len(points) * (hi - lo + 1) > self.MOST_POINTS:
                return None
            points = [(*point, value) for point in points for value in range(lo, hi + 1)]
        return {result for point in points if (result := function(*index, *point, *runtimes)) is not None}

    def check(self, source, seed, most):
        self.open(source)
        rng = random.Random(seed)
        # Instructions, the sizes of arrays, and the numbers of the maps between them.
        pairs = self.value("""(() => {
          const pairs = [];
          const dims = (i, leaf) => Data.shape(i).leaves[leaf].dims;
          for (let id = 0; id < Data.count; ++id) {
            const { o, i } = Data.details(id);
            for (const [list, back] of [[o, false], [i, true]]) for (const [output, k, leaf, maps] of Array.isArray(list) ? list : []) {
              const [result, operand] = [dims(id, output), dims(Data.operands(id)[k], leaf)];
              if (result && operand) for (const n of Array.isArray(maps) ? maps : []) pairs.push([n, back ? operand : result, back ? result : operand, Data.map(n).t, Data.map(n).r.map(([, lo, hi]) => [lo, hi])]);
            }
          }
          return pairs;
        })()""")
        checked = 0
        for n, start, sizes, text, runtimes in rng.sample(pairs, min(most, len(pairs))):
            if 0 in start + sizes or text == "KNOWN EMPTY":
                continue
            index = [rng.randrange(size) for size in start]
            values = [rng.randint(lo or 0, min(hi, (lo or 0) + 1000) if hi is not None else 1000) for lo, hi in runtimes]
            expected = self.expected(text, index, values)
            if expected is None:
                continue
            expected = {result for result in expected if all(0 <= value < size for value, size in zip(result, sizes))}
            box = [[value, value, 1] for value in index]
            shown = self.value(
                f"(() => {{ const found = []; const product = ElementSet.of(Data.map({n}), {box}, {values}, {sizes});"
                f" ElementSet.forEachElement(product, {sizes}, (index) => found.push(index.slice())); return [found, product.count]; }})()"
            )
            self.assertEqual({tuple(element) for element in shown[0]}, expected, f"{text} at {index} with {values}")
            self.assertEqual(shown[1], len(expected), text)
            checked += 1
        print(f"{getattr(source, 'name', '')}: {checked} maps of {len(pairs)} checked")
        self.assertGreater(checked, 0)

    def test_examples(self):
        for example in sorted(EXAMPLES.glob("*.hlo")):
            with self.subTest(example=example.name):
                self.check(example, 1, 200)

    def test_programs(self):
        names = ("resnet50_keras_jax_f32", "gpu_hlo", "jax.b380442861", "in_place_dynamic_update_slice_fusion")
        paths = [report_page.SHARED / "corpus" / "hlo" / f"{name}.hlo" for name in names]
        if not all(path.exists() for path in paths):
            self.skipTest(f"there is no {paths[0].parent}")
        for path in paths:
            with self.subTest(name=path.stem):
                self.check(path, 2, 300)


class Arithmetic(InBrowser):
    def test_expressions(self):
        self.open(MOVES)
        self.assertEqual(
            self.value("[[7, 2], [-7, 2], [-8, 2], [7, -2], [0, 5]].map(([a, b]) => [Expr.floorDiv(a, b), Expr.floorMod(a, b)])"),
            [[3, 1], [-4, 1], [-4, 0], [-4, -1], [0, 0]],
        )
        # Exact where the quotient of doubles would be rounded up.
        self.assertEqual(self.value("Expr.floorDiv(2 ** 53 - 1, 2 ** 52) * 1"), 1)
        self.assertEqual(self.value("Expr.floorDiv(9007199254740991, 3) === 3002399751580330"), True)

    def test_where_a_value_that_is_not_known_begins(self):
        self.open(MOVES)
        bounds = "[[0, 5], [3, 5], [-9, -2], [-4, 4], [null, null], ['-9223372036854775808', null]]"
        self.assertEqual(self.value(f"{bounds}.map(([lo, hi]) => Expr.nearestToZero(lo, hi))"), [0, 3, -2, 0, 0, 0])

    def test_numbers_beyond_are_refused(self):
        self.open(MOVES)
        program = "new Expr.Program({n: ['d0', ['*', 0, 0]]}, [1])"
        self.assertEqual(self.value(f"{program}.run({{d: [94906265]}})[1]"), 94906265**2)
        refused = f"(() => {{ try {{ {program}.run({{d: [94906267]}}); }} catch (e) {{ return e instanceof Expr.Beyond; }} }})()"
        self.assertEqual(self.value(refused), True)
        self.assertEqual(
            self.value("(() => { try { new Expr.Program({n: ['9007199254740993']}, [0]); } catch (e) { return e instanceof Expr.Beyond; } })()"),
            True,
        )


class Warps(InBrowser):
    def verdicts(self):
        return self.value("[...document.querySelectorAll('.accesses .verdict')].map((verdict) => verdict.textContent)")

    def test_a_transpose_reads_a_sector_for_each_thread(self):
        self.open(
            # Too narrow for the kernel of transposes.
            "HloModule m\nENTRY e { p = f32[65536,8] parameter(0)\n"
            "ROOT t = f32[8,65536] transpose(p), dimensions={1,0} }\n"
        )
        self.page.key("2")
        self.assertEqual(self.verdicts(), ["32 sectors, 4 needed", "4 sectors, 4 needed"])
        self.assertIn("neighbouring threads access 32 bytes apart", self.value("document.querySelector('.warp p').textContent"))
        self.assertEqual(self.value("document.querySelectorAll('.sector').length"), 32)
        self.shot("warp")

    def test_a_transpose_through_shared_memory(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[1024,1024] parameter(0)\n"
            "ROOT t = f32[1024,1024] transpose(p), dimensions={1,0} }\n"
        )
        self.page.key("2")
        self.assertIn("(transpose)", self.value("document.querySelector('.tab-body').textContent"))
        self.assertEqual(self.verdicts(), ["4 sectors, 4 needed", "4 sectors, 4 needed"])

    def test_warps_are_those_of_the_device(self):
        self.open("HloModule m\nENTRY e { p = f32[4096] parameter(0)\n ROOT n = f32[4096] negate(p) }\n", "--device", "mi300x")
        self.page.key("2")
        # 64 threads, sectors of 64 bytes.
        self.assertEqual(self.value("document.querySelectorAll('.lane').length"), 64)
        self.assertEqual(self.verdicts(), ["4 sectors, 4 needed", "4 sectors, 4 needed"])

    def test_no_warp_of_what_a_library_computes(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[64,64] parameter(0)\n"
            "ROOT d = f32[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n"
        )
        self.page.key("2")
        self.assertIn("a library computes it", self.value("document.querySelector('.tab-body').textContent"))

    def test_strides_and_broadcasts(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[4096] parameter(0)\n q = f32[] parameter(1)\n"
            "h = f32[2048] slice(p), slice={[0:4096:2]}\n"
            "b = f32[2048] broadcast(q), dimensions={}\n"
            "w = bf16[4096] convert(p)\n"
            "ROOT out = (f32[2048], f32[2048], bf16[4096]) tuple(h, b, w) }\n"
        )
        self.page.key("2")
        for name, verdicts in (
            ("h", ["8 sectors, 4 needed", "4 sectors, 4 needed"]),
            ("b", ["1 sector, 1 needed", "4 sectors, 4 needed"]),
            ("w", ["4 sectors, 4 needed", "2 sectors, 2 needed"]),
        ):
            self.select(name)
            self.assertEqual(self.verdicts(), verdicts)

    def test_a_thread_that_has_no_neighbours_at_work(self):
        self.open("HloModule m\nENTRY e { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n")
        self.page.key("2")
        text = "document.querySelector('.warp p').textContent"
        self.assertIn("only one thread of the warp accesses something", self.value(text))
        self.open("HloModule m\nENTRY e { p = f32[] parameter(0)\n ROOT b = f32[64] broadcast(p), dimensions={} }\n")
        self.page.key("2")
        self.assertIn("all threads access the same element", self.value(text))


if __name__ == "__main__":
    report_page.main()
