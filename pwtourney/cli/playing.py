"""Shared by commands that play: the room for single games, and a whole run with its progress.

While a tournament is played, a terminal shows a progress bar; elsewhere a line is printed at each
quarter.
"""

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import click
from tqdm import tqdm

from pwtourney.bots.launching import sdk_spec
from pwtourney.cli.common import say, warn
from pwtourney.clock import TimeControl
from pwtourney.config import TournamentFile
from pwtourney.errors import TimeoutFault
from pwtourney.report import Summary
from pwtourney.report.figures import span
from pwtourney.report.text.rows import (
    describe_effort,
    describe_rule,
)
from pwtourney.sanitize import sanitize
from pwtourney.signals import SoftStop
from pwtourney.store import ResultsFolder
from pwtourney.tournament import (
    Continued,
    Ended,
    Event,
    FaultSeen,
    Leader,
    PairDone,
    Paused,
    Plan,
    Remark,
    Standing,
    Started,
    SuspectBot,
)
from pwtourney.tournament.duel import explain_twins
from pwtourney.tournament.events import event_json
from pwtourney.tournament.room import BotRoom
from pwtourney.tournament.session import (
    Ending,
    RunOptions,
    open_session,
)

__all__ = [
    "Progress",
    "RunResult",
    "STOPPED",
    "diagnose_failure",
    "heartbeat",
    "open_room",
    "play_tournament",
    "standing_line",
]

_QUARTERS = 4
_MOST_SILENCE = 480.0
"""Print a line after at most this many seconds.

CI services commonly end a job that prints nothing for ten minutes, and a line has to wait until a
pair ends.
"""

_WIDEST = 200.0
"""Print a rating only if its interval is no wider than ± this.

Beyond it, a bot may as well win three of four games against the average as lose them, so the rating
is not informative.
"""

_MAX_FAULT_LINES = 20


def heartbeat(done: int, pairs: int, played: int, seconds: float) -> str:
    """Return one line of progress: pairs done, speed, and time left at that speed."""
    # by the pairs of this run: those of earlier runs took none of its time
    speed = played / seconds if seconds > 0 else 0.0
    left = f", {span((pairs - done) / speed)} left" if speed and done < pairs else ""
    return f"{done}/{pairs} pairs, {2 * speed:.1f} games/s{left}"


def standing_line(event: Standing) -> str:
    """Return one line about the leaders, and how many pairs it takes to be sure.

    It is empty while the rating of the first bot is not informative.
    """
    if not _format_rating(event.leaders[0]):
        return ""
    leaders = ", ".join(
        f"{leader.bot} {_format_rating(leader)}".rstrip() for leader in event.leaders
    )
    if event.more is None:
        return leaders
    rule = describe_rule(event.order)
    if event.more.of_all == 0:
        return f"{leaders}; {event.above} is above {event.below} {rule}, at every look"
    time = f"about {span(event.seconds)}"
    return f"{leaders}; {describe_effort(event.above, event.below, event.more, rule, time=time)}"


def _format_rating(leader: Leader) -> str:
    """Return a rating with its interval, or a bound; empty if it is not informative."""
    if leader.elo is None:
        return ""
    if leader.bound:
        return f"{leader.bound}{leader.elo:+.0f}"
    if leader.plus_minus is None or leader.plus_minus > _WIDEST:
        return ""
    return f"{leader.elo:+.0f} ± {leader.plus_minus:.0f}"


class _Pace:
    """Decides when a line is due: once in each quarter of the pairs, and after a long silence."""

    def __init__(self, pairs: int, done: int, now: float) -> None:
        self._pairs = max(pairs, 1)
        self._printed = done
        self._printed_at = now

    def is_due(self, done: int, now: float) -> bool:
        """Return True if a line is due after `done` pairs, and then record it as printed."""
        quarter, last = (_QUARTERS * count // self._pairs for count in (done, self._printed))
        if quarter == last and now - self._printed_at < _MOST_SILENCE:
            return False
        self._printed, self._printed_at = done, now
        return True

    def has_news(self, done: int) -> bool:
        """Return True if pairs were done since a line was due."""
        return done != self._printed


class Progress:
    """Shows the progress of a tournament on standard error."""

    def __init__(self, quiet: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._now = now
        self._bar: tqdm[Any] | None = None
        self._pairs = self._done = self._played = self._faults = 0
        self._started = now()
        self._pace = _Pace(0, 0, self._started)
        self._notes: set[str] = set()
        self._status = ""
        self._standing = ""

    def __call__(self, event: Event) -> None:
        """Print or draw what the event reports."""
        if self._quiet:
            return
        try:
            if isinstance(event, Started):
                self._pairs, self._done = event.pairs, event.done
                if event.done:
                    self.say(f"continuing: {event.done} of {event.pairs} pairs are stored")
                self._pace = _Pace(event.pairs, event.done, self._now())
                # a bar would fill a log file: each of its states would be a line of its own
                if sys.stderr.isatty():
                    self._bar = tqdm(
                        total=event.pairs, initial=event.done, unit="pair", leave=False
                    )
            elif isinstance(event, FaultSeen):
                self._faults += 1
                if self._faults <= _MAX_FAULT_LINES:
                    game = f"{event.pair}.{event.game}"
                    self.say(f"game {game}: {event.who}: {event.verdict}: {event.message}")
                if self._faults == _MAX_FAULT_LINES:
                    self.say("further faults are stored, but not shown here")
            elif isinstance(event, PairDone):
                self._take_pair(event)
            elif isinstance(event, Standing):
                self._standing = standing_line(event)
            elif isinstance(event, Paused):
                self.say(f"Paused by {event.by}: bots and clocks stand still.")
            elif isinstance(event, Continued):
                self._started += event.seconds  # a pause does not count for the speed
                self.say(f"Continued after {span(event.seconds)}.")
            elif isinstance(event, Ended) and self._bar is None and self._pace.has_news(self._done):
                self._say_heartbeat(self._done if event.over else self._pairs)
        except OSError:  # the stream was closed; the tournament continues
            self._quiet = True

    def say(self, text: str) -> None:
        """Print a line, above the bar if there is one."""
        text = sanitize(text)
        try:
            if self._bar is not None:
                self._bar.write(text, file=sys.stderr)
            else:
                click.echo(text, err=True)
        except OSError:
            self._quiet = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _take_pair(self, event: PairDone) -> None:
        """Count a pair; from time to time print the progress and the leaders."""
        if event.note and event.note not in self._notes:  # once: mostly the same for all
            self._notes.add(event.note)
            self.say(f"pair {event.pair}: {event.note}")
        self._status = event.status
        self._done += 1
        self._played += 1
        if self._bar is not None:
            # drawn by `update`, at most every tenth of a second
            self._bar.set_postfix_str(sanitize(self._status), refresh=False)
            self._bar.update()
        if not self._pace.is_due(self._done, self._now()):
            return
        if self._bar is None:  # the bar shows it all the time
            self._say_heartbeat(self._pairs)
        if self._standing and self._done < self._pairs:  # at the end the table shows the leaders
            self.say(self._standing)
            self._standing = ""

    def _say_heartbeat(self, pairs: int) -> None:
        line = heartbeat(self._done, pairs, self._played, self._now() - self._started)
        self.say(f"{line}; {self._status}" if self._status else line)


STOPPED = "stopped by --fail-fast: see the warning above; results are kept"

_STOPPING = (
    "Stopping: waiting up to {:g} s for running games; press Ctrl-C again to stop now"
    " (results are safe)"
)
_LOST = {
    "start": "did not start for its first two games",
    "timeout": "timed out on its first move in its first two games",
    "crash": "crashed on its first move in its first two games",
    "illegal": "chose an illegal action as its first move in its first two games",
    "protocol": "broke the protocol on its first move in its first two games",
    "output-limit": "wrote too much before its first move in its first two games",
    "memory": "used too much memory before its first move in its first two games",
    "theft": "used the core of its opponent before its first move in its first two games",
}
_CAUSES = {
    "start": "it probably lacks a program, a module or a file, or does not speak the protocol",
    "timeout": (
        "it probably prepares something while its clock runs, needs more time for a move, or"
        " waits for lines that are not sent"
    ),
    "crash": "it probably lacks a module or a file that it needs for a move",
    "illegal": "it probably reads the position wrongly, or plays another edition",
    "protocol": "it probably prints something that is not an answer",
    "output-limit": "it probably prints what it should not",
    "memory": "it probably needs more memory than `limits` allow",
    "theft": "it probably goes on working in its opponent's time",
}
"""By verdict: how a bot failed before its first action, and the probable cause."""


@contextmanager
def open_room(private: Sequence[Path] = ()) -> Iterator[BotRoom]:
    """Prepare this process to start bots; none of them may read what is `private`."""
    with BotRoom(private, tell=say, warn=warn, groups=False) as room:
        yield room


class RunResult(NamedTuple):
    """The stored results, how the run ended, and how many pairs it played."""

    summary: Summary
    plan: Plan
    ending: Ending
    pairs: int


def play_tournament(
    tournament: TournamentFile,
    folder: ResultsFolder,
    options: RunOptions,
    *,
    quiet: bool = False,
    json: bool = False,
    grace: float = 10.0,
) -> RunResult:
    """Play what is missing in a results folder, and write its reports.

    When the run is asked to stop, running pairs have `grace` seconds to end.
    """
    tell = _ignore if quiet else say
    with open_session(tournament, folder, options, tell=tell, warn=warn) as session:
        if session.aside:
            click.echo(f"the old results are now in {session.aside}", err=True)
        if twins := explain_twins(session.plan):
            warn(twins)
        with Progress(quiet) as progress:
            stop = SoftStop(grace, lambda: progress.say(_STOPPING.format(grace)))
            suspects = _SuspectWatch(session.plan, tournament, folder.logs, progress.say)
            lines = _JsonLines() if json else _ignore
            pairs = 0

            def listen(event: Event) -> None:
                nonlocal pairs
                pairs += isinstance(event, PairDone)
                progress(event)
                suspects(event)
                lines(event)
                if isinstance(event, Remark):
                    progress.say(f"note: {event.text}")

            ending = session.play(listen, stop)
        return RunResult(session.publish(), session.plan, ending, pairs)


def _ignore(_: object) -> None:
    """Ignore a message."""


class _JsonLines:
    """Prints each event as a line of JSON; stops printing when the output is closed."""

    def __init__(self) -> None:
        self._open = True

    def __call__(self, event: Event) -> None:
        if not self._open:
            return
        try:
            click.echo(event_json(event))
        except OSError:  # the tournament continues: its results are worth more than its events
            self._open = False


class _SuspectWatch:
    """Warns of each bot that is likely broken, with the probable cause and how to check it."""

    def __init__(
        self, plan: Plan, file: TournamentFile, logs: Path, say: Callable[[str], None]
    ) -> None:
        self._bots = {}
        for entrant in plan.entrants:
            entry, spec = file.config.bots[entrant.bot_index], entrant.spec
            # with absolute paths, because `check` may be called in another folder than the file's
            text = entry.bot or sdk_spec(spec.launch) or shlex.join(spec.launch.command)
            self._bots[spec.id] = (text, spec.control)
        self._logs = logs
        self._say = say

    def __call__(self, event: Event) -> None:
        if not isinstance(event, SuspectBot):
            return
        log = self._logs / event.bot / f"{event.pair}.{event.game}.log"
        self._say(
            f"warning: {event.bot} {_LOST[event.verdict]} ({event.message}):"
            f" {diagnose_failure(event.verdict, event.message, *self._bots[event.bot])}"
            f" (and the log {shlex.quote(str(log))})"
        )


def diagnose_failure(verdict: str, message: str, bot: str, control: TimeControl) -> str:
    """Return the probable cause of a bot's failure before its first action, and how to check it.

    The cause is left out if the `message` of the fault names it. The command `check` gets the same
    time for a move as the bot has.
    """
    time = () if control.move_ms is None else ("--move", f"{control.move_ms}ms")
    check = shlex.join(["pwtourney", "check", bot, *time])
    cause = "" if message.startswith(f"{TimeoutFault()}: ") else f"{_CAUSES[verdict]}; "
    return f"{cause}see it with: {check}"
