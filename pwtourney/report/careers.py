"""The career of each bot over all of its versions: notable games, and faults."""

from collections import OrderedDict
from collections.abc import Iterator
from heapq import heappush, heappushpop
from typing import NamedTuple

from pwtourney.notation.game import Game
from pwtourney.ratings.game_columns import Result
from pwtourney.report.faults import FaultKey, describe_cause, fault_key
from pwtourney.report.game_statistics.expectations import Fall, find_largest_fall
from pwtourney.sanitize import sanitize
from pwtourney.schedule.bot_names import base_name

__all__ = ["MOST_PAGES", "Career", "CareerGame", "Careers", "FaultKind", "NotableGames"]

MOST_PAGES = 100
"""With more bots than this, by name, no bot has a section of its own."""

_BEST, _WORST = 5, 10
"""The most games that a bot won, and that it lost, by the widest margins."""

_FAULT_KINDS = 5
_MOST_LINES = 6
_MOST_WORDS = 300
_ENOUGH = 200
"""The number of characters by which a line is recognised."""


class NotableGames:
    """Keeps the `most` most notable games; of equals the first."""

    def __init__(self, most: int) -> None:
        self._most = most
        # a heap, from which the least notable game is removed first
        self._heap: list[tuple[int, int, int, Game]] = []

    def add(self, worth: int, record: Game) -> None:
        """Add a game with this worth."""
        entry = (worth, -record.pair, -record.game, record)
        if len(self._heap) < self._most:
            heappush(self._heap, entry)
        elif entry[:3] > self._heap[0][:3]:  # pair and game are unique, so records are not compared
            heappushpop(self._heap, entry)

    def __iter__(self) -> Iterator[Game]:
        """Yield the games, the most notable first."""
        return (record for *_, record in sorted(self._heap, key=lambda entry: entry[:3])[::-1])


class CareerGame(NamedTuple):
    """A game from the side of a version of a bot: its number, and the scores, its own first.

    `seat` is the bot's own. `fall` is where the bot's own expectation fell most, if it said any.
    """

    number: str
    bot: str
    against: str
    scores: tuple[int, int]
    seat: int
    fall: Fall | None = None

    @classmethod
    def of(cls, record: Game, name: str) -> "CareerGame":
        """Return a game from the side of the bot with this name."""
        seat = 0 if base_name(record.bots[0]) == name else 1
        bot, against = record.bots if seat == 0 else record.bots[::-1]
        scores = record.scores if seat == 0 else record.scores[::-1]
        fall = find_largest_fall(record, seat)
        return cls(f"{record.pair}.{record.game}", bot, against, scores, seat, fall)

    @property
    def margin(self) -> int:
        """The margin in points: positive if the bot won."""
        return self.scores[0] - self.scores[1]


class FaultKind(NamedTuple):
    """Equal faults of one version of a bot, those with the same `key`: how many, and the newest.

    `times` counts them. `game`, `against`, `plies`, `message` (truncated), `last_line` and `log`
    are those of the newest. `last_line` is what the bot wrote last to standard error, unless the
    message ends with it already. `log` are the last lines of that, truncated, if there is more
    than one.
    """

    key: FaultKey
    message: str
    times: int
    game: str
    against: str
    plies: int
    last_line: str
    log: tuple[str, ...] = ()

    @property
    def bot(self) -> str:
        """The name of the version of the bot."""
        return self.key[0]

    @property
    def verdict(self) -> str:
        """The verdict of the games."""
        return self.key[1]


class Career:
    """One bot: its widest wins and losses, and the newest kinds of its faults."""

    def __init__(self) -> None:
        self.best, self.worst = NotableGames(_BEST), NotableGames(_WORST)
        self._faults: OrderedDict[FaultKey, FaultKind] = OrderedDict()

    @property
    def faults(self) -> list[FaultKind]:
        """The kinds of faults, the newest first."""
        return [*self._faults.values()][::-1]

    def add_fault(self, record: Game, number: int) -> None:
        """Add a fault of a game."""
        fault = record.faults[number]
        key, message = fault_key(record, fault), describe_cause(fault)
        before = self._faults.pop(key, None)
        lines = [line for line in fault.stderr.splitlines() if line.strip()]
        last = lines[-1] if lines else ""
        log = tuple(line[:_ENOUGH] for line in lines[-_MOST_LINES:])
        # a message often ends with it as the reason, truncated, with the place in the source
        is_given = f": {sanitize(last.strip())[:_ENOUGH]}" in f": {sanitize(message)}"
        self._faults[key] = FaultKind(
            key,
            message[:_MOST_WORDS],
            times=before.times + 1 if before else 1,
            game=f"{record.pair}.{record.game}",
            against=record.bots[1 - fault.seat],
            plies=len(record.plies),
            last_line="" if is_given else last[:_MOST_WORDS],
            log=log if len(log) > 1 else (),
        )
        if len(self._faults) > _FAULT_KINDS:
            self._faults.popitem(last=False)


class Careers:
    """Collects the careers of all bots by name, unless there are too many for their own sections.

    `too_many` is True if there are; then no career is kept.
    """

    def __init__(self) -> None:
        self._careers: dict[str, Career] = {}
        self.too_many = False

    def find(self, name: str) -> Career:
        """Return the career of a bot; an empty one if it has not played."""
        return self._careers.get(name) or Career()

    def games(self) -> Iterator[Game]:
        """Yield the notable games; one that is notable for both of its bots comes twice."""
        for career in self._careers.values():
            yield from career.best
            yield from career.worst

    def add(self, record: Game, result: Result) -> None:
        """Add a game, and its result for the ratings."""
        if self.too_many:
            return
        names = [base_name(bot) for bot in record.bots]
        for name in names:
            if name not in self._careers:
                self._careers[name] = Career()
        careers = [self._careers[name] for name in names]
        if len(self._careers) > MOST_PAGES:
            self.too_many = True
            self._careers.clear()
            return
        for number, fault in enumerate(record.faults):
            careers[fault.seat].add_fault(record, number)
        if result.margin is not None and careers[0] is not careers[1]:
            for seat, career in enumerate(careers):
                # a game of equal scores was won by the first at the end
                kept = career.best if record.winner == seat else career.worst
                kept.add(abs(result.margin), record)
