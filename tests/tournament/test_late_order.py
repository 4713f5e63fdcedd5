"""No bot learns in a whole tournament what the rules hide, even if its process stays alive."""

from pathlib import Path

import pytest

import pwtourney as library
from pwtourney.config import TournamentFile
from pwtourney.notation.game_text import deals_text
from pwtourney.rules import deal, find_edition
from pwtourney.tournament import load_tournament
from pwtourney.tournament.late_order import list_hidden_warnings
from pwtourney.tournament.plan import make_plan
from tests.program import pwtourney
from tests.thorough import thorough_but

IGNORED = "`processes: persistent` is ignored for "
KNOWS = """
from pwtourney.sdk import Bot

ENTERED = {}  # the order of late patches by deal, as long as the process lives

class Knowing(Bot):
    def new_game(self, game):
        self.dealt = None

    def choose(self, turn):
        state = turn.state
        self.dealt = self.dealt or state.circle
        if not state.late:
            ENTERED[self.dealt] = state.circle
        self.say("knows" if state.late and self.dealt in ENTERED else "does not know")
        # the first ply of a game takes nothing, so that the other seat sees the same circle
        is_first = not state.players[0].space and not state.players[1].space
        return state.legal_actions()[0 if is_first else -1]
"""


def league(folder: Path, text: str) -> TournamentFile:
    """Return a tournament between two bots, loaded from its file."""
    (folder / "one.py").write_text(KNOWS)
    (folder / "two.py").write_text(KNOWS)
    common = "name: t\nworkers: 1\nclock: {move: 20s}\nsandbox: none\n"
    processes = "" if "processes: per-game\n" in text else "processes: persistent\n"
    (folder / "t.yaml").write_text(f"{common}{processes}{text}\n")
    return load_tournament(folder / "t.yaml")


BOTS = "bots: [{file: one.py, trusted: true}, {file: two.py, trusted: true}]"


@pytest.mark.slow(4)
@pytest.mark.parametrize("deals", thorough_but(["shared"], ["fresh", "shared", "deals.txt"]))
def test_no_bot_knows_late_patches_from_an_earlier_game(tmp_path: Path, deals: str) -> None:
    """Both games of a pair have the same order, so each game gets new processes."""
    express = find_edition("express")
    (tmp_path / "deals.txt").write_text(deals_text((deal(express, 1),)))
    league(tmp_path, f"edition: express\npairs: 2\ndeals: {deals}\n{BOTS}")
    messages = pwtourney("run", "t.yaml", at=tmp_path).stderr
    order = "the order of late patches is hidden from bots, and the same in several games"
    assert f"warning: {IGNORED}one, two: {order}, so every game starts a new process" in messages
    games = list(library.stored_games(tmp_path / "results/t"))
    assert len(games) == 4
    assert {ply.info for game in games for ply in game.plies} == {"does not know"}
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.deal == second.deal  # the same luck for both seats
    starts = [usage.start for game in games for usage in game.usage]
    assert min(starts) > 0
    pwtourney("verify", "t", "--file", "t.yaml", at=tmp_path)
    pwtourney("rerun", "t:1.1", "--file", "t.yaml", at=tmp_path)


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_persistent_bots_stay_if_nothing_is_hidden(tmp_path: Path) -> None:
    """Only the first game starts them."""
    league(tmp_path, f"edition: original\npairs: 2\n{BOTS}")
    assert IGNORED not in pwtourney("run", "t.yaml", at=tmp_path).stderr
    games = list(library.stored_games(tmp_path / "results/t"))
    starts = [[usage.start > 0 for usage in game.usage] for game in games]
    assert starts == [[True, True]] + [[False, False]] * 3


@pytest.mark.parametrize(
    ("text", "staying", "expected"),
    [
        ("edition: express", [], ["one, two: the order of late patches"]),
        ("edition: original", ["one", "two"], []),
        ("edition: late.toml", [], ["one, two: the order of late patches"]),
        ("format: solo\nedition: anniversary", ["one", "two"], []),
        (
            "format: solo\nedition: anniversary\ndeals: deals.txt",
            [],
            ["one, two: the order of the Automa's cards"],
        ),
        ("edition: express\nprocesses: per-game", [], []),
    ],
)
def test_bots_persist_only_if_no_order_is_hidden(
    tmp_path: Path, text: str, staying: list[str], expected: list[str]
) -> None:
    """The stored facts and the CPU limits agree with the processes that are used."""
    (tmp_path / "late.toml").write_text('name = "late"\nbase = "express"\n')
    (tmp_path / "deals.txt").write_text(deals_text((deal(find_edition("anniversary"), 1),)))
    file = league(tmp_path, f"{text}\n{BOTS}")
    plan = make_plan(file, 2**60)
    assert [entrant.spec.id for entrant in plan.entrants if entrant.spec.persistent] == staying
    # a persistent process has no limit on its CPU time
    assert all((entrant.spec.limits.cpu_ms is None) == bool(staying) for entrant in plan.entrants)
    facts = {plan.facts()[f"bots.{bot}.processes"] for bot in ("one", "two")}
    assert facts == {"persistent" if staying else "per-game"}
    warnings = list(list_hidden_warnings(file, plan.edition, plan.seed))
    assert [
        warning[: len(IGNORED) + len(part)]
        for warning, part in zip(warnings, expected, strict=True)
    ] == [IGNORED + part for part in expected]


def test_single_persistent_bot_is_named_alone(tmp_path: Path) -> None:
    """A dry run warns as well."""
    bots = "bots: [{file: one.py, trusted: true, processes: per-game}, {file: two.py}]"
    league(tmp_path, f"edition: express\npairs: 2\n{bots}")
    shown = pwtourney("run", "t.yaml", "--dry-run", at=tmp_path).stdout
    assert f"warning: {IGNORED}two: the order of late patches is hidden" in shown


@pytest.mark.parametrize(
    ("seed", "deals", "warns"), [(5, "fresh", True), (2**50, "fresh", False), (5, "d.txt", False)]
)
def test_warning_is_only_for_seeds_that_reveal_the_order(
    tmp_path: Path, seed: int, deals: str, warns: bool
) -> None:
    """There is none for a seed that is too long to guess, or for an order from a list of deals."""
    (tmp_path / "d.txt").write_text(deals_text((deal(find_edition("express"), 1),)))
    text = f"edition: express\nseed: {seed}\ndeals: {deals}\n{BOTS}"
    file = league(tmp_path, text)
    plan = make_plan(file, 0)
    warnings = list(list_hidden_warnings(file, plan.edition, plan.seed))
    assert any("a bot can find a seed as short as" in warning for warning in warnings) == warns
