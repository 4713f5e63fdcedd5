"""Examples in docstrings are correct."""

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

ROOT = Path(__file__).parents[1]


def find_examples() -> Iterator[ParameterSet]:
    """Yield each docstring with examples; those of `simulate` are slow because they compile."""
    for path in sorted(ROOT.glob("pwtourney/**/*.py")):
        # most modules have none, and importing and searching all takes a second in each process
        if b">>> " in path.read_bytes():
            parts = path.relative_to(ROOT).with_suffix("").parts
            module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
            marks = [pytest.mark.slow] if "simulate" in parts else []
            for test in doctest.DocTestFinder().find(module):
                if test.examples:
                    yield pytest.param(test, id=test.name, marks=marks)


@pytest.mark.parametrize("example", list(find_examples()))
def test_example_gives_the_values_it_shows(
    example: doctest.DocTest, request: pytest.FixtureRequest
) -> None:
    """Every value in a docstring is the result of its lines."""
    if "simulate" in example.name:
        request.getfixturevalue("numba_cache")
    outcome = doctest.DocTestRunner().run(example, clear_globs=False)
    assert outcome.attempted > 0
    assert outcome.failed == 0
