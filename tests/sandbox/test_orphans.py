"""Processes that a bot leaves behind."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import Orphans, become_subreaper, children, parents
from tests.misbehaving import LONG


@pytest.mark.skipif(sys.platform != "linux", reason="daemons are swept on Linux")
def test_sweep_kills_daemons_and_spares_earlier_processes(tmp_path: Path) -> None:
    """A double fork escapes the session and the parent, but not the subreaper."""
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
            "    os.read(0, 1)\n"  # an orphan may be ended before it printed its id
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


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux")
def test_children_include_those_of_all_threads_and_zombies() -> None:
    """They are exactly the processes whose `stat` names this process as parent."""
    sleep = [sys.executable, "-S", "-I", "-c", "import sys; sys.stdin.read()"]
    started: list[subprocess.Popen[bytes]] = []
    thread = threading.Thread(
        target=lambda: started.append(subprocess.Popen(sleep, stdin=subprocess.PIPE))
    )
    thread.start()
    thread.join()  # the child of a thread that has ended is still our child
    started += [subprocess.Popen(sleep, stdin=subprocess.PIPE) for _ in range(3)]
    try:
        started[-1].kill()
        os.waitid(os.P_PID, started[-1].pid, os.WEXITED | os.WNOWAIT)
        ours = children()
        assert {process.pid for process in started} <= set(ours)
        assert set(ours) == {pid for pid, parent in parents().items() if parent == os.getpid()}
    finally:
        for process in started:
            process.kill()
            process.communicate()
