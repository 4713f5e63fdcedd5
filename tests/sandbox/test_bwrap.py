"""Bubblewrap, wherever it is installed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from pwtourney.sandbox import bwrap as bubblewrap
from pwtourney.sandbox.isolation import Isolation
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


def test_a_bubblewrap_outside_the_system_works_as_well(
    boxed: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a folder of its own is found by the PATH and started, as root and as anybody."""
    program = tmp_path / "bwrap"
    shutil.copy(shutil.which("bwrap") or "", program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bubblewrap.problem.cache_clear()
    try:
        assert bubblewrap.problem(LAUNCH, LIMITS) is None
        assert said(python("print('here')"), boxed) == ["here"]
    finally:
        bubblewrap.problem.cache_clear()
