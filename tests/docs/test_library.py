"""The page of the library against what ``import pwtourney`` offers."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import pwtourney
from pwtourney import errors, tournament
from pwtourney.library.tournaments import PlayOptions

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text()


def rows(heading: str) -> set[str]:
    """Return the first column of the table in a section."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


@pytest.mark.parametrize("name", pwtourney.__all__)
def test_every_name_is_on_the_page(name: str) -> None:
    """In code, alone or with what it is called on or with."""
    assert re.search(rf"[`.]{name}\b", PAGE)


def keywords(function: Callable[..., object]) -> set[str]:
    """Return what a function can only be given by name."""
    parameters = inspect.signature(function).parameters.items()
    return {name for name, each in parameters if each.kind is each.KEYWORD_ONLY}


def test_every_keyword_of_a_run_is_in_the_table() -> None:
    """And no other; those that are passed on are what the function takes that they come to."""
    options = set(PlayOptions.__annotations__)
    assert keywords(pwtourney.Tournament.start) == options
    assert keywords(pwtourney.Tournament.play) == keywords(pwtourney.play_tournament)
    assert rows("Play a tournament") == keywords(pwtourney.play_tournament) | options


def test_every_event_is_in_the_table_and_can_be_had() -> None:
    """What `on_event` may be called with is in `__all__`."""
    kinds = {each.__name__ for each in tournament.Event.__args__}
    assert rows("Follow a run") == kinds <= set(pwtourney.__all__)


def test_every_error_that_reaches_a_caller_is_in_the_table() -> None:
    """All but the root, and those that only the notation, the rules and the protocol raise."""
    own = {"BotFault", "ProtocolFault", "TheftFault", "IllegalActionError", "NotationError"}
    raised = {name for name in errors.__all__ if inspect.isclass(getattr(errors, name))} - own
    assert rows("Errors") == raised - {"PwtourneyError"}
    assert raised <= set(pwtourney.__all__)
