"""A process that has imported pwtourney and forks to run it, for `tests.program`.

Importing takes longer than most calls of tests. Each call gets its own process with the given
words, folder, environment and streams, forked before anything was done; several may run at a time.
It ends as Python does, except that objects are not freed one by one. All calls share
multiprocessing's resource tracker, and the lists of installed bots and templates.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from typing import NoReturn

import click
from multiprocess import resource_tracker

from pwtourney.bots.names import installed_bots
from pwtourney.cli.command import Command
from pwtourney.cli.main import cli
from pwtourney.report.page.page import load_templates

__all__ = ["main"]

_LARGEST = 1 << 18
"""The maximal size of a call in bytes, with its words and its environment."""


def main(descriptor: int) -> None:
    """Run programs on request until the channel is closed."""
    load_programs(cli)
    # the installed bots and templates are the same at each start
    load_templates()
    installed_bots()
    # otherwise every run with workers would start its own
    resource_tracker.ensure_running()
    gc.freeze()  # keeps garbage collection from copying shared pages
    channel = socket.socket(fileno=descriptor)
    while True:
        text, descriptors, _, _ = socket.recv_fds(channel, _LARGEST, 4)
        if not text:
            return
        # the caller waits at a socket of its own, the last of the four descriptors
        reports = socket.socket(fileno=descriptors.pop())
        watcher = os.fork()
        if watcher == 0:
            channel.close()
            _watch(json.loads(text), descriptors, reports)
        for fd in (*descriptors, reports.detach()):
            os.close(fd)
        # reap the watchers that have ended
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _watch(call: dict[str, object], streams: list[int], reports: socket.socket) -> NoReturn:
    """Start a program; report its process id, and its exit code when it has ended."""
    process = os.fork()
    if process == 0:
        reports.close()
        _become(call, streams)
        _leave(_run(str(call["module"])))
    for stream in streams:
        os.close(stream)
    reports.send(str(process).encode())
    _, status = os.waitpid(process, 0)
    with suppress(OSError):  # the caller may no longer wait
        reports.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def load_programs(group: click.Group) -> None:
    """Import the modules of every command of a group."""
    for command in group.commands.values():
        if isinstance(command, click.Group):
            load_programs(command)
        elif isinstance(command, Command):
            command.load()


def _become(call: dict[str, object], streams: list[int]) -> None:
    """Set up what ``python -m`` would have after its imports."""
    # this process may not wait for the tracker, because another process has started it
    resource_tracker._resource_tracker._pid = None
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # the inherited objects have already detected what they write to
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False)  # noqa: SIM115 - for as long as the process lives
        for number, mode in enumerate("rww")
    )
    if call["session"]:
        os.setsid()
    for number in call["closed"]:  # type: ignore[attr-defined]
        os.close(number)
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)  # as Python does
    for number in call["ignored"]:  # type: ignore[attr-defined]
        signal.signal(number, signal.SIG_IGN)
    os.chdir(str(call["folder"]))
    os.environ.clear()
    os.environ.update(call["environment"])  # type: ignore[call-overload]
    sys.path[0] = os.getcwd()
    sys.argv = ["pwtourney", *call["words"]]  # type: ignore[misc]
    gc.collect()


def _run(module: str) -> int:
    """Run a module as a program; return its exit code."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert isinstance(end.code, int), "the program ends by numbers"
        return end.code
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _leave(code: int) -> NoReturn:
    """End as Python does, with threads and exit functions; the kernel frees the memory.

    Freeing a copy of all modules object by object takes longer than many commands.
    """
    try:
        threading._shutdown()  # type: ignore[attr-defined]
    except BaseException as error:
        _tell_ignored(threading, traceback.format_exception(error))
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            code = 120
            if stream is sys.stdout:
                _tell_ignored(stream, traceback.format_exception_only(error))
    os._exit(code)


def _tell_ignored(source: object, lines: list[str]) -> None:
    """Report an error as Python does at its exit."""
    with suppress(Exception):
        sys.stderr.write("".join([f"Exception ignored in: {source!r}\n", *lines]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
