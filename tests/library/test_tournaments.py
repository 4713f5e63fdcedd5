"""Tournaments played by a program: the same as by the command, and as objects."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import pwtourney
from tests.library.small import CONFIG, play_small
from tests.program import pwtourney as command
from tests.sharing import Once
from tests.tournament.test_run import MISBEHAVING

pytestmark = pytest.mark.slow(3)

LONG = {**CONFIG, "pairs": 400}
SHORT = {**CONFIG, "pairs": 1}


@pytest.mark.thorough
def test_program_and_command_play_the_same(tmp_path: Path, once: Once) -> None:
    """`run` accepts the folder that a program filled as its own, complete."""
    file = tmp_path / "small.yaml"
    file.write_text(json.dumps(CONFIG))
    small = once("library", play_small)
    played = pickle.loads((small / "result").read_bytes())
    shutil.copytree(small / "r", tmp_path / "results")
    assert (played.ending, played.pairs, played.planned, played.seed) == ("over", 2, 2, 5)
    said = command("run", str(file), "--results", str(tmp_path / "results"), "--quiet")
    assert f"Game hash {played.game_hash}" in said.stdout
    stored = json.loads((tmp_path / "results" / "standings.json").read_text())
    (pool,) = played.standings.pools
    said_of = [bot["bot"] for bot in stored["tables"][0]["bots"]]
    assert [line.bot for line in pool.rows] == said_of
    assert pwtourney.verify(tmp_path / "results") == []


@pytest.mark.thorough
def test_events_come_in_order_and_a_run_resumes(tmp_path: Path) -> None:
    """A callback that raises ends the run at once; the next run plays the missing pairs."""
    events: list[pwtourney.Event] = []

    def break_off(event: pwtourney.Event) -> None:
        events.append(event)
        if isinstance(event, pwtourney.PairDone):
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        pwtourney.play_tournament(CONFIG, results=tmp_path / "r", on_event=break_off)
    assert [type(event).__name__ for event in events] == ["Started", "PairBegun", "PairDone"]
    tournament = pwtourney.Tournament.from_config(CONFIG)
    with tournament.start(results=tmp_path / "r") as run:
        events = [*run]
        result = run.result()
    begun, ended = events[0], events[-1]
    assert isinstance(begun, pwtourney.Started)
    assert 1 <= begun.done <= 2  # the second pair may have ended before the run was aborted
    assert ended == pwtourney.Ended(over=True, pairs=2)
    assert (result.ending, result.pairs) == ("over", 2)


@pytest.mark.thorough
def test_stop_lets_running_pairs_end(tmp_path: Path) -> None:
    """It may be called repeatedly and by other threads: running pairs are finished."""
    tournament = pwtourney.Tournament.from_config(LONG)
    with tournament.start(results=tmp_path / "r") as run:
        for event in run:
            if isinstance(event, pwtourney.PairDone):
                for _ in range(5):
                    threading.Thread(target=run.stop).start()
        result = run.result()
    assert result.ending == "interrupted"
    assert 1 <= result.pairs < 400
    assert result.standings.games == 2 * result.pairs
    run.stop()  # no effect after the end


@pytest.mark.thorough
def test_stop_may_be_called_at_any_time(tmp_path: Path) -> None:
    """Before the first pair nothing is played; after the last all is stored and reported."""
    tournament = pwtourney.Tournament.from_config(CONFIG)
    with tournament.start(results=tmp_path / "early") as run:
        run.stop()
        result = run.result()
    assert result.ending == "interrupted"
    assert result.pairs < 2
    tournament = pwtourney.Tournament.from_config(SHORT)
    with tournament.start(results=tmp_path / "late") as run:
        for event in run:
            if isinstance(event, pwtourney.Ended):
                run.stop()
        assert run.result().ending == "over"
    assert (tmp_path / "late" / "report.html").exists()


@pytest.mark.thorough
def test_leaving_the_with_block_ends_the_run(tmp_path: Path) -> None:
    """No process is left, and the folder can be used at once."""
    with pwtourney.Tournament.from_config(LONG).start(results=tmp_path / "r") as run:
        assert isinstance(next(iter(run)), pwtourney.Started)
    assert not (tmp_path / "r" / "running.json").exists()
    assert pwtourney.play_tournament(SHORT, results=tmp_path / "r", fresh=True).ending == "over"
    assert len([*tmp_path.glob("r.*")]) == 1


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_run_may_be_closed_at_any_moment(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is written to standard error, and `result()` raises one clear error."""
    tournament = pwtourney.Tournament.from_config(LONG)
    for number in range(8):
        run = tournament.start(results=tmp_path / "r")
        with suppress(subprocess.TimeoutExpired):  # another moment during startup each time
            run._run._process.wait(0.08 * number)
        run.close()
        for _ in range(2):
            with pytest.raises(pwtourney.PwtourneyError, match="the run was left before its end"):
                run.result()
    assert capfd.readouterr().err == ""


def test_all_problems_of_a_config_are_in_the_error() -> None:
    """The messages are those for a tournament file, without line numbers."""
    with pytest.raises(pwtourney.ConfigError) as caught:
        pwtourney.play_tournament({"pairs": 0, "bots": ["random", "nobody"], "seeds": 1})
    problems = caught.value.problems
    assert "config: seeds: unknown key (did you mean 'seed'?)" in problems
    assert any(
        problem.startswith("config: bots[1]: ") and "nobody" in problem for problem in problems
    )
    assert len(problems) == 3


@pytest.mark.thorough
def test_config_model_is_played_unchanged(tmp_path: Path) -> None:
    """A model is not validated again, except for missing bots."""
    from pwtourney.config import TournamentConfig

    config = TournamentConfig.model_validate(SHORT)
    tournament = pwtourney.Tournament.from_config(config)
    assert (tournament.name, tournament.bots) == ("small", ("random", "frugal"))
    assert tournament.play(results=tmp_path / "r").pairs == 1
    with pytest.raises(pwtourney.ConfigError, match=r"^config: bots\[0\]: .*nobody"):
        pwtourney.Tournament.from_config(
            TournamentConfig.model_validate({**CONFIG, "bots": ["nobody", "random"]})
        )


def test_paths_start_from_the_folder_and_settings_override(tmp_path: Path) -> None:
    """A mapping may extend a file; settings of a file work as with ``--set``."""
    (tmp_path / "base.yaml").write_text(json.dumps(CONFIG))
    extended = pwtourney.Tournament.from_config({"extends": "base.yaml", "name": "big"}, tmp_path)
    assert (extended.name, extended.bots) == ("big", ("random", "frugal"))
    overridden = pwtourney.Tournament.from_file(tmp_path / "base.yaml", ("name=other",))
    assert repr(overridden) == "<Tournament 'other' of random, frugal>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pass results=FOLDER"),
        ({"results": "r", "fresh": True, "extend": True}, "exclude each other"),
        ({"results": "r", "workers": 0}, "workers: 0 is not from 1 to 1024"),
    ],
)
def test_invalid_options_are_errors_before_anything_starts(
    options: dict[str, object], message: str
) -> None:
    """The messages are those of the command for its options."""
    with pytest.raises(pwtourney.UsageError, match=message):
        pwtourney.play_tournament({"bots": ["random", "frugal"]}, **options)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_errors_of_the_run_are_raised_in_the_caller(tmp_path: Path, once: Once) -> None:
    """They keep their class, with a note of their origin."""
    shutil.copytree(once("library", play_small) / "r", tmp_path / "r")
    other = {**CONFIG, "edition": "express"}
    with pytest.raises(pwtourney.StoreError, match="another tournament is stored here") as caught:
        pwtourney.play_tournament(other, results=tmp_path / "r")
    assert "open_results" in caught.value.__notes__[0]
    with pytest.raises(pwtourney.ConfigError, match="options are none") as wrong:
        pwtourney.play_tournament(
            {**CONFIG, "bots": ["random", {"bot": "frugal", "set": {"depth": 3}}]},
            results=tmp_path / "other",
        )
    assert len(wrong.value.problems) == 1


@pytest.mark.thorough
def test_fail_fast_stops_a_run_with_a_likely_broken_bot(tmp_path: Path) -> None:
    """An event names the bot, and the ending is "suspect"."""
    broken = {"id": "broken", "command": [sys.executable, "-S", str(MISBEHAVING), "exits"]}
    events: list[pwtourney.Event] = []
    result = pwtourney.play_tournament(
        {**LONG, "bots": ["random", broken]},
        results=tmp_path / "r",
        fail_fast=True,
        on_event=events.append,
    )
    assert result.ending == "suspect"
    assert [event.bot for event in events if isinstance(event, pwtourney.SuspectBot)] == ["broken"]
    assert [*(tmp_path / "r" / "logs" / "broken").iterdir()]


@pytest.mark.thorough
def test_killed_run_process_is_an_error_and_can_be_resumed(tmp_path: Path) -> None:
    """The same call continues with the stored pairs."""
    killed: list[int] = []

    def kill(event: pwtourney.Event) -> None:
        if isinstance(event, pwtourney.PairDone) and not killed:
            lock = json.loads((tmp_path / "r" / "run.lock").read_text())
            killed.append(lock["process"])
            os.kill(lock["process"], 9)

    with pytest.raises(pwtourney.PwtourneyError, match=r"has died \(exit code -9\)"):
        pwtourney.play_tournament(LONG, results=tmp_path / "r", on_event=kill)
    with pwtourney.Tournament.from_config(LONG).start(results=tmp_path / "r") as run:
        begun = next(iter(run))
    assert isinstance(begun, pwtourney.Started)
    assert begun.done >= 1
