"""One bot in one game: the protocol's state machine joined to the process that it talks to."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

from pwtourney.clock import Allowance, Clock, Limit, TimeControl
from pwtourney.errors import BotFault
from pwtourney.match.job import MAX_MESSAGE, BotSpec
from pwtourney.notation import action_text
from pwtourney.notation.game import Fault, Ply, Usage, Verdict
from pwtourney.process import BotProcess
from pwtourney.process.crash import find_exception
from pwtourney.process.heartbeat import Gap
from pwtourney.process.starting import Started
from pwtourney.protocol import Info, Move, Option, Ready, RunnerSide, decode_line, judge_answer
from pwtourney.rules import Edition, State

__all__ = ["Answer", "Conversation", "Interruption", "Transcript", "find_option_problems"]

_make = tuple.__new__
_NS = 1_000_000
_Entry = tuple[int, str, str | bytes]
_MAX_INFO = 1000
_MOST_INFOS = 100
_MOST_LINES = 60
_LONGEST_LINE = 400

_SHARE = 10
"""The referee must have been stopped for a tenth of a turn to be the reason for a time-out."""

_RAISED = "exited with code 1"
"""How a Python program ends that an exception ends."""


class Answer(NamedTuple):
    """What a bot answered in its turn: the position after it, and how long it took, in nanoseconds.

    `infos` are the last that it said in this turn.
    """

    after: State
    ply: Ply
    wall_ns: int
    cpu_ns: int
    infos: tuple[str, ...] = ()


class Interruption(NamedTuple):
    """A gap in the referee's own time in a turn of a bot."""

    gap: Gap
    bot: str

    def __str__(self) -> str:
        what = "was stopped" if self.gap.stopped_ns else "had no core"
        seconds = (self.gap.stopped_ns or self.gap.starved_ns) / 1e9
        return f"the referee {what} for {seconds:.1f} s in a turn of {self.bot}"


class Conversation:
    """Starts a bot and asks it things; every method may raise `BotFault`.

    `end` and then `clean_up` must be called in every case. What is said is written to the file
    `traffic`, if that is given, and standard error next to it. `start` may return a process that
    it has started for the bot, and None for one to be started here.
    """

    def __init__(
        self,
        bot: BotSpec,
        scratch_root: str | None = None,
        traffic: Path | None = None,
        start: Callable[[], Started | None] = lambda: None,
    ) -> None:
        self.spec = bot
        self._side = RunnerSide()
        self._started = time.monotonic_ns()
        self._process = BotProcess(bot.launch, bot.limits, bot.isolation, scratch_root, start())
        self._traffic = traffic
        self._transcript = Transcript(self._started, traffic)
        self._greeted = False
        self._asked_ns = 0
        self._clock: Clock | None = None
        self._limit, self._allowance = Limit(), Allowance(None, None)
        self._infos: deque[str] = deque(maxlen=_MOST_INFOS)
        self._start_ns = 0
        self.interruption: Interruption | None = None
        """The reason why the referee missed a turn of this game, which then does not count."""
        self.hear: Callable[[str], object] = _ignore
        """Called with each ``info`` as it comes, for those who follow a bot while it thinks."""

    @property
    def pid(self) -> int:
        """The id of the process that we started."""
        return self._process.pid

    @property
    def asked_ns(self) -> int:
        """When the bot was asked for an action, on the monotonic clock; 0 for never, or in a pause.

        Time that was given back to it is left out, as if it had been asked so much later.
        """
        meter = self._process.meter
        return 0 if meter.stands_still else self._asked_ns + meter.given_back_ns

    @property
    def said(self) -> str:
        """What the bot has said last since it was asked."""
        return self._infos[-1] if self._infos else ""

    def is_single(self) -> bool:
        """Tell whether the bot is one process, as long as none begins on the machine."""
        return self._process.meter.is_single()

    @property
    def options(self) -> Mapping[str, Option]:
        """What the bot offered in the handshake, by name."""
        return self._side.options

    def greet(self) -> None:
        """Shake hands and set the options; whatever goes wrong is a failed start."""
        deadline = self._started + self.spec.limits.start_ms * _NS
        try:
            self._say(self._side.hello(), deadline)
            self._await(deadline)
            for problem in find_option_problems(self.spec, self.options):
                raise BotFault("start", problem)
            for name, value in self.spec.options:
                self._say(self._side.set_option(name, value), deadline)
        except BotFault as fault:
            # A bot that cannot start mostly says why in its last line.
            *_, last = ("", *self._process.stderr.strip().splitlines())
            why = self._find_exception(fault) or last
            raise BotFault("start", f"{fault}: {why}" if why else str(fault)) from fault
        self._greeted = True

    def new_game(self, edition: Edition, seat: int, seed: int) -> None:
        """Announce a game and wait until the bot is ready for it; greet it if it is new."""
        if not self._greeted:
            self.greet()
        else:
            self._started = 0  # it has been running: there is no start to be measured
        self._clock = None
        self.interruption = None
        played = self._side.editions
        if played and edition.name not in played:
            claimed = ", ".join(islice(played, 20))
            raise BotFault("start", f"the bot plays only {claimed}, not {edition.name}")
        # What it said between two games belongs to neither, nor to the accounts of the next.
        self._take(self._process.read_unasked())
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
        """Say who plays against this bot."""
        self._process.meter.opponent = opponent._process.meter

    def turn(self, state: State, played: Sequence[str], clock: Clock, seat: int) -> Answer:
        """Ask for an action in a position and judge the answer."""
        if clock is not self._clock:  # it stays the same where each move has its own time
            self._set_clock(clock, seat)
        request = self._side.ask(state, played, self._limit)
        process, infos = self._process, self._infos
        meter = process.meter
        unread = process.read_unasked()
        if unread:
            self._take(unread)
        if infos:
            infos.clear()
        budget, cpu_budget = self._allowance
        meter.begin(time.monotonic_ns(), budget, cpu_budget)
        # Read again: to wake the bot and to read its accounts takes time that is not the bot's.
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
        # not below 0: what was given back may have been lost while the bot was being woken
        wall, cpu = instant - sent_at, meter.finish()
        if wall < 0:
            wall = 0
        action, after = judge_answer(text, state)  # only now, on our time
        canonical = action_text(action, state.edition)
        info = infos[-1] if infos else ""
        # the constructors of named tuples take several times as long, on every ply
        ply = _make(Ply, (seat, canonical, wall // 1000, cpu // 1000, info))
        return _make(Answer, (after, ply, wall, cpu, tuple(infos) if infos else ()))

    def _judge_gap(
        self, gap: Gap, instant: int, deadline: int | None, control: TimeControl
    ) -> None:
        """Decide whether an answer counts that was given while the referee did not run.

        `instant` is without the gap, which the bot may have used. It is not known when it answered:
        it counts only if it was in time in any case, and if that costs nothing of a game's clock.
        """
        was_late = deadline is not None and instant + gap.total_ns > deadline
        if was_late or (gap.stopped_ns and control.game_ms is not None):
            self.interruption = Interruption(gap, self.spec.id)

    def _set_clock(self, clock: Clock, seat: int) -> None:
        """Work out what the bot of this seat hears of a clock, and what its turn may take."""
        self._clock, self._limit = clock, clock.limit(seat)
        budget, cpu_budget = clock.allowance(seat)
        most = self.spec.limits.move_ms
        if most is not None:
            budget = most * _NS if budget is None else min(budget, most * _NS)
        self._allowance = Allowance(budget, cpu_budget)

    def game_over(self, mine: int, theirs: int, result: str) -> None:
        """Tell the bot how the game ended; it owes no answer, and need not be alive."""
        with suppress(BotFault):  # with the deadline now: nobody waits for a bot that does not read
            self._say(self._side.game_over(mine, theirs, result), time.monotonic_ns())

    def usage(self) -> Usage:
        """Return what the bot has used in this game."""
        process = self._process
        process.meter.settle(time.monotonic_ns())  # it may have had no turn since
        return Usage(
            start=self._start_ns // 1000,
            pondering=process.meter.pondering_ns // 1000,
            peak=process.meter.peak() // 1024,
            received=process.bytes_in,
            written=process.bytes_out,
            stderr=process.stderr_bytes,
        )

    def fault(self, seat: int, fault: BotFault) -> Fault:
        """Write down what the bot did wrong, with all that its author may want to know."""
        message = str(fault)[:MAX_MESSAGE]
        machine = self._process.meter.hindrance
        stderr = self._process.stderr
        log = "\n".join(self._log_lines())
        return Fault(seat, Verdict(fault.verdict), message, stderr, machine, log)

    def end(self) -> None:
        """Let the bot quit, and see to it that it is gone."""
        if self._traffic is not None:  # the reader wants all of it
            for raw in self._process.leftover():
                self._transcript.note_received(time.monotonic_ns(), raw)
            self._transcript.note_sent(time.monotonic_ns(), self._side.quit())
        self._process.end(self._side.quit())

    def clean_up(self) -> None:
        """Remove what the bot wrote, once nothing of it is running any more."""
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
        """Raise a fault again, with the exception behind it if that is why a Python bot ended."""
        why = self._find_exception(fault)
        if why is None:
            raise fault
        raise fault.reword(f"{fault}: {why}") from fault

    def _find_exception(self, fault: BotFault) -> str | None:
        """Return the exception that ended a Python bot, None if it ended otherwise."""
        # With another exit code a traceback is of something that the bot went on after.
        has_raised = fault.verdict == Verdict.CRASH and str(fault) == _RAISED
        return find_exception(self._process.whole_stderr) if has_raised else None

    def _say(self, text: str, deadline: int | None) -> None:
        self._transcript.note_sent(time.monotonic_ns(), text)
        self._process.write(text, deadline)

    def _await(self, deadline: int | None) -> tuple[str, int]:
        """Read lines until the bot has answered; return the action, empty for ``ready``."""
        process, transcript, side = self._process, self._transcript, self._side
        while True:
            raw, instant = process.read_line(deadline)
            transcript.note((instant, "<", raw))
            message = side.feed(decode_line(raw))
            if isinstance(message, Move):
                return message[0], instant
            if isinstance(message, Ready):
                return "", instant
            # A bot that never stops to talk gives no wait in which it would be looked at.
            process.look_if_due(instant)
            if isinstance(message, Info):
                self._infos.append(message.text[:_MAX_INFO])
                self.hear(self._infos[-1])

    def _take(self, unread: Sequence[bytes]) -> None:
        """Take what came while nothing was asked: chatter is allowed, answers are not."""
        for raw in unread:
            self._transcript.note_received(time.monotonic_ns(), raw)
            self._side.feed(decode_line(raw))


def _ignore(_: str) -> None:
    """Take what nobody follows."""


class Transcript:
    """Keeps the last exchanges since `start`; instants are nanoseconds of the monotonic clock.

    `note` takes an instant, ``>`` or ``<``, and what was said. All of it is written to the file
    `whole`, if one is given, as it comes. No line is shown earlier than the one above it: a busy
    machine may stop the referee between a write and its clock, and meanwhile the bot answers.
    """

    def __init__(self, start: int, whole: Path | None = None) -> None:
        self._path = whole
        self._whole: TextIO | None = None
        self._entries: deque[_Entry] = deque(maxlen=_MOST_LINES)
        self._start = start
        self._latest = start
        # with nothing in between where there is no file: this is every ply
        self.note = self._entries.append if whole is None else self._note_and_write

    @property
    def has_bot_line(self) -> bool:
        """Whether the bot has written a line, of those that are kept."""
        return any(mark == "<" for _, mark, _ in self._entries)

    def note_sent(self, instant: int, text: str) -> None:
        """Note what the runner wrote, one line or several."""
        self.note((instant, ">", text))

    def note_received(self, instant: int, line: bytes) -> None:
        """Note a line of the bot."""
        self.note((instant, "<", line))  # decoded if it is ever read

    def lines(self) -> Iterator[str]:
        """Yield the lines that are kept, with milliseconds since the start."""
        latest = self._start
        for instant, mark, said in self._entries:
            latest = max(latest, instant)
            text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
            for line in text.rstrip("\n").split("\n"):
                shown = line[:_LONGEST_LINE]
                more = f" … ({len(line)})" if len(line) > _LONGEST_LINE else ""
                yield self._stamp(latest, mark, shown + more)

    def close(self) -> None:
        """Close the file."""
        if self._whole is not None:
            self._whole.close()

    def _note_and_write(self, entry: _Entry) -> None:
        """Note what was said, and add it to the file, which is made with its first line."""
        assert self._path is not None, "only who has a file writes to it"
        self._entries.append(entry)
        instant, mark, said = entry
        self._latest = max(self._latest, instant)
        text = said.decode("utf-8", "backslashreplace") if isinstance(said, bytes) else said
        self._whole = self._whole or self._path.open("w", encoding="utf-8", newline="\n")
        for line in text.removesuffix("\n").split("\n"):
            self._whole.write(f"{self._stamp(self._latest, mark, line)}\n")
        self._whole.flush()  # its author reads along, and wants the last line of a crash

    def _stamp(self, instant: int, mark: str, line: str) -> str:
        return f"{(instant - self._start) / 1e6:12.3f} {mark} {line}"


def find_option_problems(bot: BotSpec, offered: Mapping[str, Option]) -> Iterator[str]:
    """Yield what is wrong with the options that the config sets for a bot."""
    for name, value in bot.options:
        option = offered.get(name)
        if option is None:
            known = ", ".join(islice(offered, 20)) or "none"
            yield f"the config sets {name}, but the bot's options are {known}"
        elif problem := option.check(value):
            yield f"the config sets {name} to {value!r}: {problem}"
