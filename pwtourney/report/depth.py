"""One bot in depth: against whom, from which seat, how games ended, its best and worst games."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nlargest
from typing import NamedTuple

from pwtourney.ratings.games import Result
from pwtourney.store import GameRecord

__all__ = ["Depth", "DepthTable"]

_SHOWN = 5
_SEATS = ("first", "second")


class DepthTable(NamedTuple):
    """Rows of cells under headings."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class _Count:
    """Games of one kind: points, and margins of those that were played to their end."""

    def __init__(self) -> None:
        self.games = self.voids = self.ended = self.margin = 0
        self.points = 0.0

    def add(self, points: float | None, margin: int | None) -> None:
        if points is None:
            self.voids += 1
            return
        self.games += 1
        self.points += points
        if margin is not None:
            self.ended += 1
            self.margin += margin

    def cells(self) -> tuple[str, ...]:
        share = f"{100 * self.points / self.games:.1f}%" if self.games else "–"
        margin = f"{self.margin / self.ended:+.1f}" if self.ended else "–"
        return str(self.games), f"{self.points:g}", share, margin, str(self.voids)


class Depth:
    """Collects the games of one bot."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._by_opponent: defaultdict[str, _Count] = defaultdict(_Count)
        self._by_seat: defaultdict[str, _Count] = defaultdict(_Count)
        self._by_verdict: Counter[tuple[str, str]] = Counter()
        self._games: list[tuple[int, str, str, str]] = []

    def add(self, record: GameRecord, result: Result) -> None:
        """Take in a game; those of others do not count."""
        if self._bot not in record.bots:
            return
        seat = record.bots.index(self._bot)
        other = record.bots[1 - seat]
        points = None if record.points is None else record.points[seat]
        margin = result.margin if result.margin is None or seat == 0 else -result.margin
        self._by_opponent[other].add(points, margin)
        self._by_seat[_SEATS[seat]].add(points, margin)
        self._by_verdict[record.verdict, self._ending(record, seat)] += 1
        if margin is not None:
            game = f"{record.pair}.{record.game}"
            mine, theirs = record.scores[seat], record.scores[1 - seat]
            self._games.append((margin, game, other, f"{mine}:{theirs}"))

    def tables(self) -> list[DepthTable]:
        """Return what was found."""
        counted = ("Games", "Points", "Score", "Margin", "Void")
        opponents = sorted(self._by_opponent.items())
        return [
            DepthTable(
                f"{self._bot} by opponent",
                ("Against", *counted),
                [(other, *count.cells()) for other, count in opponents],
            ),
            DepthTable(
                "By seat",
                ("Seat", *counted),
                [(seat, *self._by_seat[seat].cells()) for seat in _SEATS if seat in self._by_seat],
            ),
            DepthTable(
                "By verdict",
                ("Verdict", "Outcome", "Games"),
                [(*key, str(count)) for key, count in sorted(self._by_verdict.items())],
            ),
            self._extremes("Best games", best=True),
            self._extremes("Worst games", best=False),
        ]

    def _extremes(self, title: str, *, best: bool) -> DepthTable:
        sign = 1 if best else -1
        found = nlargest(_SHOWN, self._games, key=lambda each: sign * each[0])
        rows = [(game, other, scores, f"{margin:+d}") for margin, game, other, scores in found]
        return DepthTable(title, ("Game", "Against", "Score", "Margin"), rows)

    def _ending(self, record: GameRecord, seat: int) -> str:
        if record.points is None:
            return "void"
        if record.winner is None:
            return "nobody won"
        return "won" if record.winner == seat else "lost"
