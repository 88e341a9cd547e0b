#!/usr/bin/env python3
"""Tests of scripts/check_layers.py on small trees that break one rule each."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"


class Layers(unittest.TestCase):
    def check(self, files):
        """The status and messages for a repository with these files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            result = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        return result.returncode, result.stderr

    def expect(self, files, message):
        self.assertEqual(self.check(files), (1, message + "\n"))

    def test_downward_is_fine(self):
        files = {
            "mercator/map/a.cc": '#include "mercator/map/a.h"\n#include "mercator/support/error.h"\n#include <map>\n',
            "mercator/map/CMakeLists.txt": "mercator_library(map\n  SOURCES a.cc\n  DEPENDS expr)\n",
        }
        self.assertEqual(self.check(files), (0, ""))

    def test_a_library_may_stand_beside_that_of_its_folder(self):
        library = "mercator_library(map_extra\n  SOURCES a.cc\n  DEPENDS map)\n"
        self.assertEqual(self.check({"mercator/map/CMakeLists.txt": library}), (0, ""))
        self.expect(
            {"mercator/map/CMakeLists.txt": library.replace("DEPENDS map", "DEPENDS map hlo")},
            "mercator/map/CMakeLists.txt:1: error: map_extra may not depend on hlo: it is not below it",
        )
        self.expect(
            {"mercator/map/CMakeLists.txt": "mercator_library(map\n  SOURCES a.cc\n  DEPENDS map_extra)\n"},
            "mercator/map/CMakeLists.txt:1: error: map may not depend on map_extra: it is not below it",
        )

    def test_a_library_has_the_name_of_its_folder(self):
        self.expect(
            {"mercator/map/CMakeLists.txt": "mercator_library(maps\n  SOURCES a.cc)\n"},
            "mercator/map/CMakeLists.txt:1: error: a library of mercator/map is called maps",
        )

    def test_an_include_of_a_higher_layer(self):
        self.expect(
            {"mercator/expr/a.h": '#pragma once\n#include "mercator/map/index_map.h"\n'},
            "mercator/expr/a.h:2: error: expr may not include mercator/map/index_map.h: map is not below it",
        )

    def test_an_include_of_a_layer_beside(self):
        self.expect(
            {"mercator/map/a.cc": '  #  include "mercator/hlo/module.h"\n'},
            "mercator/map/a.cc:1: error: map may not include mercator/hlo/module.h: hlo is not below it",
        )

    def test_an_include_that_is_not_from_the_root(self):
        self.expect(
            {"mercator/map/a.cc": '#include "index_map.h"\n'},
            'mercator/map/a.cc:1: error: "index_map.h": name headers of Mercator from the root, as "mercator/…"',
        )

    def test_a_dependency_on_a_higher_layer(self):
        self.expect(
            {"mercator/hlo/CMakeLists.txt": "mercator_library(hlo\n  SOURCES a.cc\n  DEPENDS support map)\n"},
            "mercator/hlo/CMakeLists.txt:1: error: hlo may not depend on map: it is not below it",
        )

    def test_the_c_interface_includes_c_only(self):
        includes = '#include <stdint.h>\n#include "mercator/dlpack_abi.h"\n'
        files = {
            "mercator/c_api.h": includes,
            "mercator/runtime/c_api.cc": '#include "mercator/c_api.h"\n',
        }
        self.assertEqual(self.check(files), (0, ""))
        for included in ("mercator/runtime/tensor.h", "vector"):
            self.expect(
                {"mercator/c_api.h": f'{includes}#include "{included}"\n'},
                f"mercator/c_api.h:3: error: the C interface may not include {included}",
            )

    def test_the_c_interface_belongs_to_the_layer_that_implements_it(self):
        self.expect(
            {"mercator/hlo/a.cc": '#include "mercator/c_api.h"\n'},
            "mercator/hlo/a.cc:1: error: hlo may not include mercator/c_api.h: runtime is not below it",
        )

    def test_a_folder_that_is_no_layer(self):
        self.expect(
            {"mercator/misc/a.cc": ""},
            "mercator/misc/a.cc:1: error: mercator/misc is not a layer: add it to scripts/check_layers.py",
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
