"""Examples in docstrings show what they say."""

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

ROOT = Path(__file__).parents[1]


def find_examples() -> Iterator[ParameterSet]:
    """Yield each docstring that has examples; those that simulate compile what they call."""
    for path in sorted(ROOT.glob("pwtourney/**/*.py")):
        # most modules have none: to import and search all of them takes a second of each process
        if b">>> " in path.read_bytes():
            parts = path.relative_to(ROOT).with_suffix("").parts
            module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
            marks = [pytest.mark.slow] if "simulate" in parts else []
            for test in doctest.DocTestFinder().find(module):
                if test.examples:
                    yield pytest.param(test, id=test.name, marks=marks)


@pytest.mark.parametrize("example", list(find_examples()))
def test_an_example_shows_what_it_says(
    example: doctest.DocTest, request: pytest.FixtureRequest
) -> None:
    """Every value that a docstring shows is the one that its lines give."""
    if "simulate" in example.name:
        request.getfixturevalue("numba_cache")
    outcome = doctest.DocTestRunner().run(example, clear_globs=False)
    assert outcome.attempted > 0
    assert outcome.failed == 0
