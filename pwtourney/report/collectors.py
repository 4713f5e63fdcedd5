"""Collect data for reports while the store is read once, without keeping all games in memory.

Each collector is a listener of `summarise`, which reads every game once.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from heapq import nlargest
from operator import add
from typing import NamedTuple

import numpy as np

from pwtourney.notation.game import SEATS, Game
from pwtourney.ratings.coded_names import Names, unite
from pwtourney.ratings.game_columns import NO_MARGIN, Columns, Result
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.pairs import pair_statistics
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report.careers import Career, Careers, FaultKind, NotableGames
from pwtourney.report.faults import FaultIndex
from pwtourney.report.figures import format_rating, percent
from pwtourney.report.season_description import label_bot
from pwtourney.schedule.pairing import FormatTable
from pwtourney.schedule.season import NO_LEAGUE, Season
from pwtourney.standings import RatingOptions, Resources, Standings
from pwtourney.standings.rate import tables

__all__ = [
    "BIN",
    "NEWEST",
    "OPPONENT_HEADINGS",
    "Depth",
    "GameIndex",
    "History",
    "HistoryPoint",
    "ListedGame",
    "Thinking",
    "find_meetings",
    "format_meeting",
    "list_opponents",
    "title_opponents",
]

BIN = 10
"""The width of a bar in a histogram of margins, in points."""

_LEAVING = ("Void", "Margin", "0–½–1–1½–2", "nElo", "Elo", "Points", "Games")
"""The order in which columns leave the tables of one bot, which have some of these."""

OPPONENT_HEADINGS = ("Against", "Games", "Points", "Score", "Elo", "0–½–1–1½–2", "nElo")
"""Headings of a table of a bot's opponents."""

NEWEST = 3_000
"""The newest games that are kept whole, unless another number is asked for; each takes 13 kB."""

_NOTABLE = 100
_LISTED = 20_000
_MOVES = 40
_VOID = _UNKNOWN = -1
_PLAIN = RatingOptions()
_EXTREMES = 5


class ListedGame(NamedTuple):
    """One line of the list of games: `winner` is a seat or None, `faults` seats and verdicts."""

    pair: int
    game: int
    bots: tuple[str, str]
    scores: tuple[int, int]
    winner: int | None
    verdict: str
    plies: int
    faults: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, record: Game) -> "ListedGame":
        """Return the line of a game."""
        return cls(
            record.pair,
            record.game,
            record.bots,
            record.scores,
            record.winner,
            record.verdict,
            len(record.plies),
            tuple((fault.seat, fault.verdict) for fault in record.faults),
        )


class Thinking(NamedTuple):
    """A bot's thinking time: total microseconds and number of moves, by the number of the move."""

    micros: list[int]
    moves: list[int]

    def add(self, times: Sequence[int]) -> None:
        """Add the times of the moves of a game; moves beyond the last number are left out."""
        self.micros[: len(times)] = map(add, self.micros, times)
        self.moves[: len(times)] = [moves + 1 for moves in self.moves[: len(times)]]


class GameIndex:
    """Collects what a page shows of the games; if there are many, only some are kept.

    `count` counts all games. `margins` counts, for each bot, the games played to their end by
    margin in steps of `BIN`, rounded down. `thinking` sums up the times of its moves. `listed` are
    the newest games, and `faults` groups of equal faults. `history` contains all results, and
    `careers` the notable games and faults of each bot. The `newest` games are kept whole, all of
    them if it is None.
    """

    def __init__(self, newest: int | None = NEWEST) -> None:
        self.count = 0
        self.margins: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.thinking: defaultdict[str, Thinking] = defaultdict(
            lambda: Thinking([0] * _MOVES, [0] * _MOVES)
        )
        self.listed: deque[ListedGame] = deque(maxlen=_LISTED)
        self.faults = FaultIndex()
        self.history = History()
        self.careers = Careers()
        self._newest: deque[Game] = deque(maxlen=newest)
        self._wide, self._close = NotableGames(_NOTABLE), NotableGames(_NOTABLE)

    def add(self, record: Game, result: Result) -> None:
        """Add a game, and its result for the ratings."""
        self.count += 1
        self.listed.append(ListedGame.of(record))
        self.history.add(result)
        self.careers.add(record, result)
        self._newest.append(record)
        for seat, bot in enumerate(record.bots):
            self.thinking[bot].add([ply.micros for ply in record.plies if ply.seat == seat])
        self.faults.add(record)
        if result.margin is not None:
            first, second = record.bots
            self.margins[first][result.margin // BIN] += 1
            # not the first bot's bin negated: both are rounded down
            self.margins[second][-result.margin // BIN] += 1
            self._wide.add(abs(result.margin), record)
            self._close.add(-abs(result.margin), record)

    def replayable_games(self) -> list[Game]:
        """Return the games that a page can replay: the newest, and notable ones of all."""
        notable = (*self._wide, *self._close, *self.careers.games())
        kept = (*self._newest, *self.faults.games(), *notable)
        # one game may be kept for several reasons
        games = {(record.pair, record.game): record for record in kept if record.plies}
        return [games[key] for key in sorted(games)]


class HistoryPoint(NamedTuple):
    """The ratings after a number of games, with half of their intervals if known.

    The ratings of `anchors` are given; without any, the average is 0.
    """

    games: int
    elos: dict[str, tuple[float, float | None]]
    anchors: tuple[str, ...] = ()


class History:
    """Keeps results in the order of the schedule, in a few bytes per game."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._deals: dict[str, int] = {}
        self._seats = (array("i"), array("i"))
        self._halves = array("b")
        self._deal = array("q")
        self._pair = array("q")
        self._moves = array("q")

    def add(self, result: Result) -> None:
        """Add the next result."""
        for seats, bot in zip(self._seats, (result.first, result.second), strict=True):
            seats.append(self._names.setdefault(bot, len(self._names)))
        self._halves.append(_VOID if result.points is None else round(2 * result.points))
        self._deal.append(self._deals.setdefault(result.deal, len(self._deals)))
        self._pair.append(int(result.pair or 0))  # the store numbers its pairs
        self._moves.append(_UNKNOWN if result.moves is None else result.moves)

    def points(
        self,
        marks: int,
        options: RatingOptions = _PLAIN,
        *,
        level: float = LEVEL,
        paired_by_results: bool = False,
    ) -> list[HistoryPoint]:
        """Return the ratings at `marks` evenly spaced points, the last after all games.

        Bots that have only a bound at a point have no rating there.
        """
        return self.points_at(
            self.spread_ends(marks), options, level=level, paired_by_results=paired_by_results
        )

    def spread_ends(self, marks: int) -> list[int]:
        """Return `marks` evenly spaced numbers of games, or fewer; the last is that of all."""
        count = len(self._halves)
        # even, so that no mirrored pair is split
        ends = sorted({2 * (count * mark // marks // 2) for mark in range(1, marks)} | {count})
        return [end for end in ends if end]

    def count_before(self, pair: int) -> int:
        """Return how many games belong to pairs with lower numbers."""
        return bisect_left(self._pair, pair)

    def points_at(
        self,
        ends: Sequence[int],
        options: RatingOptions = _PLAIN,
        *,
        level: float = LEVEL,
        paired_by_results: bool = False,
    ) -> list[HistoryPoint]:
        """Return the ratings after each of these numbers of games."""
        bots = tuple(self._names)
        # of repeated games the table keeps the one whose pair's name comes first
        numbers, pair = np.unique(np.array(self._pair, np.int64), return_inverse=True)
        _, by_name = unite([Names(numbers.astype(np.bytes_), pair.astype(np.int32))])
        columns = [
            np.array(column, np.int64)
            for column in (*self._seats, self._halves, self._deal, by_name, self._moves)
        ]
        used = defaultdict[str, Resources](Resources)
        points = []
        for end in ends:
            first, second, halves, deal, pair, moves = (column[:end] for column in columns)
            games = Columns.of(
                bots,
                first=first,
                second=second,
                halves=halves,
                deal=deal,
                margin=np.full(len(first), NO_MARGIN, np.int64),  # ratings do not depend on it
                pair=pair,
                moves=moves,
            )._replace(paired_by_results=paired_by_results)
            table = tables(games, used, options, level=level, test_fit=False)
            # a bot alone in its pool has a rating of 0 by convention, which is no point of a curve
            rated = [row for pool in table.pools if len(pool.rows) > 1 for row in pool.rows]
            elos = {row.bot: (row.elo, row.plus_minus) for row in rated if not row.bound}
            given = tuple(anchor.bot for pool in table.pools for anchor in pool.anchors)
            points.append(HistoryPoint(end, elos, given))
        return points


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


def _compare(met: HeadToHead | None, level: float) -> tuple[str, str, str]:
    """Format by how much the first of two is stronger, from their games alone.

    Returns the difference in Elo, the pairs in which it got 0, ½, 1, 1½ and 2 points, and the
    difference in normalised Elo.
    """
    if met is None:
        return "–", "–", "–"  # no game of theirs counts
    elo = pairs = nelo = "–"
    share = met.points / met.games
    difference, reach = met.find_elo(level)
    if difference is not None:
        elo = format_rating(difference, reach)
    if sum(met.pairs):
        pairs = "–".join(map(str, met.pairs))
        seen = pair_statistics(met.pairs, level)
        if not 0 < share < 1:  # whole pairs in a row give a bound only
            elo = _format_bound(seen.elo_low, seen.elo_high, share)
        if seen.nelo is not None:
            nelo = format_rating(seen.nelo, seen.nelo_plus_minus)
    return elo, pairs, nelo


def _format_bound(low: float, high: float, share: float) -> str:
    """Return the bound of a bot with all points or none; a dash if it allows equal strength."""
    if share:
        return format_rating(low, bound=">") if low > 0 else "–"
    return format_rating(high, bound="<") if high < 0 else "–"


def find_meetings(standings: Standings, bot: str) -> dict[str, HeadToHead]:
    """Return the games of a bot by opponent, from its side; raises `LookupError`."""
    pool, _ = standings.find_row(bot)
    seen = (met.seen_from(bot) for met in pool.meetings if bot in (met.first, met.second))
    return {met.second: met for met in seen}


def title_opponents(bot: str, level: float) -> str:
    """Return the title of a table of a bot's opponents."""
    return f"{bot} by opponent (± at {percent(level)} %)"


def format_meeting(met: HeadToHead, level: float) -> tuple[str, ...]:
    """Format the games of two bots, for the `OPPONENT_HEADINGS` without the first."""
    share = met.points / met.games
    return f"{met.games}", f"{met.points:g}", f"{share:.1%}", *_compare(met, level)


def list_opponents(standings: Standings, bot: str, season: Season = NO_LEAGUE) -> FormatTable:
    """Return the results of a bot against each opponent, from the games of a table.

    Bots that do not play any more in the `season` are marked. Raises `LookupError` if there is no
    such bot.
    """
    level = standings.pools[0].level
    rows = tuple(
        (label_bot(season.find(other)), *format_meeting(met, level))
        for other, met in find_meetings(standings, bot).items()
    )
    return FormatTable(title_opponents(bot, level), OPPONENT_HEADINGS, rows, leaving=_LEAVING)


class Depth:
    """Collects the games of one bot: by opponent, by seat, by verdict, and its newest faults."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._by_opponent: defaultdict[str, _Count] = defaultdict(_Count)
        self._by_seat: defaultdict[str, _Count] = defaultdict(_Count)
        self._by_verdict: Counter[tuple[str, str]] = Counter()
        self._career = Career()
        self._games: list[tuple[int, str, str, str]] = []

    def add(self, record: Game, result: Result) -> None:
        """Add a game; those of other bots are ignored."""
        if self._bot not in record.bots:
            return
        seat = record.bots.index(self._bot)
        other = record.bots[1 - seat]
        points = None if record.points is None else record.points[seat]
        margin = result.margin if result.margin is None or seat == 0 else -result.margin
        self._by_opponent[other].add(points, margin)
        self._by_seat[SEATS[seat]].add(points, margin)
        if points is None:
            outcome = "void"
        elif record.winner is None:
            outcome = "nobody won"
        else:
            outcome = "won" if record.winner == seat else "lost"
        self._by_verdict[record.verdict, outcome] += 1
        for number, fault in enumerate(record.faults):
            if fault.seat == seat:
                self._career.add_fault(record, number)
        if margin is not None:
            game = f"{record.pair}.{record.game}"
            mine, theirs = record.scores[seat], record.scores[1 - seat]
            self._games.append((margin, game, other, f"{mine}:{theirs}"))

    @property
    def faults(self) -> list[FaultKind]:
        """The kinds of the bot's faults, the newest first."""
        return self._career.faults

    def tables(self, standings: Standings, season: Season = NO_LEAGUE) -> list[FormatTable]:
        """Return the tables of the bot; `standings` give the errors, `season` the current bots."""
        counted = ("Games", "Points", "Score", "Margin", "Void")
        level = standings.pools[0].level
        met = find_meetings(standings, self._bot)
        opponents = sorted(self._by_opponent.items())
        return [
            FormatTable(
                title_opponents(self._bot, level),
                ("Against", *counted, "Elo", "0–½–1–1½–2", "nElo"),
                tuple(
                    (
                        label_bot(season.find(other)),
                        *count.cells(),
                        *_compare(met.get(other), level),
                    )
                    for other, count in opponents
                ),
                leaving=_LEAVING,
            ),
            FormatTable(
                "By seat",
                ("Seat", *counted),
                tuple(
                    (seat, *self._by_seat[seat].cells()) for seat in SEATS if seat in self._by_seat
                ),
                words=("Seat",),
                leaving=_LEAVING,
            ),
            FormatTable(
                "By verdict",
                ("Verdict", "Outcome", "Games"),
                tuple((*key, str(count)) for key, count in sorted(self._by_verdict.items())),
                words=("Verdict", "Outcome"),
                leaving=_LEAVING,
            ),
            self._list_extremes("Best games", season, sign=1),
            self._list_extremes("Worst games", season, sign=-1),
        ]

    def _list_extremes(self, title: str, season: Season, *, sign: int) -> FormatTable:
        games = nlargest(_EXTREMES, self._games, key=lambda game: sign * game[0])
        rows = tuple(
            (game, label_bot(season.find(other)), scores, f"{margin:+d}")
            for margin, game, other, scores in games
        )
        headings = ("Game", "Against", "Score", "Margin")
        return FormatTable(title, headings, rows, words=("Game",), leaving=_LEAVING)
