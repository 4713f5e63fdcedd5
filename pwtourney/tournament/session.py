"""One run of a tournament in its results folder, from lock to reports, or a preview of it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from pwtourney.config import TournamentFile
from pwtourney.errors import PwtourneyError, UsageError
from pwtourney.executor import Executor
from pwtourney.match import PairResult
from pwtourney.prepare import Tell
from pwtourney.report import Preload, Summary, publish, summarise
from pwtourney.report.figures import span
from pwtourney.report.text.rows import (
    gap_notes,
)
from pwtourney.schedule import make_format
from pwtourney.schedule.pairing import PairPoints, Shard
from pwtourney.signals import SoftStop
from pwtourney.store import FaultLogs, ResultsFolder, Store
from pwtourney.store.filesystem import find_shared_kind
from pwtourney.store.folder import CONFIRMED, LIVE
from pwtourney.tournament.concealment import Concealment, name_inside
from pwtourney.tournament.estimate import estimate
from pwtourney.tournament.events import Event, LogWriter, RunningNote, SuspectBot
from pwtourney.tournament.late_order import list_hidden_warnings
from pwtourney.tournament.pause_control import PauseControl
from pwtourney.tournament.plan import Plan, find_entrant_at, make_plan
from pwtourney.tournament.resume import (
    choose_seed,
    explain_refusal,
    find_runtime_changes,
    fit_into_league,
    is_complete,
    list_idle_names,
    open_results,
)
from pwtourney.tournament.room import BotRoom, find_builds
from pwtourney.tournament.run import list_missing, make_executor, run_tournament
from pwtourney.tournament.shards import split
from pwtourney.tournament.slots import is_played_here, plan_slots
from pwtourney.tournament.tuning_runs import ask_space, remember_space

__all__ = [
    "Ending",
    "Preview",
    "RunOptions",
    "Session",
    "choose_folder",
    "list_private_paths",
    "open_session",
    "preview_run",
]

Ending = Literal["over", "budget", "interrupted", "suspect"]
"""The ending of a run; ``suspect`` if it was to stop for a bot that is likely broken."""

_GONE = "{bot} cannot be found any more: some of its games may be of another program, or of none"
_CHANGED = (
    "{bot} changed while it played: some of its games may be of the new one. To be sure, play again"
    " with --fresh"
)
_SHARED = (
    "{folder} is on a network file system ({kind}): SQLite's log breaks if other machines read or"
    " write these results during the run, and their runs may not see its lock. Prefer a folder on a"
    " local disk (--results DIR), and copy the results when the run is over"
)
_SHOWN_PAIRS = 6
_MIB = 1 << 20


class RunOptions(NamedTuple):
    """The options of ``pwtourney run`` that control a run.

    `workers` games are played at a time. With `fresh`, old results are moved to another folder.
    With `extend`, a league continues with other bots. If `shard` is set, only its pairs are played.
    With `fail_fast`, a run stops itself for a bot that is likely broken.
    """

    workers: int
    fresh: bool = False
    extend: bool = False
    shard: Shard | None = None
    fail_fast: bool = False


@contextmanager
def open_session(
    tournament: TournamentFile,
    folder: ResultsFolder,
    options: RunOptions,
    *,
    tell: Tell,
    warn: Tell,
    now: Callable[[], float] = time.time,
) -> Iterator["Session"]:
    """Lock the folder and plan what is missing in it, with bots built and ready to start.

    `tell` takes a line about progress, and `warn` a warning. `now` returns seconds since 1970, for
    the dates that are stored. Raises what `build_bots`, `make_plan`, `make_ready`, `ResultsFolder`
    and `ask_space` raise.
    """
    private = list_private_paths(tournament, folder)
    # a pool starts bots on its own machines, where the control groups of this one are of no use
    with BotRoom(private, tell=tell, warn=warn, groups=not tournament.config.executor) as room:
        tournament = ask_space(room.build(tournament), room)
        if options.fresh or not folder.database.exists():
            # a bot that cannot play is reported before anything is moved or written
            room.prepare_for(tournament, make_plan(tournament, 0).entrants)
        with folder:
            yield Session(tournament, folder, options, room, now)


class Session:
    """A tournament in its locked folder: `play` what is missing, then `publish` the reports.

    `plan` is what is to be played. `aside` is where old results were moved to, or None if there
    were none or the run continues them. Make it with `open_session`.
    """

    def __init__(
        self,
        tournament: TournamentFile,
        folder: ResultsFolder,
        options: RunOptions,
        room: BotRoom,
        now: Callable[[], float],
    ) -> None:
        self._now = now
        self._tournament = tournament
        self._folder = folder
        self._options = options
        self._room = room
        self.aside = folder.set_aside() if options.fresh else None
        # the seed and the names of a league's bots come from the store, so this is done after the
        # lock
        self.plan = _make_plan(tournament, folder, options)
        self._idle = list_idle_names(folder, self.plan)
        self._complete = is_complete(folder, self.plan)
        # not with a pool, which might fork meanwhile and leave a child waiting for our thread
        self._preload = None if tournament.config.executor else Preload()

    def play(self, listen: Callable[[Event], None], stop: SoftStop) -> Ending:
        """Play what is missing; `listen` is called with each event, in this thread.

        No pair starts once `stop` is requested. What was played is stored, however the run ends.
        """
        for line in (*find_runtime_changes(self._folder, self.plan), *self._idle):
            self._room.warn(line)
        if self._complete:
            return "over"
        self._warn_of_surroundings()
        ready = self._room.prepare_for(self._tournament, self.plan.entrants)
        plan = self.plan._replace(entrants=ready)
        suspects = _Suspects(stop.ask if self._options.fail_fast else None)
        logs, hide = self._make_logs()
        with ExitStack() as last:
            store = last.enter_context(closing(self._open_store(plan)))
            # so that the next run can remove it if this one is killed
            self._folder.note_scratch(self._room.scratch)
            try:
                note = last.enter_context(RunningNote(self._folder.path))

                def send(event: Event) -> None:
                    # the log first: `listen` may name the file
                    for listener in (note, logs, listen, suspects):
                        listener(event)

                pauses = last.enter_context(
                    PauseControl(self._folder, send, lambda: stop.is_requested)
                )
                executor = last.enter_context(closing(self._make_executor(plan, pauses)))
                # Left before all else: while workers are ended, Ctrl-C interrupts at once. It is
                # left in here, so that an interrupt at that moment is handled like any other.
                with stop:
                    over = run_tournament(
                        plan,
                        store,
                        executor,
                        send,
                        now=pauses.now,
                        stopping=lambda: stop.is_requested,
                        rewrite=hide,
                        follow=note.follow,
                    )
            except KeyboardInterrupt:
                return "suspect" if suspects.stopped else "interrupted"
        self._warn_of_changed_bots()
        return _find_ending(suspects, stop, over=over)

    def _warn_of_surroundings(self) -> None:
        """Warn of a shared folder, and of late patches whose order somebody may know."""
        if kind := find_shared_kind(self._folder.path):
            self._room.warn(_SHARED.format(folder=self._folder.path, kind=kind))
        for warning in list_hidden_warnings(self._tournament, self.plan.edition, self.plan.seed):
            self._room.warn(warning)

    def _make_executor(self, plan: Plan, pauses: PauseControl) -> Executor:
        executor = make_executor(
            plan,
            self._tournament,
            self._options.workers,
            self._room.scratch,
            self._room.tell,
            self._room.warn,
            self._folder.path / LIVE,
            pauses=pauses.line,
        )
        executor.attend = pauses.attend
        return executor

    def _make_logs(self) -> tuple[LogWriter, Callable[[PairResult], PairResult] | None]:
        """Return the log writer, and a function that hides this machine in results, or None."""
        file, results = self._tournament.path.resolve(), self._folder.path
        hide = None
        if self._tournament.untrusted:
            # results of untrusted bots are published
            hide = Concealment.of(file.parent, results).hide_in_result
            results, file = name_inside(results, file.parent), Path(file.name)
        return LogWriter(FaultLogs(self._folder.logs), results, file), hide

    def _warn_of_changed_bots(self) -> None:
        """Warn of each bot that changed since the run began."""
        bots = {entrant.bot_index: entrant for entrant in self.plan.entrants}
        for index, entrant in bots.items():
            try:
                current_entrant = find_entrant_at(self._tournament, index)
            except (PwtourneyError, OSError):
                self._room.warn(_GONE.format(bot=entrant.spec.id))
            else:
                if current_entrant.identity != entrant.identity:
                    self._room.warn(_CHANGED.format(bot=entrant.spec.id))

    def publish(self) -> Summary:
        """Write every report into the folder; return the summary."""
        with closing(self._open_store(self.plan)) as store:
            if self._complete:
                store.mark(over=True)
            if self._preload:
                self._preload.wait()
            return publish(store, self._folder.path)

    def _open_store(self, plan: Plan) -> Store:
        return open_results(self._folder, plan, extend=self._options.extend, now=self._now)


class _Suspects:
    """Calls `stop`, if given, at each bot that is likely broken."""

    def __init__(self, stop: Callable[[], None] | None) -> None:
        self._stop = stop
        self.stopped = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, SuspectBot) and self._stop is not None:
            self.stopped = True
            self._stop()


def _find_ending(suspects: _Suspects, stop: SoftStop, *, over: bool) -> Ending:
    """Return how a run ended; a suspect ends it, even if no pair was left."""
    if suspects.stopped:
        return "suspect"
    if over:
        return "over"
    return "interrupted" if stop.is_requested else "budget"


def _make_plan(tournament: TournamentFile, folder: ResultsFolder, options: RunOptions) -> Plan:
    """Return the plan of a run, which continues what is stored unless it starts again."""
    plan = make_plan(tournament, choose_seed(folder))
    if not options.fresh:
        plan = fit_into_league(plan, folder, extend=options.extend)
    if options.shard:
        plan = split(plan, options.shard, seed_given=tournament.config.seed is not None)
    return plan


class Preview(NamedTuple):
    """The preview of a run: lines about it, and why it would be refused, if it would."""

    lines: list[str]
    refusals: list[str]


def preview_run(tournament: TournamentFile, folder: ResultsFolder, options: RunOptions) -> Preview:
    """Return the bots, the schedule and the estimates of a run; nothing is started or written.

    Raises what `make_plan`, `fit_into_league` and `split` raise.
    """
    tournament = find_builds(tournament, list_private_paths(tournament, folder))
    goes_on = folder.database.exists() and not options.fresh
    if goes_on:
        with closing(Store.open_in(folder)) as store:
            tournament = remember_space(tournament, store.meta())
    plan = _make_plan(tournament, folder, options)
    slots = plan_slots(tournament, options.workers, plan.share)
    warnings = list(list_hidden_warnings(tournament, plan.edition, plan.seed))
    notes = []
    if is_played_here(tournament):
        shortage = slots.find_shortage()
        warnings += [shortage] if shortage else []
        notes.append(str(slots))
    notes += [f"warning: {warning}" for warning in warnings]
    if not goes_on:
        aside = ["the old results are moved to another folder"] if folder.database.exists() else []
        return Preview([*aside, *_preview_plan(plan, slots.games, {}), *notes], [])
    with closing(Store.open_in(folder)) as store:
        summary = summarise(store)
        lines = [
            *_preview_plan(plan, slots.games, store.outcomes()),
            *notes,
            f"stored in {folder.path}: {summary.stored} pairs",
        ]
        # a tuned bot has no rating
        for pool in () if summary.tuning else summary.standings.hide_small_pools().pools:
            lines += gap_notes(pool, options.workers, summary.order, summary.season)
        refusals = explain_refusal(folder, store.meta(), plan, extend=options.extend)
        return Preview(lines, list(refusals))


def _preview_plan(plan: Plan, slots: int, stored: Mapping[int, PairPoints]) -> Iterator[str]:
    """Yield the description of a plan; `stored` are its pairs that are stored already."""
    yield f"{plan.name}: {plan.schedule.format}, edition {plan.edition.name}"
    for entrant in plan.entrants:
        yield f"  {entrant.spec.id}: {entrant.identity}, clock {entrant.spec.control}"
    first = list(islice(list_missing(plan, stored), _SHOWN_PAIRS + 1))
    pairs = ", ".join(f"{pairing.first}–{pairing.second}" for pairing in first[:_SHOWN_PAIRS])
    more = ", …" if len(first) > _SHOWN_PAIRS else ""
    yield f"{'next' if stored else 'schedule'}: {pairs or 'empty'}{more}"
    played = len(stored)
    expected = estimate(plan, slots, played)
    if plan.shard:
        yield f"part {plan.shard}: {plan.share} of {plan.pairs} pairs"
    most = "at most " if plan.scheduler().needs_results else ""
    yield (f"to play: {most}{expected.pairs} pairs, {2 * expected.pairs} games, {slots} at a time")
    length = make_format(plan.schedule, plan.bots).describe_length()
    if length and not stored:
        yield length
    yield f"duration: at most {span(expected.seconds)}, if every bot used all of its time"
    if plan.budget is not None:
        yield f"a run ends after {span(plan.budget)}"
    yield f"disk: about {expected.bytes / _MIB:.1f} MiB"
    if expected.plus_minus is not None and not played:
        spread = f"± {expected.plus_minus:.0f} Elo at 95 %"
        about = "up to about" if expected.varies else "about"
        yield f"intervals: {about} {spread} for bots of even strength"


def list_private_paths(tournament: TournamentFile, folder: ResultsFolder) -> list[Path]:
    """Return what no bot of a run may read: its results and the organiser's files."""
    written = [path.resolve() for path in tournament.files() if path.exists()]
    deals = tournament.path.parent / tournament.config.deals
    if deals.is_file():  # otherwise it is a keyword such as `fresh`
        written.append(deals.resolve())
    # a duel of tuned values is kept among the results of its tuning
    around = folder.path.parent
    results = around.parent if around.name == CONFIRMED else folder.path
    return [results, *folder.set_aside_before(), *written]


def choose_folder(
    tournament: TournamentFile,
    given: Path | None,
    shard: Shard | None,
    *,
    untrusted: bool = False,
) -> ResultsFolder:
    """Return the folder that is given, or the tournament's; each part has one of its own.

    Raises `UsageError` for the current folder if it contains other files, and in an `untrusted`
    checkout for a relative path on which a link leads elsewhere.
    """
    path, base = given, Path()
    if path is None:
        path = Path("results") / (tournament.config.name or tournament.path.stem)
        if tournament.config.results is not None:
            base = tournament.path.parent
            path = base / tournament.config.results
        name = f"{path.name}-{shard.number}-of-{shard.of}" if shard else path.name
        path = path.with_name(name)
    elif path == Path() and any(path.iterdir()) and not ResultsFolder(path).database.exists():
        raise UsageError("--results: the folder contains other files; name an empty or new folder")
    chosen = given is not None and given.is_absolute()  # by the user who runs it, not the checkout
    way = base.resolve() / os.path.relpath(path, base)
    if untrusted and not chosen and Path(os.path.normpath(way)) != path.resolve():
        raise UsageError(f"with --untrusted no link may lead to {path}, where results are written")
    return ResultsFolder(path)
