"""Compares a ply with a bare loop that only writes, waits and reads, in the same run.

The bare loop sends two bots in C the precomputed requests of a whole game, waits for a line until a
deadline, and ignores the answer; the referee plays the same game with two such bots. Both are
measured from the first request to the last answer, in turn. The fastest game of each counts, which
other machines on the same hardware disturbed least.
"""

import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from pwtourney.clock import Limit, TimeControl
from pwtourney.match import BotPool, BotSpec, GameLoop, GameSetup, PlayedGame, play_game
from pwtourney.notation import read_action
from pwtourney.notation.game import Game
from pwtourney.protocol import RunnerSide
from pwtourney.rules import State, deal, find_edition
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch

__all__ = ["BareLoop", "fastest", "instant_bot", "list_requests", "one_core", "rows", "setup_of"]

_GAMES = 600
_MOVE_MS = 1000
_TOOLS = "fastchess 4.6, c-chess-cli 1.5"


def rows() -> list[tuple[str, str, str]]:
    """Return measurement, value and target; all on one core, with bots in C."""
    if shutil.which("cc") is None:
        return [("a ply", "needs a C compiler (cc)", "")]
    with one_core(), instant_bot() as bot, ExitStack() as last:
        setup = setup_of(bot, Isolation())
        game = play_game(setup)
        bare = last.enter_context(closing(BareLoop(bot, list_requests(game, setup))))
        pool = last.enter_context(closing(BotPool()))
        plain, ply = 1.0, 1.0
        for _ in range(_GAMES):
            plain = min(plain, bare.play())
            ply = min(ply, _play(setup, pool))
    return [
        ("a bare loop: write, poll with a deadline, read", f"{plain * 1e6:.1f} µs", ""),
        ("a ply of a game", f"{ply / plain:.1f} times that", f"at most 2 ({_TOOLS})"),
    ]


@contextmanager
def one_core() -> Iterator[None]:
    """Pin this process and its children to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def instant_bot() -> Iterator[Path]:
    """Compile a bot that answers immediately; yield its path during the block."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        bot = Path(folder) / "instant"
        source = Path(__file__).parent / "instant.c"
        subprocess.run(["cc", "-O2", "-w", "-o", bot, source], check=True)
        yield bot


def setup_of(bot: Path, isolation: Isolation, processes: str = "persistent") -> GameSetup:
    """Return a game of a bot against itself, with this `processes` setting."""
    edition = find_edition("original")
    launch = Launch((str(bot),), read_paths=(str(bot.parent),))
    spec = BotSpec(
        "one",
        launch,
        (),
        TimeControl(_MOVE_MS),
        isolation=isolation,
        persistent=processes == "persistent",
        forked=processes == "forked",
    )
    return GameSetup((spec, spec._replace(id="two")), edition, deal(edition, 1), (1, 2))


def fastest(bot: Path, isolation: Isolation) -> float:
    """Return the seconds per ply in the fastest of some games."""
    setup = setup_of(bot, isolation)
    with closing(BotPool()) as pool:
        return min(_play(setup, pool) for _ in range(_GAMES))


def _play(setup: GameSetup, pool: BotPool) -> float:
    """Return the seconds per ply in one game, from when the bots are ready to the last ply."""
    game = PlayedGame(setup)
    loop = GameLoop(game)
    pool.open_game()
    with ExitStack() as last:
        last.callback(loop.leave, pool)
        loop.seat_bots(pool)
        began = time.perf_counter()
        loop.play_on()
        ended = time.perf_counter()
        loop.conclude()
    assert not game.faults, game.faults
    return (ended - began) / len(game.plies)


class _Pipes(NamedTuple):
    process: subprocess.Popen[bytes]
    writer: int
    reader: int
    poll: select.poll


class BareLoop:
    """Two processes of a program, and the requests of a game: the seat to move and the text.

    Each request must be answered with one line.
    """

    def __init__(self, program: Path, requests: Sequence[tuple[int, bytes]]) -> None:
        self._seats = [_pipes(program), _pipes(program)]
        self._requests = requests

    def play(self) -> float:
        """Return the mean seconds from a request to its answer, in one game."""
        started = time.perf_counter()
        for seat, request in self._requests:
            _, writer, reader, poll = self._seats[seat]
            deadline = time.monotonic_ns() + _MOVE_MS * 1_000_000
            os.write(writer, request)
            answer = b""
            while not answer.endswith(b"\n"):
                poll.poll((deadline - time.monotonic_ns()) // 1_000_000)
                answer += os.read(reader, 65536)
        return (time.perf_counter() - started) / len(self._requests)

    def close(self) -> None:
        """End both processes."""
        for process, *_ in self._seats:
            process.communicate()


def _pipes(program: Path) -> _Pipes:
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    return _Pipes(process, process.stdin.fileno(), process.stdout.fileno(), poll)


def list_requests(game: Game, setup: GameSetup) -> list[tuple[int, bytes]]:
    """Return the seat to move and its request, for each ply of a game."""
    state, played = State.start(setup.edition, setup.deal), ""
    requests = []
    for ply in game.plies:
        request = RunnerSide().ask(state, [played] if played else [], Limit(_MOVE_MS))
        requests.append((ply.seat, request.encode()))
        state, played = state.apply(read_action(ply.action, state)), ply.action
    return requests
