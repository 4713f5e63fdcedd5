"""The opponents that a page offers."""

import re
from pathlib import Path

from pwtourney.arena.play.opponents import MOST_STRENGTH, Opponent, list_opponents

DOCS = Path(__file__).parents[2] / "docs" / "bots.md"


def test_bundled_bots_come_first_from_weak_to_strong() -> None:
    """A bot of somebody else has neither a strength nor a sentence, and comes last."""
    found = list_opponents(["mine.py", "champion", "greedy"])
    assert [(each.bot, each.strength) for each in found] == [
        ("greedy", 4),
        ("champion", 7),
        ("mine.py", 0),
    ]
    assert all(each.sentence for each in found[:2])
    assert found[-1] == Opponent("mine.py")


def test_all_bundled_bots_are_offered_in_the_order_of_their_docs() -> None:
    """The table of docs/bots.md lists them from weak to strong."""
    table = DOCS.read_text().partition("|---|")[2].partition("\n\n")[0]
    documented = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    found = list_opponents(reversed(documented))
    assert [each.bot for each in found] == documented
    assert [each.strength for each in found] == [1, 2, 3, 4, 5, 6, 7]
    assert len(documented) == MOST_STRENGTH
