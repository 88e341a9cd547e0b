#!/usr/bin/env python3
"""Checks that the folders of mercator/ know only about folders below them.

    check_layers.py [ROOT]

Both the includes of every source file and the DEPENDS of every mercator_library() must obey the arrows
below, which are those of docs/architecture.md. A folder X has one library, X, and may have others, X_…,
that know it as well. Headers in mercator/ itself are the C interface, which `runtime` implements: they
include nothing but each other and the headers of C. Prints each violation as FILE:LINE: error: …; the
exit status is 1 if there are any.
"""

import pathlib
import re
import sys

# Each folder and the folders directly below it. What lies below those may be used too.
ARROWS = {
    "support": [],
    "expr": ["support"],
    "map": ["expr"],
    "hlo": ["support"],
    "indexing": ["map", "hlo"],
    "analysis": ["indexing"],
    "rewrite": ["indexing"],
    "fusion": ["analysis"],
    "affine": ["map"],
    "runtime": ["hlo"],
    "codegen": ["analysis", "fusion", "runtime"],
    "tools": ["analysis", "rewrite", "fusion", "affine", "runtime", "codegen"],
}

# The layer that implements the headers in mercator/ itself, and what these may include.
C_INTERFACE = "runtime"
C_HEADER = re.compile(r"(mercator/)?\w+\.h")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
LIBRARY = re.compile(r"mercator_library\(\s*(\w+)([^)]*)\)")


def below(folder):
    """Every folder that `folder` may know about, itself included."""
    reached = {folder}
    for lower in ARROWS[folder]:
        reached |= below(lower)
    return reached


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def include_errors(path, folder, text):
    for match in INCLUDE.finditer(text):
        quote, included = match.groups()
        parts = included.split("/")
        line = line_of(text, match.start())
        if parts[0] == "mercator" and len(parts) > 1:
            if quote == "<":
                yield line, f'write #include "{included}", with quotes'
            included_folder = parts[1] if len(parts) > 2 else C_INTERFACE
            if included_folder not in below(folder):
                yield line, f"{folder} may not include {included}: {included_folder} is not below it"
        elif quote == '"':
            yield line, f'"{included}": name headers of Mercator from the root, as "mercator/…"'


def c_interface_errors(text):
    for match in INCLUDE.finditer(text):
        _, included = match.groups()
        if not C_HEADER.fullmatch(included):
            yield line_of(text, match.start()), f"the C interface may not include {included}"


def dependency_errors(path, folder, text):
    for match in LIBRARY.finditer(text):
        name, arguments = match.groups()
        line = line_of(text, match.start())
        if name != folder and not name.startswith(folder + "_"):
            yield line, f"a library of mercator/{folder} is called {name}"
        _, _, dependencies = arguments.partition("DEPENDS")
        for dependency in dependencies.split():
            is_beside = dependency == folder and name != folder
            if not is_beside and dependency not in below(folder) - {folder}:
                yield line, f"{name} may not depend on {dependency}: it is not below it"


def check(root):
    """Yields (path, line, message) for each violation under `root`/mercator."""
    for path in sorted((root / "mercator").rglob("*")):
        relative = path.relative_to(root)
        folder = relative.parts[1]
        if path.is_dir():
            continue
        if len(relative.parts) == 2 and path.suffix == ".h":
            for line, message in c_interface_errors(path.read_text(encoding="utf-8")):
                yield relative, line, message
        elif folder not in ARROWS:
            yield relative, 1, f"mercator/{folder} is not a layer: add it to scripts/check_layers.py"
        elif path.suffix in (".h", ".cc"):
            for line, message in include_errors(path, folder, path.read_text(encoding="utf-8")):
                yield relative, line, message
        elif path.name == "CMakeLists.txt":
            for line, message in dependency_errors(path, folder, path.read_text(encoding="utf-8")):
                yield relative, line, message


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    violations = 0
    for path, line, message in check(root):
        print(f"{path}:{line}: error: {message}", file=sys.stderr)
        violations += 1
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
