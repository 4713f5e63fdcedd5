"""The loop: from the schedule to the executor, from its results to the store."""

from collections.abc import Callable, Iterator

from pwtourney.executor import Executor, LostJob
from pwtourney.match import Game, Job, PairResult, Verdict
from pwtourney.schedule import Pairing
from pwtourney.store import GameRecord, Store
from pwtourney.tournament.bench import Bench
from pwtourney.tournament.events import Event, FaultSeen, PairDone, Started
from pwtourney.tournament.plan import Plan

__all__ = ["run_tournament"]

_NEVER = 10**12


def run_tournament(
    plan: Plan, store: Store, executor: Executor, listen: Callable[[Event], None]
) -> None:
    """Play every pair of the plan that is not stored yet, and store each as it ends."""
    desk = _Desk(plan, store, listen)
    for outcome in executor.run(desk.next_job):
        desk.take(_void(outcome) if isinstance(outcome, LostJob) else outcome)


class _Desk:
    """Hands out pairs and takes in results."""

    def __init__(self, plan: Plan, store: Store, listen: Callable[[Event], None]) -> None:
        stored = store.pairs()
        self._plan = plan
        self._store = store
        self._listen = listen
        self._missing = (each for each in plan.pairings() if each.number not in stored)
        self._waiting: Pairing | None = None
        self._out: dict[int, Pairing] = {}
        self._bench = Bench(plan.bench or _NEVER, store.failed())
        listen(Started(plan.pairs, len(stored)))

    def next_job(self) -> Job | None:
        """Return the next pair to play; None when there is none, or none yet."""
        while pairing := self._waiting or next(self._missing, None):
            self._waiting = None
            if benched := self._bench.benched(pairing):
                self._store_result(_benched(self._plan.job(pairing), benched, self._plan.bench))
                continue
            if self._bench.undecided(pairing):
                self._waiting = pairing
                return None
            self._bench.hand_out(pairing)
            self._out[pairing.number] = pairing
            return self._plan.job(pairing)
        return None

    def take(self, result: PairResult) -> None:
        """Store what came of a pair that was handed out."""
        failed = [game.bots[fault.seat] for game in result.games for fault in game.faults]
        self._bench.done(self._out.pop(result.pair), failed)
        self._store_result(result)

    def _store_result(self, result: PairResult) -> None:
        self._store.add(
            [GameRecord.of(result.pair, k, game) for k, game in enumerate(result.games)]
        )
        for event in _events(result):
            self._listen(event)


def _void(lost: LostJob) -> PairResult:
    """Return a result that counts for nobody, and says why."""
    one, two = (Game.void(setup, lost.reason) for setup in lost.job.games)
    return PairResult(lost.job.pair, (one, two))


def _benched(job: Job, bot: str, limit: int | None) -> PairResult:
    """Return a pair that is not played because a bot has failed too often."""
    reason = f"{bot} is benched after {limit} faults"
    one, two = (Game.void(setup, reason, Verdict.BENCHED) for setup in job.games)
    return PairResult(job.pair, (one, two))


def _events(result: PairResult) -> Iterator[Event]:
    for number, game in enumerate(result.games):
        for fault in game.faults:
            bot = game.bots[fault.seat]
            what = (str(fault.verdict), fault.message, fault.log)
            yield FaultSeen(result.pair, number, bot, *what)
        if game.verdict is Verdict.RUNNER_ERROR:
            yield FaultSeen(result.pair, number, None, str(game.verdict), game.note)
    one, two = result.games
    points = one.points[0] + two.points[1] if one.points and two.points else None
    note = one.note if one.replays or one.verdict is Verdict.BENCHED else ""
    yield PairDone(result.pair, one.bots[0], one.bots[1], points, note)
