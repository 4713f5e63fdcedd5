"""Programs that are started to see what is put around them."""

import os
import sys

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.backends import Backend, find_problem
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from tests.hostile.one import interpreter

LAUNCH = Launch(("/usr/bin/env",), read_paths=("/usr",))
LIMITS = Limits(end_ms=200, memory=256 << 20, processes=20)


def need_sandbox(wanted: Backend) -> None:
    """Skip without a sandbox; fail under CI."""
    lack = find_problem(wanted, LAUNCH, LIMITS)
    if lack and os.environ.get("CI"):
        pytest.fail(lack)
    if lack:
        pytest.skip(lack)


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
