"""A run reports only pairs that are already on the disk."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.executor import InlineExecutor
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.events import Ended, Event, FaultSeen, PairBegun, PairDone, Started
from pwtourney.tournament.plan import Plan, make_plan
from pwtourney.tournament.resume import open_results
from pwtourney.tournament.run import run_tournament

PAIRS = 2
LEAGUE = f"""\
pairs: {PAIRS}
seed: 1
max_faults: never
bots:
  - {{id: one, command: "false"}}
  - {{id: two, command: "false"}}
"""
"""Bots that end as soon as they start: both bots lose every game."""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return the plan of a small tournament."""
    (tmp_path / "t.yaml").write_text(LEAGUE)
    return make_plan(load_tournament(tmp_path / "t.yaml"), 1)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ResultsFolder]:
    """Lock an empty results folder."""
    with ResultsFolder(tmp_path / "r") as folder:
        yield folder


def stored_pairs(folder: ResultsFolder) -> int:
    """Return how many pairs another process would find now."""
    with closing(Store.open(folder.database)) as reader:
        return reader.count()


def test_pair_is_stored_before_it_is_reported(plan: Plan, folder: ResultsFolder) -> None:
    """Otherwise a killed run could have reported games that are not stored."""
    reported: list[tuple[type[Event], int]] = []
    with closing(open_results(folder, plan)) as store, closing(InlineExecutor()) as executor:
        run_tournament(
            plan,
            store,
            executor,
            lambda event: reported.append((type(event), stored_pairs(folder))),
        )
    for kind, per_pair in ((FaultSeen, 4), (PairDone, 1)):
        counts = [count for of, count in reported if of is kind]
        assert counts == [number for number in range(1, PAIRS + 1) for _ in range(per_pair)]
    assert [count for of, count in reported if of is PairBegun] == [0, 1]
    assert reported[0] == (Started, 0)
    assert reported[-1] == (Ended, PAIRS)


def test_run_that_dies_while_reporting_a_pair_has_stored_it(
    plan: Plan, folder: ResultsFolder
) -> None:
    """The next run continues with the pair after it."""
    begun: list[int] = []

    def die(event: Event) -> None:
        if isinstance(event, FaultSeen):
            raise KeyboardInterrupt

    def note(event: Event) -> None:
        if isinstance(event, PairBegun):
            begun.append(event.pair)

    with closing(InlineExecutor()) as executor:
        with closing(open_results(folder, plan)) as store, pytest.raises(KeyboardInterrupt):
            run_tournament(plan, store, executor, die)
        with closing(open_results(folder, plan)) as store:
            assert run_tournament(plan, store, executor, note)
    assert begun == [1]
    assert stored_pairs(folder) == PAIRS
