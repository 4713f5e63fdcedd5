"""The infos of bots as pages receive them: read by the position in which the bot thinks."""

from typing import NamedTuple

from pwtourney.errors import PwtourneyError
from pwtourney.notation import action_text, parse_action
from pwtourney.notation.info import parse_pairs, parse_score
from pwtourney.rules import State
from pwtourney.sanitize import sanitize

__all__ = ["BotInfo", "read_info"]

_MOST_ACTIONS = 40
_MOST_TEXT = 300
_READ = ("multipv", "depth", "nodes", "score", "line", "text")


class BotInfo(NamedTuple):
    """An info of a bot, read by the position in which it thinks.

    `margin` is the final margin that it expects, in points and from the view of the first seat.
    `line` has the moves that it expects, up to the first illegal one. `text` is the rest.
    """

    depth: int | None = None
    nodes: int | None = None
    margin: float | None = None
    line: tuple[str, ...] = ()
    text: str = ""


def read_info(info: str, state: State, most: int = _MOST_ACTIONS) -> BotInfo:
    """Return what a bot says that is to move in a position, with at most `most` moves."""
    pairs = parse_pairs(info)
    score = pairs.get("score")
    margin = parse_score(f"score {score}") if score else None
    rest = " ".join(f"{word} {pairs[word]}" for word in pairs if word not in _READ)
    text = " ".join(filter(None, [rest, pairs.get("text", "")])) or ("" if pairs else info)
    return BotInfo(
        _read_count(pairs.get("depth", "")),
        _read_count(pairs.get("nodes", "")),
        margin if margin is None or state.to_move == 0 else -margin,
        _read_line(pairs.get("line", ""), state, most),
        sanitize(text)[:_MOST_TEXT],
    )


def _read_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else None


def _read_line(text: str, state: State, most: int) -> tuple[str, ...]:
    """Return the actions of a line up to the first illegal one."""
    line: list[str] = []
    for word in filter(None, text.split(",")[:most]):
        try:
            action = parse_action(word, state.edition)
            state = state.apply(action)
        except PwtourneyError:
            break
        line.append(action_text(action, state.edition))
    return tuple(line)
