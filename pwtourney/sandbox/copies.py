"""The process that runs in a template: it loads what games need, then forks copies of itself.

The runner sends it single messages over a socket. A message asks for a copy, and carries the three
descriptors that become the copy's standard streams, or it asks to reap copies that have ended. The
kernel's credentials name the sender of each answer; the text of the answer does not.

A copy takes its own descriptors and its own session, and closes the socket before any of the bot's
code runs in it. It cannot look into the template, and it ends with the template.

For a bot that is a separate program, nothing is loaded. The template then only starts that program,
with the template's own limits and user. That is cheaper than the programs that set them.
"""

import array
import os
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from pwtourney.sandbox.syscalls import KILL_WITH_PARENT, control

__all__ = [
    "FORK",
    "FORKED",
    "LARGEST",
    "LOAD",
    "LOADED",
    "REAP",
    "REAPED",
    "become_copy",
    "launch_copies",
    "open_control",
    "receive_load",
]

LOAD, FORK, REAP = b"load ", b"fork", b"reap"
"""The requests of the runner. A text follows the first."""

LOADED, FORKED, REAPED = b"loaded ", b"forked ", b"reaped"
"""The answers of the template, or of a copy.

After LOADED comes why the bot cannot be copied, or nothing. After FORKED comes the id of the
started process, unless that process sent the answer itself.
"""

LARGEST = 1 << 16
"""The largest message, in bytes."""

_SET_DUMPABLE = 4  # linux/prctl.h
_DEATH_SIGNAL = 1
_STREAMS = 3
_CANNOT_START = 127


def open_control() -> socket.socket:
    """Take the runner's socket from standard input, and redirect standard output to standard error.

    A bot that reads while it is loaded gets an empty input, and what it prints is not an answer.
    """
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return channel


def receive_load(channel: socket.socket) -> str:
    """Return the text of the runner's first message; end the process if the runner is gone."""
    message = channel.recv(LARGEST)
    if not message.startswith(LOAD):
        os._exit(0)
    return message.removeprefix(LOAD).decode()


def become_copy(channel: socket.socket) -> int:
    """Fork each time the runner asks; return in each copy, and never in the template.

    Returns the descriptor that leads to the runner. Standard output still leads to standard error.
    """
    template, answers = os.getpid(), channel.fileno()
    while True:
        read, write, errors = _await_request(channel)
        # A copy is the same user, and must not change the template from which later copies are
        # made. Not earlier than this: until its first request the runner looks into this process.
        control(_SET_DUMPABLE, 0)
        if os.fork() == 0:
            break
        for descriptor in (read, write, errors):
            os.close(descriptor)
    control(*KILL_WITH_PARENT)
    if os.getppid() != template:
        os._exit(0)
    control(_SET_DUMPABLE, 1)
    os.setsid()
    os.dup2(read, 0)
    os.dup2(errors, 2)
    os.dup2(2, 1)
    os.close(read)
    os.close(errors)
    # Written by descriptor number: anything else the copy touched would be more memory to copy.
    os.write(answers, FORKED)
    os.close(channel.detach())
    return write


def launch_copies(command: list[str]) -> NoReturn:
    """Start a program each time the runner asks, until the runner is gone; never return."""
    channel = open_control()
    # Clear the death signal: this process must outlive the runner in order to kill the program,
    # which has no death signal of its own.
    control(_DEATH_SIGNAL, 0)
    control(_SET_DUMPABLE, 0)
    receive_load(channel)
    channel.send(LOADED)
    # A plain dict of bytes: `os.environ` would encode every variable again for every game.
    environment = dict(os.environb)
    running = 0
    while True:
        streams = _await_request(channel, running)
        ends = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(streams)]
        try:
            # Takes a tenth of the time of `subprocess`. Python ignores these two signals; a bot
            # must not.
            running = os.posix_spawnp(
                command[0],
                command,
                environment,
                file_actions=ends,
                setsid=True,
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
            )
        except OSError:
            os._exit(_CANNOT_START)  # the runner then starts it in the usual way and gets the error
        channel.send(FORKED + str(running).encode())
        for descriptor in streams:
            os.close(descriptor)


def _await_request(channel: socket.socket, running: int = 0) -> tuple[int, int, int]:
    """Return the descriptors of the next copy's standard streams.

    Ends this process when the runner is gone, and kills the session of the process `running` with
    it.
    """
    room = socket.CMSG_SPACE(_STREAMS * array.array("i").itemsize)
    while True:
        message, details, _, _ = channel.recvmsg(LARGEST, room, socket.MSG_CMSG_CLOEXEC)
        with suppress(ChildProcessError):
            while message and os.waitpid(-1, os.WNOHANG)[0]:
                running = 0
        if message == FORK:
            received = array.array("i")
            for _, _, data in details:
                received.frombytes(data)
            read, write, errors = received
            return read, write, errors
        if message != REAP:
            break
        channel.send(REAPED)
    if running:
        with suppress(ProcessLookupError):
            os.killpg(running, signal.SIGKILL)
    os._exit(0)
