"""The library page agrees with what ``import pwtourney`` offers."""

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
    """In code, alone or as a part of an expression."""
    assert re.search(rf"[`.]{name}\b", PAGE)


def keywords(function: Callable[..., object]) -> set[str]:
    """Return the keyword-only parameters of a function."""
    parameters = inspect.signature(function).parameters.items()
    return {name for name, parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


def test_every_keyword_of_a_run_is_in_the_table() -> None:
    """The table has no others; passed-on keywords are those of the called function."""
    options = set(PlayOptions.__annotations__)
    assert keywords(pwtourney.Tournament.start) == options
    assert keywords(pwtourney.Tournament.play) == keywords(pwtourney.play_tournament)
    assert rows("Play a tournament") == keywords(pwtourney.play_tournament) | options


def test_every_event_is_in_the_list_and_can_be_imported() -> None:
    """The classes that `on_event` may get are listed, and are in `__all__`."""
    kinds = {kind.__name__ for kind in tournament.Event.__args__}
    (listed,) = re.findall(r"^Events are those of .*?(?=\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`([A-Z]\w+)`", listed)) == kinds | {"Event"}
    assert kinds <= set(pwtourney.__all__)


def test_every_error_that_reaches_a_caller_is_in_the_table() -> None:
    """Except for the base class, and those that only notation, rules and protocol raise."""
    own = {"BotFault", "ProtocolFault", "TheftFault", "TimeoutFault"}
    own |= {"IllegalActionError", "NotationError"}
    raised = {name for name in errors.__all__ if inspect.isclass(getattr(errors, name))} - own
    assert rows("Errors") == raised - {"PwtourneyError"}
    assert raised <= set(pwtourney.__all__)
