"""Subprocesses of the server: their streams, their session, and their end."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pwtourney.arena.piped_process import end_child, start_child
from tests.loops import run_apart


def test_child_reads_and_writes_in_a_session_of_its_own() -> None:
    """A terminal sends Ctrl-C to its own session only; `cat` ends by itself with its input."""

    async def run() -> None:
        process = await start_child(("cat",), 100)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"wren\n")
        assert await process.stdout.readline() == b"wren\n"
        assert os.getsid(process.pid) == process.pid
        await end_child(process, 30)
        assert process.returncode == 0
        # it has ended already
        await end_child(process, 30)

    run_apart(run())


def test_line_of_a_child_may_be_as_long_as_allowed() -> None:
    """One that is longer is an error, instead of filling the memory."""

    async def run() -> None:
        process = await start_child(("cat",), 100)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x" * 100 + b"\n" + b"y" * 300 + b"\n")
        assert await process.stdout.readline() == b"x" * 100 + b"\n"
        with pytest.raises(ValueError, match="limit"):
            await process.stdout.readline()
        await end_child(process, 30)

    run_apart(run())


def test_child_that_does_not_end_is_killed() -> None:
    """This one does not read its input."""

    async def run() -> None:
        process = await start_child(("sleep", "600"), 100)
        await end_child(process, 0.01)
        assert process.returncode == -signal.SIGKILL

    run_apart(run())


def test_cancelled_start_ends_its_child() -> None:
    """At every step of it: a page may ask to stop at once, and the server may end."""

    async def run(steps: int) -> None:
        starting = asyncio.create_task(start_child(("cat",), 100))
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait_for(asyncio.wait((starting,)), 30)
        if not starting.cancelled():  # it had started before
            await end_child(starting.result(), 30)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    for steps in range(6):
        run_apart(run(steps))


def test_program_that_does_not_exist_cannot_be_started(tmp_path: Path) -> None:
    """The error is the system's."""
    with pytest.raises(FileNotFoundError):
        run_apart(start_child((str(tmp_path / "nothing"),), 100))
