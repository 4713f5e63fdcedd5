"""Pairs and the bot pool: persistent bots, timeouts caused by the machine, logs and usage."""

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.match import BotPool, BotSpec, Job, PairResult, play_game, play_pair
from pwtourney.notation.game import Verdict
from pwtourney.process import bot_processes, waiting
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import become_subreaper, children
from tests.match.helpers import GREEDY, LIMITS, RANDOM, bot, setup
from tests.misbehaving import LONG

COUNTS_GAMES = """
import os, sys
games = 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "pwtp": print("feature legal\\nready", flush=True)
    elif word == "newgame": games += 1
    elif word == "end": print("ready", flush=True)
    elif word == "legal": legal = rest
    elif word == "go": print(f"info game {games}\\nmove {legal[0]}", flush=True)
    elif word == "quit": break
"""


def counting(name: str, *, persistent: bool) -> BotSpec:
    """Return a bot whose info is the number of its game in this process."""
    launch = Launch((sys.executable, "-S", "-c", COUNTS_GAMES))
    return BotSpec(name, launch, (), TimeControl(10_000), LIMITS, persistent=persistent)


def job(first: BotSpec, second: BotSpec, replays: int = 0) -> Job:
    """Return the job of a mirrored pair."""
    return Job(0, (setup(first, second), setup(second, first)), replays)


def list_seen_games(result: PairResult, name: str) -> list[set[str]]:
    """Return, for each game of a pair, the game numbers that a bot sent."""
    return [
        {ply.info for ply in game.plies if game.bots[ply.seat] == name} for game in result.games
    ]


@pytest.mark.slow
def test_persistent_bot_keeps_its_process_and_others_restart() -> None:
    """The persistent bot counts four games, the other plays its first game four times."""
    become_subreaper()
    before = set(children())
    stays, goes = counting("stays", persistent=True), counting("goes", persistent=False)
    with closing(BotPool()) as pool:
        results = [play_pair(job(stays, goes), pool) for _ in range(2)]
        assert len(set(children()) - before) == 1
    assert set(children()) == before
    stays_heard = [lines for result in results for lines in list_seen_games(result, "stays")]
    assert stays_heard == [{"game 1"}, {"game 2"}, {"game 3"}, {"game 4"}]
    goes_heard = [lines for result in results for lines in list_seen_games(result, "goes")]
    assert goes_heard == [{"game 1"}] * 4
    starts = [game.usage[game.bots.index("stays")].start > 0 for r in results for game in r.games]
    assert starts == [True, False, False, False]


@pytest.mark.slow
def test_persistent_bot_is_restarted_after_a_fault() -> None:
    """Its opponent's crash ends its process too, so its next game is the first of a new one."""
    stays = counting("stays", persistent=True)
    with closing(BotPool()) as pool:
        play_pair(job(stays, counting("goes", persistent=False)), pool)
        crash = play_pair(job(stays, bot("crash")), pool)
        again = play_pair(job(stays, counting("goes", persistent=False)), pool)
    assert {game.verdict for game in crash.games} == {Verdict.CRASH}
    assert list_seen_games(again, "stays") == [{"game 1"}, {"game 2"}]


LEAVES_A_CHILD = COUNTS_GAMES.replace(
    '    elif word == "newgame": games += 1',
    """    elif word == "newgame":
        games += 1
        if games == 1 and not (child := os.fork()):
            os.setsid()
            for number in range(3): os.close(number)
            import time; time.sleep(20)
            os._exit(0)""",
).replace("info game {games}", "info child {child}")


@pytest.mark.slow
def test_child_from_an_earlier_game_ends_with_its_bot() -> None:
    """The child has a session of its own, and no other process has started meanwhile."""
    become_subreaper()
    before = set(children())
    launch = Launch((sys.executable, "-S", "-c", LEAVES_A_CHILD))
    leaver = BotSpec("leaver", launch, (), TimeControl(10_000), LIMITS, persistent=True)
    with closing(BotPool()) as pool:
        for _ in range(2):
            result = play_pair(job(leaver, counting("stays", persistent=True)), pool)
        ((line,), _) = list_seen_games(result, "leaver")
        child = int(line.removeprefix("child "))
        os.kill(child, 0)  # it is alive while its bot is
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert set(children()) == before


class Busy:
    """Simulates a busy core in the kernel's figures for the first `count` processes that hang."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._seen: dict[str, None] = {}

    def read(self, path: str) -> bytes:
        """Return a file of the system; the schedstat of such a process is simulated."""
        _, _, pid, *_ = path.split("/")
        if not path.endswith("/schedstat") or b"hang" not in self._read_words(pid):
            return Path(path).read_bytes()
        self._seen.setdefault(pid)
        kept = [*self._seen][: self.count]
        # time run, time waited, timeslices (Documentation/scheduler/sched-stats.rst)
        return b"0 %d 1\n" % (time.monotonic_ns() if pid in kept else 0)

    def _read_words(self, pid: str) -> bytes:
        return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what the machine did")
@pytest.mark.parametrize(
    ("busy", "replays", "verdict", "repeated", "notes"),
    [
        pytest.param(99, 0, Verdict.TIMEOUT, 0, 0, id="it counts where nothing is repeated"),
        pytest.param(99, 1, Verdict.RUNNER_ERROR, 1, 2, id="spoiled twice it is void"),
        pytest.param(99, 2, Verdict.RUNNER_ERROR, 2, 3, id="spoiled three times it is void"),
        pytest.param(1, 2, Verdict.TIMEOUT, 1, 1, id="spoiled once it counts the second time"),
        pytest.param(0, 2, Verdict.TIMEOUT, 0, 0, id="the bot's own fault counts at once"),
    ],
)
@pytest.mark.slow
def test_a_pair_is_repeated_as_often_as_the_job_allows(
    busy: int,
    replays: int,
    verdict: Verdict,
    repeated: int,
    notes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The simulated kernel says that the bot that times out waited for a core all the time."""
    # other tests start processes meanwhile, and with many of them the machine is never to blame
    monkeypatch.setattr(bot_processes, "newest_process", lambda: 1)
    slow = bot("hang", move_ms=300)
    for _ in range(3):  # repeated if the machine itself stalled, which gives another reason
        monkeypatch.setattr(waiting, "read_proc", Busy(busy).read)  # it counts what it has said
        with closing(BotPool()) as pool:
            result = play_pair(Job(5, (setup(slow, bot()), setup(bot(), slow)), replays), pool)
        if not any("the referee" in game.note for game in result.games):
            break
    assert result.pair == 5
    assert [game.verdict for game in result.games] == [verdict] * 2
    assert [game.bots for game in result.games] == [("hang", "honest"), ("honest", "hang")]
    for game in result.games:
        assert game.replays == repeated
        notices = game.note.split("; the machine held") if game.note else []
        assert len(notices) == notes
        assert all("hang up: in " in notice for notice in notices)
        assert bool(game.faults) == (verdict is Verdict.TIMEOUT)
        machines = [fault.machine for fault in game.faults if fault.machine is not None]
        assert [machine.is_to_blame for machine in machines] == [busy == 99] * len(game.faults)
        assert (game.points is None) == verdict.is_void


def hogs() -> list[subprocess.Popen[bytes]]:
    """Start four processes that use all processor time for a few seconds at most.

    Each has a session of its own, as a bot has: Linux shares a core among sessions first.
    """
    code = f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    words = [sys.executable, "-S", "-c", code]
    return [subprocess.Popen(words, start_new_session=True) for _ in range(4)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what the machine did")
@pytest.mark.slow
@pytest.mark.serial
def test_pair_that_the_machine_spoils_is_replayed_and_then_void(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that needs a busy core times out; with `replays` this is not a loss."""
    # other programs start processes meanwhile, and with many of them the machine is never to blame
    monkeypatch.setattr(bot_processes, "newest_process", lambda: 1)
    code = COUNTS_GAMES.replace("info game", "info busy").replace(
        'elif word == "go":', 'elif word == "go":\n        while True: pass\n    elif word == "-":'
    )
    launch = Launch((sys.executable, "-S", "-c", code))
    thinks = BotSpec("thinks", launch, (), TimeControl(300), LIMITS)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    running = hogs()
    try:
        with closing(BotPool()) as pool:
            forfeit = play_pair(job(thinks, counting("other", persistent=False)), pool)
            void = play_pair(job(thinks, counting("other", persistent=False), replays=1), pool)
    finally:
        os.sched_setaffinity(0, before)
        for hog in running:
            hog.kill()
            hog.wait()
    assert [game.verdict for game in forfeit.games] == [Verdict.TIMEOUT] * 2
    machine = forfeit.games[0].faults[0].machine
    assert machine is not None
    assert machine.is_to_blame
    assert [game.verdict for game in void.games] == [Verdict.RUNNER_ERROR] * 2
    assert {game.points for game in void.games} == {None}
    assert min(game.replays for game in void.games) >= 1
    assert all("the machine held thinks up" in game.note for game in void.games)


@pytest.mark.serial
def test_timeout_caused_by_the_bot_is_not_replayed() -> None:
    """A bot that sleeps loses, whatever `replays` is."""
    with closing(BotPool()) as pool:
        slow = bot("hang", move_ms=300)
        result = play_pair(job(slow, bot("honest"), replays=2), pool)
    assert [game.verdict for game in result.games] == [Verdict.TIMEOUT] * 2
    assert [game.replays for game in result.games] == [0, 0]


def test_a_fault_is_logged_with_what_its_author_needs() -> None:
    """The log has the last lines both ways, standard error, exit code, limits and clock."""
    game = play_game(setup(bot("crash"), bot("honest")))
    log = game.faults[0].log
    for part in (
        "process: exited with code 3; sandbox: none",
        "clock: 10000 ms a move",
        "memory 2147483648",
        "> pwtp 1",
        "< ready",
        "> go movetime 10000",
        "| something went wrong",
    ):
        assert part in log
    exchanged = log.partition("from it):\n")[2].partition("standard error")[0]
    times = [float(line.split()[0]) for line in exchanged.splitlines()]
    assert times == sorted(times)
    assert game.faults[0].stderr.strip() == "something went wrong"


@pytest.mark.slow
def test_usage_of_each_bot_is_recorded() -> None:
    """Bytes, start-up time, memory and processor time are checked against plausible bounds."""
    game = play_game(setup(GREEDY, RANDOM))
    for seat, usage in enumerate(game.usage):
        assert 5_000 < usage.start < 10_000_000
        assert 4_000 < usage.peak < 200_000
        assert usage.received > 2_000
        assert usage.written > 5 * len([ply for ply in game.plies if ply.seat == seat])
        assert usage.stderr == 0
    thought = sum(ply.cpu for ply in game.plies)
    assert 0 < thought < 3 * sum(ply.micros for ply in game.plies)
    assert game.profiles == ("none", "none")


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is measured on Linux")
@pytest.mark.serial
def test_processor_time_clock_applies_to_a_whole_game() -> None:
    """A bot may sleep past its budget of 60 ms; one that computes past it times out."""
    sleeps = COUNTS_GAMES.replace("import os", "import time, os").replace(
        'print(f"info', 'time.sleep(0.08); print(f"info'
    )
    works = (
        COUNTS_GAMES.replace("import os", "import time, os")
        .replace(
            "games = 0",
            "games = 0\ndef work():\n    end = time.process_time() + 0.3\n"
            "    while time.process_time() < end: pass",
        )
        .replace('print(f"info', 'work(); print(f"info')
    )
    control = TimeControl(move_ms=60, cpu=True, wall_ms=8000)
    sleeper, worker = (
        BotSpec(name, Launch((sys.executable, "-S", "-c", code)), (), control, LIMITS)
        for name, code in (("sleeps", sleeps), ("works", works))
    )
    game = play_game(setup(sleeper, worker))
    assert [game.bots[fault.seat] for fault in game.faults] == ["works"]
    assert game.verdict is Verdict.TIMEOUT
    assert "of the processor" in game.faults[0].message


@pytest.mark.slow
def test_suspended_bot_finishes_its_game(tmp_path: Path) -> None:
    """With `pondering: suspend` games finish, and no process or file is left behind."""
    become_subreaper()
    before = set(children())
    still = Isolation(pondering="suspend")
    game = play_game(
        setup(GREEDY._replace(isolation=still), RANDOM._replace(isolation=still)),
        scratch_root=str(tmp_path),
    )
    assert game.verdict is Verdict.FINISHED
    assert set(children()) == before
    assert list(tmp_path.iterdir()) == []
