"""Whole tournaments with untrusted bots: what is stored, shown, refused and kept."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pwtourney.notation.game import Verdict
from pwtourney.notation.game_text import deals_text
from pwtourney.rules import deal, find_edition
from pwtourney.sandbox.orphans import parents
from pwtourney.store import ResultsFolder, Store
from tests.needs import need_sandbox
from tests.program import pwtourney
from tests.tournament.test_run import MISBEHAVING, command, run, stored_pairs, summary

pytestmark = pytest.mark.slow(2)

BOT = f"command: [{sys.executable}, -S, -I, {MISBEHAVING}, WAY]"
CONFIG = """\
name: test
seed: 5
pairs: 1
workers: 1
clock: {move: 2s}
bots:
  - random
  - {id: crash, BOT}
"""
WAITS = "while read word rest; do case $word in pwtp|end) echo ready;; quit) exit;; esac; done"
"""A bot that gets ready and never moves."""


def write(path: Path, way: str = "crash", more: str = "", text: str = CONFIG) -> Path:
    """Write a tournament file with a bot that misbehaves in a given way, and with more keys."""
    path.write_text(more + text.replace("BOT", BOT.replace("WAY", way)))
    return path


def records(results: Path) -> list[tuple[Verdict, tuple[str, str], str]]:
    """Return the verdict, the sandbox profiles and the note of every stored game."""
    store = Store.open(ResultsFolder(results).database)
    rows = [(record.verdict, record.profiles, record.note) for record in store.records()]
    store.close()
    return rows


@pytest.fixture
def boxed() -> None:
    """Skip the test if bwrap is not available; fail under CI."""
    need_sandbox("bwrap")


@pytest.mark.thorough
def test_fault_leaves_a_log_with_a_command_that_reruns_the_game(
    tmp_path: Path, boxed: None
) -> None:
    """The command in the log is run unchanged, and the game is the same."""
    config = write(tmp_path / "test.yaml")
    run(config, "--results", str(tmp_path / "r"))
    logs = sorted((tmp_path / "r" / "logs" / "crash").iterdir())
    assert [path.name for path in logs] == ["0.0.log", "0.1.log"]
    first, second = logs[0].read_text().splitlines()[:2]
    assert first == "game 0.0: crash: crash: exited with code 3"
    again = shlex.split(second.removeprefix("to play it again: "))
    assert again[:2] == ["pwtourney", "rerun"]
    done = pwtourney(*again[1:], code=1)
    assert "the game went as it is stored, ply for ply" in done.stdout


@pytest.mark.thorough
def test_sandbox_profile_is_stored_with_each_game_and_shown(tmp_path: Path, boxed: None) -> None:
    """Table and record have the profile with each backend, and without a sandbox."""
    for backend in ("bwrap", "unshare", "none"):
        text = CONFIG.replace("- random\n", "- {bot: random, trusted: true}\n")
        text = text.replace("{id: crash,", "{id: crash, trusted: true,")
        config = write(tmp_path / f"{backend}.yaml", more=f"sandbox: {backend}\n", text=text)
        done = run(config, "--results", str(tmp_path / backend))
        names = {part for _, profiles, _ in records(tmp_path / backend) for part in profiles}
        assert all(name.startswith(backend) for name in names)
        assert ("WITHOUT a sandbox" in done.stdout) == (backend == "none")
        details = pwtourney("report", str(tmp_path / backend), "--details").stdout
        assert f"Sandbox: {min(names)}" in details


def test_untrusted_bot_without_a_sandbox_is_refused(tmp_path: Path) -> None:
    """The error names the bot and the reason; no store is made."""
    text = CONFIG.replace("{id: crash,", "{id: crash, trusted: false, sandbox: none,")
    config = write(tmp_path / "test.yaml", text=text)
    done = run(config, "--results", str(tmp_path / "r"), code=2)
    assert f"{config}:8:5: bots[1]: it is not trusted, and `sandbox: none` is" in done.stderr
    assert not (tmp_path / "r" / "games.sqlite").exists()


def test_command_that_continues_a_run_keeps_untrusted(tmp_path: Path, boxed: None) -> None:
    """The command is the one that was given, with `--untrusted`."""
    config, results = tmp_path / "test.yaml", str(tmp_path / "r")
    # so many that not all can be played before the budget is looked at
    text = CONFIG.replace("  - {id: crash, BOT}\n", "  - greedy\n").replace(
        "pairs: 1", "pairs: 500"
    )
    config.write_text(text)
    done = run(config, "--results", results, "--untrusted", "--set", "budget=1s")
    _, _, command = done.stderr.splitlines()[-1].partition("to continue: ")
    words = ["pwtourney", "run", str(config), "--results", results, "--set", "budget=1s"]
    assert shlex.split(command) == [*words, "--untrusted"]


@pytest.fixture
def open_room() -> Iterator[Path]:
    """Return a folder in which the bots of root, which run as other users, can make files."""
    with tempfile.TemporaryDirectory(prefix="pwtourney-tests-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


@pytest.mark.slow(5)
def test_a_bot_that_fails_too_often_is_disqualified(tmp_path: Path, open_room: Path) -> None:
    """After three faults, and the horizon of the schedule, its pairs are void and are not played.

    One of two workers is held in its first pair, which is 0 or 1, while the other plays on.
    Pair 66, whose fate depends on that pair, has to wait for it.
    """
    results, held, go = tmp_path / "r", open_room / "held", open_room / "go"
    more = "max_faults: 3\nsandbox: none\nlimits: {start: 200s}"
    # bots that start quickly, because they start often
    text = CONFIG.replace("pairs: 1", f"pairs: 70\n{more}")
    text = text.replace("- random\n", f"- {{id: waits, command: [sh, -c, '{WAITS}']}}\n")
    # only the first process can create the file (`set -C`), and it waits
    hold = f"set -C; true > {held} || exit; until test -e {go}; do sleep 0.05; done"
    text = text.replace("BOT", f"command: [sh, -c, '{hold}']")
    config = write(tmp_path / "test.yaml", text=text)
    with (tmp_path / "said").open("w+") as said, (tmp_path / "errors").open("w+") as errors:
        options = ("--results", str(results), "--workers", "2")
        process = subprocess.Popen(command(config, *options), stdout=said, stderr=errors)
        try:
            end = time.monotonic() + 100
            while stored_pairs(results) < 65:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            assert held.exists()
            go.touch()
            assert process.wait(60) == 1  # no game is valid
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        errors.seek(0)
        shown, messages = said.read(), errors.read()
    verdicts = [verdict for verdict, _, _ in records(results)]
    # pairs 66 to 69: two faults each in pairs 0 and 1
    assert verdicts.count(Verdict.DISQUALIFIED) == 2 * 4
    assert "Disqualified after too many faults: crash (4 pairs void)" in shown
    assert messages.count("is disqualified after 3 faults") == 1
    assert summary(results).standings.voids == 8


@pytest.mark.thorough
@pytest.mark.parametrize("workers_too", [False, True])
def test_killed_runner_leaves_no_bot_alive_in_the_sandbox(
    tmp_path: Path, boxed: None, workers_too: bool
) -> None:
    """SIGKILL in the middle of a game: after at most 10 s no process of a bot is left."""
    own = f"{tmp_path.name}-{os.getpid()}"  # a word that no other run of this test uses
    config = write(tmp_path / "test.yaml", way=f"stays_busy, {own}")
    process = subprocess.Popen(
        command(config, "--results", str(tmp_path / "r"), "--workers", "1"),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 30
        while not carriers(own) and time.monotonic() < end:
            time.sleep(0.01)
        assert carriers(own)
        below = [pid for pid, parent in parents().items() if parent == process.pid]
        for pid in [process.pid, *(below if workers_too else [])]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    end = time.monotonic() + 10
    while carriers(own) and time.monotonic() < end:
        time.sleep(0.01)
    assert carriers(own) == []


def carriers(word: str) -> list[int]:
    """Return the processes that have a word among their arguments."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if word.encode() in arguments:
                pids.append(int(entry.name))
    return pids


def test_report_shows_the_resources_of_each_bot(tmp_path: Path) -> None:
    """In `report --resources` on a wide terminal, in report.md, and for programs."""
    config = write(tmp_path / "test.yaml", way="honest")
    run(config, "--results", str(tmp_path / "r"))
    report = ("report", str(tmp_path / "r"), "--resources")
    done = pwtourney(*report, environment={"COLUMNS": "160"})
    assert "p99 ms" in done.stdout
    assert "Ponder CPU ms/game" in done.stdout
    assert "## Resources" in (tmp_path / "r" / "report.md").read_text()
    line = summary(tmp_path / "r").standings.pools[0].rows[0]
    used = line.resources
    assert (used.games, used.starts) == (2, 2)
    assert used.times.count > 10
    assert used.usage.peak > 4000


def test_bots_of_one_folder_see_neither_each_other_nor_the_tournament(
    tmp_path: Path, boxed: None
) -> None:
    """Nor do they see the files that the tournament file extends, its deals and the results."""
    spy = (
        "import os, sys\nfrom pathlib import Path\n"
        "here = Path(__file__).parent\n"
        "def seen(name):\n"
        "    try: return bool((here / name).read_bytes())\n"
        "    except OSError: return False\n"
        "names = ('test.yaml', 'base.yaml', 'lower.yaml', 'deals.txt', 'other.py', 'weights.bin',"
        " 'r/games.sqlite', 'spy.py')\n"
        "found = [name for name in names if seen(name)]\n"
    )
    plays = (
        "for line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    if word == 'pwtp': print('feature legal\\nready', flush=True)\n"
        "    elif word == 'end': print('ready', flush=True)\n"
        "    elif word == 'legal': legal = rest\n"
        "    elif word == 'go':\n"
        "        print('info saw', *found); print('move', legal[0], flush=True)\n"
        "    elif word == 'quit': break\n"
    )
    (tmp_path / "spy.py").write_text(spy + plays)
    (tmp_path / "other.py").write_text("import sys\nfound = []\n" + plays)
    (tmp_path / "weights.bin").write_text("of the other")
    python = f"command: [{sys.executable}, -S"
    original = find_edition("original")
    (tmp_path / "deals.txt").write_text(deals_text((deal(original, 1),)))
    (tmp_path / "lower.yaml").write_text("seed: 3\n")
    (tmp_path / "base.yaml").write_text("extends: lower.yaml\ndeals: deals.txt\n")
    (tmp_path / "test.yaml").write_text(
        f"extends: base.yaml\npairs: 1\nresults: r\nbots:\n  - {{id: spy, {python}, spy.py]}}\n"
        f"  - {{id: other, {python}, other.py], read_paths: [weights.bin]}}\n"
    )
    run(tmp_path / "test.yaml")
    store = Store.open(ResultsFolder(tmp_path / "r").database)
    infos = {ply.info for game in store.records() for ply in game.plies}
    store.close()
    assert infos == {"saw spy.py", "saw"}


@pytest.mark.thorough
def test_pair_that_lost_three_workers_is_void_and_the_run_fails(tmp_path: Path) -> None:
    """The worker is killed each time that it plays the only pair: the pair is void, exit code 1."""
    own = f"{tmp_path.name}-{os.getpid()}"
    config, results = tmp_path / "test.yaml", tmp_path / "r"
    bot = f"{{id: waits, trusted: true, command: [sh, -c, '{WAITS}', {own}]}}"
    config.write_text(
        "seed: 5\npairs: 1\nworkers: 1\nsandbox: none\nclock: {move: 100s}\n"
        f"bots:\n  - {{bot: random, trusted: true}}\n  - {bot}\n"
    )
    process = subprocess.Popen(
        command(config, "--results", str(results)), stderr=subprocess.PIPE, text=True
    )
    try:
        killed: set[int] = set()
        end = time.monotonic() + 100
        while len(killed) < 3 and process.poll() is None and time.monotonic() < end:
            parent_pids = parents()
            workers = {parent_pids.get(pid, 0) for pid in carriers(own)} - killed
            # the runner adopts bots whose worker was killed
            for pid in (pid for pid in workers if parent_pids.get(pid) == process.pid):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            time.sleep(0.01)
        _, messages = process.communicate(timeout=100)
    finally:
        process.kill()
        process.wait()
    assert len(killed) == 3
    assert process.returncode == 1
    assert "No valid game, so no result: all 2 games are void; games.jsonl says why\n" in messages
    assert [verdict for verdict, _, _ in records(results)] == [Verdict.RUNNER_ERROR] * 2
