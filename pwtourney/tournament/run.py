"""The loop: from the schedule to the executor, from its results to the store."""

from collections.abc import Callable, Iterator

from pwtourney.executor import Executor, LostJob
from pwtourney.match import Game, PairResult
from pwtourney.store import GameRecord, Store
from pwtourney.tournament.events import Event, FaultSeen, PairDone, Started
from pwtourney.tournament.plan import Plan

__all__ = ["run_tournament"]


def run_tournament(
    plan: Plan, store: Store, executor: Executor, listen: Callable[[Event], None]
) -> None:
    """Play every pair of the plan that is not stored yet, and store each as it ends."""
    stored = store.pairs()
    jobs = (plan.job(each) for each in plan.pairings() if each.number not in stored)
    listen(Started(plan.pairs, len(stored)))
    for outcome in executor.run(lambda: next(jobs, None)):
        result = _void(outcome) if isinstance(outcome, LostJob) else outcome
        records = [GameRecord.of(result.pair, k, game) for k, game in enumerate(result.games)]
        store.add(records)
        for event in _events(records):
            listen(event)


def _void(lost: LostJob) -> PairResult:
    """Return a result that counts for nobody, and says why."""
    one, two = (Game.void(setup, lost.reason) for setup in lost.job.games)
    return PairResult(lost.job.pair, (one, two))


def _events(records: list[GameRecord]) -> Iterator[Event]:
    for record in records:
        for fault in record.faults:
            bot = record.bots[fault["seat"]]
            yield FaultSeen(record.pair, record.game, bot, fault["verdict"], fault["message"])
        if record.points is None:
            yield FaultSeen(record.pair, record.game, None, record.verdict, record.note)
    one, two = records
    points = one.points[0] + two.points[1] if one.points and two.points else None
    yield PairDone(one.pair, one.bots[0], one.bots[1], points)
