"""A worker process as its owner sees it."""

from collections.abc import Sequence
from typing import Any

from multiprocess import connection, get_context

from pwtourney.executor.worker import receive, send, serve_jobs
from pwtourney.match import Job, PairResult

__all__ = ["Cores", "WorkerProcess", "ready"]

Cores = tuple[int, ...] | None
"""The cores that a worker keeps to, None for any."""

_FAREWELL_SECONDS = 5


class WorkerProcess:
    """A process, the pipe to it, and the job it is at; started when it is made."""

    def __init__(self, cores: Cores, scratch_root: str | None) -> None:
        self.cores = cores
        self.job: Job | None = None
        self.losses = 0
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root), daemon=True
        )
        self.process.start()
        theirs.close()

    def give(self, job: Job, losses: int) -> bool:
        """Hand over a job; False if the worker is dead already."""
        try:
            send(self.pipe, job)
        except OSError:
            return False
        self.job, self.losses = job, losses
        return True

    def result(self) -> tuple[PairResult | None, str | None]:
        """Take what the worker sent; its death is a reason too."""
        try:
            if self.pipe.poll():
                result: tuple[PairResult | None, str | None] = receive(self.pipe)
                return result
        except (EOFError, OSError):
            pass
        self.process.join(_FAREWELL_SECONDS)
        return None, f"the worker process died (exit code {self.process.exitcode})"

    def dismiss(self) -> None:
        """Let the process end: by closing its pipe if it is idle, else by asking it to leave."""
        self.pipe.close()
        if self.job is not None:
            self.process.terminate()
            self.job = None  # asked twice, it would break off what it does to end

    def end(self) -> None:
        """Dismiss the process, and wait until it is gone."""
        self.dismiss()
        self.process.join(_FAREWELL_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def ready(workers: Sequence[WorkerProcess]) -> list[WorkerProcess]:
    """Wait until some of the workers have sent something or died; return those."""
    waits = [each for worker in workers for each in (worker.pipe, worker.process.sentinel)]
    awake = set(connection.wait(waits))
    return [worker for worker in workers if {worker.pipe, worker.process.sentinel} & awake]
