"""The context of a step: conversations with the bot, and what the check knows about it.

A conversation chooses every line that it sends, and records all lines.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from pwtourney.clock import Limit
from pwtourney.errors import BotFault, ProtocolFault, TimeoutFault
from pwtourney.match import BotSpec
from pwtourney.match.causes import explain, explain_unknown_line
from pwtourney.match.transcript import Transcript
from pwtourney.process import BotProcess
from pwtourney.protocol import (
    Info,
    Move,
    Ready,
    RunnerSide,
    decode_line,
    explain_unknown,
    judge_answer,
)
from pwtourney.rules import Action, Edition, State, edition_names, find_edition
from pwtourney.sandbox.orphans import Orphans

__all__ = ["PATIENCE_MS", "AnswerTime", "CheckContext", "NotForThisBot", "Step", "Steps", "Talk"]

PATIENCE_MS = 10_000
"""Milliseconds to wait for an answer to which the protocol sets no limit."""

_EXIT_MS = 5_000
"""Milliseconds to wait for a bot to exit.

A tournament kills it sooner, which costs it nothing. A virtual machine that is still compiling
takes longer to exit on a busy machine, and only a bot that does not want to exit is wrong.
"""

_MS = 1_000_000
_PIECE_PAUSE = 0.001
_PIECE = 5
_MOST_PIECES = 200
_MOST_IGNORED = 20


class NotForThisBot(Exception):
    """A step does not apply to this bot; the text says why."""


class Step(NamedTuple):
    """One requirement on a bot.

    `section` is a heading of ``docs/protocol.md`` and `rule` a sentence below it. `take` runs the
    step; it raises `BotFault` if the bot fails it and `NotForThisBot` if it does not apply. If a
    `vital` step fails, no later step makes sense.
    """

    name: str
    title: str
    section: str
    rule: str
    take: Callable[["CheckContext"], None]
    vital: bool = False


class Steps(list[Step]):
    """Steps in the order of the definitions of the functions decorated with `add`."""

    def add(
        self, name: str, title: str, section: str, rule: str, *, vital: bool = False
    ) -> Callable[[Callable[["CheckContext"], None]], None]:
        """Return a decorator that adds the step which a function runs."""
        return lambda take: self.append(Step(name, title, section, rule, take, vital))


class AnswerTime(NamedTuple):
    """The time that a bot took for one answer, and its limit, in nanoseconds."""

    took_ns: int
    limit_ns: int | None


class CheckContext:
    """The context of a check: the bot, how it is asked, and what was observed.

    `limit` is the time for a move. `games` and `dialogues` are how many are played, generated from
    `seed`. `editions` are those that are played: given, or claimed by the bot, or all that come
    with pwtourney. The bot `plays_all` others, too, if none were given or claimed. `evidence`
    contains the lines of the conversation that failed, and the end of standard error by then.
    `pace` scales the time to exit, and the waiting times in which nothing may happen; 1 suits a
    busy machine.
    """

    def __init__(
        self,
        spec: BotSpec,
        editions: tuple[Edition, ...] = (),
        *,
        move_ms: int = 1000,
        games: int = 50,
        dialogues: int = 20,
        seed: int = 1,
        pace: float = 1.0,
        scratch_root: str | None = None,
    ) -> None:
        self.spec = spec
        self.limit = Limit(move_ms=move_ms)
        self.games = games
        self.dialogues = dialogues
        self.seed = seed
        self.pace = pace
        self.answers: list[AnswerTime] = []
        self.start_ns: list[int] = []
        self.exit_ns: list[int] = []
        self.notices: list[str] = []
        self.evidence: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._given = editions
        self.plays_all = not editions
        self.takes_many_games = False
        # most steps play the first edition, the one that a bot is most likely to know
        names = sorted(edition_names(), key=lambda name: name != "original")
        self._known = tuple(map(find_edition, names))
        self._scratch_root = scratch_root

    @property
    def editions(self) -> tuple[Edition, ...]:
        """The editions that the bot is asked to play, at least one."""
        return self._given or self._known

    @property
    def edition(self) -> Edition:
        """The edition of the steps that need only one."""
        return self.editions[0]

    @property
    def start(self) -> State:
        """The first position of a game of that edition."""
        return State.start(self.edition, 2014)

    @property
    def most_used(self) -> float | None:
        """The largest share of its limit that an answer took; None if no answer had a limit."""
        shares = [answer.took_ns / answer.limit_ns for answer in self.answers if answer.limit_ns]
        return max(shares, default=None)

    def settle(self, claimed: list[str]) -> None:
        """Record the editions that the bot claims; those given must be among them.

        Raises `BotFault` if one is not, or if it claims an edition that does not come with
        pwtourney.
        """
        self.plays_all = not claimed and not self._given
        if not claimed:
            return
        missing = [edition.name for edition in self._given if edition.name not in claimed]
        if missing:
            claims = ", ".join(claimed[:20])[:200]  # a bot may claim any number, of any length
            raise BotFault("start", f"it plays only {claims}, not {missing[0]}", "editions")
        if self._given:
            return
        for name in claimed:
            # `find_edition` also takes a path, and a bot must not make us read a file
            if name not in edition_names():
                raise BotFault(
                    "start",
                    f"it plays {name[:40]!a}, which does not come with pwtourney; name the file of"
                    " the edition with --edition",
                    "editions",
                )
        self._known = tuple(map(find_edition, dict.fromkeys(claimed)))

    @contextmanager
    def talk(self, *, greeted: bool = True) -> Iterator["Talk"]:
        """Start the bot again, and remove all traces of it afterwards."""
        self.evidence = ((), ())
        with ExitStack() as last:
            orphans = Orphans()
            talk = Talk(self.spec, self._scratch_root, exit_ms=int(_EXIT_MS * self.pace))
            # callbacks run from the last to the first: running processes could write files again
            last.callback(talk.clean_up)
            last.callback(self._sweep, orphans)
            last.callback(talk.end)
            try:
                if greeted:
                    talk.greet()
                yield talk
            except BotFault as fault:
                # before the process is ended, which may add messages about that
                self.evidence = talk.evidence
                raise talk.explain(fault) from fault
            self.answers += talk.answers
            self.start_ns += [talk.start_ns] if talk.start_ns else []  # 0 without handshake
            self.exit_ns += [] if talk.exit_ns is None else [talk.exit_ns]
            if talk.ignored:
                notice = f"it writes lines that are ignored, such as {talk.ignored[0]!a}"
                self.notices.append(f"{notice}: write debugging output to standard error")

    def _sweep(self, orphans: Orphans) -> None:
        if orphans.sweep() and not self.spec.isolation.sandbox:  # else its own process
            self.notices.append("it leaves processes behind, which are killed")


class Talk:
    """One process of the bot; every method may raise `BotFault`.

    `end` and then `clean_up` must always be called.

    `side` is the runner's state machine, and `ignored` contains lines of the bot with unknown first
    words. `newline` ends the lines that are sent, and with `pieces` they are written a few bytes at
    a time. The bot must exit within `exit_ms` milliseconds when it is dismissed, or within the
    grace period of its limits, if that is longer.
    """

    def __init__(
        self, spec: BotSpec, scratch_root: str | None = None, *, exit_ms: int = _EXIT_MS
    ) -> None:
        self.side = RunnerSide()
        self.answers: list[AnswerTime] = []
        self.newline = "\n"
        self.pieces = False
        self._spec = spec
        self._exit_ms = max(exit_ms, spec.limits.end_ms)
        self._started = time.monotonic_ns()  # before the process, whose start-up time it measures
        self._transcript = Transcript(self._started)
        self.start_ns = self._asked_ns = 0
        self.exit_ns: int | None = None
        self.ignored: list[str] = []
        self._process = BotProcess(spec.launch, spec.limits, spec.isolation, scratch_root)

    def end(self) -> None:
        """End the process, whatever state it is in."""
        self._process.end(self.side.quit())

    def clean_up(self) -> None:
        """Remove what the bot wrote, once none of its processes runs any more."""
        self._process.clean_up()

    @property
    def evidence(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The last lines sent and received, and those of its standard error."""
        stderr = self._process.whole_stderr.splitlines()
        return tuple(self._transcript.lines()), tuple(stderr)

    def explain(self, fault: BotFault) -> BotFault:
        """Return a fault with its likely cause if the bot's standard error names it."""
        return explain(fault, self._process.whole_stderr)

    @property
    def idle_ms(self) -> float:
        """Processor time, in milliseconds, that the bot used in this game between its turns."""
        return self._process.meter.pondering_ns / _MS

    def say(self, text: str) -> None:
        """Send text unchanged except for the ends of its lines."""
        self._transcript.note_sent(time.monotonic_ns(), text)
        # a bot that does not read makes us wait as well, once the pipe is full
        deadline = time.monotonic_ns() + PATIENCE_MS * _MS
        whole = text.replace("\n", self.newline)
        if not self.pieces:
            self._process.write(whole, deadline)
            return
        # longer pieces for a long text: a line with all legal actions would take seconds
        size = max(_PIECE, len(whole) // _MOST_PIECES)
        for start in range(0, len(whole), size):
            self._process.write(whole[start : start + size], deadline)
            time.sleep(_PIECE_PAUSE)  # or the bot would read several of them at once

    def greet(self) -> None:
        """Do the handshake."""
        self.say(self.side.hello())
        self._await_ready(self._started)
        self.start_ns = time.monotonic_ns() - self._started

    def new_game(self, edition: Edition, seat: int, seed: int = 81) -> None:
        """Announce a game and wait until the bot is ready."""
        self.announce(self.side.new_game(edition, seat, seed))

    def announce(self, block: str, pause: float = 0.0) -> None:
        """Send the block of a new game, in whatever form, and wait until the bot is ready.

        With a `pause` its last line is sent that many seconds later.
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
        self._process.meter.rest()  # what it used to get ready does not count as use while it waits

    def ask(
        self, state: State, limit: Limit, played: tuple[str, ...] = (), before: str = ""
    ) -> Action:
        """Ask for an action and return it, checked; `before` is sent in front of the turn."""
        self.request(state, limit, played, before)
        return self.answer(state, limit)

    def request(
        self, state: State, limit: Limit, played: tuple[str, ...] = (), before: str = ""
    ) -> None:
        """Ask for an action without reading the answer yet."""
        self.expect_silence()
        self.put_question(before + self.side.ask(state, played, limit))

    def put_question(self, text: str) -> None:
        """Send the end of a turn, or all of it; this starts its time."""
        self._asked_ns = time.monotonic_ns()
        self._process.meter.begin(self._asked_ns, None, None)
        self.say(text)
        if self.pieces:  # writing in pieces takes long
            self._asked_ns = time.monotonic_ns()

    def answer(self, state: State, limit: Limit, after: float = 0.0) -> Action:
        """Read the answer to a request and check it; before that, wait `after` seconds."""
        allowed = limit.mine_ms if limit.move_ms is None else limit.move_ms
        budget = (PATIENCE_MS if allowed is None else allowed) * _MS
        time.sleep(after)
        try:
            word = self._await(self._asked_ns + budget + int(after * 1e9))
        except BotFault as fault:
            if isinstance(fault, TimeoutFault):
                late = f"no answer within {budget // _MS} ms{self._describe_silence(fault)}"
                raise fault.reword(late) from fault
            raise
        took = time.monotonic_ns() - self._asked_ns
        self._process.meter.finish()
        if not after:  # else we caused the delay
            self.answers.append(AnswerTime(took, None if allowed is None else budget))
        return judge_answer(word, state)[0]

    def wait_before(self, last: str, seconds: float) -> None:
        """Wait before the last line of a message; the bot may not answer it by then."""
        time.sleep(seconds)
        for raw in self._process.read_unasked():
            self._transcript.note_received(time.monotonic_ns(), raw)
            line = decode_line(raw)
            # parsed here, because `side` considers all lines sent, and would accept the answer
            if line.partition(" ")[0] in ("ready", "move"):
                message = f"spoke out of turn: {line[:60]!a} before the line {last!r}"
                raise ProtocolFault(message, "turns")

    def expect_silence(self, seconds: float = 0.0) -> None:
        """Wait for some seconds in which the bot may send only ``info``, and must not exit."""
        time.sleep(seconds)
        for raw in self._process.read_unasked():
            self._hear(raw, time.monotonic_ns())
        # above, only lines are read: the end of its output is no fault there
        if seconds and self._process.exits_within(0):
            raise BotFault("crash", self._process.exit_text)

    def dismiss(self, *, farewell: bool) -> None:
        """Ask the bot to exit, by ``quit`` or by the end of its input; it must exit in time."""
        began = time.monotonic_ns()
        if farewell:
            self.say(self.side.quit())
        else:
            self._process.close_input()
        if not self._process.exits_within(self._exit_ms):
            raise BotFault("protocol", f"the process still runs {self._exit_ms} ms later")
        self.exit_ns = time.monotonic_ns() - began
        for raw in self._process.leftover():
            self._hear(raw, time.monotonic_ns())

    def _await_ready(self, since: int) -> None:
        limit = self._spec.limits.start_ms
        try:
            self._await(since + limit * _MS)
        except BotFault as fault:
            if isinstance(fault, TimeoutFault):
                late = f"no `ready` within {limit} ms{self._describe_silence(fault)}"
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
        """Process a line; an unknown one is ignored, and remembered for its author."""
        self._transcript.note_received(instant, raw)
        line = decode_line(raw)
        message = self.side.feed(line)
        if explain_unknown(line, "") and len(self.ignored) < _MOST_IGNORED:
            self.ignored.append(line[:60])
        return message

    def _describe_silence(self, fault: TimeoutFault) -> str:
        """Return the likely cause, or what the bot wrote instead of an answer."""
        unknown = (
            explain_unknown(self.ignored[-1], self.side.awaiting or "") if self.ignored else ""
        )
        explained = self.explain(explain_unknown_line(fault, unknown))
        if isinstance(explained, TimeoutFault) and explained.cause:
            return f"; {explained.cause}"
        if self._transcript.has_bot_line:
            return ""
        return "; it wrote nothing: does it flush after a line?"
