"""What a slot shows of its game: as it is played, and only while there is a run."""

import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from pwtourney.executor import LocalExecutor
from pwtourney.executor.broadcast import (
    LONGEST,
    WATCHED,
    clear_broadcasts,
    pack_broadcast,
    prepare_broadcasts,
    unpack_broadcast,
)
from pwtourney.match import BotPool, PairResult, play_game, play_pair
from pwtourney.notation.game import Verdict
from tests.executor.test_executors import jobs
from tests.match.helpers import bot, setup
from tests.rules.positions import EXPRESS

GAME: dict[str, Any] = {"pair": 3, "plies": [(0, "advance", 12, "score 1")]}


def read_while_played(live: Path, count: int) -> tuple[list[Any], list[PairResult]]:
    """Play pairs in one slot, watched; return what was seen whenever one had ended."""
    seen, results, work = [], [], jobs(count)
    with closing(LocalExecutor(1, live=live)) as executor:
        for ended in executor.run(lambda: next(work, None)):
            results += [each for each in ended if isinstance(each, PairResult)]
            with suppress(OSError):
                os.utime(live / WATCHED)
                seen.append((live / "0").read_bytes())
    return [unpack_broadcast(data) for data in seen if data], results


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_what_is_seen_is_the_beginning_of_what_was_played(tmp_path: Path) -> None:
    """Every sample has the plies that its game has in the end, up to a point; then all is gone."""
    seen, results = read_while_played(tmp_path / "live", 40)
    games = {
        (result.pair, number): game
        for result in results
        for number, game in enumerate(result.games)
    }
    assert len({(each["pair"], each["game"]) for each in seen}) > 1
    for each in seen:
        game = games[each["pair"], each["game"]]
        played = [[ply.seat, ply.action, ply.micros, ply.info] for ply in game.plies]
        assert each["plies"] == played[: len(each["plies"])]
        assert (each["circle"], each["bots"]) == ([*game.deal.circle], [*game.bots])
    assert not (tmp_path / "live").exists()


@pytest.mark.parametrize("kind", ["link", "file"])
@pytest.mark.slow
def test_without_a_folder_of_its_own_games_are_played_all_the_same(
    tmp_path: Path, kind: str
) -> None:
    """Something else under its name is left as it is, and nobody can watch."""
    live, other = tmp_path / "live", tmp_path / "other"
    other.mkdir()
    (other / "kept").touch()
    if kind == "link":
        live.symlink_to(other)
    else:
        live.touch()
    assert not prepare_broadcasts(live)
    assert (other / "kept").exists()
    _, results = read_while_played(live, 1)
    assert len(results) == 1


def test_what_a_killed_run_left_is_replaced(tmp_path: Path) -> None:
    """Old games are gone before new ones begin."""
    live = tmp_path / "live"
    assert prepare_broadcasts(live)
    (live / "7").write_bytes(pack_broadcast(GAME))
    assert prepare_broadcasts(live)
    assert [each.name for each in live.iterdir()] == [WATCHED]
    clear_broadcasts(live)
    assert not live.exists()


def test_a_file_is_read_whole_or_not_at_all() -> None:
    """Cut, overwritten in part, of another kind or too deep: an error, and only the right one."""
    data = pack_broadcast(GAME)
    assert unpack_broadcast(data + b"rest of a longer one") == json.loads(json.dumps(GAME))
    deep = b"[" * 100_000
    head = len(deep).to_bytes(4, "little") + zlib.crc32(deep).to_bytes(4, "little")
    for torn in (b"", data[:11], data[:-1], data[:20] + b"\0" + data[21:], b"pwt1" + head + deep):
        with pytest.raises(ValueError, match=r"head|deep"):
            unpack_broadcast(torn)


@pytest.mark.slow
def test_a_long_game_says_less_and_never_more_than_there_is_room() -> None:
    """First the words of the bots are left out, then the plies."""
    wordy = {"plies": [(0, "advance", 1, "x" * 200)] * 1000}
    assert unpack_broadcast(pack_broadcast(wordy))["plies"] == [[0, "advance", 1]] * 1000
    endless = {"plies": [(0, "advance", 1, "")] * LONGEST}
    assert unpack_broadcast(pack_broadcast(endless)) == {"plies": []}


@contextmanager
def interrupted(seconds: float) -> Iterator[list[int]]:
    """Let a timer interrupt this process all the time; yield a list that grows with each time."""
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield seen
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow(4)
def test_the_timer_changes_no_game() -> None:
    """Interrupted a thousand times a second, a pair has the same plies, and no fault."""
    job = next(jobs(1))
    with closing(BotPool()) as pool:
        quiet = play_pair(job, pool)
        with interrupted(0.001) as seen:
            disturbed = play_pair(job, pool)
    assert seen
    for one, two in zip(quiet.games, disturbed.games, strict=True):
        assert not one.faults + two.faults
        assert [ply.action for ply in one.plies] == [ply.action for ply in two.plies]


@pytest.mark.slow(2)
@pytest.mark.serial
def test_the_timer_moves_no_deadline() -> None:
    """A bot that never answers times out when its time is up, however often we are interrupted."""
    silent, other = bot("hang", move_ms=300), bot("honest", name="other")
    with closing(BotPool()) as pool, interrupted(0.001) as seen:
        began = time.monotonic()
        game = play_game(setup(silent, other, 1, EXPRESS), pool=pool)
        took = time.monotonic() - began
    assert len(seen) > 100
    assert game.verdict is Verdict.TIMEOUT
    assert 0.3 <= took < 10


@pytest.mark.slow(2)
def test_the_timer_ends_before_the_process_does(tmp_path: Path) -> None:
    """A process that has written games ends as any other, although its signal would kill it."""
    live = tmp_path / "live"
    assert prepare_broadcasts(live)
    code = (
        "import signal, sys; from pwtourney.executor.broadcast import Slot, broadcasting\n"
        "with broadcasting(Slot(sys.argv[1], 0)): signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)"
        "\nsignal.signal(signal.SIGALRM, signal.SIG_DFL); sum(range(10**6))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(live)], check=False)
    assert done.returncode == 0
