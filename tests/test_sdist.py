"""The source distribution, built, unpacked, and tested by itself."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from pwtourney.version import __version__
from tests.sharing import Once

ROOT = Path(__file__).parents[1]
NAMED = ("tests/docs/test_ci.py", "tests/docs/test_bots.py", "tests/docs/test_words.py")
"""Tests that read files next to the package: the action, the samples, every page."""

pytestmark = pytest.mark.slow(20)


def build(folder: Path) -> None:
    """Build it as installers do, but with what is installed here, and unpack it."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist"]
    subprocess.run(
        [*build, "--directory", str(folder)], cwd=ROOT, check=True, capture_output=True, timeout=120
    )
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")


@pytest.fixture(scope="module")
def unpacked(once: Once) -> Path:
    """Return the folder that is in it."""
    return once("sdist", build) / f"pwtourney-{__version__}"


def run_tests(folder: Path, *words: str) -> str:
    """Run pytest there on what is there, and not on what is installed; return what it printed."""
    more = {"PYTHONPATH": f"{folder}:{folder / 'bots'}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_holds_every_file_of_the_repository(unpacked: Path) -> None:
    """And what hatchling adds; programs can be run."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout knows which files belong to it")
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    packed = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert packed >= tracked | {"PKG-INFO"}
    assert packed - {"PKG-INFO"} <= {*tracked, *untracked()}
    assert os.access(unpacked / ".ci" / "run", os.X_OK)


def untracked() -> list[str]:
    """Return files that are new, and neither known to git yet nor ignored."""
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--others", "--exclude-standard"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_all_of_its_tests_can_be_collected(unpacked: Path) -> None:
    """As many as here are there, and the package that they import is its own."""
    printed = run_tests(unpacked, "--collect-only")
    assert "tests/test_sdist.py::test_all_of_its_tests_can_be_collected" in printed
    assert "pwtourney/match/crash.py::pwtourney.match.crash.find_exception" in printed
    assert "error" not in printed.splitlines()[-1]


def test_tests_that_need_more_than_the_package_pass_there(unpacked: Path) -> None:
    """What they read next to it came along."""
    printed = run_tests(unpacked, *NAMED, "-m", "not slow and not serial")
    assert " passed" in printed.splitlines()[-1]
