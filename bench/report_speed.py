#!/usr/bin/env python3
"""How quickly the page of `mercator report` answers.

    report_speed.py MERCATOR

Prints, for each program, how long the command takes and the page to open, and what the page's thread works
for an answer: the clock would measure what else the machine does, too.
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test" / "tools"))

import chromium  # pylint: disable=wrong-import-position
import command  # pylint: disable=wrong-import-position
from report_page import RESULT, SHARED, InBrowser  # pylint: disable=wrong-import-position


def synthetic(count):
    """A program of about `count` instructions: a chain of layers, each of which also looks far back."""
    lines = ["HloModule synthetic", "", "ENTRY main {", "  x0 = f32[256,256] parameter(0)"]
    last, far, number = "x0", "x0", 1
    while number < count:
        for opcode in ("negate", "tanh", "add", "transpose", "multiply"):
            name = f"{opcode}.{number}"
            if opcode in ("negate", "tanh"):
                text = f"{opcode}({last})"
            elif opcode == "transpose":
                text = f"transpose({last}), dimensions={{1,0}}"
            else:
                text = f"{opcode}({last}, {far})"
            lines.append(f"  {name} = f32[256,256] {text}")
            last = name
            number += 1
        if number % 200 == 1:
            far = last
    lines += [f"  ROOT out = f32[256,256] negate({last})", "}", ""]
    return "\n".join(lines)


class Speed(InBrowser):
    def answer(self, what, act):
        start = self.page.work_ms()
        act()
        self.answers.append((self.page.work_ms() - start, what))

    def use(self):
        """Does what people do, at several places of the graph."""
        frame = "Page.graph.plane.root"
        size = self.value(f"{frame}.nodes.length")
        for k in range(8):
            # Far from each other, so that each is drawn at another place of the graph.
            id = self.value(f"{frame}.nodes[{size * k // 8}].id")
            name = self.value(f"Data.name({id})")
            self.answer(f"to {name}", lambda: self.select(name))
            place = self.value(
                "(({nodes}, g) => nodes.map((n) => g.toWindow(n.x + 40, n.y + 15)).find(([x, y]) => x > 60 && x < 650 && y > 80 && y < 560))"
                f"({frame}, Page.graph)"
            )
            if place is not None:
                self.answer(f"click near {name}", lambda: self.page.click(*place))
            self.answer(f"the warp of {name}", lambda: self.page.key("2"))
            self.answer(f"the elements of {name}", lambda: self.page.key("1"))
            if self.value(f"{RESULT}?.rank === 2 && {RESULT}.dims[0] > 1"):
                self.answer(f"an element of {name}", lambda: self.click(RESULT, [1, 0]))
        opening = self.value(f"{frame}.nodes.find((node) => Scene.canUnfold(node.id))?.id ?? null")
        if opening is not None:
            self.value(f"Page.select({opening}, null)")
            self.page.key("g")
            for what in ("unfold", "fold"):
                self.answer(what, lambda: self.page.key("Enter"))
        self.answer("sort the costs", lambda: self.value("Page.table.heads[0].click()"))
        self.answer("a row of the costs", lambda: self.value("document.querySelectorAll('#costs .space .row')[5].click()"))
        self.answer("the worst access", lambda: self.value("document.querySelector('.finding-count')?.click()"))
        self.page.key("/")
        for character in "add 1":
            self.answer(f"search {character}", lambda: self.page.key(character))
        self.answer("take what was found", lambda: self.page.key("Enter"))
        self.page.key("g")
        self.answer("the whole graph", lambda: self.page.key("0"))

    def measure(self, title, source):
        self.answers = []
        start = time.monotonic()
        path = self.write(source)
        written = time.monotonic() - start
        self.page.open(path)
        self.page.settle()
        opened = self.value("performance.timing.loadEventEnd - performance.timing.navigationStart")
        self.use()
        self.answers.sort()
        count = len(self.answers)
        (worst, what), (median, _), (slow, _) = self.answers[-1], self.answers[count // 2], self.answers[count * 19 // 20]
        print(
            f"{title}: written in {written:.1f} s, opened in {opened} ms; {count} answers, "
            f"median {median:.0f} ms, 95 % below {slow:.0f} ms, worst {worst:.0f} ms ({what})"
        )


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report_speed.py MERCATOR")
    if not chromium.find():
        sys.exit("there is no Chromium (Debian's package is called chromium)")
    command.program = str(pathlib.Path(sys.argv[1]).resolve())
    Speed.setUpClass()
    try:
        speed = Speed()
        speed.measure("synthetic, 10,000 instructions", synthetic(10000))
        for name in ("gemma3_1b_flax_call", "hlo_llama31_8b_bf16_1x8"):
            path = SHARED / "corpus" / "hlo" / f"{name}.hlo"
            if path.exists():
                speed.measure(name, path)
            else:
                print(f"there is no {path}: MERCATOR_SHARED_DIR names the folder")
    finally:
        Speed.doClassCleanups()


if __name__ == "__main__":
    main()
