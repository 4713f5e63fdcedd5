"""Every command names the true cause of a beginner's mistake in its first lines.

The programs run in the interpreters that authors have, in the sandbox if there is one.
"""

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.broken.table import BROKEN, Broken
from tests.program import pwtourney
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]
CASES = {case.name: case for case in BROKEN}
MOVE = "2s"
"""The time of a move: on a busy machine a bot in Java needs a second until it has answered."""

USUAL = {"unflushed c", "unknown command sh"}
"""The cases of every run; the others are for CI."""


@pytest.fixture
def bot(tmp_path: Path, request: pytest.FixtureRequest, needs: Callable[[str], None]) -> Broken:
    """Write a broken bot into the test's folder, and compile it."""
    case = CASES[request.param]
    if case.tool:
        needs(case.tool)
    file = tmp_path / case.file
    file.write_text(case.text, newline="")
    file.chmod(0o644 if case.name.startswith("not executable") else 0o755)
    if case.compile:
        words = shlex.split(case.compile)
        subprocess.run(words, cwd=tmp_path, check=True, timeout=60, capture_output=True)
    return case


def assert_cause(case: Broken, text: str, lines: int) -> None:
    """Assert that the cause is in the first lines of a text."""
    shown = "\n".join(text.splitlines()[:lines])
    assert re.search(case.message, shown, re.DOTALL), text


def find_fault(printed: str) -> str:
    """Return what a game printed from the line on that names the bot and its fault."""
    lines = printed.splitlines()
    first = next(index for index, line in enumerate(lines) if re.match(r"\w+: ", line))
    return "\n".join(lines[first:])


def test_table_has_fifty_mistakes_in_six_languages() -> None:
    """Each has a name of its own, and no line of a program is left as a mark."""
    assert len(CASES) == len(BROKEN) >= 50
    assert len({case.file for case in BROKEN}) >= 6
    assert not any(re.search(r"\b(FIRST|READY|GO)\b", case.text) for case in BROKEN)


@pytest.mark.slow(8)
@pytest.mark.parametrize("bot", thorough_but(sorted(USUAL), sorted(CASES)), indirect=True)
def test_every_command_names_the_cause(bot: Broken, tmp_path: Path) -> None:
    """A game, the check, a run, and the report about the bot; or the refusal to start it."""
    key = "file" if bot.command == bot.file == "bot.py" else "command"
    (tmp_path / "league.yaml").write_text(
        f"pairs: 1\nworkers: 1\nclock: {{move: {MOVE}}}\n"
        f"bots:\n  - {{id: bot, {key}: {bot.command}}}\n  - random\n"
    )
    played, checked, run = (
        pwtourney(*words, at=tmp_path, code=None)
        for words in (
            ("play", bot.command, "random", "--move", MOVE),
            ("check", bot.command, "--move", MOVE),
            ("run", "league.yaml", "--results", "r"),
        )
    )
    if bot.refused:
        for done in (played, checked, run):
            assert done.returncode == 2
            assert_cause(bot, done.stderr, 2)
        return
    assert_cause(bot, find_fault(played.stdout), 1)
    assert_cause(bot, checked.stdout.partition("failed: ")[2], 2)
    assert_cause(bot, run.stderr[run.stderr.index("game 0.") :], 1)
    report = pwtourney("report", "r", "--bot", "bot", at=tmp_path).stdout
    assert_cause(bot, report.partition("Faults, the last first\n")[2], 1)


def test_page_of_causes_quotes_what_is_printed() -> None:
    """Each text in the first column of the table is part of a message, of ours or of the rules."""
    rows = re.findall(r"^\| (.+?) \|", (ROOT / "docs" / "why.md").read_text(), re.MULTILINE)
    quoted = [row for row in rows if not row.startswith(("what you", "---", "started in"))]
    sources = "".join(path.read_text() for path in (ROOT / "pwtourney").rglob("*.py"))
    assert len(quoted) >= 8
    assert [text for text in quoted if text.removesuffix(" …") not in sources] == []
