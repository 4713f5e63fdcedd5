"""Without a valid game there is no result, and every command and report says so."""

import json
import subprocess
from pathlib import Path

import pytest

import pwtourney as library
from tests.program import pwtourney
from tests.thorough import thorough_but

pytestmark = pytest.mark.slow(2)

ABSENT = "{id: absent, command: [sh, -c, exit 3]}"
GONE = "{id: gone, command: [sh, -c, exit 0]}"
CRASHER = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    pwtp) echo option pace int 1 0 9; echo ready ;;
    end) echo ready ;;
    go) exit 3 ;;
  esac
done
"""
"""Starts, has an option, and crashes at its first move."""

WALKER = CRASHER.replace("echo option", "echo feature legal; echo option").replace(
    "go) exit 3 ;;", 'legal) legal=$rest ;;\n    go) echo "move ${legal%% *}" ;;'
)
"""Plays the first legal action, which is to advance."""

HEAD = "name: x\nseed: 5\nworkers: 1\nsandbox: none\nclock: {move: 60s}\n"
NO_RESULT = "No valid game, so no result: in all {} games a bot failed before its first action"


def written(folder: Path, text: str) -> Path:
    """Write a tournament and the bots that it may name; return its file."""
    for name, program in (("crasher", CRASHER), ("walker", WALKER)):
        (folder / name).write_text(program)
        (folder / name).chmod(0o755)
    (folder / "x.yaml").write_text(HEAD + text)
    return folder / "x.yaml"


def run(
    folder: Path, *options: str, code: int | None, name: str = "run"
) -> subprocess.CompletedProcess[str]:
    """Run the tournament of a folder."""
    return pwtourney(name, "x.yaml", *options, at=folder, code=code)


@pytest.mark.parametrize("pairs", thorough_but([1, 20], [1, 2, 20]))
def test_run_without_a_valid_game_is_exit_code_1(tmp_path: Path, pairs: int) -> None:
    """Also if the table has 50 % for each bot, with --quiet, and when the run is repeated."""
    written(tmp_path, f"pairs: {pairs}\nbots: [{ABSENT}, {GONE}]\n")
    for _ in range(2):
        done = run(tmp_path, "--quiet", code=1)
        assert "50.0%" in done.stdout
        assert f"{NO_RESULT.format(2 * pairs)}\n" in done.stdout
        assert f"{NO_RESULT.format(2 * pairs)}; games.jsonl says why\n" in done.stderr


@pytest.mark.parametrize("pairs", [1, 20])
def test_fail_fast_ends_short_and_long_runs_the_same_way(tmp_path: Path, pairs: int) -> None:
    """Exit code 1, no table, one sentence; its hint depends on whether all pairs are stored."""
    written(tmp_path, f"pairs: {pairs}\nbots: [{ABSENT}, random]\n")
    done = run(tmp_path, "--fail-fast", code=1)
    assert done.stdout == ""
    assert "No valid game" not in done.stderr
    *_, last = done.stderr.splitlines()
    goal = "print the table" if pairs == 1 else "continue"
    assert last.startswith(
        f"stopped by --fail-fast: see the warning above; results are kept; to {goal}: "
    )


def test_one_broken_bot_of_three_is_a_result(tmp_path: Path) -> None:
    """There is a warning about it, and its opponents have played each other."""
    written(
        tmp_path,
        f"pairs: 1\nbots: [{ABSENT}, {{id: a, command: ./walker}}, {{id: b, command: ./walker}}]\n",
    )
    done = run(tmp_path, code=0)
    assert "warning: absent did not start for its first two games" in done.stderr
    assert "No valid game" not in done.stderr + done.stdout
    assert json.loads((tmp_path / "results/x/standings.json").read_text())["valid_games"] == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run", "format: knockout\npairs: 1\nbots: [BOT, other]\n"),
        ("run", "format: swiss\nrounds: 1\npairs: 1\nbots: [BOT, other]\n"),
        ("run", "format: solo\nedition: anniversary\npairs: 1\nbots: [BOT]\n"),
        ("sweep", "pairs: 1\nsweep: {bot: crasher, options: {pace: [1, 2]}}\nbots: [BOT]\n"),
        ("tune", "tune: {bot: crasher, options: [pace], probes: 1}\nbots: [BOT]\n"),
    ],
)
def test_run_without_a_valid_game_has_no_result_in_any_format(
    tmp_path: Path, name: str, text: str
) -> None:
    """The bot crashes at its first move; a tuning confirms none of its options."""
    other = "{id: other, command: ./walker}"
    written(
        tmp_path,
        text.replace("BOT", "{id: crasher, command: ./crasher}").replace("other]", f"{other}]"),
    )
    done = run(tmp_path, code=1, name=name)
    assert "No valid game, so no result: " in done.stderr
    assert " is better than " not in done.stdout


def test_budget_that_ends_before_any_pair_gives_no_result(tmp_path: Path) -> None:
    """Exit code 1, although a budget is a planned end; a pair that began in time is finished."""
    bots = "[{id: a, command: ./walker}, {id: b, command: ./walker}]"
    written(tmp_path, f"budget: 1ms\npairs: 1000\nbots: {bots}\n")
    done = run(tmp_path, code=None)
    stored = json.loads((tmp_path / "results/x/standings.json").read_text())["pairs_stored"]
    sentence = "No valid game, so no result: no pair has ended\n"
    assert (done.returncode, sentence in done.stderr) == ((0, False) if stored else (1, True))


def test_league_with_a_broken_new_version_keeps_its_result(tmp_path: Path) -> None:
    """Stored valid games of an earlier version count as a result."""
    written(tmp_path, "pairs: 1\nbots: [{id: a, command: ./walker}, {id: b, command: ./walker}]\n")
    run(tmp_path, code=0)
    (tmp_path / "x.yaml").write_text(
        f"{HEAD}pairs: 1\nbots: [{{id: a, command: ./walker}}, {{id: b, command: ./crasher}}]\n"
    )
    run(tmp_path, "--extend", code=0)


def test_all_reports_say_that_there_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Job summary, Markdown, page, JSON, JUnit, badges, gates, comment and `report`."""
    written(tmp_path, f"pairs: 1\nbots: [{ABSENT}, {GONE}]\ngates: [elo(absent) >= elo(gone)]\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    run(tmp_path, code=1)
    results, sentence = tmp_path / "results/x", NO_RESULT.format(2)
    for path in (tmp_path / "summary", results / "report.md", results / "report.html"):
        assert sentence in path.read_text()
    assert "seed 5; no valid game</p>" in (results / "report.html").read_text()
    standings = json.loads((results / "standings.json").read_text())
    assert standings["valid_games"] == 0
    assert [gate["passed"] for gate in standings["gates"]] == [False]
    junit = (results / "junit.xml").read_text()
    assert f'name="valid games"><failure message="{sentence}"/>' in junit
    assert json.loads((results / "benchmark.json").read_text()) == []
    badge = json.loads((results / "badges/absent.json").read_text())
    assert (badge["message"], badge["color"]) == ("no result", "blue")
    assert sentence in pwtourney("report", "x", at=tmp_path).stdout
    assert "- **No valid game, so no result**" in pwtourney("comment", str(results)).stdout


def test_merge_checks_for_valid_games_but_a_part_does_not(tmp_path: Path) -> None:
    """All pairs of one part may be those of a broken bot; `merge` sees all pairs."""
    written(tmp_path, f"pairs: 2\nbots: [{ABSENT}, {GONE}]\n")
    for part in ("1/2", "2/2"):
        assert "No valid game" not in run(tmp_path, "--shard", part, code=0).stderr
    parts = [f"results/x-{number}-of-2" for number in (1, 2)]
    done = pwtourney("merge", *parts, "--out", "whole", at=tmp_path, code=1)
    assert f"{NO_RESULT.format(4)}; games.jsonl says why\n" in done.stderr


def test_library_result_has_the_number_of_valid_games(tmp_path: Path) -> None:
    """It is `valid_games` of the result."""
    bots = [{"id": "absent", "command": ["sh", "-c", "exit 3"]}, "random"]
    config = {"name": "x", "pairs": 1, "sandbox": "none", "bots": bots}
    result = library.play_tournament(config, results=tmp_path / "r")
    assert (result.ending, result.pairs, result.valid_games) == ("over", 1, 0)
