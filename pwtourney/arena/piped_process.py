"""Subprocesses of the server: they read requests from standard input and end when it closes."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["end_child", "start_child"]


async def start_child(command: Sequence[str], longest_line: int) -> Process:
    """Start a program with pipes for its input and output.

    `longest_line` is the largest number of bytes in one line of its output.
    """
    starting = asyncio.create_task(_start(command, longest_line))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # not cancelled itself: asyncio would wait forever for a process that it has half started
        await asyncio.wait((starting,))
        if not starting.exception():
            await end_child(starting.result(), 0)
        raise


async def _start(command: Sequence[str], longest_line: int) -> Process:
    # in a session of its own: a terminal's Ctrl-C reaches the server only, which ends the process
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=longest_line
    )


async def end_child(process: Process, seconds: float) -> None:
    """Close the input of a process, which makes it end; kill it after `seconds`."""
    assert process.stdin is not None, "it was started with a pipe"
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
