"""What tests need and not every machine has: without it they are skipped, and fail under CI."""

import os
import shutil
from typing import NoReturn

import pytest

from pwtourney.sandbox.backends import Backend, find_problem
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["need_program", "need_sandbox", "skip_for"]

NOTHING = Launch(("true",))
USUAL = Limits()


def skip_for(lack: str) -> NoReturn:
    """Skip a test for what is lacking; under CI nothing may be."""
    if os.environ.get("CI"):
        pytest.fail(lack)
    pytest.skip(lack)


def need_program(name: str) -> None:
    """Skip a test without a program."""
    if shutil.which(name) is None:
        skip_for(f"{name} is not installed")


def need_sandbox(backend: Backend, launch: Launch = NOTHING, limits: Limits = USUAL) -> None:
    """Skip a test without a sandbox.

    Its program may be there and the kernel forbid what it does, as in a chroot.
    """
    if lack := find_problem(backend, launch, limits):
        skip_for(lack)
