"""Fixtures for sandboxes, and for machines that lack them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney.sandbox import launch
from pwtourney.sandbox.backends import Backend, find_problem
from pwtourney.sandbox.isolation import Isolation, achieve
from tests.needs import need_sandbox
from tests.sandbox.helpers import LAUNCH, LIMITS


@pytest.fixture(params=["bwrap", "unshare"])
def boxed(request: pytest.FixtureRequest) -> Isolation:
    """Return the isolation of each sandbox in turn."""
    backend: Backend = request.param
    need_sandbox(backend, LAUNCH, LIMITS)
    return achieve(backend, LAUNCH, LIMITS).isolation


@pytest.fixture
def no_bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Hide bubblewrap from the PATH and keep all other programs; return the only PATH folder."""
    for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for program in Path(folder).iterdir():
            link = tmp_path / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    tried = (find_problem, launch._working_guard)
    for cached in tried:
        cached.cache_clear()
    yield tmp_path
    for cached in tried:
        cached.cache_clear()


@pytest.fixture
def no_spaces(no_bwrap: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make namespaces unavailable as well, with an interpreter that fails to create them."""
    stub = no_bwrap / "python-without-rights"
    stub.write_text("#!/bin/sh\necho 'unshare: Operation not permitted' >&2\nexit 125\n")
    stub.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stub))
    find_problem.cache_clear()
    yield
    find_problem.cache_clear()
