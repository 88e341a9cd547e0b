#!/usr/bin/env python3
"""Tests of `mercator report`: the command.

    report_test.py MERCATOR [UNITTEST-ARGUMENT...]
"""

import json
import os
import pathlib
import re
import stat
import tempfile
import unittest

import command
from command import EXAMPLES, run


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *arguments, **options):
        return run("report", *arguments, **options)

    def test_writes_a_page_that_needs_nothing_else(self):
        page = self.folder / "page.html"
        result = self.report(EXAMPLES / "softmax.hlo", "-o", page)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        text = page.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("<!doctype html>"))
        for outside in (' src="', "<link", "import(", "fetch(", "@import", "url("):
            self.assertNotIn(outside, text)
        self.assertEqual(os.listdir(self.folder), ["page.html"])

    def test_is_the_same_each_time(self):
        pages = [self.folder / name for name in "ab"]
        for page in pages:
            self.report(EXAMPLES / "heads.hlo", "-o", page)
        self.assertEqual(*(page.read_bytes() for page in pages))

    def test_names_cannot_end_the_data(self):
        page = self.folder / "page.html"
        text = 'HloModule m\nENTRY e { p = f32[4] parameter(0), metadata={op_name="</script><!--<script>"}\n ROOT r = f32[4] negate(p) }\n'
        self.assertEqual(self.report("-", "-o", page, text=text).returncode, 0)
        written = page.read_text(encoding="utf-8")
        self.assertEqual(written.count("<script"), written.count("</script>"))
        self.assertIn("\\u003c/script>", written)

    def test_what_is_there_stays_if_the_input_is_wrong(self):
        page = self.folder / "page.html"
        page.write_text("before", encoding="utf-8")
        result = self.report("-", "-o", page, text="HloModule m\nENTRY e { ROOT p = f32[4] negat() }\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("<stdin>:2:27: error:", result.stderr)
        self.assertEqual(page.read_text(encoding="utf-8"), "before")

    def test_replaces_a_file_and_keeps_its_permissions(self):
        page = self.folder / "page.html"
        page.write_text("before", encoding="utf-8")
        page.chmod(0o640)
        self.assertEqual(self.report(EXAMPLES / "softmax.hlo", "-o", page).returncode, 0)
        self.assertEqual(stat.S_IMODE(page.stat().st_mode), 0o640)
        self.assertIn("softmax", page.read_text(encoding="utf-8"))

    def test_follows_links_and_writes_to_devices(self):
        page, link = self.folder / "page.html", self.folder / "link.html"
        page.write_text("before", encoding="utf-8")
        link.symlink_to(page)
        self.assertEqual(self.report(EXAMPLES / "softmax.hlo", "-o", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertIn("softmax", page.read_text(encoding="utf-8"))
        self.assertEqual(self.report(EXAMPLES / "softmax.hlo", "-o", "/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_place_that_cannot_be_written(self):
        page = self.folder / "missing" / "page.html"
        result = self.report(EXAMPLES / "softmax.hlo", "-o", page)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, f"{page}: error: No such file or directory\n")

    def test_the_page_is_needed(self):
        result = self.report(EXAMPLES / "softmax.hlo")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--output is required", result.stderr)

    def test_costs_are_those_that_cost_prints(self):
        page = self.folder / "page.html"
        for device in ("a100", "mi300x"):
            self.assertEqual(self.report(EXAMPLES / "transposed.hlo", "--device", device, "-o", page).returncode, 0)
            embedded = re.search(r'id="data-cost">(.*)', page.read_text(encoding="utf-8")).group(1)
            printed = run("cost", EXAMPLES / "transposed.hlo", "--device", device, "--json").stdout
            self.assertEqual(json.loads(embedded), json.loads(printed))

    def test_a_device_that_is_not_known(self):
        result = self.report(EXAMPLES / "softmax.hlo", "-o", self.folder / "page.html", "--device", "h10")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no device 'h10'", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    command.main()
