"""Events for the infos that a bot sends while it thinks, limited in number."""

import json
import time
from collections.abc import Sequence
from typing import Any, TextIO

from pwtourney.arena.infos import read_info
from pwtourney.notation import parse_action
from pwtourney.notation.info import parse_rank
from pwtourney.rules import State
from pwtourney.sanitize import sanitize

__all__ = ["Reporter", "Thoughts"]

_QUIET_NS = 50_000_000
"""The least time between two events about the same line of play: 50 ms."""


class Reporter:
    """Writes events as JSON objects, one a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def tell(self, kind: str, **values: Any) -> None:
        """Write one event and flush it."""
        self._out.write(json.dumps({"kind": kind} | values) + "\n")
        self._out.flush()

    def note(self, text: str) -> None:
        """Write a note about the preparations before the bot thinks."""
        self.tell("note", text=sanitize(text))


class Thoughts:
    """Passes on the latest info about each line of play, at most twenty times a second.

    `lines` is how many lines the bot was asked for; infos about others are left out.
    """

    def __init__(self, state: State, reporter: Reporter, lines: int = 1) -> None:
        self._state = state
        self._reporter = reporter
        self._lines = lines
        self._begun = time.monotonic_ns()
        self._flushed_at = 0
        self._pending: dict[int, str] = {}

    def hear(self, info: str) -> None:
        """Store an info of the bot, and pass on what is due."""
        rank = parse_rank(info)
        if rank is not None and rank <= self._lines:
            self._pending[rank] = info
            self.flush_if_due()

    def flush_if_due(self) -> None:
        """Pass on the latest infos if 50 ms have passed since the last ones.

        Call it also when the bot is silent, or the last lines that it sent together would wait for
        its next ones.
        """
        now = time.monotonic_ns()
        if self._pending and now - self._flushed_at >= _QUIET_NS:
            self._flushed_at = now
            self.flush()

    def flush(self) -> None:
        """Pass on the latest info about each line, unless that was done before."""
        elapsed = (time.monotonic_ns() - self._begun) // 1_000_000
        for rank, info in sorted(self._pending.items()):
            said = read_info(info, self._state)
            seats = _list_seats(said.line, self._state)
            self._reporter.tell("info", ms=elapsed, rank=rank, seats=seats, **said._asdict())
        self._pending.clear()


def _list_seats(line: Sequence[str], state: State) -> list[int]:
    """Return the seat that plays each action of a line, which must be legal."""
    seats = []
    for word in line:
        seats.append(state.to_move)
        state = state.apply(parse_action(word, state.edition))
    return seats
