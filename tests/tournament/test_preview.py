"""Previews of runs, results folders, private files, and sessions in which no pair is left."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.config import TournamentFile
from pwtourney.errors import StoreError, UsageError
from pwtourney.schedule import Pairing
from pwtourney.schedule.pairing import Shard
from pwtourney.signals import SoftStop
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.events import Ended, Event, Started
from pwtourney.tournament.plan import make_plan
from pwtourney.tournament.resume import open_results
from pwtourney.tournament.run import run_tournament
from pwtourney.tournament.session import (
    Preview,
    RunOptions,
    choose_folder,
    list_private_paths,
    open_session,
    preview_run,
)
from tests.tournament.paper import Paper, play, win_by_name

LEAGUE = """\
name: paper
pairs: 100
seed: 5000000000000000
edition: express
bots:
  - {id: ada, command: "true"}
  - {id: bob, command: "true"}
"""
CY = '  - {id: cy, command: "false"}\n'


def read(folder: Path, text: str) -> TournamentFile:
    """Write a tournament file and read it."""
    (folder / "t.yaml").write_text(text)
    return load_tournament(folder / "t.yaml")


@pytest.fixture
def folder(tmp_path: Path) -> ResultsFolder:
    """Return a results folder that does not exist yet."""
    return ResultsFolder(tmp_path / "r")


def shown(preview: Preview) -> list[str]:
    """Return the lines of a preview without those about bots and this machine's cores."""
    return [line for line in preview.lines if not line.startswith(("  ", "cores: ", "warning: t"))]


def test_preview_of_a_new_tournament_has_schedule_and_estimates(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """Three bots play 300 pairs, two at a time.

    On the express edition a bot has at most 29 spaces, 15 + 8 patches and 6 special patches, so 58
    turns of a second; with 2 · 10 s to start and 0.5 s to end, a game lasts at most 157 s. 150
    pairs in turn take 47,100 s. A game takes 2,100 bytes. The interval is 1.96 √(2 · 2/(100 · 9)),
    and a unit of the natural scale is 173.7 Elo: 22.7 Elo.
    """
    file = read(tmp_path, LEAGUE + CY)
    preview = preview_run(file, folder, RunOptions(2))
    assert preview.refusals == []
    assert shown(preview) == [
        "paper: round-robin, edition express",
        "schedule: bob–cy, ada–cy, ada–bob, cy–bob, cy–ada, bob–ada, …",
        "to play: 300 pairs, 600 games, 2 at a time",
        "duration: at most 13.1 h, if every bot used all of its time",
        "disk: about 1.2 MiB",
        "intervals: about ± 23 Elo at 95 % for bots of even strength",
    ]
    bots = [line for line in preview.lines if line.startswith("  ")]
    contents = [entrant.identity for entrant in make_plan(file, 1).entrants]
    assert bots == [
        f"  {name}: {content}, clock 1000 ms a move"
        for name, content in zip(("ada", "bob", "cy"), contents, strict=True)
    ]
    (cores,) = [line for line in preview.lines if line.startswith("cores: ")]
    assert cores.endswith("; 2 games at a time")
    assert not folder.path.exists()


def test_preview_of_a_part_and_of_a_budget(tmp_path: Path, folder: ResultsFolder) -> None:
    """Part 2 of 3 of six pairs has two of them, and they are played by one worker."""
    text = "budget: 100s\n" + LEAGUE.replace("100", "2") + CY
    lines = shown(preview_run(read(tmp_path, text), folder, RunOptions(9, shard=Shard(2, 3))))
    assert lines[1:-1] == [
        "schedule: ada–cy, cy–ada",
        "part 2/3: 2 of 6 pairs",
        "to play: 2 pairs, 4 games, 2 at a time",
        "duration: at most 5 min, if every bot used all of its time",
        "a run ends after 2 min",
        "disk: about 0.0 MiB",
    ]
    with pytest.raises(UsageError, match="all parts need the same seed"):
        text = LEAGUE.replace("seed: 5000000000000000\n", "")
        preview_run(read(tmp_path, text), folder, RunOptions(1, shard=Shard(2, 3)))


def test_preview_of_a_format_that_needs_results(tmp_path: Path, folder: ResultsFolder) -> None:
    """The number of pairs is an upper bound, and no interval can be expected."""
    text = "format: swiss\nrounds: 1\n" + LEAGUE.replace("100", "1")
    lines = shown(preview_run(read(tmp_path, text), folder, RunOptions(1)))
    assert lines[2] == "to play: at most 1 pairs, 2 games, 1 at a time"
    assert not any(line.startswith("intervals") for line in lines)


def test_preview_warns_of_what_bots_may_learn(tmp_path: Path, folder: ResultsFolder) -> None:
    """A seed of three digits reveals the order of late patches."""
    text = LEAGUE.replace("5000000000000000", "123")
    lines = preview_run(read(tmp_path, text), folder, RunOptions(1)).lines
    assert any(
        line.startswith("warning: a bot can find a seed as short as 123 by trial") for line in lines
    )


def test_preview_of_stored_results_shows_what_is_left(
    tmp_path: Path, folder: ResultsFolder
) -> None:
    """One of three pairs is stored; another bot is refused, unless the league is extended."""
    file = read(tmp_path, LEAGUE.replace("100", "3"))
    plan = make_plan(file, 1)
    folder.prepare()
    with closing(open_results(folder, plan)) as store:
        run_tournament(plan, store, Paper(), lambda _: None, stopping=lambda: store.count() == 1)
    preview = preview_run(file, folder, RunOptions(1))
    assert preview.refusals == []
    assert shown(preview)[1:6] == [
        "next: bob–ada, ada–bob",
        "to play: 2 pairs, 4 games, 1 at a time",
        "duration: at most 10 min, if every bot used all of its time",
        "disk: about 0.0 MiB",
        f"stored in {folder.path}: 1 pairs",
    ]
    grown = read(tmp_path, LEAGUE.replace("100", "3") + CY)
    refused = preview_run(grown, folder, RunOptions(1))
    assert f"{folder.path}: another tournament is stored here; what differs:" in refused.refusals
    extended = preview_run(grown, folder, RunOptions(1, extend=True))
    assert extended.refusals == []
    # ada and bob have met once, and each of the three pairs of bots meets three times
    assert "to play: 8 pairs, 16 games, 1 at a time" in extended.lines
    fresh = preview_run(grown, folder, RunOptions(1, fresh=True))
    assert fresh.lines[0] == "the old results are moved to another folder"
    assert "to play: 9 pairs, 18 games, 1 at a time" in fresh.lines


def test_results_folder_is_named_after_the_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is below `results`, where the file says, or where the user says; parts have their own."""
    monkeypatch.chdir(tmp_path)
    league = tmp_path / "league"
    league.mkdir()
    named = read(league, LEAGUE)
    unnamed = read(league, LEAGUE.replace("name: paper\n", ""))
    placed = read(league, LEAGUE + "results: out/mine\n")
    part = Shard(2, 3)
    for file, given, shard, expected in (
        (named, None, None, "results/paper"),
        (unnamed, None, None, "results/t"),
        (placed, None, None, "league/out/mine"),
        (named, None, part, "results/paper-2-of-3"),
        (placed, None, part, "league/out/mine-2-of-3"),
        (placed, Path("there"), None, "there"),
        (placed, Path("there"), part, "there"),
    ):
        assert choose_folder(file, given, shard).path == tmp_path / expected
        assert choose_folder(file, given, shard, untrusted=True).path == tmp_path / expected


def test_current_folder_holds_results_only_if_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder will do, and one with results."""
    file = read(tmp_path, LEAGUE)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert choose_folder(file, Path(), None).path == here
    (here / "notes.txt").touch()
    with pytest.raises(UsageError, match=r"--results: the folder contains other files; name an"):
        choose_folder(file, Path(), None)
    (here / "games.sqlite").touch()
    assert choose_folder(file, Path("."), None).path == here


def test_untrusted_checkout_cannot_redirect_results_by_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who gives an absolute path may use a link of his own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results").symlink_to("elsewhere")
    file = read(tmp_path, LEAGUE)
    refusal = "with --untrusted no link may lead to results/paper, where results are written"
    with pytest.raises(UsageError) as caught:
        choose_folder(file, None, None, untrusted=True)
    assert str(caught.value) == refusal
    with pytest.raises(UsageError):
        choose_folder(file, Path("results/paper"), None, untrusted=True)
    linked = tmp_path / "elsewhere/paper"
    assert choose_folder(file, None, None).path == linked
    assert choose_folder(file, tmp_path / "results/paper", None, untrusted=True).path == linked


def test_no_bot_may_read_results_and_files_of_the_tournament(tmp_path: Path) -> None:
    """Old results, base files and the list of deals count, and links are followed."""
    (tmp_path / "base.yaml").write_text("pairs: 3\n")
    (tmp_path / "real.txt").write_text("")
    file = read(tmp_path, "extends: base.yaml\n" + LEAGUE.replace("pairs: 100\n", ""))
    (tmp_path / "r.20260101-000000").mkdir()
    results = ResultsFolder(tmp_path / "r")
    own = [tmp_path / "t.yaml", tmp_path / "base.yaml"]
    old = tmp_path / "r.20260101-000000"
    assert list_private_paths(file, results) == [tmp_path / "r", old, *own]
    (tmp_path / "d.txt").symlink_to("real.txt")
    listed = file._replace(config=file.config.model_copy(update={"deals": "d.txt"}))
    assert list_private_paths(listed, results)[2:] == [*own, tmp_path / "real.txt"]
    (tmp_path / "base.yaml").unlink()
    duel = ResultsFolder(tmp_path / "r/confirmed/3-start")
    assert list_private_paths(file, duel) == [tmp_path / "r", tmp_path / "t.yaml"]


POOL = "executor: {factory: my_still_pool:make}\nsandbox: none\n"
"""A pool that gets no jobs in these tests, so no worker is started."""


@pytest.fixture
def still(tmp_path: Path) -> Path:
    """Write the module of the pool, and two bots; return their folder."""
    (tmp_path / "my_still_pool.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor as make\n"
    )
    for name in ("ada", "bob"):
        (tmp_path / f"{name}.sh").write_text("#!/bin/sh\n")
        (tmp_path / f"{name}.sh").chmod(0o755)
    return tmp_path


STILL = f"""\
name: paper
pairs: 2
seed: 5000000000000000
edition: express
{POOL}bots:
  - {{id: ada, command: ./ada.sh}}
  - {{id: bob, command: ./bob.sh}}
"""


QUIET: dict[str, Any] = {"tell": lambda _: None, "warn": lambda _: None}


def soft_stop(notify: Callable[[], None] = lambda: None) -> SoftStop:
    """Return a stop with a long time of grace."""
    return SoftStop(1000.0, notify)


def test_session_of_a_stored_tournament_is_over(still: Path, folder: ResultsFolder) -> None:
    """No pair begins, and nothing is reported."""
    file = read(still, STILL)
    assert play(make_plan(file, 1), folder)
    messages: list[str] = []
    events: list[Event] = []
    with open_session(
        file, folder, RunOptions(1), tell=messages.append, warn=messages.append
    ) as session:
        assert session.plan.pairs == 2
        assert session.aside is None
        assert folder.is_locked()
        assert session.play(events.append, soft_stop()) == "over"
    assert (messages, events) == ([], [])
    assert not folder.is_locked()


CHANGED = (
    "ada changed while it played: some of its games may be of the new one. To be sure, play again"
    " with --fresh"
)


def test_stopped_session_is_interrupted(still: Path, folder: ResultsFolder) -> None:
    """It was asked to stop before its first pair; a bot changed meanwhile, and another is gone."""
    file = read(still, STILL)
    stop = soft_stop()
    messages: list[str] = []
    warned: list[str] = []
    events: list[Event] = []

    def note(event: Event) -> None:
        events.append(event)
        if isinstance(event, Started):
            assert (folder.path / "games.sqlite").exists()
            (still / "ada.sh").write_text("#!/bin/sh\nexit 1\n")
            (still / "bob.sh").unlink()

    with (
        open_session(
            file, folder, RunOptions(1), tell=messages.append, warn=warned.append, now=lambda: 0.0
        ) as session,
        stop,
    ):
        stop.ask()
        assert session.play(note, stop) == "interrupted"
    assert events == [Started(2, 0), Ended(over=False, pairs=0)]
    assert warned[-2:] == [
        CHANGED,
        "bob cannot be found any more: some of its games may be of another program, or of none",
    ]
    with closing(Store.open(folder.database)) as store:
        assert store.meta().created == "1970-01-01T00:00:00Z"
        assert store.meta().seed == 5000000000000000


def test_session_ends_with_its_budget(still: Path, folder: ResultsFolder) -> None:
    """The budget of a millisecond is spent before the first pair begins."""
    file = read(still, "budget: 1ms\n" + STILL)

    def wait(event: Event) -> None:
        if isinstance(event, Started):
            end = time.monotonic() + 0.002
            while time.monotonic() < end:
                pass

    with open_session(
        file, folder, RunOptions(1), tell=lambda _: None, warn=lambda _: None
    ) as session:
        assert session.play(wait, soft_stop()) == "budget"


def test_session_is_over_if_its_last_pair_was_stored_meanwhile(
    still: Path, folder: ResultsFolder
) -> None:
    """One pair was missing when the session began; the other pair is not played again."""
    file = read(still, STILL.replace("pairs: 2", "pairs: 1"))
    plan = make_plan(file, 1)
    folder.prepare()
    open_results(folder, plan).close()
    events: list[Event] = []
    with open_session(
        file, folder, RunOptions(1), tell=lambda _: None, warn=lambda _: None
    ) as session:
        with closing(Store.open(folder.database, write=True)) as store:
            first, second = win_by_name(plan.job(Pairing(0, "ada", "bob", 0))).games
            store.add([first, second._replace(game=1)])
        assert session.play(events.append, soft_stop()) == "over"
    assert events == [Started(1, 1), Ended(over=True, pairs=1)]


def test_fresh_session_moves_old_results(still: Path, folder: ResultsFolder) -> None:
    """The new results have none of the old pairs; without fresh another seed is refused."""
    file = read(still, STILL)
    play(make_plan(file, 1), folder)
    other = read(
        still,
        STILL.replace("5000000000000000", "6000000000000000", 1).replace("pairs: 2", "pairs: 3"),
    )
    stop = soft_stop()
    with open_session(other, folder, RunOptions(1), **QUIET) as session, stop:
        stop.ask()
        with pytest.raises(StoreError, match="seed: stored is 5000000000000000, the file says 6"):
            session.play(lambda _: None, stop)
    with open_session(other, folder, RunOptions(1, fresh=True), **QUIET) as session, stop:
        assert session.aside is not None
        assert ResultsFolder(session.aside).database.exists()
        assert not folder.database.exists()
        assert session.play(lambda _: None, stop) == "interrupted"
    with closing(Store.open(folder.database)) as store:
        assert (store.meta().seed, store.count()) == (6000000000000000, 0)


def test_session_of_a_part_plays_only_that_part(still: Path, folder: ResultsFolder) -> None:
    """Part 2 of 2 of two pairs has one; a league that grows has the pairs of the new bot."""
    file = read(still, STILL)
    part = RunOptions(1, shard=Shard(2, 2))
    with open_session(file, folder, part, **QUIET) as session:
        assert (session.plan.shard, session.plan.share) == (Shard(2, 2), 1)
    assert play(make_plan(file, 1), folder)
    grown = read(still, STILL + CY)
    with open_session(grown, folder, RunOptions(1, extend=True), **QUIET) as session:
        assert session.plan.earlier is not None
        assert session.plan.pairs == 2 + 4
