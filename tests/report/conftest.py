"""Results that tests of pages only read."""

from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.notation.game import Game
from pwtourney.store import ResultsFolder, Store
from tests.sharing import Once
from tests.tournament.test_run import run

LONG_NAME = "m" * 32
"""A bot's name of the maximal length, in the widest letter."""

LEAGUE = f"""\
name: league
seed: 5000000000000000
pairs: 2
clock: {{move: 5s}}
workers: 1
processes: persistent
gates: ['faults(greedy) == 0', 'elo({LONG_NAME}) > elo(greedy)']
bots:
  - greedy
  - frugal
  - {{id: {LONG_NAME}, bot: random}}
  - {{id: slow, command: [sh, -c, 'exit 3']}}
"""


def read_games(results: Path) -> list[Game]:
    """Return the games of a results folder."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        return list(store.records())


@pytest.fixture(scope="session")
def league(once: Once) -> Path:
    """Return results with a long name, faults, margins that a bot expected, and a failed gate."""
    return once("page-league", play_league) / "r"


def play_league(folder: Path) -> None:
    """Play twelve pairs."""
    (folder / "league.yaml").write_text(LEAGUE)
    run(folder / "league.yaml", "--results", str(folder / "r"), code=1)
