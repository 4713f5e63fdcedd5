"""Launches of programs that report what their sandbox looks like from inside."""

import sys
from pathlib import Path

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from tests.hostile.one import interpreter

LAUNCH = Launch(("/usr/bin/env",), read_paths=("/usr",))
LIMITS = Limits(end_ms=200, memory=256 << 20, processes=20)


def read_only(folder: Path) -> list[str]:
    """Return the start of a command line in which only `folder` is writable.

    `folder` is also the command's home and temporary folder.
    """
    sandbox = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    sandbox += ["--bind", str(folder), str(folder)]
    return [*sandbox, "--setenv", "HOME", str(folder), "--setenv", "TMPDIR", str(folder)]


def said(launch: Launch, isolation: Isolation, limits: Limits = LIMITS) -> list[str]:
    """Start a program, and return the lines it writes until it ends."""
    process = BotProcess(launch, limits, isolation)
    lines = []
    try:
        with pytest.raises(Exception, match=r"exited with code 0|closed its standard output"):
            while True:
                lines.append(process.read_line(None)[0].decode())
    finally:
        process.end()
        process.clean_up()
    return lines


def python(code: str, *read_paths: str) -> Launch:
    """Return the launch of Python code."""
    own = (sys.prefix, sys.base_prefix)
    return Launch((interpreter(), "-S", "-c", code), read_paths=(*read_paths, *own))
