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
    path = tmp_path / "bots"
    path.mkdir(mode=0o755)
    hooked(path, "pass")
    return path


@pytest.fixture
def cache() -> Iterator[Path]:
    """Yield an empty cache folder that the bots of root can reach."""
    path = tempfile.mkdtemp(prefix="pwtourney-tests-")
    os.chmod(path, 0o755)
    yield Path(path)
    remove_scratch(path)
