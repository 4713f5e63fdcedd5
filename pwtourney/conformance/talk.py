"""A conversation with a bot that is being checked: every line is ours to choose, and is kept."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.errors import BotFault, ProtocolFault
from pwtourney.match import BotSpec
from pwtourney.match.transcript import Transcript
from pwtourney.process import BotProcess
from pwtourney.protocol import Info, Move, Ready, RunnerSide, decode_line, judge_answer
from pwtourney.protocol.messages import BOT_WORDS
from pwtourney.rules import Action, Edition, State

__all__ = ["PATIENCE_MS", "Answered", "Talk"]

PATIENCE_MS = 10_000
"""How long an answer is waited for to which the protocol sets no limit."""

_NS = 1_000_000
_PIECE_PAUSE = 0.001
_PIECE = 5
_MOST_PIECES = 200
_MOST_IGNORED = 20


class Answered(NamedTuple):
    """How long a bot took for one answer, and what it was allowed, in nanoseconds."""

    took_ns: int
    limit_ns: int | None


class Talk:
    """One process of the bot; every method may raise `BotFault`.

    `end` and then `clean_up` must be called in every case.

    `side` is the runner's state machine, `ignored` holds lines of the bot that nobody knows.
    `newline` ends the lines that are sent, and with `pieces` they are written a few bytes at a
    time.
    """

    def __init__(self, spec: BotSpec, scratch_root: str | None = None) -> None:
        self.side = RunnerSide()
        self.answers: list[Answered] = []
        self.newline = "\n"
        self.pieces = False
        self._spec = spec
        self._started = time.monotonic_ns()
        self._transcript = Transcript(self._started)
        self.start_ns = self._asked = 0
        self.ignored: list[str] = []
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
        return self._process.meter.pondering_ns / _NS

    def say(self, text: str) -> None:
        """Send text as it is but for the ends of its lines."""
        self._transcript.note_sent(time.monotonic_ns(), text)
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

    def announce(self, block: str, pause: float = 0.0) -> None:
        """Send the block of a new game, in whatever form, and wait until the bot is ready.

        With a `pause` its last line is sent so many seconds later.
        """
        self.expect_silence()
        self._process.new_game()
        if pause:
            block = block.removesuffix("end\n")
            self.say(block)
            self.wait_before("end", pause)
            block = "end\n"
        self.say(block)
        self._await_ready(time.monotonic_ns())
        self._process.meter.rest()

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
        self.expect_silence()
        self.put_question(before + self.side.ask(state, played, limit))

    def put_question(self, text: str) -> None:
        """Send the end of a turn, or all of it; its time begins."""
        self._asked = time.monotonic_ns()
        self._process.meter.begin(self._asked, None, None)
        self.say(text)
        if self.pieces:  # it takes us long to write them
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
                late = f"no answer within {budget // _NS} ms{self._instead()}"
                raise fault.retold(late) from fault
            raise
        took = time.monotonic_ns() - self._asked
        self._process.meter.finish()
        if not after:
            self.answers.append(Answered(took, None if allowed is None else budget))
        return judge_answer(word, state)[0]

    def wait_before(self, last: str, seconds: float) -> None:
        """Let time pass before the last line of something; the bot may not answer it by then."""
        time.sleep(seconds)
        for raw in self._process.read_unasked():
            self._transcript.note_received(time.monotonic_ns(), raw)
            line = decode_line(raw)
            if line.partition(" ")[0] in ("ready", "move"):
                told = f"spoke out of turn: {line[:60]!a} before the line {last!r}"
                raise ProtocolFault(told, "turns")

    def expect_silence(self, seconds: float = 0.0) -> None:
        """Let time pass in which the bot may say nothing but ``info``, and must stay."""
        time.sleep(seconds)
        for raw in self._process.read_unasked():
            self._hear(raw, time.monotonic_ns())
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
        for raw in self._process.leftover():
            self._hear(raw, time.monotonic_ns())

    def _await_ready(self, since: int) -> None:
        limit = self._spec.limits.start_ms
        try:
            self._await(since + limit * _NS)
        except BotFault as fault:
            if fault.verdict == "timeout":
                late = f"no `ready` within {limit} ms{self._instead()}"
                raise BotFault("timeout", late, "start-up") from fault
            raise

    def _await(self, deadline: int) -> str:
        """Read until the bot has answered; return the word after ``move``, empty for ``ready``."""
        while True:
            raw, instant = self._process.read_line(deadline)
            message = self._hear(raw, instant)
            if isinstance(message, Move):
                return message.action
            if isinstance(message, Ready):
                return ""

    def _hear(self, raw: bytes, instant: int) -> Ready | Move | Info | None:
        """Take in a line; what nobody knows is ignored, and remembered for its author."""
        self._transcript.note_received(instant, raw)
        line = decode_line(raw)
        message = self.side.feed(line)
        if line and line.partition(" ")[0] not in BOT_WORDS and len(self.ignored) < _MOST_IGNORED:
            self.ignored.append(line[:60])
        return message

    def _instead(self) -> str:
        """Say what came where an answer should have been."""
        if self.ignored:
            return (
                f"; it wrote {self.ignored[-1]!a}, whose first word is unknown, so it was ignored"
            )
        if self._transcript.has_bot_line:
            return ""
        return "; it wrote nothing: does it flush after a line?"


def _allowed_ms(limit: Limit) -> int | None:
    """Return what one answer may take."""
    return limit.mine_ms if limit.move_ms is None else limit.move_ms
