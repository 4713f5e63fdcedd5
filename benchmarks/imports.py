"""The imports between the modules of a source tree: import cycles, and upward imports."""

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

__all__ = ["Graph", "find_cycles", "find_imports", "find_upward_imports"]

Graph = Mapping[str, AbstractSet[str]]
"""The modules that each module imports, all by their dotted names."""


def find_imports(tree: ast.Module, package: str, modules: AbstractSet[str]) -> frozenset[str]:
    """Return which of `modules` a module of `package` imports anywhere.

    Imports in functions and for type checking count, because they are dependencies as well.
    """
    names = {name for node in ast.walk(tree) for name in _list_names(node, package)}
    return frozenset(module for name in names if (module := _find_module(name, modules)))


def find_cycles(graph: Graph) -> list[tuple[str, ...]]:
    """Return the import cycles: groups of modules that all import each other, directly or not."""
    reachable = {name: _find_reachable(name, graph) for name in graph}
    cycles = {
        tuple(sorted(other for other in reachable[name] if name in reachable[other]))
        for name in graph
        if name in reachable[name]
    }
    return sorted(cycles)


def find_upward_imports(graph: Graph, floors: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return module and imported module of each import that leads to the same or a higher floor.

    Imports within a package are allowed. `floors` are by the second part of a dotted name; a
    name without a second part has no floor.
    """
    return sorted(
        (name, target)
        for name, targets in graph.items()
        for target in targets
        if (own := _get_package(name)) and (other := _get_package(target))
        if own != other and floors[other] >= floors[own]
    )


def _list_names(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the dotted names that a statement imports; ``from a import b`` gives ``a.b``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        source = [*(parents if node.level else ()), *([node.module] if node.module else ())]
        yield from (".".join([*source, alias.name]) for alias in node.names)


def _find_module(name: str, modules: AbstractSet[str]) -> str:
    """Return the module of a name: its longest prefix that is a module, or an empty text."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def _find_reachable(start: str, graph: Graph) -> set[str]:
    """Return all direct and indirect imports of a module; itself only if it is in a cycle."""
    reachable: set[str] = set()
    to_follow = set(graph[start])
    while to_follow:
        name = to_follow.pop()
        reachable.add(name)
        to_follow |= graph[name] - reachable
    return reachable


def _get_package(name: str) -> str:
    """Return the part of a dotted name after the root."""
    return name.partition(".")[2].partition(".")[0]
