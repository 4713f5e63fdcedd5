"""Which options of a bot can be tuned, given the bot's declaration and the file's range."""

import pytest

from pwtourney.protocol import Option
from pwtourney.schedule.tuned import write_values
from pwtourney.tournament.lineup import find_space
from pwtourney.tuning import Dimension

FREE = Option("free", "float", "0")
COUNT = Option("count", "int", "0")
TINY = Option("tiny", "float", "0", ("0", "0.00000000000000001"))
CANNOT = "cannot be set to {}: numbers have at most 18 digits before the point and 17 behind it"


@pytest.mark.parametrize(
    ("option", "narrowed", "message"),
    [
        (FREE, (-1e308, 1e308), CANNOT.format("-1e+308")),
        (FREE, (0.0, 1e30), CANNOT.format("1e+30")),
        (FREE, (0.0, 1 / 300), CANNOT.format("0.00333333")),
        (COUNT, (0.0, 1e18), CANNOT.format("1e+18")),
        (TINY, None, "the range from 0 to 1e-17 is too narrow"),
    ],
)
def test_values_that_the_protocol_cannot_carry_are_refused(
    option: Option, narrowed: tuple[float, float] | None, message: str
) -> None:
    """A range has an end with too many digits before or after the point, or is too narrow."""
    problem = find_space(option.name, {option.name: option}, None, narrowed)
    assert isinstance(problem, str)
    assert message in problem


@pytest.mark.parametrize("ends", [(0.0, 1e17), (-1e-12, 1e-12), (0.0, 0.1 + 0.2), (-7e5, 0.3)])
def test_every_value_of_a_tunable_range_can_be_set(ends: tuple[float, float]) -> None:
    """The option accepts 1001 evenly spaced values, from the widest range to a narrow one."""
    space = find_space("free", {"free": FREE}, None, ends)
    assert isinstance(space, Dimension)
    for k in range(1001):
        ((_, written),) = write_values({"free": space.settle(k / 1000, 0.5)})
        assert FREE.check(written) is None
