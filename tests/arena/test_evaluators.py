"""The bots that evaluate a finished game at its table."""

import re
from pathlib import Path

from pwtourney.arena.play.evaluators import list_evaluators, offer_evaluators
from pwtourney.arena.play.opponents import list_opponents

DOCS = Path(__file__).parents[2] / "docs" / "bots.md"


def test_evaluators_of_an_arena_are_those_it_has_the_strongest_first() -> None:
    """The strongest comes first; bots that are slow or say no margin evaluate nothing."""
    bots = [
        evaluator["bot"]
        for evaluator in list_evaluators({"random", "champion", "greedy", "lookahead"})
    ]
    assert bots == ["champion", "lookahead", "greedy"]
    strengths = [opponent.strength for bot in bots for opponent in list_opponents([bot])]
    assert strengths == sorted(strengths, reverse=True)
    assert list_evaluators({"mine.py", "random"}) == []


def test_evaluators_have_the_options_that_limit_them() -> None:
    """docs/bots.md lists the options of each bot; a bot without one has a limit of time."""
    for evaluator in list_evaluators({"champion", "lookahead", "greedy"}):
        if option := evaluator.get("option"):
            _, _, section = DOCS.read_text().partition(f"\n### {evaluator['bot']}\n")
            assert re.search(rf"^\| `{option}` \| ", section.partition("\n## ")[0], re.MULTILINE)
        else:
            assert evaluator["ms"] == 1000


def test_all_bots_are_offered_the_evaluators_first() -> None:
    """A bot whose limit nobody knows has a second for a position, as in the analysis."""
    offered = offer_evaluators(["random", "greedy", "mine.py", "champion"])
    assert [evaluator["bot"] for evaluator in offered] == [
        "champion",
        "greedy",
        "random",
        "mine.py",
    ]
    assert [evaluator.get("ms") for evaluator in offered] == [None, 1000, 1000, 1000]
