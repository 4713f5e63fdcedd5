"""What each bot used, added up game by game."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field

from pwtourney.ratings.games import Result, SeatStats

__all__ = ["Quantiles", "Resources", "count_resources"]

_RATIO = 1.02
_LOG = math.log(_RATIO)


@dataclass
class Quantiles:
    """Counts positive whole numbers in classes that are 2 % wide; answers are right to 1 %.

    The times of a million moves are at most about a thousand counts: none of them is kept.
    """

    classes: Counter[int] = field(default_factory=Counter)
    count: int = 0

    def add(self, value: int) -> None:
        """Count one value; below 1 is 1."""
        self.classes[int(math.log(max(1, value)) / _LOG)] += 1
        self.count += 1

    def at(self, share: float) -> float | None:
        """Return the value below which this share lies; None without values.

        >>> quantiles = Quantiles()
        >>> for value in range(1, 1001): quantiles.add(value)
        >>> round(quantiles.at(0.5), -1), round(quantiles.at(0.99), -1)
        (500.0, 990.0)
        """
        wanted = share * self.count
        for number, count in sorted(self.classes.items()):
            wanted -= count
            if wanted <= 0:
                # in the middle of its class, so that it is wrong by half a class at most
                return math.exp((number + 0.5) * _LOG)
        return None


@dataclass
class Resources:
    """What one bot used in all games that count, and its faults.

    `starts` counts the processes that were started for it; `start`, the time from the start of a
    process until it was ready, `wall`, the time of its moves, `cpu` and `pondering`, its processor
    time in its own and in its opponents' time, are sums in microseconds; `slowest` is its longest
    move, `peak` the most memory in KiB; `received`, `written` and `stderr` sum bytes. `times`
    holds the wall times of its moves; `faults` counts verdicts, in games of any kind.
    """

    games: int = 0
    starts: int = 0
    start: int = 0
    wall: int = 0
    slowest: int = 0
    cpu: int = 0
    pondering: int = 0
    peak: int = 0
    received: int = 0
    written: int = 0
    stderr: int = 0
    times: Quantiles = field(default_factory=Quantiles)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def mean_ms(self) -> float | None:
        """Mean milliseconds a move."""
        return self.wall / self.times.count / 1000 if self.times.count else None

    def add(self, stats: SeatStats) -> None:
        """Count one game."""
        self.games += 1
        self.starts += stats.start > 0  # 0 says that the process was running already
        self.start += stats.start
        self.wall += sum(stats.micros)
        self.slowest = max(self.slowest, *stats.micros, 0)
        self.cpu += stats.cpu
        self.pondering += stats.pondering
        self.peak = max(self.peak, stats.peak)
        self.received += stats.received
        self.written += stats.written
        self.stderr += stats.stderr
        for micros in stats.micros:
            self.times.add(micros)


def count_resources(
    results: Iterable[Result], resources: MutableMapping[str, Resources]
) -> Iterator[Result]:
    """Count what every game says of resources, and yield it on: results are read only once."""
    for result in results:
        if result.stats is not None:
            for bot, stats in zip((result.first, result.second), result.stats, strict=True):
                if stats.fault:  # in a void game, too: gates on faults must not lose any
                    resources[bot].faults[stats.fault] += 1
                if result.points is not None:
                    resources[bot].add(stats)
        yield result
