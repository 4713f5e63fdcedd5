"""Checks of the front end with node: types, lint, format, and its unit tests."""

import json
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


def run(*command: str, source: str = "", code: int = 0) -> str:
    """Run a program in the root; fail with its output unless it exits with `code`."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        input=source,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def need_tools() -> None:
    """Skip the test unless node, npm and the packages of `npm install` are installed."""
    need_program("node")
    need_program("npm")
    if not TOOLS.is_dir():
        skip_for("the tools are not installed: npm install")


@pytest.mark.slow(3)
@pytest.mark.parametrize("script", ["types", "lint", "check-format"])
def test_front_end_passes_every_check(script: str) -> None:
    """`tsc --checkJs --strict`, eslint with complexity 12 at most, and prettier find nothing."""
    need_tools()
    run("npm", "run", "--silent", script)


@pytest.mark.slow(2)
def test_linter_reports_vague_names_of_values() -> None:
    """The rule checks parameters, destructured and caught names, not functions or properties."""
    need_tools()
    source = """
export function place() {}
export const act = ({ asked: each, ask: found }, [one]) => ({ told: [each, found, one] });
try { act({}, []); } catch (told) { act(told, []); }
for (const { wanted } of []) act(wanted, []);
"""
    eslint = str(TOOLS / "eslint")
    name = "tests/web/planted.mjs"
    output = run(
        eslint, "--stdin", "--stdin-filename", name, "--format", "json", source=source, code=1
    )
    [report] = json.loads(output)
    messages = [message["message"] for message in report["messages"]]
    names = ("each", "found", "one", "told", "wanted")
    assert messages == [f"Name the value by a noun, not by '{name}'." for name in names]


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
