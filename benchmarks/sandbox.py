"""Measures the sandbox: starting a bot, a ply, and suspending a bot in its opponent's time."""

import shutil
import sys
import time
from collections.abc import Iterator

from benchmarks.calibration import best_of
from benchmarks.ply import fastest, instant_bot, one_core
from pwtourney.errors import SandboxError
from pwtourney.process import BotProcess
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["rows"]

_STARTS = 15
_TURNS = 300


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target, side by side in one run."""
    groups = CgroupRoot.open()
    try:
        with one_core():
            yield from _rows(groups)
    finally:
        if groups:
            groups.close()


def _rows(groups: CgroupRoot | None) -> Iterator[tuple[str, str, str]]:
    python = Launch(
        (sys.executable, "-S", "-c", "print(flush=True); input()"),
        (),
        (sys.prefix, sys.base_prefix),
    )
    bare = Isolation()
    try:
        boxed = achieve("bwrap", python, Limits()).isolation
    except SandboxError as error:
        yield "the sandbox", str(error), ""
        return
    isolations = {"none": bare, "bwrap": boxed}
    if groups:
        isolations["bwrap and cgroup"] = boxed._replace(group=groups.path)
    alone = best_of(lambda: _start(python, bare), 3)
    yield "start and end a Python process", f"{alone * 1e3:.0f} ms", ""
    for name, isolation in list(isolations.items())[1:]:
        seconds = best_of(lambda isolation=isolation: _start(python, isolation), 3)  # type: ignore[misc]
        yield f"... with {name}", f"{seconds / alone:.1f} times that", ""
    if shutil.which("cc"):
        with instant_bot() as bot:
            plain = fastest(bot, bare)
            yield "a ply without a sandbox", f"{plain * 1e6:.0f} µs", ""
            for name, isolation in list(isolations.items())[1:]:
                ratio = fastest(bot, isolation) / plain
                yield f"... with {name}", f"{ratio:.2f} times that", ""
    for name, isolation in isolations.items():
        seconds = best_of(lambda isolation=isolation: _suspension(python, isolation), 3)  # type: ignore[misc]
        yield f"suspending a turn, {name}", f"{seconds * 1e6:.0f} µs", "below 100 µs"


def _start(launch: Launch, isolation: Isolation) -> float:
    started = time.perf_counter()
    for _ in range(_STARTS):
        process = BotProcess(launch, Limits(), isolation)
        process.end("\n")
        process.clean_up()
    return (time.perf_counter() - started) / _STARTS


def _suspension(launch: Launch, isolation: Isolation) -> float:
    """Return the additional seconds for a turn if the bot is suspended between turns."""
    seconds = {}
    for pondering in ("measure", "suspend"):
        process = BotProcess(launch, Limits(), isolation._replace(pondering=pondering))
        try:
            process.read_line(None)
            started = time.perf_counter()
            for _ in range(_TURNS):
                process.meter.begin(time.monotonic_ns(), None)
                process.meter.finish()
            seconds[pondering] = (time.perf_counter() - started) / _TURNS
        finally:
            process.end("\n")
            process.clean_up()
    return seconds["suspend"] - seconds["measure"]
