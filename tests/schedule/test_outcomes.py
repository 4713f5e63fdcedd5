"""What came of many pairs, kept small."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from pwtourney.schedule.outcomes import Outcomes

HALVES = st.sampled_from([0, 1, 2, None])
PAIRS = st.one_of(st.integers(0, 200), st.integers(0, 2**62))


@given(st.lists(st.tuples(PAIRS, HALVES, HALVES)))
def test_it_says_what_a_dictionary_would(
    pairs: list[tuple[int, int | None, int | None]],
) -> None:
    """Same pairs, same points, the last that was said."""
    found = Outcomes()
    expected: dict[int, tuple[float | None, float | None]] = {}
    for pair, one, two in pairs:
        found.note(pair, one, two)
        expected[pair] = (one if one is None else one / 2, two if two is None else two / 2)
    assert dict(found) == expected
    assert len(found) == len(expected)
    assert all(pair not in found for pair in range(201) if pair not in expected)


def test_a_million_pairs_take_a_megabyte_or_two() -> None:
    """And a number far beyond all others takes no more than itself."""
    found = Outcomes()
    for pair in range(1_000_000):
        found.note(pair, 2, 0)
    found.note(2**60, None, 1)
    assert sum(map(sys.getsizeof, vars(found).values())) < 2_500_000
    assert found[2**60] == (None, 0.5)
