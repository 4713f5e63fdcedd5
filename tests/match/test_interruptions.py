"""Games in which the referee itself did not run, and pairs that are played again."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import FrameType

import pytest

from pwtourney.clock import TimeControl
from pwtourney.match import (
    BotPool,
    BotSpec,
    GameLoop,
    Job,
    PairResult,
    game_loop,
    play_game,
    play_pair,
    void_game,
)
from pwtourney.match.conversation import Interruption
from pwtourney.match.game_loop import _find_hindrance, _is_too_often
from pwtourney.notation.game import Fault, Game, Hindrance, Verdict
from pwtourney.process import bot_processes, heartbeat, meter, waiting
from pwtourney.process.heartbeat import Gap
from tests.match.helpers import setup, shell_bot
from tests.match.test_pair import Busy
from tests.rules.positions import EXPRESS

STOP, STARVE = "kill -USR1 $PPID;", "kill -USR2 $PPID;"
"""Shell code with which a bot lets the referee miss some time, before it answers."""


class Machine:
    """A clock and the kernel's account of this thread, which move on at signals of a bot.

    The clock jumps by `seconds`, as after a SIGSTOP. With the second signal the kernel says that
    the thread waited for a core in that time. Otherwise the clock moves on only when it is read, so
    that nothing depends on how busy the machine is; the thread runs meanwhile.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._now = time.monotonic_ns()
        self._ran = self._queued = 0
        self._signals: list[int] = []

    def handle(self, number: int, _: FrameType | None) -> None:
        """Let the clock jump when it is read again."""
        self._signals.append(number)

    def monotonic_ns(self) -> int:
        """Return the time of the clock."""
        # both at the same time, or the kernel would have counted what is not over yet
        while self._signals:
            missed = round(self.seconds * 1e9)
            self._now += missed
            self._queued += missed if self._signals.pop() == signal.SIGUSR2 else 0
        self._now += 50_000
        self._ran += 50_000
        return self._now

    def read(self, _: heartbeat._Account) -> bytes:
        """Return the thread's schedstat: time run, time waited, timeslices."""
        return b"%d %d 1\n" % (self._ran, self._queued)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Yield a machine whose referee can miss some time."""
    made = Machine()
    monkeypatch.setattr(time, "monotonic_ns", made.monotonic_ns)
    monkeypatch.setattr(heartbeat._Account, "read", lambda account: made.read(account))
    # other tests start processes meanwhile, and a quota of this machine may stop them
    monkeypatch.setattr(bot_processes, "newest_process", lambda: 1)
    monkeypatch.setattr(meter, "_open_throttled_time", lambda: None)
    before = {
        number: signal.signal(number, made.handle) for number in (signal.SIGUSR1, signal.SIGUSR2)
    }
    yield made
    for number, handler in before.items():
        signal.signal(number, handler)


def play(bot: BotSpec, opponent: BotSpec, replays: int = 0) -> tuple[PairResult, list[int]]:
    """Play a pair; return its result, and the number of each game that was begun."""
    job = Job(5, (setup(bot, opponent, 1, EXPRESS), setup(opponent, bot, 1, EXPRESS)), replays)
    begun: list[int] = []

    def follow(pair: int, number: int, loop: GameLoop) -> None:
        assert (pair, loop.game.setup) == (5, job.games[number])
        begun.append(number)

    with closing(BotPool()) as pool:
        return play_pair(job, pool, follow), begun


def once(folder: Path, code: str) -> str:
    """Return shell code that runs other code at the first time only."""
    return f"[ -e {folder}/done ] || {{ : > {folder}/done; {code} }};"


CRASHES = shell_bot("robin", "exit 3")
"""A bot that ends a game quickly: it crashes in its first turn."""


@pytest.mark.parametrize(
    ("control", "code", "seconds", "reason"),
    [
        (TimeControl(10_000), STOP, 11, "was stopped for 11.0 s"),
        (TimeControl(10_000), STOP, 9, ""),
        (TimeControl(10_000), STARVE, 11, "had no core for 11.0 s"),
        (TimeControl(10_000), STARVE, 9, ""),
        (TimeControl(game_ms=60_000), STOP, 1, "was stopped for 1.0 s"),
        (TimeControl(game_ms=60_000), STARVE, 1, ""),
        (TimeControl(), STOP, 20, ""),
    ],
)
def test_game_is_played_again_if_the_referee_missed_when_an_answer_came(
    control: TimeControl, code: str, seconds: int, reason: str, machine: Machine, tmp_path: Path
) -> None:
    """An answer that would be late with the gap cannot count; nor can one on a game clock.

    The clock cannot say how much of a stop the bot has used. A gap without a core is given back.
    """
    tmp_path.chmod(0o777)
    machine.seconds = seconds
    wren = shell_bot("wren", once(tmp_path, code), control=control)
    result, begun = play(wren, CRASHES)
    note = f"the referee {reason} in a turn of wren; the game was played again" if reason else ""
    assert [game.note for game in result.games] == [note] * 2
    assert begun == ([0, 0, 1] if reason else [0, 1])
    assert [game.note for game in result.games] == [note] * 2
    assert [game.replays for game in result.games] == [bool(reason)] * 2
    assert [game.verdict for game in result.games] == [Verdict.CRASH] * 2
    assert [game.bots[game.winner] for game in result.games if game.winner is not None] == [
        "wren",
        "wren",
    ]
    assert result.games[0].plies[0].micros < 900_000


def test_timeout_counts_unless_the_referee_was_stopped_for_a_tenth_of_the_turn(
    machine: Machine, tmp_path: Path
) -> None:
    """A bot that never answers loses in the end, when the referee was not stopped."""
    tmp_path.chmod(0o777)
    machine.seconds = 0.3
    hangs = shell_bot("wren", f"{once(tmp_path, STOP)} read -r more", control=TimeControl(5))
    result, begun = play(hangs, CRASHES)
    assert begun == [0, 0, 1]
    first, second = result.games
    assert first.note.startswith("the referee was stopped for 0.3 s in a turn of wren; the game")
    assert (first.verdict, first.winner, first.replays) == (Verdict.TIMEOUT, 1, 1)
    assert second.verdict is Verdict.CRASH


def test_interruption_does_not_end_a_game_that_is_not_repeated(machine: Machine) -> None:
    """A single game counts as it is."""
    machine.seconds = 20
    game = play_game(setup(shell_bot("wren", STOP), CRASHES, 1, EXPRESS))
    assert (game.verdict, game.winner, game.note) == (Verdict.CRASH, 0, "")
    assert len(game.plies) == 1


def test_pair_with_too_many_interruptions_is_void(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is lowered to one stop; the second one is the last, and both games are void."""
    monkeypatch.setattr(game_loop, "_MOST_STOPPED", 1)
    machine.seconds = 20
    result, begun = play(shell_bot("wren", STOP), CRASHES)
    assert begun == [0, 0, 1]
    note = "the referee was stopped for 20.0 s in a turn of wren, the last of 2 interruptions of"
    for game in result.games:
        assert game.note == f"{note} this pair"
        assert (game.verdict, game.replays) == (Verdict.RUNNER_ERROR, 1)
        assert (game.plies, game.winner, game.faults) == ((), None, ())


def test_pair_is_given_up_after_a_hundred_stops_or_ten_gaps_without_a_core() -> None:
    """These are the numbers of the docstrings; the two kinds are counted apart."""
    stopped = Interruption(Gap(stopped_ns=20_000_000), "wren")
    starved = Interruption(Gap(starved_ns=2_550_000_000), "wren")
    assert not _is_too_often([*[stopped] * 100, *[starved] * 10])
    assert _is_too_often([stopped] * 101)
    assert _is_too_often([starved] * 11)
    assert str(starved) == "the referee had no core for 2.5 s in a turn of wren"
    both = Interruption(Gap(stopped_ns=1_250_000_000, starved_ns=9_000_000_000), "wren")
    assert str(both) == "the referee was stopped for 1.2 s in a turn of wren"


def test_only_a_timeout_that_the_machine_caused_is_a_hindrance() -> None:
    """Of 100 ms the bot waited 20 or 5 for a core; a tenth of the time is enough."""
    blamed = Hindrance(watched=100_000, queued=20_000, stolen=0, pressure=0, cpu=0, opponent=0)
    game = void_game(setup(CRASHES, shell_bot("wren")), "")._replace(verdict=Verdict.TIMEOUT)

    def fail(seat: int, machine: Hindrance | None) -> Game:
        return game._replace(faults=(Fault(seat, Verdict.TIMEOUT, "", machine=machine),))

    fine = [fail(0, None), fail(1, blamed._replace(queued=5_000))]
    assert _find_hindrance(fine) == ""
    assert _find_hindrance([*fine, fail(1, blamed)]) == f"the machine held wren up: {blamed}"
    assert _find_hindrance([fail(0, blamed), fail(1, blamed)]).startswith("the machine held robin")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what the machine did")
@pytest.mark.parametrize(
    ("busy", "replays", "verdict", "repeated", "notes"),
    [(9, 0, "timeout", 0, 0), (9, 1, "runner-error", 1, 2), (1, 2, "timeout", 1, 1)],
)
def test_pair_is_played_again_after_a_timeout_of_the_machine(
    busy: int,
    replays: int,
    verdict: str,
    repeated: int,
    notes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel's figures are simulated: the first bots that hang waited for a core meanwhile."""
    monkeypatch.setattr(waiting, "read_proc", Busy(busy).read)
    # other tests start processes meanwhile, and with many of them the machine is never to blame
    monkeypatch.setattr(bot_processes, "newest_process", lambda: 1)
    monkeypatch.setattr(heartbeat, "_read_account", lambda: (0, 0, 0))  # so it finds no gap
    hangs = shell_bot("wren", "read -r hang", control=TimeControl(60))
    result, begun = play(hangs, CRASHES, replays)
    assert begun == [0, 1] * (repeated + 1)
    for game in result.games:
        parts = game.note.split("; the machine held wren up: in ") if game.note else []
        assert (len(parts), game.replays) == (notes, repeated)
    assert result.games[0].verdict == verdict
    assert result.games[0].note.startswith("the machine held wren up: in ") == bool(notes)
