"""Gates, graceful stops and events in real runs."""

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import assert_gone, descendants
from tests.tournament.test_run import (
    ENDLESS,
    command,
    comparable,
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
    """Write a tournament file with these settings."""
    path = folder / "test.yaml"
    path.write_text(f"{HEAD}{text}bots: [random, greedy]\n")
    return path


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, for a minute at most."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.thorough
def test_failed_gate_is_exit_code_1(tmp_path: Path) -> None:
    """Each gate is a line with ✓ or ✗, also in `report` and the files; gates may change later."""
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
    """Started, two events for each pair, ended, standings; standard output has nothing else."""
    done = run(written(tmp_path, "pairs: 3\n"), "--results", str(tmp_path / "r"), "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "started"
    # on a busy machine there is also an event with the leader every few seconds
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
def test_signalled_run_ends_its_pairs_and_continues_later(tmp_path: Path) -> None:
    """Exit code 130, whole pairs in the store, and in the end the results of an undisturbed run."""
    config = written(tmp_path, f"{ENDLESS}\n")
    results = tmp_path / "r"
    for number in (signal.SIGTERM, signal.SIGHUP):
        # wait for a pair of this run: before it, the signal handler may not be installed
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
def test_second_signal_stops_a_run_at_once(tmp_path: Path) -> None:
    """The run does not wait for a bot that thinks for a minute, and leaves no process running."""
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
    wait_for(lambda: len(descendants(process.pid)) >= 6)  # workers and bots in a game
    process.send_signal(signal.SIGTERM)
    said = next(line for line in process.stderr if "Stopping" in line)
    assert said
    tree = descendants(process.pid)
    # the second signal differs: another SIGTERM within a second counts as the same request
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert_gone(tree)
