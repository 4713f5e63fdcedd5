"""Events for the infos that a bot sends while it thinks, limited in number."""

import json
import time
from typing import Any, TextIO

from pwtourney.errors import PwtourneyError
from pwtourney.notation import action_text, parse_action
from pwtourney.notation.info import parse_pairs, parse_rank, parse_score
from pwtourney.rules import State
from pwtourney.sanitize import sanitize

__all__ = ["Reporter", "Thoughts", "describe_info"]

_QUIET_NS = 50_000_000
"""The least time between two events about the same line of play: 50 ms."""

_MOST_ACTIONS = 40
_MOST_TEXT = 300


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
        self._told = 0
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
        if self._pending and now - self._told >= _QUIET_NS:
            self._told = now
            self.flush()

    def flush(self) -> None:
        """Pass on the latest info about each line, unless that was done before."""
        elapsed = (time.monotonic_ns() - self._begun) // 1_000_000
        for rank, info in sorted(self._pending.items()):
            words = describe_info(info, self._state)
            self._reporter.tell("info", ms=elapsed, rank=rank, **words)
        self._pending.clear()


def describe_info(info: str, state: State) -> dict[str, Any]:
    """Return the parts of a bot's info; ``margin`` is from the view of the first seat.

    ``line`` has the moves that the bot expects, up to the first illegal one.
    """
    pairs = parse_pairs(info)
    score = pairs.get("score")
    margin = parse_score(f"score {score}") if score else None
    known = ("multipv", "depth", "nodes", "score", "line", "text")
    rest = " ".join(f"{word} {pairs[word]}" for word in pairs if word not in known)
    text = " ".join(filter(None, [rest, pairs.get("text", "")])) or ("" if pairs else info)
    return {
        "depth": _read_count(pairs.get("depth", "")),
        "nodes": _read_count(pairs.get("nodes", "")),
        "margin": margin if margin is None or state.to_move == 0 else -margin,
        "line": _read_line(pairs.get("line", ""), state),
        "text": sanitize(text)[:_MOST_TEXT],
    }


def _read_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else None


def _read_line(text: str, state: State) -> list[str]:
    """Return the actions of a line, at most 40, up to the first illegal one."""
    line: list[str] = []
    for word in filter(None, text.split(",")[:_MOST_ACTIONS]):
        try:
            action = parse_action(word, state.edition)
            state = state.apply(action)
        except PwtourneyError:
            break
        line.append(action_text(action, state.edition))
    return line
