"""A bot against itself, which shows whether this machine, as it is set up, treats both alike.

Whatever differs between two copies of one program comes from the machine or from us. Each
quantity is compared within mirrored pairs, where both copies had both seats on one deal, so that
the differences of pairs are independent and Student's t tells how sure the mean is.
"""

import math
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pwtourney.config import TournamentFile, bot_entry, unwritten_file
from pwtourney.errors import UsageError
from pwtourney.executor import LocalExecutor, LostJob
from pwtourney.match import Job, PairResult
from pwtourney.notation.game import Game, Ply
from pwtourney.ratings.uncertainty import t_quantile
from pwtourney.schedule import Schedule
from pwtourney.tournament import Plan, find_bot, load_tournament, make_plan

__all__ = [
    "WAIT",
    "Comparison",
    "compare",
    "conclude",
    "load_self_play",
    "plan_self_play",
    "play_pairs",
]

WAIT = "wait a move, first seat against second"
"""The one comparison in milliseconds."""

_SEED = 2014
"""Always the same deals, so that what two machines say can be compared."""

_TOLERANCE = 0.05
"""Differences that are certain but smaller than this share are of no account."""

_TOLERANCE_MS = 1.0
_CLEAR = 4
"""An interval of at most this many tolerances would have shown a difference that matters."""


class Comparison(NamedTuple):
    """How the two copies, or the two seats, compare in one quantity; as text, a line about it.

    `difference` is the mean, `plus_minus` half of its 95 % interval, None where there is too
    little to tell. For the score they are in points a game, for the wait of the seats in
    milliseconds a move, for other times the share by which the first took more. `tolerance` is
    what is of no account, however certain.
    """

    name: str
    difference: float
    plus_minus: float | None
    tolerance: float = _TOLERANCE

    @property
    def is_clear(self) -> bool:
        """Whether a difference that matters would have been seen."""
        return self.plus_minus is not None and self.plus_minus <= _CLEAR * self.tolerance

    @property
    def is_alike(self) -> bool:
        """Whether the difference may be chance, or is of no account."""
        return self.plus_minus is None or abs(self.difference) <= max(
            self.plus_minus, self.tolerance
        )

    def __str__(self) -> str:
        mark = "✗" if not self.is_alike else "✓" if self.is_clear else "?"
        if self.plus_minus is None:
            return f"{mark} {self.name}: too few pairs to decide"
        factor, unit = (1, "ms") if self.name == WAIT else (100, "%")
        amount = f"{factor * self.difference:+.2f} ± {factor * self.plus_minus:.2f} {unit}"
        return f"{mark} {self.name}: {amount}"


def load_self_play(bot: str, path: Path | None) -> tuple[TournamentFile, str]:
    """Return a tournament and the id of a bot in it: those of a file, or one with plain terms."""
    if path is not None:
        return load_tournament(path), bot
    entry = bot_entry(bot)
    find_bot(entry, Path.cwd())  # what is wrong with it would be reported for both entries below
    return unwritten_file({"bots": [entry, entry]}), entry.name


def plan_self_play(bot: str, tournament: TournamentFile, pairs: int) -> Plan:
    """Return a plan in which one bot of a tournament plays against itself, under its terms."""
    plan = make_plan(tournament, _SEED)
    entrant = next((entrant for entrant in plan.entrants if entrant.spec.id == bot), None)
    if entrant is None:
        raise UsageError(f"{tournament.path} has no bot {bot!r}; it has {', '.join(plan.bots)}")
    # by one entrant, so that not even the folder or the identity of the two differs
    copies = tuple(
        entrant._replace(spec=entrant.spec._replace(id=f"{bot}.{letter}")) for letter in "ab"
    )
    # a fixed number of pairs, each on a deal of its own: Student's t wants independent differences
    schedule = Schedule(format="round-robin", pairs=pairs, deals="fresh", until=None)
    return plan._replace(entrants=copies, schedule=schedule, deals=(), max_faults=None)


def play_pairs(plan: Plan, workers: int, scratch: str) -> Generator[PairResult, None, None]:
    """Play the pairs of such a plan, and yield each; after a fault there is nothing to compare.

    Close it to end the bots. Raises `UsageError` if a pair cannot be played here.
    """
    scheduler = plan.scheduler()

    def next_job() -> Job | None:
        pairing = scheduler.next()
        return pairing and plan.job(pairing)

    with closing(LocalExecutor(workers, scratch)) as executor:
        for outcome in executor.run(next_job):
            if isinstance(outcome, LostJob):
                raise UsageError(f"a pair could not be played: {outcome.reason}")
            yield outcome
            if any(game.faults for game in outcome.games):
                return  # times of a game that was cut short are not comparable


def compare(results: Iterable[PairResult]) -> Iterator[Comparison]:
    """Yield the comparisons that can be made; void games and games with faults are left out.

    The copy that is named first has the first seat in the first game of a pair and the second seat
    in the second one.
    """
    pairs: list[tuple[Game, Game]] = []
    scores: list[float] = []
    for one, two in (result.games for result in results):
        if one.points and two.points and not one.faults and not two.faults:
            pairs.append((one, two))
            scores.append((one.points[0] + two.points[1]) / 2 - 0.5)
    yield _average("score", scores)
    for name, measure in _TIMES.items():
        copies = [
            (measure(one, 0) + measure(two, 1), measure(one, 1) + measure(two, 0))
            for one, two in pairs
        ]
        yield _average(name, _log_ratios(copies))
    starts = [
        (one.usage[0].start + two.usage[0].start, one.usage[1].start + two.usage[1].start)
        for one, two in pairs
    ]
    yield _average("start-up, first seat against second", _log_ratios(starts))
    # What bots work differs by seat, because positions do; what they take beyond that comes from
    # the machine and from us. It is a difference and no share: next to no work it is all there is.
    waits = [(_mean_wait(games, 0), _mean_wait(games, 1)) for games in pairs]
    differences = [one - two for one, two in waits if one is not None and two is not None]
    yield _average(WAIT, differences)._replace(tolerance=_TOLERANCE_MS)


def conclude(comparisons: Collection[Comparison]) -> str:
    """Return what all comparisons together say, in one line."""
    if not all(each.is_alike for each in comparisons):
        return "the two are NOT treated alike"
    if all(each.is_clear for each in comparisons):
        return "both copies and both seats are treated alike"
    return "no significant difference; play more --pairs where there is a ?"


def _average(name: str, values: Sequence[float]) -> Comparison:
    """Return mean and 95 % interval of independent values; no interval from fewer than two."""
    count = len(values)
    mean = sum(values) / count if count else 0.0
    if count < 2:
        return Comparison(name, mean, None)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return Comparison(name, mean, t_quantile(0.975, count - 1) * math.sqrt(variance / count))


def _log_ratios(amounts: Iterable[tuple[float, float]]) -> list[float]:
    """Return by what share the first of two amounts is larger, where anything was taken."""
    # logarithms: twice and half are as far from equal, and small ones are the share itself
    return [math.log(first / second) for first, second in amounts if first > 0 and second > 0]


def _mean_wait(games: tuple[Game, Game], seat: int) -> float | None:
    """Return how much longer than it worked a seat took, in milliseconds a move."""
    plies = [ply for game in games for ply in game.plies if ply.seat == seat]
    return sum(ply.micros - ply.cpu for ply in plies) / len(plies) / 1000 if plies else None


def _mean(game: Game, seat: int, read: Callable[[Ply], int]) -> float:
    values = [read(ply) for ply in game.plies if ply.seat == seat]
    return sum(values) / len(values) if values else 0.0


_TIMES: dict[str, Callable[[Game, int], float]] = {
    "wall time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.micros),
    "processor time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.cpu),
    "start-up": lambda game, seat: game.usage[seat].start,
}
