"""A fork server, so that tests start worker processes quickly."""

import os

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
