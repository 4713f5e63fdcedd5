"""What it takes to start a bot, as plain data, and what it may use."""

import os
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Launch", "Limits", "bot_environment", "prlimit_options", "resource_limits"]

_MIB = 1 << 20


class Launch(NamedTuple):
    """How a bot is started: the words of its command, all paths absolute, and extra variables.

    `read_paths` are the files and folders that it needs next to the system's own; in the sandbox it
    sees no others. `write_paths` are folders that it may write to as well; each is the only one in
    a folder of ours that no other user can enter.
    """

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    read_paths: tuple[str, ...] = ()
    write_paths: tuple[str, ...] = ()


class Limits(NamedTuple):
    """What one bot may use: times in milliseconds, sizes in bytes.

    `start_ms` is the time from the start of the process to the end of the handshake, and again
    for getting ready for a game; `end_ms` the grace between ``quit`` and being killed; `move_ms`
    bounds every single move, whatever the clock allows; `cpu_ms` the processor time of one process
    (None where it lives for many games). `line` and `output` bound one line and all lines of a
    game; of standard error the first and the last `stderr` bytes are kept. `memory` and
    `processes` are of all processes of the bot together. `file` is the size of one file, `files`
    how many may be open, `scratch` the size of everything in the scratch folder (in the sandbox).
    """

    start_ms: int = 10_000
    end_ms: int = 500
    move_ms: int | None = None
    cpu_ms: int | None = 3_600_000
    line: int = 64 * 1024
    output: int = 16 * _MIB
    stderr: int = 64 * 1024
    memory: int = 2048 * _MIB
    processes: int = 64
    file: int = 64 * _MIB
    files: int = 256
    scratch: int = 64 * _MIB


def bot_environment(launch: Launch, home: str) -> Mapping[str, str]:
    """Return the whole environment of a bot: an allow-list, and nothing else inherited.

    A token in the variables of a CI job would be in the hands of every bot.

    Hash randomisation is off, so that a Python bot is as deterministic as its author wrote it.
    """
    # SYSTEMROOT is for Python on Windows, which does not start without
    allowed = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    fixed = {
        "HOME": home,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "TMPDIR": home,
    }
    return allowed | fixed | dict(launch.environment)


def resource_limits(limits: Limits, *, processes: bool = False) -> tuple[tuple[str, int], ...]:
    """Return what no process of a bot may exceed, by the names of ``prlimit``.

    Their number is for those who count them by sandbox: elsewhere it is that of a whole user.

    Nobody can have more than we have ourselves. RLIMIT_DATA rather than RLIMIT_AS: Node, Go and
    Java reserve far more address space than they use. It leaves a quarter more than the limit, so
    that whoever really uses the memory is caught by the measurement of the whole tree and told so,
    and does not die of a failed allocation.
    """
    import resource

    wanted = [
        ("core", resource.RLIMIT_CORE, 0),  # a crash a game would fill the disk with memory images
        ("fsize", resource.RLIMIT_FSIZE, limits.file),
        ("nofile", resource.RLIMIT_NOFILE, limits.files),
        ("data", resource.RLIMIT_DATA, limits.memory + limits.memory // 4),
    ]
    if limits.cpu_ms is not None:
        wanted.append(("cpu", resource.RLIMIT_CPU, -(-limits.cpu_ms // 1000)))
    if processes:
        wanted.append(("nproc", resource.RLIMIT_NPROC, limits.processes))
    found = []
    for name, kind, value in wanted:
        hard = resource.getrlimit(kind)[1]
        found.append((name, value if hard == resource.RLIM_INFINITY else min(value, hard)))
    return tuple(found)


def prlimit_options(limits: Limits) -> list[str]:
    """Return the options of ``prlimit`` that set the same."""
    return [f"--{name}={most}:{most}" for name, most in resource_limits(limits)]
