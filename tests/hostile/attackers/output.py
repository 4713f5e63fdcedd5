"""Attacks by output, or by its absence: floods, garbage, and silence."""

import os
import time

from tests.hostile.attackers.honest import (
    ATTACKS,
    DEADLINE,
    attack,
    honest,
    kept,
    say,
    targets,
    wait_to_the_end,
)


@attack
def flood_without_newline(legal: list[str]) -> None:
    """Write an endless line."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"x" * 65536)


@attack
def flood_of_lines(legal: list[str]) -> None:
    """Write endless lines."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"info nothing\n" * 4000)


@attack
def line_of_3_mib(legal: list[str]) -> None:
    """Answer with one line of 3 MiB."""
    say("move " + "x" * (3 << 20))


@attack
def byte_each_50_ms(legal: list[str]) -> None:
    """Write a byte every 50 ms."""
    while time.monotonic() < DEADLINE:
        os.write(1, b"i")
        time.sleep(0.05)


@attack
def comment_each_50_ms(legal: list[str]) -> None:
    """Write a whole line every 50 ms."""
    while time.monotonic() < DEADLINE:
        say("info still thinking")
        time.sleep(0.05)


@attack
def nul_bytes(legal: list[str]) -> None:
    """Answer with a NUL byte in the line."""
    os.write(1, b"move adv\0ance\n")


@attack
def invalid_utf8(legal: list[str]) -> None:
    """Answer with bytes that are not UTF-8."""
    os.write(1, b"move \xff\xfe\n")


@attack
def unicode_digits(legal: list[str]) -> None:
    """Answer with digits of another script, which Python's int() would accept."""
    patch = next((action for action in legal if ":" in action), "12:r0:a1")
    number = patch.partition(":")[0]
    say("move " + "".join(chr(0x660 + int(digit)) for digit in number) + patch[len(number) :])


@attack
def terminal_escapes(legal: list[str]) -> None:
    """Answer with a terminal sequence."""
    say("move \x1b]0;owned\x07advance")


@attack
def stderr_of_256_mib(legal: list[str]) -> None:
    """Write 256 MiB to standard error, then play on."""
    if not ATTACKS.pop("once", None):
        return honest(legal)
    for _ in range(4096):
        os.write(2, b"e" * 65536)
    return honest(legal)


@attack
def closes_stdout(legal: list[str]) -> None:
    """Close standard output and keep running."""
    os.close(1)
    wait_to_the_end()


@attack
def closes_stdin(legal: list[str]) -> None:
    """Answer, close standard input, and keep running."""
    honest(legal)
    os.close(0)
    wait_to_the_end()


@attack
def exits_mid_game(legal: list[str]) -> None:
    """Exit with code 3."""
    os._exit(3)


@attack
def stops_itself(legal: list[str]) -> None:
    """Send SIGSTOP to itself."""
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


@attack
def answers_before_it_is_asked(legal: list[str]) -> None:
    """Answer, and send the next answer with it."""
    os.write(1, f"move {legal[0]}\nmove advance\n".encode())


@attack
def answers_twice(legal: list[str]) -> None:
    """Send the same answer twice."""
    os.write(1, f"move {legal[0]}\nmove {legal[0]}\n".encode())


@attack
def sleeps_to_95_percent(legal: list[str]) -> None:
    """Use 95 % of the time in the first turn, which is allowed."""
    if not kept:
        kept.append(b"")
        time.sleep(0.95 * float(targets["move_ms"]) / 1000 - 0.01)
    honest(legal)
