"""Tables in this process, without a server."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic_ns
from typing import Any

import pytest

from pwtourney.arena.play import bots_apart
from pwtourney.arena.play.bots_apart import BotsApart
from pwtourney.arena.play.journal import Journal
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.new_table import read_order, seat_table
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import Seat, Seating, dump_seating
from pwtourney.arena.setting import Arena
from pwtourney.rules import Deal, State
from tests.arena.playing import PERSON
from tests.rules.positions import ORIGINAL

__all__ = [
    "ANN_AND_BEN",
    "ARENA",
    "DEALT",
    "TIMED",
    "Watch",
    "answer_with",
    "begin_journal",
    "opened",
    "opened_at",
    "read_log",
    "seat",
    "seat_people",
    "until_quiet",
]

ARENA = Arena(bots={"greedy": "greedy"}, editions={"original": "original"})
TIMED = {**PERSON, "clock": {"kind": "game", "seconds": 600}}

CIRCLE = "33,20,21,26,17,11,5,23,10,14,29,31,24,27,19,18,4,2,22,16,28,7,8,12,3,30,9,32,13,25,15,6,1"
DEALT = Deal(tuple(map(int, CIRCLE.split(","))), ())
"""The deal of docs/notation.md. Patch 33 costs 5 buttons, 20 costs 10, and 21 costs 0."""

ANN_AND_BEN = (Seat("person", "Ann"), Seat("person", "Ben"))


class Watch:
    """A monotonic clock that a test sets, in nanoseconds."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        """Return the time."""
        return self.ns


def seat(*seats: dict[str, Any], deal: str = "81", arena: Arena = ARENA) -> Seating:
    """Return a table with these seats."""
    return seat_table(read_order({"seats": list(seats), "deal": deal}), arena)


def seat_people(*seats: Seat, start: State | None = None) -> Seating:
    """Return a table of Ann and Ben, or with these seats, on the deal of docs/notation.md."""
    first, second = seats or ANN_AND_BEN
    return Seating(ORIGINAL, DEALT, (first, second), (0, 0), start=start)


def begin_journal(path: Path, seating: Seating) -> Journal:
    """Begin the journal of a table."""
    return Journal.create(path, [dump_seating(seating)])


@asynccontextmanager
async def opened_at(
    path: Path,
    seating: Seating,
    *,
    places: ProcessLimit | None = None,
    now: Callable[[], int] = monotonic_ns,
) -> AsyncIterator[Table]:
    """Open a new table with this seating, which is closed at the end."""
    bots = BotsApart(seating, [], places or ProcessLimit(1))
    table = Table(seating, begin_journal(path, seating), bots, now)
    await table.open()
    try:
        yield table
    finally:
        await table.close("the test is over")


@asynccontextmanager
async def opened(
    path: Path, *seats: dict[str, Any], places: int = 1, deal: str = "81"
) -> AsyncIterator[Table]:
    """Open a new table, which is closed at the end."""
    async with opened_at(path, seat(*seats, deal=deal), places=ProcessLimit(places)) as table:
        yield table


_SCRIPT = """\
log=$1; shift
read -r line; printf '%s\\n' "$line" >> "$log"
for answer; do
  read -r line || exit; printf '%s\\n' "$line" >> "$log"
  printf '%s\\n' "$answer"
done
while read -r line; do printf '%s\\n' "$line" >> "$log"; done
"""
"""A process of bots that gives these answers, one to each request, and notes what it reads."""


def answer_with(monkeypatch: pytest.MonkeyPatch, log: Path, *answers: object) -> None:
    """Let each process of bots give these answers, as JSON, and none to further requests."""
    lines = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
    command = ("sh", "-c", _SCRIPT, "bots", str(log), *lines)
    monkeypatch.setattr(bots_apart, "_COMMAND", command)


def read_log(log: Path) -> list[Any]:
    """Return what processes of bots have read so far."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


async def until_quiet(table: Table) -> None:
    """Wait until no bot is thinking."""
    while table.is_thinking:
        await table.changes().wait()
