"""A game that has been played, as plain data: what the referee returns and the store keeps."""

from collections.abc import Mapping
from enum import StrEnum
from operator import add
from typing import Any, NamedTuple

from pwtourney.rules import Deal, State
from pwtourney.rules.automa import Automa, list_bot_seats
from pwtourney.sanitize import sanitize

__all__ = ["MOST_BORN", "SEATS", "UNTIMED", "Fault", "Game", "Hindrance", "Ply", "Usage", "Verdict"]

SEATS = ("first", "second")
"""The names of the seats, which are 0 and 1 in records, positions and the protocol."""

UNTIMED = -1
"""The time of a ply that was not measured."""

_SHARE = 10
"""The machine is to blame if it withheld at least a tenth of the time."""

MOST_BORN = 16
"""The most processes and threads that may begin on the machine in such a turn."""


class Verdict(StrEnum):
    """The way in which a game ended, or the reason why it is void.

    All but `FINISHED`, `DISQUALIFIED` and `RUNNER_ERROR` count as faults (`is_fault`). People run
    out of time and resign; all other faults are of bots.
    """

    FINISHED = "finished"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    OUTPUT_LIMIT = "output-limit"
    MEMORY = "memory"
    THEFT = "theft"
    START = "start"
    RESIGNED = "resigned"
    DISQUALIFIED = "disqualified"
    RUNNER_ERROR = "runner-error"

    @property
    def is_void(self) -> bool:
        """True if a game with this verdict is void, so nobody gets points."""
        return self in (Verdict.DISQUALIFIED, Verdict.RUNNER_ERROR)

    @property
    def is_fault(self) -> bool:
        """True if a bot, or a person, loses by this verdict."""
        return self is not Verdict.FINISHED and not self.is_void


class Ply(NamedTuple):
    """One action as it was played.

    The fields are the seat, the canonical text (of the Automa: the card), wall and processor time
    in microseconds, and the bot's last ``info``.
    """

    seat: int
    action: str
    micros: int = UNTIMED
    cpu: int = 0
    info: str = ""


class Hindrance(NamedTuple):
    """Measurements of one turn, in microseconds: how long it was watched, and how it was used.

    `queued` is how long the bot was runnable without a core, `stolen` the steal time of the
    hypervisor, `pressure` how long something on the machine waited for a core, `cpu` what the bot
    used, `opponent` what its opponent used meanwhile, and `runner` what reading the bot's output
    took us. `born` counts the processes and threads that began on the machine and may have been the
    bot's.
    """

    watched: int
    queued: int
    stolen: int
    pressure: int
    cpu: int
    opponent: int
    runner: int = 0
    born: int = 0

    @property
    def delay(self) -> int:
        """The time in which the machine, and nobody in the game, kept the bot from thinking."""
        idle = self.watched - self.cpu - self.opponent - self.runner
        # time can be stolen only from a bot that runs or is runnable: one that sleeps loses none
        stolen = min(self.stolen, self.cpu + self.queued)
        return max(0, min(self.queued + stolen, idle))

    @property
    def is_to_blame(self) -> bool:
        """True if the machine withheld so much time that a timeout is not the bot's fault."""
        # Never if many processes began meanwhile: children that exit before they are sampled are in
        # no account, and a bot could delay itself with them.
        return self.born <= MOST_BORN and self.delay * _SHARE >= self.watched > 0

    def __str__(self) -> str:
        return (
            f"in {_ms(self.watched)} ms it used the processor for {_ms(self.cpu)} ms, stood ready"
            f" without one for {_ms(self.queued)} ms, its opponent used {_ms(self.opponent)} ms;"
            f" stolen from the machine {_ms(self.stolen)} ms, pressure {_ms(self.pressure)} ms"
        )


class Fault(NamedTuple):
    """A fault of a bot, and the beginning of its standard error.

    `machine` describes what the machine did during a timeout, if known. `log` is everything that
    may help the bot's author; it is not stored with the game.
    """

    seat: int
    verdict: Verdict
    message: str
    stderr: str = ""
    machine: Hindrance | None = None
    log: str = ""


class Usage(NamedTuple):
    """The resources that one bot used, in one game or in many, apart from the time of its plies.

    `start` is the time from the start of its process until it was ready, in microseconds, 0 if it
    was running already. `pondering` is processor time in its opponent's time, in microseconds.
    `peak` is the most memory of all its processes together, in KiB. The others are bytes that it
    was sent, that it wrote, and that it wrote to standard error.
    """

    start: int = 0
    pondering: int = 0
    peak: int = 0
    received: int = 0
    written: int = 0
    stderr: int = 0

    def add(self, other: "Usage") -> "Usage":
        """Return the usage of both together: sums, and the higher of the two peaks."""
        start, pondering, _, received, written, stderr = map(add, self, other)
        peak = max(self.peak, other.peak)
        return Usage(start, pondering, peak, received, written, stderr)


class Game(NamedTuple):
    """A game that has ended.

    `bots`, `seeds`, `scores`, `usage` and `profiles` (the sandbox of each bot) are by seat.
    `edition` is a name. `winner` is a seat; it is None if the game is void, or if both bots failed
    at once. `scores` are those of the last position. `note` says why a game is void, or why it was
    replayed, which happened `replays` times. Against the Automa, `automa` says how it plays, and
    the second seed shuffles its deck.

    `options` are those that each seat had on top of what its tournament file sets, for options that
    change from pair to pair.

    `pair` is the number of its pair in the schedule, and `game` is 0 or 1 within it; both are 0 for
    a single game. A game that did not begin with its deal has the position `start`.
    """

    bots: tuple[str, str]
    edition: str
    deal: Deal
    seeds: tuple[int, int]
    plies: tuple[Ply, ...]
    verdict: Verdict
    winner: int | None
    scores: tuple[int, int]
    faults: tuple[Fault, ...] = ()
    note: str = ""
    replays: int = 0
    usage: tuple[Usage, Usage] = (Usage(), Usage())
    profiles: tuple[str, str] = ("", "")
    automa: Automa | None = None
    pair: int = 0
    game: int = 0
    options: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = ((), ())
    start: State | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # Used for each game that a worker returns to the runner. With the plies as columns,
        # pickling takes a fifth of the time that many named tuples take.
        values = self._asdict() | {"plies": tuple(zip(*self.plies, strict=True))}
        return _revive, tuple(values.values())

    @property
    def explanation(self) -> str:
        """Why the game is void or was lost, or else why it was played again; empty if neither."""
        return next((fault.message for fault in self.faults), self.note)

    @property
    def outcome(self) -> str:
        """The winner in words, as in ``wren wins``, without control characters."""
        return "nobody wins" if self.winner is None else f"{sanitize(self.bots[self.winner])} wins"

    @property
    def margin(self) -> int | None:
        """The points by which the first seat won, negative if it lost; None if a fault ended it."""
        return self.scores[0] - self.scores[1] if self.verdict is Verdict.FINISHED else None

    @property
    def points(self) -> tuple[float, float] | None:
        """The points of each seat: 1 or 0, half a point each if both failed, None if void."""
        if self.verdict.is_void:
            return None
        if self.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.winner == 0 else (0.0, 1.0)

    @property
    def is_valid(self) -> bool:
        """True if the game is a result: not void, and neither bot failed before its first action.

        The loss of a bot that never played an action, and its opponent's win, do not count as a
        result.
        """
        return not self.verdict.is_void and not any(map(self.find_early_fault, range(len(SEATS))))

    def find_early_fault(self, seat: int) -> Fault | None:
        """Return the fault by which the bot in a seat lost before its first action, or None."""
        fault = next((fault for fault in self.faults if fault.seat == seat), None)
        # resigning is a choice of a person
        if fault is None or fault.verdict is Verdict.RESIGNED:
            return None
        return None if any(ply.seat == seat for ply in self.plies) else fault

    @property
    def bot_seats(self) -> tuple[int, ...]:
        """The seats of bots, without that of the Automa."""
        return list_bot_seats(self.automa)

    @property
    def halves(self) -> int | None:
        """The half points of the bot that is named first in the pair; None for a void game."""
        # the bots swap seats in the second game, except against the Automa
        seat = 0 if self.automa else self.game
        return None if self.points is None else round(2 * self.points[seat])

    def rename_bots(self, names: Mapping[str, str]) -> "Game":
        """Return the record under other names of its bots, also in the note that names one."""
        first, second = (names.get(bot, bot) for bot in self.bots)
        if (first, second) == self.bots:
            return self
        note = self.note
        if self.verdict is Verdict.DISQUALIFIED:  # the note begins with a bot
            bot, blank, rest = note.partition(" ")
            note = f"{names.get(bot, bot)}{blank}{rest}"
        return self._replace(bots=(first, second), note=note)

    def disqualify(self, reason: str) -> "Game":
        """Return the record of a game that is void because a bot was disqualified."""
        return self._replace(
            verdict=Verdict.DISQUALIFIED,
            winner=None,
            scores=(0, 0),
            plies=(),
            faults=(),
            note=reason,
            replays=0,
            usage=(Usage(), Usage()),
            profiles=("", ""),
        )


def _revive(*values: Any) -> Game:
    """Return the game that was pickled."""
    game = Game(*values)
    plies = zip(*game.plies, strict=True)
    return game._replace(plies=tuple([tuple.__new__(Ply, ply) for ply in plies]))


def _ms(micros: int) -> str:
    return f"{micros / 1000:.1f}"
