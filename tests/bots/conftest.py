"""What the tests of the bundled bots share."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def searchers_compiled(numba_cache: None) -> None:
    """Let one process compile what searches, while the others wait instead of doing the same."""
