"""Fixtures: a folder with a bot that has a hook, and an empty cache folder."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney.process import remove_scratch
from tests.prepare.program import hooked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a bot that has a hook."""
    place = tmp_path / "bots"
    place.mkdir(mode=0o755)
    hooked(place, "pass")
    return place


@pytest.fixture
def cache() -> Iterator[Path]:
    """Yield an empty cache folder that the bots of root can reach."""
    place = tempfile.mkdtemp(prefix="pwtourney-tests-")
    os.chmod(place, 0o755)
    yield Path(place)
    remove_scratch(place)
