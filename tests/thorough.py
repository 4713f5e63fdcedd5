"""Parameters of tests: a few for every run, the others for CI."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

__all__ = ["thorough_but"]

T = TypeVar("T")


def thorough_but(always: Iterable[T], values: Iterable[T]) -> list[ParameterSet]:
    """Return parameters in which all values that are not in `always` are marked as thorough.

    Raises ValueError if one of `always` is not among the values.
    """
    chosen, given = list(always), list(values)
    for value in chosen:
        given.index(value)
    return [
        pytest.param(value, marks=() if value in chosen else pytest.mark.thorough)
        for value in given
    ]
