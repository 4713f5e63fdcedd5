"""Attempts to reach what is not the bot's: processes, files, the network, the next game."""

import ctypes
import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from tests.hostile.attackers.honest import (
    ATTACKS,
    attack,
    attempt,
    honest,
    reached,
    system_call,
    targets,
)

STARTED = time.time()


def others(name: str) -> list[int]:
    """Return the visible processes of bots that were started with this name."""
    words = b"\0%s\0opponent=" % name.encode()
    pids = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with suppress(OSError):
                if words in Path(f"/proc/{entry}/cmdline").read_bytes():
                    pids.append(int(entry))
    return pids


@attack
def kills_the_opponent(legal: list[str]) -> None:
    """Kill the honest opponent."""
    for pid in others("honest"):
        attempt("kill-opponent", lambda pid=pid: os.kill(pid, signal.SIGKILL))  # type: ignore[misc]
    honest(legal)


@attack
def writes_for_its_opponent(legal: list[str]) -> None:
    """Write an invalid answer to the opponent's standard output."""

    def write(pid: int) -> None:
        descriptor = os.open(f"/proc/{pid}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
        os.write(descriptor, b"move nonsense\n")

    for pid in others("honest"):
        attempt("output-opponent", lambda pid=pid: write(pid))  # type: ignore[misc]
    honest(legal)


@attack
def kills_the_runner(legal: list[str]) -> None:
    """Kill the referee."""
    attempt("kill-runner", lambda: os.kill(int(targets["runner"]), signal.SIGKILL))
    honest(legal)


@attack
def reads_the_others_memory(legal: list[str]) -> None:
    """Read the environment and memory of opponent and runner, and trace them."""
    libc = ctypes.CDLL(None, use_errno=True)

    def trace(pid: int) -> None:
        if libc.ptrace(16, pid, 0, 0) != 0:
            raise OSError
        os.waitpid(pid, 0)
        libc.ptrace(17, pid, 0, 0)

    def peek(pid: int) -> None:
        with open(f"/proc/{pid}/mem", "rb"):
            pass

    for name, pids in (("opponent", others("honest")), ("runner", [int(targets["runner"])])):
        for pid in pids:
            environ = Path(f"/proc/{pid}/environ")
            attempt(f"environ-{name}", environ.read_bytes)
            attempt(f"memory-{name}", lambda pid=pid: peek(pid))  # type: ignore[misc]
            attempt(f"ptrace-{name}", lambda pid=pid: trace(pid))  # type: ignore[misc]
    honest(legal)


@attack
def reads_and_writes_files(legal: list[str]) -> None:
    """Read and change the opponent's files, the results, the package, and its own files."""
    for name in ("opponent", "results", "package", "own"):
        path = Path(targets[name])
        if name != "own":
            attempt(f"read-{name}", path.read_bytes)
        attempt(f"write-{name}", lambda path=path: path.open("ab").close())  # type: ignore[misc]
    attempt("read-shadow", Path("/etc/shadow").read_bytes)
    honest(legal)


@attack
def leaves_symlinks(legal: list[str]) -> None:
    """Create links to others' folders in its scratch folder, which will be removed."""
    for number, name in enumerate(("opponent", "results")):
        with suppress(OSError):
            os.symlink(os.path.dirname(targets[name]), f"link{number}")
    honest(legal)


@attack
def uses_the_network(legal: list[str]) -> None:
    """Connect to the runner over loopback and by an abstract name, and open other sockets."""

    def connect(family: int, address: str | tuple[str, int]) -> None:
        with socket.socket(family) as client:
            client.settimeout(1)
            client.connect(address)

    attempt("loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", int(targets["port"]))))
    attempt("abstract", lambda: connect(socket.AF_UNIX, "\0" + targets["abstract"]))
    if hasattr(socket, "AF_VSOCK"):
        attempt("vsock", lambda: socket.socket(socket.AF_VSOCK).close())
    attempt("vsock", lambda: os.close(system_call(41, (1 << 32) | 40, 1, 0)))
    attempt("io_uring", lambda: os.close(system_call(425, 1, ctypes.create_string_buffer(120))))
    honest(legal)


@attack
def leaves_state(legal: list[str]) -> None:
    """Leave a file for the next game in every folder, and look for one from an earlier game."""
    for folder in (".", "/tmp", "/dev/shm", os.environ["HOME"]):
        # named by runner: attacks run in parallel, and each runner removes its own files
        path = Path(folder, f"pwtourney-attack-state-{targets['runner']}")
        if path.exists() and path.stat().st_mtime < STARTED:
            reached.append("state")
        with suppress(OSError):
            path.write_text("state")
    honest(legal)


@attack
def looks_at_locks(legal: list[str]) -> None:
    """Check for locks on a file that all can read; the runner holds some."""
    import fcntl
    import struct

    request = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    with open(targets["locked"], "rb") as file:
        answers = [
            fcntl.fcntl(file, command, request)
            for command in (fcntl.F_GETLK, 36)  # 36 is F_OFD_GETLK, for open file descriptions
        ]
        if any(struct.unpack("hhqqi4x", answer)[0] != fcntl.F_WRLCK for answer in answers):
            reached.append("posix-locks")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reached.append("flock")
    honest(legal)


@attack
def remembers_what_was_read(legal: list[str]) -> None:
    """Read every second piece of a file; in the next game, find out by timing which ones."""

    def is_in_memory(piece: int) -> bool:
        began = time.perf_counter_ns()
        os.pread(file.fileno(), 1, piece << 19)
        return time.perf_counter_ns() - began < 15_000

    if not ATTACKS.pop("once", None):
        return honest(legal)
    with open(targets["large"], "rb", buffering=0) as file:
        pieces = range(os.fstat(file.fileno()).st_size >> 19)
        if is_in_memory(0):
            cached = [is_in_memory(piece) for piece in pieces[1:]]
            right = sum(cached[piece - 1] == (piece % 2 == 0) for piece in pieces[1:])
            if right > 0.9 * len(cached):
                reached.append("page-cache")
        else:
            for piece in pieces[::2]:
                is_in_memory(piece)
    return honest(legal)


@attack
def changes_its_terms(legal: list[str]) -> None:
    """Set the clock of the machine, and its own priority and cores."""
    attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
    attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    attempt("affinity", lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)))
    honest(legal)


@attack
def wakes_itself(legal: list[str]) -> None:
    """Make the kernel send SIGCONT later, which continues a stopped process."""
    import fcntl

    def clone() -> None:
        child = system_call(56, signal.SIGCONT, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0x40000000)  # __WALL: its end is reported by another signal than SIGCHLD

    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
    at, timer = ctypes.byref(event), ctypes.byref(ctypes.c_int())
    attempt("timer-signal", lambda: system_call(222, time.CLOCK_MONOTONIC, at, timer))
    attempt("file-signal", lambda: fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGCONT))
    attempt("parent-signal", lambda: system_call(157, 1, signal.SIGCONT, 0, 0, 0))
    attempt("child-signal", clone)
    honest(legal)
