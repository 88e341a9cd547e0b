"""What the tests of the page of `mercator report` share: the page of a program, in a browser.

MERCATOR_REPORT_SHOTS names a folder for pictures of it, to be looked at.
"""

import json
import os
import pathlib
import sys
import tempfile
import unittest

import chromium
import command
from command import run

SHARED = pathlib.Path(os.environ.get("MERCATOR_SHARED_DIR", ""))
SHOTS = os.environ.get("MERCATOR_REPORT_SHOTS")

MOVES = """HloModule moves

add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b) }

fused { x = f32[4,6] parameter(0)
  turned = f32[6,4] transpose(x), dimensions={1,0}
  ROOT negated = f32[6,4] negate(turned) }

ENTRY main {
  matrix = f32[4,6] parameter(0)
  line = f32[12] parameter(1)
  start = s32[] parameter(2)
  cube = f32[3,4,5] parameter(3)
  zero = f32[] constant(0)
  izero = s32[] constant(0)
  turn = f32[6,4] transpose(matrix), dimensions={1,0}
  shape = f32[8,3] reshape(matrix)
  strided = f32[5] slice(line), slice={[1:11:2]}
  window = f32[2,3] dynamic-slice(matrix, start, izero), dynamic_slice_sizes={2,3}
  sums = f32[4] reduce(matrix, zero), dimensions={1}, to_apply=add
  planes = f32[3,5,4] transpose(cube), dimensions={0,2,1}
  fusion = f32[6,4] fusion(matrix), kind=kLoop, calls=fused
  ROOT out = (f32[6,4], f32[8,3], f32[5], f32[2,3], f32[4], f32[3,5,4], f32[6,4]) tuple(turn, shape, strided, window, sums, planes, fusion)
}
"""

# A grid's elements that are drawn in the colour of what lights up, as the pixels of its canvas say.
LIT = """((grid, name) => {
  const probe = document.createElement("canvas").getContext("2d");
  const rgb = (colour) => {
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.join();
  };
  const wanted = rgb(Theme.colour(name));
  const bounds = grid.canvas.getBoundingClientRect();
  const lit = [];
  const at = (index) => {
    const [x, y] = grid.toWindow(index);
    const data = grid.canvas.getContext("2d").getImageData(Math.round(x - bounds.left), Math.round(y - bounds.top), 1, 1).data;
    if (data.join() === wanted) lit.push(index);
  };
  const walk = (index) => {
    const d = index.length;
    if (d === grid.rank) return at(index);
    const isSeen = d === grid.row || d === grid.column;
    for (let i = isSeen ? 0 : grid.fixed[d]; i < (isSeen ? grid.dims[d] : grid.fixed[d] + 1); ++i) walk([...index, i]);
  };
  walk([]);
  return lit;
})"""

RESULT = "Inspector.panel.result"


def operand(k):
    return f"Inspector.panel.operands[{k}].grid"


class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = chromium.Browser()
        cls.browser.__enter__()
        cls.addClassCleanup(cls.browser.__exit__)
        cls.page = cls.browser.page()
        cls.page.size(1400, 900)

    def tearDown(self):
        self.assertEqual(self.page.errors, [])

    def write(self, source, *arguments):
        """Writes the page of a program: its text, or the path of its file. Returns the path of the page."""
        path = pathlib.Path(self.folder.name) / "page.html"
        options = {"text": source} if isinstance(source, str) else {}
        result = run("report", "-" if options else source, "-o", path, *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def open(self, source, *arguments):
        self.page.open(self.write(source, *arguments))
        self.page.settle()

    def value(self, expression):
        return self.page.evaluate(expression)

    def id(self, name):
        return self.value(f"Data.module.name.indexOf({json.dumps(name)})")

    def select(self, name):
        self.value(f"Page.select({self.id(name)}, null)")
        self.page.settle()

    def selected(self):
        return self.value("Data.name(Page.graph.selected)")

    def wait(self, condition):
        """Until it holds; what is drawn in parts takes a while."""
        for _ in range(1000):
            if self.value(condition):
                return
            self.page.settle()
        self.fail(f"never: {condition}")

    def shot(self, name):
        if SHOTS:
            self.page.screenshot(pathlib.Path(SHOTS) / f"{name}.png")

    def lit(self, grid, colour="accent"):
        return self.value(f"{LIT}({grid}, '{colour}')")

    def click(self, grid, index):
        """Clicks an element of an array with the mouse."""
        self.value(f"{grid}.element.scrollIntoView({{block: 'center'}})")
        self.page.settle()
        self.page.click(*self.value(f"{grid}.toWindow({index})"))

    def click_node(self, name, count=1):
        self.value(f"Page.graph.show(Page.graph.plane.find({self.id(name)}))")
        place = "(node => Page.graph.toWindow(node.x + 40, node.y + 15))"
        self.page.click(*self.value(f"{place}(Page.graph.plane.find({self.id(name)}))"), count=count)


def main():
    """As `command.main`; the status is 77 where there is no browser."""
    if not chromium.find():
        print("skipped: there is no Chromium (Debian's package is called chromium)")
        sys.exit(77)
    command.main()
