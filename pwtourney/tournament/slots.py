"""Where the pairs of a tournament are played: how many at a time, by whom, on which cores."""

from collections.abc import Callable
from functools import partial
from uuid import uuid4

from pwtourney.config import TournamentFile
from pwtourney.errors import UsageError, install_command
from pwtourney.executor import Executor, FuturesExecutor, LocalExecutor
from pwtourney.executor.futures import load_pool_factory
from pwtourney.executor.local import available_cores, own_cores
from pwtourney.executor.remote import WorkerOptions
from pwtourney.executor.shipping import pack
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.prepare import preparation_of

__all__ = ["executor_of", "slots"]

_NO_DASK = f"executor: Dask is not installed here; to install it: {install_command('distributed')}"


def slots(tournament: TournamentFile, given: int | None) -> int:
    """Return how many games are played at a time, unless a cluster says otherwise."""
    configured = tournament.config.workers
    most = max(1, len(available_cores()) // max(1, _cores(tournament)))
    return given or (most if configured == "auto" else configured)


def executor_of(
    plan: Plan, tournament: TournamentFile, workers: int, scratch: str, warn: Callable[[str], None]
) -> Executor:
    """Return what plays the pairs: workers of this machine, or what the file names.

    `scratch` is the folder for what bots write. Raises `UsageError` if it cannot be had.
    """
    cores, wanted = _cores(tournament), tournament.config.executor
    if wanted is None:
        workers = min(workers, max(1, plan.share))  # one that never plays takes time to start
        kept = own_cores(workers, cores) if cores else [None] * workers
        if cores > 1 and None in kept:
            warn(f"there are not {cores} cores for each game; they share")
        return LocalExecutor(workers, scratch, kept)
    options = WorkerOptions(scratch, cores)
    if wanted.factory:
        make_pool = load_pool_factory(wanted.factory, tournament.path.parent)
        return FuturesExecutor(make_pool, workers, options)
    return _cluster(plan, wanted.scheduler, workers, options)


def _cores(tournament: TournamentFile) -> int:
    """Return how many cores a game has to itself, 0 for any."""
    affinity = tournament.config.affinity
    return affinity.cores if affinity else 0


def _cluster(plan: Plan, scheduler: str | None, workers: int, options: WorkerOptions) -> Executor:
    """Return a Dask cluster to which the bots are sent."""
    try:
        from pwtourney.executor.dask import DaskPool
    except ImportError as error:
        raise UsageError(_NO_DASK) from error
    parcels = [
        pack(
            *(each.spec.id, each.spec.launch, each.identity, (*each.files, *each.read_paths)),
            preparation_of(each),
        )
        for each in plan.entrants
    ]
    shipment = f"pwtourney-{uuid4().hex}"
    make_pool = partial(DaskPool, scheduler, workers, shipment, parcels)
    return FuturesExecutor(make_pool, DaskPool.slots, options._replace(shipment=shipment))
