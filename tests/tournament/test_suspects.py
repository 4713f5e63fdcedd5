"""Bots that are likely broken are reported after their first pair."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from pwtourney.match import PairResult
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Verdict
from pwtourney.rules import deal, find_edition
from pwtourney.tournament.monitors import Suspects
from tests.program import pwtourney
from tests.tournament.test_run import MISBEHAVING, run

START, TIMEOUT = Verdict.START, Verdict.TIMEOUT
DEAL = deal(find_edition("original"), 1)
STUCK = """\
import time

from pwtourney.sdk import Bot


class Stuck(Bot):
    def choose(self, turn):
        time.sleep(20)
"""
CONFIG = """\
name: test
edition: original
seed: 3000000000000001
pairs: 6
workers: 1
processes: persistent
clock: {move: 1s}
bots:
"""
COMMAND = f"[{sys.executable}, -S, -I, {MISBEHAVING}, exits]"
NOT_STARTED = f"  - greedy\n  - {{id: exits, command: {COMMAND}}}\n"


def game(
    verdict: Verdict = Verdict.FINISHED,
    seat: int = 0,
    *,
    plies: str = "",
    machine: Hindrance | None = None,
) -> Game:
    """Return a game of a against b in which a seat failed with a verdict, after these plies."""
    faults = (
        (Fault(seat, verdict, f"{verdict} it was", machine=machine),) if verdict.is_fault else ()
    )
    return Game(
        bots=("a", "b"),
        edition="original",
        deal=DEAL,
        seeds=(0, 0),
        plies=tuple(Ply(int(digit), "advance", 1) for digit in plies),
        verdict=verdict,
        winner=None if verdict.is_void else 1 - seat,
        scores=(0, 0),
        faults=faults,
    )


VOID = game(Verdict.RUNNER_ERROR)
HELD_UP = game(TIMEOUT, machine=Hindrance(100, 100, 0, 0, 0, 0))


def suspected(*pairs: tuple[Game, Game]) -> list[tuple[int, int, str, str]]:
    """Return pair, game, bot and verdict of every suspicion."""
    watch = Suspects()
    suspicions = [
        suspicion
        for k, pair in enumerate(pairs)
        for suspicion in watch.take_in(PairResult(k, pair))
    ]
    return [
        (suspicion.pair, suspicion.game, suspicion.bot, suspicion.verdict)
        for suspicion in suspicions
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (game(START), game(START), (0, 0, "a", "start")),
        (game(TIMEOUT), game(TIMEOUT, plies="1"), (0, 0, "a", "timeout")),
        (game(TIMEOUT, 1, plies="0"), game(TIMEOUT, 1), (0, 0, "b", "timeout")),
        (game(TIMEOUT), game(START), (0, 1, "a", "start")),
        (game(TIMEOUT), game(TIMEOUT, plies="10"), None),
        (game(START), game(plies="01"), None),
        (game(START), game(START, 1), None),
        (game(Verdict.CRASH), game(Verdict.CRASH), (0, 0, "a", "crash")),
        (game(Verdict.ILLEGAL, 1, plies="0"), game(TIMEOUT, 1), (0, 0, "b", "illegal")),
        (game(Verdict.CRASH, plies="0"), game(Verdict.CRASH), None),
    ],
)
def test_bot_is_suspected_if_it_fails_in_both_games_without_an_action(
    first: Game, second: Game, expected: tuple[int, int, str, str] | None
) -> None:
    """Faults before a bot's first action count, even after its opponent's; later ones do not."""
    assert suspected((first, second)) == ([expected] if expected else [])


def test_bot_is_suspected_once_and_only_for_its_first_pair() -> None:
    """Three lost pairs give one warning; after a played pair there is no warning."""
    lost = (game(START), game(START))
    assert suspected(lost, lost, lost) == [(0, 0, "a", "start")]
    assert suspected((game(plies="01"), game(plies="01")), lost, lost) == []


def test_games_without_evidence_about_a_bot_do_not_count() -> None:
    """These are void games, games in which the opponent failed first, and hindered ones."""
    lost, of_other = (game(START), game(START)), (game(START, 1), game(START, 1))
    assert suspected((VOID, VOID), lost) == [(1, 0, "a", "start")]
    assert suspected((VOID, game(START)), lost) == [(0, 1, "a", "start")]
    assert suspected(of_other, lost) == [(0, 0, "b", "start"), (1, 0, "a", "start")]
    assert suspected((HELD_UP, HELD_UP)) == []
    assert suspected((HELD_UP, HELD_UP), lost) == [(1, 0, "a", "start")]


def written(folder: Path, bots: str = "  - greedy\n  - {file: stuck.py}\n") -> Path:
    """Write a tournament with a bot that never answers; return its file."""
    (folder / "stuck.py").write_text(STUCK)
    (folder / "test.yaml").write_text(CONFIG + bots)
    return folder / "test.yaml"


def warnings(stderr: str) -> list[str]:
    """Return the warnings about bots."""
    return [line for line in stderr.splitlines() if "see it with" in line]


@pytest.mark.thorough
@pytest.mark.slow
def test_run_stops_after_the_first_pair_and_can_be_continued(tmp_path: Path) -> None:
    """Exit code 1, one sentence with the cause, the command and the log, and one stored pair."""
    config, results = written(tmp_path), tmp_path / "r"
    done = run(config, "--results", str(results), "--fail-fast", code=1)
    (warning,) = warnings(done.stderr)
    assert "warning: stuck timed out on its first move in its first two games (" in warning
    assert "it probably prepares something while its clock runs" in warning
    assert "stopped by --fail-fast" in done.stderr
    assert done.stdout == ""
    look, _, log = warning.partition("see it with: ")[2].partition(" (and the log ")
    assert "stuck: timeout" in Path(log.removesuffix(")")).read_text()
    assert shlex.split(look) == [
        "pwtourney",
        "check",
        str(tmp_path / "stuck.py"),
        "--move",
        "1000ms",
    ]
    checked = pwtourney(*shlex.split(look)[1:], code=1)
    assert "timeout" in checked.stdout
    assert stored(results) == 1
    run(config, "--results", str(results), "--fail-fast", code=1)
    assert stored(results) == 2


def stored(results: Path) -> int:
    """Return how many pairs are stored."""
    data = json.loads((results / "standings.json").read_text())
    return int(data["pairs_stored"])


@pytest.mark.thorough
@pytest.mark.slow
def test_run_continues_without_fail_fast(tmp_path: Path) -> None:
    """The warning comes once, also with --quiet and as an event, and all pairs are played."""
    config = written(tmp_path, NOT_STARTED)
    done = run(config, "--results", str(tmp_path / "r"), "--quiet", "--json", code=1)
    (warning,) = warnings(done.stderr)
    assert "exits did not start for its first two games (" in warning
    assert "I do not want to play" in warning
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (suspect,) = (event for event in events if event["event"] == "suspect-bot")
    assert (suspect["bot"], suspect["pair"], suspect["verdict"]) == ("exits", 0, "start")
    assert stored(tmp_path / "r") == 6


@pytest.mark.slow
def test_check_command_of_a_warning_works_from_any_folder(tmp_path: Path) -> None:
    """The bot's whole command is one word of the shell, with absolute paths."""
    done = run(
        written(tmp_path, NOT_STARTED), "--results", str(tmp_path / "r"), "--fail-fast", code=1
    )
    (warning,) = warnings(done.stderr)
    words = shlex.split(warning.partition("see it with: ")[2].partition(" (and the log ")[0])
    assert words[:2] == ["pwtourney", "check"]
    assert shlex.split(words[2])[1:] == ["-S", "-I", str(MISBEHAVING), "exits"]


@pytest.mark.thorough
@pytest.mark.slow
def test_duel_with_a_broken_bot_stops_and_gives_no_answer(tmp_path: Path) -> None:
    """`--no-fail-fast` turns this off."""
    (tmp_path / "stuck.py").write_text(STUCK)
    duel = ("duel", "stuck.py:Stuck", "greedy", "--move", "1s", "--edition", "express")
    seed = ("--seed", "3000000000000001", "--workers", "1")
    done = pwtourney(*duel, *seed, at=tmp_path, code=1)
    assert done.stdout == ""
    assert "stuck timed out on its first move in its first two games" in done.stderr
    assert "stopped by --fail-fast" in done.stderr
    assert "the same command continues" in done.stderr
    assert stored(tmp_path / "results" / "duel-stuck-greedy") == 1
    assert "--no-fail-fast" in pwtourney("duel", "--help").stdout


@pytest.mark.slow
def test_single_game_reports_the_likely_cause(tmp_path: Path) -> None:
    """`play` names the bot as it was given."""
    words = f"{sys.executable} -S -I {MISBEHAVING} exits"
    done = pwtourney("play", words, "greedy", code=1)
    (warning,) = warnings(done.stderr)
    look = shlex.join(["pwtourney", "check", words, "--move", "10000ms"])
    assert "it probably lacks a program, a module or a file" in warning
    assert warning.endswith(f"; see it with: {look}")
