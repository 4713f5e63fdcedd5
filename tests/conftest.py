"""Fixtures and rules for the whole suite."""

import compileall
import gc
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from pwtourney.sandbox.cores import find_usable_cores
from tests.effort import EffortPlugin
from tests.needs import need_program, skip_for
from tests.report.browser import QUIET
from tests.selection import holds_none
from tests.sharing import Once, sharing

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")

# A shell lets what it starts in the background ignore the first two, nohup the third, and so would
# all that tests start; many of them are interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

MOST_JOBS = 16
"""Test processes on a large machine: each may hold some hundred MiB."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Let ``-n auto`` mean two a core: half of what tests take is waiting for other processes.

    Quick tests wait for little; each process takes seconds to begin.
    """
    cores = find_usable_cores().slots
    is_quick = "not slow" in config.option.markexpr
    return min(cores + 1 if is_quick else 2 * cores, MOST_JOBS)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not read files of which nothing would be left, unless they are named."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return (is_test and holds_none(collection_path, config.option.markexpr)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to CI what is thorough; in parallel, let what takes longest begin first.

    So nobody waits for it at the end.
    """
    if not (os.environ.get("CI") or os.environ.get("THOROUGH")):
        left = [item for item in items if item.get_closest_marker("thorough")]
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_seconds, reverse=True)


def pytest_collection_finish() -> None:
    """Keep tests and modules out of all later searches for garbage: there are a million of them."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _seconds(item: pytest.Item) -> float:
    """Return what a test takes, as its mark says: ``slow`` is a second, ``slow(20)`` are 20."""
    mark = item.get_closest_marker("slow")
    return float(next(iter(mark.args), 1)) if mark else 0.0


ROOT = Path(__file__).parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let what was compiled be found again, by all the processes that tests start."""
    gc.disable()  # until tests are collected: what is made until then stays
    if "not slow" in config.option.markexpr:
        config.pluginmanager.register(EffortPlugin())
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _keep_bytecode()
        _keep_prepared()


def _keep_bytecode() -> None:
    """Compile the sources before any bot does: one that may not write would do so at every start.

    That, and to keep bytecode from being written, took a third of the time of all tests.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    for package in (ROOT / "pwtourney", ROOT / "bots" / "pwtourney_bots"):
        compileall.compile_dir(package, quiet=2)


def _keep_prepared() -> None:
    """Keep what bots prepare from one run to the next: to compile a champion takes 20 s.

    It lies where the bots of root, who are other users, can come to, which may not be its home.
    """
    if "PWTOURNEY_CACHE_DIR" not in os.environ:
        folder = Path(tempfile.gettempdir()) / f"pwtourney-tests-{os.getuid()}"
        with suppress(FileExistsError):
            folder.mkdir()
        # others may have made it, or a link of that name that leads anywhere
        status = folder.lstat()
        if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
            folder = Path(tempfile.mkdtemp(prefix="pwtourney-tests-"))
        folder.chmod(0o755)
        os.environ["PWTOURNEY_CACHE_DIR"] = str(folder)


@pytest.fixture(autouse=True)
def readable_tmp_path(request: pytest.FixtureRequest) -> None:
    """Let the bots of root, who are other users, read what a test lays down for them."""
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("tmp_path").chmod(0o755)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a way to fill a folder once for all tests; who changes something takes a copy."""
    return sharing(tmp_path_factory)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium once for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        skip_for("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield found
        found.close()


@pytest.fixture(scope="session")
def numba_cache(once: Once) -> None:
    """See to it that all that numba compiles is kept next to its source: 20 s, once.

    The bots that search are prepared in seconds then.
    """

    def compile_all(_: Path) -> None:
        subprocess.run([sys.executable, "-m", "tests.bots.compile"], cwd=ROOT, check=True)

    once("numba-cache", compile_all)


@pytest.fixture
def needs() -> Callable[[str], None]:
    """Return a check that skips a test for want of a program, and fails it under CI."""
    return need_program
