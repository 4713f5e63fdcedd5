"""An arena for all tests that only read, and the output of an examiner."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney.arena.analyse.thoughts import Reporter
from tests.arena.reports import Output
from tests.arena.serving import Server, served


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve an arena without a tournament, whose games are in a folder of the test."""
    games: Path = tmp_path_factory.mktemp("games")
    with served("--games", str(games)) as server:
        yield server


@pytest.fixture
def out() -> Output:
    """Return an output without events."""
    return Output()


@pytest.fixture
def reporter(out: Output) -> Reporter:
    """Return what writes to it."""
    return Reporter(out)
