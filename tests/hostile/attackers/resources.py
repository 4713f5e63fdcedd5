"""Attacks on the machine: memory, disks, processes, and threads."""

import os
import time
from contextlib import suppress

from tests.hostile.attackers.honest import (
    ATTACKS,
    DEADLINE,
    LONG,
    MOST,
    attack,
    attempt,
    honest,
    kept,
    reached,
    spawn,
    system_call,
    targets,
    wait_to_the_end,
)


def burn() -> None:
    """Use a core in a separate session, because Linux may divide it among sessions."""
    os.setsid()
    while time.monotonic() < DEADLINE:
        pass


@attack
def allocates_3_gib(legal: list[str]) -> None:
    """Allocate 3 GiB and write to it, chunk by chunk."""
    for _ in range(3 * 64):
        kept.append(b"\1" * (16 << 20))
        time.sleep(0.001)
    honest(legal)


@attack
def fills_page_tables(legal: list[str]) -> None:
    """Read a byte of each 2 MiB: each needs a page table of 4 KiB but no page of its own."""
    import mmap

    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    space = mmap.mmap(-1, 512 << 30, flags, mmap.PROT_READ)
    space.madvise(15)  # MADV_NOHUGEPAGE: a large page needs no table
    for at in range(0, len(space), 2 << 20):
        space[at]
    time.sleep(0.5)  # memory that is freed before the next sample gains nothing
    reached.append("page-tables")
    honest(legal)


@attack
def fills_socket_buffers(legal: list[str]) -> None:
    """Let children write to sockets that nobody reads, in total more than the limit."""
    import socket

    def fill() -> None:
        held = []
        with suppress(OSError):
            while time.monotonic() < DEADLINE:
                held.append(socket.socketpair())
                for end in held[-1]:
                    with suppress(BlockingIOError):
                        while written := end.send(bytes(1 << 16), socket.MSG_DONTWAIT):
                            os.write(heard, b"." * (written >> 16))
        wait_to_the_end()

    if not ATTACKS.pop("once", None):
        return honest(legal)
    said, heard = os.pipe()
    for _ in range(20):
        with suppress(OSError):
            spawn(fill)
    left = int(targets["memory"])
    while left > 0 and time.monotonic() < DEADLINE:
        left -= len(os.read(said, 4096)) << 16
    time.sleep(0.5)  # as above
    reached.append("socket-buffers")
    return honest(legal)


@attack
def hides_memory(legal: list[str]) -> None:
    """Try all ways to hold memory that is counted for no process."""
    import ctypes
    import mmap

    libc = ctypes.CDLL(None, use_errno=True)

    def ask(make: str, *size: int) -> None:
        # key 0 is IPC_PRIVATE, command 0 is IPC_RMID; without removal it would stay permanently
        number = getattr(libc, make)(0, *size, 0o1600)
        if number < 0:
            raise OSError
        removal = (0, 0) if make == "semget" else (0,)
        getattr(libc, make.replace("get", "ctl"))(number, *removal)

    def gift() -> None:
        pieces = (ctypes.c_void_p * 2)(ctypes.cast(ctypes.c_char_p(b"page"), ctypes.c_void_p), 4)
        reader, writer = os.pipe()
        if libc.vmsplice(writer, pieces, 1, 0) < 0:
            raise OSError
        os.close(reader)
        os.close(writer)

    def lend() -> None:
        with open(__file__, "rb") as file, open(os.devnull, "wb") as nowhere:
            if os.sendfile(nowhere.fileno(), file.fileno(), 0, 1) < 1:
                raise OSError
            reader, writer = os.pipe()
            os.splice(file.fileno(), writer, 1) if hasattr(os, "splice") else None
            os.close(reader)
            os.close(writer)

    def profile() -> None:
        # a software counter (1) that counts nothing (9), for this process without the kernel
        event = (ctypes.c_uint64 * 16)(1 | 128 << 32, 9, 0, 0, 0, 1 << 5 | 1 << 6)
        with open(system_call(298, ctypes.byref(event), 0, -1, -1, 0), "rb") as counter:
            mmap.mmap(counter.fileno(), 2 * mmap.PAGESIZE)

    rights = ctypes.c_uint64(1)
    attempt("perf-rings", profile)
    attempt("memfd", lambda: os.close(os.memfd_create("hidden")))
    attempt("secret", lambda: os.close(system_call(447, 0)))
    attempt("segments", lambda: ask("shmget", 4096))
    attempt("messages", lambda: ask("msgget"))
    attempt("semaphores", lambda: ask("semget", 1))
    attempt("pipe-pages", gift)
    attempt("lent-pages", lend)
    attempt("rulesets", lambda: os.close(system_call(444, ctypes.byref(rights), 8, 0)))
    honest(legal)


@attack
def watches_itself(legal: list[str]) -> None:
    """Let many files watch many others each, which is memory that no process is charged for."""
    import select

    if not ATTACKS.pop("once", None):
        return honest(legal)
    watchers = [select.epoll() for _ in range(100)]
    pipes = [os.pipe() for _ in range(50)]
    with suppress(OSError):
        for watcher in watchers:
            for reader, writer in pipes:
                watcher.register(reader)
                watcher.register(writer)
        reached.append("epoll-watches")
    for watcher in watchers:
        watcher.close()
    return honest(legal)


@attack
def forks_allocators(legal: list[str]) -> None:
    """Let twenty children allocate a fifth of the limit each."""

    def allocate() -> None:
        mine = b"\1" * (int(targets["memory"]) // 5)
        while mine and time.monotonic() < DEADLINE:
            time.sleep(0.05)

    for _ in range(20):
        with suppress(OSError):
            spawn(allocate)
    wait_to_the_end()


@attack
def fills_tmp_and_shm(legal: list[str]) -> None:
    """Write 256 MiB to each in-memory file system."""
    for folder in ("/tmp", "/dev/shm"):
        path = f"{folder}/pwtourney-attack-{os.getpid()}"
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(64):
                    if file.write(b"f" * (4 << 20)) < 4 << 20:
                        raise OSError("full")
            reached.append(folder)
        except OSError:
            pass
        with suppress(OSError):
            os.unlink(path)
    honest(legal)


@attack
def fork_bomb(legal: list[str]) -> None:
    """Fork children that keep running, up to a cap."""
    for _ in range(MOST):
        with suppress(OSError):
            spawn(wait_to_the_end)
    wait_to_the_end()


@attack
def burns_the_core(legal: list[str]) -> None:
    """Never answer, while forty children in their own sessions burn the referee's core."""
    for _ in range(40):
        with suppress(OSError):
            spawn(burn)
    wait_to_the_end()


@attack
def starves_its_opponent(legal: list[str]) -> None:
    """Let forty children in their own sessions burn the core, also in its opponent's turns."""
    if ATTACKS.pop("once", None):
        for _ in range(40):
            with suppress(OSError):
                spawn(burn)
    honest(legal)


@attack
def threads_4000(legal: list[str]) -> None:
    """Start 4,000 threads that keep running, or as many as possible."""
    if not ATTACKS.pop("once", None):
        return honest(legal)
    import threading

    threading.stack_size(64 << 10)
    started = 0
    for _ in range(4000):
        try:
            threading.Thread(target=threading.Event().wait, args=(LONG,), daemon=True).start()
            started += 1
        except RuntimeError:
            break
    if started >= 1000:
        reached.append("threads")
    return honest(legal)


@attack
def reforking_daemon(legal: list[str]) -> None:
    """Leave a process that forks itself and exits again and again, up to a cap."""

    def go_on(left: int) -> None:
        if left and time.monotonic() < DEADLINE:
            time.sleep(0.02)
            os.setsid()
            spawn(lambda: go_on(left - 1))

    if ATTACKS.pop("once", None):
        spawn(lambda: go_on(MOST))
    honest(legal)


@attack
def double_forked_daemon(legal: list[str]) -> None:
    """Leave a process behind that has no parent, in its own session."""

    def leave() -> None:
        os.setsid()
        spawn(wait_to_the_end)

    if ATTACKS.pop("once", None):
        os.waitpid(spawn(leave), 0)
    honest(legal)


@attack
def frames_the_opponent(legal: list[str]) -> None:
    """Leave orphans that allocate just after the answer, so that the next turn measures them."""

    def leave() -> None:
        if os.fork() == 0:
            mine = b"\1" * (int(targets["memory"]) // 2)
            end = time.monotonic() + 1
            while mine and time.monotonic() < min(end, DEADLINE):
                time.sleep(0.02)
        os._exit(0)

    honest(legal)
    if ATTACKS.pop("once", None):
        for _ in range(4):
            spawn(leave)


@attack
def crowd_of_shared_pages(legal: list[str]) -> None:
    """Keep many children that share pages, so that counting their memory takes long."""
    if ATTACKS.pop("once", None):
        kept.append(b"\1" * (int(targets["memory"]) // 8))
        for _ in range(40):
            with suppress(OSError):
                spawn(wait_to_the_end)
    honest(legal)


@attack
def churn_of_children(legal: list[str]) -> None:
    """Fork as many children as possible that exit at once."""
    if ATTACKS.pop("once", None):
        for _ in range(MOST):
            with suppress(OSError):
                os.waitpid(spawn(lambda: None), 0)
    honest(legal)


@attack
def thinks_in_the_opponents_time(legal: list[str]) -> None:
    """Keep a thread busy whenever it runs."""
    import threading

    def think() -> None:
        while time.monotonic() < DEADLINE:
            sum(range(1000))

    if ATTACKS.pop("once", None):
        threading.Thread(target=think, daemon=True).start()
    honest(legal)
