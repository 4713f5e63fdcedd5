"""Models that are joined from parts."""

import pytest
from pydantic import StrictInt, TypeAdapter, ValidationError

from pwtourney.strict import Strict, find_first_problem, join_models


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


@pytest.mark.parametrize(
    ("value", "path", "kind"),
    [({"step": "2"}, "step", "int_type"), ({"step": 2, "lap": 1}, "lap", "extra_forbidden")],
)
def test_first_problem_of_a_value_has_its_path_and_kind(
    value: dict[str, object], path: str, kind: str
) -> None:
    """The kinds are those of pydantic's documentation."""
    with pytest.raises(ValidationError) as caught:
        Step.model_validate(value)
    where, details = find_first_problem(caught.value)
    assert (where, details["type"]) == (path, kind)


def test_first_problem_of_a_list_is_named_with_its_index() -> None:
    """A problem of the whole value has no path."""
    for value, path in (([1, "2", "3"], "1"), ("no list", "")):
        with pytest.raises(ValidationError) as caught:
            TypeAdapter(list[StrictInt]).validate_python(value)
        assert find_first_problem(caught.value)[0] == path
