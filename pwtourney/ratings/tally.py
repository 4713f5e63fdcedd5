"""What is simply counted for each bot, beside its rating."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pwtourney.ratings.result import Result, SeatStats

__all__ = ["Tally", "tally"]


@dataclass
class Tally:
    """Counts of one bot.

    Games are counted by seat: ``[as first, as second]``, and so are the points in them. `draws`
    are technical ones, in which both bots failed; `voids` are not among the games. `margin` sums
    the margins, from this bot's side, of the `margins` games that were played to their end; times
    are in microseconds.
    """

    games: list[int] = field(default_factory=lambda: [0, 0])
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    wins: int = 0
    losses: int = 0
    draws: int = 0
    voids: int = 0
    margin: int = 0
    margins: int = 0
    plies: int = 0
    micros: int = 0
    slowest: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def played(self) -> int:
        """Games that count."""
        return sum(self.games)

    def share(self, seat: int | None = None) -> float | None:
        """Return the share of points won, in one seat or in both; None without games."""
        games = self.played if seat is None else self.games[seat]
        points = sum(self.points) if seat is None else self.points[seat]
        return points / games if games else None

    @property
    def mean_margin(self) -> float | None:
        """The mean margin of the games played to their end."""
        return self.margin / self.margins if self.margins else None

    @property
    def mean_ms(self) -> float | None:
        """Mean milliseconds a move."""
        return self.micros / self.plies / 1000 if self.plies else None

    def add(self, seat: int, points: float | None, margin: int | None, stats: SeatStats) -> None:
        """Count one game from this bot's side."""
        self.plies += stats.plies
        self.micros += stats.micros
        self.slowest = max(self.slowest, stats.slowest)
        if stats.fault:
            self.faults[stats.fault] += 1
        if points is None:
            self.voids += 1
            return
        self.games[seat] += 1
        self.points[seat] += points
        self.wins += points == 1
        self.losses += points == 0
        self.draws += points == 0.5
        if margin is not None:
            self.margin += margin
            self.margins += 1


def tally(bots: Sequence[str], results: Iterable[Result]) -> dict[str, Tally]:
    """Count every bot's games."""
    tallies = {bot: Tally() for bot in bots}
    for result in results:
        points, margin = result.points, result.margin
        mirrored = None if points is None else 1 - points
        negated = None if margin is None else -margin
        tallies[result.first].add(0, points, margin, result.stats[0])
        tallies[result.second].add(1, mirrored, negated, result.stats[1])
    return tallies
