"""A Python file that reads and prints the lines of the protocol itself, without the class `Bot`."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

__all__ = ["WHY_NO_COPIES", "plays_by_itself", "run_program"]

WHY_NO_COPIES = "it is a program that reads and prints the lines itself"
"""Why a runner cannot fork a copy of such a file for each game."""

_MOST_BYTES = 1 << 20
"""A larger file is taken for a module: parsing takes longer than most bots need to start."""


def plays_by_itself(spec: str) -> bool:
    """Return True if a file is a program, because it can define no class that derives from `Bot`.

    It does not name this package, and none of its classes derives from a class that it imports from
    outside the standard library. Nothing of it is run to find that out.
    """
    if not spec.endswith(".py"):
        return False
    try:
        with open(spec, "rb") as file:
            source = file.read(_MOST_BYTES + 1)
    except OSError:
        return False  # importing it says why
    if len(source) > _MOST_BYTES or b"pwtourney" in source:
        return False
    import ast  # not needed for the bots of the SDK, which start faster without

    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    bases = {
        root
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for root in _find_roots(node.bases)
    }
    foreign = set(_find_foreign(tree))
    return not bases & foreign and not (bases and "*" in foreign)


def _find_roots(bases: "list[ast.expr]") -> "Iterator[str]":
    """Yield the first names of the classes that a class derives from."""
    import ast

    for base in bases:
        while isinstance(base, ast.Attribute | ast.Subscript | ast.Call):
            base = base.func if isinstance(base, ast.Call) else base.value
        if isinstance(base, ast.Name):
            yield base.id


def _find_foreign(tree: "ast.Module") -> "Iterator[str]":
    """Yield the names that a file imports from outside the standard library; `*` for all."""
    import ast

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                root = each.name.partition(".")[0]
                if root not in sys.stdlib_module_names:
                    yield each.asname or root
        elif isinstance(node, ast.ImportFrom):
            root = (node.module or "").partition(".")[0]
            if node.level or root not in sys.stdlib_module_names:
                yield from (each.asname or each.name for each in node.names)


def run_program(file: str) -> None:
    """Run a file as ``python FILE`` does; each line that it prints is sent at once."""
    import runpy

    sys.argv = [file]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    runpy.run_path(file, run_name="__main__")
