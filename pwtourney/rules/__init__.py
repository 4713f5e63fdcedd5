"""The rules of Patchwork as a library: standard library only, no I/O, no hidden randomness.

>>> from pwtourney.rules import State, find_edition
>>> state = State.start(find_edition("original"), 2014)
>>> state.offer
(33, 20, 21)
>>> len(state.legal_actions())
253
>>> state.apply(state.legal_actions()[0]).players[0].buttons
6
"""

from pwtourney.rules.catalogue import edition_names, find_edition, load_edition, parse_edition
from pwtourney.rules.deal import Deal, SplitMix64, check_deal, deal
from pwtourney.rules.edition import Edition, Late, Patch, Tile
from pwtourney.rules.geometry import ORIENTATIONS, parse_shape, shape_rows, square_name
from pwtourney.rules.position import (
    ADVANCE,
    DECLINE,
    EMPTY_SQUARE,
    Action,
    LegalActions,
    Player,
    Points,
    leather,
    take,
    why_illegal,
)
from pwtourney.rules.state import State

__all__ = [
    "ADVANCE",
    "DECLINE",
    "EMPTY_SQUARE",
    "ORIENTATIONS",
    "Action",
    "Deal",
    "Edition",
    "Late",
    "LegalActions",
    "Patch",
    "Player",
    "Points",
    "SplitMix64",
    "State",
    "Tile",
    "check_deal",
    "deal",
    "edition_names",
    "find_edition",
    "leather",
    "load_edition",
    "parse_edition",
    "parse_shape",
    "shape_rows",
    "square_name",
    "take",
    "why_illegal",
]
