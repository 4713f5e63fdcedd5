"""Fixtures and rules for the whole suite."""

import os
import shutil
from collections.abc import Callable

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")


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
