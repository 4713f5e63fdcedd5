"""The text of what the Automa does: ``card:NUMBER:PATCH``, or ``card:NUMBER:pass``."""

from pwtourney.rules.automa import AutomaTurn

__all__ = ["card_text", "is_card"]

_CARD = "card:"


def card_text(turn: AutomaTurn) -> str:
    """Write a turn of the Automa: the card that it turned over, and the patch that it took."""
    return f"{_CARD}{turn.card.number}:{'pass' if turn.taken is None else turn.taken}"


def is_card(action: str) -> bool:
    """Tell whether the text of a ply is a turn of the Automa, and no action of a bot."""
    return action.startswith(_CARD)
