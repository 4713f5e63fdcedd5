"""Runs that are stopped, paused, suspended or throttled lose no game."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pwtourney.cli.pausing import continue_run, pause
from pwtourney.errors import StoreError, UsageError
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.pause_control import PauseControl
from tests.needs import need_program
from tests.processes import find_workers
from tests.quotas import cpu_quota, in_group
from tests.thorough import thorough_but
from tests.tournament.test_run import command, stored_pairs

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when we were stopped"),
    pytest.mark.slow(5),
]

BOTS = """\
import time
from pwtourney.sdk import Bot

class Early(Bot):
    def choose(self, turn):
        time.sleep(0.02)
        return turn.state.legal_actions()[0]

class Middle(Bot):
    def choose(self, turn):
        began = time.process_time()
        while time.process_time() - began < {work}: pass
        actions = turn.state.legal_actions()
        return actions[len(actions) // 2]
"""
CONFIG = """\
name: test
edition: express
seed: 5000000000000000
pairs: {pairs}
workers: 1
clock: {{move: {move}}}
bots:
  - {{id: early, file: "bots.py:Early"}}
  - {{id: middle, file: "bots.py:Middle"}}
"""
ROUNDS = 2
LONG = 150.0


def written(folder: Path, *, pairs: int = 2, move: str = "1s", work: float = 0.01) -> Path:
    """Write a tournament of two bots that need some time for each action."""
    (folder / "bots.py").write_text(BOTS.format(work=work))
    path = folder / "test.yaml"
    path.write_text(CONFIG.format(pairs=pairs, move=move))
    return path


def game_hash(results: Path) -> str:
    """Return the hash of all stored games."""
    return str(json.loads((results / "standings.json").read_text())["game_hash"])


def verdicts(results: Path) -> set[str]:
    """Return the verdicts of all stored games."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        return {str(record.verdict) for record in store.records()}


def stop_workers(runner: int, results: Path) -> None:
    """Stop all workers for longer than a move may take, then let them continue."""
    stopped = find_workers(runner)
    send(signal.SIGSTOP, stopped)
    pass_time(1.3)
    send(signal.SIGCONT, stopped)


def send(what: signal.Signals, processes: list[int]) -> None:
    """Send a signal to those that are still alive; a run may end at any moment."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, what)


def press_keys(runner: int, results: Path) -> None:
    """Signal the process group, as a terminal does for Ctrl-Z and a shell for ``fg``."""
    os.killpg(runner, signal.SIGTSTP)
    pass_time(1.3)
    os.killpg(runner, signal.SIGCONT)


def type_commands(runner: int, results: Path) -> None:
    """Run ``pwtourney pause``, then ``pwtourney continue``."""
    for word in ("pause", "continue"):
        words = [sys.executable, "-m", "pwtourney", word, str(results)]
        subprocess.run(words, check=True, capture_output=True, timeout=LONG)


def pass_time(seconds: float) -> None:
    """Let time pass; stopped processes give no event to wait for."""
    subprocess.run(["sleep", str(seconds)], check=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the game hash of an undisturbed run of the tournament."""
    folder = tmp_path_factory.mktemp("undisturbed")
    folder.chmod(0o755)
    config = written(folder)
    subprocess.run(
        command(config, "--results", str(folder / "r"), "--quiet"),
        check=True,
        capture_output=True,
        timeout=LONG,
    )
    return game_hash(folder / "r")


@pytest.mark.parametrize(
    "disturb",
    thorough_but([press_keys], [stop_workers, press_keys, type_commands]),
)
def test_stop_and_continue_change_no_game(
    tmp_path: Path, undisturbed: str, disturb: Callable[[int, Path], None]
) -> None:
    """Each stop is longer than a move may take; the game hash is that of an undisturbed run."""
    config, results = written(tmp_path), tmp_path / "r"
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(
            command(config, "--results", str(results)),
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        ) as run,
    ):
        try:
            done, end = 0, time.monotonic() + LONG
            while run.poll() is None and done < ROUNDS and time.monotonic() < end:
                pass_time(0.3)
                if (results / "live").exists() and find_workers(run.pid):
                    disturb(run.pid, results)
                    done += 1
            assert run.wait(LONG) == 0, (tmp_path / "log").read_text()
        finally:
            run.kill()
    assert done == ROUNDS, "the tournament was over too soon"
    assert game_hash(results) == undisturbed
    assert verdicts(results) == {"finished"}
    assert not (results / "paused").exists()


def test_progress_shows_that_a_run_is_paused(tmp_path: Path) -> None:
    """The line names the command; no pair is stored during the pause, and SIGTERM ends it."""
    config, results = written(tmp_path, pairs=50), tmp_path / "r"
    with subprocess.Popen(
        command(config, "--results", str(results)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as run:
        try:
            assert run.stderr is not None
            while not (results / "live").exists():
                assert run.poll() is None
                pass_time(0.05)
            words = [sys.executable, "-m", "pwtourney", "pause", str(results)]
            subprocess.run(words, check=True, capture_output=True, timeout=LONG)
            lines = iter(run.stderr.readline, b"")
            assert b"Paused by pwtourney pause: bots and clocks stand still.\n" in lines
            before = stored_pairs(results)
            pass_time(0.5)
            assert stored_pairs(results) == before
            run.terminate()  # a paused run can be stopped
            assert run.wait(LONG) == 130
            assert b"Paused" not in run.stderr.read(), "it paused again, for no time"
        finally:
            run.kill()


@pytest.mark.parametrize("word", ["pause", "continue"])
def test_only_running_tournaments_can_be_paused(tmp_path: Path, word: str) -> None:
    """The error is one line, and no file is left in the folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pwtourney", word, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tmp_path}: ")
    assert list(tmp_path.iterdir()) == []


def test_pause_applies_to_the_current_run_only(tmp_path: Path) -> None:
    """A run killed during a pause cannot be continued and does not pause the next run."""
    folder = ResultsFolder(tmp_path)
    with folder:
        folder.pause_request.touch()
        with PauseControl(folder, lambda _: None, lambda: False):
            assert folder.pause_request.exists(), "it may be paused before its first game"
        assert not folder.pause_request.exists()
    folder.pause_request.touch()
    with pytest.raises(UsageError, match="no run is paused here"):
        continue_run(tmp_path)
    folder.pause_request.touch()
    with folder:
        assert not folder.pause_request.exists()


def test_pause_request_must_be_a_regular_file(tmp_path: Path) -> None:
    """A folder that `pwtourney continue` cannot remove is ignored, and links are not followed."""
    folder = ResultsFolder(tmp_path / "r")
    with folder:
        folder.pause_request.mkdir()
        assert not folder.is_pause_asked()
        folder.pause_request.rmdir()
        folder.pause_request.symlink_to(tmp_path / "elsewhere")
        assert not folder.is_pause_asked()
        with pytest.raises(StoreError, match="paused: cannot write"):
            pause(folder.path)
        assert not (tmp_path / "elsewhere").exists()
    with pytest.raises(StoreError, match="paused is a link or a special file; remove it"):
        folder.__enter__()


JUMPS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* The clocks of a machine that was asleep: an hour later as soon as a file is there. */
static int is_awake(void)
{
    return access(getenv("WAKING"), F_OK) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID
        && is_awake())
        now->tv_sec += HOUR;
    return result;
}

/* The kernel knows nothing of that hour: it would wait one longer for an instant. */
static struct timespec real_instant(const struct timespec *instant)
{
    return (struct timespec){instant->tv_sec - (is_awake() ? HOUR : 0), instant->tv_nsec};
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    REAL(sem_clockwait);
    struct timespec instant = real_instant(until);
    return real(semaphore, clock, &instant);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    REAL(pthread_cond_timedwait);
    struct timespec instant = real_instant(until);
    return real(condition, mutex, &instant);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                    struct timespec *left)
{
    REAL(clock_nanosleep);
    if (!(flags & TIMER_ABSTIME))
        return real(clock, flags, until, left);
    struct timespec instant = real_instant(until);
    return real(clock, flags, &instant, left);
}
"""


def test_clocks_that_jump_cost_no_game(tmp_path: Path, undisturbed: str) -> None:
    """A preloaded library adds an hour to the clocks of the runner and the bots, like a suspend."""
    need_program("cc")
    source, library, waking = (tmp_path / name for name in ("jump.c", "jump.so", "awake"))
    source.write_text(JUMPS)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    config, results = written(tmp_path), tmp_path / "r"
    run = subprocess.Popen(
        command(config, "--results", str(results), "--quiet"),
        env={**os.environ, "LD_PRELOAD": str(library), "WAKING": str(waking)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        while not (results / "live").exists() and run.poll() is None:
            pass_time(0.05)
        pass_time(0.5)
        waking.touch()
        _, errors = run.communicate(timeout=LONG)
    finally:
        run.kill()
    assert run.returncode == 0, errors
    assert game_hash(results) == undisturbed


@pytest.mark.serial
@pytest.mark.parametrize("cores", thorough_but([0.5], [0.3, 0.5]))
def test_cpu_quota_costs_no_game(tmp_path: Path, cores: float) -> None:
    """Bots that compute most of their time are throttled by a real control group."""
    config, results = written(tmp_path, pairs=1, move="150ms", work=0.05), tmp_path / "r"
    with cpu_quota(cores) as group:
        done = subprocess.run(
            in_group(group, *command(config, "--results", str(results), "--quiet")),
            capture_output=True,
            text=True,
            timeout=2 * LONG,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert verdicts(results) == {"finished"}
