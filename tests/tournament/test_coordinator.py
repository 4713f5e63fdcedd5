"""The main loop of a run: which pairs are handed out, stored and reported, and in which order."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.executor import LostJob
from pwtourney.executor.base import NextJob
from pwtourney.executor.futures import FuturesExecutor
from pwtourney.match import Job, PairResult
from pwtourney.notation.game import Verdict
from pwtourney.schedule import Pairing
from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.events import (
    Ended,
    Event,
    FaultSeen,
    PairBegun,
    PairDone,
    ProbeDone,
    Queue,
    Remark,
    Standing,
    Started,
    SuspectBot,
)
from pwtourney.tournament.plan import make_plan
from pwtourney.tournament.resume import open_results
from pwtourney.tournament.run import list_missing, make_executor, run_tournament
from pwtourney.tuning import Dimension
from tests.tournament.paper import Paper, lose, plan, play, win_by_name

LEAGUE = """\
pairs: 2
seed: 5000000000000000
edition: express
bots:
  - {id: ada, command: "true"}
  - {id: bob, command: "true"}
"""
"""Pair 0 is ada against bob, and pair 1 bob against ada."""


@pytest.fixture
def folder(tmp_path: Path) -> ResultsFolder:
    """Return a results folder."""
    return ResultsFolder(tmp_path / "r")


def longer(pairs: int, more: str = "") -> str:
    """Return the league with this many pairs and more lines."""
    return LEAGUE.replace("pairs: 2", f"pairs: {pairs}") + more


def stored(folder: ResultsFolder) -> list[tuple[int, int, tuple[str, str], str, str]]:
    """Return number, bots, verdict and note of each stored game."""
    with closing(Store.open(folder.database)) as store:
        return [(g.pair, g.game, g.bots, str(g.verdict), g.note) for g in store.records()]


def is_over(folder: ResultsFolder) -> bool:
    """Return True if the store says that all pairs were played."""
    with closing(Store.open(folder.database)) as store:
        return store.meta().over


class Ticks:
    """A clock that advances by some seconds at each look."""

    def __init__(self, step: float) -> None:
        self.time = 1000.0
        self._step = step

    def __call__(self) -> float:
        """Return the time in seconds."""
        self.time += self._step
        return self.time


def test_each_pair_is_reported_with_its_faults(tmp_path: Path, folder: ResultsFolder) -> None:
    """Bob loses all four games: ada has 2 points as the first bot, and bob 0 points."""
    events: list[Event] = []
    assert play(plan(tmp_path, LEAGUE), folder, listen=events.append)
    assert events == [
        Started(2, 0),
        PairBegun(0, "ada", "bob"),
        FaultSeen(0, 0, "bob", "crash", "bob failed", "log of 1"),
        FaultSeen(0, 1, "bob", "crash", "bob failed", "log of 0"),
        PairDone(0, "ada", "bob", 2.0),
        PairBegun(1, "bob", "ada"),
        FaultSeen(1, 0, "bob", "crash", "bob failed", "log of 0"),
        FaultSeen(1, 1, "bob", "crash", "bob failed", "log of 1"),
        PairDone(1, "bob", "ada", 0.0),
        Ended(over=True, pairs=2),
    ]
    assert stored(folder) == [
        (0, 0, ("ada", "bob"), "crash", ""),
        (0, 1, ("bob", "ada"), "crash", ""),
        (1, 0, ("bob", "ada"), "crash", ""),
        (1, 1, ("ada", "bob"), "crash", ""),
    ]
    assert is_over(folder)


def test_points_of_a_pair_are_the_sum_of_both_games(tmp_path: Path, folder: ResultsFolder) -> None:
    """Each bot wins as seat 0, or both games are draws because both bots fail at the start."""

    def share(job: Job) -> PairResult:
        first, second = (lose(setup, 1) for setup in job.games)
        if job.pair == 1:
            fault = lose(job.games[0], 0, Verdict.START, plies=0).faults[0]
            first, second = (
                lose(setup, 1, Verdict.START, plies=0)._replace(winner=None) for setup in job.games
            )
            first = first._replace(faults=(fault, *first.faults))
            second = second._replace(faults=(fault, *second.faults))
        return PairResult(job.pair, (first, second))

    events: list[Event] = []
    play(plan(tmp_path, LEAGUE), folder, Paper(share), events.append)
    points = [event.points for event in events if isinstance(event, PairDone)]
    assert points == [1.0, 1.0]
    with closing(Store.open(folder.database)) as store:
        assert dict(store.outcomes()) == {0: (1.0, 0.0), 1: (0.5, 0.5)}


def test_lost_pair_is_void_with_its_reason(tmp_path: Path, folder: ResultsFolder) -> None:
    """Neither bot gets points, and the run continues with the next pair."""

    def lost(job: Job) -> PairResult | LostJob:
        return LostJob(job, "no more memory") if job.pair == 0 else win_by_name(job)

    events: list[Event] = []
    assert play(plan(tmp_path, LEAGUE), folder, Paper(lost), events.append)
    assert events[2:5] == [
        FaultSeen(0, 0, None, "runner-error", "no more memory"),
        FaultSeen(0, 1, None, "runner-error", "no more memory"),
        PairDone(0, "ada", "bob", None),
    ]
    assert stored(folder)[:2] == [
        (0, 0, ("ada", "bob"), "runner-error", "no more memory"),
        (0, 1, ("bob", "ada"), "runner-error", "no more memory"),
    ]


def test_replayed_pair_is_reported_with_its_note(tmp_path: Path, folder: ResultsFolder) -> None:
    """The note of a void game was reported with the game, and is not repeated."""

    def replayed(job: Job) -> PairResult:
        first, second = win_by_name(job).games
        if job.pair == 0:
            return PairResult(0, (first._replace(note="slow machine", replays=1), second))
        return PairResult(1, (first._replace(note="ignored"), second))

    events: list[Event] = []
    play(plan(tmp_path, LEAGUE), folder, Paper(replayed), events.append)
    notes = [event.note for event in events if isinstance(event, PairDone)]
    assert notes == ["slow machine", ""]


def test_remark_is_reported_once(tmp_path: Path, folder: ResultsFolder) -> None:
    """Two pairs have the same remark, and the second pair has another one as well."""

    def remark(job: Job) -> PairResult:
        texts = ("ada is slow", "bob is new")[: job.pair + 1]
        return win_by_name(job)._replace(remarks=texts)

    events: list[Event] = []
    play(plan(tmp_path, LEAGUE), folder, Paper(remark), events.append)
    kinds = [event for event in events if isinstance(event, Remark | PairDone)]
    assert kinds[1:2] + kinds[3:] == [Remark("ada is slow"), Remark("bob is new")]


def test_bot_that_fails_at_once_is_suspected(tmp_path: Path, folder: ResultsFolder) -> None:
    """The warning follows the pair in which both games failed."""

    def stuck(job: Job) -> PairResult:
        first, second = (lose(setup, seat, plies=seat) for seat, setup in enumerate(job.games))
        return PairResult(job.pair, (first, second))

    events: list[Event] = []
    play(plan(tmp_path, longer(1)), folder, Paper(stuck), events.append)
    assert events[-3:] == [
        PairDone(0, "ada", "bob", 0.0),
        SuspectBot(0, 0, "ada", "crash", "ada failed"),
        Ended(over=True, pairs=1),
    ]


def test_later_run_plays_what_is_missing(tmp_path: Path, folder: ResultsFolder) -> None:
    """Two of four pairs are stored; the first run stops because it is asked to."""
    text, begun, counts = longer(4), [], []
    whole = plan(tmp_path, text)

    def note(event: Event) -> None:
        if isinstance(event, PairBegun):
            begun.append(event.pair)
        if isinstance(event, Started | Ended):
            counts.append(event)

    folder.prepare()
    with closing(open_results(folder, whole)) as store:
        assert not run_tournament(whole, store, Paper(), note, stopping=lambda: len(begun) == 2)
        assert not store.meta().over
        missing = list_missing(whole, store.outcomes())
        assert [(pairing.number, pairing.first) for pairing in missing] == [(2, "ada"), (3, "bob")]
    assert play(whole, folder, listen=note)
    assert begun == [0, 1, 2, 3]
    assert counts == [
        Started(4, 0),
        Ended(over=False, pairs=2),
        Started(4, 2),
        Ended(over=True, pairs=4),
    ]
    assert is_over(folder)


def test_longer_tournament_is_not_over_before_its_first_pair(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """If the run is killed there, the store says that pairs are missing."""
    play(plan(tmp_path, LEAGUE), folder)
    assert is_over(folder)
    seen: list[bool] = []
    play(plan(tmp_path, longer(3)), folder, listen=lambda _: seen.append(is_over(folder)))
    assert seen[0] is False


def test_no_pair_begins_when_the_budget_is_spent(tmp_path: Path, folder: ResultsFolder) -> None:
    """A run of 3 seconds reads the clock each second: pairs begin after 1 and 2 seconds."""
    short = plan(tmp_path, longer(9, "budget: 3s\n"))
    assert short.budget == 3.0
    begun: list[int] = []
    folder.prepare()
    with closing(open_results(folder, short)) as store:

        class Second(Paper):
            def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
                while True:
                    clock.time += 1
                    if (job := next_job()) is None:
                        return
                    begun.append(job.pair)
                    yield [win_by_name(job)]

        clock = Ticks(0)
        assert not run_tournament(short, store, Second(), lambda _: None, clock)
    assert begun == [0, 1]


def test_results_are_rewritten_before_they_are_stored(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """The event and the store have the new text."""

    def rewrite(result: PairResult) -> PairResult:
        first, second = (
            game._replace(faults=tuple(fault._replace(message="?") for fault in game.faults))
            for game in result.games
        )
        return result._replace(games=(first, second))

    league = plan(tmp_path, longer(1))
    events: list[Event] = []
    folder.prepare()
    with closing(open_results(folder, league)) as store:
        assert run_tournament(league, store, Paper(), events.append, rewrite=rewrite)
        assert {fault.message for game in store.records() for fault in game.faults} == {"?"}
    assert [event.message for event in events if isinstance(event, FaultSeen)] == ["?", "?"]


def test_next_five_missing_pairs_are_known(tmp_path: Path, folder: ResultsFolder) -> None:
    """Pair 3 is stored, and pair 0 is handed out first, so 1, 2, 4, 5 and 6 are next."""
    league = plan(tmp_path, longer(20))
    only = league._replace(shard=None)
    folder.prepare()
    with closing(open_results(folder, only)) as store:
        first, second = win_by_name(only.job(Pairing(3, "bob", "ada", 3))).games
        store.add([first._replace(pair=3, game=0), second._replace(pair=3, game=1)])
        queues: list[Queue] = []
        listed: list[list[int]] = []

        def note(event: Event) -> None:
            if isinstance(event, PairBegun):
                listed.append([pairing.number for pairing in queues[0]()])

        run_tournament(only, store, Paper(), note, follow=queues.append)
    assert listed[0] == [1, 2, 4, 5, 6]
    assert listed[-3:] == [[18, 19], [19], []]
    assert len(listed) == 19


def test_shard_plays_and_lists_its_own_pairs(tmp_path: Path, folder: ResultsFolder) -> None:
    """Part 2 of 3 of seven pairs has pairs 1 and 4."""
    part = plan(tmp_path, longer(7))._replace(shard=Shard(2, 3))
    executor = Paper()
    events: list[Event] = []
    assert play(part, folder, executor, events.append)
    assert [job.pair for job in executor.jobs] == [1, 4]
    assert (events[0], events[-1]) == (Started(2, 0), Ended(over=True, pairs=2))
    assert [pairing.number for pairing in list_missing(part, {4: (1.0, 1.0)})] == [1]


MAX_FAULTS = "max_faults: 1\n"


def test_pairs_beyond_the_horizon_of_a_fault_are_void(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """Bob fails in pair 0, so pairs from 65 on are void; part 1/33 has pairs 0, 33 and 66."""
    part = plan(tmp_path, longer(67, MAX_FAULTS))._replace(shard=Shard(1, 33))
    executor = Paper()
    events: list[Event] = []
    assert play(part, folder, executor, events.append)
    assert [job.pair for job in executor.jobs] == [0, 33]
    reason = "bob is disqualified after 1 faults"
    assert events[-2:] == [PairDone(66, "ada", "bob", None, reason), Ended(over=True, pairs=3)]
    assert stored(folder)[-2:] == [
        (66, 0, ("ada", "bob"), "disqualified", reason),
        (66, 1, ("bob", "ada"), "disqualified", reason),
    ]


def test_pair_that_ends_too_early_is_held_until_it_is_decided(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """Pair 66 was played, and is void because of faults in pair 0, which ended after it."""
    part = plan(tmp_path, longer(67, MAX_FAULTS))._replace(shard=Shard(1, 66))
    events: list[Event] = []
    assert play(part, folder, Paper(together=2, backwards=True), events.append)
    done = [event for event in events if isinstance(event, PairDone)]
    assert [(event.pair, event.points) for event in done] == [(0, 2.0), (66, None)]
    assert done[1].note == "bob is disqualified after 1 faults"
    # the faults of a void pair do not count, and are not reported
    assert {event.pair for event in events if isinstance(event, FaultSeen)} == {0}


class Late(Paper):
    """An executor in which the first pair lasts longer than all others."""

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Hand out the first job, end all others at once, and end the first one at last."""
        first = next_job()
        assert first is not None
        while (job := next_job()) is not None:
            self.jobs.append(job)
            yield [win_by_name(job)]
        self.jobs.append(first)
        yield [win_by_name(first)]


def test_eight_results_are_held_for_each_running_pair(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """Pair 0 runs on; of those in part 1/66, 66 to 528 are held, and 594 waits."""
    part = plan(tmp_path, longer(1000, MAX_FAULTS))._replace(shard=Shard(1, 66))
    executor = Late()
    queues: list[Any] = []
    listed: list[Any] = []

    def note(event: Event) -> None:
        if isinstance(event, PairDone) and not listed:
            listed.extend(pairing.number for pairing in queues[0]())

    folder.prepare()
    with closing(open_results(folder, part)) as store:
        over = run_tournament(part, store, executor, note, follow=queues.append)
        assert not over
        assert not store.meta().over
        assert sorted(store.outcomes()) == [66 * index for index in range(9)]
    assert [job.pair for job in executor.jobs] == [*range(66, 529, 66), 0]
    assert listed == [594, 660, 726, 792, 858, 924]


def test_leaders_are_reported_every_ten_seconds(tmp_path: Path, folder: ResultsFolder) -> None:
    """Stored pairs count as well: after one more pair, ada leads with 3 pairs to 0."""
    league = plan(tmp_path, longer(3))
    folder.prepare()
    events: list[Event] = []
    with closing(open_results(folder, league)) as store:
        run_tournament(league, store, Paper(), lambda _: None, stopping=lambda: store.count() == 2)
        run_tournament(league, store, Paper(), events.append, Ticks(11))
    (standing,) = [event for event in events if isinstance(event, Standing)]
    assert [leader.bot for leader in standing.leaders] == ["ada", "bob"]
    assert (standing.above, standing.below) == ("ada", "bob")
    assert isinstance(events[-3], PairDone)


def test_probe_is_reported_when_its_last_pair_has_ended(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """The bot plays itself; a probe of two pairs that plus wins 2–0 each has the score 1."""
    (tmp_path / "tune.yaml").write_text(
        'seed: 5000000000000000\nedition: express\nbots: [{id: ada, command: "true"}]\n'
        "tune: {bot: ada, options: {pace: [0, 4]}, probes: 3, pairs: 2}\n"
    )
    file = load_tournament(tmp_path / "tune.yaml")
    space = (Dimension("pace", "float", 1.0, 0.0, 4.0),)
    tuning = make_plan(file._replace(space=space), 1)
    values: list[tuple[tuple[str, str], ...]] = []

    def win(job: Job) -> PairResult:
        first, second = (lose(setup, 1 if setup.bots[0].id == "ada+" else 0) for setup in job.games)
        values.append(next(bot.options for bot in job.games[0].bots if bot.id == "ada+"))
        return PairResult(job.pair, (first, second))

    events: list[Event] = []
    folder.prepare()
    with closing(open_results(folder, tuning)) as store:
        assert not run_tournament(
            tuning, store, Paper(win), events.append, stopping=lambda: store.count() == 3
        )
        assert run_tournament(tuning, store, Paper(win), events.append)
        options = [game.options for game in store.records()]
    probes = [event for event in events if isinstance(event, ProbeDone)]
    assert [(probe.probe, probe.score, probe.games) for probe in probes] == [
        (0, 1.0, 4.0),
        (1, 1.0, 4.0),
        (2, 1.0, 4.0),
    ]
    assert [tuple(probe.plus.items()) for probe in probes] == values[::2]
    assert [tuple(probe.minus) for probe in probes] == [("pace",)] * 3
    assert all(probe.plus != probe.minus for probe in probes)
    assert [tuple(probe.estimate) for probe in probes] == [("pace",)] * 3
    # ada+ has seat 0 in the first game of even pairs, and in the second one of odd pairs
    assert [options[k][seat] for k, seat in ((0, 0), (1, 1), (2, 1), (3, 0))] == [values[0]] * 4
    assert options[0] == options[1][::-1]


def test_pool_of_a_file_has_as_many_slots_as_workers(tmp_path: Path) -> None:
    """The league has two pairs, and its own machine has nothing to say about a pool's cores."""
    (tmp_path / "my_paper_pool.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor as make\n"
    )
    text = LEAGUE + "executor: {factory: my_paper_pool:make}\naffinity: {cores: 1000}\n"
    (tmp_path / "t.yaml").write_text(text)
    file = load_tournament(tmp_path / "t.yaml")
    messages: list[str] = []
    made = make_executor(
        make_plan(file, 1), file, 5, str(tmp_path), messages.append, messages.append
    )
    with closing(made):
        assert isinstance(made, FuturesExecutor)
        assert made.slots() == 5
    assert messages == []
