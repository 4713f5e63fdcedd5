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
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from pwtourney.sandbox.cores import find_usable_cores
from tests.effort import EffortPlugin
from tests.needs import need_program, skip_for
from tests.report.browser import QUIET, Opened
from tests.selection import holds_none
from tests.sharing import Once, sharing

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")

# Shells let background jobs ignore SIGINT and SIGQUIT, and nohup SIGHUP. Processes that tests
# start would inherit this, and many of them are interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

MOST_JOBS = 16
"""The most test processes on a large machine: each may use several hundred MiB."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Let ``-n auto`` mean two processes a core: half of the time, tests wait for other processes.

    Quick tests wait little, and each process takes seconds to start, so they get one a core.
    """
    cores = find_usable_cores().slots
    is_quick = "not slow" in config.option.markexpr
    return min(cores + 1 if is_quick else 2 * cores, MOST_JOBS)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore test files in which no test is selected, unless they are named."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return (is_test and holds_none(collection_path, config.option.markexpr)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect thorough tests outside CI; in parallel runs, start the longest tests first.

    The other processes then do not wait for them at the end.
    """
    if not (os.environ.get("CI") or os.environ.get("THOROUGH")):
        left = [item for item in items if item.get_closest_marker("thorough")]
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left)
    if os.environ.get("CI"):
        _allow_a_second_run(items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_seconds, reverse=True)


def pytest_collection_finish() -> None:
    """Exclude tests and modules, a million objects, from all later garbage collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _allow_a_second_run(items: list[pytest.Item]) -> None:
    """Run each test of a page again if it fails, as the template of Playwright for CI does.

    A busy machine may delay a browser by seconds, and Chromium then sees other gestures than those
    that were made. `.ci/suite` names the tests that pass only then.
    """
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _seconds(item: pytest.Item) -> float:
    """Return a test's duration in seconds, from its mark: ``slow`` is 1, ``slow(20)`` is 20."""
    mark = item.get_closest_marker("slow")
    return float(next(iter(mark.args), 1)) if mark else 0.0


ROOT = Path(__file__).parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Set caches that all processes started by tests share."""
    gc.disable()  # until tests are collected, because objects made until then stay
    if "not slow" in config.option.markexpr:
        config.pluginmanager.register(EffortPlugin())
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _keep_bytecode()
        _keep_prepared()


def _keep_bytecode() -> None:
    """Compile the sources before any bot does; bots that may not write would do so at every start.

    This, and not writing bytecode at all, took a third of the time of all tests.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    for package in (ROOT / "pwtourney", ROOT / "bots" / "pwtourney_bots"):
        compileall.compile_dir(package, quiet=2)


def _keep_prepared() -> None:
    """Keep prepared bots from one run to the next: compiling a champion takes 20 s.

    The cache lies where the bots of root, which run as other users, can read it; they may not
    read root's home.
    """
    if "PWTOURNEY_CACHE_DIR" not in os.environ:
        folder = Path(tempfile.gettempdir()) / f"pwtourney-tests-{os.getuid()}"
        with suppress(FileExistsError):
            folder.mkdir()
        # somebody else may have made it, or a link of that name
        status = folder.lstat()
        if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
            folder = Path(tempfile.mkdtemp(prefix="pwtourney-tests-"))
        folder.chmod(0o755)
        os.environ["PWTOURNEY_CACHE_DIR"] = str(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a test that fails what its pages show."""
    report = yield
    if report.when == "call" and report.failed and (shown := Opened.report()):
        report.sections.append(("what the pages show", shown))
    return report


@pytest.fixture(autouse=True)
def readable_tmp_path(request: pytest.FixtureRequest) -> None:
    """Let the bots of root, which run as other users, read the files that a test makes for them."""
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("tmp_path").chmod(0o755)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Return a function that fills a folder once for all tests; they change only copies of it."""
    return sharing(tmp_path_factory)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium once for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        skip_for("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def numba_cache(once: Once) -> None:
    """Compile all numba code once, which takes 20 s, and keep it in the cache next to its source.

    The searching bots are then prepared in seconds.
    """

    def compile_all(_: Path) -> None:
        subprocess.run([sys.executable, "-m", "tests.bundled.compile"], cwd=ROOT, check=True)

    once("numba-cache", compile_all)


@pytest.fixture
def needs() -> Callable[[str], None]:
    """Return a function that skips the test if a program is missing, and fails it under CI."""
    return need_program
