"""The cost of ``import pwtourney``, and the names that it offers."""

import inspect
import subprocess
import sys

import pytest

import pwtourney


def test_import_loads_no_other_module() -> None:
    """Neither a submodule nor another package is imported."""
    code = (
        "import sys; before = set(sys.modules); import pwtourney;"
        " print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["pwtourney"]


@pytest.mark.parametrize("name", pwtourney.__all__)
def test_every_public_name_exists_and_has_a_docstring(name: str) -> None:
    """Each name is listed by `dir`, and its docstring is its own."""
    value = getattr(pwtourney, name)
    assert name in dir(pwtourney)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__name__ == name
        assert value.__doc__
        assert not value.__doc__.startswith(
            f"{name}("
        )  # the docstring of a named tuple without its own


def test_misspelt_name_is_an_error_also_for_type_checkers() -> None:
    """The `type: ignore` is needed: without it mypy reports that there is no such name."""
    with pytest.raises(AttributeError, match="has no attribute 'play_tournamet'"):
        pwtourney.play_tournamet  # type: ignore[attr-defined] # noqa: B018


def test_lazy_names_have_types_for_type_checkers() -> None:
    """Mypy checks these annotations in this file; both signatures are the same."""
    result: type[pwtourney.TournamentResult] = pwtourney.TournamentResult
    standings: pwtourney.Standings = pwtourney.rate([("a", "b", 1)])
    line: pwtourney.Row = standings.pools[0].rows[0]
    assert line.bot in "ab"
    assert "standings" in result._fields
    play = inspect.signature(pwtourney.Tournament.play).parameters
    shortcut = inspect.signature(pwtourney.play_tournament).parameters
    assert list(play)[1:] == list(shortcut)[1:]
