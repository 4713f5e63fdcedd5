"""How many small changes of the code the tests notice: ``python -m benchmarks.mutants PACKAGE``.

PACKAGE is a module or folder below ``pwtourney``, such as ``clock`` or ``rules``. A copy of the
checkout is changed in one place at a time by mutmut (``pip install mutmut``), and the quick tests
of the package run each time; with ``--slow`` the slow ones, too. What they do not notice is listed:
a test lacks, or the change makes no difference. ``--keep FOLDER`` keeps the copy, in which ``mutmut
show NAME`` shows a change.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pwtourney.sandbox.cores import find_usable_cores

__all__ = ["Score", "copy_checkout", "describe_config", "find_tests", "main", "read_score"]

_ROOT = Path(__file__).parents[1]
_UNNOTICED = ("survived", "no tests", "suspicious")


class Score(NamedTuple):
    """How many changes the tests noticed, of how many.

    A change after which the tests take for ever counts as noticed. One that makes the tool itself
    fail, or that its user skips, does not count at all.
    """

    noticed: int
    total: int

    def __str__(self) -> str:
        share = 100 * self.noticed / self.total if self.total else 100
        return f"{self.noticed:,} of {self.total:,} noticed ({share:.1f} %)"


def find_tests(package: str, root: Path = _ROOT) -> list[str]:
    """Return the test files of a package or module, and itself for the examples in its texts."""
    places = (f"tests/{package}", f"tests/test_{package}.py", *_find_sources(package, root))
    return [place for place in places if (root / place).exists()]


def describe_config(package: str, root: Path = _ROOT, *, slow: bool = False) -> str:
    """Return the settings of the tool for one package, in TOML, with `slow` tests or without.

    Raises `FileNotFoundError` if there is no such package or module.
    """
    sources = _find_sources(package, root)
    if not sources:
        raise FileNotFoundError(f"pwtourney has no package or module {package!r}")
    changed = [source if source.endswith(".py") else f"{source}/*" for source in sources]
    values = {
        "source_paths": ["pwtourney"],
        "only_mutate": changed,
        "also_copy": _list_other_places(root),
        "pytest_add_cli_args_test_selection": find_tests(package, root),
        # tests that measure times would fail in changed code that is right, which is slower
        "pytest_add_cli_args": [
            "-m",
            "not serial" if slow else "not serial and not slow",
            "-p",
            "no:cacheprovider",
        ],
        # tests that adopt orphans do so for the whole process, and the tool would wait for them
        "process_isolation": "forkserver",
    }
    # what JSON writes for lists and texts is TOML as well
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n[tool.mutmut]\n" + "\n".join(lines) + "\n"


def copy_checkout(folder: Path, root: Path = _ROOT) -> None:
    """Copy what git knows, as it is in the checkout now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)


def read_score(stats: Path) -> Score:
    """Read the counts that the tool has exported."""
    counts = json.loads(stats.read_text())
    noticed = counts["killed"] + counts["timeout"] + counts["segfault"]
    return Score(noticed, noticed + sum(counts[word.replace(" ", "_")] for word in _UNNOTICED))


def _find_sources(package: str, root: Path) -> list[str]:
    places = (f"pwtourney/{package}", f"pwtourney/{package}.py")
    return [place for place in places if (root / place).exists()]


def _list_other_places(root: Path) -> list[str]:
    """Return what the tests may read: all that lies in the checkout, but what the tool copies."""
    skipped = {".git", ".venv", "pwtourney", "tests", "results", "mutants"}
    return sorted(path.name for path in root.iterdir() if path.name not in skipped)


def _list_unnoticed(folder: Path) -> Iterator[str]:
    shown = _run_tool(folder, "results")
    yield from (line.strip() for line in shown.splitlines() if line.strip().endswith(_UNNOTICED))


def _run_tool(folder: Path, *words: str) -> str:
    """Run the tool in a copy, and return what it prints; its progress stays on the terminal.

    Changed code may remove or open a folder that it must not, so temporary files and the home lie
    in a folder that only this run uses. Bots of root, who are other users, can read it.
    """
    with tempfile.TemporaryDirectory(prefix="pwtourney-mutants-") as scratch:
        Path(scratch).chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-m", "mutmut", *words],
            cwd=folder,
            env=os.environ | {"TMPDIR": scratch, "HOME": scratch},
            stdout=None if words[0] == "run" else subprocess.PIPE,
            text=True,
            check=True,
        )
    return done.stdout or ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Change the packages that are named, one after the other, and print what was noticed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("package", nargs="+", help="a module or folder below pwtourney")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the changed copies here")
    parser.add_argument("--slow", action="store_true", help="let slow tests run as well")
    chosen = parser.parse_args(arguments)
    if find_spec("mutmut") is None:
        parser.error(f"install mutmut first: {sys.executable} -m pip install mutmut")
    try:
        configs = {
            package: describe_config(package, slow=chosen.slow) for package in chosen.package
        }
    except FileNotFoundError as error:
        parser.error(str(error))
    for package, config in configs.items():
        with ExitStack() as stack:
            base = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder = base.resolve() / package
            copy_checkout(folder)
            with (folder / "pyproject.toml").open("a") as file:
                file.write(config)
            _run_tool(folder, "run", "--max-children", str(find_usable_cores().slots))
            _run_tool(folder, "export-cicd-stats")
            for line in _list_unnoticed(folder):
                print(line)
            print(f"{package}: {read_score(folder / 'mutants/mutmut-cicd-stats.json')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
