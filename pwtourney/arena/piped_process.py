"""A process of the server's own: asked through its standard input, and ended with it."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["end_child", "start_child"]


async def start_child(command: Sequence[str], longest_line: int) -> Process:
    """Start a program whose lines of standard output have so many bytes at most."""
    # a terminal's Ctrl-C is for the server, which ends the others
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=longest_line
    )


async def end_child(process: Process, seconds: float) -> None:
    """Let a process end, which it does when its input ends; kill one that takes longer."""
    assert process.stdin is not None, "it was started with a pipe"
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
