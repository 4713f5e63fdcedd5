"""Runs pwtourney and other modules as programs, in separate processes."""

import atexit
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["USUAL", "Inherited", "Program", "preload", "pwtourney", "run_module"]

ROOT = Path(__file__).parents[1]


class Inherited(NamedTuple):
    """What a program inherits at its start, in addition to its arguments.

    The standard streams in `closed` do not exist, and the signals in `ignored` are ignored. If
    `unread` is True, its standard output is a pipe without a reader.
    """

    closed: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()
    unread: bool = False


USUAL = Inherited()


def pwtourney(
    *words: str,
    code: int | None = 0,
    at: Path | None = None,
    environment: Mapping[str, str] | None = None,
    inherit: bool = True,
    inherited: Inherited = USUAL,
    timeout: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run pwtourney in a folder, with more environment variables; check its exit code.

    Any exit code is accepted if `code` is None. Without `inherit`, the environment contains
    only `environment`. Raises TimeoutError after `timeout` seconds.
    """
    more = {**(os.environ if inherit else {}), **(environment or {})}
    done = run_module(
        "pwtourney",
        *words,
        at=at or Path.cwd(),
        environment=more,
        inherited=inherited,
        timeout=timeout,
    )
    assert code in (None, done.returncode), (done.returncode, done.stderr)
    if "--debug" not in words:  # a traceback within a line is a bot's output
        assert not re.search("^Traceback", done.stderr, re.MULTILINE), done.stderr
    return done


def run_module(
    module: str,
    *words: str,
    at: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
    inherited: Inherited = USUAL,
    timeout: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run a module as a program, in a folder and an environment.

    It does what ``python -m`` does, except that imports take no time, and that variables that
    Python itself reads at its start have no effect. Raises TimeoutError after `timeout`
    seconds.
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        ExitStack() as last,
    ):
        target = output.fileno()
        if inherited.unread:
            reader, target = os.pipe()
            os.close(reader)
            last.callback(os.close, target)
        program = Program(
            words,
            module=module,
            folder=at,
            environment=environment,
            inherited=inherited,
            output=target,
            errors=errors.fileno(),
        )
        try:
            ended = program.wait(timeout)
        except BaseException:
            program.kill()
            raise
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(words, ended, *texts)


class Program:
    """A program in its own process, started as by `run_module`; it is used like a `Popen`."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        module: str = "pwtourney",
        folder: Path | None = None,
        environment: Mapping[str, str] = os.environ,
        inherited: Inherited = USUAL,
        source: int | None = None,
        output: int | None = None,
        errors: int | None = None,
        session: bool = False,
    ) -> None:
        """Start the program; the default streams are the null device and this process's output."""
        call = {
            "module": module,
            "words": words,
            "folder": str(folder or Path.cwd()),
            "environment": dict(environment),
            "closed": inherited.closed,
            "ignored": inherited.ignored,
            "session": session,
        }
        self.returncode: int | None = None
        self._reports, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, open(os.devnull, "rb") as nothing:
            descriptors = [
                nothing.fileno() if source is None else source,
                1 if output is None else output,
                2 if errors is None else errors,
                theirs.fileno(),
            ]
            socket.send_fds(preload(), [json.dumps(call).encode()], descriptors)
        self.pid = int(self._reports.recv(64))

    def poll(self) -> int | None:
        """Return the exit code, or None while the program runs."""
        return self._look(0)

    def wait(self, timeout: float) -> int:
        """Return the exit code; raise TimeoutError after this many seconds."""
        code = self._look(timeout)
        if code is None:
            raise TimeoutError(f"the program runs after {timeout} s")
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the program has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the program, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def _look(self, seconds: float) -> int | None:
        """Return the exit code as soon as it is known, or None after some seconds."""
        if self.returncode is None and select.select([self._reports], [], [], seconds)[0]:
            self.returncode = int(self._reports.recv(64))
            self._reports.close()
        return self.returncode


@cache
def preload() -> socket.socket:
    """Start the process that forks to run programs; return the socket to it.

    It is started once, stays a child of this process, and ends when this process does.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.preloaded", str(theirs.fileno())],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
    atexit.register(_end, ours, process)
    return ours


def _end(channel: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    channel.close()
    process.wait(10)
