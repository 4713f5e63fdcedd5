"""The program and others of ours, as tests start them: in a process of its own, to its end."""

import atexit
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["preload", "pwtourney", "run_module"]

ROOT = Path(__file__).parents[1]


def pwtourney(
    *words: str,
    code: int | None = 0,
    at: Path | None = None,
    environment: Mapping[str, str] | None = None,
    inherit: bool = True,
    timeout: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder, with more in its environment; it must end with `code`, if any.

    Unless it may `inherit` ours, nothing else is in its environment. Raises TimeoutError after
    `timeout` seconds.
    """
    more = {**(os.environ if inherit else {}), **(environment or {})}
    done = run_module("pwtourney", *words, at=at or Path.cwd(), environment=more, timeout=timeout)
    assert code in (None, done.returncode), (done.returncode, done.stderr)
    if "--debug" not in words:  # in a line that tells of a bot's output it is the bot's
        assert not re.search("^Traceback", done.stderr, re.MULTILINE), done.stderr
    return done


def run_module(
    module: str,
    *words: str,
    at: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
    timeout: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run a module as a program, in a folder and an environment.

    It is what ``python -m`` is but for the time that it takes to import what the program does, and
    for the variables that Python itself reads when it starts. Raises TimeoutError after `timeout`
    seconds.
    """
    call = {
        "module": module,
        "words": words,
        "folder": str(at),
        "environment": dict(environment),
    }
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with open(os.devnull, "rb") as nothing:
            streams = [nothing.fileno(), output.fileno(), errors.fileno()]
            try:
                ended = _ended(preload(), json.dumps(call).encode(), streams, timeout)
            except BaseException:
                preload.cache_clear()  # the answer, if there is one, is not to this call
                raise
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(words, ended, *texts)


@cache
def preload() -> socket.socket:
    """Start the process that becomes the program; return the way to it. It ends when this one does.

    Once it is there, it is a child of this process for good.
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


def _ended(channel: socket.socket, call: bytes, streams: list[int], timeout: float) -> int:
    """Return with which code a call has ended; kill it and raise TimeoutError if it takes long."""
    socket.send_fds(channel, [call], streams)
    process = int(channel.recv(64))
    channel.settimeout(timeout)
    try:
        ended = int(channel.recv(64))
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise
    channel.settimeout(None)
    return ended
