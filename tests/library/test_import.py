"""What ``import pwtourney`` costs and offers."""

import inspect
import subprocess
import sys

import pytest

import pwtourney


def test_the_import_loads_nothing_else() -> None:
    """Neither a module of ours nor any other comes with it."""
    code = (
        "import sys; before = set(sys.modules); import pwtourney;"
        " print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["pwtourney"]


@pytest.mark.parametrize("name", pwtourney.__all__)
def test_every_name_is_there_and_described(name: str) -> None:
    """Each can be had, is listed by `dir`, and has a docstring of its own."""
    found = getattr(pwtourney, name)
    assert name in dir(pwtourney)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert found.__name__ == name
        assert found.__doc__
        assert not found.__doc__.startswith(f"{name}(")  # what a tuple gets without one


def test_a_misspelt_name_is_an_error_for_people_and_for_type_checkers() -> None:
    """The comment is needed: without it mypy reports that there is no such name."""
    with pytest.raises(AttributeError, match="has no attribute 'play_tournamet'"):
        pwtourney.play_tournamet  # type: ignore[attr-defined] # noqa: B018


def test_types_reach_type_checkers() -> None:
    """These annotations hold under mypy, which checks this file; the signatures are the same."""
    result: type[pwtourney.TournamentResult] = pwtourney.TournamentResult
    standings: pwtourney.Standings = pwtourney.rate([("a", "b", 1)])
    line: pwtourney.Row = standings.pools[0].rows[0]
    assert line.bot in "ab"
    assert "standings" in result._fields
    play = inspect.signature(pwtourney.Tournament.play).parameters
    shortcut = inspect.signature(pwtourney.play_tournament).parameters
    assert list(play)[1:] == list(shortcut)[1:]
