"""Measures the readability of a source tree: ``python -m benchmarks.house [PATH [TESTS]]``.

The tree is read, not run, except for one row: the modules that `pwtourney run` imports. PATH is a
package (default: ours); TESTS is the folder of its tests (default: the one next to it).
"""

import argparse
import ast
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.english import is_adjective, is_participle
from benchmarks.imports import Graph, find_cycles, find_imports, find_upward_imports
from tests.docs.test_words import find_replaced
from tests.test_layers import FLOORS

__all__ = [
    "Function",
    "House",
    "Module",
    "measure_own_tree",
    "measure_tree",
    "read_house",
    "trace_run",
]

_ROOT = Path(__file__).parents[1]
_OWN = _ROOT / "pwtourney"
_SHORT, _LONG = 60, 400
_CROWDED = range(382, _LONG + 1)
"""Sizes just below the limit; many such modules mean that authors stop at the limit."""

_FRONT_END = {
    "linter (complexity at most 12)": ("npm", "run", "--silent", "lint"),
    "types": ("npx", "tsc", "-p", "."),
}
_IMPORTED = re.compile(r"^import time:.*\| *(\S+)$", re.MULTILINE)
"""A line of ``python -X importtime``: times, and the imported module."""

Row = tuple[str, str]


class Function(NamedTuple):
    """A function or method: its name and its first line."""

    name: str
    line: int

    @property
    def is_private(self) -> bool:
        """True if the name begins with an underscore, which means that only its module uses it."""
        return self.name.startswith("_") and not self.name.endswith("__")

    @property
    def has_bare_name(self) -> bool:
        """True if the name is one word that is a participle or an adjective."""
        word = self.name.lstrip("_")
        return "_" not in word and (is_participle(word) or is_adjective(word))


class Module(NamedTuple):
    """A module: its dotted name, and its file relative to the folder that contains the package.

    `lines` are all lines, `code` those that are not blank, and `comments` those with a comment,
    on its own or after code. `helpers` are the private functions that are used in one place.
    `packed` counts literals that are unpacked as ``*(a, b)`` among arguments or elements.
    """

    name: str
    path: Path
    lines: int
    code: int
    comments: int
    functions: tuple[Function, ...]
    helpers: tuple[Function, ...]
    packed: int
    imports: frozenset[str]


class House(NamedTuple):
    """A source tree: its modules sorted by name, and the lines of its tests, None without tests."""

    modules: tuple[Module, ...]
    test_lines: int | None

    @property
    def graph(self) -> Graph:
        """The imports of each module."""
        return {module.name: module.imports for module in self.modules}

    @property
    def functions(self) -> list[Function]:
        """The functions of all modules."""
        return [function for module in self.modules for function in module.functions]


def read_house(root: Path, tests: Path | None) -> House:
    """Read the modules of a package, and count the lines in a folder of tests."""
    paths = {_name_module(path, root): path for path in _find_files(root)}
    names = frozenset(paths)
    modules = tuple(_read_module(name, path, root, names) for name, path in sorted(paths.items()))
    if tests is None:
        return House(modules, None)
    return House(modules, sum(_count_lines(_read_text(path)) for path in tests.rglob("*.py")))


def measure_tree(house: House) -> Iterator[Row]:
    """Yield the measurements and values that can be read from any source tree."""
    yield from _measure_functions(house)
    yield from _measure_modules([module.lines for module in house.modules])
    code = sum(module.code for module in house.modules)
    comments = sum(module.comments for module in house.modules)
    packed = sum(module.packed for module in house.modules)
    yield "calls and tables packed as *(…)", f"{packed:,}"
    yield "comment lines per 100 lines of code", _format_ratio(100 * comments, code)
    lines = sum(module.lines for module in house.modules)
    tests = "–" if house.test_lines is None else _format_ratio(house.test_lines, lines)
    yield "lines of tests per line of product", tests
    yield "import cycles", f"{len(find_cycles(house.graph)):,}"


def measure_own_tree(house: House) -> Iterator[Row]:
    """Yield the measurements that exist only for our own tree."""
    yield "upward imports", f"{len(find_upward_imports(house.graph, FLOORS)):,}"
    replaced = len(find_replaced("prose"))
    yield "replaced words in docstrings, comments and test names", f"{replaced:,}"
    docs, contributing = _count_words("docs/**/*.md"), _count_words("CONTRIBUTING.md")
    yield "words: docs / CONTRIBUTING", f"{docs:,} / {contributing:,}"
    for part, words in _FRONT_END.items():
        yield f"front end: {part}", _check_front_end(words)
    imported = trace_run()
    ours = imported & {module.name for module in house.modules}
    yield "modules imported by one `run`", f"{len(ours):,} (with others' {len(imported):,})"


def _check_front_end(words: Sequence[str]) -> str:
    """Return "clean" if a program finds nothing, "–" if it is not installed."""
    if shutil.which(words[0]) is None or not (_ROOT / "node_modules").exists():
        return "–"
    done = subprocess.run(words, cwd=_ROOT, capture_output=True, check=False)
    return "clean" if done.returncode == 0 else "finds something"


def trace_run() -> set[str]:
    """Play a pair of bundled bots; return the modules that all other processes import."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "league.yaml"
        config.write_text("bots: [greedy, frugal]\npairs: 1\n")
        words = ("-m", "pwtourney", "run", str(config), "--results", f"{folder}/results")
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *words], capture_output=True, text=True, check=True
        )
    return set(_IMPORTED.findall(done.stderr))


def _measure_functions(house: House) -> Iterator[Row]:
    whole = len(house.functions)
    private = sum(function.is_private for function in house.functions)
    helpers = sum(len(module.helpers) for module in house.modules)
    of_private = f"{_format_percent(helpers, private)} of the private ones"
    bare = sum(function.has_bare_name for function in house.functions)
    yield "functions", f"{whole:,}"
    yield "private helpers called once", f"{_format_share(helpers, whole)}, {of_private}"
    yield "functions named by a bare participle or adjective", _format_share(bare, whole)


def _measure_modules(sizes: Sequence[int]) -> Iterator[Row]:
    short = sum(size < _SHORT for size in sizes)
    yield "modules", f"{len(sizes):,}"
    yield f"modules under {_SHORT} lines", _format_share(short, len(sizes))
    yield "median lines of a module", f"{median(sizes):g}"
    crowded = sum(size in _CROWDED for size in sizes)
    yield f"modules between {_CROWDED[0]} and {_CROWDED[-1]} lines", f"{crowded:,}"
    yield f"modules over {_LONG} lines", f"{sum(size > _LONG for size in sizes):,}"


def _find_files(root: Path) -> Iterator[Path]:
    """Yield the files of a package, which ends at folders without an ``__init__.py``."""
    yield from root.glob("*.py")
    for initial in root.glob("*/__init__.py"):
        yield from _find_files(initial.parent)


def _name_module(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read_module(name: str, path: Path, root: Path, names: frozenset[str]) -> Module:
    text = _read_text(path)
    tree = ast.parse(text, str(path))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    functions = tuple(_find_functions(tree))
    return Module(
        name=name,
        path=path.relative_to(root.parent),
        lines=_count_lines(text),
        code=sum(bool(line.strip()) for line in text.splitlines()),
        comments=_count_comments(text),
        functions=functions,
        helpers=tuple(_find_helpers(tree, functions)),
        packed=_count_packed(tree),
        imports=find_imports(tree, package, names) - {name},
    )


def _find_functions(tree: ast.Module) -> list[Function]:
    functions = [
        Function(node.name, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return sorted(functions, key=lambda function: function.line)


def _find_helpers(tree: ast.Module, functions: Collection[Function]) -> Iterator[Function]:
    """Yield the private functions whose name is used in one place of their module.

    Passing one on, as a callback or a key, is a use, too. If several functions have the same
    name, such as methods of several classes, the use is ambiguous and none of them counts.
    """
    defined = Counter(function.name for function in functions)
    used = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    )
    for function in functions:
        if function.is_private and defined[function.name] == used[function.name] == 1:
            yield function


def _count_packed(tree: ast.Module) -> int:
    """Count literals that are unpacked where they are written, which only saves lines."""
    return sum(
        isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple | ast.List | ast.Set)
        for node in ast.walk(tree)
    )


def _count_comments(text: str) -> int:
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT for token in tokens)


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _count_lines(text: str) -> int:
    return len(text.splitlines())


def _count_words(pattern: str) -> int:
    return sum(len(_read_text(path).split()) for path in _ROOT.glob(pattern))


def _format_share(part: int, whole: int) -> str:
    return f"{part:,} ({_format_percent(part, whole)})"


def _format_percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _format_ratio(above: int, below: int) -> str:
    return f"{above / below:.2f}" if below else "–"


def _find_tests(root: Path) -> Path | None:
    """Return the folder of tests next to a package, or next to the ``src`` that it is in."""
    project = root.parent.parent if root.parent.name == "src" else root.parent
    return project / "tests" if (project / "tests").is_dir() else None


def _list_remarks(house: House) -> Iterator[str]:
    """Yield the places of bad names, and the modules of each import cycle."""
    for module in house.modules:
        for function in module.functions:
            if function.has_bare_name:
                yield f"{module.path}:{function.line}: {function.name}"
    for cycle in find_cycles(house.graph):
        yield f"cycle: {' '.join(cycle)}"


def main(arguments: Sequence[str]) -> None:
    """Measure a source tree; print the table, and the names and import cycles to fix."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house")
    parser.add_argument("path", nargs="?", type=Path, default=_OWN, help="a package")
    parser.add_argument("tests", nargs="?", type=Path, help="the folder of its tests")
    options = parser.parse_args(arguments)
    root = options.path.resolve()
    house = read_house(root, options.tests or _find_tests(root))
    if not house.modules:
        parser.error(f"{options.path} holds no Python module; name the folder of a package")
    table = Table("measurement", "value")
    for row in (*measure_tree(house), *(measure_own_tree(house) if root == _OWN else ())):
        table.add_row(*row)
    Console().print(table)
    for remark in _list_remarks(house):
        print(remark)


if __name__ == "__main__":
    main(sys.argv[1:])
