"""Addresses of views within the page; its side that reads them is ``web/page/address.js``."""

from urllib.parse import quote

from pwtourney.sanitize import sanitize

__all__ = ["game_address", "games_address", "quote_word"]


def quote_word(text: str) -> str:
    """Return a text as the value of a part of an address."""
    return quote(sanitize(text), safe="")


def games_address(bot: str, *, against: str = "", result: str = "", verdict: str = "") -> str:
    """Return the address of the list of a bot's games, with filters that are not empty."""
    filters = {"against": against, "result": result, "verdict": verdict}
    # a bot alone is the address of its own section
    words = {"tab": "" if any(filters.values()) else "games", "bot": bot, **filters}
    return "#" + "&".join(f"{key}={quote_word(word)}" for key, word in words.items() if word)


def game_address(number: str, ply: int = 0) -> str:
    """Return the address of a game, such as ``12.0``, at a ply; a ply beyond the end is the end."""
    return f"#game={quote_word(number)}&ply={ply}"
