"""Everything that happens during a tournament, as plain data, and what is written down of it."""

import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from pwtourney.errors import StoreError
from pwtourney.ratings.order import MorePairs
from pwtourney.report.files import write_whole
from pwtourney.schedule import Pairing
from pwtourney.schedule.pairing import Options
from pwtourney.store import FaultLogs
from pwtourney.store.folder import RUNNING

__all__ = [
    "Continued",
    "Ended",
    "Event",
    "FaultSeen",
    "Leader",
    "LogWriter",
    "PairBegun",
    "PairDone",
    "Paused",
    "ProbeDone",
    "Queue",
    "Remark",
    "RunningNote",
    "Standing",
    "Started",
    "SuspectBot",
    "describe_player",
    "event_json",
]

_SECONDS = 1.0
"""How often the note of what is being played is written, at most."""

_GROWTH = 8
"""It is written at once when it has an eighth more pairs, and every time while it has few."""


class Started(NamedTuple):
    """The tournament starts, or goes on: pairs at most, and those that are stored already."""

    pairs: int
    done: int


class PairBegun(NamedTuple):
    """A pair is handed out to be played."""

    pair: int
    first: str
    second: str


class PairDone(NamedTuple):
    """A pair is stored. `points` are those of the bot that is named first, None if void.

    `note` says why it was played again, or why it was not played at all; `status` where the
    tournament stands, if its format has something to say.
    """

    pair: int
    first: str
    second: str
    points: float | None
    note: str = ""
    status: str = ""


class FaultSeen(NamedTuple):
    """A bot lost a game by a fault, or (`bot` is None) a game is void.

    `log` is all that is known of a fault, for the bot's author. `options` are those that the bot
    had in this game on top of what the tournament file sets.
    """

    pair: int
    game: int
    bot: str | None
    verdict: str
    message: str
    log: str = ""
    options: Options = ()

    @property
    def who(self) -> str:
        """The bot, with the options that it had in this game only; ``void`` for a void game."""
        return describe_player(self.bot or "void", self.options)


class SuspectBot(NamedTuple):
    """A bot lost its first two games in this run before its first action.

    `verdict` says how: ``start`` if it could not be started, ``timeout`` or ``crash``, say, if it
    failed on its first move; `message` is that of the `game` that says more.
    """

    pair: int
    game: int
    bot: str
    verdict: str
    message: str


class Leader(NamedTuple):
    """One of the first in the table so far; `bound` is as in the standings."""

    bot: str
    elo: float | None
    plus_minus: float | None
    bound: str


class Standing(NamedTuple):
    """Where the tournament stands, told now and then.

    To tell `above` from `below` at 95 % takes `more` pairs, and so many seconds at the speed so
    far; None if nobody can say. It is 0 when they are told apart, by bounds that hold at every
    look. If the run ends as soon as the whole `order` holds at a level, it is what that takes.
    """

    leaders: tuple[Leader, ...]
    above: str
    below: str
    more: MorePairs | None
    seconds: float
    order: float | None = None


class ProbeDone(NamedTuple):
    """Every pair of a probe is stored: what the two sets of values were, and what came of them.

    `score` is how `plus` did, from −1 to 1, the mean of so many `games`; against others, half of
    the difference of both means. `estimate` and `spread` are
    those of the method as of the probe that was handed out last.
    """

    probe: int
    plus: Mapping[str, str]
    minus: Mapping[str, str]
    score: float
    games: float
    estimate: Mapping[str, float]
    spread: Mapping[str, float]


class Remark(NamedTuple):
    """Something about how bots are started that changes no game, told once."""

    text: str


class Paused(NamedTuple):
    """The run is paused: bots and clocks stand still. `by` says what has asked for it."""

    by: Literal["Ctrl-Z", "pwtourney pause"]


class Continued(NamedTuple):
    """The run goes on after a pause of so many seconds."""

    seconds: float


class Ended(NamedTuple):
    """The run is at its end. `over` is False if its budget was spent before the tournament was."""

    over: bool
    pairs: int


Event = (
    Started
    | PairBegun
    | PairDone
    | FaultSeen
    | SuspectBot
    | Standing
    | ProbeDone
    | Remark
    | Paused
    | Continued
    | Ended
)

Queue = Callable[[], Sequence[Pairing]]
"""Says which pairs come next."""


def event_json(event: Event) -> str:
    """Return an event as one line for programs: its kind as ``event``, then its fields."""
    # `PairDone` is called `pair-done`
    kind = "".join(f"-{char.lower()}" if char.isupper() else char for char in type(event).__name__)
    fields: dict[str, Any] = event._asdict()
    fields.pop("log", None)  # it is in the logs, and long
    if "options" in fields:
        fields["options"] = dict(fields["options"])
    if "leaders" in fields:
        fields["leaders"] = [leader._asdict() for leader in fields["leaders"]]
        fields["more"] = fields["more"] and fields["more"]._asdict()
    # ASCII, so that it is one line for every reader: U+2028 ends a line for some
    return json.dumps({"event": kind.lstrip("-"), **fields}, ensure_ascii=True, allow_nan=False)


def describe_player(bot: str, options: Options) -> str:
    """Return a bot with the options that it has in one game only."""
    values = ", ".join(f"{name} {value}" for name, value in options)
    return f"{bot} ({values})" if values else bot


class LogWriter:
    """Listens to a tournament and writes one file for each fault of a bot.

    In it stands the command that plays the game again.
    """

    def __init__(self, logs: FaultLogs, folder: Path, file: Path) -> None:
        self._logs = logs
        self._folder = folder
        self._file = file

    def __call__(self, event: Event) -> None:
        """Take notice of what happened."""
        if not isinstance(event, FaultSeen) or event.bot is None:
            return  # a void game is nobody's fault, so there is nobody to write to
        game = f"{self._folder}:{event.pair}.{event.game}"
        again = shlex.join(["pwtourney", "rerun", game, "--file", str(self._file)])
        head = f"game {event.pair}.{event.game}: {event.who}: {event.verdict}: {event.message}"
        lines = [head, f"to play it again: {again}", *event.log.split("\n")]
        self._logs.write(event.pair, event.game, event.bot, lines)


class RunningNote:
    """Listens to a tournament, and notes which pairs are played now and next, for a live page.

    As a context manager it removes the note at the end. A page can do without it, and so can a run.
    """

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / RUNNING
        self._now = now
        self._pairs: dict[int, PairBegun] = {}
        self._next = now()
        self._most = 0  # pairs that were noted at a time
        self._queue: Queue = tuple

    def follow(self, queue: Queue) -> None:
        """Ask it from now on which pairs come next."""
        self._queue = queue

    def __call__(self, event: Event) -> None:
        """Take notice of what happened; a pair that ends makes room for another one at once."""
        if isinstance(event, PairDone):
            self._pairs.pop(event.pair, None)
        elif isinstance(event, PairBegun):
            self._pairs[event.pair] = event
            # Pairs may last milliseconds, and nobody looks that often. But while a run fills its
            # slots it writes soon: if pairs last minutes, there is no later event to write at.
            more = len(self._pairs) - self._most
            if more <= self._most // _GROWTH and self._now() < self._next:
                return
            self._next = self._now() + _SECONDS
            self._most = max(self._most, len(self._pairs))
            upcoming = (PairBegun(*pairing[:3]) for pairing in self._queue())
            note = {
                "running": [pair._asdict() for pair in self._pairs.values()],
                "next": [pair._asdict() for pair in upcoming],
            }
            with suppress(StoreError):  # a full disk ends a run where it matters: in the store
                write_whole(self._path, json.dumps(note) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a page looks at the lock, too: a note that stays misleads nobody
            self._path.unlink()
