"""Slots publish the game being played, and only while the run lasts."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from pwtourney.clock import TimeControl
from pwtourney.executor import LocalExecutor
from pwtourney.executor.broadcast import (
    LONGEST,
    WATCHED,
    Broadcast,
    Slot,
    clear_broadcasts,
    describe_game,
    name_ended,
    open_broadcast,
    pack_broadcast,
    prepare_broadcasts,
    unpack_broadcast,
)
from pwtourney.match import (
    BotPool,
    BotSpec,
    GameLoop,
    GameSetup,
    PairResult,
    PlayedGame,
    play_game,
    play_pair,
)
from pwtourney.match.conversation import Interruption
from pwtourney.match.game_loop import play_loop
from pwtourney.match.job import AUTOMA
from pwtourney.notation.game import Fault, Ply, Verdict
from pwtourney.process.heartbeat import Gap
from pwtourney.rules import State
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.launch import Launch
from tests.executor.test_executors import jobs
from tests.match.helpers import bot, setup
from tests.rules.positions import EXPRESS

GAME: dict[str, Any] = {"pair": 3, "plies": [(0, "advance", 12, "score 1")]}


def read_while_played(live: Path, count: int) -> tuple[list[Any], list[PairResult]]:
    """Play watched pairs in one slot; return the broadcasts after each pair, and the results."""
    seen, results, work = [], [], jobs(count)
    with closing(LocalExecutor(1, live=live)) as executor:
        for ended in executor.run(lambda: next(work, None)):
            results += [outcome for outcome in ended if isinstance(outcome, PairResult)]
            with suppress(OSError):
                os.utime(live / WATCHED)
                seen.append((live / "0").read_bytes())
    return [unpack_broadcast(data) for data in seen if data], results


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_broadcast_is_a_prefix_of_the_played_game(tmp_path: Path) -> None:
    """Each sample has the first plies of its game; after the run the folder is removed."""
    seen, results = read_while_played(tmp_path / "live", 40)
    games = {
        (result.pair, number): game
        for result in results
        for number, game in enumerate(result.games)
    }
    assert len({(sample["pair"], sample["game"]) for sample in seen}) > 1
    for sample in seen:
        game = games[sample["pair"], sample["game"]]
        played = [[ply.seat, ply.action, ply.micros, ply.info] for ply in game.plies]
        assert sample["plies"] == played[: len(sample["plies"])]
        assert (sample["circle"], sample["bots"]) == ([*game.deal.circle], [*game.bots])
    assert not (tmp_path / "live").exists()


@pytest.mark.parametrize("kind", ["link", "file"])
@pytest.mark.slow
def test_games_are_played_if_the_broadcast_folder_is_taken(tmp_path: Path, kind: str) -> None:
    """An existing file or link of that name is left alone, and nobody can watch."""
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


def test_broadcasts_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    """Old games are deleted before new ones begin."""
    live = tmp_path / "live"
    assert prepare_broadcasts(live)
    (live / "7").write_bytes(pack_broadcast(GAME))
    assert prepare_broadcasts(live)
    assert [path.name for path in live.iterdir()] == [WATCHED]
    clear_broadcasts(live)
    assert not live.exists()


def test_torn_broadcast_raises_value_error() -> None:
    """The data are cut, partly overwritten, of another kind, or nested too deeply."""
    data = pack_broadcast(GAME)
    assert unpack_broadcast(data + b"rest of a longer one") == json.loads(json.dumps(GAME))
    deep = b"[" * 100_000
    head = len(deep).to_bytes(4, "little") + zlib.crc32(deep).to_bytes(4, "little")
    for torn in (b"", data[:11], data[:-1], data[:20] + b"\0" + data[21:], b"pwt1" + head + deep):
        with pytest.raises(ValueError, match=r"head|deep"):
            unpack_broadcast(torn)


@pytest.mark.slow
def test_long_game_is_shortened_to_the_maximum_size() -> None:
    """First the info texts of the bots are dropped, then the plies."""
    wordy = {"plies": [(0, "advance", 1, "x" * 200)] * 1000}
    assert unpack_broadcast(pack_broadcast(wordy))["plies"] == [[0, "advance", 1]] * 1000
    endless = {"plies": [(0, "advance", 1, "")] * LONGEST}
    assert unpack_broadcast(pack_broadcast(endless)) == {"plies": []}


@contextmanager
def interrupted(seconds: float) -> Iterator[list[int]]:
    """Interrupt this process by a timer every `seconds`; yield a list with an entry for each."""
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield seen
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow(4)
def test_timer_interrupts_do_not_change_a_game() -> None:
    """Interrupted a thousand times a second, a pair has the same plies and no fault."""
    job = next(jobs(1))
    with closing(BotPool()) as pool:
        quiet = play_pair(job, pool)
        with interrupted(0.001) as seen:
            disturbed = play_pair(job, pool)
    assert seen
    for quiet_game, disturbed_game in zip(quiet.games, disturbed.games, strict=True):
        assert not quiet_game.faults + disturbed_game.faults
        assert [ply.action for ply in quiet_game.plies] == [
            ply.action for ply in disturbed_game.plies
        ]


@pytest.mark.slow(2)
@pytest.mark.serial
def test_timer_interrupts_do_not_delay_a_deadline() -> None:
    """A bot that never answers times out when its time is up."""
    silent, other = bot("hang", move_ms=300), bot("honest", name="other")
    with closing(BotPool()) as pool, interrupted(0.001) as seen:
        began = time.monotonic()
        game = play_game(setup(silent, other, 1, EXPRESS), pool=pool)
        took = time.monotonic() - began
    assert len(seen) > 100
    assert game.verdict is Verdict.TIMEOUT
    assert 0.3 <= took < 10


@pytest.mark.slow(2)
def test_timer_stops_before_the_process_ends(tmp_path: Path) -> None:
    """At exit the default action of SIGALRM would kill the process."""
    live = tmp_path / "live"
    assert prepare_broadcasts(live)
    code = (
        "import signal, sys; from pwtourney.executor.broadcast import Slot, open_broadcast\n"
        "with open_broadcast(Slot(sys.argv[1], 0)):"
        " signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)\n"
        "signal.signal(signal.SIGALRM, signal.SIG_DFL); sum(range(10**6))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(live)], check=False)
    assert done.returncode == 0


SAYS = """
n=0
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    end) echo ready ;;
    legal) action=${rest%% *} ;;
    go) n=$((n+1)); echo "info move $n LONG"; [ $n -gt 3 ] && exit; echo "move $action" ;;
    quit) exit ;;
  esac
done
"""
"""A shell bot that writes an info line with each move, and crashes at its fourth."""


def _say(long: str) -> GameSetup:
    """Set up a game between two such bots; the first has a clock for the whole game."""
    launch = Launch(("/bin/sh", "-c", SAYS.replace("LONG", long)))
    first = BotSpec("one", launch, control=TimeControl(None, 60_500))
    second = BotSpec("two", launch, control=TimeControl(10_000))
    return setup(first, second, 3, EXPRESS)


def test_game_is_described_before_its_first_ply() -> None:
    """Nobody has been asked; the first seat has a clock for the game, the second for each move."""
    sent = _say("x")
    assert describe_game(7, 1, GameLoop(PlayedGame(sent))) == {
        "pair": 7,
        "game": 1,
        "bots": ["one", "two"],
        "edition": "express",
        "circle": sent.deal.circle,
        "late": sent.deal.late,
        "automa": None,
        "plies": [],
        "to_move": 0,
        "move": [None, 10_000],
        "left": [60_500, None],
        "asked": None,
        "info": "",
        "over": False,
        "result": None,
    }


def test_running_game_is_described_with_plies_clocks_and_info() -> None:
    """The description is checked at each ply, and when the game is over.

    Info texts of bots are cut after 200 characters.
    """
    described: list[dict[str, Any]] = []

    def watch(state: State, ply: Ply) -> None:
        described.append(describe_game(7, 1, loop, 1000.0))
        states.append((state.to_move, (ply.seat, ply.action, ply.micros, ply.info[:200])))

    states: list[tuple[int, tuple[int, str, int, str]]] = []
    loop = GameLoop(PlayedGame(_say("x" * 300)), watch)
    with closing(BotPool(None)) as pool:
        play_loop(loop, pool)
    plies = [ply for _, ply in states]
    assert all(ply[3].startswith("move ") and len(ply[3]) == 200 for ply in plies)
    for number, (game, (to_move, _)) in enumerate(zip(described, states, strict=True), 1):
        assert game["plies"] == plies[:number]
        assert game["to_move"] == to_move
        assert (game["over"], game["result"]) == (False, None)
    # the second bot is first asked after the first ply, and then again
    assert described[0]["asked"] is None
    assert 990 < described[1]["asked"] < 1000
    assert described[1]["info"] == plies[0][3]
    assert described[1]["left"] == [60_500 - 1 - plies[0][2] // 1000, None]
    over = describe_game(7, 1, loop)
    assert (over["over"], over["asked"], over["info"]) == (True, None, "")
    assert over["plies"] == plies
    # the first bot exits at its fourth turn; both scores are of the position then
    assert over["result"][:2] == ("crash", 1)
    assert over["result"][2] == loop.game.state.scores
    assert over["result"][3].startswith("exited")


def test_asked_time_is_on_the_system_clock() -> None:
    """Without a given time, it is the current time minus the time the bot has used so far."""
    times: list[float] = []

    def watch(_: State, ply: Ply) -> None:
        if ply.seat:
            times.append(describe_game(0, 0, loop)["asked"])

    began = time.time()
    loop = GameLoop(PlayedGame(_say("x")), watch)
    with closing(BotPool(None)) as pool:
        play_loop(loop, pool)
    assert all(began - 0.01 <= instant <= time.time() + 0.01 for instant in times)
    assert times == sorted(times)


def test_description_names_the_automas_level_and_deck() -> None:
    """They are plain JSON values."""
    sent = setup(BotSpec("one", Launch(("/nowhere",))), AUTOMA, 3)
    game = PlayedGame(sent._replace(automa=Automa("legend", tactical=True)))
    assert describe_game(0, 0, GameLoop(game))["automa"] == ["legend", True]


@pytest.fixture
def slot(tmp_path: Path) -> Iterator[Slot]:
    """Yield a slot for broadcasts; afterwards restore the handler of the timer's signal."""
    before = signal.getsignal(signal.SIGALRM)
    assert prepare_broadcasts(tmp_path / "live")
    yield Slot(str(tmp_path / "live"), 3)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_new_broadcast_folder_is_not_watched(tmp_path: Path) -> None:
    """The mark's times are 0 (1970); everybody can read it, and only its owner can touch it."""
    assert prepare_broadcasts(tmp_path / "live")
    status = (tmp_path / "live" / WATCHED).stat()
    assert (status.st_atime, status.st_mtime) == (0, 0)
    assert status.st_mode & 0o777 == 0o644
    (tmp_path / "file").touch()
    assert not prepare_broadcasts(tmp_path / "file" / "live")
    with pytest.raises(NotADirectoryError, match="file"):
        clear_broadcasts(tmp_path / "file")


def test_timer_signal_writes_the_current_game(slot: Slot) -> None:
    """It writes only if the game has changed."""
    file = Path(slot.folder) / "3"
    file.write_text("left by another run")
    loop = GameLoop(PlayedGame(_say("x")))
    with open_broadcast(slot) as follow:
        assert follow is not None
        signal.raise_signal(signal.SIGALRM)
        assert file.read_bytes() == b""
        assert file.stat().st_mode & 0o777 == 0o644
        follow(7, 1, loop)
        signal.raise_signal(signal.SIGALRM)
        written = unpack_broadcast(file.read_bytes())
        assert (written["pair"], written["game"], written["plies"]) == (7, 1, [])
        file.write_bytes(b"")
        signal.raise_signal(signal.SIGALRM)
        assert file.read_bytes() == b""
        follow(7, 0, loop)
        signal.raise_signal(signal.SIGALRM)
        assert unpack_broadcast(file.read_bytes())["game"] == 0
        follow(8, 0, loop)
        signal.raise_signal(signal.SIGALRM)
        assert unpack_broadcast(file.read_bytes())["pair"] == 8
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_game_that_has_ended_is_written_once_to_a_file_of_its_own(slot: Slot) -> None:
    """Its last plies and its result would be missed: the next game begins at once."""
    file = Path(slot.folder) / name_ended(3)
    file.write_text("left by another run")
    loop, other = GameLoop(PlayedGame(_say("x"))), GameLoop(PlayedGame(_say("x")))
    with closing(BotPool(None)) as pool:
        play_loop(loop, pool)
    with open_broadcast(slot) as follow:
        assert follow is not None
        follow(7, 0, loop)
        signal.raise_signal(signal.SIGALRM)
        assert file.read_bytes() == b""
        follow(7, 1, other)
        signal.raise_signal(signal.SIGALRM)
        ended = unpack_broadcast(file.read_bytes())
        file.write_bytes(b"")
        signal.raise_signal(signal.SIGALRM)
        assert file.read_bytes() == b""
    assert (ended["pair"], ended["game"], ended["over"]) == (7, 0, True)
    assert len(ended["plies"]) == len(loop.game.plies)
    assert ended["result"][:2] == ["crash", 1]


def test_result_changes_after_the_end(slot: Slot) -> None:
    """The second bot fails, too, so nobody has won; an interruption takes the result back."""
    file = Path(slot.folder) / "3"
    loop = GameLoop(PlayedGame(_say("x")))
    with open_broadcast(slot) as follow:
        assert follow is not None
        follow(7, 0, loop)
        winners = []
        for seat in (0, 1):
            loop.game.lose(Fault(seat, Verdict.START, "it did not start"))
            signal.raise_signal(signal.SIGALRM)
            winners.append(unpack_broadcast(file.read_bytes())["result"][1])
        loop.interruption = Interruption(Gap(stopped_ns=1), "one")
        signal.raise_signal(signal.SIGALRM)
        assert unpack_broadcast(file.read_bytes())["result"] is None
    assert winners == [1, None]


def test_interrupted_game_has_no_result() -> None:
    """It is played again, so nobody has won."""
    loop = GameLoop(PlayedGame(_say("x")))
    with closing(BotPool(None)) as pool:
        play_loop(loop, pool)
    assert describe_game(7, 1, loop)["result"] is not None
    loop.interruption = Interruption(Gap(stopped_ns=1), "one")
    assert describe_game(7, 1, loop)["result"] is None


def test_timer_is_faster_while_somebody_watches(slot: Slot) -> None:
    """It fires once a second, or ten times if the mark was touched within three seconds."""
    mark = Path(slot.folder) / WATCHED
    before = len(os.listdir("/proc/self/fd"))
    broadcast = Broadcast(slot)
    periods = [signal.getitimer(signal.ITIMER_REAL)[1]]
    for ago in (0, 2.5, 3.5, -2.5, -3.5):
        os.utime(mark, (0, time.time() - ago))
        signal.raise_signal(signal.SIGALRM)
        periods.append(signal.getitimer(signal.ITIMER_REAL)[1])
    assert periods == pytest.approx([1, 0.1, 0.1, 1, 0.1, 1], abs=0.02)
    signal.setitimer(signal.ITIMER_REAL, 100, 100)
    signal.raise_signal(
        signal.SIGALRM
    )  # whether somebody watches has not changed, so the timer is not set
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 100
    broadcast.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_broadcast_without_a_writable_slot(tmp_path: Path) -> None:
    """A link in place of the mark is not followed."""
    with open_broadcast(None) as follow:
        assert follow is None
    with open_broadcast(Slot(str(tmp_path / "nowhere"), 0)) as follow:
        assert follow is None
    (tmp_path / "mark").touch()
    (tmp_path / WATCHED).symlink_to("mark")
    with open_broadcast(Slot(str(tmp_path), 0)) as follow:
        assert follow is None


def test_broadcast_is_at_most_the_maximum_size() -> None:
    """One byte more drops the info texts, then the plies; if that is not enough, all is dropped.

    The game before is dropped first.
    """
    head = 12

    def length(game: dict[str, Any]) -> int:
        return len(json.dumps(game, separators=(",", ":")))

    game = {"pair": 3, "plies": [[0, "advance", 12, ""]]}
    for more in (0, 1):
        words = "x" * (LONGEST - head - length(game) + more)
        data = pack_broadcast({**game, "plies": [[0, "advance", 12, words]]})
        assert len(data) == (LONGEST if not more else head + length(game) - 3)
        kept = [[0, "advance", 12, words]] if not more else [[0, "advance", 12]]
        assert unpack_broadcast(data) == {"pair": 3, "plies": kept}
    many = {"pair": 3, "plies": [[0, "advance", 12, "x"]] * 20_000}
    assert unpack_broadcast(pack_broadcast(many)) == {"pair": 3, "plies": []}
    assert pack_broadcast({"pair": "x" * LONGEST, "plies": []}) == b""
    assert pack_broadcast({"pair": "x" * LONGEST, "plies": [[0, "advance", 12, "x"]]}) == b""


DEEP = struct.pack("<II", 10**5, zlib.crc32(b"[" * 10**5)) + b"[" * 10**5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"pwt1", "it is shorter than its head"),
        (b"pwt1" + bytes(8), "Expecting value: line 1 column 1 (char 0)"),
        (b"pwt2" + pack_broadcast(GAME)[4:], "its head does not fit"),
        (pack_broadcast(GAME)[:-1], "its head does not fit"),
        (pack_broadcast(GAME)[:-1] + b"]", "its head does not fit"),
        (b"pwt1" + DEEP, "it is nested too deeply"),
    ],
)
def test_invalid_broadcast_is_refused_with_the_reason(data: bytes, message: str) -> None:
    """The file may be half-written, or belong to somebody else."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        unpack_broadcast(data)
