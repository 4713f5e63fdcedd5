"""Settings that a format locks, but that may change when a league is extended."""

import json
from pathlib import Path

import pytest

from pwtourney.schedule import find_format
from pwtourney.tournament.plan import is_replaceable
from tests.tournament.test_formats_run import DRAWS, LOSES, WINS, written
from tests.tournament.test_run import run

CHANGES = {
    # "wins" plays both others; then "loses" challenges too, and its pair with "draws" is missing
    "gauntlet": ("format: gauntlet\nchallengers: [wins]\n", "[wins]", "[wins, loses]"),
    # neighbours play; then the two ends as well
    "round-robin": ("reach: 1\n", "reach: 1", "reach: 2"),
}


@pytest.mark.slow(3)
@pytest.mark.parametrize("form", CHANGES)
def test_extended_league_plays_the_pairs_that_a_new_setting_adds(tmp_path: Path, form: str) -> None:
    """Three bots have three pairs: two are stored before, and one is missing."""
    text, before, after = CHANGES[form]
    config = written(tmp_path, f"{text}pairs: 1\n", WINS, LOSES, DRAWS)
    results = tmp_path / "r"
    run(config, "--results", str(results))
    config.write_text(config.read_text().replace(before, after))
    refused = run(config, "--results", str(results), code=3).stderr
    assert "To continue with these bots and keep the games of the others, use --extend." in refused
    run(config, "--results", str(results), "--extend")
    assert json.loads((results / "standings.json").read_text())["pairs_stored"] == 3


@pytest.mark.slow
def test_swiss_cannot_be_extended(tmp_path: Path) -> None:
    """The pairings depend on the results of all bots, so the missing pairs are unknown."""
    config = written(tmp_path, "format: swiss\npairs: 1\n", WINS, LOSES, DRAWS)
    results = tmp_path / "r"
    run(config, "--results", str(results))
    config.write_text(config.read_text().replace("pairs: 1", "pairs: 2"))
    refused = run(config, "--results", str(results), "--extend", code=3).stderr
    assert "format.pairs: stored is 1, the file says 2" in refused
    assert "--extend goes with the formats round-robin and gauntlet." in refused


@pytest.mark.parametrize(
    "fact", ["seed", "format", "deals", "format.rounds", "format.sprt", "challengers", "botstrap"]
)
def test_settings_that_determine_all_games_are_not_replaceable(fact: str) -> None:
    """With other values, the stored games would belong to another tournament."""
    assert not is_replaceable(fact, find_format("gauntlet"))


@pytest.mark.parametrize(
    ("form", "fact"),
    [
        ("round-robin", "bots"),
        ("round-robin", "bots.magpie.content"),
        ("round-robin", "format.reach"),
        ("gauntlet", "format.challengers"),
    ],
)
def test_bots_and_settings_that_name_bots_are_replaceable(form: str, fact: str) -> None:
    """A league may continue with other bots."""
    assert is_replaceable(fact, find_format(form))


def test_setting_is_replaceable_only_if_its_format_says_so() -> None:
    """Another format may lock a setting of the same name."""
    assert not is_replaceable("format.challengers", find_format("round-robin"))
