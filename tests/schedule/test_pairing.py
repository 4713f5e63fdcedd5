"""What came of many pairs, kept small, and the seeds that everything hangs on."""

import sys
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from pwtourney.schedule.pairing import Outcomes, derive_seed

HALVES = st.sampled_from([0, 1, 2, None])
PAIRS = st.one_of(st.integers(0, 200), st.integers(0, 2**62))


@given(st.lists(st.tuples(PAIRS, HALVES, HALVES)))
def test_it_says_what_a_dictionary_would(
    pairs: list[tuple[int, int | None, int | None]],
) -> None:
    """Same pairs, same points, the last that was said."""
    outcomes = Outcomes()
    expected: dict[int, tuple[float | None, float | None]] = {}
    for pair, one, two in pairs:
        outcomes.note(pair, one, two)
        expected[pair] = (one if one is None else one / 2, two if two is None else two / 2)
    assert dict(outcomes) == expected
    assert len(outcomes) == len(expected)
    assert all(pair not in outcomes for pair in range(201) if pair not in expected)


def test_a_million_pairs_take_a_megabyte_or_two() -> None:
    """And a number far beyond all others takes no more than itself."""
    outcomes = Outcomes()
    for pair in range(1_000_000):
        outcomes.note(pair, 2, 0)
    outcomes.note(2**60, None, 1)
    assert sum(map(sys.getsizeof, vars(outcomes).values())) < 2_500_000
    assert outcomes[2**60] == (None, 0.5)


def test_seeds_follow_their_description() -> None:
    """SHA-256 of the labels, first eight bytes, high byte first, shifted to size."""
    digest = sha256(b"pwtourney/2014/deal/3").digest()
    assert derive_seed(2014, "deal", 3) == int.from_bytes(digest[:8], "big")
    assert derive_seed(2014, "deal", 3, bits=53) == int.from_bytes(digest[:8], "big") >> 11


def test_seeds_differ_by_purpose() -> None:
    """No two of many purposes share a seed."""
    seeds = {derive_seed(1, kind, k) for kind in ("deal", "bot") for k in range(5000)}
    assert len(seeds) == 10_000
