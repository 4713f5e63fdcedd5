"""Checks whether this machine is fit for tournaments: its facilities, and equal treatment of bots.

Facilities are tried. Those that are missing are listed with the consequences and the remedy. For
the rest, a bot plays against itself: differences between two copies of one program come from the
machine or from us. Each quantity is compared within mirrored pairs, where both copies had both
seats on one deal. So the differences of pairs are independent, and Student's t gives the
uncertainty of the mean.
"""

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pwtourney.config import TournamentFile, bot_entry, unwritten_file
from pwtourney.config.model import IMPLIED
from pwtourney.constants import LOCK
from pwtourney.errors import StoreError, UsageError, install_command
from pwtourney.executor import LocalExecutor, LostJob
from pwtourney.match import Job, PairResult
from pwtourney.notation.game import Game, Ply
from pwtourney.ratings.uncertainty import t_quantile
from pwtourney.report.figures import amount
from pwtourney.sandbox.backends import find_problem, has_landlock
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.cores import UsableCores, find_usable_cores
from pwtourney.sandbox.launch import Launch, Limits, limits_guard, parent_guard
from pwtourney.sandbox.seccomp import seccomp_problem
from pwtourney.schedule import Schedule
from pwtourney.store import ResultsFolder
from pwtourney.store.filesystem import list_traits
from pwtourney.store.folder import list_database_files
from pwtourney.tournament import Plan, find_bot, load_tournament, make_plan

__all__ = [
    "Comparison",
    "Facility",
    "WAIT",
    "compare",
    "conclude",
    "judge_cores",
    "list_facilities",
    "list_folder_facilities",
    "load_self_play",
    "plan_self_play",
    "play_pairs",
]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FINE_NS = 1_000_000
"""A coarser clock rounds away what a quick bot uses for a move."""

WAIT = "wait a move, first seat against second"
"""The only comparison in milliseconds."""

_SEED = 2014
"""A constant, so that two machines play the same deals and their results can be compared."""

_TOLERANCE = 0.05
"""Differences below this share do not matter, even if they are significant."""

_TOLERANCE_MS = 1.0

_CLEAR = 4
"""An interval of at most this many tolerances would have shown a difference that matters."""

_LARGER_QUOTA = (
    "a larger CPU quota (`--cpus` of docker, `limits.cpu` of Kubernetes, `CPUQuota` of systemd)"
)


class Facility(NamedTuple):
    """One thing that a machine has or lacks.

    `detail` says what was found, `means` what follows if it is missing, and `remedy` how to get it.
    """

    name: str
    works: bool
    detail: str
    means: str = ""
    remedy: str = ""


def list_facilities() -> Iterator[Facility]:
    """Try every facility, and yield the results."""
    linux = sys.platform == "linux"
    yield Facility(
        "Linux",
        linux,
        sys.platform,
        "bots run without limits, without a sandbox, and their daemons are not found",
        "run leagues with bots you do not trust on Linux",
    )
    if linux:
        yield from _list_containment()
        yield from _list_accounting()
    yield from _list_hardware()


def list_folder_facilities(folder: Path) -> Iterator[Facility]:
    """Try what a results folder needs, without changing it, and yield the results."""
    yield Facility(
        "files of results",
        not (problem := _find_bad_file(ResultsFolder(folder))),
        problem or "no links, no special files, and all can be written",
        "`run` refuses to write here",
        "remove it, or change its owner or mode; the results folder itself may be a link",
    )
    for trait in list_traits(folder):
        detail = trait.problem or trait.detail
        yield Facility(trait.name, not trait.problem, detail, trait.means, trait.remedy)


def _find_bad_file(folder: ResultsFolder) -> str:
    """Return what is wrong with a file that a run writes to; empty if nothing is."""
    try:
        folder.check_entries()
    except StoreError as error:
        return str(error)
    written = (*list_database_files(folder.database), folder.logs, folder.path / LOCK)
    closed = [path for path in written if path.exists() and not os.access(path, os.W_OK)]
    return f"{closed[0]} cannot be written" if closed else ""


def _list_containment() -> Iterator[Facility]:
    yield Facility(
        "ordinary user",
        os.geteuid() != 0,
        f"user {os.geteuid()}",
        "bots become other users before they start, and files that only root can read stay closed",
        "run as an ordinary user",
    )
    yield Facility(
        "limits (prlimit, setpriv)",
        # empty where the programs are missing, or are busybox's
        bool(limits_guard(Limits()) and parent_guard()),
        "util-linux",
        "memory, files and output to disk are not bounded, and a killed runner may leave bots",
        "install util-linux; busybox's programs of these names do not know enough",
    )
    yield _try_sandboxes()
    yield Facility(
        "Landlock",
        has_landlock(),
        "a second barrier after the mounts of the sandbox of namespaces",
        "what a bot may write to depends on the mounts alone",
        "Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK (boot option lsm=landlock,...)",
    )
    problem = seccomp_problem()
    yield Facility(
        "system call filter (libseccomp)",
        problem is None,
        problem or "Python binding",
        "a bot in the sandbox can leave its core, signal to others by locks, and hold memory that"
        " is not counted",
        f"{install_command('pyseccomp')}, and (Debian) apt install libseccomp2",
    )


def _try_sandboxes() -> Facility:
    """Start a program in each sandbox, because only that shows whether it works here."""
    program, limits = Launch(("true",)), Limits()
    without_bubblewrap = find_problem("bwrap", program, limits)
    without_namespaces = find_problem("unshare", program, limits)
    if without_bubblewrap is None:
        detail = f"bubblewrap ({shutil.which('bwrap')})"
    elif without_namespaces is None:
        detail = f"namespaces, made by pwtourney itself, because {without_bubblewrap}"
    else:
        detail = "none works here"
    return Facility(
        "sandbox",
        without_bubblewrap is None or without_namespaces is None,
        detail,
        "bots can read what you can, use the network, and kill their opponent and the runner",
        without_namespaces or "",
    )


def _list_accounting() -> Iterator[Facility]:
    # It creates groups of its own, because only that shows whether they were delegated to us.
    groups = CgroupRoot.open()
    controllers = groups.controllers if groups else frozenset[str]()
    if groups:
        groups.close()
    delegate = "systemd-run --user --scope -p Delegate=yes pwtourney run ..."
    yield Facility(
        "control groups",
        groups is not None,
        "version 2, ours to use" if groups else "none that is ours to use",
        "processor time is added up by process (exact while a process lives)",
        delegate,
    )
    yield Facility(
        "limits of control groups",
        {"memory", "pids"} <= controllers,
        ", ".join(sorted(controllers)) or "no controllers",
        "the memory of all processes of a bot together is looked at 20 times a second (best"
        " effort), not bounded",
        delegate,
    )
    reports = []
    for path in ("/proc/self/schedstat", "/proc/pressure/cpu"):
        # Without psi=1, a kernel with CONFIG_PSI may have a file that cannot be read.
        with suppress(OSError), open(path) as file:
            if file.read(200).strip():
                reports.append(path)
    yield Facility(
        "whose fault a time-out was",
        len(reports) == 2,
        ", ".join(reports) or "the kernel does not report it",
        "you do not know whether the machine or the bot was slow",
        "a kernel with CONFIG_SCHED_INFO and CONFIG_PSI (boot option psi=1)",
    )


def _list_hardware() -> Iterator[Facility]:
    yield judge_cores(find_usable_cores())
    # `time.get_clock_info` always says 1 ns, so the clock is watched. The smallest step counts,
    # because we may be interrupted between two readings.
    step = _FINE_NS * 1000
    for _ in range(1000):
        now = then = time.monotonic_ns()
        while then == now:
            then = time.monotonic_ns()
        step = min(step, then - now)
    yield Facility(
        "fine clock",
        step < _FINE_NS,
        f"steps of {step / 1000:.1f} µs",
        "short time controls are not fair",
        "another clock source (/sys/devices/system/clocksource)",
    )
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    yield Facility(
        "chromium",
        browser is not None,
        browser or "not found",
        "the tests of pages are skipped; nothing else needs it",
        "apt install chromium",
    )


def judge_cores(cores: UsableCores) -> Facility:
    """Return whether two games can be played at a time on the usable cores."""
    consequence = "and whatever else runs takes the time of the bots"
    if cores.time < 1:
        consequence = f"in which bots that compute get {100 * cores.time:.3g} % of their time"
    return Facility(
        "two cores",
        cores.slots > 1,
        f"{cores.reason}; {amount(cores.slots, 'game')} at a time",
        f"one game at a time, {consequence}",
        _LARGER_QUOTA if cores.time < cores.physical else "more cores",
    )


class Comparison(NamedTuple):
    """The comparison of the two copies, or the two seats, in one quantity; as text, a line.

    `difference` is the mean, and `plus_minus` half of its 95 % interval, None if there are too few
    values. For the score they are in points per game, for the wait of the seats in milliseconds per
    move, for other times the share by which the first took more. Differences up to `tolerance` do
    not matter, even if they are significant.
    """

    name: str
    difference: float
    plus_minus: float | None
    tolerance: float = _TOLERANCE

    @property
    def is_clear(self) -> bool:
        """True if a difference that matters would have been found."""
        return self.plus_minus is not None and self.plus_minus <= _CLEAR * self.tolerance

    @property
    def is_alike(self) -> bool:
        """True if the difference may be chance, or does not matter."""
        return self.plus_minus is None or abs(self.difference) <= max(
            self.plus_minus, self.tolerance
        )

    def __str__(self) -> str:
        mark = "✗" if not self.is_alike else "✓" if self.is_clear else "?"
        if self.plus_minus is None:
            return f"{mark} {self.name}: too few pairs to decide"
        factor, unit = (1, "ms") if self.name == WAIT else (100, "%")
        amount = f"{factor * self.difference:+.2f} ± {factor * self.plus_minus:.2f} {unit}"
        return f"{mark} {self.name}: {amount}"


def load_self_play(bot: str, path: Path | None) -> tuple[TournamentFile, str]:
    """Return a tournament and the id of a bot in it, from a file or with default settings."""
    if path is not None:
        file = load_tournament(path)
        if any(getattr(file.config, key) for key in IMPLIED):
            # The bot keeps its own name, with the options that the file sets.
            plain = {"format": "round-robin", **dict.fromkeys(IMPLIED), "until": None}
            file = file._replace(config=file.config.model_copy(update=plain))
        return file, bot
    entry = bot_entry(bot)
    find_bot(entry, Path.cwd())  # reports an error only once, not for both entries below
    return unwritten_file({"bots": [entry, entry]}), entry.name


def plan_self_play(bot: str, tournament: TournamentFile, pairs: int) -> Plan:
    """Return a plan in which one bot of a tournament plays against itself, with its settings."""
    plan = make_plan(tournament, _SEED)
    entrant = next((entrant for entrant in plan.entrants if entrant.spec.id == bot), None)
    if entrant is None:
        raise UsageError(f"{tournament.path} has no bot {bot!r}; it has {', '.join(plan.bots)}")
    # Both are the same entrant, so that not even the folder or the identity differs.
    copies = tuple(
        entrant._replace(spec=entrant.spec._replace(id=f"{bot}.{letter}")) for letter in "ab"
    )
    # A fixed number of pairs, each on its own deal: Student's t needs independent differences.
    schedule = Schedule(format="round-robin", pairs=pairs, deals="fresh", until=None)
    return plan._replace(entrants=copies, schedule=schedule, deals=(), max_faults=None)


def play_pairs(plan: Plan, workers: int, scratch: str) -> Generator[PairResult, None, None]:
    """Play the pairs of such a plan and yield each result; stop after a fault.

    Close the generator to end the bots. Raises `UsageError` if a pair cannot be played here.
    """
    scheduler = plan.scheduler()

    def next_job() -> Job | None:
        pairing = scheduler.next()
        return pairing and plan.job(pairing)

    with closing(LocalExecutor(workers, scratch)) as executor:
        for outcome in chain.from_iterable(executor.run(next_job)):
            if isinstance(outcome, LostJob):
                raise UsageError(f"a pair could not be played: {outcome.reason}")
            yield outcome
            if any(game.faults for game in outcome.games):
                return  # the times of a game that was cut short are not comparable


def compare(results: Iterable[PairResult]) -> Iterator[Comparison]:
    """Yield the comparisons; void games and games with faults are left out.

    The copy that is named first has the first seat in the first game of a pair and the second seat
    in the second one.
    """
    pairs: list[tuple[Game, Game]] = []
    scores: list[float] = []
    for first, second in (result.games for result in results):
        if first.points and second.points and not first.faults and not second.faults:
            pairs.append((first, second))
            scores.append((first.points[0] + second.points[1]) / 2 - 0.5)
    yield _average("score", scores)
    for name, measure in _TIMES.items():
        copies = [
            (measure(first, 0) + measure(second, 1), measure(first, 1) + measure(second, 0))
            for first, second in pairs
        ]
        yield _average(name, _log_ratios(copies))
    starts = [
        (first.usage[0].start + second.usage[0].start, first.usage[1].start + second.usage[1].start)
        for first, second in pairs
    ]
    yield _average("start-up, first seat against second", _log_ratios(starts))
    # The work of bots differs by seat, because positions do. What they take beyond that comes from
    # the machine and from us. It is a difference and not a share, because a bot may hardly work at
    # all.
    waits = [(_mean_wait(games, 0), _mean_wait(games, 1)) for games in pairs]
    differences = [
        first - second for first, second in waits if first is not None and second is not None
    ]
    yield _average(WAIT, differences)._replace(tolerance=_TOLERANCE_MS)


def conclude(comparisons: Collection[Comparison]) -> str:
    """Return the conclusion from all comparisons, in one line."""
    if not all(comparison.is_alike for comparison in comparisons):
        return "the two are NOT treated alike"
    if all(comparison.is_clear for comparison in comparisons):
        return "both copies and both seats are treated alike"
    return "no significant difference; play more --pairs where there is a ?"


def _average(name: str, values: Sequence[float]) -> Comparison:
    """Return mean and 95 % interval of independent values; no interval from fewer than two."""
    count = len(values)
    mean = sum(values) / count if count else 0.0
    if count < 2:
        return Comparison(name, mean, None)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return Comparison(name, mean, t_quantile(0.975, count - 1) * math.sqrt(variance / count))


def _log_ratios(amounts: Iterable[tuple[float, float]]) -> list[float]:
    """Return the log ratios of pairs of amounts; pairs with a zero are left out."""
    # On this scale twice and half are equally far from 1, and small values equal the share itself.
    return [math.log(first / second) for first, second in amounts if first > 0 and second > 0]


def _mean_wait(games: tuple[Game, Game], seat: int) -> float | None:
    """Return how much wall time exceeds CPU time in a seat's moves, in milliseconds per move."""
    plies = [ply for game in games for ply in game.plies if ply.seat == seat]
    return sum(ply.micros - ply.cpu for ply in plies) / len(plies) / 1000 if plies else None


def _mean(game: Game, seat: int, read: Callable[[Ply], int]) -> float:
    values = [read(ply) for ply in game.plies if ply.seat == seat]
    return sum(values) / len(values) if values else 0.0


_TIMES: dict[str, Callable[[Game, int], float]] = {
    "wall time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.micros),
    "processor time a move": lambda game, seat: _mean(game, seat, lambda ply: ply.cpu),
    "start-up": lambda game, seat: game.usage[seat].start,
}
