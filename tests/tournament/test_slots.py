"""The default number of parallel games, and warnings about numbers that are too high."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pwtourney.config import TournamentFile, unwritten_file
from pwtourney.sandbox.cores import UsableCores
from pwtourney.tournament.slots import LocalSlots, count_slots, is_played_here, plan_slots
from tests.quotas import cpu_quota, in_group

FOUR = UsableCores((0, 1, 2, 3), 4, 4)
THREADS = UsableCores((0, 2, 1, 3), 2, 2)
"""Two cores with two hyper-threads each."""
QUOTA = FOUR._replace(quota=1.5)


def tournament(**keys: Any) -> TournamentFile:
    """Return a tournament file of two bots with some keys."""
    return unwritten_file({"bots": ["random", "frugal"], **keys})


@pytest.mark.parametrize(
    ("keys", "cores", "expected"),
    [
        ({}, FOUR, 4),
        ({}, THREADS, 2),
        ({}, FOUR._replace(quota=2.9), 2),
        ({}, FOUR._replace(quota=0.3), 1),
        ({"affinity": {"cores": 2}}, FOUR, 2),
        ({"affinity": {"cores": 2}}, FOUR._replace(quota=3.0), 1),
        ({"affinity": "none"}, FOUR._replace(quota=1.5), 1),
        ({"workers": 4}, THREADS, 4),
        ({"workers": 4}, FOUR._replace(quota=0.5), 4),
    ],
)
def test_auto_plays_one_game_for_each_whole_core(
    keys: dict[str, Any], cores: UsableCores, expected: int
) -> None:
    """Hyper-threads share a core and a quota reduces the cores; an explicit number is kept."""
    assert count_slots(tournament(**keys), None, cores) == expected
    assert count_slots(tournament(**keys), 3, cores) == 3


@pytest.mark.parametrize(
    "slots",
    [
        LocalSlots(FOUR, 4),
        LocalSlots(FOUR, 4, 0),
        LocalSlots(FOUR, 2, 2),
        LocalSlots(THREADS, 4),
        LocalSlots(FOUR._replace(quota=2.0), 2),
    ],
)
def test_enough_cores_give_no_warning(slots: LocalSlots) -> None:
    """All hyper-threads may be used if `workers` asks for it."""
    assert slots.find_shortage() is None


@pytest.mark.parametrize(
    ("slots", "problem", "share", "remedy"),
    [
        (
            LocalSlots(FOUR._replace(quota=0.5), 1),
            "this machine may use 0.5 of a core",
            "bots that compute get 50 % of their time",
            "give it at least one core, or bots longer clocks",
        ),
        (
            LocalSlots(FOUR, 8, 0),
            "8 games at a time need 8 cores, but this machine may use 4 cores",
            "bots that compute get 50 % of their time",
            "play fewer games at a time (workers: auto)",
        ),
        (
            LocalSlots(FOUR, 2, 4),
            "2 games at a time need 8 cores, but this machine may use 4 cores",
            "bots that compute get 50 % of their time",
            "play fewer games at a time (workers: auto)",
        ),
        (
            LocalSlots(QUOTA, 2),
            "2 games at a time need 2 cores, but this machine may use " + QUOTA.reason,
            "bots that compute get 75 % of their time",
            "play fewer games at a time (workers: auto)",
        ),
        (
            LocalSlots(FOUR, 1, 16),
            "a game needs 16 cores (affinity), but this machine may use 4 cores",
            "bots that compute on all of them get 25 % of their time",
            "give each game fewer cores",
        ),
    ],
)
def test_too_few_cores_give_a_warning(
    slots: LocalSlots, problem: str, share: str, remedy: str
) -> None:
    """The warning has the share of time that is left, computed by hand, and a remedy."""
    assert slots.find_shortage() == f"{problem}: {share}; {remedy}"


def test_slots_are_not_more_than_the_pairs_of_a_tournament() -> None:
    """Slots that would never play are not made, so they cause no warning."""
    assert plan_slots(tournament(workers=8), 8, 1, FOUR).find_shortage() is None
    assert str(plan_slots(tournament(workers=8), 8, 3, FOUR)) == "cores: 4 cores; 3 games at a time"


def test_cores_of_this_machine_count_only_if_games_are_played_here() -> None:
    """A Dask cluster without a scheduler address is made on this machine."""
    assert is_played_here(tournament())
    assert is_played_here(tournament(executor="dask"))
    assert not is_played_here(tournament(executor={"scheduler": "tcp://10.0.0.1:8786"}))
    assert not is_played_here(tournament(executor={"factory": "my_pool:make"}))


@pytest.mark.slow(2)
def test_run_under_a_cpu_quota_plays_one_game_and_warns(tmp_path: Path) -> None:
    """A dry run with more parallel games warns as well; both run in a real control group."""
    (tmp_path / "league.yaml").write_text("pairs: 2\nseed: 7\nbots: [random, frugal]\n")

    def run(*words: str) -> tuple[str, str]:
        """Run the tournament in the group; return what it prints."""
        program = (sys.executable, "-m", "pwtourney", "run", "league.yaml", "--results", "r")
        command = in_group(group, *program, *words)
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
        )
        return done.stdout, done.stderr

    with cpu_quota(0.9) as group:
        planned, _ = run("--dry-run", "--workers", "2")
        assert "of which a control group allows 0.9; 2 games at a time\n" in planned
        assert "warning: 2 games at a time need 2 cores, but this machine may use " in planned
        _, played = run()
        assert "of which a control group allows 0.9; 1 game at a time\n" in played
        warning = "warning: this machine may use 0.9 of a core: bots that compute get 90 % of"
        assert played.count(warning) == 1
