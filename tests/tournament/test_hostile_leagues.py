"""A league from a hostile pull request: refused and played files, and nothing outside."""

import ctypes
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pwtourney.cli.main import main
from pwtourney.errors import EXIT_STORE, EXIT_USAGE
from pwtourney.library import stored_games
from pwtourney.signals import ENDING
from tests.needs import need_sandbox
from tests.program import pwtourney
from tests.tournament.hostile_files import (
    CONTROL,
    HostileFile,
    lay_out,
    leave_odd_results,
    list_played,
    list_refused,
)

SEED = 21
_MIB = 1 << 20
_ANY = 0x3E7
"""Mask of inotify(7): access, modify, attrib, open, create, delete and move, but not close."""


@contextmanager
def untouched(outside: Path) -> Iterator[int]:
    """Check that nothing in a folder is opened, changed or connected to; yield a TCP port."""
    inotify = ctypes.CDLL(None, use_errno=True)
    watch = inotify.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    here = os.open(outside, os.O_RDONLY)
    with (
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket() as loopback,
    ):
        named.bind(f"/proc/self/fd/{here}/daemon")
        abstract.bind("\0" + str(outside)[-99:])
        loopback.bind(("127.0.0.1", 0))
        for listening in (named, abstract, loopback):
            listening.setblocking(False)  # noqa: FBT003
            listening.listen()
        assert inotify.inotify_add_watch(watch, os.fsencode(outside), _ANY) > 0
        yield loopback.getsockname()[1]
        with pytest.raises(BlockingIOError):
            pytest.fail(f"touched: {os.read(watch, 1 << 16)!r}")
        for listening in (named, abstract, loopback):
            with pytest.raises(BlockingIOError):
                pytest.fail(f"connected: {listening.accept()}")
    os.close(here)
    os.close(watch)


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Limit a block to 512 MiB more memory than now, and check its CPU time in seconds."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + 512 * _MIB
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    began = time.process_time()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert time.process_time() - began < seconds


@pytest.fixture
def scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, Path, random.Random]]:
    """Return the league (the current folder), the folder outside of it, and a random generator."""
    league, outside = lay_out(tmp_path)
    monkeypatch.chdir(league)
    tools = os.path.dirname(os.path.realpath(sys.executable))
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    handlers = [(number, signal.getsignal(number)) for number in ENDING]
    yield league, outside, random.Random(SEED)
    for number, handler in handlers:  # `main` replaces the handlers when it runs in this process
        signal.signal(number, handler)


@pytest.mark.thorough
@pytest.mark.slow(6)
def test_hostile_files_are_refused_with_one_clear_error(
    scene: tuple[Path, Path, random.Random],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Time and memory are bounded; no error shows outside text or control characters."""
    league, outside, rng = scene
    words = ["pwtourney", "run", "league.yaml", "--untrusted", "--dry-run"]
    monkeypatch.setattr(sys, "argv", words)
    count = 0
    with untouched(outside):
        for file in list_refused(league, outside, rng):
            (league / "league.yaml").write_bytes(file.text)
            with bounded(20), pytest.raises(SystemExit) as ended:
                main()
            printed, stderr = capsys.readouterr()
            assert (ended.value.code, printed) == (EXIT_USAGE, ""), (file.text[:999], stderr)
            assert stderr.startswith("error: ")
            assert ".yaml" in stderr  # the error names the file, and the line in it
            assert file.message in stderr, (file.text[:999], file.message, stderr)
            assert "a-secret" not in stderr
            assert all(mark.isprintable() or mark == "\n" for mark in stderr)
            assert len(stderr) < 2_000
            count += 1
    assert count >= 50


@pytest.mark.parametrize("name", ["league.yaml", "base.yaml", "deals.txt", "edition.toml"])
@pytest.mark.timeout(60)
def test_pipe_in_the_place_of_a_file_does_not_hang_the_run(
    scene: tuple[Path, Path, random.Random], name: str
) -> None:
    """The pipe replaces the tournament file, its base, its deals or its edition."""
    league, _, _ = scene
    key = name.partition(".")[0].replace("base", "extends")
    if name != "league.yaml":
        (league / "league.yaml").write_text(f"{key}: {name}\nbots: [random, greedy]\n")
    os.mkfifo(league / name)
    done = pwtourney("run", "league.yaml", "--untrusted", code=EXIT_USAGE, at=league, timeout=40)
    assert done.stderr.startswith("error: league.yaml")
    assert done.stderr.count("\n") <= 2


def honest_games(league: Path) -> list[tuple[object, ...]]:
    """Return the games between the two honest bots, without times."""
    return [
        (game.bots, [ply.action for ply in game.plies], game.scores, game.verdict)
        for game in stored_games(league / "results" / "league")
        if "hostile" not in game.bots
    ]


def hostile_words(league: Path) -> set[str]:
    """Return the `info` lines of the hostile bot."""
    return {
        ply.info
        for game in stored_games(league / "results" / "league")
        for ply in game.plies
        if game.bots[ply.seat] == "hostile"
    }


@pytest.mark.slow(25)
@pytest.mark.thorough
def test_hostile_bots_change_no_other_game_and_reach_nothing(
    scene: tuple[Path, Path, random.Random],
) -> None:
    """They try files, pipes, sockets and names in many ways, and only they lose."""
    need_sandbox("bwrap")
    league, outside, rng = scene
    (league / "league.yaml").write_text(CONTROL)
    pwtourney("run", "league.yaml", "--untrusted", at=league)
    expected = honest_games(league)
    assert len(expected) == 2
    loose = HostileFile(b"")
    program = str(Path(sys.executable).with_name("pwtourney"))
    with untouched(outside) as port:
        for file in list_played(league, outside, port, rng):
            loose = file if b"trusted: true" in file.text else loose
            (league / "league.yaml").write_bytes(file.text)
            # with the `pwtourney` script, as users do whose current folder is the league
            done = subprocess.run(
                [program, "run", "league.yaml", "--untrusted", "--fresh"],
                cwd=league,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
            )
            assert done.returncode == 0, (file.text, done.stderr)
            assert honest_games(league) == expected, file.text
            expected_words = {"reached"} if file.attacks else set()
            assert hostile_words(league) == expected_words, file.text
            assert not list(league.rglob("pwned"))
            shutil.rmtree(league / "results")
    # an accepted file asks for no sandbox; without --untrusted its bot does reach outside
    (league / "league.yaml").write_bytes(loose.text)
    subprocess.run([program, "run", "league.yaml"], check=True, capture_output=True, timeout=100)
    (said,) = hostile_words(league)
    assert "read secret.txt read ../outside/secret.txt read . read pipe" in said


@pytest.mark.slow(3)
@pytest.mark.thorough
def test_results_with_links_and_pipes_are_refused_or_replaced(
    scene: tuple[Path, Path, random.Random],
) -> None:
    """A pull request may leave links where results are written; nothing is written through them."""
    need_sandbox("bwrap")
    league, outside, _ = scene
    (league / "league.yaml").write_text(CONTROL)
    with untouched(outside):
        for is_taken in leave_odd_results(league, outside):
            code = 0 if is_taken else EXIT_STORE
            done = pwtourney("run", "league.yaml", "--untrusted", code=None, at=league, timeout=60)
            assert done.returncode in (code, EXIT_USAGE if code else code), done.stderr
            assert code == 0 or done.stderr.startswith("error: ")
            results = league / "results"
            results.unlink() if results.is_symlink() or results.is_file() else shutil.rmtree(
                results
            )
