"""Late patches whose order nobody knows: to look ahead, one is drawn."""

from pwtourney.sdk import SplitMix64, State

__all__ = ["revealed"]


def revealed(state: State, stream: SplitMix64) -> State:
    """Return a position with an order of the late patches that it may have."""
    late = state.edition.late
    if late is None or not state.late or state.late[0]:
        return state
    patches = [*late.patches]
    stream.shuffle(patches)
    return state.reveal(tuple(patches))
