"""The opponents that a page offers for a new game, with their levels and ratings."""

from collections.abc import Iterable
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.report.figures import sign_numbers

__all__ = [
    "MOST_STRENGTH",
    "SCALE",
    "Level",
    "Opponent",
    "describe_rating",
    "find_options",
    "find_sentence",
    "list_opponents",
    "name_level",
]

Options = tuple[tuple[str, str], ...]
"""Options of a bot and their values."""

SCALE = "greedy = 0"
"""The scale of the ladder, which is said with its ratings: tournaments have others."""


class Level(NamedTuple):
    """A named level of a bot: the `options` that weaken it, and its rating with them."""

    name: str
    options: Options
    elo: int


class Opponent(NamedTuple):
    """A bot for people to choose.

    `strength` is its place among the bundled bots, from 1; 0 for another bot, whose strength is not
    known, and which has no `sentence`.

    `elo` is its rating on the ladder of docs/bots.md, rounded to tens, None for a bot that is not
    in it. Greedy has 0. `is_least` says that the bot thinks longer at a table than on the ladder,
    and so is stronger. `levels` go from weak to strong.
    """

    bot: str
    sentence: str = ""
    strength: int = 0
    elo: int | None = None
    is_least: bool = False
    levels: tuple[Level, ...] = ()


def _limit_each(option: str, *levels: tuple[str, int, int]) -> tuple[Level, ...]:
    """Return levels that set one option: the name, the value and the rating of each."""
    return tuple(Level(name, ((option, str(value)),), elo) for name, value, elo in levels)


_BUNDLED = (
    Opponent("random", "Plays any legal move. Learn the rules against it.", elo=-630),
    Opponent("packer", "Takes what fits best, whatever it costs.", elo=-330),
    Opponent("frugal", "Looks for many squares for little, and forgets the income.", elo=-210),
    Opponent(
        "greedy",
        "Counts what each patch brings by the end. Beats most beginners.",
        elo=0,
        levels=_limit_each(
            "blunder_percent",
            ("beginner", 78, -490),
            ("casual", 26, -210),
            ("club", 12, -80),
        ),
    ),
    Opponent(
        "lookahead",
        "Thinks some moves ahead, for both sides.",
        elo=290,
        is_least=True,
        levels=_limit_each("depth", ("casual", 3, 290)),
    ),
    Opponent(
        "mcts",
        "Plays out thousands of games in its head.",
        elo=550,
        is_least=True,
        levels=_limit_each("iterations", ("casual", 110, 410), ("club", 300, 550)),
    ),
    Opponent(
        "champion",
        "Searches with a neural network: the strongest.",
        elo=1620,
        is_least=True,
        levels=_limit_each(
            "iterations", ("casual", 30, 770), ("club", 330, 1160), ("expert", 3000, 1390)
        ),
    ),
)
"""The bundled bots from weak to strong, as in docs/bots.md, with levels that its ladder rates."""

_PLACED = {bot.bot: bot._replace(strength=strength) for strength, bot in enumerate(_BUNDLED, 1)}

MOST_STRENGTH = len(_BUNDLED)
"""The strength of the strongest opponent."""


def list_opponents(bots: Iterable[str]) -> list[Opponent]:
    """Return the opponents among these bots: the bundled ones, then all others as they come."""
    named = list(bots)
    bundled = [opponent for bot, opponent in _PLACED.items() if bot in named]
    others = [Opponent(bot) for bot in named if bot not in _PLACED]
    return bundled + others


def find_options(bot: str, level: str) -> Options:
    """Return the options of a level, none for the full strength, which has an empty name.

    Raises `UsageError` if the bot has no such level.
    """
    if not level:
        return ()
    levels = _find_levels(bot)
    for candidate in levels:
        if candidate.name == level:
            return candidate.options
    names = ", ".join(candidate.name for candidate in levels)
    has = f"it has {names}" if names else "it has none"
    raise UsageError(f"the bot {bot[:40]!a} has no level {level[:40]!a}; {has}")


def name_level(bot: str, options: Options) -> str:
    """Return the name of the level that has these options; empty if none has."""
    return next((level.name for level in _find_levels(bot) if level.options == options), "")


def describe_rating(bot: str, options: Options) -> str:
    """Return the rating of a bot or of its level, as in ``+290 Elo or more (greedy = 0)``.

    It is empty if the ladder has none.
    """
    opponent = _PLACED.get(bot, Opponent(bot))
    levels = {level.options: level.elo for level in opponent.levels}
    elo = levels.get(options) if options else opponent.elo
    if elo is None:
        return ""
    more = " or more" if opponent.is_least and not options else ""
    number = sign_numbers(f"{elo:+d}") if elo else "0"
    return f"{number} Elo{more} ({SCALE})"


def find_sentence(bot: str) -> str:
    """Return what a bundled bot is, in a sentence; empty for another bot."""
    return _PLACED[bot].sentence if bot in _PLACED else ""


def _find_levels(bot: str) -> tuple[Level, ...]:
    """Return the levels of a bot, none for a bot that is not bundled."""
    return _PLACED[bot].levels if bot in _PLACED else ()
