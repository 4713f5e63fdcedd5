"""The events of a tournament as plain data, and the files written from them."""

import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from pwtourney.errors import StoreError
from pwtourney.ratings.order import MorePairs
from pwtourney.report.publishing import write_whole
from pwtourney.schedule import Pairing
from pwtourney.schedule.pairing import Options
from pwtourney.store import FaultLogs
from pwtourney.store.fault_logs import AGAIN
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
"""The note of running pairs is written at most once in this many seconds."""

_GROWTH = 8
"""The note is also written at once when it has an eighth more pairs, so always while it has few."""


class Started(NamedTuple):
    """The tournament starts or continues; `pairs` is the maximum, `done` are stored already."""

    pairs: int
    done: int


class PairBegun(NamedTuple):
    """A pair is handed out to a worker."""

    pair: int
    first: str
    second: str


class PairDone(NamedTuple):
    """A pair is stored. `points` are those of the bot named first, or None if void.

    `note` says why the pair was replayed or not played at all. `status` describes the state of the
    tournament, if its format provides one.
    """

    pair: int
    first: str
    second: str
    points: float | None
    note: str = ""
    status: str = ""


class FaultSeen(NamedTuple):
    """A bot lost a game by a fault, or (`bot` is None) a game is void.

    `log` is all that is known about a fault, for the bot's author. `options` are those that the bot
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

    `verdict` is ``start`` if the bot could not be started, or ``timeout``, ``crash`` and the like
    if it failed on its first move. `pair` and `game` name the game that explains more, and
    `message` is its message.
    """

    pair: int
    game: int
    bot: str
    verdict: str
    message: str


class Leader(NamedTuple):
    """One of the leading bots so far; `bound` is as in the standings."""

    bot: str
    elo: float | None
    plus_minus: float | None
    bound: str


class Standing(NamedTuple):
    """The state of the ratings, reported from time to time.

    `more` is how many pairs it takes to distinguish `above` from `below` at 95 %, and `seconds` the
    time that takes at the speed so far. `more` is None if it cannot be estimated. It is 0 if the
    two are already distinguished, by bounds that hold at every look. If the run ends as soon as the
    whole `order` holds at a level, `more` is what that takes.
    """

    leaders: tuple[Leader, ...]
    above: str
    below: str
    more: MorePairs | None
    seconds: float
    order: float | None = None


class ProbeDone(NamedTuple):
    """Every pair of a probe is stored; holds the two sets of values and their result.

    `score` is the mean result of `plus` over `games` games, from −1 to 1. Against other bots it is
    half the difference of both means. `estimate` and `spread` are those of the method as of the
    probe that was handed out last.
    """

    probe: int
    plus: Mapping[str, str]
    minus: Mapping[str, str]
    score: float
    games: float
    estimate: Mapping[str, float]
    spread: Mapping[str, float]


class Remark(NamedTuple):
    """A note about how bots are started that changes no game; reported once."""

    text: str


class Paused(NamedTuple):
    """The run is paused: bots and clocks are stopped. `by` is what requested it."""

    by: Literal["Ctrl-Z", "pwtourney pause"]


class Continued(NamedTuple):
    """The run continues after a pause of this many seconds."""

    seconds: float


class Ended(NamedTuple):
    """The run has ended. `over` is False if its budget ran out before the tournament was over."""

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
"""Returns the pairs that come next."""


def event_json(event: Event) -> str:
    """Return an event as one line of JSON: its kind as ``event``, then its fields."""
    # the class `PairDone` gives the kind `pair-done`
    kind = "".join(f"-{char.lower()}" if char.isupper() else char for char in type(event).__name__)
    fields: dict[str, Any] = event._asdict()
    fields.pop("log", None)  # it is long, and in the log files
    if "options" in fields:
        fields["options"] = dict(fields["options"])
    if "leaders" in fields:
        fields["leaders"] = [leader._asdict() for leader in fields["leaders"]]
        fields["more"] = fields["more"] and fields["more"]._asdict()
    # ASCII only, because some readers treat U+2028 as the end of a line
    return json.dumps({"event": kind.lstrip("-"), **fields}, ensure_ascii=True, allow_nan=False)


def describe_player(bot: str, options: Options) -> str:
    """Return the name of a bot with the options that it has in one game only."""
    values = ", ".join(f"{name} {value}" for name, value in options)
    return f"{bot} ({values})" if values else bot


class LogWriter:
    """Listens to a tournament and writes one file for each fault of a bot.

    The file contains the command that replays the game.
    """

    def __init__(self, logs: FaultLogs, folder: Path, file: Path) -> None:
        self._logs = logs
        self._folder = folder
        self._file = file

    def __call__(self, event: Event) -> None:
        """Write the log file if the event is a fault of a bot."""
        if not isinstance(event, FaultSeen) or event.bot is None:
            return  # no bot caused a void game, so no author needs a log
        game = f"{self._folder}:{event.pair}.{event.game}"
        again = shlex.join(["pwtourney", "rerun", game, "--file", str(self._file)])
        head = f"game {event.pair}.{event.game}: {event.who}: {event.verdict}: {event.message}"
        lines = [head, f"{AGAIN}{again}", *event.log.split("\n")]
        self._logs.write(event.pair, event.game, event.bot, lines)


class RunningNote:
    """Listens to a tournament and notes the running and the next pairs, for a live page.

    As a context manager it removes the note at the end. The note is optional for the page and for
    the run.
    """

    def __init__(self, folder: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / RUNNING
        self._now = now
        self._pairs: dict[int, PairBegun] = {}
        self._next = now()
        self._most = 0  # the most pairs that were noted at a time
        self._queue: Queue = tuple

    def follow(self, queue: Queue) -> None:
        """Set the function that returns which pairs come next."""
        self._queue = queue

    def __call__(self, event: Event) -> None:
        """Update the pairs of the note, and write it if that is due."""
        if isinstance(event, PairDone):
            self._pairs.pop(event.pair, None)
        elif isinstance(event, PairBegun):
            self._pairs[event.pair] = event
            # Pairs may last milliseconds, and no reader needs every one. But while a run fills its
            # slots the note is written soon: if pairs last minutes, no later event comes to write
            # at.
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
            with suppress(StoreError):  # a full disk ends the run in the store, where it matters
                write_whole(self._path, json.dumps(note) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the page also checks the lock, so a stale note misleads nobody
            self._path.unlink()
