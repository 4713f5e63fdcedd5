"""The Dask pool with a cluster in this process: a scheduler, and a worker with two threads."""

import logging
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.bots.names import installed_bot
from pwtourney.errors import UsageError
from pwtourney.executor import shipping
from pwtourney.executor.shipping import Parcel
from pwtourney.sandbox.launch import Launch
from pwtourney.version import __version__
from tests.loops import run_apart
from tests.needs import need_program, skip_for

if TYPE_CHECKING:
    from pwtourney.executor.dask import DaskPool

pytest.importorskip("distributed")


_LOGGERS = ("", ".client", ".core", ".scheduler", ".batched", ".comm", ".nanny")
_CALLS: list[int] = []


def _note_call(number: int) -> int:
    """Note this call and return the number; the worker runs in this process."""
    _CALLS.append(number)
    return number


def _list_unpacked() -> set[Path]:
    """Return the folders in which this process has unpacked bots."""
    return {*Path(tempfile.gettempdir()).glob(f"pwtourney-bots-{os.getpid()}-*")}


def _start_cluster(workers: int) -> Any:
    """Start a cluster in this process."""
    from distributed import LocalCluster

    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers,
        threads_per_worker=2,
        processes=False,
        protocol="tcp://",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Yield a cluster with one worker."""
    with _start_cluster(1) as made:
        yield made


def _greedy() -> Parcel:
    """Return the parcel of a bot that is installed here."""
    greedy = installed_bot("greedy")
    return Parcel("greedy", greedy.launch, greedy.identity, ())


def test_bots_are_on_dask_workers_while_their_pool_exists(cluster: Any) -> None:
    """Functions are called on the workers, equal calls as often as they are submitted."""
    from pwtourney.executor.dask import DaskPool

    loggers = [logging.getLogger(f"distributed{name}") for name in _LOGGERS]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    before = _list_unpacked()
    pool = DaskPool(cluster.scheduler_address, 0, "ship-1", [_greedy()], 10)
    (folder,) = _list_unpacked() - before
    assert shipping._here["ship-1"].keys() == {_greedy().launch}
    assert {logger.level for logger in loggers} == {logging.CRITICAL}
    assert pool.slots() == 2
    _CALLS.clear()
    futures = [pool.submit(_note_call, 7) for _ in range(3)]
    assert [future.result(10) for future in futures] == [7] * 3
    assert _CALLS == [7] * 3
    assert pool.submit(int, "12", base=3).result(10) == 5
    (worker,) = cluster.workers.values()
    assert worker.state.total_resources["ship-1"] == 2
    pool.shutdown()
    assert "ship-1" not in shipping._here
    assert not folder.exists()


def test_bot_that_no_dask_worker_can_start_is_reported(cluster: Any) -> None:
    """No part of the shipment is left on any worker."""
    from pwtourney.executor.dask import DaskPool

    lost = Parcel("lost", Launch(("/usr/bin/no-such-program",)), "x", ())
    with pytest.raises(UsageError, match=r"^lost: there is no program no-such-program here$"):
        DaskPool(cluster.scheduler_address, 0, "ship-2", [_greedy(), lost], 10)
    assert "ship-2" not in shipping._here
    (worker,) = cluster.workers.values()
    assert "ship-2" not in worker.plugins


def test_dask_cluster_without_a_worker_is_reported() -> None:
    """The error comes when the waiting time is over."""
    from pwtourney.executor.dask import DaskPool

    with _start_cluster(0) as empty:
        message = "executor: the Dask cluster has no worker yet; start some"
        with pytest.raises(UsageError, match=f"^{message}$"):
            DaskPool(empty.scheduler_address, 0, "ship-3", [], 0.3)


def test_scheduler_that_stopped_answering_is_reported() -> None:
    """`slots()` checks it at most once a second."""
    from pwtourney.executor.dask import DaskPool

    with _start_cluster(1) as made:
        pool = DaskPool(made.scheduler_address, 0, "ship-4", [], 0.3)
        assert pool.slots() == 2
    assert pool.slots() == 2
    pool._next_look = 0
    message = "executor: the scheduler does not answer any more; nothing is lost: run again"
    with pytest.raises(UsageError, match=f"^{message}$"):
        pool.slots()
    pool.shutdown(cancel_futures=True)


def test_pool_whose_client_has_closed_ends_without_another_error(cluster: Any) -> None:
    """A client that cannot reconnect closes itself; then the scheduler is reported as gone, too."""
    from pwtourney.executor.dask import DaskPool

    pool = DaskPool(cluster.scheduler_address, 0, "ship-7", [], 10)
    pool._client.sync(pool._client._close)
    with pytest.raises(UsageError, match=r"^executor: the scheduler does not answer any more; "):
        pool.slots()
    pool.shutdown(cancel_futures=True)


def test_shutdown_cancels_pending_calls_without_waiting(cluster: Any) -> None:
    """With `cancel_futures` the pool does not wait for a call that is running."""
    from pwtourney.executor.dask import DaskPool

    pool = DaskPool(cluster.scheduler_address, 0, "ship-5", [], 10)
    future, gate = _submit_call(pool)
    pool.shutdown(wait=True, cancel_futures=True)
    gate.set()
    with pytest.raises(CancelledError):
        future.result(10)


def test_shutdown_waits_for_a_running_call(cluster: Any) -> None:
    """Without options, a pool waits for what its workers do."""
    from pwtourney.executor.dask import DaskPool

    pool = DaskPool(cluster.scheduler_address, 0, "ship-8", [], 10)
    future, gate = _submit_call(pool)
    threading.Timer(0.2, gate.set).start()
    pool.shutdown()
    assert gate.is_set()
    assert future.result(0) is None


def test_only_workers_that_have_the_bots_are_called(cluster: Any) -> None:
    """The task needs the resource of the shipment; the client is nobody's default."""
    from distributed import default_client

    from pwtourney.executor.dask import DaskPool

    pool = DaskPool(cluster.scheduler_address, 0, "ship-9", [], 10)
    future, gate = _submit_call(pool)
    scheduler = cluster.scheduler

    async def list_needed() -> list[object]:
        """Return what the tasks need, on the loop of the scheduler, which changes them."""
        return [task.resource_restrictions for task in scheduler.tasks.values()]

    assert {"ship-9": 1} in cluster.sync(list_needed)
    with pytest.raises(ValueError, match="No clients"):
        default_client()  # type: ignore[no-untyped-call]
    gate.set()
    future.result(10)
    pool.shutdown()


_GATES: dict[str, threading.Event] = {}


def _submit_call(pool: "DaskPool") -> "tuple[Future[Any], threading.Event]":
    """Submit a call that has begun and waits for a gate; return its future and the gate."""
    gate, begun = threading.Event(), threading.Event()
    _GATES["gate"], _GATES["begun"] = gate, begun
    future = pool.submit(_wait_for_gate)
    assert begun.wait(10)
    return future, gate


def _wait_for_gate() -> None:
    """Wait until the test opens the gate; runs in a thread of the same process."""
    _GATES["begun"].set()
    _GATES["gate"].wait(10)


def test_worker_with_another_version_is_refused() -> None:
    """Another version might play other games."""
    from pwtourney.executor.dask import _Bots

    bots = _Bots("ship-6", (_greedy(),))
    bots._version = "0.0.1"
    message = f"executor: the runner is pwtourney 0.0.1, a worker has {__version__}"
    with pytest.raises(UsageError) as caught:
        run_apart(bots.setup(None))
    assert str(caught.value) == message
    bots.teardown(None)
    assert _Bots("ship-6", ())._version == __version__


@pytest.fixture
def port() -> int:
    """Return a port at which nothing listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


def _speak_once(server: socket.socket) -> None:
    """Accept a connection and speak first, as a scheduler does."""
    server.settimeout(10)
    connection, _ = server.accept()
    connection.sendall(b"x")
    connection.close()


def test_scheduler_that_starts_late_is_found(port: int) -> None:
    """It may start to listen while it is waited for."""
    from pwtourney.executor.dask import _check_answering

    def listen() -> None:
        with closing(socket.create_server(("127.0.0.1", port))) as server:
            _speak_once(server)
            _speak_once(server)

    begin = threading.Timer(0.05, listen)
    begin.daemon = True
    begin.start()
    _check_answering(f"tcp://127.0.0.1:{port}", 20)
    _check_answering(f"tcp://[127.0.0.1]:{port}", 5)
    begin.join()


def test_missing_scheduler_is_reported_with_the_reason(port: int) -> None:
    """The error comes at the end of the waiting time, or at once if waiting is useless."""
    from pwtourney.executor.dask import _check_answering

    for host, patience, reason in (
        ("127.0.0.1", 0.15, "[Errno 111] Connection refused"),
        ("255.255.255.255", 100, "[Errno 101] Network is unreachable"),
    ):
        address = f"tcp://{host}:{port}"
        with pytest.raises(UsageError) as caught:
            _check_answering(address, patience)
        assert str(caught.value) == f"executor: no scheduler answers at {address}: {reason}"


def test_tls_address_needs_certificates() -> None:
    """They belong in Dask's configuration, as its documentation says."""
    from pwtourney.executor.dask import _check_answering

    message = "executor: tls://127.0.0.1:1: name TLS certificates in Dask's configuration"
    with pytest.raises(UsageError, match=f"^{message}$"):
        _check_answering("tls://127.0.0.1:1", 0)


def test_program_that_is_no_scheduler_is_reported() -> None:
    """It listens and says nothing, or closes the connection at once."""
    from pwtourney.executor.dask import DaskPool

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        message = f"executor: no scheduler answers at {address}"
        with pytest.raises(UsageError, match=f"^{message}: timed out$"):
            DaskPool(address, 0, "ship-10", [], 0.3)
        server.accept()[0].close()
        server.settimeout(10)
        closer = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        closer.start()
        with pytest.raises(UsageError, match=f"^{message}: the connection was closed$"):
            DaskPool(address, 0, "ship-10", [], 5)
        closer.join()


def test_scheduler_with_an_ipv6_address_is_found() -> None:
    """The colons of the address are not the one before the port."""
    from pwtourney.executor.dask import _check_answering

    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        skip_for("the machine has no IPv6")
    with closing(server):
        speaker = threading.Thread(target=_speak_once, args=(server,), daemon=True)
        speaker.start()
        _check_answering(f"tcp://[::1]:{server.getsockname()[1]}", 5)
        speaker.join()


def test_tls_address_with_certificates_is_tried(tmp_path: Path, port: int) -> None:
    """The certificates are those of Dask's configuration, here one that signs itself."""
    import dask

    from pwtourney.executor.dask import _check_answering

    need_program("openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=x -keyout {key}"
    subprocess.run(
        [*words.split(), "-out", certificate], check=True, capture_output=True, timeout=60
    )
    tls = {"ca-file": certificate, "client.cert": certificate, "client.key": key}
    settings = {f"distributed.comm.tls.{name}": str(path) for name, path in tls.items()}
    with (
        dask.config.set(settings),
        pytest.raises(UsageError, match=r"at tls://127\.0\.0\.1:\d+: .* Connection refused$"),
    ):
        _check_answering(f"tls://127.0.0.1:{port}", 0.15)
