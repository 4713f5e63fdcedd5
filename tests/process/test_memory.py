"""Memory that processes hold, and memory that the kernel holds for them."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.process import BotProcess, memory
from pwtourney.process.memory import divided_memory, most_memory, resident_memory, socket_memory
from pwtourney.sandbox.backends import BACKENDS, Backend
from pwtourney.sandbox.isolation import achieve
from tests.misbehaving import LONG
from tests.needs import need_sandbox
from tests.process.conftest import Start
from tests.sandbox.helpers import LIMITS, python

MIB = 1 << 20
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

TABLES = f"""
import mmap, sys, threading, time
space = mmap.mmap(-1, 16 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
space.madvise(15)
for at in range(0, len(space), 2 << 20): space[at]
print("up", flush=True)
time.sleep({LONG})
"""
UNREAD = f"""
import os, socket, time
if os.fork() == 0: os._exit(0)  # stays a zombie, which has no network
kept = [socket.socketpair() for _ in range(50)]
print("up", flush=True)
input()
listener = socket.create_server(("127.0.0.1", 0))
for _ in range(4):
    client = socket.create_connection(listener.getsockname())
    client.setblocking(False)
    kept += [client, listener.accept()[0]]
    try:
        while True: client.send(bytes(65536))
    except BlockingIOError: pass
print("up", flush=True)
time.sleep({LONG})
"""


@pytest.mark.parametrize("measure", [resident_memory, divided_memory, most_memory])
def test_page_tables_count_as_memory(start: Start, measure: Callable[[int], int]) -> None:
    """One byte in each 2 MiB of 16 GiB needs 8,192 page tables of 4 KiB, which are 32 MiB."""
    small = start(f"print('up', flush=True)\nimport time\ntime.sleep({LONG})")
    large = start(TABLES)
    for process in (small, large):
        assert process.read_line(None)[0] == b"up"
    assert 32 * MIB <= measure(large.pid) - measure(small.pid) < 40 * MIB


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_sockets_in_a_sandbox_count_as_memory(backend: Backend) -> None:
    """A hundred sockets count their buffers (208 KiB by default); TCP sockets also unread data."""
    need_sandbox(backend)
    launch = python(UNREAD)
    isolation = achieve(backend, launch, LIMITS).isolation
    process = BotProcess(launch, LIMITS, isolation)
    try:
        assert process.read_line(None)[0] == b"up"
        tree = process.meter._tree
        empty = tree.memory()
        inside = min(tree._tree.members()) if tree._tree else 0
        with open("/proc/sys/net/core/wmem_default") as file:
            size = int(file.read())
        # the kernel frees the socket that set up the loopback device after a grace period (RCU)
        assert socket_memory(inside) in (100 * size, 101 * size)
        process.write("\n", time.monotonic_ns() + 10_000_000_000)
        assert process.read_line(None)[0] == b"up"
        assert tree.memory() - empty > 9 * size + 4 * MIB, "four were filled until they were full"
    finally:
        process.end()
        process.clean_up()


def test_process_that_has_ended_holds_no_memory() -> None:
    """4,194,304 is above the highest process id, so no process has it."""
    gone = 4_194_304
    assert [f(gone) for f in (resident_memory, divided_memory, most_memory, socket_memory)] == [
        0,
        0,
        0,
        0,
    ]


def test_sizes_are_found_by_their_names(tmp_path: Path) -> None:
    """Sizes are found whatever the process is called; a missing line counts as nothing."""
    file = tmp_path / "status"
    file.write_text("Name:\tVmPTE: 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t      99 kB\nVmPTE:\t64 kB\n")
    sizes = list(memory._read_kib(str(file), b"VmHWM:", b"VmSwap:", b"VmPTE:"))
    assert sizes == [1234 << 10, 64 << 10]
