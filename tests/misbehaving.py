"""A bot that plays honestly, or misbehaves in the way that its argument names.

It is a program and needs the standard library only. Every way ends by itself: waiting ways have
their own limit in addition to the test's, and ways that fork do so once. Tests start it hundreds of
times, so each way imports the slow modules that it needs.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # like that of `typing`, without the import
if TYPE_CHECKING:
    from collections.abc import Callable

    Way = Callable[[list[str]], None]

WAYS: dict[str, Way] = {}
LONG = 20.0


def way(function: Way) -> Way:
    """Register a way to misbehave under its name."""
    WAYS[function.__name__] = function
    return function


def say(text: str) -> None:
    """Write one line to the runner."""
    os.write(1, text.encode() + b"\n")


def honest(legal: list[str]) -> None:
    """Play the first legal action."""
    say(f"move {legal[0]}")


@way
def hang(legal: list[str]) -> None:
    """Never answer."""
    time.sleep(LONG)


@way
def stays_busy(legal: list[str]) -> None:
    """Use the CPU and never answer."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


@way
def crash(legal: list[str]) -> None:
    """Exit in the middle of a game."""
    print("something went wrong", file=sys.stderr)
    os._exit(3)


@way
def explains(legal: list[str]) -> None:
    """Write a reason to standard error, and answer an invalid action immediately."""
    os.write(2, b"I see no way out\n")
    say("move please")


@way
def killed(legal: list[str]) -> None:
    """Die of a signal."""
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


@way
def nonsense(legal: list[str]) -> None:
    """Answer a text that is not an action."""
    say("move please")


@way
def illegal(legal: list[str]) -> None:
    """Answer an action that is illegal in the position."""
    say("move leather:a1" if legal[0] == "advance" else "move advance")


@way
def twice(legal: list[str]) -> None:
    """Answer twice."""
    os.write(1, f"move {legal[0]}\nmove {legal[0]}\n".encode())


@way
def flood(legal: list[str]) -> None:
    """Write an endless line."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        os.write(1, b"x" * 4096)


@way
def flood_lines(legal: list[str]) -> None:
    """Write endless lines."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        os.write(1, b"info nothing\n" * 400)


@way
def drip(legal: list[str]) -> None:
    """Write a byte every 20 ms, so that some output always comes."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        os.write(1, b"i")
        time.sleep(0.02)


@way
def escape(legal: list[str]) -> None:
    """Answer with a terminal escape sequence."""
    say("move \x1b[31madvance")


@way
def close_stdout(legal: list[str]) -> None:
    """Close standard output and stay alive."""
    os.close(1)
    time.sleep(LONG)


@way
def noisy(legal: list[str]) -> None:
    """Write 2 MiB to standard error, and play on."""
    for _ in range(256):
        os.write(2, b"n" * 8192)
    honest(legal)


@way
def stop(legal: list[str]) -> None:
    """Stop itself with SIGSTOP."""
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


@way
def deep(legal: list[str]) -> None:
    """Make folders nested deeper than Python's recursion limit, and one that no one may enter."""
    os.mkdir("closed")
    open("closed/file", "w").close()
    os.chmod("closed", 0)
    for _ in range(1200):
        os.mkdir("d")
        os.chdir("d")
    say("move nonsense")


@way
def blank_flood(legal: list[str]) -> None:
    """Answer, and then write empty lines while the opponent thinks."""
    honest(legal)
    for _ in range(400):
        os.write(1, b"\n" * 4096)


@way
def thinks(legal: list[str]) -> None:
    """Play on after a second, in which the opponent may do anything."""
    time.sleep(1)
    honest(legal)


@way
def orphan(legal: list[str]) -> None:
    """Exit, and leave a child process behind that holds the pipes open."""
    import subprocess

    subprocess.Popen([sys.executable, "-S", "-c", f"import time; time.sleep({LONG})"])
    os._exit(5)


@way
def answers_and_leaves(legal: list[str]) -> None:
    """Answer, then exit, and leave a child process behind that holds the pipes open."""
    import subprocess

    subprocess.Popen([sys.executable, "-S", "-c", f"import time; time.sleep({LONG})"])
    honest(legal)
    os._exit(6)


@way
def link(legal: list[str]) -> None:
    """Replace its own folder by a link to another folder."""
    here = os.getcwd()
    os.rename(here, here + "x")
    os.symlink(os.path.join(os.path.dirname(here), "victim"), here)
    say("move nonsense")


@way
def symbols(legal: list[str]) -> None:
    """Write printable characters of other scripts, and an emoji."""
    say("info \u3000 \u559c\u9e4a \U0001f426\u200d\u2b1b")
    honest(legal)


@way
def daemon(legal: list[str]) -> None:
    """Leave a process in its own session behind, once, and play on."""
    import subprocess

    if not os.path.exists("left"):
        open("left", "w").close()
        subprocess.Popen(
            [sys.executable, "-S", "-c", f"import time; time.sleep({LONG})", "stray-of-a-bot"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    honest(legal)


def main(name: str) -> None:
    """Play, honestly until the third turn."""
    if name == "silent":
        time.sleep(LONG)
    if name == "exits":
        print("I do not want to play", file=sys.stderr)
        sys.exit(7)
    if name == "never_reads":
        say("ready")
        time.sleep(LONG)
    if name == "ignores_terminate":
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    turns = 0
    legal: list[str] = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "pwtp":
            say(f"id name {name}\noption depth int 3 1 9\nfeature legal\nready")
        elif word == "end":
            say("ready")
        elif word == "legal":
            legal = rest
        elif word == "quit" and name != "stays":
            return
        elif word == "go":
            turns += 1
            WAYS.get(name, honest)(legal) if turns > 2 else honest(legal)
    if name == "stays":
        time.sleep(LONG)


if __name__ == "__main__":
    main(sys.argv[1])
