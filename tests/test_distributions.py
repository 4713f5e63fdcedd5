"""The source distribution is built, unpacked and tested, and the wheel is built from it."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pwtourney.version import __version__
from tests.sharing import Once

ROOT = Path(__file__).parents[1]
NAMED = ("tests/docs/test_ci.py", "tests/docs/test_bots.py", "tests/docs/test_words.py")
"""Tests that read files outside the package: the action, the samples, every page."""

pytestmark = [pytest.mark.slow(20), pytest.mark.thorough]


def build(source: Path, target: str, folder: Path) -> Path:
    """Build a distribution into a folder, as installers do, but with the installed build tools."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    subprocess.run(
        [*command, "--directory", str(folder)],
        cwd=source,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (packed,) = folder.glob("pwtourney-*.*")
    return packed


def unpack(folder: Path) -> None:
    """Build the source distribution and unpack it into a folder."""
    packed = build(ROOT, "sdist", folder)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")


@pytest.fixture(scope="module")
def unpacked(once: Once) -> Path:
    """Return the folder of the unpacked source distribution."""
    return once("sdist", unpack) / f"pwtourney-{__version__}"


def list_packed(unpacked: Path) -> set[str]:
    """Return the paths of the files in the archive: other tests write into the unpacked folder."""
    (packed,) = unpacked.parent.glob("pwtourney-*.tar.gz")
    with tarfile.open(packed) as archive:
        files = [member.name for member in archive if member.isfile()]
    return {name.removeprefix(f"{unpacked.name}/") for name in files}


def run_tests(folder: Path, *words: str) -> str:
    """Run pytest on the unpacked packages, not on the installed ones; return its output."""
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


def test_sdist_has_every_file_of_the_repository(unpacked: Path) -> None:
    """In addition it has hatchling's PKG-INFO; executable files stay executable."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout knows which files belong to it")
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    packed = list_packed(unpacked)
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert packed >= tracked | {"PKG-INFO"}
    assert packed - {"PKG-INFO"} <= {*tracked, *untracked()}
    assert os.access(unpacked / ".ci" / "run", os.X_OK)


def untracked() -> list[str]:
    """Return new files that git neither tracks nor ignores."""
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--others", "--exclude-standard"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_all_of_its_tests_can_be_collected(unpacked: Path) -> None:
    """This test is collected as well, and the packages it imports are those of the distribution."""
    printed = run_tests(unpacked, "--collect-only")
    assert "tests/test_distributions.py::test_all_of_its_tests_can_be_collected" in printed
    assert "tests/test_examples.py::" in printed
    assert "error" not in printed.splitlines()[-1]


def test_tests_that_need_more_than_the_package_pass_in_the_sdist(unpacked: Path) -> None:
    """The files that they read are part of it."""
    printed = run_tests(unpacked, *NAMED, "-m", "not slow and not serial")
    assert " passed" in printed.splitlines()[-1]


def test_wheel_has_both_packages_and_the_sample(unpacked: Path, tmp_path: Path) -> None:
    """Both are typed, which `py.typed` says; the arena finds the sample next to its modules."""
    with zipfile.ZipFile(build(unpacked, "wheel", tmp_path)) as wheel:
        files = set(wheel.namelist())
    for package in ("pwtourney", "pwtourney_bots"):
        assert {f"{package}/__init__.py", f"{package}/py.typed"} <= files
    assert {name for name in files if "sample" in name} == {"pwtourney/arena/sample/games.sqlite"}
