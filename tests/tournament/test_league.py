"""Leagues whose bots change: missing pairs are played, and stored games stay."""

import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pwtourney.errors import EXIT_FAILED, EXIT_STORE
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import deals_text
from pwtourney.rules import deal, find_edition
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(2)

BOT = """
from pwtourney.sdk import Bot

class Magpie(Bot):
    def choose(self, turn):
        return turn.state.legal_actions()[{index}]
"""
LEAGUE = """
name: league
edition: original
seed: 5000000000000000
pairs: 2
clock: {move: 5s}
processes: persistent
sandbox: none
workers: 1
bots: [magpie.py, random, frugal]
"""
GROWN = LEAGUE.replace("random, frugal]", "random, frugal, greedy]")


@pytest.fixture
def league(once: Once, tmp_path: Path) -> Path:
    """Return the file of a league that was played once."""
    shutil.copytree(once("league", play), tmp_path, dirs_exist_ok=True)
    return tmp_path / "league.yaml"


def play(folder: Path) -> None:
    """Play the league."""
    (folder / "magpie.py").write_text(BOT.format(index=0))
    (folder / "league.yaml").write_text(LEAGUE)
    run(folder / "league.yaml", "--results", str(folder / "r"))


def records(results: Path) -> list[Game]:
    """Return all games, after a check of the whole store."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        assert list(verify(store)) == []
        return list(store.records())


def meetings(results: Path) -> Counter[tuple[str, ...]]:
    """Count the pairs of every two bots."""
    return Counter(tuple(sorted(game.bots)) for game in records(results) if game.game == 0)


def extend_league(folder: Path, name: str, once: Once) -> None:
    """Extend the league by another version of its bot, or by another bot."""
    shutil.copytree(once("league", play), folder, dirs_exist_ok=True)
    if name == "changed":
        (folder / "magpie.py").write_text(BOT.format(index=-1))
    else:
        (folder / "league.yaml").write_text(GROWN)
    run(folder / "league.yaml", "--results", str(folder / "r"), "--extend")


@pytest.fixture
def changed(once: Once, tmp_path: Path) -> Path:
    """Return the file of the league, extended by another version of its bot."""
    source = once("league-changed", partial(extend_league, name="changed", once=once))
    shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    return tmp_path / "league.yaml"


@pytest.fixture
def grown(once: Once, tmp_path: Path) -> Path:
    """Return the file of the league, extended by another bot."""
    source = once("league-grown", partial(extend_league, name="grown", once=once))
    shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    return tmp_path / "league.yaml"


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_new_version_plays_missing_pairs_and_old_games_stay(league: Path, tmp_path: Path) -> None:
    """Without --extend it is refused with a hint; the other bots do not play again."""
    results = tmp_path / "r"
    old = records(results)
    (tmp_path / "magpie.py").write_text(BOT.format(index=-1))
    refused = run(league, "--results", str(results), code=EXIT_STORE)
    assert "magpie has changed: its content" in refused.stderr
    assert "use --extend" in refused.stderr
    shown = run(league, "--results", str(results), "--extend", "--dry-run").stdout
    assert "to play: 4 pairs, 8 games" in shown
    assert "magpie#2" in shown
    first = run(league, "--results", str(results), "--extend", "--workers", "2").stdout
    assert "magpie#2" in first
    games = records(results)
    assert games[: len(old)] == old
    assert [game.pair for game in games[::2]] == list(range(10))
    assert meetings(results) == {
        ("magpie", "random"): 2,
        ("frugal", "magpie"): 2,
        ("frugal", "random"): 2,
        ("magpie#2", "random"): 2,
        ("frugal", "magpie#2"): 2,
    }
    again = run(league, "--results", str(results))
    assert again.stdout == first
    (tmp_path / "magpie.py").write_text(BOT.format(index=0))
    back = run(league, "--results", str(results), "--extend")
    assert len(records(results)) == len(games), "the first version has played everybody"
    assert "magpie#2" in back.stdout


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_extended_league_is_the_same_with_any_number_of_workers(
    grown: Path, once: Once, tmp_path: Path
) -> None:
    """A bot is added, then pairs; one of the runs is interrupted by a budget."""
    first, second = tmp_path / "r", tmp_path / "r2"
    shutil.copytree(once("league", play) / "r", second)
    hasty = ("--extend", "--workers", "2", "--set", "budget=1ms")
    assert "the budget of" in run(grown, "--results", str(second), *hasty).stderr
    assert len(records(second)) < len(records(first))
    run(grown, "--results", str(second), "--workers", "2")
    assert comparable(first) == comparable(second)
    assert set(meetings(first).values()) == {2}
    grown.write_text(GROWN.replace("pairs: 2", "pairs: 3"))
    run(grown, "--results", str(first))
    assert len(meetings(first)) == 6
    assert set(meetings(first).values()) == {3}


@pytest.mark.thorough
@pytest.mark.parametrize("deals", ["shared", "deals.txt"])
def test_new_bot_plays_the_shared_deals(league: Path, tmp_path: Path, deals: str) -> None:
    """It plays the same block of deals as all others have played."""
    original = find_edition("original")
    (tmp_path / "deals.txt").write_text(deals_text((deal(original, 1), deal(original, 2))))
    text = LEAGUE.replace("pairs: 2", f"pairs: 3\ndeals: {deals}")
    league.write_text(text.replace("random, frugal]", "random]"))
    results = tmp_path / "s"
    run(league, "--results", str(results))
    league.write_text(text)
    run(league, "--results", str(results), "--extend")
    dealt: dict[tuple[str, ...], list[str]] = {}
    for game in records(results)[::2]:
        dealt.setdefault(tuple(sorted(game.bots)), []).append(game.deal.id())
    played = set(map(tuple, dealt.values()))
    assert len(dealt) == 3
    assert len(played) == 1


@pytest.mark.thorough
def test_gates_challengers_and_anchors_refer_to_the_latest_version(tmp_path: Path) -> None:
    """In a gauntlet, the new challenger plays the field, and the gate is about it."""
    (tmp_path / "magpie.py").write_text(BOT.format(index=0))
    config = tmp_path / "league.yaml"
    config.write_text(
        f"{LEAGUE}format: gauntlet\nchallengers: [magpie]\nanchor: {{magpie: 100}}\n"
        "gates: ['faults(magpie) == 0']\nuntil: {interval: 5000}\n"
    )
    results = tmp_path / "r"
    run(config, "--results", str(results))
    (tmp_path / "magpie.py").write_text(BOT.format(index="10**6"))
    done = run(config, "--results", str(results), "--extend", code=EXIT_FAILED)
    assert "✗ faults(magpie#2) == 0" in done.stdout
    assert set(meetings(results)) == {
        ("magpie", "random"),
        ("frugal", "magpie"),
        ("magpie#2", "random"),
        ("frugal", "magpie#2"),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seed: 5", "seed: 6"), "nothing else may change"),
        (("pairs: 2", "pairs: 2\nformat: swiss"), "--extend goes with the formats round-robin"),
    ],
)
def test_extending_allows_only_changes_of_bots(
    league: Path, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    """Other changes are refused, and the store stays as it was."""
    league.write_text(LEAGUE.replace(*change))
    refused = run(league, "--results", str(tmp_path / "r"), "--extend", code=EXIT_STORE)
    assert message in refused.stderr
    assert len(records(tmp_path / "r")) == 12


@pytest.mark.thorough
def test_shortened_league_keeps_its_games(league: Path, tmp_path: Path) -> None:
    """With fewer pairs in the file, and then more again, no stored pair is played again."""
    results = tmp_path / "r"
    league.write_text(LEAGUE.replace("pairs: 2", "pairs: 1"))
    run(league, "--results", str(results))
    assert len(records(results)) == 12
    league.write_text(GROWN)
    run(league, "--results", str(results), "--extend")
    assert set(meetings(results).values()) == {2}


def test_dry_run_shows_what_is_refused(grown: Path, tmp_path: Path) -> None:
    """It does so too in a league that was extended before."""
    grown.write_text(GROWN.replace("seed: 5", "seed: 6"))
    dry = ("--results", str(tmp_path / "r"), "--dry-run")
    shown = run(grown, *dry, "--extend", code=EXIT_STORE).stdout
    assert "what differs:\n  seed: stored is" in shown
    assert "bots." not in shown.split("what differs:")[1], "that could be extended"
    fresh = run(grown, *dry, "--fresh").stdout
    assert "to play: 12 pairs" in fresh
    assert "give only one of them" in run(grown, "--fresh", "--extend", code=2).stderr
    empty = run(grown, *dry, "--set", "pairs=1", "--set", "seed=5000000000000000").stdout
    assert "schedule: empty" not in empty


def test_dry_run_shows_the_next_pairs(league: Path, tmp_path: Path) -> None:
    """In an extended league these are the missing pairs: the six pairs of the new bot."""
    dry = ("--results", str(tmp_path / "r"), "--dry-run")
    assert "\nnext: empty\n" in run(league, *dry).stdout
    assert re.search("^schedule: [^…]*$", run(league, *dry, "--fresh").stdout, re.MULTILINE)
    league.write_text(GROWN)
    shown = run(league, *dry, "--extend").stdout
    (line,) = re.findall(r"^next: (.*)$", shown, re.MULTILINE)
    meetings = [set(pair.split("–")) for pair in line.split(", ")]
    assert sorted(map(sorted, meetings)) == sorted(
        2 * [sorted(("greedy", bot)) for bot in ("magpie", "random", "frugal")]
    )


@pytest.mark.thorough
def test_rerun_of_an_older_version_warns_of_the_other_content(
    changed: Path, tmp_path: Path
) -> None:
    """There is no warning if the file has the version that played the game."""
    results = tmp_path / "r"
    old = next(game for game in records(results) if "magpie" in game.bots)
    again = ("rerun", f"{results}:{old.pair}.{old.game}", "--file", str(changed))
    other = pwtourney(*again, code=None)
    assert "warning: magpie has changed: its content" in other.stderr
    assert "differs: stored is" in other.stdout
    (tmp_path / "magpie.py").write_text(BOT.format(index=0))
    same = pwtourney(*again, code=None)
    assert "bots." not in same.stderr
    assert "went as it is stored" in same.stdout


@pytest.fixture
def extended(once: Once, tmp_path: Path) -> Path:
    """Return the database of the league with three versions of its bot."""

    def extend(folder: Path) -> None:
        extend_league(folder, "changed", once)
        (folder / "magpie.py").write_text(BOT.format(index=1))
        run(folder / "league.yaml", "--results", str(folder / "r"), "--extend")

    shutil.copytree(once("extended-league", extend), tmp_path, dirs_exist_ok=True)
    return ResultsFolder(tmp_path / "r").database


def forge(database: Path, change: Callable[[Any], Any]) -> list[str]:
    """Change the stored league versions; return the problems that `verify` finds."""
    with closing(sqlite3.connect(database)) as connection:
        ((text,),) = connection.execute("SELECT value FROM meta WHERE key = 'league_versions'")
        forged = json.dumps(change(json.loads(text)))
        assert json.loads(forged) != json.loads(text)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'league_versions'", (forged,))
        connection.commit()
    with closing(Store.open(database)) as store:
        return list(verify(store))


@pytest.mark.thorough
@pytest.mark.parametrize("forged", ["later", "twice", "swapped", "gone"])
@pytest.mark.slow
def test_verify_finds_forged_league_versions(extended: Path, forged: str) -> None:
    """The version begins after all records, is repeated, is swapped with another, or is removed."""

    def change(versions: Any) -> Any:
        first, second = versions
        return {
            "later": [first, second, {**second, "records": 10**9}],
            "twice": [first, first, second],
            "swapped": [second, first],
            "gone": [second],
        }[forged]

    assert forge(extended, change) != []


@pytest.mark.slow
def test_hash_chain_covers_league_versions(extended: Path) -> None:
    """A changed fact of a version is found."""

    def change(versions: Any) -> Any:
        return json.loads(json.dumps(versions).replace('"persistent"', '"per-game"'))

    assert any("hash chain broken" in problem for problem in forge(extended, change))
