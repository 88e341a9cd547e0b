#!/usr/bin/env python3
"""Tests of the page of `mercator report`: the graph, search, keys and costs.

    report_graph_test.py MERCATOR [UNITTEST-ARGUMENT...]
"""

import json
import pathlib

import report_page
from command import EXAMPLES
from report_page import MOVES, RESULT, SHARED, SHOTS, InBrowser, operand


LOOP = """HloModule m
body { state = (s32[], f32[1024,64]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[1024,64] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  turn = f32[1024,64] negate(x)
  ROOT out = (s32[], f32[1024,64]) tuple(next, turn) }
condition { state = (s32[], f32[1024,64]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(7)
  ROOT less = pred[] compare(i, limit), direction=LT }
ENTRY e { x = f32[1024,64] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[1024,64]) tuple(zero, x)
  ROOT loop = (s32[], f32[1024,64]) while(init), condition=condition, body=body }
"""


class Graph(InBrowser):
    def test_folds_and_unfolds(self):
        self.open(MOVES)
        before = self.value("Page.graph.plane.nodes().length")
        self.click_node("fusion", count=2)
        self.assertEqual(self.value("Page.graph.plane.nodes().length"), before + 3)
        self.assertEqual(self.selected(), "fusion")
        self.shot("unfolded")
        self.click_node("negated")
        self.assertEqual(self.selected(), "negated")
        self.click_node("fusion", count=2)
        self.assertEqual(self.value("Page.graph.plane.nodes().length"), before)

    def test_nodes_do_not_overlap_and_edges_lead_down(self):
        self.open(EXAMPLES / "softmax.hlo")
        self.value("Page.graph.toggle(Page.graph.selected)")
        for check in (
            "plane.nodes().every((a) => plane.nodes().every((b) => a === b || a.frame !== b.frame || a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y))",
            "plane.edges().every(({from, to}) => from.y + from.height < to.y)",
            "plane.nodes().every((a) => a.frame.owner === null || (() => { const o = a.frame.owner; return a.x >= o.x && a.y >= o.y && a.x + a.width <= o.x + o.width && a.y + a.height <= o.y + o.height; })())",
        ):
            self.assertEqual(self.value(f"((plane) => {check})(Page.graph.plane)"), True, check)

    def test_nodes_that_are_smaller_than_pixels(self):
        count = 20000
        lines = ["HloModule m", "ENTRY e {", "  x0 = f32[8] parameter(0)"]
        lines += [f"  x{i} = f32[8] {'negate' if i % 2 else 'copy'}(x{i - 1})" for i in range(1, count)]
        lines.append(f"  ROOT r = f32[8] negate(x{count - 1})\n}}\n")
        self.open("\n".join(lines))
        self.select("x10000")
        self.page.key("g")
        self.page.key("0")
        view = self.value("Page.graph.view")
        node = self.value("(({x, y, height}) => ({x, y, height}))(Page.graph.plane.root.nodes[10000])")
        self.assertLess(view["scale"] * node["height"], 0.1)
        # The rectangles that a drawing takes: no more than the pixels of the chain, which is as long as
        # the view is high and as wide as a node.
        drawn = self.value(
            """(() => {
          const {prototype} = CanvasRenderingContext2D;
          const {fillRect} = prototype;
          let count = 0;
          prototype.fillRect = function(...rectangle) {
            ++count;
            fillRect.apply(this, rectangle);
          };
          Page.graph.drawNow();
          prototype.fillRect = fillRect;
          return count;
        })()"""
        )
        self.assertLess(drawn, 1000)
        # All along it something is seen, and what is chosen in its colour.
        colours = self.value(
            """((graph) => {
          const context = graph.canvas.getContext("2d");
          const at = ({x, y}) => [...context.getImageData(
              Math.floor(x * graph.view.scale + graph.view.x),
              Math.floor(y * graph.view.scale + graph.view.y), 1, 1).data];
          const nodes = graph.plane.root.nodes;
          return {
            chosen: at(nodes[10000]),
            empty: nodes.filter((node, i) => i % 97 === 0 && at(node)[3] < 200).length,
          };
        })(Page.graph)"""
        )
        self.assertEqual(colours["empty"], 0)
        accent = self.value("Theme.colour('accent')")
        self.assertEqual(accent[0], "#")
        for value, expected in zip(colours["chosen"], bytes.fromhex(accent[1:])):
            self.assertAlmostEqual(value, expected, delta=2)

    def test_an_edge_shows_its_maps(self):
        self.open(MOVES)
        edge = f"Page.graph.plane.edges().find((edge) => edge.to.id === {self.id('turn')})"
        self.select("turn")
        points = self.value(f"{edge}.points")
        x, y = self.value(f"Page.graph.toWindow({(points[0] + points[2]) / 2}, {(points[1] + points[3]) / 2})")
        self.select("shape")
        self.page._mouse("mouseMoved", x, y)
        self.page.settle()
        self.assertIn("(d0, d1) -> (d1, d0), domain:", self.value("document.getElementById('tip').textContent"))
        self.page.click(x, y)
        self.assertEqual(self.selected(), "turn")
        self.assertEqual(self.value("document.querySelector('.operand.chosen').dataset.operand"), "0")

    def test_search(self):
        self.open(MOVES)
        self.page.key("/")
        self.page.type("transpose 6,4")
        names = "[...document.querySelectorAll('#found [role=option] b')].map((option) => option.textContent)"
        self.assertEqual(self.value(names), ["turned", "turn"])
        self.shot("search")
        self.page.key("Enter")
        # Inside of the fusion, which unfolds.
        self.assertEqual(self.selected(), "turned")
        self.assertEqual(self.value(f"Page.graph.plane.find({self.id('turned')}) !== null"), True)

    def test_keys(self):
        self.open(MOVES)
        self.select("fusion")
        self.page.key("g")
        self.page.key("ArrowUp")
        self.assertEqual(self.selected(), "matrix")
        self.select("fusion")
        self.page.key("Enter")
        self.page.key("ArrowDown")
        self.assertEqual(self.selected(), "x")
        self.page.key("ArrowDown")
        self.page.key("ArrowDown")
        self.assertEqual(self.selected(), "negated")
        self.page.key("ArrowDown")
        self.assertEqual(self.selected(), "out")
        self.page.key("ArrowUp")
        self.assertEqual(self.selected(), "turn")
        # The elements, with arrows.
        self.value(f"{RESULT}.canvas.focus()")
        self.value("document.querySelector('.index').value = '2, 1'; Inspector.panel.typed()")
        self.page.key("ArrowRight")
        self.page.key("ArrowDown", modifiers=8)
        self.assertEqual(self.lit(operand(0)), [[2, 2], [2, 3]])
        for key, tab in (("2", "warp"), ("3", "maps"), ("1", "elements")):
            self.page.key(key)
            self.assertEqual(self.value("document.querySelector('[role=tab][aria-selected=true]').dataset.tab"), tab)

    def test_everything_can_be_reached_with_tab(self):
        self.open(MOVES)
        seen = set()
        for _ in range(40):
            self.page.key("Tab")
            seen.add(self.value("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        self.assertLessEqual({"search", "theme", "print", "help", "graph", "chip", "grid"}, seen)

    def test_light_and_dark(self):
        for scheme in ("dark", "light"):
            self.page.prefer(scheme)
            self.open(EXAMPLES / "heads.hlo")
            self.assertEqual(self.value("document.documentElement.dataset.theme"), scheme)
            self.shot(scheme)
        self.page.key("t")
        self.assertEqual(self.value("document.documentElement.dataset.theme"), "dark")
        # What is drawn follows.
        self.click(RESULT, [4, 2, 1, 4])
        self.assertEqual(self.lit(RESULT, "second"), [[4, 2, 1, 4]])
        self.page.key("t")
        self.assertEqual(self.lit(RESULT, "second"), [[4, 2, 1, 4]])
        self.page.key("t")
        self.page.key("t")

    def test_prints(self):
        self.open(EXAMPLES / "softmax.hlo")
        path = pathlib.Path(SHOTS or self.folder.name) / "print.pdf"
        self.page.pdf(path)
        self.assertGreater(path.stat().st_size, 10000)

    def test_every_instruction_of_the_examples_can_be_shown(self):
        for example in sorted(EXAMPLES.glob("*.hlo")):
            with self.subTest(example=example.name):
                self.open(example)
                self.value(
                    "for (let i = 0; i < Data.count; ++i) for (const tab of ['elements', 'warp', 'maps']) { Page.select(i, null); Inspector.openTab(tab); }"
                )
                self.page.settle()

    def test_every_kind_of_instruction_can_be_shown(self):
        folder = SHARED / "corpus" / "hlo"
        if not folder.exists():
            self.skipTest(f"there is no {folder}")
        for path in sorted(folder.glob("*.hlo")):
            with self.subTest(program=path.stem):
                self.open(path)
                self.value("""(() => {
                  const seen = new Map();
                  for (let i = 0; i < Data.count; ++i) {
                    const count = seen.get(Data.opcode(i)) ?? 0;
                    if (count === 3) continue;
                    seen.set(Data.opcode(i), count + 1);
                    Page.select(i, Data.operands(i).length === 0 ? null : 0);
                    for (const tab of ["warp", "maps", "elements"]) Inspector.openTab(tab);
                    Inspector.panel.setHeat?.(true);
                  }
                })()""")
                self.page.settle()
                self.assertEqual(self.page.errors, [])


class CostTable(InBrowser):
    def rows(self):
        return self.value("[...document.querySelectorAll('#costs .space .row')].map((row) => row.children[0].textContent)")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def test_sorts_and_leads_to_the_graph(self):
        self.open(EXAMPLES / "transposed.hlo")
        # Only what takes time.
        self.assertEqual(self.rows(), ["both", "columns", "even"])
        # What costs most is there to begin with, with what is wrong with it.
        self.assertEqual(self.selected(), "both")
        finding = self.text(".finding")
        self.assertTrue(finding.startswith("operand 1 (right) is not coalesced: neighbouring threads read 32 bytes apart"), finding)
        self.assertIn("32 sectors of 32 bytes at once where 4 would do. 12.5 % of the bytes", finding)
        self.shot("costs")
        self.value("document.querySelectorAll('#costs .heads button')[0].click()")
        self.assertEqual(self.rows(), ["both", "columns", "even"])
        self.value("document.querySelectorAll('#costs .heads button')[0].click()")
        self.assertEqual(self.rows(), ["even", "columns", "both"])
        x, y = self.value("(({x, y}) => [x + 20, y + 10])(document.querySelector('#costs .space .row').getBoundingClientRect())")
        self.page.click(x, y)
        self.assertEqual(self.selected(), "even")
        # 4 rows of 8 are read; the factor is only one element.
        self.assertEqual(self.text(".cost .muted + .muted"), "50 % of operand 0 (both) is read")
        self.value("document.querySelector('#costs .rows').focus()")
        self.page.key("ArrowDown")
        self.assertEqual(self.selected(), "columns")

    def test_leads_to_the_worst_read_and_its_warp(self):
        self.open(EXAMPLES / "transposed.hlo")
        self.select("left")
        self.assertEqual(self.text(".finding-count"), "1 access is not coalesced: show it")
        self.value("document.querySelector('.finding-count').click()")
        self.assertEqual(self.selected(), "both")
        self.value("document.querySelector('.finding').click()")
        self.assertIn("right", self.text(".accesses .chosen"))
        self.assertIn("Not coalesced.", self.text(".warp p"))

    def test_the_worst_is_the_one_that_costs_most(self):
        # Both read 32 sectors for 4.
        self.open("""HloModule m
ENTRY e { p = f32[8,65536] parameter(0)
  q = f32[8,1024] parameter(1)
  small = f32[1024,8] transpose(q), dimensions={1,0}
  large = f32[65536,8] transpose(p), dimensions={1,0}
  square = f32[65536,64] parameter(2)
  longest = f32[65536,64] negate(square)
  ROOT r = (f32[1024,8], f32[65536,8], f32[65536,64]) tuple(small, large, longest) }
""")
        self.assertIn("2 accesses", self.text(".finding-count"))
        self.value("document.querySelector('.finding-count').click()")
        self.assertEqual(self.selected(), "large")
        self.assertEqual(self.rows()[:2], ["large", "small"])

    def test_all_coalesced(self):
        self.open("HloModule m\nENTRY e { p = f32[64,64] parameter(0)\n ROOT r = f32[64,64] negate(p) }\n")
        self.assertIn("every access is coalesced", self.text(".table-title"))
        self.assertEqual(self.text(".finding"), "")

    def test_what_libraries_access_is_not_known(self):
        self.open(
            "HloModule m\nENTRY e { p = f32[64,64] parameter(0)\n"
            " ROOT r = f32[64,64] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n"
        )
        self.assertIn(
            "every access that is known is coalesced; of 3, such as those of libraries, nothing is known",
            self.text(".table-title"),
        )

    def test_says_what_an_element_is_made_from(self):
        self.open(EXAMPLES / "transposed.hlo")
        self.select("both")
        self.value("Inspector.panel.choose(null, [[3, 3, 1], [16, 16, 1]])")
        self.assertEqual(self.text(".made"), "made from left[3, 16], right[16, 3]")
        self.value("Inspector.panel.choose(null, [[3, 3, 1], [16, 19, 1]])")
        self.assertEqual(self.text(".made"), "made from left[3, 16:20], right[16:20, 3]")

    def test_what_depends_on_values_may_not_be_coalesced(self):
        gather = """ROOT r = f32[4096] gather(table, i), offset_dims={}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1} }"""
        self.open(f"HloModule m\nENTRY e {{ table = f32[50000] parameter(0)\n  i = s32[4096] parameter(1)\n  {gather}\n")
        self.assertEqual(self.text(".finding-count"), "1 access may not be coalesced: show it")
        self.assertIn("operand 0 (table) may not be coalesced: ", self.text(".finding"))
        self.assertIn("a warp (32 threads) may read up to 32 sectors of 32 bytes at once where 4 would do", self.text(".finding"))
        self.assertEqual(self.value("document.querySelectorAll('#costs .bad').length"), 0)

    def test_runs_of_loops_count(self):
        self.open(LOOP)
        self.assertEqual(self.rows(), ["turn", "less", "next"])
        self.assertIn("7 runs of", self.text(".cost"))

    def test_the_heads_stay_above_many_rows(self):
        program = "HloModule m\nENTRY e {\n  x0 = f32[4096] parameter(0)\n"
        program += "".join(f"  x{i} = f32[4096] negate(x{i - 1})\n" for i in range(1, 3000))
        self.open(program + "  ROOT r = f32[4096] negate(x2999) }\n")
        self.assertLess(len(self.rows()), 60)
        self.assertGreater(self.value("document.querySelector('#costs .heads').clientHeight"), 20)
        self.value("document.querySelector('#costs .rows').scrollTop = 60000")
        self.page.settle()
        self.assertLess(len(self.rows()), 60)


if __name__ == "__main__":
    report_page.main()
