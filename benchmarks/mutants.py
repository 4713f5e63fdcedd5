"""Mutation testing of a package: ``python -m benchmarks.mutants PACKAGE``.

PACKAGE is a module or folder below ``pwtourney``, such as ``clock``, ``rules`` or
``report/page``. mutmut (``pip
install mutmut``) changes a copy of the checkout in one place at a time, and the quick tests of the
package run each time; with ``--slow`` the slow ones, too. Undetected changes are listed: either a
test is missing, or the change makes no difference. ``--draw N`` tries N changes drawn at random,
the same ones each time, for a package of which all would take hours. ``--keep FOLDER`` keeps the
copy, in which ``mutmut show NAME`` shows a change.

mutmut runs the tests that call a changed function in their own process. With ``--apart``, all tests
of the package try a change that went undetected again, because some start a program that calls it;
``--tests FOLDER`` adds tests of another folder to them, such as those of the commands.
"""

import argparse
import json
import os
import random
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.sandbox.cores import find_usable_cores

__all__ = [
    "Score",
    "copy_checkout",
    "describe_config",
    "draw_changes",
    "find_tests",
    "leave_applications",
    "list_noticed_apart",
    "main",
    "make_environment",
    "read_score",
]

_ROOT = Path(__file__).parents[1]
_SETTINGS = """\
import contextlib, os
if os.environ.get("MUTANT_UNDER_TEST") == "stats":
    # a bot may not see the folder, and needs no settings then
    with contextlib.suppress(OSError), contextlib.chdir({0!r}):
        from mutmut.configuration import config
        config()
"""
"""Reads mutmut's settings when a process starts.

While mutmut looks which test runs which function, every process that runs one needs the settings,
and would look for them in its current folder.
"""
_MOST_SECONDS = 1800
"""The seconds after which tests count as hanging; even a busy machine needs less."""

_LEFT_OUT = "  # pragma: no mutate block"
"""The comment after the first line of a function that mutmut must not change."""

_UNNOTICED = ("survived", "no tests", "suspicious")


class Score(NamedTuple):
    """The number of changes that the tests detected, and of all changes.

    A change after which the tests hang counts as detected. A change that makes mutmut itself
    fail, or that the user skips, does not count at all.
    """

    noticed: int
    total: int

    def __str__(self) -> str:
        share = 100 * self.noticed / self.total if self.total else 100
        return f"{self.noticed:,} of {self.total:,} noticed ({share:.1f} %)"


def find_tests(package: str, root: Path = _ROOT, more: Sequence[str] = ()) -> list[str]:
    """Return the test files of a package or module, and itself for its docstring examples.

    What lies in a package without tests of its own is tested by those of the package around it.
    `more` are further files or folders of tests.
    """
    room = Path(package)
    while room.parent.name and not (root / "tests" / room).exists():
        room = room.parent
    places = (f"tests/{room}", f"tests/test_{room}.py", *_find_sources(package, root), *more)
    return [path for path in places if (root / path).exists()]


def describe_config(package: str, root: Path = _ROOT, *, slow: bool = False) -> str:
    """Return mutmut's settings for one package in TOML, with or without `slow` tests.

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
        # tests that measure times would fail in correct mutated code, which is slower
        "pytest_add_cli_args": _choose_tests(slow=slow),
        # tests that adopt orphans do so for the whole process, and mutmut would wait for them
        "process_isolation": "forkserver",
    }
    # JSON lists and strings are valid TOML
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n[tool.mutmut]\n" + "\n".join(lines) + "\n"


def _choose_tests(*, slow: bool) -> list[str]:
    """Return the arguments of pytest for the quick tests, or for the `slow` ones as well."""
    return ["-m", "not serial" if slow else "not serial and not slow", "-p", "no:cacheprovider"]


def copy_checkout(folder: Path, root: Path = _ROOT) -> None:
    """Copy all files that git tracks or does not ignore, in their current state."""
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


def leave_applications(folder: Path) -> None:
    """Make mutmut leave out the methods of a copy by which uvicorn calls an application.

    Their signature would be hidden, and uvicorn would take the application for a factory.
    """
    for path in (folder / "pwtourney").rglob("*.py"):
        text = path.read_text()
        marked = re.sub(r"(async def __call__\(.*:)$", rf"\1{_LEFT_OUT}", text, flags=re.MULTILINE)
        if marked != text:
            path.write_text(marked)


def make_environment(folder: Path) -> None:
    """Make an environment in a copy, whose package and command ``pwtourney`` are the changed ones.

    Its other packages are those of the environment that runs this. Bots in a sandbox see only the
    changed ``pwtourney``.
    """
    target = folder / ".venv"
    venv.create(target, symlinks=True)
    purelib = Path(sysconfig.get_path("purelib", "venv", {"base": str(target)}))
    changed = folder / "mutants"
    (purelib / "mutmut_settings.py").write_text(_SETTINGS.format(str(folder)))
    searched = [changed, changed / "bots", *site.getsitepackages(), "import mutmut_settings"]
    (purelib / "mutants.pth").write_text("".join(f"{line}\n" for line in searched))
    command = target / "bin/pwtourney"
    command.write_text(f"#!{target}/bin/python\nfrom pwtourney.__main__ import main\nmain()\n")
    command.chmod(0o755)


def read_score(stats: Path) -> Score:
    """Return the score from the counts that mutmut has exported."""
    counts = json.loads(stats.read_text())
    noticed = counts["killed"] + counts["timeout"] + counts["segfault"]
    return Score(noticed, noticed + sum(counts[word.replace(" ", "_")] for word in _UNNOTICED))


def _find_sources(package: str, root: Path) -> list[str]:
    places = (f"pwtourney/{package}", f"pwtourney/{package}.py")
    return [path for path in places if (root / path).exists()]


def _list_other_places(root: Path) -> list[str]:
    """Return the files that tests may read: all in the checkout that mutmut does not copy."""
    skipped = {".git", ".venv", "pwtourney", "tests", "mutants"}
    return sorted(path.name for path in root.iterdir() if path.name not in skipped)


def draw_changes(listed: str, count: int) -> list[str]:
    """Return the names of `count` changes that mutmut lists, or of all if there are fewer.

    The same list gives the same changes, so that a score can be compared with an earlier one.
    """
    names = [line.rpartition(":")[0].strip() for line in listed.splitlines() if ":" in line]
    return sorted(random.Random(0).sample(names, min(count, len(names))))


def _choose_changes(folder: Path, count: int | None) -> list[str]:
    """Return the changes to try, in mutmut's words: nothing stands for all."""
    if count is None:
        return []
    # mutmut makes its changes before it looks for the named ones: no change has this name
    _run_tool(folder, "run", "none", must_succeed=False)
    return draw_changes(_run_tool(folder, "results", "--all", "true"), count)


def _try_changes(folder: Path, count: int | None) -> Score:
    """Let mutmut try `count` changes, or all, and return the score."""
    named = _choose_changes(folder, count)
    _run_tool(folder, "run", "--max-children", str(find_usable_cores().slots), *named)
    _run_tool(folder, "export-cicd-stats")
    return read_score(folder / "mutants/mutmut-cicd-stats.json")


def _list_unnoticed(folder: Path) -> list[str]:
    """Return the lines of mutmut, "name: state", on changes that went undetected."""
    shown = _run_tool(folder, "results").splitlines()
    return [line.strip() for line in shown if line.strip().endswith(_UNNOTICED)]


def list_noticed_apart(folder: Path, lines: Sequence[str], tests: Sequence[str]) -> list[str]:
    """Return those of mutmut's lines whose changes fail a test, or make the tests hang.

    `tests` are arguments of pytest, all of which try each change. Raises `SystemExit` if they
    fail without a change.
    """
    if _fails(folder, "none", tests):
        sys.exit("these tests fail without a change")
    names = [line.rpartition(":")[0] for line in lines]
    with ThreadPoolExecutor(find_usable_cores().slots) as pool:
        failed = pool.map(lambda name: _fails(folder, name, tests), names)
        return [line for line, noticed in zip(lines, failed, strict=True) if noticed]


def _fails(folder: Path, change: str, tests: Sequence[str]) -> bool:
    """Return True if a test fails with a change, or if the tests take too long with it."""
    try:
        done = _run_apart(
            folder,
            ["pytest", "-q", "-x", *tests],
            at=folder / "mutants",
            stdout=subprocess.DEVNULL,
            variables={"MUTANT_UNDER_TEST": change},
            timeout=_MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _run_tool(folder: Path, *words: str, must_succeed: bool = True) -> str:
    """Run mutmut in a copy, and return its output; the progress of `run` stays on the terminal."""
    stdout = None if words[0] == "run" else subprocess.PIPE
    done = _run_apart(folder, ["mutmut", *words], at=folder, stdout=stdout)
    if must_succeed:
        done.check_returncode()
    return done.stdout or ""


def _run_apart(
    folder: Path,
    words: Sequence[str],
    *,
    at: Path,
    stdout: int | None,
    variables: Mapping[str, str] = MappingProxyType({}),
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a module with the environment of a copy, and folders of its own.

    Mutated code may remove or open a folder that it must not, so temporary files and the home
    are in a folder that only this run uses. Bots of root, which run as other users, can read
    it. Raises `subprocess.TimeoutExpired` after `timeout` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="pwtourney-mutants-") as scratch:
        Path(scratch).chmod(0o755)
        return subprocess.run(
            [folder / ".venv/bin/python", "-m", *words],
            cwd=at,
            env={**os.environ, "TMPDIR": scratch, "HOME": scratch, **variables},
            stdout=stdout,
            text=True,
            timeout=timeout,
            check=False,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Mutate the named packages one after the other, and print the scores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("package", nargs="+", help="a module or folder below pwtourney")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the changed copies here")
    parser.add_argument("--draw", type=int, metavar="N", help="try N changes drawn at random")
    parser.add_argument("--slow", action="store_true", help="let slow tests run as well")
    parser.add_argument("--apart", action="store_true", help="try again with all tests")
    parser.add_argument(
        "--tests", action="append", default=[], metavar="FOLDER", help="tests to add, with --apart"
    )
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
            base.mkdir(parents=True, exist_ok=True)
            base.chmod(0o755)  # bots of root, which run as other users, start the Python in it
            folder = base.resolve() / package
            copy_checkout(folder)
            leave_applications(folder)
            make_environment(folder)
            with (folder / "pyproject.toml").open("a") as file:
                file.write(config)
            score = _try_changes(folder, chosen.draw)
            unnoticed = _list_unnoticed(folder)
            if chosen.apart:
                tests = [*find_tests(package, more=chosen.tests), *_choose_tests(slow=chosen.slow)]
                noticed = list_noticed_apart(folder, unnoticed, tests)
                unnoticed = [line for line in unnoticed if line not in noticed]
                score = score._replace(noticed=score.noticed + len(noticed))
            for line in unnoticed:
                print(line)
            print(f"{package}: {score}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
