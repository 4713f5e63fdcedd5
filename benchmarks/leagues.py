"""Measures what ratings over time say of a league whose bots join, and of a bot that jumps.

``python -m benchmarks.intervals`` prints these rows with all others of random tournaments.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import mean, pstdev
from typing import NamedTuple

from benchmarks.draws import mirrored_pair
from pwtourney.ratings import Result
from pwtourney.ratings.anchors import Anchor
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.timelines import Timeline, trace_ratings
from pwtourney.report.summary import Conditions, Summary
from pwtourney.schedule import Schedule
from pwtourney.schedule.league import Generation
from pwtourney.schedule.season import trace_season
from pwtourney.standings import RatingOptions
from pwtourney.standings.rate import standings

__all__ = ["Spread", "drift", "jump", "rows"]

_PLAN = Schedule(format="round-robin", pairs=10, deals="fresh", until=None)
_BUNDLED = "pwtourney 0.1.0 pwtourney_bots.greedy:Greedy sha256 0"
_STANDARD = "greedy"
_ELOS = {_STANDARD: 0.0, "constant": 50.0, "weak": -80.0, "middle": 20.0}
_WEEKS = 6
_JOINING = 300.0
"""The Elo of the bots that join."""

_JUMP = 112.0
_FIXED = RatingOptions((Anchor(_STANDARD, 0.0),))


class Spread(NamedTuple):
    """The mean of some Elo, and their standard deviation."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, elos: Sequence[float]) -> "Spread":
        """Return those of a sample."""
        return cls(mean(elos), pstdev(elos))

    def __str__(self) -> str:
        """Return both as shown, such as ``+3 ± 40``."""
        return f"{self.mean:+.0f} ± {self.deviation:.0f}"


class _League:
    """A league that is played week by week: the games, and who played when."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._index = GameIndex()
        self._generations: list[Generation] = []
        self._pair = 0
        self._games: list[Result] = []

    def begin(self, bots: Sequence[str]) -> None:
        """Begin another version of the league."""
        date = f"2026-01-{len(self._generations) + 1:02}T06:00:00Z"
        self._generations.append(Generation(self._pair, tuple(bots), _PLAN, date))

    def play(self, bot: str, other: str, elo: float, pairs: int) -> None:
        """Play pairs of two bots, of which the first is `elo` stronger."""
        for _ in range(pairs):
            name = str(self._pair)
            for result in mirrored_pair(self._rng, (bot, other), elo, name):
                self._games.append(result._replace(pair=name))
                self._index.history.add(self._games[-1])
            self._pair += 1

    def trace(self, options: RatingOptions, contents: Sequence[dict[str, str]]) -> list[Timeline]:
        """Return the ratings over time for each of some identities of the bots."""
        self._index.count = len(self._games)
        table = standings(None, self._games, options, test_fit=False)
        summary = Summary(
            name="",
            bots=(),
            edition="",
            seed=0,
            version="",
            planned=0,
            stored=0,
            over=True,
            game_hash="",
            chain_head="",
            standings=table,
            conditions=Conditions(persistent=(), pondering={}),
            season=trace_season(self._generations),
        )
        return [
            trace_ratings(summary._replace(contents=known), self._index, options)
            for known in contents
        ]


def drift(leagues: int, seed: int = 1) -> tuple[Spread, Spread]:
    """Return what a constant bot gains in six weeks without an anchor.

    The first value is that of leagues with a bundled bot, the second of the same without. Four bots
    begin, each week after the first a stronger one joins, and each two play ten pairs once.
    """
    rng = random.Random(seed)
    bundled, free = list[float](), list[float]()
    for _ in range(leagues):
        league = _League(rng)
        elos: dict[str, float] = {}
        for week in range(_WEEKS):
            new = {f"new{week}": _JOINING} if week else dict(_ELOS)
            league.begin([*elos, *new])
            for bot, elo in new.items():
                for other, its in elos.items():
                    league.play(bot, other, elo - its, 10)
                elos[bot] = elo
        timelines = league.trace(RatingOptions(), ({_STANDARD: _BUNDLED}, {}))
        for gains, timeline in zip((bundled, free), timelines, strict=True):
            ratings = timeline.ratings["constant"]
            gains.append(ratings[-1].elo - ratings[0].elo)
    return Spread.of(bundled), Spread.of(free)


def jump(leagues: int, *, is_new_version: bool, seed: int = 1) -> Spread:
    """Return what a bot has gained four weeks after it became 112 Elo stronger.

    Each two of four bots play five pairs a week, with an anchor, four weeks before and four after.
    Unless the bot `is_new_version`, it changed what makes no new version.
    """
    rng = random.Random(seed)
    gains = []
    for _ in range(leagues):
        league = _League(rng)
        for number, elo in enumerate((50.0, 50.0 + _JUMP)):
            player = "player#2" if is_new_version and number else "player"
            elos = {_STANDARD: 0.0, "weak": -80.0, "strong": 120.0, player: elo}
            # another bot that plays nothing makes the second version of the league
            league.begin([*elos, f"guest{number}"])
            for bot, other in combinations(elos, 2):
                league.play(bot, other, elos[bot] - elos[other], 20)
        (timeline,) = league.trace(_FIXED, ({},))
        before, after = timeline.ratings["player"]
        gains.append(after.elo - before.elo)
    return Spread.of(gains)


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    leagues = round(1000 * scale)
    name = "league in which stronger bots join: Elo that a constant bot gains in 6 weeks"
    bundled, free = drift(leagues)
    yield f"{name}, with a bundled bot", str(bundled), "0 ± 5 on average"
    yield f"{name}, without", str(free), "the caption says so"
    name = f"a bot that becomes {_JUMP:g} Elo stronger: Elo that it gains in 4 weeks"
    gain = jump(leagues, is_new_version=True)
    yield f"{name} as a new version", str(gain), f"{_JUMP:g} ± 5 on average"
    gain = jump(leagues, is_new_version=False)
    yield f"{name} as the same version", str(gain), "the caption says so"
