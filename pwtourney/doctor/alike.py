"""A bot against itself: does this machine, as it is set up, treat both alike.

Whatever differs between two copies of one program comes from the machine or from us. Each
quantity is compared within mirrored pairs, where both copies had both seats on one deal, so that
the differences of pairs are independent and Student's t tells how sure the mean is.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.executor import LocalExecutor, LostJob
from pwtourney.match import Game, Job, PairResult, Ply
from pwtourney.ratings.uncertainty import t_quantile
from pwtourney.tournament import Entrant, Plan

__all__ = ["WAIT", "Comparison", "compare", "self_plan", "self_play"]

_TOLERANCE = 0.05
"""Differences that are certain but smaller than this share are of no account."""

_FINE = 4
_TOLERANCE_MS = 1.0
WAIT = "wait a move, first seat against second"
"""The one comparison in milliseconds."""


class Comparison(NamedTuple):
    """How the two copies, or the two seats, compare in one quantity.

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
    def clear(self) -> bool:
        """Whether a difference that matters would have been seen."""
        return self.plus_minus is not None and self.plus_minus <= _FINE * self.tolerance

    @property
    def alike(self) -> bool:
        """Whether the difference may be chance, or is of no account."""
        return self.plus_minus is None or abs(self.difference) <= max(
            self.plus_minus, self.tolerance
        )


def self_plan(plan: Plan, bot: str, pairs: int) -> Plan:
    """Return a plan in which one bot of another plan plays against itself."""
    entrant = next(each for each in plan.entrants if each.spec.id == bot)
    twins = (_called(entrant, f"{bot}.a"), _called(entrant, f"{bot}.b"))
    schedule = {"format": "round-robin", "pairs": pairs, "deals": "fresh", "until": {}}
    return plan._replace(entrants=twins, schedule=schedule, deals=(), max_faults=None)


def self_play(plan: Plan, workers: int, scratch: str) -> Generator[PairResult, None, None]:
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
                return


def compare(results: Iterable[PairResult]) -> Iterator[Comparison]:
    """Yield the comparisons that can be made; void games and games with faults are left out."""
    pairs = [each for each in results if not any(g.faults or g.points is None for g in each.games)]
    yield _compared("score", [_score(each) for each in pairs])
    for name, of in _TIMES.items():
        yield _compared(name, [ratio for each in pairs for ratio in _ratio(each, of)])
    yield _compared("start-up, first seat against second", list(_starts(pairs)))
    waits = _compared(WAIT, [wait for each in pairs for wait in _waits(each)])
    yield waits._replace(tolerance=_TOLERANCE_MS)


def _called(entrant: Entrant, name: str) -> Entrant:
    return entrant._replace(spec=entrant.spec._replace(id=name))


def _compared(name: str, values: list[float]) -> Comparison:
    """Return mean and 95 % interval of independent values; no interval from fewer than two."""
    count = len(values)
    mean = sum(values) / count if count else 0.0
    if count < 2:
        return Comparison(name, mean, None)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return Comparison(name, mean, t_quantile(0.975, count - 1) * math.sqrt(variance / count))


def _score(pair: PairResult) -> float:
    """Return what the first copy got more than half, in points a game."""
    one, two = pair.games
    assert one.points is not None, "void games were left out"
    assert two.points is not None, "void games were left out"
    return (one.points[0] + two.points[1]) / 2 - 0.5


def _ratio(pair: PairResult, of: Callable[[Game, int], float]) -> Iterator[float]:
    """Yield the logarithm of how much more the first copy took; nothing if nothing was taken."""
    one, two = pair.games
    first, second = of(one, 0) + of(two, 1), of(one, 1) + of(two, 0)
    if first > 0 and second > 0:
        yield math.log(first / second)


def _starts(pairs: Iterable[PairResult]) -> Iterator[float]:
    """Yield for each pair by what share the bots of the first seat took longer to start."""
    for pair in pairs:
        first, second = (sum(game.usage[seat].start for game in pair.games) for seat in (0, 1))
        if first > 0 and second > 0:
            yield math.log(first / second)


def _waits(pair: PairResult) -> Iterator[float]:
    """Yield how much longer than it worked the first seat took, less the same of the second.

    In milliseconds a move. What bots work differs by seat, because positions do; what they take
    beyond that comes from the machine and from us.
    """
    waits = []
    for seat in (0, 1):
        plies = [ply for game in pair.games for ply in game.plies if ply.seat == seat]
        if plies:
            waits.append(sum(ply.micros - ply.cpu for ply in plies) / len(plies) / 1000)
    if len(waits) == 2:
        yield waits[0] - waits[1]


def _mean(game: Game, seat: int, of: Callable[[Ply], int]) -> float:
    taken = [of(ply) for ply in game.plies if ply.seat == seat]
    return sum(taken) / len(taken) if taken else 0.0


_TIMES: dict[str, Callable[[Game, int], float]] = {
    "wall time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.micros),
    "processor time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.cpu),
    "start-up": lambda game, seat: game.usage[seat].start,
}
