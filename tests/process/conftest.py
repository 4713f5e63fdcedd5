"""Fixture that starts bot processes and always ends them after the test."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.constants import Pondering
from pwtourney.process import BotProcess
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import Orphans, become_subreaper

Start = Callable[..., BotProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts Python code as a bot; every bot is ended after the test."""
    become_subreaper()
    orphans = Orphans()
    running: list[BotProcess] = []

    def run(code: str, pondering: Pondering = "measure", **limits: int) -> BotProcess:
        launch = Launch((sys.executable, "-S", "-I", "-c", code))
        most = Limits(end_ms=100)._replace(**limits)
        running.append(BotProcess(launch, most, Isolation(pondering=pondering), str(tmp_path)))
        return running[-1]

    yield run
    for process in running:
        process.end()
        process.clean_up()
    orphans.sweep()  # processes that left their session would disturb the next test
