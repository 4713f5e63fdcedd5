"""The main loop: hand out pairs of the schedule to the executor, and store their results."""

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from uuid import uuid4

from pwtourney.config import TournamentFile
from pwtourney.errors import UsageError, install_command
from pwtourney.executor import Executor, LocalExecutor, LostJob
from pwtourney.executor.futures import FuturesExecutor, WorkerOptions, load_pool_factory
from pwtourney.executor.shipping import pack
from pwtourney.match import Job, PairResult, void_game
from pwtourney.notation.game import Verdict
from pwtourney.schedule import Pairing, PairPoints
from pwtourney.schedule.formats.tune import TuneFormat
from pwtourney.store import Store
from pwtourney.tournament.events import (
    Ended,
    Event,
    FaultSeen,
    PairBegun,
    PairDone,
    Queue,
    Remark,
    Started,
)
from pwtourney.tournament.monitors import (
    FaultLimit,
    HeldResults,
    Leaders,
    ProbeWatch,
    Suspects,
)
from pwtourney.tournament.plan import Plan, seat_pair
from pwtourney.tournament.room import plan_preparation
from pwtourney.tournament.slots import is_played_here, plan_slots

__all__ = ["list_missing", "make_executor", "run_tournament"]

_Together = Sequence[PairResult | LostJob]
_SHOWN_NEXT = 5
_LOOK_AHEAD = 1_000
_MOST_HELD = 8
"""The most results held back per running pair.

They are only in memory, and lost if the run is killed.
"""

_NO_DASK = f"executor: Dask is not installed here; to install it: {install_command('distributed')}"


def run_tournament(
    plan: Plan,
    store: Store,
    executor: Executor,
    listen: Callable[[Event], None],
    now: Callable[[], float] = time.monotonic,
    stopping: Callable[[], bool] = lambda: False,
    rewrite: Callable[[PairResult], PairResult] | None = None,
    follow: Callable[[Queue], object] | None = None,
) -> bool:
    """Play every pair of the plan that is not stored yet, and store each as it ends.

    No pair starts once the budget is spent or `stopping` returns True. Pairs that end at the same
    time are stored together, all or none. `rewrite` may change each result before it is stored or
    reported. `follow` receives a function that returns which pairs come next. Returns True if the
    tournament is over.
    """
    # before the first pair: a tournament that was made longer is not over if the run is killed here
    store.mark(over=False)
    coordinator = _Coordinator(plan, store, listen, now, stopping)
    if follow is not None:
        follow(coordinator.list_next)
    for ended in _without_old_garbage(executor.run(coordinator.next_job)):
        results = [
            # the executor tried it three times; the pair is void with the reason
            _void(outcome.job, outcome.reason, Verdict.RUNNER_ERROR)
            if isinstance(outcome, LostJob)
            else outcome
            for outcome in ended
        ]
        coordinator.take([rewrite(result) for result in results] if rewrite else results)
    store.mark(over=coordinator.over)
    listen(Ended(coordinator.over, coordinator.count))
    return coordinator.over


def _without_old_garbage(ended: Iterator[_Together]) -> Iterator[_Together]:
    """Yield the items, and keep garbage collections from scanning objects that existed before.

    Results are many small objects, which trigger collections. Most objects that these would scan
    are modules, which stay until the end.
    """
    gc.freeze()
    try:
        yield from ended
    finally:
        gc.unfreeze()


class _Coordinator:
    """Hands out pairs and takes in results; `count` is how many pairs are stored."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        listen: Callable[[Event], None],
        now: Callable[[], float],
        stopping: Callable[[], bool],
    ) -> None:
        self._stopping = stopping
        self._plan = plan
        self._results = store
        self._listen = listen
        self._now = now
        self._deadline = math.inf if plan.budget is None else now() + plan.budget
        self._scheduler = plan.scheduler()
        self._stored = store.outcomes()
        # a tuning has one bot, which plays itself, so there is nothing to rate
        is_tuning = isinstance(self._scheduler.format, TuneFormat)
        self._leaders = None if is_tuning else Leaders(plan.rating_options, plan.schedule, now)
        self._probes = ProbeWatch(self._scheduler) if is_tuning else None
        self._waiting: Pairing | None = None
        self._out: dict[int, Pairing] = {}
        self._suspects = Suspects()
        self._remarked: set[str] = set()
        self._fault_limit = FaultLimit(plan.max_faults, store.faulty_pairs())
        self._held = HeldResults(self._fault_limit)
        self.count = len(self._stored)
        listen(Started(plan.share, self.count))

    @property
    def over(self) -> bool:
        """Return True if every pair of the schedule was played."""
        return self._scheduler.over and self._waiting is None

    def next_job(self) -> Job | None:
        """Return the next pair to play, or None if there is none at the moment."""
        while not self._stopping() and self._now() < self._deadline:
            pairing, self._waiting = self._waiting or self._next_pairing(), None
            if pairing is None:
                return None
            if disqualified := self._fault_limit.find_disqualified(pairing):
                self._store([(pairing, self._void_by_disqualification(pairing, disqualified))])
                continue
            # Rather than leave a slot idle, play a pair that may turn out to be void.
            too_many = len(self._held) >= _MOST_HELD * len(self._out)
            if too_many and self._fault_limit.is_undecided(pairing):
                self._waiting = pairing  # tried again when a result has come in
                return None
            self._fault_limit.hand_out(pairing)
            self._out[pairing.number] = pairing
            self._listen(PairBegun(*pairing[:3]))
            return self._plan.job(pairing)
        return None

    def list_next(self) -> list[Pairing]:
        """Return the next few pairs to be handed out, as far as they are known."""
        # the limit bounds the search if all of them are stored already, or belong to other parts
        ahead = islice(self._scheduler.list_upcoming(), _LOOK_AHEAD)
        missing = (
            pairing
            for pairing in ahead
            if self._plan.has(pairing) and pairing.number not in self._stored
        )
        waiting = [self._waiting] if self._waiting else []
        return [*waiting, *islice(missing, _SHOWN_NEXT)]

    def _next_pairing(self) -> Pairing | None:
        """Return the next pair that is not stored."""
        while pairing := self._scheduler.next():
            if not self._plan.has(pairing):
                continue  # not recorded: only schedules that do not depend on results can be split
            points = self._stored.get(pairing.number)
            if points is None:
                return pairing
            self._scheduler.record(pairing.number, points)
            if self._leaders:
                self._leaders.take_stored(pairing, points)
            if self._probes:
                self._probes.take_stored(pairing, points)
        return None

    def take(self, results: Sequence[PairResult]) -> None:
        """Store the results of pairs that were handed out, each as soon as it is decided."""
        settled = list(self._settle(results))
        if settled:
            self._store(settled)

    def _settle(self, results: Sequence[PairResult]) -> Iterator[tuple[Pairing, PairResult]]:
        """Yield the pairs that are decided now, with their results or as void."""
        for result in results:
            pairing = self._out.pop(result.pair)
            if self._fault_limit.is_undecided(pairing):
                self._held.hold(pairing, result)
                continue
            decided: tuple[Pairing, PairResult] | None = (pairing, result)
            while decided:
                yield self._judge(*decided)
                decided = self._held.pop_decided() if self._held else None

    def _judge(self, pairing: Pairing, result: PairResult) -> tuple[Pairing, PairResult]:
        """Count the faults of a pair; it is void if a bot was disqualified before it."""
        if disqualified := self._fault_limit.find_disqualified(pairing):
            result = self._void_by_disqualification(pairing, disqualified)
        failed = [game.bots[fault.seat] for game in result.games for fault in game.faults]
        self._fault_limit.take_in(pairing, failed)
        return pairing, result

    def _void_by_disqualification(self, pairing: Pairing, bot: str) -> PairResult:
        reason = self._fault_limit.explain(bot)
        return _void(self._plan.job(pairing), reason, Verdict.DISQUALIFIED)

    def _store(self, settled: Sequence[tuple[Pairing, PairResult]]) -> None:
        """Store pairs, then report for each its faults, the pair, and what follows."""
        named = [(pairing, self._complete_games(pairing, result)) for pairing, result in settled]
        # store first: a result that was reported is never lost
        self._results.add([game for _, result in named for game in result.games])
        for pairing, result in named:
            self.count += 1
            points = _count_points(result)
            self._scheduler.record(result.pair, points)
            self._tell(result, points)
            for text in result.remarks:
                if text not in self._remarked:  # every worker reports it independently
                    self._remarked.add(text)
                    self._listen(Remark(text))
            for suspect in self._suspects.take_in(result):
                self._listen(suspect)
            if self._leaders and (standing := self._leaders.take_in(pairing, points)):
                self._listen(standing)
            if self._probes and (probe := self._probes.take_in(pairing, points)):
                self._listen(probe)

    def _complete_games(self, pairing: Pairing, result: PairResult) -> PairResult:
        """Set the pair, the number and the options of the bots in both games of a pair."""
        solo = self._plan.schedule.opponent is not None
        first, second = (
            game._replace(
                pair=result.pair,
                game=number,
                options=seat_pair(pairing.options, number, solo=solo),
            )
            for number, game in enumerate(result.games)
        )
        return result._replace(games=(first, second))

    def _tell(self, result: PairResult, points: PairPoints) -> None:
        """Report the faults of a pair, then the pair itself."""
        pair = result.pair
        for number, game in enumerate(result.games):
            for fault in game.faults:
                what = (str(fault.verdict), fault.message, fault.log, game.options[fault.seat])
                self._listen(FaultSeen(pair, number, game.bots[fault.seat], *what))
            if game.verdict is Verdict.RUNNER_ERROR:
                self._listen(FaultSeen(pair, number, None, str(game.verdict), game.note))
        first, _ = result.games
        both = None if None in points else sum(filter(None, points))
        # the note of a void game was reported just before
        note = first.note if first.replays or first.verdict is Verdict.DISQUALIFIED else ""
        self._listen(PairDone(pair, *first.bots, both, note, self._scheduler.status()))


def list_missing(plan: Plan, stored: Mapping[int, PairPoints]) -> Iterator[Pairing]:
    """Yield the pairs of a plan that are not stored, as far as known without playing."""
    scheduler = plan.scheduler()
    while pairing := scheduler.next():
        points = stored.get(pairing.number)
        if points is not None:
            scheduler.record(pairing.number, points)
        elif plan.has(pairing):
            yield pairing


def _void(job: Job, reason: str, verdict: Verdict) -> PairResult:
    """Return a pair that was not played and gives no points."""
    first, second = (void_game(setup, reason, verdict) for setup in job.games)
    return PairResult(job.pair, (first, second))


def _count_points(result: PairResult) -> PairPoints:
    """Return the points of the bot named first, for each game."""
    first, second = (game.halves for game in result.games)
    return None if first is None else first / 2, None if second is None else second / 2


def make_executor(
    plan: Plan,
    tournament: TournamentFile,
    workers: int,
    scratch: str,
    tell: Callable[[str], None],
    warn: Callable[[str], None],
    live: Path | None = None,
    pauses: int | None = None,
) -> Executor:
    """Return the executor that plays the pairs: workers of this machine, or what the file names.

    A cluster gets the bots sent. `scratch` is the folder for what bots write. Games that are played
    on this machine can be watched in `live`, and are paused while the descriptor `pauses` is
    readable. `tell` takes a line about the cores of this machine if anything limits them, and
    `warn` a warning if they are too few. Raises `UsageError` if the executor does not work here.
    """
    slots, settings = plan_slots(tournament, workers, plan.share), tournament.config.executor
    if is_played_here(tournament):
        if slots.cores.is_limited:
            tell(str(slots))
        if shortage := slots.find_shortage():
            warn(shortage)
    if settings is None:
        return LocalExecutor(slots.games, scratch, slots.cores_per_game, live=live, pauses=pauses)
    options = WorkerOptions(scratch, slots.cores_per_game)
    if settings.factory:
        make_pool = load_pool_factory(settings.factory, tournament.path.parent)
        return FuturesExecutor(make_pool, workers, options)
    try:
        from pwtourney.executor.dask import DaskPool  # an extra, and slow to import
    except ImportError as error:
        raise UsageError(_NO_DASK) from error
    parcels = [
        pack(
            bot.spec.id,
            bot.spec.launch,
            bot.identity,
            bot.list_sent(),
            plan_preparation(bot),
        )
        # one program may play under many names
        for bot in {bot.spec.launch: bot for bot in plan.entrants}.values()
    ]
    shipment = f"pwtourney-{uuid4().hex}"  # unique, because several runs may use one cluster
    make_pool = partial(DaskPool, settings.scheduler, workers, shipment, parcels)
    return FuturesExecutor(make_pool, DaskPool.slots, options._replace(shipment=shipment))
