"""The parts that all attackers share: a registry, their instructions, and honest play.

This module imports little, because every attack starts four bots.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without importing `typing`
if TYPE_CHECKING:
    from collections.abc import Callable

    Attack = Callable[[list[str]], None]

__all__ = [
    "ATTACKS",
    "DEADLINE",
    "LONG",
    "MOST",
    "attack",
    "attempt",
    "honest",
    "kept",
    "reached",
    "say",
    "spawn",
    "system_call",
    "targets",
    "wait_to_the_end",
]

ATTACKS: dict[str, Attack] = {}
MOST = 150
LONG = 12.0
DEADLINE = time.monotonic() + LONG
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
    """Report what was reached, and play the first legal action, after `work_ms` of CPU time."""
    end = time.process_time() + int(targets.get("work_ms", 0)) / 1000
    while time.process_time() < end:
        pass
    say("info reached " + (" ".join(sorted(set(reached))) or "nothing"))
    say(f"move {legal[0]}")


def attempt(name: str, deed: Callable[[], object]) -> None:
    """Try a deed; record its name if it succeeds."""
    try:
        deed()
    except Exception:
        return
    reached.append(name)


def system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number on this machine (x86-64); raise OSError if it fails."""
    if os.uname().machine != "x86_64":
        raise OSError("the numbers are those of another machine")
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    given = [
        ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments
    ]
    result: int = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def wait_to_the_end() -> None:
    """Do nothing until the end of the attack's time."""
    while time.monotonic() < DEADLINE:
        time.sleep(0.05)


def spawn(work: Callable[[], None]) -> int:
    """Fork a process that does some work and exits; return its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid
