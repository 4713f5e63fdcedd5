"""The plan of a tournament: what a file settles, and what determines the games."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.config import TournamentFile
from pwtourney.errors import ConfigError
from pwtourney.rules.automa import Automa
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.plan import draw_deal_seed, make_plan, read_lineup


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], TournamentFile]:
    """Return a function that writes and reads a file with greedy and random, and further lines."""

    def write(more: str, bots: str = "[greedy, random]") -> TournamentFile:
        (tmp_path / "t.yaml").write_text(f"bots: {bots}\n{more}\n")
        return load_tournament(tmp_path / "t.yaml")

    return write


@pytest.mark.parametrize(
    ("more", "replays"), [("", 0), ("timeouts: forfeit", 0), ("timeouts: replay-if-machine", 2)]
)
def test_pair_is_replayed_only_if_the_file_says_so(
    read: Callable[[str], TournamentFile], more: str, replays: int
) -> None:
    """docs/config.md: by default a timeout loses; otherwise a pair is replayed up to twice."""
    plan = make_plan(read(more), 7)
    assert plan.replays == replays
    assert plan.facts()["timeouts"] == ("replay-if-machine" if replays else "forfeit")


def test_bots_that_cannot_be_found_are_named_with_their_lines(
    read: Callable[..., TournamentFile],
) -> None:
    """One error names both bots at their entries, although they vanished after the reading."""
    bots = "\n  - gredy\n  - greedy\n  - {id: two, bot: rndom}"
    file = read("", bots.replace("gredy", "frugal").replace("rndom", "random"))
    lost = {0: "gredy", 2: "rndom"}
    entries = [
        bot.model_copy(update={"bot": lost.get(index, bot.bot)})
        for index, bot in enumerate(file.config.bots)
    ]
    file = file._replace(config=file.config.model_copy(update={"bots": entries}))
    with pytest.raises(ConfigError) as raised:
        make_plan(file, 7)
    first, second = str(raised.value).splitlines()[:2]
    assert "t.yaml:2:" in first
    assert "bots[0]" in first
    assert "gredy" in first
    assert "t.yaml:4:" in second
    assert "bots[2]" in second
    assert "rndom" in second


def test_list_of_deals_is_a_fact_by_its_content(
    read: Callable[..., TournamentFile], tmp_path: Path
) -> None:
    """A comment and the name of the file change nothing; another deal is another tournament."""
    circle = ",".join(map(str, range(33, 0, -1)))  # patch 1 must be the last
    facts = []
    for name, text in (
        ("a.txt", f"{circle}\n"),
        ("b.txt", f"# the same\n{circle}\n"),
        ("c.txt", f"{circle}\n{circle}\n"),
    ):
        (tmp_path / name).write_text(text)
        facts.append(make_plan(read(f"deals: {name}"), 7).facts()["deals"])
    same, commented, other = facts
    assert same.startswith("a list, ")
    assert same == commented != other


def test_lineup_against_the_automa_has_its_level_and_deck() -> None:
    """The bot plays alone, in the anniversary edition; level 3 is "fellow" (docs/config.md)."""
    lineup = read_lineup("greedy", "automa:3:tactical", None)
    assert (lineup.bots, lineup.edition.name) == (("greedy",), "anniversary")
    assert lineup.automa == Automa("fellow", tactical=True)
    assert read_lineup("greedy", "random", None).automa is None


def test_short_seed_warns_if_a_bot_could_guess_hidden_cards() -> None:
    """The order of the Automa's cards is hidden; nothing is said without them or of a long seed."""
    against, alone = read_lineup("greedy", "automa:3", None), read_lineup("greedy", "random", None)
    warnings: list[str] = []
    assert draw_deal_seed(123, against, warnings.append) == 123
    (warning,) = warnings
    assert warning.startswith("a bot can guess a short seed")
    assert draw_deal_seed(123, alone, warnings.append) == 123
    assert draw_deal_seed(2**60, against, warnings.append) == 2**60
    assert draw_deal_seed(None, against, warnings.append) < 2**64
    assert len(warnings) == 1
