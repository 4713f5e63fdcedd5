"""The deal, compared with published numbers and with a second, naive implementation."""

from hashlib import sha256

import pytest

from pwtourney.errors import EditionError
from pwtourney.rules import Deal, SplitMix64, State, deal
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL


def test_splitmix64_gives_the_published_numbers() -> None:
    """The first five numbers from 1234567 are those of the generator's public test vector."""
    stream = SplitMix64(1234567)
    assert [stream.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_deal_follows_its_description_step_by_step() -> None:
    """A shuffle written out naively from the description gives the same circle."""
    stream = SplitMix64(99)
    items = list(range(2, 34))
    for last in range(len(items) - 1, 0, -1):
        number = stream.next()
        while number >= 2**64 // (last + 1) * (last + 1):
            number = stream.next()
        other = number % (last + 1)
        items[last], items[other] = items[other], items[last]
    assert deal(ORIGINAL, 99).circle == (*items, 1)


@pytest.mark.parametrize("n", [2**63 + 1, 2**63 - 1, 3 * 2**61, 2**64 - 1])
def test_below_rejects_numbers_that_would_bias_the_result(n: int) -> None:
    """Numbers from the largest multiple of n on are rejected; for a large n this is up to half."""
    stream, naive = SplitMix64(7), SplitMix64(7)
    for _ in range(200):
        number = naive.next()
        while number // n >= 2**64 // n:
            number = naive.next()
        assert stream.below(n) == number % n
    assert stream.next() == naive.next(), "both have drawn as many"


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_deal_holds_every_patch_once_and_the_start_patch_last(edition: object) -> None:
    """The neutral token stands just after the start patch, so that one is last in line."""
    from pwtourney.rules import Edition

    assert isinstance(edition, Edition)
    for seed in range(200):
        dealt = deal(edition, seed)
        assert sorted(dealt.circle + dealt.late) == [patch.id for patch in edition.patches]
        assert dealt.circle[-1] == edition.start_patch


@pytest.mark.slow
def test_each_patch_leads_the_circle_equally_often() -> None:
    """In 6,400 deals each of 32 patches leads about 200 times: χ² is below its 99.9 % point."""
    counts = dict.fromkeys(range(2, 34), 0)
    for seed in range(6400):
        counts[deal(ORIGINAL, seed).circle[0]] += 1
    chi_squared = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert chi_squared < 61.1  # the 99.9 % point for 31 degrees of freedom, from printed tables


def test_deal_of_another_edition_is_rejected() -> None:
    """A game cannot start from a circle with other patches."""
    with pytest.raises(EditionError, match="does not hold the patches"):
        State.start(ORIGINAL, deal(EXPRESS, 1))
    with pytest.raises(EditionError, match="must end with patch 1"):
        State.start(ORIGINAL, Deal(tuple(range(1, 34))))


def test_each_part_of_a_deal_is_checked() -> None:
    """The circle and the late patches are checked separately; the start patch must come last."""
    dealt = deal(EXPRESS, 1)
    circle, late = dealt
    for wrong in (
        Deal(circle, ()),
        Deal(circle, late[1:]),
        Deal((*circle[1:], circle[0])),
        Deal((late[0], *circle[1:]), (circle[0], *late[1:])),
    ):
        with pytest.raises(EditionError, match="does not hold the patches of the edition express"):
            State.start(EXPRESS, wrong)
    for index in (1, -1):  # second in line, and last but one
        others = [number for number in circle if number != 1]
        others.insert(index, 1)
        with pytest.raises(EditionError, match="must end with patch 1: the neutral token stands"):
            State.start(EXPRESS, Deal(tuple(others), late))
    assert State.start(EXPRESS, dealt) == State.start(EXPRESS, 1)


def test_deal_id_matches_stored_games() -> None:
    """The id is the first 12 hex digits of the SHA-256 of both orders, as written in records."""
    assert Deal((3, 1, 2), (5, 4)).id() == sha256(b"3,1,2+5,4").hexdigest()[:12]
    assert Deal((2, 1)).id() == sha256(b"2,1+").hexdigest()[:12]


def test_deal_id_is_unique_to_its_order() -> None:
    """Two deals have the same id exactly if their patches are in the same order."""
    ids = {deal(EXPRESS, seed).id() for seed in range(300)}
    assert len(ids) == 300
    assert deal(EXPRESS, 5).id() == deal(EXPRESS, 5).id()
