"""The inside of a template: a process that has loaded what games need, and forks copies of itself.

The runner speaks to it over a socket, in single messages: it asks for a copy and sends the three
descriptors that this is to have as its standard streams, or it asks to reap copies that have ended.
Who answers is not told by the answer but by the kernel, which names the sender's process.

A copy takes its own descriptors, its own session, and gives up the socket before any code of the
bot's runs in it. It may not look into the template, and ends with it.

Where the bot is a program of its own nothing is loaded: then the template only starts it, with the
limits and as the user that it has itself. That is cheaper than the programs that set those.
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
"""What the runner asks for. A text follows on the first."""

LOADED, FORKED, REAPED = b"loaded ", b"forked ", b"reaped"
"""The answers. What speaks against copies follows on the first, and on the second the process that
was started, if another one answers for it."""

LARGEST = 1 << 16
"""The largest message, in bytes."""

_SET_DUMPABLE = 4  # linux/prctl.h
_DEATH_SIGNAL = 1
_STREAMS = 3
_CANNOT_START = 127


def open_control() -> socket.socket:
    """Take the socket of the runner off standard input, and standard output to standard error.

    What a bot reads while it is loaded is empty, and what it prints is no answer.
    """
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return channel


def receive_load(channel: socket.socket) -> str:
    """Return the text that the runner sends first; ends the process if it is gone."""
    message = channel.recv(LARGEST)
    if not message.startswith(LOAD):
        os._exit(0)
    return message.removeprefix(LOAD).decode()


def become_copy(channel: socket.socket) -> int:
    """Fork whenever the runner asks; return in each copy, and never in the template.

    Returns the descriptor that leads to the runner; standard output still leads where errors go.
    """
    template, answers = os.getpid(), channel.fileno()
    while True:
        read, write, errors = _await_request(channel)
        # A copy is the same user, and may not change what the next one will be. Not before: until
        # the runner asks for the first one it looks into this process.
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
    # by its number: what a copy uses besides is more that it writes to
    os.write(answers, FORKED)
    os.close(channel.detach())
    return write


def launch_copies(command: list[str]) -> NoReturn:
    """Start a program whenever the runner asks, until the runner is gone; never returns."""
    channel = open_control()
    # We see the end of the runner ourselves and end the program, which need not ask for that.
    control(_DEATH_SIGNAL, 0)
    control(_SET_DUMPABLE, 0)
    receive_load(channel)
    channel.send(LOADED)
    # a plain table of bytes: `os.environ` would encode each of them for every game
    environment = dict(os.environb)
    running = 0
    while True:
        streams = _await_request(channel, running)
        ends = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(streams)]
        try:
            # a tenth of the time that `subprocess` takes; Python ignores these signals, a bot not
            running = os.posix_spawnp(
                command[0],
                command,
                environment,
                file_actions=ends,
                setsid=True,
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
            )
        except OSError:
            os._exit(_CANNOT_START)  # the runner starts it in the usual way, and hears why not
        channel.send(FORKED + str(running).encode())
        for descriptor in streams:
            os.close(descriptor)


def _await_request(channel: socket.socket, running: int = 0) -> tuple[int, int, int]:
    """Return the descriptors of the next copy.

    Ends this process when the runner is gone, and with it the session of what is `running`.
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
