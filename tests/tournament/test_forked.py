"""Which bots are forked for each game, and what a run reports about it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pwtourney.config import TournamentFile
from pwtourney.errors import ConfigError
from pwtourney.rules import find_edition
from pwtourney.tournament import load_tournament
from pwtourney.tournament.entrants import as_untrusted
from pwtourney.tournament.late_order import end_after_each_game
from pwtourney.tournament.plan import make_plan
from tests.program import pwtourney

MAGPIE = """
from pwtourney.sdk import Bot


class Magpie(Bot):
    name = "magpie"

    def choose(self, turn):
        return turn.state.legal_actions()[0]
"""
HEAD = "name: t\nseed: 5000000000000000\npairs: 2\nworkers: 1\nclock: {move: 20s}\nsandbox: none\n"
BOTS = """bots:
  - random
  - {id: once, bot: frugal, processes: per-game}
  - {id: named, file: magpie.py}
  - {id: trusted, file: magpie.py, trusted: true}
  - {id: wanted, file: magpie.py, processes: forked}
  - {id: stays, file: magpie.py, processes: persistent}
"""


def league(folder: Path, text: str, bot: str = MAGPIE) -> TournamentFile:
    """Write a tournament file and a bot; return the loaded tournament."""
    (folder / "magpie.py").write_text(bot)
    head = HEAD.replace("sandbox: none\n", "") if "trusted: false" in text else HEAD
    (folder / "t.yaml").write_text(head + text)
    return load_tournament(folder / "t.yaml")


def forked(file: TournamentFile) -> set[str]:
    """Return the names of the bots that are forked for each game."""
    return {entrant.spec.id for entrant in make_plan(file, 1).entrants if entrant.spec.forked}


def test_trusted_bots_are_forked(tmp_path: Path) -> None:
    """These are bundled bots, bots that the file trusts, and bots with `processes: forked`."""
    assert forked(league(tmp_path, BOTS)) == {"random", "trusted", "wanted"}


def test_processes_key_of_a_tournament_applies_to_all_bots(tmp_path: Path) -> None:
    """A bot's own `processes` takes precedence."""
    assert forked(league(tmp_path, f"processes: per-game\n{BOTS}")) == {"wanted"}
    everybody = {"random", "named", "trusted", "wanted"}
    assert forked(league(tmp_path, f"processes: forked\n{BOTS}")) == everybody


def test_untrusted_bots_get_new_processes(tmp_path: Path) -> None:
    """`processes: forked` of a file does not apply to them; for one of them it is an error."""
    stranger = "bots: [{file: magpie.py, trusted: false%s}, {bot: random, trusted: false}]\n"
    assert forked(league(tmp_path, f"processes: forked\n{stranger % ''}")) == set()
    with pytest.raises(ConfigError, match="not trusted gets a new process for every game"):
        league(tmp_path, stranger % ", processes: forked")
    assert forked(as_untrusted(league(tmp_path, BOTS))) == set()


def test_persistent_bots_are_forked_if_late_patches_are_hidden(tmp_path: Path) -> None:
    """A fork knows nothing of an earlier game."""
    file = league(tmp_path, f"processes: persistent\nedition: express\n{BOTS}")
    after = end_after_each_game(file, find_edition("express"))
    assert not any(entrant.spec.persistent for entrant in make_plan(after, 1).entrants)
    assert forked(after) == {"random", "trusted", "wanted"}


@pytest.mark.slow
def test_forked_bots_have_the_same_identity(tmp_path: Path) -> None:
    """A league continues however its bots are started for a game."""
    facts = [
        [entrant.facts() for entrant in make_plan(league(tmp_path, way + BOTS), 1).entrants]
        for way in ("processes: auto\n", "processes: forked\n", "processes: per-game\n")
    ]
    assert facts[0] == facts[1] == facts[2]


@pytest.mark.thorough
@pytest.mark.slow(6)
def test_run_reports_once_why_a_bot_is_not_forked(tmp_path: Path) -> None:
    """The reason is printed as a line and as an event; the games are those of new processes."""
    bot = (
        f"import threading, time\nthreading.Thread(target=time.sleep, args=(5,)).start()\n{MAGPIE}"
    )
    league(tmp_path, "bots: [{file: magpie.py, trusted: true}, random]\n", bot)
    reason = "magpie gets a new process for each game: it starts threads while it is imported"
    done = pwtourney("run", "t.yaml", "--json", at=tmp_path)
    assert done.stderr.count(f"note: {reason}") == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["text"] for event in events if event["event"] == "remark"] == [reason]
    (tmp_path / "results").rename(tmp_path / "first")
    again = pwtourney("run", "t.yaml", "--json", "--set", "processes=per-game", at=tmp_path)
    hashes = {json.loads(run.stdout.splitlines()[-1])["game_hash"] for run in (done, again)}
    assert len(hashes) == 1


KILLER = """
import os, signal, time
from pwtourney.sdk import Bot


class Killer(Bot):
    def new_game(self, game):
        template = os.getppid()
        worker = int(open(f"/proc/{template}/stat").read().rpartition(")")[2].split()[1])
        with open(PLACE, "w") as file:
            file.write(f"{template} {os.getpid()}")
        os.kill(worker, signal.SIGKILL)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pass
"""

WORKER = """
import sys
from pathlib import Path
from pwtourney.match import BotPool, BotSpec, GameSetup, play_game
from pwtourney.bots.names import file_bot
from pwtourney.rules import deal, find_edition

launch = file_bot(sys.argv[1], Path("/")).launch
bots = (BotSpec("a", launch, forked=True), BotSpec("b", launch, forked=True))
edition = find_edition("original")
play_game(GameSetup(bots, edition, deal(edition, 1), (1, 2)), pool=BotPool())
"""


@pytest.mark.slow(3)
def test_forks_end_when_their_worker_is_killed(tmp_path: Path) -> None:
    """The template ends as well, although its worker can no longer end it."""
    file, pid_file = tmp_path / "killer.py", tmp_path / "pids"
    file.write_text(KILLER.replace("PLACE", repr(str(pid_file))))
    done = subprocess.run([sys.executable, "-c", WORKER, str(file)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 15  # the bot itself ends after 20 s
    waiting = list(map(int, pid_file.read_text().split()))
    assert len(waiting) == 2
    while waiting and time.monotonic() < deadline:
        waiting = [pid for pid in waiting if runs(pid)]
        os.sched_yield()
    assert not waiting


def runs(pid: int) -> bool:
    """Return True if a process exists and is neither a zombie (Z) nor dead (X)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
