#!/usr/bin/env python3
"""Checks that the examples in the documentation print what the documentation says.

    docs_test.py MERCATOR [--update]

An example is a block fenced with ```console whose lines that start with `$ ` are commands, each followed
by its output. They are run in the root of the repository, with `mercator` and `./dev run` standing for
MERCATOR. `./dev golden` writes the outputs anew. Blocks fenced otherwise are not run.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import command
from command import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = [
    path
    for folder in ("examples", "mercator", "test")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".c", ".cc", ".h", ".py", ".txt")
]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def output_of(line):
    """What the command prints, standard error included."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "mercator").symlink_to(command.program)
        result = subprocess.run(
            ["bash", "-c", re.sub(r"^\./dev run ", "mercator ", line)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
            check=False,
        )
    return result.stdout


def with_real_outputs(block):
    """The block with the outputs that its commands have."""
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {line}\n{output_of(line)}" for line in commands)


class Documentation(unittest.TestCase):
    maxDiff = None

    def test_examples_print_what_is_written(self):
        examples = 0
        for path in DOCUMENTS:
            for block in BLOCK.findall(path.read_text(encoding="utf-8")):
                with self.subTest(path.name, block=block.partition("\n")[0]):
                    self.assertEqual(block, with_real_outputs(block), "./dev golden writes it anew")
                    examples += 1
        self.assertGreater(examples, 0)

    def test_links_lead_somewhere(self):
        for path in DOCUMENTS:
            text = FENCED.sub("", path.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
                if not link.startswith(("http:", "https:")):
                    self.assertTrue((path.parent / link).exists(), f"{path.name}: {link}")

    def test_sources_name_documents_that_exist(self):
        named = {
            (path.relative_to(ROOT), document)
            for path in SOURCES
            for document in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text(encoding="utf-8"))
        }
        self.assertIn((pathlib.Path("mercator/c_api.h"), "docs/packed-functions.md"), named)
        for path, document in sorted(named):
            self.assertTrue((ROOT / document).exists(), f"{path}: {document}")


def update():
    command.program = str(pathlib.Path(sys.argv[1]).resolve())
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        updated = BLOCK.sub(lambda match: f"```console\n{with_real_outputs(match.group(1))}```", text)
        if updated != text:
            path.write_text(updated, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[2:] == ["--update"]:
        update()
    else:
        command.main()
