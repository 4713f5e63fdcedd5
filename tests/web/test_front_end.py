"""Checks of the front end with node: types, lint, format, and its unit tests."""

import os
import subprocess
from pathlib import Path

import pytest

import pwtourney.web
from pwtourney.web.assets import list_entries
from pwtourney.web.bundle import list_modules
from tests.needs import need_program, skip_for

WEB = Path(pwtourney.web.__file__).parent
ROOMS = ("shared", "game", "home", "page", "play", "watch", "analyse")
ROOT = WEB.parents[1]
TOOLS = ROOT / "node_modules" / ".bin"


def run(*command: str) -> str:
    """Run a script of `package.json`; fail with its output."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow(3)
@pytest.mark.parametrize("script", ["types", "lint", "check-format"])
def test_front_end_passes_every_check(script: str) -> None:
    """`tsc --checkJs --strict`, eslint with complexity 12 at most, and prettier find nothing."""
    need_program("node")
    need_program("npm")
    if not TOOLS.is_dir():
        skip_for("the tools are not installed: npm install")
    run("npm", "run", "--silent", script)


@pytest.mark.slow(2)
def test_unit_tests_of_the_front_end_pass() -> None:
    """They need only node."""
    need_program("node")
    files = sorted(map(str, Path(__file__).parent.glob("*.test.mjs")))
    assert "# fail 0" in run("node", "--test", "--test-reporter", "tap", *files)


def test_every_module_belongs_to_a_script() -> None:
    """A module that nothing imports would be dead code."""
    modules = {path for room in ROOMS for path in (WEB / room).iterdir()}
    assert modules == {path for entry in list_entries() for path in list_modules(entry)}
