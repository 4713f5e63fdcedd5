"""Marks of tests of what numba compiles."""

import pytest

__all__ = ["COMPILED", "ONE_PROCESS"]

ONE_PROCESS = pytest.mark.xdist_group("numba")
"""Keeps tests in one process: to load numba takes a second, and to compile twenty, once a checkout.

Others would load it as well, and wait for what is compiled.
"""

COMPILED = (
    ONE_PROCESS,
    pytest.mark.usefixtures("numba_cache"),
    pytest.mark.timeout(300),  # the first one compiles
)
"""The marks of a test that needs what is compiled."""
