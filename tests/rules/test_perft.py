"""Perft counts, compared with an enumerator that shares no code with the engine."""

from pathlib import Path

import pytest

from pwtourney.notation import position_text
from pwtourney.rules import SplitMix64, State, find_edition
from pwtourney.rules.state import divide, perft
from tests.rules.in_step import as_reference, start
from tests.thorough import thorough_but

CORPUS = Path(__file__).parents[1] / "perft"
EDITIONS = ("original", "anniversary", "halloween", "express")


def corpus(name: str) -> list[tuple[int, int, int]]:
    """Return the rows of an edition's corpus: deal, depth, count."""
    lines = (CORPUS / f"{name}.txt").read_text().splitlines()
    rows = [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]
    return [(deal, depth, count) for deal, depth, count in rows]


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.slow
def test_engine_matches_the_perft_corpus(name: str) -> None:
    """A failure shows the position and the depth of the line."""
    rows = corpus(name)
    assert len({deal for deal, depth, _ in rows if depth == 2}) >= 20
    assert len({deal for deal, depth, _ in rows if depth == 3}) >= 2
    for deal, depth, count in rows:
        state = State.start(find_edition(name), deal)
        assert perft(state, depth) == count, (position_text(state), depth)


@pytest.mark.parametrize("name", thorough_but(["original"], EDITIONS))
@pytest.mark.timeout(300)
@pytest.mark.slow(15)
def test_naive_enumerator_matches_the_perft_corpus(name: str) -> None:
    """The reference tries every action: depth 2 for all deals, depth 3 for one or two deals.

    The editions share the code that places and advances, so depth 3 is mostly a test of the
    original edition.
    """
    rows = corpus(name)
    deepest = [row for row in rows if row[1] == 3]
    for deal, depth, count in rows:
        if depth == 2 or (deal, depth, count) in deepest[: 2 if name == "original" else 1]:
            state = State.start(find_edition(name), deal)
            assert start(name, state).count(depth) == count, (position_text(state), depth)


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.slow
def test_engine_and_reference_agree_on_perft_in_the_middle_of_games(name: str) -> None:
    """After 20 to 30 random plies, boards have many holes and marks are near; the depth is 2."""
    for deal in range(6):
        stream = SplitMix64(deal)
        state = State.start(find_edition(name), deal)
        reference = start(name, state)
        for _ in range(20 + 2 * deal):
            actions = state.legal_actions()
            if not actions:
                break
            action = actions[stream.below(len(actions))]
            reference.play(as_reference(state, action))
            state = state.apply(action)
        assert reference.count(2) == perft(state, 2), position_text(state)


def test_divide_splits_the_count() -> None:
    """There is one entry for each legal action, and the entries add up to the perft count."""
    state = State.start(find_edition("express"), 3)
    parts = divide(state, 2)
    assert list(parts) == list(state.legal_actions())
    assert sum(parts.values()) == perft(state, 2)
    assert perft(state, 0) == 1
    assert divide(state, 1) == dict.fromkeys(state.legal_actions(), 1)
    with pytest.raises(ValueError, match=r"^a depth of at least 1 is needed to divide$"):
        divide(state, 0)
