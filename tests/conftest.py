"""Fixtures and rules for the whole suite."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def readable_tmp_path(tmp_path: Path) -> None:
    """Let the bots of root, who are other users, read what a test lays down for them."""
    tmp_path.chmod(0o755)


@pytest.fixture
def needs() -> Callable[[str], None]:
    """Return a check that skips a test for want of a program, and fails it under CI."""

    def check(program: str) -> None:
        if shutil.which(program) is None:
            message = f"{program} is not installed"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)

    return check
