"""A change of a bot's files between two runs or during a run is detected."""

from pathlib import Path

import pytest

from pwtourney.errors import EXIT_FAILED, EXIT_STORE, EXIT_USAGE
from tests.program import pwtourney

pytestmark = pytest.mark.slow(3)

BOT = """
import taste
from pwtourney.sdk import Bot

class Magpie(Bot):
    def choose(self, turn):
        return turn.state.legal_actions()[taste.INDEX]
"""
LEAGUE = """
name: league
edition: original
seed: 5000000000000000
pairs: 2
clock: {move: 5s}
sandbox: none
workers: 1
bots:
  - {file: magpie.py, read_paths: [book]}
  - random
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return the file of a league: a bot, a module that it imports, and a folder that it reads."""
    (tmp_path / "book").mkdir()
    for name, text in {
        "magpie.py": BOT,
        "taste.py": "INDEX = 0",
        "book/opening.txt": "advance",
        "league.yaml": LEAGUE,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "league.yaml"


def run(league: Path, *words: str, code: int = 0) -> str:
    """Run the league; return what is printed on standard error."""
    return pwtourney("run", league.name, *words, code=code, at=league.parent).stderr


@pytest.mark.thorough
def test_changed_bot_files_are_reported_and_extend_adds_a_version(league: Path) -> None:
    """The bot, its module and its data are each changed; undoing a change is no change."""
    run(league)
    for name in ("magpie.py", "taste.py", "book/opening.txt"):
        file = league.parent / name
        before = file.read_text()
        file.write_text(before + "\n")
        output = run(league, code=EXIT_STORE)
        assert "  magpie has changed: its content is not what played\n" in output
        assert "keep the games of the others, use --extend" in output
        shown = pwtourney("run", "league.yaml", "--extend", "--dry-run", at=league.parent).stdout
        assert "magpie#2" in shown
        words = ("verify", "results/league", "--file", "league.yaml")
        checked = pwtourney(*words, code=EXIT_FAILED, at=league.parent).stdout
        assert checked.startswith("✗ magpie has changed: its content is not what played")
        file.write_text(before)
        assert "nothing was left to play" in run(league)
        assert "✓ 4 games replayed" in pwtourney(*words, at=league.parent).stdout


@pytest.mark.thorough
def test_results_and_tournament_file_are_not_part_of_a_bots_content(league: Path) -> None:
    """The bot reads the whole folder: other files there count as its content."""
    league.write_text(LEAGUE.replace("book", "."))
    run(league)
    assert "nothing was left to play" in run(league)
    league.write_text(league.read_text() + "# a note\n")
    assert "nothing was left to play" in run(league)
    for name in ("weights", "other.yaml"):
        league.with_name(name).write_text("1")
        assert "magpie has changed: its content" in run(league, code=EXIT_STORE)
        league.with_name(name).unlink()


@pytest.mark.thorough
def test_verify_cannot_compare_a_bot_that_is_not_built(league: Path) -> None:
    """The exit code is 2, because the bot's build was not made; no difference is reported."""
    run(league)
    built = "{file: magpie.py, build: [sh, -c, 'true'], read_paths: [book]}"
    league.write_text(LEAGUE.replace("{file: magpie.py, read_paths: [book]}", built))
    words = ("verify", "results/league", "--file", "league.yaml")
    message = pwtourney(*words, code=EXIT_USAGE, at=league.parent).stderr
    assert "error: magpie is not built here, so it cannot be compared" in message


@pytest.mark.thorough
def test_parts_of_different_programs_are_not_merged(league: Path) -> None:
    """The first part was played before a change of a module, the second after it."""
    run(league, "--shard", "1/2", "--results", "one")
    league.with_name("taste.py").write_text("INDEX = -1")
    run(league, "--shard", "2/2", "--results", "two")
    done = pwtourney("merge", "one", "two", "--out", "whole", code=EXIT_STORE, at=league.parent)
    assert "magpie has changed: its content" in done.stderr
    assert not league.with_name("whole").exists()


@pytest.mark.thorough
def test_a_bot_that_changes_while_it_plays_is_reported(league: Path) -> None:
    """The content is hashed at the start and at the end of the run."""
    league.with_name("magpie.py").write_text(
        f"{BOT}\n    def game_over(self, result):\n"
        "        open(taste.__file__, 'w').write('INDEX = -1')\n"
    )
    output = run(league)
    assert "magpie changed while it played: some of its games may be of the new one" in output
    assert "random changed" not in output
    assert "changed while" not in run(league, "--fresh")
