"""Fixtures that the tests of the bundled bots share."""

import pickle
from pathlib import Path

import pytest

from tests.bundled.games import Ending, find_endings
from tests.rules.positions import ORIGINAL
from tests.sharing import Once


@pytest.fixture(scope="session")
def endings(once: Once) -> list[Ending]:
    """Return 25 endgames of the original edition; solving them takes two seconds, once."""

    def think(folder: Path) -> None:
        (folder / "found").write_bytes(pickle.dumps(find_endings(ORIGINAL, 25)))

    solved: list[Ending] = pickle.loads((once("endings", think) / "found").read_bytes())
    return solved
