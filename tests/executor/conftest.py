"""A process from which others are forked at once."""

import os

import multiprocess
import pytest


@pytest.fixture(scope="session")
def server() -> object:
    """Return what forks processes from one that has loaded all they need."""
    context = multiprocess.get_context("forkserver")
    context.set_forkserver_preload(["pwtourney.executor.shipping", "pwtourney.executor.worker"])
    process = context.Process(target=os.getpid)
    process.start()
    process.join()
    return context
