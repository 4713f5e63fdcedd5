"""A bot whose child processes burn the core that it shares with its opponent."""

from collections import Counter
from pathlib import Path

import pytest

import pwtourney as library
from benchmarks.starving import HONEST, KINDS, THIEF
from pwtourney.sandbox.backends import BACKENDS, Backend
from tests.needs import need_sandbox
from tests.program import pwtourney
from tests.thorough import thorough_but


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return a folder with both bots and a file that plays one pair of them."""
    (tmp_path / "honest.py").write_text(HONEST)
    (tmp_path / "thief.py").write_text(THIEF.format(steal=KINDS["daemons"]))
    tmp_path.chmod(0o755)
    # one game on one core, whatever the machine has; the thief's clock never runs out
    (tmp_path / "league.yaml").write_text(
        "edition: express\npairs: 1\nseed: 3\nworkers: 1\naffinity: {cores: 1}\n"
        "bots:\n  - {file: honest.py, clock: {move: 250ms}}\n"
        "  - {file: thief.py, clock: {move: 20s}}\n"
    )
    return tmp_path


def faults(league: Path, *words: str) -> Counter[str]:
    """Run the league; return how often each bot failed."""
    pwtourney("run", "league.yaml", "--fresh", *words, at=league, code=None)
    games = library.stored_games(league / "results/league")
    return Counter(game.bots[fault.seat] for game in games for fault in game.faults)


@pytest.mark.slow(8)
@pytest.mark.thorough
@pytest.mark.serial
def test_untrusted_bot_cannot_starve_its_opponent(
    league: Path,
) -> None:
    """Two dozen burning processes are suspended in the opponent's time; with `allow` they run.

    The second run shows that the first one proves something.
    """
    need_sandbox("bwrap")
    assert faults(league, "--untrusted")["honest"] == 0
    assert faults(league, "--set", "pondering=allow")["honest"] > 0


@pytest.mark.slow(6)
@pytest.mark.serial
@pytest.mark.parametrize("sandbox", thorough_but([None], [*BACKENDS, None]))
def test_bot_that_steals_cpu_time_loses(league: Path, sandbox: Backend | None) -> None:
    """With `pondering: measure` it is not suspended but loses both games with verdict `theft`."""
    if sandbox:
        need_sandbox(sandbox)
    words = ("--set", f"sandbox={sandbox or 'none'}", "--set", "pondering=measure")
    assert faults(league, *words) == {"thief": 2}
    games = list(library.stored_games(league / "results/league"))
    assert [game.verdict for game in games] == ["theft"] * 2
    assert "of its opponent of 250 ms" in games[0].faults[0].message


@pytest.mark.thorough
@pytest.mark.slow(4)
@pytest.mark.serial
def test_untrusted_bot_is_suspended_by_default(league: Path) -> None:
    """The file does not set `pondering`; the sandbox is unshare."""
    need_sandbox("unshare")
    assert faults(league, "--set", "sandbox=unshare")["honest"] == 0
