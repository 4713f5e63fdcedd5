"""What the modules of a source tree import from each other: circles, and upward imports."""

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

__all__ = ["Graph", "find_circles", "find_imports", "find_upward_imports"]

Graph = Mapping[str, AbstractSet[str]]
"""The modules that each module imports, all by their dotted names."""


def find_imports(tree: ast.Module, package: str, modules: AbstractSet[str]) -> frozenset[str]:
    """Return which of `modules` a module of `package` imports, wherever in it.

    Imports within functions and for type checking count, for they too say who knows whom.
    """
    names = {name for node in ast.walk(tree) for name in _list_names(node, package)}
    return frozenset(module for name in names if (module := _find_module(name, modules)))


def find_circles(graph: Graph) -> list[tuple[str, ...]]:
    """Return the groups of modules in which each imports each, if through others, in order."""
    reachable = {name: _find_reachable(name, graph) for name in graph}
    circles = {
        tuple(sorted(other for other in reachable[name] if name in reachable[other]))
        for name in graph
        if name in reachable[name]
    }
    return sorted(circles)


def find_upward_imports(graph: Graph, floors: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return who imports what from a floor that is not below its own, but in its own package.

    `floors` are by the second part of a dotted name; what has no second part is on none.
    """
    return sorted(
        (name, target)
        for name, targets in graph.items()
        for target in targets
        if (own := _get_package(name)) and (other := _get_package(target))
        if own != other and floors[other] >= floors[own]
    )


def _list_names(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the dotted names that a statement imports; of ``from a import b`` that is ``a.b``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        source = [*(parents if node.level else ()), *([node.module] if node.module else ())]
        yield from (".".join([*source, alias.name]) for alias in node.names)


def _find_module(name: str, modules: AbstractSet[str]) -> str:
    """Return the module that a name is or comes from: the longest beginning that is a module."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def _find_reachable(start: str, graph: Graph) -> set[str]:
    """Return what a module imports, also through others; itself only if it is in a circle."""
    reachable: set[str] = set()
    to_follow = set(graph[start])
    while to_follow:
        name = to_follow.pop()
        reachable.add(name)
        to_follow |= graph[name] - reachable
    return reachable


def _get_package(name: str) -> str:
    """Return the part of a dotted name below the root."""
    return name.partition(".")[2].partition(".")[0]
