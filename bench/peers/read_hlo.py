#!/usr/bin/env python3
"""Times Mercator and XLA reading the same HLO files.

    read_hlo.py READ_TIME [FILE...]

READ_TIME is Mercator's program for this (bench/peers/read_time.cc). XLA's reader is the one in jaxlib,
which must be installed where this runs. Without files: those of shared/corpus/hlo beside the
repository. The two read each file one after the other, twice over; the fastest reading counts. Each runs
in a process of its own, since XLA's ends on some inputs; such a file is reported and left out of the total.
"""

import pathlib
import subprocess
import sys
import time

DEFAULT_FILES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "corpus" / "hlo"
ROUNDS = 2


def serve_xla():
    """Answers file names on standard input as READ_TIME does."""
    from jaxlib import _hlo

    for line in sys.stdin:
        text = pathlib.Path(line.rstrip("\n")).read_text(encoding="utf-8")
        fastest = None
        count = 0
        start = time.perf_counter()
        try:
            while count < 3 or time.perf_counter() - start < 0.2:
                begin = time.perf_counter()
                module = _hlo.hlo_module_from_text(text)
                elapsed = time.perf_counter() - begin
                fastest = elapsed if fastest is None else min(fastest, elapsed)
                del module
                count += 1
            answer = f"{fastest * 1e3:.6f}"
        except Exception as error:  # whatever jaxlib raises, it is the answer
            answer = "error: " + " ".join(str(error).split())
        print(answer, flush=True)


class Reader:
    """A process that is asked for the time that one file takes."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def milliseconds(self, path):
        """The time, and None; or None and what went wrong."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().rstrip("\n")
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = self.process.wait()
            self.process = None
            return None, f"the process ended with status {status}"
        if answer.startswith("error: "):
            return None, answer.removeprefix("error: ")
        return float(answer), None


def measure(readers, path):
    """For each reader the fastest time; or a text that says which one cannot read the file."""
    times = [[] for _ in readers]
    for _ in range(ROUNDS):
        for (name, reader), found in zip(readers, times):
            milliseconds, error = reader.milliseconds(path)
            if error is not None:
                return None, f"{name}: {error}"
            found.append(milliseconds)
    return [min(found) for found in times], None


def main():
    if sys.argv[1:] == ["--serve-xla"]:
        serve_xla()
        return 0
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    files = [pathlib.Path(name) for name in sys.argv[2:]] or sorted(DEFAULT_FILES.glob("*.hlo"))
    if not files:
        sys.exit(f"no files to read: {DEFAULT_FILES} is missing; name some")

    readers = [
        ("mercator", Reader([sys.argv[1]])),
        ("xla", Reader([sys.executable, __file__, "--serve-xla"])),
    ]
    width = max(len(path.name) for path in files)
    print(f"{'file':<{width}} {'KB':>8} {'mercator ms':>12} {'MB/s':>8} {'xla ms':>10} {'MB/s':>7} {'ratio':>7}")

    def row(name, size, mercator, xla):
        rates = [size / 1e3 / milliseconds for milliseconds in (mercator, xla)]
        print(
            f"{name:<{width}} {size / 1e3:>8.1f} {mercator:>12.3f} {rates[0]:>8.1f}"
            f" {xla:>10.3f} {rates[1]:>7.1f} {xla / mercator:>6.1f}x"
        )

    totals = [0, 0.0, 0.0]
    left_out = []
    for path in files:
        times, error = measure(readers, path)
        if times is None:
            left_out.append(f"{path.name}: {error}")
            continue
        size = path.stat().st_size
        row(path.name, size, *times)
        totals = [total + value for total, value in zip(totals, [size, *times])]
    if totals[0]:
        row("total", *totals)
    for text in left_out:
        print(f"left out: {text[:160]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
