"""A fork server, so that tests start worker processes quickly, and core locks of their own."""

import os
from pathlib import Path

import multiprocess
import pytest


@pytest.fixture(scope="session")
def server() -> object:
    """Return a multiprocess context whose fork server has preloaded what workers need."""
    context = multiprocess.get_context("forkserver")
    context.set_forkserver_preload(["pwtourney.executor.shipping", "pwtourney.executor.worker"])
    process = context.Process(target=os.getpid)
    process.start()
    process.join()
    return context


@pytest.fixture
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep core locks of a test separate from those of other runs on this machine."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
