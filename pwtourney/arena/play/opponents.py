"""The opponents that a page offers for a new game, in the order of their strength."""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["MOST_STRENGTH", "Opponent", "list_opponents"]

_SENTENCES = {
    "random": "Plays any legal move. Learn the rules against it.",
    "packer": "Takes what fits best, whatever it costs.",
    "frugal": "Looks for many squares for little, and forgets the income.",
    "greedy": "Counts what each patch brings by the end. Beats most beginners.",
    "lookahead": "Thinks some moves ahead, for both sides.",
    "mcts": "Plays out thousands of games in its head.",
    "champion": "Searches with a neural network: the strongest.",
}
"""The bundled bots from weak to strong, as on the ladder of docs/bots.md."""

MOST_STRENGTH = len(_SENTENCES)
"""The strength of the strongest opponent."""


class Opponent(NamedTuple):
    """A bot for people to choose.

    `strength` is its place among the bundled bots, from 1; 0 for another bot, whose strength is not
    known, and which has no `sentence`.
    """

    bot: str
    sentence: str = ""
    strength: int = 0


def list_opponents(bots: Iterable[str]) -> list[Opponent]:
    """Return the opponents among these bots: the bundled ones, then all others as they come."""
    named = list(bots)
    places = {bot: place for place, bot in enumerate(_SENTENCES, 1)}
    bundled = [Opponent(bot, _SENTENCES[bot], places[bot]) for bot in _SENTENCES if bot in named]
    return [*bundled, *(Opponent(bot) for bot in named if bot not in places)]
