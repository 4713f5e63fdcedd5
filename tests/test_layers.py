"""The layers of the package: a module imports only from lower floors and from its own package."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import pwtourney

ROOT = Path(pwtourney.__file__).parent
FLOORS = {
    "compact_json": 0,
    "constants": 0,
    "errors": 0,
    "home_directory": 0,
    "sanitize": 0,
    "signals": 0,
    "streams": 0,
    "strict": 0,
    "text_files": 0,
    "version": 0,
    "web": 0,
    "simulate": 2,
    "rules": 1,
    "notation": 2,
    "clock": 2,
    "protocol": 3,
    "sdk": 4,
    "sandbox": 3,
    "process": 4,
    "prepare": 5,
    "match": 5,
    "schedule": 5,
    "ratings": 3,
    "tuning": 4,
    "standings": 4,
    "config": 6,
    "bots": 4,
    "on_demand": 0,
    "executor": 6,
    "store": 6,
    "tables": 7,
    "report": 8,
    "scaffold": 7,
    "tournament": 9,
    "conformance": 9,
    "testing": 9,
    "human": 9,
    "rl": 9,
    "arena": 10,
    "doctor": 10,
    "library": 10,
    "cli": 11,
    "__main__": 12,
}
STANDARD_ONLY = (
    "compact_json",
    "constants",
    "errors",
    "home_directory",
    "on_demand",
    "sanitize",
    "signals",
    "streams",
    "text_files",
    "version",
    "web",
    "sandbox",
    "rules",
    "notation",
    "clock",
    "protocol",
    "sdk",
)
PROJECTS = ROOT / "scaffold" / "projects"
"""Templates of new projects, whose imports are not checked."""
MODULES = sorted(path for path in ROOT.rglob("*.py") if PROJECTS not in path.parents)
SHARED_NAMES = {
    "__main__": "Python runs the module of this name in a package",
    "page": "the main module of the package `report.page`",
    "store": "the main module of the package `store`",
    "views": "the routes of a part of the arena; each part has some",
}
"""The names that several modules have, and why they mean the same in all of them."""


pytestmark = pytest.mark.xdist_group("layers")
"""All tests run in one process, so that each module is parsed once."""


@cache
def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def find_part(path: Path) -> str:
    """Return the name of the package or module that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return every module that a file imports anywhere, including imports for type checking."""
    return imports_of(parse(path), path)


def imports_of(tree: ast.AST, path: Path) -> set[str]:
    """Return every module that a part of a file imports."""
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not used"
            modules.add(node.module or "")
    return modules


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_import_runs_upwards_or_sideways(path: Path) -> None:
    """The floors are checked by reading all imports; no module imports a bundled bot."""
    if path == ROOT / "__init__.py":
        return  # the package itself is above all floors, and imports modules lazily
    own = find_part(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "pwtourney" and len(parts) > 1 and parts[1] != own:
            assert FLOORS[parts[1]] < FLOORS[own], f"{path} imports {name}"
        assert parts[0] != "pwtourney_bots", f"{path} imports {name}"


def test_package_init_imports_for_type_checkers_only() -> None:
    """Importing the package is fast; each name imports its module at its first use."""
    path = ROOT / "__init__.py"
    for statement in parse(path).body:
        checking = isinstance(statement, ast.If) and getattr(statement.test, "id", "") != ""
        assert checking or imports_of(statement, path) <= {"importlib"}


@pytest.mark.parametrize("package", STANDARD_ONLY)
def test_lower_floors_need_only_the_standard_library(package: str) -> None:
    """A bot's imports must exist wherever Python does."""
    import sys

    paths = [path for path in MODULES if find_part(path) == package]
    assert paths
    for path in paths:
        roots = {name.split(".")[0] for name in imports(path)} - {"pwtourney"}
        assert roots <= sys.stdlib_module_names


def test_program_inside_the_sandbox_imports_nothing_else_of_ours() -> None:
    """It starts with every bot, so only imports of the standard library are affordable."""
    sandbox, program = ROOT / "sandbox", ("pwtourney.sandbox.inside", "pwtourney.sandbox.syscalls")
    for name in program:
        path = sandbox / f"{name.rpartition('.')[2]}.py"
        assert all(module in program for module in imports(path) if module.startswith("pwtourney"))
    assert not any(name.startswith("pwtourney") for name in imports(sandbox / "__init__.py"))


@pytest.mark.slow
def test_rules_read_no_clock_and_draw_no_random_numbers() -> None:
    """They import neither `time` nor `random` nor any module that asks the system."""
    for package in (
        "rules",
        "notation",
        "clock",
        "protocol",
        "schedule",
        "ratings",
        "standings",
        "tuning",
    ):
        for path in (path for path in MODULES if find_part(path) == package):
            assert not imports(path) & {"time", "random", "secrets", "os", "datetime"}


@pytest.mark.slow
def test_one_module_installs_signal_handlers() -> None:
    """Others use it, so that ignored signals stay ignored, and `hold_signals` holds all back."""
    for path in MODULES:
        if path == ROOT / "signals.py":
            continue
        calls = {
            node.func.attr
            for node in ast.walk(parse(path))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and getattr(node.func.value, "id", "") in ("signal", "loop")
        }
        assert not calls & {"signal", "siginterrupt", "add_signal_handler"}, path


def test_contributing_names_every_floor() -> None:
    """Its table equals the floors of this test."""
    text = (ROOT.parent / "CONTRIBUTING.md").read_text()
    floors = {
        name: int(floor)
        for floor, names in re.findall(r"^\| (\d+) \| ([^|]*) \|", text, re.MULTILINE)
        for name in re.findall(r"`([^`]*)`", names)
    }
    assert floors == {name: floor for name, floor in FLOORS.items() if name != "__main__"}


def test_module_names_have_one_meaning() -> None:
    """Only SHARED_NAMES are used twice, and by modules of `cli`, named after what commands run."""
    dotted = (path.with_suffix("").relative_to(ROOT.parent).parts for path in MODULES)
    names = Counter(
        (parts[:-1] if parts[-1] == "__init__" else parts)[-1]
        for parts in dotted
        if parts[1] != "cli"
    )
    assert {name for name, count in names.items() if count > 1} == set(SHARED_NAMES)


def list_names(path: Path, tree: ast.Module) -> set[str]:
    """Return the names that a module binds; for a package, also the modules in it."""
    names = {module.stem for module in path.parent.iterdir() if path.name == "__init__.py"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


@pytest.mark.slow
def test_every_module_defines_its_exports() -> None:
    """`__all__` exists and its names do."""
    for path in MODULES:
        if path.name == "__main__.py" and path.parent == ROOT:
            continue
        tree = parse(path)
        (assigned,) = (
            node
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        )
        missing = set(ast.literal_eval(assigned.value)) - list_names(path, tree)
        assert not missing, f"{path} exports {missing}"
