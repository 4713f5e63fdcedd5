"""Jobs and outcomes on the pipe between the runner and a worker, as plain values.

Bots and editions are the same in thousands of jobs, and make up most of each job. Each is sent
once, and after that as its index in a list that both sides keep.
"""

import pickle
from typing import Any

from pwtourney.executor.base import Outcome
from pwtourney.match import BotSpec, GameSetup, Job
from pwtourney.rules import Edition

__all__ = ["JobReader", "JobWriter", "receive_outcome", "send_outcome"]

_MOST = 10_000
"""A longer list is started again, because jobs may contain only new values."""

_Shared = BotSpec | Edition


class JobWriter:
    """Sends jobs; the other side has one `JobReader` for all of them."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._begin()

    def _begin(self) -> None:
        # By identity, because equal editions may have different names. The list keeps its values
        # alive, so no other value can get the id of one.
        self._values: list[_Shared] = []
        self._indexes: dict[int, int] = {}

    def send(self, job: Job) -> None:
        """Send a job; raises `OSError` if the other side is gone."""
        if len(self._values) > _MOST:
            self._begin()
        known = len(self._values)
        games = tuple(
            (*map(self._register, setup.bots), self._register(setup.edition), *setup[2:])
            for setup in job.games
        )
        _send(self._pipe, (known, self._values[known:], job.pair, games, job.replays))

    def _register(self, value: _Shared) -> int:
        index = self._indexes.get(id(value))
        if index is None:
            index = self._indexes[id(value)] = len(self._values)
            self._values.append(value)
        return index


class JobReader:
    """Receives what a `JobWriter` has sent."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._values: list[Any] = []

    def receive(self) -> Job:
        """Receive a job; raises `EOFError` or `OSError` if the other side is gone."""
        known, fresh, pair, games, replays = _receive(self._pipe)
        self._values[known:] = fresh
        first_game, second_game = (
            GameSetup((self._values[first], self._values[second]), self._values[edition], *rest)
            for first, second, edition, *rest in games
        )
        return Job(pair, (first_game, second_game), replays)


def send_outcome(pipe: Any, outcome: Outcome) -> None:
    """Send the outcome of a job; raises `OSError` if the other side is gone."""
    _send(pipe, outcome)


def receive_outcome(pipe: Any) -> Outcome:
    """Receive the outcome of a job; raises `EOFError` or `OSError` if the other side is gone."""
    outcome: Outcome = _receive(pipe)
    return outcome


def _send(pipe: Any, what: object) -> None:
    """Send a plain value; the pipe's own pickler takes ten times as long."""
    pipe.send_bytes(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))


def _receive(pipe: Any) -> Any:
    return pickle.loads(pipe.recv_bytes())
