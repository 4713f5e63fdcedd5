"""The filter of system calls."""

import sys

import pytest

from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.seccomp import seccomp_filter
from tests.sandbox.helpers import python, said

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


def test_the_filter_of_system_calls_is_a_program_for_the_kernel(boxed: Isolation) -> None:
    """Built by libseccomp, in instructions of eight bytes; the profile says that it is there."""
    program = seccomp_filter()
    assert program is not None
    assert len(program) % 8 == 0
    assert "seccomp" in boxed.profile.split("+")
    code = (
        "import fcntl, os, tempfile\n"
        "file = tempfile.TemporaryFile()\n"
        "try: fcntl.flock(file, fcntl.LOCK_EX); print('locked')\n"
        "except PermissionError: print('refused')"
    )
    assert said(python(code), boxed) == ["refused"]
