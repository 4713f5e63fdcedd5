"""One bot in one game: combines the protocol's state machine with the bot's process."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

from pwtourney.clock import Allowance, Clock, Limit, TimeControl
from pwtourney.errors import BotFault, TimeoutFault
from pwtourney.match.causes import explain, explain_unknown_line
from pwtourney.match.job import MAX_MESSAGE, BotSpec
from pwtourney.match.transcript import Transcript
from pwtourney.notation import action_text
from pwtourney.notation.game import Fault, Ply, Usage, Verdict
from pwtourney.notation.info import parse_rank
from pwtourney.process import BotProcess
from pwtourney.process.child import StopRequested, thinks_on
from pwtourney.process.heartbeat import Gap
from pwtourney.process.starting import StartedProcess
from pwtourney.protocol import (
    Info,
    Move,
    Option,
    Query,
    Ready,
    RunnerSide,
    decode_line,
    explain_unknown,
    judge_answer,
)
from pwtourney.rules import Edition, State

__all__ = ["Answer", "Conversation", "Interruption", "find_option_problems"]

_make = tuple.__new__
_NS = 1_000_000
_MAX_INFO = 1000
_MOST_INFOS = 100
_MOST_INFO_BYTES = 32 * 1024
"""The most bytes of info that are stored of a bot in one game, as UTF-8.

Readers of a page load them. A search that reports depth, nodes, score and line needs a tenth.
"""

_STOP_MS = 1000
"""The time that a bot has to answer after ``stop``, in milliseconds."""

_SECOND_MS = 200
"""The time to wait for a second answer after one that cannot be played, in milliseconds."""

_SHARE = 10
"""A pause of the referee explains a timeout if it took at least a tenth of the turn."""


class Answer(NamedTuple):
    """A bot's answer in its turn: the position after it, the ply, and the time in nanoseconds.

    `infos` are the last info lines that it sent in this turn.
    """

    after: State
    ply: Ply
    wall_ns: int
    cpu_ns: int
    infos: tuple[str, ...] = ()


class Interruption(NamedTuple):
    """A gap in which the referee did not run during a turn of a bot."""

    gap: Gap
    bot: str

    def __str__(self) -> str:
        what = "was stopped" if self.gap.stopped_ns else "had no core"
        seconds = (self.gap.stopped_ns or self.gap.starved_ns) / 1e9
        return f"the referee {what} for {seconds:.1f} s in a turn of {self.bot}"


class Conversation:
    """Starts a bot and talks to it; every method may raise `BotFault`.

    Always call `end` and then `clean_up`. If `traffic` is given, all lines are written to that
    file, and standard error to a file next to it. `start` may return a process that was already
    started for the bot; if it returns None, a new one is started here.
    """

    def __init__(
        self,
        bot: BotSpec,
        scratch_root: str | None = None,
        traffic: Path | None = None,
        start: Callable[[], StartedProcess | None] = lambda: None,
    ) -> None:
        self.spec = bot
        self._side = RunnerSide()
        self._started = time.monotonic_ns()
        self._process = BotProcess(bot.launch, bot.limits, bot.isolation, scratch_root, start())
        # Not earlier: loading a template is our own work, and the meter, which finds gaps in the
        # referee's time, begins with the process.
        self._runs_since = time.monotonic_ns()
        self._traffic = traffic
        self._transcript = Transcript(self._started, traffic)
        self._greeted = False
        self._asked_ns = 0
        self._clock: Clock | None = None
        self._limit, self._allowance = Limit(), Allowance(None, None)
        self._is_endless = self._was_stopped = False
        self._infos: deque[str] = deque(maxlen=_MOST_INFOS)
        self._info_room = _MOST_INFO_BYTES
        self._start_ns = 0
        self.interruption: Interruption | None = None
        """The gap in which the referee missed a turn, so that this game does not count; or None."""
        self.hear: Callable[[str], object] = _ignore
        """Called with each ``info`` as it arrives, to show what a bot thinks."""

    @property
    def pid(self) -> int:
        """The process id of the bot."""
        return self._process.pid

    @property
    def asked_ns(self) -> int:
        """The time of the last request, in ns of the monotonic clock; 0 before it and while paused.

        Time that was given back to the bot is added, as if the request had been sent that much
        later.
        """
        meter = self._process.meter
        return 0 if meter.stands_still else self._asked_ns + meter.given_back_ns

    @property
    def said(self) -> str:
        """The last info about its best line since its last request; empty if there is none."""
        return next((info for info in reversed(self._infos) if parse_rank(info) == 1), "")

    def is_single(self) -> bool:
        """Return True if the bot is one process; it stays true until one starts on the machine."""
        return self._process.meter.is_single()

    @property
    def features(self) -> frozenset[str]:
        """The features that the bot declared in the handshake, for an analysis."""
        return frozenset(self._side.features)

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that the bot offered in the handshake, by name."""
        return self._side.options

    def greet(self) -> None:
        """Shake hands and set the options; any problem is a failed start."""
        deadline = self._runs_since + self.spec.limits.start_ms * _NS
        try:
            self._say(self._side.hello(), deadline)
            self._await(deadline)
            for problem in find_option_problems(self.spec, self.options):
                raise BotFault("start", problem)
            for name, value in self.spec.options:
                self._say(self._side.set_option(name, value), deadline)
        except BotFault as fault:
            message = str(explain(fault, self._process.whole_stderr))
            # A bot that cannot start usually prints the reason in its last line.
            *_, last = ("", *self._process.stderr.strip().splitlines())
            more = f": {last}" if last and message == str(fault) else ""
            raise BotFault("start", f"{message}{more}") from fault
        self._greeted = True

    def new_game(self, edition: Edition, seat: int, seed: int) -> None:
        """Announce a game and wait until the bot is ready; greet it first if it is new."""
        if not self._greeted:
            self.greet()
        else:
            self._started = 0  # it was running before, so there is no start time to measure
        self._clock = None
        self._info_room = _MOST_INFO_BYTES
        self.interruption = None
        played = self._side.editions
        if played and edition.name not in played:
            claimed = ", ".join(islice(played, 20))
            raise BotFault("start", f"the bot plays only {claimed}, not {edition.name}")
        # Lines that it sent between two games belong to neither, and must not count in the next.
        self._log_unasked(self._process.read_unasked())
        self._process.new_game()
        deadline = time.monotonic_ns() + self.spec.limits.start_ms * _NS
        try:
            self._say(self._side.new_game(edition, seat, seed), deadline)
            _, ready = self._await(deadline)
        except BotFault as fault:
            self._raise_explained(fault)
        self._start_ns = ready - self._started if self._started else 0
        self._process.meter.rest()

    def sit_opposite(self, opponent: "Conversation") -> None:
        """Connect this bot with its opponent, to account for CPU time in each other's turns."""
        self._process.meter.opponent = opponent._process.meter

    def turn(self, state: State, played: Sequence[str], clock: Clock, seat: int) -> Answer:
        """Ask for an action in a position and judge the answer."""
        if clock is not self._clock:  # the same object if each move has its own time
            self._set_clock(clock, seat)
        request = self._side.ask(state, played, self._limit)
        process, infos = self._process, self._infos
        meter = process.meter
        unread = process.read_unasked()
        if unread:
            self._log_unasked(unread)
        if infos:
            infos.clear()
        budget, cpu_budget = self._allowance
        meter.begin(time.monotonic_ns(), budget, cpu_budget)
        # Read the clock again: to wake the bot and to read its CPU time took time that is not its
        # own.
        sent_at = self._asked_ns = time.monotonic_ns()
        deadline = None if budget is None else sent_at + budget
        self._transcript.note((sent_at, ">", request))
        try:
            process.write(request, deadline)
            text, instant = self._await(deadline)
        except BotFault as fault:
            stopped = meter.gap.stopped_ns
            if stopped and fault.verdict == Verdict.TIMEOUT and stopped * _SHARE >= (budget or 0):
                self.interruption = Interruption(meter.gap, self.spec.id)
            self._raise_explained(fault)
        if meter.gap.total_ns:
            self._judge_gap(meter.gap, instant, deadline, clock.controls[seat])
        # not below 0: the time given back may have passed while the bot was being woken
        wall, cpu = instant - sent_at, meter.finish()
        if wall < 0:
            wall = 0
        try:
            action, after = judge_answer(text, state)  # checked in our time, not the bot's
        except BotFault as fault:
            self._raise_unplayable(fault)
        canonical = action_text(action, state.edition)
        info = self._keep_info() if infos else ""
        # the constructors of named tuples take several times as long, and this runs on every ply
        ply = _make(Ply, (seat, canonical, wall // 1000, cpu // 1000, info))
        return _make(Answer, (after, ply, wall, cpu, tuple(infos) if infos else ()))

    def _keep_info(self) -> str:
        """Return what is stored of the info of this turn, as far as the game has room for it."""
        kept = self.said.encode("utf-8", "replace")[: self._info_room]
        self._info_room -= len(kept)
        return kept.decode("utf-8", "ignore")  # a character that is cut leaves

    def explore(
        self,
        state: State,
        query: Query,
        clock: Clock,
        attend: Callable[[], bool] = thinks_on,
    ) -> Answer:
        """Ask for an action in a position, and for more than that if the bot has the features.

        A bot that does not know ``stop`` is asked with the clock, also if the query is endless.
        `attend` is called about every 50 ms while the bot thinks. Once it returns True, a bot that
        thinks endlessly gets ``stop`` and has a second to answer; others think on.
        """
        side, process = self._side, self._process
        only = query.only if "searchmoves" in side.features else ()
        self._refine(query)
        process.attend = attend if self._is_endless else lambda: attend() and False
        try:
            answer = self.turn(state, (), clock, state.to_move)
        except StopRequested:
            message = "did not read its question before it was stopped"
            raise BotFault(Verdict.TIMEOUT, message) from None
        except BotFault as fault:
            if not self._was_stopped or fault.verdict != Verdict.TIMEOUT:
                raise
            raise fault.reword(f"did not answer within {_STOP_MS} ms of `stop`") from fault
        finally:
            process.attend = thinks_on
            self._refine(Query())
        if only and answer.ply.action not in only:
            message = f"{answer.ply.action} is not one of the actions of `searchmoves`"
            raise BotFault(Verdict.ILLEGAL, message)
        return answer

    def _refine(self, query: Query) -> None:
        """Set what the following requests ask for in addition to an action."""
        self._side.refine(query)
        self._is_endless = query.endless and "stop" in self._side.features
        self._was_stopped = False
        self._clock = None  # its limit depends on the query

    def _stop(self) -> int:
        """Tell the bot to stop, and return the deadline for its answer."""
        self._was_stopped, self._process.attend = True, thinks_on
        # what was given back so far in this turn does not extend the second
        now = time.monotonic_ns() - self._process.meter.given_back_ns
        deadline = now + _STOP_MS * _NS
        self._say(self._side.stop(), deadline)
        return deadline

    def _judge_gap(
        self, gap: Gap, instant: int, deadline: int | None, control: TimeControl
    ) -> None:
        """Mark the turn as interrupted if an answer after a gap of the referee cannot count.

        `instant` excludes the gap, which the bot may have used; when it answered is unknown. The
        answer counts only if it was in time even with the gap, and if no game clock loses time by
        it.
        """
        was_late = deadline is not None and instant + gap.total_ns > deadline
        if was_late or (gap.stopped_ns and control.game_ms is not None):
            self.interruption = Interruption(gap, self.spec.id)

    def _set_clock(self, clock: Clock, seat: int) -> None:
        """Compute the time limit that this seat's bot is sent, and the budget of its turn."""
        self._clock = clock
        if self._is_endless:
            self._limit, self._allowance = Limit(infinite=True), Allowance(None, None)
            return
        self._limit = clock.limit(seat)
        budget, cpu_budget = clock.allowance(seat)
        most = self.spec.limits.move_ms
        if most is not None:
            budget = most * _NS if budget is None else min(budget, most * _NS)
        self._allowance = Allowance(budget, cpu_budget)

    def game_over(self, mine: int, theirs: int, result: str) -> None:
        """Send the result of the game; the bot need not answer, nor even be alive."""
        with suppress(BotFault):  # the deadline is now: do not wait for a bot that does not read
            self._say(self._side.game_over(mine, theirs, result), time.monotonic_ns())

    def usage(self) -> Usage:
        """Return the resources that the bot has used in this game."""
        process = self._process
        process.meter.settle(time.monotonic_ns())  # CPU time since its last turn
        return Usage(
            start=self._start_ns // 1000,
            pondering=process.meter.pondering_ns // 1000,
            peak=process.meter.peak() // 1024,
            received=process.bytes_in,
            written=process.bytes_out,
            stderr=process.stderr_bytes,
        )

    def fault(self, seat: int, fault: BotFault) -> Fault:
        """Return the record of a fault, with all that the bot's author may want to know."""
        message = str(fault)[:MAX_MESSAGE]
        machine = self._process.meter.hindrance
        stderr = self._process.stderr
        log = "\n".join(self._log_lines())
        return Fault(seat, Verdict(fault.verdict), message, stderr, machine, log)

    def end(self) -> None:
        """Let the bot quit, and make sure that its processes have ended."""
        if self._traffic is not None:  # a traffic file should be complete
            for raw in self._process.leftover():
                self._transcript.note_received(time.monotonic_ns(), raw)
            self._transcript.note_sent(time.monotonic_ns(), self._side.quit())
        self._process.end(self._side.quit())

    def clean_up(self) -> None:
        """Remove the bot's files, once all of its processes have ended."""
        try:
            self._transcript.close()
            if self._traffic is not None:
                errors = self._traffic.with_suffix(".stderr")
                errors.write_text(self._process.whole_stderr, encoding="utf-8")
        finally:
            self._process.clean_up()

    def _log_lines(self) -> Iterator[str]:
        spec, process = self.spec, self._process
        yield f"process: {process.exit_text}; sandbox: {spec.isolation.profile}"
        yield f"clock: {spec.control}"
        yield "limits: " + ", ".join(f"{k} {v}" for k, v in spec.limits._asdict().items())
        if process.meter.hindrance:
            yield f"machine: {process.meter.hindrance}"
        yield "the last lines (milliseconds, > to the bot, < from it):"
        yield from self._transcript.lines()
        yield f"standard error ({process.stderr_bytes} bytes):"
        yield from (f"| {line}" for line in process.whole_stderr.rstrip("\n").split("\n") if line)

    def _raise_explained(self, fault: BotFault) -> NoReturn:
        """Raise a fault again, with its likely cause if the bot's standard error names it."""
        explained = explain(fault, self._process.whole_stderr)
        if explained is fault:
            raise fault
        raise explained from fault

    def _raise_unplayable(self, fault: BotFault) -> NoReturn:
        """Raise the fault of an answer that cannot be played; say so if another answer follows it.

        The second answer to a question may arrive after the next question, and is then taken for
        the answer to that one. A suspended bot is woken, because it could not write another answer.
        """
        meter = self._process.meter
        meter.wake()
        try:
            self._log_unasked(self._process.read_unasked(_SECOND_MS))
        except BotFault as second:
            if second.about == "turns":
                raise fault.reword(f"{fault}; it also {second}") from fault
        finally:
            meter.rest()  # what it used meanwhile is no pondering
        raise fault

    def _say(self, text: str, deadline: int | None) -> None:
        self._transcript.note_sent(time.monotonic_ns(), text)
        self._process.write(text, deadline)

    def _await(self, deadline: int | None) -> tuple[str, int]:
        """Read lines until the bot has answered; return the action, empty for ``ready``.

        A bot that thinks endlessly gets ``stop`` when `BotProcess.attend` returns True.
        """
        process, transcript, side = self._process, self._transcript, self._side
        unknown = ""
        while True:
            try:
                raw, instant = process.read_line(deadline)
                transcript.note((instant, "<", raw))
                line = decode_line(raw)
                message = side.feed(line)
                if isinstance(message, Move):
                    return message[0], instant
                if isinstance(message, Ready):
                    return "", instant
                if isinstance(message, Info):
                    self._infos.append(message.text[:_MAX_INFO])
                    self.hear(self._infos[-1])
                elif message is None:
                    unknown = explain_unknown(line, side.awaiting or "") or unknown
                # A bot that sends lines without a pause never makes `read_line` wait, so check its
                # resources here.
                process.look_if_due(instant)
            except StopRequested:
                deadline = self._stop()
            except TimeoutFault as fault:
                explained = explain_unknown_line(fault, unknown)
                if explained is fault:
                    raise
                raise explained from fault

    def _log_unasked(self, unread: Sequence[bytes]) -> None:
        """Log lines that came without a request: infos are allowed, an answer raises `BotFault`."""
        for raw in unread:
            self._transcript.note_received(time.monotonic_ns(), raw)
            self._side.feed(decode_line(raw))


def _ignore(_: str) -> None:
    """Ignore an info."""


def find_option_problems(bot: BotSpec, offered: Mapping[str, Option]) -> Iterator[str]:
    """Yield the problems of the options that the config sets for a bot."""
    for name, value in bot.options:
        option = offered.get(name)
        if option is None:
            known = ", ".join(islice(offered, 20)) or "none"
            yield f"the config sets {name}, but the bot's options are {known}"
        elif problem := option.check(value):
            yield f"the config sets {name} to {value!r}: {problem}"
