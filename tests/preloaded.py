"""A process that has imported the program and starts it, again and again, for `tests.program`.

To import it takes longer than most of what tests ask of it. What comes of a call is a process like
any other, also several at a time: forked before anything was done, with the words, folder,
environment and streams that were asked for, and ended as Python ends, except that objects are not
freed one by one. All calls share the tracker of resources, and what was read of installed bots and
templates.
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
"""Room for one call, in bytes: its words and its environment."""


def main(descriptor: int) -> None:
    """Start what is asked for until nobody asks any more."""
    load_programs(cli)
    # what it reads of what is installed, at each start, is the same each time
    load_templates()
    installed_bots()
    # every run that has workers would start one of its own
    resource_tracker.ensure_running()
    gc.freeze()  # so that looking for garbage does not copy what all have in common
    channel = socket.socket(fileno=descriptor)
    while True:
        text, descriptors, _, _ = socket.recv_fds(channel, _LARGEST, 4)
        if not text:
            return
        # who has asked for the program waits for it at a socket of its own, the last of the four
        reports = socket.socket(fileno=descriptors.pop())
        watcher = os.fork()
        if watcher == 0:
            channel.close()
            _watch(json.loads(text), descriptors, reports)
        for each in (*descriptors, reports.detach()):
            os.close(each)
        # those that have watched to the end
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _watch(call: dict[str, object], streams: list[int], reports: socket.socket) -> NoReturn:
    """Start a program, and report its process and then with which code it has ended."""
    process = os.fork()
    if process == 0:
        reports.close()
        _become(call, streams)
        _leave(_run(str(call["module"])))
    for stream in streams:
        os.close(stream)
    reports.send(str(process).encode())
    _, status = os.waitpid(process, 0)
    with suppress(OSError):  # nobody may wait for it any more
        reports.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def load_programs(group: click.Group) -> None:
    """Import what is behind every command of a group."""
    for command in group.commands.values():
        if isinstance(command, click.Group):
            load_programs(command)
        elif isinstance(command, Command):
            command.load()


def _become(call: dict[str, object], streams: list[int]) -> None:
    """Be what ``python -m`` would be after its imports."""
    # as in all processes that have the tracker from another one: it is not theirs to wait for
    resource_tracker._resource_tracker._pid = None
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # those that are there have found out long ago what they write to
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
    """End as Python does, with its last threads and functions; the kernel frees the memory.

    To free a copy of all modules object by object takes longer than many a command.
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
    """Tell of an error as Python does when it ends."""
    with suppress(Exception):
        sys.stderr.write("".join([f"Exception ignored in: {source!r}\n", *lines]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
