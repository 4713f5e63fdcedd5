"""The Automa of the anniversary edition: an opponent that follows cards.

It has no quilt board, never pays and never places. The human has seat 0 and starts; the Automa has
seat 1. In `State` the Automa is a player with an empty quilt, whose buttons are those it has
collected. Where the rules are silent, there are three interpretations of our own. A special patch
that the Automa reaches leaves the board and has no other effect. When the deck is used up, all
twelve cards are shuffled and none is laid aside. Of several patches that a card's filters leave,
the furthest from the neutral token is taken.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from pwtourney.errors import EditionError
from pwtourney.rules.deal import SplitMix64
from pwtourney.rules.edition import Edition, Patch
from pwtourney.rules.position import Player
from pwtourney.rules.state import State, after_ply, enter_late, move_token

__all__ = [
    "AUTOMA_NAME",
    "AUTOMA_SEAT",
    "LEVELS",
    "Automa",
    "AutomaTurn",
    "Card",
    "Level",
    "Solo",
    "find_level",
    "list_bot_seats",
    "richest_income",
    "why_no_automa",
]

AUTOMA_NAME = "automa"
"""The Automa's name where bots have names."""

AUTOMA_SEAT = 1
"""The Automa's seat."""

LEVELS = ("intern", "apprentice", "fellow", "master", "legend")
"""The names of the levels, easiest first; a level may also be given by its number, 1 to 5."""

_LAID_ASIDE = 2


class Card(NamedTuple):
    """One card: the budget in virtual buttons, the buttons gained at each income mark, filters."""

    number: int
    budget: int
    income: int
    filters: tuple[str, ...]


class Level(NamedTuple):
    """A level: where the tile is earned, in spaces before the last one, and what scores."""

    name: str
    before_last: int
    scores: tuple[str, ...]

    def tile_space(self, edition: Edition) -> int:
        """Return the space on or past which the Automa earns the special tile."""
        return max(1, edition.last_space - self.before_last)


class Automa(NamedTuple):
    """The Automa's way to play: the name of its level, and which of the two decks it has."""

    level: str
    tactical: bool = False


def list_bot_seats(automa: Automa | None) -> tuple[int, ...]:
    """Return the seats of bots in a game, without that of the Automa, if it plays."""
    return (0,) if automa else (0, 1)


class AutomaTurn(NamedTuple):
    """A turn of the Automa: the card, the affordable patches, the filter steps, and the result.

    `steps` contains (filter, patches left) for each filter that was applied. `patch` is None if the
    Automa passed. `space` is the position of its token afterwards.
    """

    card: Card
    affordable: tuple[int, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    patch: int | None
    space: int


class Solo(NamedTuple):
    """A solo game: the position, the Automa's level, its deck and the patches it has taken.

    `cards` is the whole deck in the order of its numbers, `face_down` the cards that are not drawn
    yet, next card first, and `seed` the state from which the deck is shuffled again. All three are
    hidden from the human.
    """

    state: State
    level: Level
    cards: tuple[Card, ...]
    face_down: tuple[Card, ...]
    seed: int
    patches: tuple[int, ...]

    @classmethod
    def start(cls, state: State, automa: Automa, seed: int) -> "Solo":
        """Set up a game from its first position: shuffle one deck, and lay two cards aside.

        Raises `EditionError` for an edition without a special tile, which the Automa needs, and for
        a level that does not exist.
        """
        if reason := why_no_automa(state.edition):
            raise EditionError(reason)
        # a player's first buttons are for buying patches; the Automa's buttons are points, so it
        # starts with 0
        level, cards = find_level(automa.level), _deck("tactical" if automa.tactical else "normal")
        order, seed = _shuffle_cards(cards, seed)
        opponent = state.players[AUTOMA_SEAT]._replace(buttons=0)
        alone = state._replace(players=(state.players[0], opponent))
        return cls(alone, level, cards, order[: len(order) - _LAID_ASIDE], seed, ())

    @property
    def scores(self) -> tuple[int, int]:
        """The human's score by the usual rules, the Automa's by its level."""
        edition = self.state.edition
        tile = edition.tile.points if edition.tile and self.state.tile == AUTOMA_SEAT else 0
        printed = [edition.patch[number].income for number in self.patches]
        parts = {
            "buttons": self.state.players[AUTOMA_SEAT].buttons,
            "patches_with_buttons": sum(income > 0 for income in printed),
            "buttons_on_patches": sum(printed),
        }
        # `State.score` would subtract points for its quilt, which stays empty
        return self.state.score(0), tile + sum(parts[name] for name in self.level.scores)

    @property
    def winner(self) -> int | None:
        """The seat that has won, None during the game; a tie goes to the first at the end."""
        if not self.state.is_over:
            return None
        human, automa = self.scores
        if human == automa:
            return 1 - self.state.to_move
        return 0 if human > automa else AUTOMA_SEAT

    def turn(self) -> "tuple[Solo, AutomaTurn]":
        """Draw a card for the Automa, whose turn it is, and follow it."""
        if self.state.is_over or self.state.to_move != AUTOMA_SEAT:
            raise ValueError("it is not the Automa's turn")
        deck, seed = self.face_down, self.seed
        if not deck:
            deck, seed = _shuffle_cards(self.cards, seed)
        card, rest = deck[0], deck[1:]
        edition = self.state.edition
        affordable = tuple(n for n in self.state.offer if edition.patch[n].cost <= card.budget)
        left, steps = affordable, []
        for name in card.filters:
            if len(left) > 1:
                left = _FILTERS[name](left, self.state) or left
                steps.append((name, left))
        # With the original cards one patch is left: FAR comes last, and card 12, which has no
        # filters, affords only the one patch that is free. Taking the furthest of several is our
        # interpretation.
        patch = left[-1] if left else None
        state = self._move_automa(card, patch)
        patches = self.patches if patch is None else (*self.patches, patch)
        solo = self._replace(state=state, face_down=rest, seed=seed, patches=patches)
        space = state.players[AUTOMA_SEAT].space
        return solo, AutomaTurn(card, affordable, tuple(steps), patch, space)

    def _move_automa(self, card: Card, patch: int | None) -> State:
        """Move the token; each income mark that it passes pays the card's income."""
        state, edition = self.state, self.state.edition
        human, automa = state.players
        circle, late = state.circle, state.late
        if patch is None:
            target = human.space + 1  # like a player who advances, but without a button per space
        else:
            index = circle.index(patch)
            circle, late = enter_late(edition, circle[index + 1 :] + circle[:index], late)
            target = automa.space + edition.patch[patch].time
        # A mark pays the card's income, in place of the income printed on a quilt. Special patches
        # that are due are dropped: they leave the board.
        mover, _ = move_token(edition, automa._replace(income=card.income), human.space, target)
        mover = Player(0, mover.buttons, 0, mover.space)
        earned = automa.space < self.level.tile_space(edition) <= mover.space
        tile = AUTOMA_SEAT if state.tile is None and earned else state.tile
        return after_ply(edition, mover, state.players, circle, late, AUTOMA_SEAT, 0, tile)


def why_no_automa(edition: Edition) -> str:
    """Return why the Automa cannot play an edition; empty if it can."""
    if edition.tile is None:
        return f"the Automa cannot play {edition.name}: it has no special tile"
    return ""


def find_level(name: str) -> Level:
    """Return a level by name or number; raises `EditionError`."""
    if name in ("1", "2", "3", "4", "5"):
        name = LEVELS[int(name) - 1]
    levels = _data()["levels"]
    if name not in levels:
        raise EditionError(
            f"the Automa has no level {name!r}; it has 1 to 5 or {', '.join(LEVELS)}"
        )
    return Level(name, levels[name]["before_last"], tuple(levels[name]["scores"]))


def richest_income() -> int:
    """Return the most buttons that any card gains at each income mark."""
    return max(card.income for deck in _data()["decks"] for card in _deck(deck))


def _keep_most(
    patches: tuple[int, ...], edition: Edition, size: Callable[[Patch], int]
) -> tuple[int, ...]:
    most = max(size(edition.patch[number]) for number in patches)
    return tuple(number for number in patches if size(edition.patch[number]) == most)


def _keep_behind(patches: tuple[int, ...], state: State) -> tuple[int, ...]:
    """Keep the patches with which the Automa would not overtake the human."""
    human, automa = state.players
    last, patch = state.edition.last_space, state.edition.patch
    return tuple(n for n in patches if min(last, automa.space + patch[n].time) <= human.space)


_FILTERS: dict[str, Callable[[tuple[int, ...], State], tuple[int, ...]]] = {
    "NO": _keep_behind,
    "MB": lambda patches, state: _keep_most(patches, state.edition, lambda patch: patch.income),
    "LG": lambda patches, state: _keep_most(patches, state.edition, lambda patch: len(patch.shape)),
    "FAR": lambda patches, _: patches[-1:],
}


def _shuffle_cards(cards: tuple[Card, ...], seed: int) -> tuple[tuple[Card, ...], int]:
    """Return the cards in a random order, and the seed for the next shuffle."""
    stream = SplitMix64(seed)
    order = list(range(len(cards)))
    stream.shuffle(order)
    return tuple(cards[k] for k in order), stream.next()


def _deck(name: str) -> tuple[Card, ...]:
    rows = _data()["decks"][name]
    return tuple(Card(n, budget, income, tuple(filters)) for n, budget, income, filters in rows)


@cache
def _data() -> dict[str, Any]:
    import tomllib
    from pathlib import Path

    return tomllib.loads((Path(__file__).parent / "automa.toml").read_text(encoding="utf-8"))
