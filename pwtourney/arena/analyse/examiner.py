"""The examiner: a process between the server and one bot, which asks the bot for an analysis.

It reads a pickled `Request` from standard input and writes events to standard output, one JSON
object a line. When its input ends, nobody wants the answer any more, and it ends its bot and
itself at once.
"""

import json
import os
import pickle
import signal
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from pwtourney.clock import Clock, TimeControl
from pwtourney.errors import BotFault, PwtourneyError
from pwtourney.match import BotPool, BotSpec, ask_options
from pwtourney.match.analysis import (
    EVALUATION_SEED,
    Evaluation,
    add_swings,
    evaluate_game,
    grade_ply,
    summarize,
)
from pwtourney.notation import action_text, parse_action
from pwtourney.notation.game import Game
from pwtourney.notation.info import parse_pairs, parse_score
from pwtourney.rules import Edition, State
from pwtourney.sandbox.isolation import Wanted
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

_QUIET_NS = 50_000_000
"""The least time between two events of a bot's thoughts, 50 ms; the latest one is passed on."""

_PATIENCE_SECONDS = 2.0
"""The time that a bot has to end before the examiner kills itself."""

_MOST_LINE = 40
_MOST_TEXT = 300


class Request(NamedTuple):
    """A question to a bot, which is named as `pwtourney play` takes it.

    The question is about the position `state`, or about each position of `game`. If both are None,
    the question is which options the bot has. The bot cannot read the folders in `private`.
    """

    bot: str
    edition: Edition
    control: TimeControl = TimeControl()
    options: tuple[tuple[str, str], ...] = ()
    state: State | None = None
    game: Game | None = None
    sandbox: Wanted = "auto"
    trusted: bool = False
    private: tuple[Path, ...] = ()


class _Reporter:
    """Writes events, one a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def tell(self, kind: str, **values: Any) -> None:
        """Write one event and flush it."""
        self._out.write(json.dumps({"kind": kind} | values) + "\n")
        self._out.flush()

    def note(self, text: str) -> None:
        """Write a note about the preparations before the bot thinks."""
        self.tell("note", text=sanitize(text))


class _Thoughts:
    """Passes on what a bot says while it thinks, at most twenty times a second."""

    def __init__(self, state: State, reporter: _Reporter) -> None:
        self._state = state
        self._reporter = reporter
        self._begun = time.monotonic_ns()
        self._told = 0
        self._pending = ""

    def hear(self, info: str) -> None:
        """Store a line of the bot, and pass it on if 50 ms have passed since the last one."""
        self._pending = info
        now = time.monotonic_ns()
        if now - self._told >= _QUIET_NS:
            self._told = now
            self.flush()

    def flush(self) -> None:
        """Pass on the latest line, unless that was done before."""
        if self._pending:
            words = describe_info(self._pending, self._state)
            elapsed = (time.monotonic_ns() - self._begun) // 1_000_000
            self._reporter.tell("info", ms=elapsed, **words)
            self._pending = ""


def describe_info(info: str, state: State) -> dict[str, Any]:
    """Return the parts of a bot's info; ``margin`` is from the view of the first seat.

    ``line`` has the moves that the bot expects, up to the first illegal one.
    """
    pairs = parse_pairs(info)
    score = parse_score(info)
    known = ("depth", "nodes", "score", "line", "text")
    rest = " ".join(f"{word} {pairs[word]}" for word in pairs if word not in known)
    text = " ".join(filter(None, [rest, pairs.get("text", "")])) or ("" if pairs else info)
    return {
        "depth": _read_count(pairs.get("depth", "")),
        "nodes": _read_count(pairs.get("nodes", "")),
        "margin": score if score is None or state.to_move == 0 else -score,
        "line": _read_line(pairs.get("line", ""), state),
        "text": sanitize(text)[:_MOST_TEXT],
    }


def _read_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else None


def _read_line(text: str, state: State) -> list[str]:
    """Return the actions of a line, at most 40, up to the first illegal one."""
    line: list[str] = []
    for word in filter(None, text.split(",")[:_MOST_LINE]):
        try:
            action = parse_action(word, state.edition)
            state = state.apply(action)
        except PwtourneyError:
            break
        line.append(action_text(action, state.edition))
    return line


def main() -> None:
    """Answer the request on standard input."""
    reporter = _Reporter(sys.stdout)
    raise_interrupts(even_ignored=(signal.SIGTERM,))  # `_watch_input` stops us with SIGTERM
    over = threading.Event()
    try:
        request: Request = pickle.load(sys.stdin.buffer)
        threading.Thread(target=_watch_input, args=(over,), daemon=True).start()
        _answer(request, reporter)
    except BotFault as fault:
        reporter.tell("fault", verdict=str(fault.verdict), text=sanitize(str(fault)))
    except PwtourneyError as error:
        reporter.tell("fault", verdict="", text=sanitize(str(error)))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        os._exit(1)  # the bot has ended, and nobody reads our output
    over.set()
    reporter.tell("end")


def _watch_input(over: threading.Event) -> None:
    """Wait for the end of standard input; then interrupt the main thread with SIGTERM.

    If `over` is not set within 2 seconds, kill this process.
    """
    # os.read, not sys.stdin.read: this thread would hold its lock when the interpreter shuts down
    while os.read(0, 1 << 16):
        pass
    if over.is_set():
        return
    os.kill(os.getpid(), signal.SIGTERM)
    # A bot that does not end is killed with us: every sandbox ends with its parent.
    if not over.wait(_PATIENCE_SECONDS):
        os.kill(os.getpid(), signal.SIGKILL)


def _answer(request: Request, reporter: _Reporter) -> None:
    tell = reporter.note
    with BotRoom(request.private, tell=tell, warn=tell, groups=False) as room:
        (spec,) = seat_bots(
            room, [request.bot], request.control, request.sandbox, trusted=request.trusted
        )
        limits = spec.limits._replace(move_ms=MOST_MS)
        spec = spec._replace(options=request.options, limits=limits)
        if request.state is None and request.game is None:
            _tell_options(spec, reporter)
            return
        with closing(BotPool(room.scratch)) as pool:
            if request.game is not None:
                _ask_of_game(request.game, request.edition, spec, pool, reporter)
            elif request.state is not None:
                _ask_of_position(request.state, spec, pool, reporter)


def _tell_options(spec: BotSpec, reporter: _Reporter) -> None:
    """Write the options of the bot that limit how much it thinks."""
    limits = [
        {
            "name": option.name,
            "default": option.default,
            "least": option.allowed[0] if option.allowed else "0",
            "most": option.allowed[1] if option.allowed else "",
        }
        for option in ask_options(spec).values()
        if option.kind == "int" and option.name in LIMIT_OPTIONS
    ]
    reporter.tell("options", limits=limits)


def _ask_of_position(state: State, spec: BotSpec, pool: BotPool, reporter: _Reporter) -> None:
    """Ask for an action, and pass on the bot's info lines until it answers."""
    pool.open_game()
    seated = []
    try:
        conversation = pool.take(spec, state.edition)
        seated.append(conversation)
        conversation.new_game(state.edition, state.to_move, EVALUATION_SEED)
        reporter.tell("begin")
        thoughts = _Thoughts(state, reporter)
        conversation.hear = thoughts.hear
        clock = Clock.start((spec.control, spec.control))
        answer = conversation.turn(state, (), clock, state.to_move)
        thoughts.flush()
        reporter.tell("answer", action=answer.ply.action, ms=answer.wall_ns // 1_000_000)
    finally:
        pool.close_game(seated, failed=True)


def _ask_of_game(
    game: Game, edition: Edition, spec: BotSpec, pool: BotPool, reporter: _Reporter
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
        evaluations = add_swings(done, game)
        plies = [each._asdict() | {"grade": grade_ply(each)} for each in evaluations]
        players = [each._asdict() for each in summarize(evaluations)]
        reporter.tell("swings", plies=plies, players=players)


if __name__ == "__main__":
    main()
