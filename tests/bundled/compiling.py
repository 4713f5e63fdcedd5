"""Marks for tests of code that numba compiles."""

import pytest

__all__ = ["COMPILED", "ONE_PROCESS"]

ONE_PROCESS = pytest.mark.xdist_group("numba")
"""Keeps tests in one process: loading numba takes a second, and compiling twenty once a checkout.

Other processes would load it as well, and wait for the compilation.
"""

COMPILED = (
    ONE_PROCESS,
    pytest.mark.usefixtures("numba_cache"),
    pytest.mark.timeout(300),  # the first test compiles
)
"""The marks of a test that needs compiled code."""
