"""What a bot leaves behind."""

import os
import sys
import time
from pathlib import Path

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import Orphans, become_subreaper
from tests.misbehaving import LONG


@pytest.mark.skipif(sys.platform != "linux", reason="daemons are swept on Linux")
def test_a_sweep_kills_daemons_and_spares_what_was_there_before(tmp_path: Path) -> None:
    """A double fork escapes session and parent, but not the subreaper."""
    become_subreaper()
    known = os.posix_spawn(
        sys.executable, [sys.executable, "-c", f"import time; time.sleep({LONG})"], {}
    )
    try:
        orphans = Orphans()
        code = (
            "import os, time\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            f"    if os.fork() == 0: print(os.getpid(), flush=True); time.sleep({LONG})\n"
            "    os.read(0, 1)\n"  # an orphan may be ended before it has said who it is
            "    os._exit(0)\n"
            "time.sleep(5)"
        )
        launch = Launch((sys.executable, "-S", "-I", "-c", code))
        process = BotProcess(launch, Limits(end_ms=100), scratch_root=str(tmp_path))
        daemon = int(process.read_line(time.monotonic_ns() + 20_000_000_000)[0])
        process.end()
        process.clean_up()
        assert orphans.sweep() >= 1
        with pytest.raises(ProcessLookupError):
            os.kill(daemon, 0)
        os.kill(known, 0)
        assert orphans.sweep() == 0
    finally:
        os.kill(known, 9)
        os.waitpid(known, 0)
