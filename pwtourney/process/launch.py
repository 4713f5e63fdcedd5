"""What it takes to start a bot, as plain data, and the limits it runs under."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import NamedTuple

__all__ = ["Launch", "Limits", "bot_environment", "guarded_command"]

_MIB = 1 << 20
_SETPRIV = ("--pdeathsig", "KILL", "--no-new-privs", "--")


class Launch(NamedTuple):
    """How a bot is started: the words of its command, all paths absolute, and extra variables."""

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


class Limits(NamedTuple):
    """What one bot process may use: times in milliseconds, sizes in bytes.

    `start_ms` is the time from the start of the process to the end of the handshake, and again
    for getting ready for a game; `end_ms` the grace between ``quit`` and being killed. `line` and
    `output` bound one line and all lines of a game; of standard error the first `stderr` bytes
    are kept and the rest is thrown away.
    """

    start_ms: int = 10_000
    end_ms: int = 500
    line: int = 64 * 1024
    output: int = 16 * _MIB
    stderr: int = 64 * 1024
    memory: int = 2048 * _MIB
    file: int = 64 * _MIB
    files: int = 256


def bot_environment(launch: Launch, scratch: str) -> Mapping[str, str]:
    """Return the whole environment of a bot: an allow-list, and nothing inherited beside it.

    Hash randomisation is off, so that a Python bot is as deterministic as its author wrote it.
    """
    allowed = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    fixed = {
        "HOME": scratch,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "TMPDIR": scratch,
    }
    return allowed | fixed | dict(launch.environment)


def guarded_command(launch: Launch, limits: Limits) -> list[str]:
    """Return the command, under ``prlimit`` and ``setpriv`` (util-linux) where they are.

    The first sets the limits before the bot's first instruction; the second makes the kernel kill
    the bot when the process that started it dies, however that happens, and keeps the bot from
    gaining privileges.
    """
    limited = _working("prlimit", *_limit_options(limits), "--")
    return [*limited, *_working("setpriv", *_SETPRIV), *launch.command]


def _limit_options(limits: Limits) -> list[str]:
    """Return the options of ``prlimit``; nobody can have more than we have ourselves."""
    import resource

    wanted = (
        ("core", resource.RLIMIT_CORE, 0),
        ("fsize", resource.RLIMIT_FSIZE, limits.file),
        ("nofile", resource.RLIMIT_NOFILE, limits.files),
        ("data", resource.RLIMIT_DATA, limits.memory),
    )
    options = []
    for name, kind, value in wanted:
        hard = resource.getrlimit(kind)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        options.append(f"--{name}={least}:{least}")
    return options


@cache
def _working(name: str, *options: str) -> tuple[str, ...]:
    """Return a command that runs another under a guard; empty if it does not work here.

    It is tried once with a command that does nothing, because other programs of the same name
    (busybox has some) know fewer options.
    """
    program = shutil.which(name) if sys.platform == "linux" else None
    if program is None:
        return ()
    guard = (os.path.abspath(program), *options)
    with suppress(OSError, subprocess.TimeoutExpired):
        if subprocess.run([*guard, "true"], capture_output=True, timeout=10).returncode == 0:
            return guard
    return ()
