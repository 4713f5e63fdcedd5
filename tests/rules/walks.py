"""Hypothesis strategies for random games, and for positions that play reaches."""

from hypothesis import strategies as st

from pwtourney.rules import Action, Edition, SplitMix64, State
from tests.rules.positions import EDITIONS

PRINTED = st.sampled_from(EDITIONS)

Course = tuple[State, list[tuple[Action, State]]]
"""A start, and each action of a game with the position after it."""


@st.composite
def courses(draw: st.DrawFn, editions: st.SearchStrategy[Edition] = PRINTED) -> Course:
    """Draw up to 70 random plies from a random deal of an edition."""
    edition = draw(editions)
    stream = SplitMix64(draw(st.integers(0, 2**64 - 1)))
    start = state = State.start(edition, stream.next())
    steps: list[tuple[Action, State]] = []
    for _ in range(draw(st.integers(0, 70))):
        actions = state.legal_actions()
        if not actions:
            break
        action = actions[stream.below(len(actions))]
        state = state.apply(action)
        steps.append((action, state))
    return start, steps


def walks(editions: st.SearchStrategy[Edition] = PRINTED) -> st.SearchStrategy[State]:
    """Draw a position after up to 70 random plies from a random deal of an edition."""
    return courses(editions).map(lambda course: course[1][-1][1] if course[1] else course[0])
