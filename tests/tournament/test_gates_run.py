"""Gates, soft stops and events, with real runs."""

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tournament.test_run import (
    ENDLESS,
    assert_gone,
    command,
    comparable,
    descendants,
    run,
    shorten,
    stored_pairs,
)

pytestmark = pytest.mark.slow(2)

HEAD = (
    "name: test\nedition: original\nseed: 5000000000000000\nclock: {move: 5s}\n"
    "processes: persistent\nworkers: 1\n"
)


def written(folder: Path, text: str) -> Path:
    """Write a tournament file."""
    path = folder / "test.yaml"
    path.write_text(f"{HEAD}{text}bots: [random, greedy]\n")
    return path


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so, for a minute at most."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.thorough
def test_a_gate_that_fails_is_the_exit_code_1(tmp_path: Path) -> None:
    """One line each with ✓ or ✗; `report` and the files say the same; gates may change later."""
    results = tmp_path / "r"
    config = written(
        tmp_path, "pairs: 4\ngates: ['score(greedy, random) > 0.5', faults(random) > 0]\n"
    )
    done = run(config, "--results", str(results), code=1)
    assert "✓ score(greedy, random) > 0.5: difference +" in done.stdout
    assert "✗ faults(random) > 0: difference +0" in done.stdout
    data = json.loads((results / "standings.json").read_text())
    assert [gate["passed"] for gate in data["gates"]] == [True, False]
    assert "✗ faults" in (results / "report.md").read_text()
    config.write_text(config.read_text().replace("> 0]", "== 0]"))
    assert "✓ faults(random) == 0" in run(config, "--results", str(results)).stdout


@pytest.mark.thorough
def test_events_are_json_lines_that_end_with_the_standings(tmp_path: Path) -> None:
    """Started, two lines a pair, ended, standings; nothing else on standard output."""
    done = run(written(tmp_path, "pairs: 3\n"), "--results", str(tmp_path / "r"), "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "started"
    # on a busy machine also who leads, every few seconds
    pairs = Counter(kind for kind in kinds[1:-2] if kind != "standing")
    assert pairs == {"pair-begun": 3, "pair-done": 3}
    assert kinds[-2:] == ["ended", "standings"]
    assert events[-2] == {"event": "ended", "over": True, "pairs": 3}
    stored = json.loads((tmp_path / "r" / "standings.json").read_text())
    assert {key: events[-1][key] for key in stored} == stored


def wait_for_pairs(results: Path, least: int) -> None:
    """Wait until this many pairs are stored."""
    wait_for(lambda: stored_pairs(results) >= least)


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_asked_to_stop_a_run_ends_its_pairs_and_goes_on_later(tmp_path: Path) -> None:
    """Exit code 130, whole pairs in the store, and the same result as if nothing had happened."""
    config = written(tmp_path, f"{ENDLESS}\n")
    results = tmp_path / "r"
    for number in (signal.SIGTERM, signal.SIGHUP):
        # one of this run: without it there may be nobody yet who knows the signal
        least = stored_pairs(results) + 1
        process = subprocess.Popen(
            command(config, "--results", str(results), "--grace", "60s"),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        wait_for_pairs(results, least)
        process.send_signal(number)
        _, said = process.communicate(timeout=90)
        assert process.returncode == 130
        assert "Stopping: waiting up to 60 s for running games" in said
        assert "interrupted; to continue: pwtourney run" in said
        assert stored_pairs(results) >= least
    shorten(config, results, pairings=1)
    run(config, "--results", str(results))
    run(config, "--results", str(tmp_path / "undisturbed"))
    assert comparable(results) == comparable(tmp_path / "undisturbed")


@pytest.mark.thorough
def test_asked_twice_a_run_stops_at_once(tmp_path: Path) -> None:
    """A bot that thinks for a minute is not waited for, and nothing is left running."""
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text(
        "import time\nfrom pwtourney.sdk import Bot\n\n"
        "class Sleeper(Bot):\n    def choose(self, turn):\n        time.sleep(60)\n"
    )
    config = tmp_path / "test.yaml"
    config.write_text(f"{HEAD.replace('5s', '60s')}bots: [random, {{file: sleeper.py}}]\n")
    process = subprocess.Popen(
        command(config, "--results", str(tmp_path / "r"), "--grace", "60s", "--workers", "2"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    wait_for(lambda: len(descendants(process.pid)) >= 6)  # workers, and bots that are playing
    process.send_signal(signal.SIGTERM)
    said = next(line for line in process.stderr if "Stopping" in line)
    assert said
    tree = descendants(process.pid)
    # another signal: a second SIGTERM within a second is the same request
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert_gone(tree)
