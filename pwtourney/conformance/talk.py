"""A conversation with a bot that is being checked: every line is ours to choose, and is kept."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.errors import BotFault, IllegalActionError, NotationError
from pwtourney.match import BotSpec
from pwtourney.match.transcript import Transcript
from pwtourney.notation import action_text, position_text, read_action
from pwtourney.process import BotProcess
from pwtourney.protocol import Move, Ready, RunnerSide, decode_line
from pwtourney.rules import Action, Edition, State

__all__ = ["PATIENCE_MS", "Answered", "Talk"]

PATIENCE_MS = 10_000
"""How long an answer is waited for to which the protocol sets no limit."""

_NS = 1_000_000
_PIECE_PAUSE = 0.001
_PIECE = 5
_MOST_PIECES = 200


class Answered(NamedTuple):
    """How long a bot took for one answer, and what it was allowed, in nanoseconds."""

    took_ns: int
    limit_ns: int | None


class Talk:
    """One process of the bot; every method may raise `BotFault`.

    `end` and then `clean_up` must be called in every case.

    `side` is the runner's state machine. `newline` ends the lines that are sent, and with
    `pieces` they are written a few bytes at a time.
    """

    def __init__(self, spec: BotSpec, scratch_root: str | None = None) -> None:
        self.side = RunnerSide()
        self.answers: list[Answered] = []
        self.newline = "\n"
        self.pieces = False
        self._spec = spec
        self._transcript = Transcript()
        self._started = time.monotonic_ns()
        self.start_ns = 0
        self._process = BotProcess(spec.launch, spec.limits, spec.isolation, scratch_root)

    def end(self) -> None:
        """End the process, whatever state it is in."""
        self._process.end(self.side.quit())

    def clean_up(self) -> None:
        """Remove what the bot wrote, once nothing of it is running any more."""
        self._process.clean_up()

    def lines(self) -> Iterator[str]:
        """Yield the last lines that were sent and that came, with milliseconds."""
        return self._transcript.lines()

    def stderr(self) -> list[str]:
        """Return what the bot wrote to its standard error, beginning and end, as lines."""
        return self._process.whole_stderr.splitlines()

    @property
    def exit_text(self) -> str:
        """How the process ended, or that it runs."""
        return self._process.exit_text

    @property
    def idle_ms(self) -> float:
        """Processor time that it used in this game while nothing was asked of it."""
        return self._process.idle_ns / _NS

    def say(self, text: str) -> None:
        """Send text as it is but for the ends of its lines."""
        self._transcript.sent(time.monotonic_ns(), text)
        deadline = time.monotonic_ns() + PATIENCE_MS * _NS
        whole = text.replace("\n", self.newline)
        if not self.pieces:
            self._process.write(whole, deadline)
            return
        size = max(_PIECE, len(whole) // _MOST_PIECES)
        for at in range(0, len(whole), size):
            self._process.write(whole[at : at + size], deadline)
            time.sleep(_PIECE_PAUSE)

    def greet(self) -> None:
        """Shake hands."""
        self.say(self.side.hello())
        self._await_ready(self._started)
        self.start_ns = time.monotonic_ns() - self._started

    def new_game(self, edition: Edition, seat: int, seed: int = 81) -> None:
        """Announce a game and wait until the bot is ready."""
        self.announce(self.side.new_game(edition, seat, seed))

    def announce(self, block: str) -> None:
        """Send the block of a new game, in whatever form, and wait until the bot is ready."""
        self.quiet()
        self._process.new_game()
        self.say(block)
        self._await_ready(time.monotonic_ns())
        self._process.rest()

    def ask(
        self, state: State, limit: Limit, played: tuple[str, ...] = (), before: str = ""
    ) -> Action:
        """Ask for an action and return it, judged; `before` is sent in front of the turn."""
        self.request(state, limit, played, before)
        return self.answer(state, limit)

    def request(
        self, state: State, limit: Limit, played: tuple[str, ...] = (), before: str = ""
    ) -> None:
        """Ask for an action, and leave the answer where it is for now."""
        self.quiet()
        legal = None
        if self.side.wants_legal:
            legal = [action_text(each, state.edition) for each in state.legal_actions()]
        text = self.side.turn(position_text(state.public()), played, legal, limit)
        self._process.begin(time.monotonic_ns(), None)
        self.say(before + text)
        self._asked = time.monotonic_ns()

    def answer(self, state: State, limit: Limit, after: float = 0.0) -> Action:
        """Read the answer to a request and judge it; look away first for so many seconds."""
        allowed = _allowed_ms(limit)
        budget = (PATIENCE_MS if allowed is None else allowed) * _NS
        time.sleep(after)
        try:
            word = self._await(self._asked + budget + int(after * 1e9))
        except BotFault as fault:
            if fault.verdict == "timeout":
                raise BotFault("timeout", f"no answer within {budget // _NS} ms") from fault
            raise
        took = time.monotonic_ns() - self._asked
        self._process.finish()
        if not after:
            self.answers.append(Answered(took, None if allowed is None else budget))
        try:
            return read_action(word, state)
        except NotationError as error:
            raise BotFault("protocol", str(error)) from error
        except IllegalActionError as error:
            raise BotFault("illegal", str(error)) from error

    def quiet(self, seconds: float = 0.0) -> None:
        """Let time pass in which the bot may say nothing but ``info``, and must stay."""
        time.sleep(seconds)
        for raw in self._process.unread():
            self._transcript.came(time.monotonic_ns(), raw)
            self.side.feed(decode_line(raw))
        if seconds and self._process.exits_within(0):
            raise BotFault("crash", f"the process {self.exit_text}")

    def leaves(self, *, farewell: bool) -> None:
        """Ask the bot to go, by ``quit`` or by the end of its input; it must exit in time."""
        if farewell:
            self.say(self.side.quit())
        else:
            self._process.close_input()
        grace = self._spec.limits.end_ms
        if not self._process.exits_within(grace):
            raise BotFault("protocol", f"the process still runs {grace} ms later")

    def _await_ready(self, since: int) -> None:
        limit = self._spec.limits.start_ms
        try:
            self._await(since + limit * _NS)
        except BotFault as fault:
            if fault.verdict == "timeout":
                raise BotFault("timeout", f"no `ready` within {limit} ms") from fault
            raise

    def _await(self, deadline: int) -> str:
        """Read until the bot has answered; return the word after ``move``, empty for ``ready``."""
        while True:
            raw, instant = self._process.read_line(deadline)
            self._transcript.came(instant, raw)
            message = self.side.feed(decode_line(raw))
            if isinstance(message, Move):
                return message.action
            if isinstance(message, Ready):
                return ""


def _allowed_ms(limit: Limit) -> int | None:
    """Return what one answer may take."""
    return limit.mine_ms if limit.move_ms is None else limit.move_ms
