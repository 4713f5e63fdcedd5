"""The program in which one bot is asked: a process of its own, between the server and the bot.

It reads a `Request`, pickled, from standard input, and writes what happens to standard output, a
JSON object on each line. When its input ends nobody wants the answer any more: it ends its bot and
itself, at once.
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
"""What starts this program."""

MOST_MS = 600_000
"""The longest that a bot is asked about one position, whatever limits it."""

LIMIT_OPTIONS = ("nodes", "iterations", "playouts", "simulations", "visits", "depth")
"""Options of whole numbers that limit how much a bot thinks, by the names that bots give them."""

_QUIET_NS = 50_000_000
"""A bot may say more than anybody reads: what it says within this time is left out but the last."""

_PATIENCE_SECONDS = 2.0
"""How long a bot may take to be gone."""

_MOST_LINE = 40
_MOST_TEXT = 300


class Request(NamedTuple):
    """What is asked of a bot, which is named as `pwtourney play` takes it.

    About one position `state`, or about each of a `game`; with neither, which options it has. It
    can read none of the folders that are `private`.
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
    """Writes what happens, a line each."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def tell(self, kind: str, **values: Any) -> None:
        """Write one line; nobody who reads it is no reason to fail."""
        self._out.write(json.dumps({"kind": kind} | values) + "\n")
        self._out.flush()

    def note(self, text: str) -> None:
        """Write what goes on before the bot thinks."""
        self.tell("note", text=sanitize(text))


class _Thoughts:
    """What a bot says while it thinks, at most twenty times a second."""

    def __init__(self, state: State, reporter: _Reporter) -> None:
        self._state = state
        self._reporter = reporter
        self._begun = time.monotonic_ns()
        self._told = 0
        self._pending = ""

    def hear(self, info: str) -> None:
        """Take a line of the bot, and pass it on unless it follows too soon."""
        self._pending = info
        now = time.monotonic_ns()
        if now - self._told >= _QUIET_NS:
            self._told = now
            self.flush()

    def flush(self) -> None:
        """Pass on what was said last."""
        if self._pending:
            words = describe_info(self._pending, self._state)
            elapsed = (time.monotonic_ns() - self._begun) // 1_000_000
            self._reporter.tell("info", ms=elapsed, **words)
            self._pending = ""


def describe_info(info: str, state: State) -> dict[str, Any]:
    """Return what a bot has said, in parts; the margin is that of the first seat.

    ``line`` is what it expects to be played, as far as that is legal.
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
    """Return the actions of a line up to the first that cannot be played."""
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
    raise_interrupts(even_ignored=(signal.SIGTERM,))  # by which `_watch_input` stops us
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
        os._exit(1)  # the bot is gone, and nobody listens
    over.set()
    reporter.tell("end")


def _watch_input(over: threading.Event) -> None:
    """Wait until nobody wants the answer any more; then stop the thread that asks."""
    while os.read(0, 1 << 16):  # not the file: its lock would be held when the program ends
        pass
    if over.is_set():
        return
    os.kill(os.getpid(), signal.SIGTERM)
    # A bot that is in the way of its own end goes with us: every sandbox ends with its parent.
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
    """Say by which options the bot can be limited."""
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
    """Ask for an action, and pass on what the bot says until it answers."""
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
    """Ask about each position of a game, and say at the end what each ply changed.

    That is said of what was evaluated even if the bot fails.
    """
    done: list[Evaluation] = []
    reporter.tell("begin")
    try:
        for evaluation in evaluate_game(game, edition, spec, pool):
            done.append(evaluation)
            reporter.tell("evaluation", **evaluation._asdict())
    finally:
        plies = [each._asdict() | {"grade": grade_ply(each)} for each in add_swings(done, game)]
        reporter.tell("swings", plies=plies)


if __name__ == "__main__":
    main()
