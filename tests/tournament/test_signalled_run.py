"""Runs that a shell, a terminal or a container ends, or must not end."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pwtourney.signals import ENDING
from tests.match.helpers import SHELL_BOT
from tests.needs import need_new_processes, need_program
from tests.thorough import thorough_but
from tests.tournament.test_run import stored_pairs

pytestmark = pytest.mark.slow(2)

GATED = SHELL_BOT.replace("go) ", 'go) [ "$open" ] || read -r open < "$1/gate"; ')
"""Plays its first action only after a line was written to a pipe."""

CONFIG = (
    "edition: original\nseed: 5\npairs: 2\nsandbox: none\nworkers: 1\nprocesses: persistent\n"
    "clock: {{move: 60s}}\nbots: [random, {{id: gated, command: [sh, gated.sh, {folder}]}}]\n"
)
RUN = (sys.executable, "-m", "pwtourney", "run", "a.yaml", "--results", "r", "--grace", "60s")


class Gate:
    """A tournament of two pairs whose second bot waits for `open` in the first pair."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "a.yaml").write_text(CONFIG.format(folder=folder))
        (folder / "gated.sh").write_text(f'echo started >> "$1/starts"\n{GATED}')
        os.mkfifo(folder / "gate")
        # open for both directions, so that neither end blocks in open(2)
        self._pipe = os.open(folder / "gate", os.O_RDWR)

    def wait(self) -> None:
        """Wait until the first pair is being played."""
        wait_for((self._folder / "starts").exists)

    def open(self) -> None:
        """Let the bot play."""
        os.write(self._pipe, b"open\nopen\n")

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._pipe)

    def assert_played_once(self, pairs: int) -> None:
        """Check that this many pairs are stored, and that none was played again."""
        assert stored_pairs(self._folder / "r") == pairs
        assert (self._folder / "starts").read_text() == "started\n"


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return a tournament whose second bot waits."""
    tournament = Gate(tmp_path)
    yield tournament
    tournament.close()


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, for half a minute at most."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def started(
    folder: Path, *before: str, ignored: tuple[int, ...] = ()
) -> Iterator["subprocess.Popen[str]"]:
    """Start a run in a session of its own; kill the whole session afterwards."""

    def ignore() -> None:
        # signals ignored by the test process would be inherited, as in a background job
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    with subprocess.Popen(
        [*before, *RUN],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=ignore,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_run_continues_under_signals_it_was_started_to_ignore(gate: Gate, tmp_path: Path) -> None:
    """Signals to the runner and its workers end neither."""
    with started(tmp_path, ignored=ENDING) as process:
        gate.wait()
        for number in ENDING:
            os.killpg(process.pid, number)
        gate.open()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "interrupted" not in errors
    gate.assert_played_once(pairs=2)


@pytest.mark.parametrize("number", thorough_but([signal.SIGTERM], [signal.SIGTERM, signal.SIGHUP]))
def test_a_signal_to_runner_and_workers_ends_no_pair(
    gate: Gate, tmp_path: Path, number: int
) -> None:
    """timeout(1), systemd and a closed terminal signal the whole group; only the runner acts."""
    with started(tmp_path) as process:
        gate.wait()
        os.killpg(process.pid, number)
        assert process.stderr is not None
        assert any("Stopping" in line for line in process.stderr)
        gate.open()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Warning" not in errors
    gate.assert_played_once(pairs=1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(signal.SIGHUP, signal.SIGHUP, marks=pytest.mark.thorough),
        (signal.SIGTERM, signal.SIGTERM),
        pytest.param(signal.SIGTERM, signal.SIGHUP, marks=pytest.mark.thorough),
        pytest.param(signal.SIGINT, signal.SIGHUP, marks=pytest.mark.thorough),
    ],
)
def test_two_signals_of_one_event_cost_no_pair(
    gate: Gate, tmp_path: Path, first: int, second: int
) -> None:
    """A closed terminal brings SIGHUP from shell and kernel; timeout(1) sends SIGTERM twice."""
    with started(tmp_path) as process:
        gate.wait()
        os.kill(process.pid, first)
        assert process.stderr is not None
        assert any("Stopping" in line for line in process.stderr)
        os.kill(process.pid, second)
        gate.open()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    gate.assert_played_once(pairs=1)


@pytest.mark.parametrize(
    "before", thorough_but(["exec nohup"], ["exec nohup", "trap '' HUP; exec"])
)
def test_run_survives_the_end_of_its_terminal(gate: Gate, tmp_path: Path, before: str) -> None:
    """It does so although it prints to the terminal, where writes fail from then on."""
    need_program("nohup")
    master, terminal = pty.openpty()
    with subprocess.Popen(
        ["sh", "-c", f'{before} sh -c \'"$@"; echo $? > code\' sh "$@"', "sh", *RUN],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as shell:
        os.close(terminal)
        try:
            gate.wait()
        finally:
            os.close(master)  # the kernel sends SIGHUP to the shell and its foreground processes
        gate.open()
        shell.wait(60)
    assert (tmp_path / "code").read_text() == "0\n"
    gate.assert_played_once(pairs=2)


def test_first_process_of_a_container_stops_gracefully(gate: Gate, tmp_path: Path) -> None:
    """``docker stop`` sends SIGTERM; the kernel drops signals that process 1 does not handle."""
    with started(tmp_path, *need_new_processes()) as outer:
        gate.wait()
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text()
        os.kill(int(children), signal.SIGTERM)
        assert outer.stderr is not None
        assert any("Stopping" in line for line in outer.stderr)
        gate.open()
        _, errors = outer.communicate(timeout=60)
    assert outer.returncode == 130, errors
    gate.assert_played_once(pairs=1)
