"""A Dask cluster as an executor: a running one, or one that is started on this machine.

Importing this needs the extra ``pwtourney[dask]``.
"""

import logging
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster, Security, WorkerPlugin
from distributed.client import ClosedClientError

from pwtourney.errors import UsageError
from pwtourney.executor.futures import end_workers
from pwtourney.executor.shipping import Parcel, forget, lay_down
from pwtourney.version import __version__

__all__ = ["DaskPool"]

_GONE = "executor: the scheduler does not answer any more; nothing is lost: run again"
_LOST = (OSError, ValueError, RuntimeError, AttributeError, ClosedClientError)
"""What a client without a scheduler raises: the last three once it has closed itself."""

_LEAST_WAIT = 0.01
"""The least time for a connection in seconds; 0 would not wait at all."""

_NO_WORKER = "executor: the Dask cluster has no worker yet; start some"


class DaskPool(Executor):
    """Submits to a cluster, after the bots have reached every worker of it.

    The cluster is that of the scheduler at `address`, or is started on this machine with this many
    `workers`, processes of one thread each. The bots of a `shipment` are also sent to workers that
    join later. If a worker dies, the scheduler gives its task to another one. Raises `UsageError`
    if the scheduler does not answer or no worker joins within `patience` seconds, or if a bot
    cannot be started on a worker.
    """

    def __init__(
        self,
        address: str | None,
        workers: int,
        shipment: str,
        parcels: Sequence[Parcel],
        patience: float = 30.0,
    ) -> None:
        self._slots, self._next_look = 1, 0.0
        # Dask logs each worker that comes and goes. What matters is raised as an error.
        for name in ("", ".client", ".core", ".scheduler", ".batched", ".comm", ".nanny"):
            logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL)

        def unregister() -> None:
            with suppress(*_LOST):  # a worker or the scheduler may be gone
                self._client.unregister_worker_plugin(shipment)

        with ExitStack() as undo:
            self._client = _connect(address, workers, patience, undo)
            # First, because the next line may fail when some workers have the plugin already.
            undo.callback(unregister)
            self._client.register_plugin(_Bots(shipment, tuple(parcels)), name=shipment)
            # Each call is a task of its own (with `pure`, equal calls would share a result). Only
            # workers that have the bots offer a resource of this name.
            self._tasks = self._client.get_executor(pure=False, resources={shipment: 1})
            self._last = undo.pop_all()

    def slots(self) -> int:
        """Return how many pairs the cluster plays at a time; looked up about once a second.

        Raises `UsageError` if the scheduler is gone.
        """
        now = time.monotonic()
        if now >= self._next_look:
            try:
                threads: dict[str, int] = self._client.nthreads()
            except _LOST as error:
                raise UsageError(_GONE) from error
            self._slots, self._next_look = max(1, sum(threads.values())), now + 1.0
        return self._slots

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Call a function on a worker."""
        future: Future[Any] = self._tasks.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
        with suppress(*_LOST):
            self._tasks.shutdown(wait=wait and not cancel_futures)
        self._last.close()


class _Bots(WorkerPlugin):
    """Lays down the bots on each worker, now or when it joins, and removes them at the end."""

    def __init__(self, shipment: str, parcels: tuple[Parcel, ...]) -> None:
        self._shipment = shipment
        self._parcels = parcels
        self._version = __version__  # the runner's; a worker unpickles this and has its own
        self._folder: Path | None = None

    async def setup(self, worker: Any) -> None:
        """Lay down the bots on a worker."""
        if self._version != __version__:
            raise UsageError(
                f"executor: the runner is pwtourney {self._version}, a worker has {__version__}"
            )
        self._folder = lay_down(self._shipment, self._parcels)
        await worker.set_resources(**{self._shipment: worker.state.nthreads})

    def teardown(self, worker: object) -> None:
        """End the worker's processes and remove the bots from it."""
        end_workers()
        if self._folder is not None:
            forget(self._shipment, self._folder)


def _connect(address: str | None, workers: int, patience: float, undo: ExitStack) -> Any:
    """Return a client of the cluster at an address, or of one that is started here."""
    where: Any = address
    if address is None:
        where = undo.enter_context(
            LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                # its web server starts even so, and warns if it does not get port 8787
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
            )
        )
    else:
        # A client that cannot connect takes a minute to give up when the program exits.
        _check_answering(address, patience)
    try:
        client = undo.enter_context(
            Client(where, timeout=patience, set_as_default=False)  # type: ignore[no-untyped-call]
        )
    except (OSError, ValueError) as error:  # timeouts are among them
        raise UsageError(f"executor: no scheduler answers at {where}: {error}") from error
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        raise UsageError(_NO_WORKER) from error
    return client


def _check_answering(address: str, patience: float) -> None:
    """Raise `UsageError` if no scheduler listens, or if TLS is missing.

    A scheduler speaks first, except with TLS. Dask's client waits without end for a program that
    listens and says nothing.
    """
    scheme, _, rest = address.partition("://")
    host, _, port = rest.rpartition(":")
    security: Any = Security
    if scheme == "tls" and not security().get_connection_args("client").get("ssl_context"):
        raise UsageError(f"executor: {address}: name TLS certificates in Dask's configuration")
    end = time.monotonic() + patience
    while True:
        try:
            left = max(_LEAST_WAIT, end - time.monotonic())
            with socket.create_connection((host.strip("[]"), int(port)), left) as connection:
                if scheme != "tls" and not connection.recv(1):
                    raise ConnectionAbortedError("the connection was closed")
        except (OSError, OverflowError) as error:
            if time.monotonic() >= end or not isinstance(error, ConnectionRefusedError):
                raise UsageError(f"executor: no scheduler answers at {address}: {error}") from error
            time.sleep(0.1)  # it may be about to start
        else:
            return
