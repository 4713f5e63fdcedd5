"""An arena for all tests that only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.serving import Server, served


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve an arena without a tournament, whose games are in a folder of the test."""
    games: Path = tmp_path_factory.mktemp("games")
    with served("--games", str(games)) as server:
        yield server
