"""The examiner: a process between the server and one bot, which asks the bot for an analysis.

It reads a pickled `Request` from standard input and writes events to standard output, one JSON
object a line. When its input ends, nobody wants its bot to think on. A bot that thinks endlessly
then gets ``stop``, and its answer is the last event but one. Other bots, and the examiner, end at
once.
"""

import os
import pickle
import signal
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pwtourney.arena.analyse.thoughts import Reporter, Thoughts
from pwtourney.clock import Clock, TimeControl
from pwtourney.constants import SandboxChoice
from pwtourney.errors import BotFault, PwtourneyError
from pwtourney.match import BotPool, BotSpec, ask_introduction
from pwtourney.match.analysis import (
    EVALUATION_SEED,
    LATE_MS,
    Evaluation,
    add_swings,
    analysis_data,
    evaluate_game,
)
from pwtourney.notation.game import Game
from pwtourney.protocol import FEATURES, Query
from pwtourney.rules import Edition, State
from pwtourney.sanitize import sanitize
from pwtourney.signals import raise_interrupts
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = ["COMMAND", "LIMIT_OPTIONS", "MOST_MS", "Request", "main"]

COMMAND = (sys.executable, "-P", "-m", "pwtourney.arena.analyse.examiner")
"""The command that starts this program."""

MOST_MS = 600_000
"""The most milliseconds that a bot may think about one position, whatever its own limit."""

LIMIT_OPTIONS = ("nodes", "iterations", "playouts", "simulations", "visits", "depth")
"""The usual names of integer options that limit how much a bot thinks."""

_STOP_SECONDS = 2.0
"""The time that a bot has to answer and end after ``stop``.

The protocol allows a second for the answer.
"""

_PATIENCE_SECONDS = 2.0
"""The time that a bot has to end before the examiner kills itself."""


class Request(NamedTuple):
    """A question to a bot, which is named as `pwtourney play` takes it.

    The question is about the position `state`, or about each position of `game`. If both are None,
    the question is which options and features the bot has. The bot cannot read the folders in
    `private`.

    About a position, the bot is asked for `lines` lines of play, and for a choice among the actions
    `only`, if there are any. An `endless` question has no time limit for a bot that knows ``stop``.
    """

    bot: str
    edition: Edition
    control: TimeControl = TimeControl()
    options: tuple[tuple[str, str], ...] = ()
    state: State | None = None
    game: Game | None = None
    sandbox: SandboxChoice = "auto"
    trusted: bool = False
    private: tuple[Path, ...] = ()
    lines: int = 1
    only: tuple[str, ...] = ()
    endless: bool = False

    @property
    def query(self) -> Query:
        """The wishes of the analysis that are sent to the bot with the position."""
        return Query(self.lines, self.only, self.endless)


class Ending:
    """The state of an examiner's end, which its main thread shares with the watcher of its input.

    `over` is set when the main thread has ended its bot, and `stop` when the input has ended. The
    main thread then `ends_soon` if its bot knows ``stop``, or has answered already.
    """

    def __init__(self) -> None:
        self.over = threading.Event()
        self.stop = threading.Event()
        self.ends_soon = False


def main() -> None:
    """Answer the request on standard input."""
    reporter = Reporter(sys.stdout)
    raise_interrupts(even_ignored=(signal.SIGTERM,))  # `_watch_input` stops us with SIGTERM
    ending = Ending()
    try:
        request: Request = pickle.load(sys.stdin.buffer)
        threading.Thread(target=_watch_input, args=(ending,), daemon=True).start()
        _answer(request, reporter, ending)
    except BotFault as fault:
        reporter.tell("fault", verdict=str(fault.verdict), text=sanitize(str(fault)))
    except PwtourneyError as error:
        reporter.tell("fault", verdict="", text=sanitize(str(error)))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        os._exit(1)  # the bot has ended, and nobody reads our output
    except Exception:
        # pydantic wraps an interrupt in an error of its own if it comes during an import
        if not ending.stop.is_set():
            raise
        os._exit(1)
    ending.over.set()
    reporter.tell("end")


def _watch_input(ending: Ending) -> None:
    """Wait for the end of standard input; then end the question.

    The main thread has 2 seconds if it ends soon by itself; then, or otherwise at once, it is
    interrupted with SIGTERM. If it has not ended after another 2 seconds, this process is killed.
    """
    # os.read, not sys.stdin.read: this thread would hold its lock when the interpreter shuts down
    while os.read(0, 1 << 16):
        pass
    ending.stop.set()
    if ending.over.wait(_STOP_SECONDS if ending.ends_soon else 0):
        return
    os.kill(os.getpid(), signal.SIGTERM)
    # A bot that does not end is killed with us: every sandbox ends with its parent.
    if not ending.over.wait(_PATIENCE_SECONDS):
        os.kill(os.getpid(), signal.SIGKILL)


def _answer(request: Request, reporter: Reporter, ending: Ending) -> None:
    tell = reporter.note
    with BotRoom(request.private, tell=tell, warn=tell, groups=False) as room:
        (spec,) = seat_bots(
            room, [request.bot], request.control, request.sandbox, trusted=request.trusted
        )
        limits = spec.limits._replace(move_ms=MOST_MS)
        spec = spec._replace(options=request.options, limits=limits)
        if request.state is None and request.game is None:
            _tell_introduction(spec, reporter)
            return
        with closing(BotPool(room.scratch)) as pool:
            if request.game is not None:
                _ask_of_game(request.game, request.edition, spec, pool, reporter)
            elif request.state is not None:
                query = request.query
                _ask_of_position(request.state, query, spec, pool, reporter, ending)


def _tell_introduction(spec: BotSpec, reporter: Reporter) -> None:
    """Write the options of the bot that limit how much it thinks, and its features."""
    options, features = ask_introduction(spec)
    limits = [
        {
            "name": option.name,
            "default": option.default,
            "least": option.allowed[0] if option.allowed else "0",
            "most": option.allowed[1] if option.allowed else "",
        }
        for option in options.values()
        if option.kind == "int" and option.name in LIMIT_OPTIONS
    ]
    known = [feature for feature in FEATURES if feature in features]
    reporter.tell("options", limits=limits, features=known)


def _ask_of_position(
    state: State,
    query: Query,
    spec: BotSpec,
    pool: BotPool,
    reporter: Reporter,
    ending: Ending,
) -> None:
    """Ask for an action, and pass on the bot's info lines until it answers."""
    pool.open_game()
    seated = []
    try:
        conversation = pool.take(spec, state.edition)
        seated.append(conversation)
        conversation.new_game(state.edition, state.to_move, EVALUATION_SEED)
        reporter.tell("begin")
        thoughts = Thoughts(state, reporter, query.lines)
        conversation.hear = thoughts.hear

        def attend() -> bool:
            thoughts.flush_if_due()
            return ending.stop.is_set()

        ending.ends_soon = query.endless and "stop" in conversation.features
        clock = Clock.start((spec.control, spec.control), LATE_MS)
        answer = conversation.explore(state, query, clock, attend)
        thoughts.flush()
        ending.ends_soon = True
        reporter.tell("answer", action=answer.ply.action, ms=answer.wall_ns // 1_000_000)
    finally:
        pool.close_game(seated, failed=True)


def _ask_of_game(
    game: Game, edition: Edition, spec: BotSpec, pool: BotPool, reporter: Reporter
) -> None:
    """Ask about each position of a game, and write the swing and grade of each ply at the end.

    If the bot fails, the plies that it has evaluated are still written.
    """
    done: list[Evaluation] = []
    reporter.tell("begin")
    try:
        for evaluation in evaluate_game(game, edition, spec, pool):
            done.append(evaluation)
            reporter.tell("evaluation", **evaluation._asdict())
    finally:
        reporter.tell("swings", **analysis_data(add_swings(done, game)))


if __name__ == "__main__":
    main()
