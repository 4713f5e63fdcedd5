"""A bot that attacks in one way, which its argument names, and plays honestly as well as it can.

Run as a program, with nothing but the standard library. Every attack is bounded in count and in
time by itself: nothing here forks more than `MOST` processes, and everything ends within `LONG`
seconds. What an attempt reached is told in an ``info`` line: ``reached`` and the names of it.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Attack = Callable[[list[str]], None]
ATTACKS: dict[str, Attack] = {}
MOST = 150
LONG = 12.0
DEADLINE = time.monotonic() + LONG
STARTED = time.time()
targets: dict[str, str] = {}
reached: list[str] = []
kept: list[bytes] = []


def attack(function: Attack) -> Attack:
    """Register an attack under its name."""
    ATTACKS[function.__name__] = function
    return function


def say(text: str) -> None:
    """Write one line to the runner."""
    os.write(1, text.encode() + b"\n")


def honest(legal: list[str]) -> None:
    """Tell what was reached, and play the first legal action."""
    say("info reached " + (" ".join(sorted(set(reached))) or "nothing"))
    say(f"move {legal[0]}")


def attempt(name: str, deed: Callable[[], object]) -> None:
    """Try something; note its name if it could be done."""
    with suppress(Exception):
        deed()
        reached.append(name)


def wait_to_the_end() -> None:
    """Do nothing for as long as anything here may last."""
    while time.monotonic() < DEADLINE:
        time.sleep(0.05)


def spawn(work: Callable[[], None]) -> int:
    """Fork a process that works and ends."""
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            work()
        os._exit(0)
    return pid


@attack
def flood_without_newline(legal: list[str]) -> None:
    """Write a line without end."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"x" * 65536)


@attack
def flood_of_lines(legal: list[str]) -> None:
    """Write lines without end."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"info nothing\n" * 4000)


@attack
def line_of_3_mib(legal: list[str]) -> None:
    """Answer with one line of three mebibytes."""
    say("move " + "x" * (3 << 20))


@attack
def byte_each_50_ms(legal: list[str]) -> None:
    """Let a byte drip now and then."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"i")
        time.sleep(0.05)


@attack
def comment_each_50_ms(legal: list[str]) -> None:
    """Let a whole line come now and then."""
    while time.monotonic() < DEADLINE:
        say("info still thinking")
        time.sleep(0.05)


@attack
def nul_bytes(legal: list[str]) -> None:
    """Answer with NUL in the line."""
    os.write(1, b"move adv\0ance\n")


@attack
def invalid_utf8(legal: list[str]) -> None:
    """Answer with bytes that are no text."""
    os.write(1, b"move \xff\xfe\n")


@attack
def unicode_digits(legal: list[str]) -> None:
    """Answer with digits of another script, which Python's int() would take."""
    patch = next((each for each in legal if ":" in each), "12:r0:a1")
    number = patch.partition(":")[0]
    say("move " + "".join(chr(0x660 + int(digit)) for digit in number) + patch[len(number) :])


@attack
def terminal_escapes(legal: list[str]) -> None:
    """Answer with a terminal sequence."""
    say("move \x1b]0;owned\x07advance")


@attack
def stderr_of_256_mib(legal: list[str]) -> None:
    """Write a quarter of a gibibyte to standard error, then play on."""
    if not ATTACKS.pop("once", None):
        return honest(legal)
    for _ in range(4096):
        os.write(2, b"e" * 65536)
    return honest(legal)


@attack
def closes_stdout(legal: list[str]) -> None:
    """Close standard output and stay."""
    os.close(1)
    wait_to_the_end()


@attack
def closes_stdin(legal: list[str]) -> None:
    """Answer, close standard input, and stay."""
    honest(legal)
    os.close(0)
    wait_to_the_end()


@attack
def exits_mid_game(legal: list[str]) -> None:
    """Leave."""
    os._exit(3)


@attack
def stops_itself(legal: list[str]) -> None:
    """Send SIGSTOP to itself."""
    os.kill(os.getpid(), signal.SIGSTOP)


@attack
def answers_before_it_is_asked(legal: list[str]) -> None:
    """Answer, and give the next answer with it."""
    os.write(1, f"move {legal[0]}\nmove advance\n".encode())


@attack
def answers_twice(legal: list[str]) -> None:
    """Give one answer two times."""
    os.write(1, f"move {legal[0]}\nmove {legal[0]}\n".encode())


@attack
def sleeps_to_95_percent(legal: list[str]) -> None:
    """Use nearly all of its time in its first turns, which is its right."""
    if len(kept) < 3:
        kept.append(b"")
        time.sleep(0.95 * float(targets["move_ms"]) / 1000 - 0.01)
    honest(legal)


@attack
def allocates_3_gib(legal: list[str]) -> None:
    """Take memory and use it, chunk by chunk."""
    for _ in range(3 * 64):
        kept.append(b"\1" * (16 << 20))
        time.sleep(0.001)
    honest(legal)


@attack
def forks_allocators(legal: list[str]) -> None:
    """Let twenty children take a fifth of the limit each."""

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
    """Write a quarter of a gibibyte to each place in memory."""
    for place in ("/tmp", "/dev/shm"):
        path = f"{place}/pwtourney-attack-{os.getpid()}"
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(64):
                    if file.write(b"f" * (4 << 20)) < 4 << 20:
                        raise OSError("full")
            reached.append(place)
        except OSError:
            pass
        with suppress(OSError):
            os.unlink(path)
    honest(legal)


@attack
def fork_bomb(legal: list[str]) -> None:
    """Fork children that stay, up to a cap."""
    for _ in range(MOST):
        with suppress(OSError):
            spawn(wait_to_the_end)
    wait_to_the_end()


@attack
def threads_4000(legal: list[str]) -> None:
    """Start four thousand threads that stay, or as many as there may be."""
    if not ATTACKS.pop("once", None):
        return honest(legal)
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
    """Leave a process that gives its life to a child again and again, up to a cap."""

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
    """Leave a process behind that has no parent and a session of its own."""

    def leave() -> None:
        os.setsid()
        spawn(wait_to_the_end)

    if ATTACKS.pop("once", None):
        os.waitpid(spawn(leave), 0)
    honest(legal)


@attack
def frames_the_opponent(legal: list[str]) -> None:
    """Leave orphans that allocate just after the answer, for whoever is looked at next."""

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
    """Keep many children that share pages, so that to count their memory takes long."""
    if ATTACKS.pop("once", None):
        kept.append(b"\1" * (int(targets["memory"]) // 8))
        for _ in range(40):
            with suppress(OSError):
                spawn(wait_to_the_end)
    honest(legal)


@attack
def churn_of_children(legal: list[str]) -> None:
    """Fork children that end at once, as many as there may be."""
    if ATTACKS.pop("once", None):
        for _ in range(MOST):
            with suppress(OSError):
                os.waitpid(spawn(lambda: None), 0)
    honest(legal)


@attack
def thinks_in_the_opponents_time(legal: list[str]) -> None:
    """Keep a thread busy whenever it runs."""

    def think() -> None:
        while time.monotonic() < DEADLINE:
            sum(range(1000))

    if ATTACKS.pop("once", None):
        threading.Thread(target=think, daemon=True).start()
    honest(legal)


def system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number on this machine (x86-64); raise OSError if it fails."""
    if os.uname().machine != "x86_64":
        raise OSError("the numbers are those of another machine")
    libc = ctypes.CDLL(None, use_errno=True)
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def others(name: str) -> list[int]:
    """Return the bots that were started with a word, as far as they can be seen."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with suppress(OSError):
                if b"\0%s\0{" % name.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                    found.append(int(entry))
    return found


@attack
def kills_the_opponent(legal: list[str]) -> None:
    """Kill whoever plays honestly."""
    for pid in others("honest"):
        attempt("kill-opponent", lambda pid=pid: os.kill(pid, signal.SIGKILL))  # type: ignore[misc]
    honest(legal)


@attack
def kills_the_runner(legal: list[str]) -> None:
    """Kill the referee."""
    attempt("kill-runner", lambda: os.kill(int(targets["runner"]), signal.SIGKILL))
    honest(legal)


@attack
def reads_the_others_memory(legal: list[str]) -> None:
    """Read environment and memory of opponent and runner, and trace them."""
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
    """Read and change the opponent's files, the results, the package, and its own."""
    for name in ("opponent", "results", "package", "own"):
        path = Path(targets[name])
        if name != "own":
            attempt(f"read-{name}", path.read_bytes)
        attempt(f"write-{name}", lambda path=path: path.open("ab").close())  # type: ignore[misc]
    attempt("read-shadow", Path("/etc/shadow").read_bytes)
    honest(legal)


@attack
def leaves_symlinks(legal: list[str]) -> None:
    """Put links to folders of others into its scratch folder, which will be removed."""
    for number, name in enumerate(("opponent", "results")):
        with suppress(OSError):
            os.symlink(os.path.dirname(targets[name]), f"link{number}")
    honest(legal)


@attack
def uses_the_network(legal: list[str]) -> None:
    """Reach a listener of the runner over loopback and by an abstract name, and listen itself."""

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
    """Leave a file in every place for the next game, and look for one that was left."""
    for place in (".", "/tmp", "/dev/shm", os.environ["HOME"]):
        path = Path(place, "pwtourney-attack-state")
        if path.exists() and path.stat().st_mtime < STARTED:
            reached.append("state")
        with suppress(OSError):
            path.write_text("state")
    honest(legal)


@attack
def changes_its_terms(legal: list[str]) -> None:
    """Set the clock of the machine, and its own priority and cores."""
    attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
    attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    attempt("affinity", lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)))
    honest(legal)


def main(name: str, told: str) -> None:
    """Play, honestly until the third turn."""
    targets.update(json.loads(told))
    ATTACKS["once"] = honest
    if name == "exits_at_once":
        sys.exit(7)
    if name == "never_reads":
        say("ready")
        wait_to_the_end()
    if name == "ignores_sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    turns = 0
    legal: list[str] = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "pwtp":
            say(f"id name {name}\nfeature legal\nready")
        elif word == "end":
            say("ready")
        elif word == "legal":
            legal = rest
        elif word == "quit":
            if name == "ignores_sigterm":
                wait_to_the_end()
            return
        elif word == "go":
            turns += 1
            ATTACKS.get(name, honest)(legal) if turns > 2 else honest(legal)


if __name__ == "__main__":
    main(*sys.argv[1:3])
