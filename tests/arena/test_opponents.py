"""The opponents that a page offers, with their levels and ratings."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from pwtourney.arena.play.opponents import (
    MOST_STRENGTH,
    Opponent,
    Options,
    describe_rating,
    find_options,
    list_opponents,
    name_level,
)
from pwtourney.errors import UsageError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "bots.md"

Rated = Mapping[tuple[str, Options], float]
"""Ratings of bots with some options."""


@pytest.fixture(scope="module")
def documented() -> list[str]:
    """Return the bundled bots of the table in docs/bots.md, from weak to strong."""
    table = DOCS.read_text().partition("|---|")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


@pytest.fixture(scope="module")
def ladder() -> Rated:
    """Return the ratings of the ladder; its file says which bot has which options."""
    config = yaml.safe_load((ROOT / "configs" / "ladder.yaml").read_text())
    standings = json.loads((ROOT / "results" / "ladder" / "standings.json").read_text())
    elo = {row["bot"]: row["elo"] for row in standings["tables"][0]["bots"]}
    rated: dict[tuple[str, Options], float] = {}
    for entry in config["bots"]:
        if isinstance(entry, str):
            rated[entry, ()] = elo[entry]
        else:
            options = tuple((name, str(value)) for name, value in entry["set"].items())
            rated[entry["bot"], options] = elo[entry["id"]]
    return rated


def test_bundled_bots_come_first_from_weak_to_strong() -> None:
    """A bot of somebody else has neither a strength nor a rating, and comes last."""
    opponents = list_opponents(["mine.py", "champion", "greedy"])
    assert [(opponent.bot, opponent.strength) for opponent in opponents] == [
        ("greedy", 4),
        ("champion", 7),
        ("mine.py", 0),
    ]
    assert all(opponent.sentence for opponent in opponents[:2])
    assert opponents[-1] == Opponent("mine.py")


def test_all_bundled_bots_are_offered_in_the_order_of_their_docs(documented: list[str]) -> None:
    """The table of docs/bots.md lists them from weak to strong."""
    opponents = list_opponents(reversed(documented))
    assert [opponent.bot for opponent in opponents] == documented
    assert [opponent.strength for opponent in opponents] == [1, 2, 3, 4, 5, 6, 7]
    assert len(documented) == MOST_STRENGTH


def test_rating_of_a_bot_is_that_of_the_ladder(documented: list[str], ladder: Rated) -> None:
    """Ratings are rounded to tens; a bot that the ladder limits has at least its best rating."""
    for opponent in list_opponents(documented):
        rated = {options: elo for (bot, options), elo in ladder.items() if bot == opponent.bot}
        if opponent.elo is None:
            assert rated == {}, opponent.bot
            continue
        assert opponent.is_least == (() not in rated), opponent.bot
        assert opponent.elo == pytest.approx(max(rated.values()), abs=5), opponent.bot


def test_rating_of_a_level_is_that_of_the_ladder(documented: list[str], ladder: Rated) -> None:
    """The ladder has a bot with the same options; levels go from weak to strong."""
    for opponent in list_opponents(documented):
        for level in opponent.levels:
            assert level.elo == pytest.approx(ladder[opponent.bot, level.options], abs=5), level
        ratings = [level.elo for level in opponent.levels]
        assert ratings == sorted(ratings)
        assert all(elo <= (opponent.elo or 0) for elo in ratings)


def test_rating_is_said_for_the_options_that_a_bot_plays_with() -> None:
    """At full strength the thinkers are stronger than on the ladder; other options are not rated.

    The figures are those of the table in docs/bots.md.
    """
    assert describe_rating("greedy", ()) == "0 Elo (greedy = 0)"
    assert describe_rating("random", ()) == "−630 Elo (greedy = 0)"
    assert describe_rating("mcts", ()) == "+550 Elo or more (greedy = 0)"
    assert describe_rating("mcts", (("iterations", "110"),)) == "+410 Elo (greedy = 0)"
    assert describe_rating("mcts", (("iterations", "111"),)) == ""
    assert describe_rating("heron", ()) == ""


def test_levels_are_documented_with_their_options(documented: list[str]) -> None:
    """A table of docs/arena.md has a row for each bot with levels, and a column for each level."""
    text = (ROOT / "docs" / "arena.md").read_text()
    names = ["beginner", "casual", "club", "expert"]
    for opponent in list_opponents(documented):
        values = {level.name: level.options for level in opponent.levels}
        cells = [values[name][0][1] if name in values else "–" for name in names]
        options = {option for level in opponent.levels for option, _ in level.options}
        for option in options:
            assert f"| `{opponent.bot}` | `{option}` | {' | '.join(cells)} |" in text
        assert len(options) <= 1
        assert values.keys() <= set(names)


def test_level_is_found_by_its_name_and_its_options() -> None:
    """The full strength has an empty name and no options."""
    options = find_options("champion", "casual")
    assert options == (("iterations", "30"),)
    assert name_level("champion", options) == "casual"
    for bot in ("champion", "mine.py"):
        assert find_options(bot, "") == ()
        assert name_level(bot, ()) == ""
    assert name_level("champion", (("iterations", "31"),)) == ""
    assert name_level("mine.py", options) == ""


@pytest.mark.parametrize(
    ("bot", "level", "reason"),
    [
        ("greedy", "expert", "greedy' has no level 'expert'; it has beginner, casual, club"),
        ("random", "casual", "random' has no level 'casual'; it has none"),
        ("mine.py", "casual", "mine.py' has no level 'casual'; it has none"),
    ],
)
def test_unknown_level_is_refused_with_those_of_the_bot(bot: str, level: str, reason: str) -> None:
    """A page offers no other, but a request may name any."""
    with pytest.raises(UsageError, match=f"^the bot '{re.escape(reason)}$"):
        find_options(bot, level)
