"""The compact storage of outcomes, seeds, results of pairs, and parts of a schedule."""

import sys
from hashlib import sha256
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.ratings import Result
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.schedule.pairing import (
    Outcomes,
    Pairing,
    PairPoints,
    PlayedPair,
    Shard,
    derive_seed,
    results,
)

HALVES = st.sampled_from([0, 1, 2, None])
PAIRS = st.one_of(st.integers(0, 200), st.integers(0, 2**62))


@pytest.mark.slow
@given(st.lists(st.tuples(PAIRS, HALVES, HALVES)))
def test_outcomes_equal_a_dictionary(
    pairs: list[tuple[int, int | None, int | None]],
) -> None:
    """They have the same pairs with the same points; a later value replaces an earlier one."""
    outcomes = Outcomes()
    expected: dict[int, tuple[float | None, float | None]] = {}
    for pair, first, second in pairs:
        outcomes.note(pair, first, second)
        expected[pair] = (
            first if first is None else first / 2,
            second if second is None else second / 2,
        )
    assert dict(outcomes) == expected
    assert len(outcomes) == len(expected)
    assert all(pair not in outcomes for pair in range(201) if pair not in expected)


@pytest.mark.slow
def test_a_million_outcomes_take_less_than_2_5_megabytes() -> None:
    """A number far beyond all others takes no more memory than another."""
    outcomes = Outcomes()
    for pair in range(1_000_000):
        outcomes.note(pair, 2, 0)
    outcomes.note(2**60, None, 1)
    assert sum(map(sys.getsizeof, vars(outcomes).values())) < 2_500_000
    assert outcomes[2**60] == (None, 0.5)


def test_seeds_follow_their_description() -> None:
    """A seed is the first eight bytes of the labels' SHA-256, big-endian, shifted to size."""
    digest = sha256(b"pwtourney/2014/deal/3").digest()
    assert derive_seed(2014, "deal", 3) == int.from_bytes(digest[:8], "big")
    assert derive_seed(2014, "deal", 3, bits=53) == int.from_bytes(digest[:8], "big") >> 11


def test_seeds_differ_by_purpose() -> None:
    """10,000 seeds of two purposes are distinct."""
    seeds = {derive_seed(1, kind, k) for kind in ("deal", "bot") for k in range(5000)}
    assert len(seeds) == 10_000


@pytest.mark.parametrize("halves", [0, 1, 2, None])
def test_outcome_of_a_pair_is_kept_game_by_game(halves: int | None) -> None:
    """Each of the four outcomes of a game is stored, as the first and as the second game."""
    points = None if halves is None else halves / 2
    outcomes = Outcomes()
    outcomes.note(3, halves, 2)
    outcomes.note(5, 1, halves)
    assert (outcomes[3], outcomes[5]) == ((points, 1.0), (0.5, points))
    assert (list(outcomes), len(outcomes)) == ([3, 5], 2)
    outcomes.note(3, 0, 0)
    assert (outcomes[3], len(outcomes)) == ((0.0, 0.0), 2)
    with pytest.raises(KeyError, match="4"):
        outcomes[4]
    with pytest.raises(KeyError):
        outcomes[-1]


@pytest.mark.slow
def test_sparse_outcome_is_found_after_the_dense_ones_reach_it() -> None:
    """It is stored once, with the latest value, in its order among the others."""
    outcomes = Outcomes()
    outcomes.note(70_000, 2, 2)
    for pair in range(60_000):
        outcomes.note(pair, 0, 0)
    assert outcomes[70_000] == (1.0, 1.0)
    outcomes.note(90_000, 0, 0)
    assert (outcomes[70_000], len(outcomes)) == ((1.0, 1.0), 60_002)
    outcomes.note(70_000, 1, 1)
    assert (outcomes[70_000], len(outcomes)) == ((0.5, 0.5), 60_002)
    assert list(outcomes)[-2:] == [70_000, 90_000]


@pytest.mark.parametrize(
    ("points", "total"),
    [
        ((0.0, 0.0), 0.0),
        ((1.0, 0.5), 1.5),
        ((1.0, 1.0), 2.0),
        ((None, 1.0), None),
        ((1.0, None), None),
        ((None, None), None),
    ],
)
def test_a_pair_with_a_void_game_has_no_total(points: PairPoints, total: float | None) -> None:
    """Otherwise the total is what the first bot got in both games."""
    assert PlayedPair(Pairing(0, "a", "b", 0), points).total == total


def test_pair_gives_two_results_from_the_first_seat() -> None:
    """In the second game the other bot has the first seat, so the points are reversed."""
    history = [
        PlayedPair(Pairing(4, "a", "b", 9), (1.0, 0.5)),
        PlayedPair(Pairing(5, "b", "a", 9), (None, 1.0)),
    ]
    assert list(results(history)) == [
        Result("a", "b", 1.0, "9", pair="4"),
        Result("b", "a", 0.5, "9", pair="4"),
        Result("b", "a", None, "9", pair="5"),
        Result("a", "b", 0.0, "9", pair="5"),
    ]


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_every_pair_is_in_exactly_one_part(of: int) -> None:
    """Each part also returns how many of any number of pairs are its own."""
    parts = [Shard(number, of) for number in range(1, of + 1)]
    for pairs in range(20):
        owned = [[pair for pair in range(pairs) if part.has(pair)] for part in parts]
        assert sorted(chain.from_iterable(owned)) == list(range(pairs))
        assert [part.share(pairs) for part in parts] == list(map(len, owned))


@pytest.mark.parametrize("text", ["1/1", "2/5", "5/5", "999999/999999"])
def test_part_reads_back_as_its_text(text: str) -> None:
    """The text is the part's number, a slash, and the number of parts."""
    assert str(Shard.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "1", "0/2", "3/2", "1/0", "01/2", "1/02", "-1/2", "1/2 ", "1 /2", "1/1000000", "١/٢"],
)
def test_an_invalid_part_is_reported_with_valid_ones(text: str) -> None:
    """Leading zeros, blanks, signs, other digits and numbers out of range are invalid."""
    with pytest.raises(ValueError, match=r"a part is written K/N, from 1/N to N/N, not "):
        Shard.parse(text)


def test_round_robin_has_no_table_status_or_locked_settings() -> None:
    """It shows nothing in the progress line either."""
    plain = RoundRobin(("a", "b"), 3)
    assert plain.table([]) is None
    assert plain.status([]) == ""
    assert plain.locked_settings() == {}
    assert plain.lag == 0


def test_seeds_have_the_requested_bits() -> None:
    """Deals have 64 bits; a shorter seed is the beginning of the longer one."""
    whole = [derive_seed(7, "deal", k) for k in range(200)]
    assert max(whole).bit_length() == 64
    for bits in (1, 8, 53):
        short = [derive_seed(7, "deal", k, bits=bits) for k in range(200)]
        assert short == [seed >> 64 - bits for seed in whole]
        assert max(short).bit_length() == bits


def test_negative_pair_number_does_not_change_another_pair() -> None:
    """Negative numbers never index a list from its end."""
    outcomes = Outcomes()
    outcomes.note(0, 1, 1)
    outcomes.note(-1, 2, 2)
    assert dict(outcomes) == {0: (0.5, 0.5), -1: (1.0, 1.0)}
