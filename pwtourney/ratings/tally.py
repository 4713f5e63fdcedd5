"""What is simply counted for each bot, beside its rating."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pwtourney.ratings.quantiles import Quantiles
from pwtourney.ratings.result import Result, SeatStats

__all__ = ["Resources", "Tally", "tallied"]


@dataclass
class Resources:
    """What one bot used in all games that count.

    `starts` counts the processes that were started for it; `start`, the time from the start of a
    process until it was ready, `cpu` and `idle`, its processor time in its own and in its
    opponents' time, are sums in microseconds; `peak` is the most memory in KiB; `received`,
    `written` and `stderr` sum bytes. `times` holds the wall times of its moves.
    """

    games: int = 0
    starts: int = 0
    start: int = 0
    cpu: int = 0
    idle: int = 0
    peak: int = 0
    received: int = 0
    written: int = 0
    stderr: int = 0
    times: Quantiles = field(default_factory=Quantiles)

    def add(self, stats: SeatStats) -> None:
        """Count one game."""
        self.games += 1
        self.starts += stats.start > 0
        self.start += stats.start
        self.cpu += stats.cpu
        self.idle += stats.idle
        self.peak = max(self.peak, stats.peak)
        self.received += stats.received
        self.written += stats.written
        self.stderr += stats.stderr
        for micros in stats.micros:
            self.times.add(micros)


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
    resources: Resources = field(default_factory=Resources)

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
        self.plies += len(stats.micros)
        self.micros += sum(stats.micros)
        self.slowest = max(self.slowest, *stats.micros, 0)
        if stats.fault:
            self.faults[stats.fault] += 1
        if points is None:
            self.voids += 1
            return
        self.resources.add(stats)
        self.games[seat] += 1
        self.points[seat] += points
        self.wins += points == 1
        self.losses += points == 0
        self.draws += points == 0.5
        if margin is not None:
            self.margin += margin
            self.margins += 1


def tallied(results: Iterable[Result], tallies: Mapping[str, Tally]) -> Iterator[Result]:
    """Count every game for both of its bots on the way to whoever takes it next."""
    for result in results:
        points, margin = result.points, result.margin
        mirrored = None if points is None else 1 - points
        negated = None if margin is None else -margin
        tallies[result.first].add(0, points, margin, result.stats[0])
        tallies[result.second].add(1, mirrored, negated, result.stats[1])
        yield result
