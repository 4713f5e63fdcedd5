"""The classes that the classes of a Python file derive from, read without running it."""

import ast
import sys
from collections.abc import Iterator

__all__ = ["derives_from_others"]

_EVERYTHING = "*"


def derives_from_others(source: bytes) -> bool:
    """Return True if a class may derive from one of a module outside the standard library.

    It is True, too, if the source cannot be parsed: importing it says why.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    nodes = list(ast.walk(tree))
    bases = {name for node in nodes if isinstance(node, ast.ClassDef) for name in _bases_of(node)}
    imported = {name for node in nodes for name in _list_imported(node)}
    return bool(bases & imported or (bases and _EVERYTHING in imported))


def _bases_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield all names in the bases of a class: `mine` and `Kind` of ``mine.Base[Kind]``."""
    for base in node.bases:
        yield from (part.id for part in ast.walk(base) if isinstance(part, ast.Name))


def _list_imported(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement imports from outside the standard library."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if root not in sys.stdlib_module_names:
                yield alias.asname or root
    elif isinstance(node, ast.ImportFrom):
        root = (node.module or "").partition(".")[0]
        if node.level or root not in sys.stdlib_module_names:
            yield from (alias.asname or alias.name for alias in node.names)
