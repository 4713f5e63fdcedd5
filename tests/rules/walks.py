"""A hypothesis strategy for positions that play reaches."""

from hypothesis import strategies as st

from pwtourney.rules import Edition, SplitMix64, State
from tests.rules.positions import EDITIONS

PRINTED = st.sampled_from(EDITIONS)


@st.composite
def walks(draw: st.DrawFn, editions: st.SearchStrategy[Edition] = PRINTED) -> State:
    """Draw a position after up to 70 random plies from a random deal of an edition."""
    edition = draw(editions)
    stream = SplitMix64(draw(st.integers(0, 2**64 - 1)))
    state = State.start(edition, stream.next())
    for _ in range(draw(st.integers(0, 70))):
        actions = state.legal_actions()
        if not actions:
            break
        state = state.apply(actions[stream.below(len(actions))])
    return state
