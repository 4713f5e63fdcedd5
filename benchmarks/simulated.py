"""Simulates many slots without their cores: the runner's own loop, with simulated workers.

The runner is real: its schedule, its pipes, its store and its events. Behind each pipe no game is
played; its result is put into the pipe at the time when it would end. The clock is simulated: it
advances with the CPU time that the runner uses, and where the runner would wait it jumps to the
next result. Thus the waiting time of slots is known for more slots than the machine has cores.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Any, NamedTuple

from multiprocess import Pipe

from pwtourney.executor import LocalExecutor
from pwtourney.executor.broadcast import Slot
from pwtourney.executor.wire import JobReader, JobWriter, send_outcome
from pwtourney.executor.worker import Cores, WorkerProcess
from pwtourney.match import GameSetup, Job, PairResult
from pwtourney.notation.game import Game, Ply, Usage, Verdict

__all__ = ["Feeding", "SimulatedClock", "SimulatedExecutor", "made_up_game"]

_LENGTH = 45
_PLIES = tuple(
    tuple(
        Ply(ply % 2, f"{1 + ply % 33}:r{90 * (ply % 4)}:b{1 + ply % 7}", 900 + ply, 700)
        for ply in range(_LENGTH)
    )
    for _ in (0, 1)
)
"""The plies of both games of a pair; they share no objects, like those of real games."""

_USED = Usage(2700, 120, 5400, 9000, 800)


class SimulatedClock:
    """The CPU time of this process in seconds, without stopped periods, and with jumps."""

    def __init__(self) -> None:
        self._offset = -time.process_time()

    def now(self) -> float:
        """Return the seconds since the clock was made."""
        return time.process_time() + self._offset

    def skip_to(self, moment: float) -> None:
        """Jump ahead to a time; an earlier time does nothing."""
        self._offset += max(0.0, moment - self.now())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock during a block whose work is not the runner's."""
        began = time.process_time()
        try:
            yield
        finally:
            self._offset -= time.process_time() - began


class Feeding(NamedTuple):
    """The feeding of slots, from when all were working until there were no more jobs.

    `seconds` is the simulated time, `pairs` the number of pairs handed out, and `waited` the
    seconds that each slot waited. `work` is the CPU time of the runner in seconds.
    """

    seconds: float
    pairs: int
    waited: tuple[float, ...]
    work: float

    @property
    def games_per_second(self) -> float:
        """The number of games handed out per second."""
        return 2 * self.pairs / self.seconds

    @property
    def longest_wait(self) -> float:
        """The longest waiting time of a slot as a share of the time."""
        return max(self.waited) / self.seconds

    @property
    def work_per_game(self) -> float:
        """The CPU time of the runner for a game, in seconds."""
        return self.work / (2 * self.pairs)


class SimulatedExecutor(LocalExecutor):
    """The executor of local workers, whose simulated workers play for as long as `last` says.

    `last` returns the seconds that a pair takes.
    """

    def __init__(self, slots: int, last: Callable[[Job], float], clock: SimulatedClock) -> None:
        self._clock = clock
        self._last = last
        self._playing: list[tuple[float, int, Job]] = []  # a heap: the next job to end is the first
        self._free_since = [0.0] * slots  # or the time when the current jobs will have ended
        self._waited = [0.0] * slots
        self._fed = 0
        self._fed_since: tuple[float, float] | None = None  # time, and CPU time
        self._fed_until = (0.0, 0.0)
        self._skipped = 0.0
        self._sentinel, self._sentinel_writer = os.pipe()
        self._seats: list[_SimulatedWorker] = []
        super().__init__(slots, per_worker=0, now=clock.now)

    def start_worker(self, cores: Cores, slot: Slot | None) -> WorkerProcess:
        """Return a simulated worker."""
        worker = _SimulatedWorker(self, len(self._seats), os.dup(self._sentinel))
        self._seats.append(worker)
        return worker

    def begin(self, number: int, job: Job) -> None:
        """Accept a worker's job, and schedule its end after the worker's other jobs."""
        moment = self._clock.now()
        with self._clock.stopped():
            free_since = self._free_since[number]
            if self._fed_since is not None:
                self._waited[number] += max(0.0, moment - max(free_since, self._fed_since[0]))
                self._fed += 1
                self._fed_until = moment, moment - self._skipped
            elif len(self._playing) + 1 == len(self._seats):
                self._fed_since = moment, moment - self._skipped
            self._free_since[number] = max(moment, free_since) + self._last(job)
            heappush(self._playing, (self._free_since[number], number, job))

    def wait(self, slots: Iterable[Any]) -> list[Any]:
        """Wait as with real workers, after putting the results that are due into their pipes."""
        with self._clock.stopped():
            before = self._clock.now()
            if self._playing:
                self._clock.skip_to(self._playing[0][0])
            now = self._clock.now()
            self._skipped += now - before
            while self._playing and self._playing[0][0] <= now:
                _, number, job = heappop(self._playing)
                first, second = (
                    made_up_game(setup, job.pair + k) for k, setup in enumerate(job.games)
                )
                self._seats[number].send(PairResult(job.pair, (first, second)))
        return super().wait(slots)

    def close(self) -> None:
        """Close all pipes."""
        super().close()
        os.close(self._sentinel)
        os.close(self._sentinel_writer)

    def feeding(self) -> Feeding:
        """Return how the slots were fed."""
        assert self._fed_since is not None, "there were fewer pairs than slots"
        seconds, work = (
            end - began for end, began in zip(self._fed_until, self._fed_since, strict=True)
        )
        return Feeding(seconds, self._fed, tuple(self._waited), work)


class _SimulatedProcess:
    """A stand-in for a process that lives until it is asked to end."""

    exitcode = 0
    pid = 0

    def __init__(self, sentinel: int) -> None:
        self.sentinel = sentinel

    def is_alive(self) -> bool:
        return True

    def join(self, timeout: float | None = None) -> None:
        pass

    def terminate(self) -> None:
        pass


class _SimulatedWorker(WorkerProcess):
    """Both ends of the pipe between the runner and a worker."""

    def __init__(self, executor: SimulatedExecutor, number: int, sentinel: int) -> None:
        self._executor = executor
        self._number = number
        self.cores = None
        self.jobs = deque()
        self.pipe, self._theirs = Pipe()
        self._writer, self._received = JobWriter(self.pipe), JobReader(self._theirs)
        self.process: Any = _SimulatedProcess(sentinel)

    def give(self, job: Job) -> bool:
        """Send a job, as to a real worker."""
        given = super().give(job)
        self._executor.begin(self._number, self._receive())
        return given

    def send(self, result: PairResult) -> None:
        """Send the result of a job, as a real worker does."""
        send_outcome(self._theirs, result)

    def _receive(self) -> Job:
        with self._executor._clock.stopped():
            return self._received.receive()

    def continue_if_stopped(self) -> None:
        """Do nothing, because there is no process that could be stopped."""

    def end(self) -> None:
        """Close the pipe."""
        self._theirs.close()
        os.close(self.process.sentinel)


def made_up_game(setup: GameSetup, number: int) -> Game:
    """Return a simulated game of typical length; the two bots win in turn."""
    first, second = setup.bots
    return Game(
        (first.id, second.id),
        setup.edition.name,
        setup.deal,
        setup.seeds,
        _PLIES[number % 2],
        Verdict.FINISHED,
        number % 2,
        (10, 5),
        usage=(_USED, _USED),
        profiles=("bwrap, memory, cgroup", "bwrap, memory, cgroup"),
    )
