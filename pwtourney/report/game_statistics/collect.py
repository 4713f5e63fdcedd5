"""Collect statistics in terms of the game while a store is read, in a few numbers per bot."""

from collections.abc import Iterator
from functools import reduce
from math import inf
from operator import attrgetter, mul
from typing import NamedTuple

from pwtourney.notation.game import Game
from pwtourney.report.game_statistics.accounts import Accountant, Amounts
from pwtourney.report.game_statistics.averages import Averages
from pwtourney.report.game_statistics.expectations import (
    QUARTERS,
    Expectation,
    change_by_quarter,
    list_statements,
)
from pwtourney.rules import Edition

__all__ = [
    "NO_STATISTICS",
    "BotStatistics",
    "GameStatistics",
    "StatisticsCollector",
    "WorstGame",
]

_WORST = (
    ("score", "score", -1),
    ("empty_squares", "empty_squares", 1),
    ("buttons", "buttons", -1),
    ("special_patches", "special_patches", -1),
    ("income", "income", -1),
    ("income_collected", "income_collected", -1),
    ("advance_buttons", "advance_buttons", -1),
    ("advances", "advances", 1),
    ("patches", "patches", -1),
    ("seconds_per_game", "micros", 1),
)
"""For each average, the field of `Amounts`, and 1 if the largest value is the worst, else −1."""

_KEPT = 3
"""The worst games that are kept of each average."""

_SIGNS = tuple(sign for *_, sign in _WORST)
_FIELDS = [field for _, field, _ in _WORST]
_pick = attrgetter(*_FIELDS)


class WorstGame(NamedTuple):
    """The game in which a bot had its worst value of an average: `key` is the name of that.

    The worst value is the lowest score, most empty squares, fewest buttons (at the end and earned
    by advancing), least income, fewest patches, most advances, and most seconds. `game` is its
    number, as in ``12.0``; of equal games the first in the schedule comes first.
    """

    key: str
    game: str
    value: float


class BotStatistics(NamedTuple):
    """Statistics of one bot: its own, and those of its opponents in the same games.

    `worst` has the worst game of each average, and `next_worst` the second and the third of each,
    if there are so many. `expectation` is None if the bot expected no margin in any game that it
    lost.
    """

    bot: str
    own: Averages
    opponents: Averages
    worst: tuple[WorstGame, ...] = ()
    expectation: Expectation | None = None
    next_worst: tuple[WorstGame, ...] = ()


class GameStatistics(NamedTuple):
    """Statistics of all bots, in the order of their first games.

    `games` counts the games that are used: those played to their end whose plies give the stored
    scores. `field` are the means over both bots of each game. `income_marks` are the spaces of the
    income marks, `last_space` is the end of the track, and `tile_points` are those of the special
    tile, 0 if the edition has none.
    """

    games: int
    field: Averages
    bots: tuple[BotStatistics, ...] = ()
    income_marks: tuple[int, ...] = ()
    last_space: int = 0
    tile_points: int = 0

    def find(self, bot: str) -> BotStatistics | None:
        """Return the statistics of a bot; None if it has played no game to its end."""
        return next((statistics for statistics in self.bots if statistics.bot == bot), None)


NO_STATISTICS = GameStatistics(0, Averages())
"""The statistics without games."""


class StatisticsCollector:
    """Collects the statistics of games of one edition."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._accountant = Accountant(edition)
        self._games = 0
        self._nothing = Amounts(payments=(0,) * len(edition.income_marks))
        self._bots: dict[str, _BotSums] = {}

    def add(self, game: Game) -> None:
        """Add a game; one that was not played to its end is ignored."""
        account = self._accountant.add_up(game)
        if account is None:
            return
        self._games += 1
        number = f"{game.pair}.{game.game}"
        for seat, own in enumerate(account.sides):
            if own is None:
                continue
            bot = game.bots[seat]
            if bot not in self._bots:
                self._bots[bot] = _BotSums(self._nothing)
            sums = self._bots[bot]
            sums.add(own, account.sides[1 - seat], number)
            statements = list_statements(game, seat) if game.winner == 1 - seat else []
            if statements:
                last = self._edition.last_space
                changes = change_by_quarter(statements, account.spaces, last, own.margin)
                sums.add_expectation(statements[0].margin, changes)

    def conclude(self) -> GameStatistics:
        """Return the statistics of the games so far."""
        tile = self._edition.tile
        has_tile = tile is not None
        owns = (sums.own for sums in self._bots.values())
        return GameStatistics(
            games=self._games,
            field=Averages.of(reduce(Amounts.plus, owns, self._nothing), has_tile=has_tile),
            bots=tuple(sums.conclude(bot, has_tile=has_tile) for bot, sums in self._bots.items()),
            income_marks=self._edition.income_marks,
            last_space=self._edition.last_space,
            tile_points=tile.points if tile else 0,
        )


class _BotSums:
    """The sums of one bot, and of its opponents in the same games."""

    def __init__(self, nothing: Amounts) -> None:
        self.own = self.opponents = nothing
        # of each average the values and games, the worst first
        self._worst: list[list[tuple[float, str]]] = [[] for _ in _WORST]
        self._least = [-inf] * len(_WORST)
        self._expecting = 0
        self._first = 0.0
        self._changes = [0.0] * QUARTERS

    def add(self, own: Amounts, opponent: Amounts | None, number: str) -> None:
        """Add the sides of a game; the Automa has none."""
        self.own = self.own.plus(own)
        if opponent is not None:
            self.opponents = self.opponents.plus(opponent)
        for index, value in enumerate(map(mul, _SIGNS, _pick(own))):
            if value > self._least[index]:
                self._keep(index, value, number)

    def _keep(self, index: int, value: float, number: str) -> None:
        """Keep one of the worst games of an average; of equal ones the first stays in front."""
        games = [*self._worst[index], (value, number)]
        games.sort(key=lambda game: -game[0])
        self._worst[index] = games[:_KEPT]
        if len(games) >= _KEPT:
            self._least[index] = games[_KEPT - 1][0]

    def add_expectation(self, first: float, changes: list[float]) -> None:
        """Add what the bot expected in a game that it lost."""
        self._expecting += 1
        self._first += first
        self._changes = [sum(pair) for pair in zip(self._changes, changes, strict=True)]

    def conclude(self, bot: str, *, has_tile: bool) -> BotStatistics:
        """Return the statistics of the bot."""
        own = Averages.of(self.own, has_tile=has_tile)
        worst = list(self._list_worst(own))
        return BotStatistics(
            bot,
            own,
            Averages.of(self.opponents, has_tile=has_tile),
            tuple(games[0] for games in worst),
            self._conclude_expectation(),
            tuple(game for games in worst for game in games[1:]),
        )

    def _list_worst(self, own: Averages) -> Iterator[list[WorstGame]]:
        """Yield the worst games of each average that is known."""
        for (key, field, sign), kept in zip(_WORST, self._worst, strict=True):
            if getattr(own, key) is not None:
                scale = 1_000_000 if field == "micros" else 1
                yield [WorstGame(key, game, sign * value / scale) for value, game in kept]

    def _conclude_expectation(self) -> Expectation | None:
        """Return the means of what the bot expected."""
        games = self._expecting
        if not games:
            return None
        changes = tuple(change / games for change in self._changes)
        return Expectation(games, self._first / games, changes)
