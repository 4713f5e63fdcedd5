"""Models that are joined from parts."""

import pytest
from pydantic import ValidationError

from pwtourney.strict import Strict, join_models


class First(Strict):
    """The base of the joined models."""

    name: str = "x"


class Step(Strict):
    """A part."""

    step: int = 1


class OtherStep(Strict):
    """A part with the same key as another one."""

    step: str = "1"


def test_fields_are_joined_in_the_order_of_the_parts() -> None:
    """The joined model is an instance of every part, and other keys are refused."""

    class Laps(Strict):
        laps: int = 3

    joined = join_models("Joined", First, [Step, Laps, First])
    assert [*joined.model_fields] == ["name", "step", "laps"]
    value = joined.model_validate({"laps": 2})
    assert isinstance(value, Step)
    assert (value.step, value.model_dump()) == (1, {"name": "x", "step": 1, "laps": 2})
    with pytest.raises(ValidationError):
        joined.model_validate({"lap": 2})


def test_two_parts_with_the_same_key_are_refused() -> None:
    """In a file the key could mean only one of them."""
    with pytest.raises(TypeError, match="field of the same name"):
        join_models("Joined", First, [Step, OtherStep])
