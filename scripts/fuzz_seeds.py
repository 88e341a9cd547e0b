#!/usr/bin/env python3
"""Writes the inputs that a fuzzer starts from.

    fuzz_seeds.py FUZZER FOLDER

Programs and maps are taken from the repository, and from the folder shared beside it where that exists:
whole files, and the sections of case files (test/support/case_file.h). Fuzzers whose input is not text
but choices start from random ones, the same every time.
"""

import hashlib
import pathlib
import random
import re
import struct
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "examples", ROOT / "test", ROOT.parent / "shared"]
MAX_SIZE = 65536


def texts_of(suffix):
    for folder in FOLDERS:
        for path in sorted(folder.rglob(f"*{suffix}")):
            yield path.read_text(encoding="utf-8", errors="replace")


def sections():
    """(name, text) of each section of the case files."""
    for text in texts_of(".cases"):
        for section in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
            name, _, body = section.partition("\n")
            yield name, re.sub(r"^===.*", "", body, flags=re.MULTILINE).strip()


def programs():
    yield from texts_of(".hlo")
    yield from (body for name, body in sections() if name == "hlo")


def protos():
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.pb")):
            yield path.read_bytes()


def maps():
    for text in texts_of(".maps"):
        yield from re.split(r"^---$", re.sub(r"^#.*", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    for name, body in sections():
        if name in ("input", "output"):
            yield body
        elif name.startswith(("o2i", "i2o")):
            yield from body.splitlines()


def tensors():
    """Archives of tensors, and the files in them."""
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.npz")):
            yield path.read_bytes()
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield archive.read(name)


def artifacts():
    """Programs as artifacts (mercator/runtime/artifact.h) of one part, without a checksum: the fuzzer has it."""

    def text(value):
        data = value.encode()
        return struct.pack("<Q", len(data)) + data

    def places(numbers):
        return struct.pack(f"<{1 + len(numbers)}I", len(numbers), *numbers)

    for program in programs():
        entry = program[program.find("ENTRY"):]
        lines = [line for line in entry[:entry.find("\n}")].split("\n") if " = " in line]
        roots = [i for i, line in enumerate(lines) if line.lstrip().startswith("ROOT ")]
        own = [i for i, line in enumerate(lines) if " parameter(" not in line]
        if len(roots) != 1 or roots[0] not in own:
            continue
        # What the interpreter saves: the part as a program whose result is a tuple.
        root = lines[roots[0]]
        name, _, rest = root.strip().removeprefix("ROOT ").partition(" = ")
        shape = re.match(r"\(.*?\)(?= [\w-]+\()|\S+", rest).group()
        line = root.replace("ROOT ", "") + f"\n  ROOT results.of.part = ({shape}) tuple({name})"
        saved = program.replace(root, line)
        content = text(program) + struct.pack("<I", 1) + text("interpreter") + text("1")
        content += struct.pack("<II", 1, 0) + places(own) + places([]) + places(roots) + text(saved)
        yield b"mercator\n" + struct.pack("<I", 1) + bytes(16) + content


def choices():
    """Random bytes after each first byte that makes another kind of input."""
    draw = random.Random(1)
    for kind in range(3):
        for size in range(8, 256, 8):
            yield bytes([kind]) + draw.randbytes(size)


SEEDS = {
    "artifact_reader_fuzzer": artifacts,
    "hlo_reader_fuzzer": programs,
    "indexing_fuzzer": programs,
    "map_reader_fuzzer": maps,
    "npy_reader_fuzzer": tensors,
    "proto_reader_fuzzer": protos,
    "stablehlo_reader_fuzzer": lambda: texts_of(".mlir"),
    "simplify_fuzzer": choices,
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SEEDS:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS[sys.argv[1]]():
        data = seed if isinstance(seed, bytes) else seed.strip().encode()
        if 0 < len(data) <= MAX_SIZE:
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


if __name__ == "__main__":
    main()
