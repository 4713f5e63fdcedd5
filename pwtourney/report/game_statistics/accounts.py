"""What each player earned, paid and covered in a stored game, added up from its plies.

This is several times as fast as a replay, because no ply is checked against the rules. Instead, the
sums must give the stored scores.
"""

from collections.abc import Sequence
from itertools import compress
from operator import add
from typing import NamedTuple

from pwtourney.errors import PwtourneyError
from pwtourney.notation import is_card, parse_action
from pwtourney.notation.game import Game, Verdict
from pwtourney.notation.game_data import taken_patch
from pwtourney.rules import EMPTY_SQUARE, Edition
from pwtourney.rules.automa import AUTOMA_SEAT, find_level
from pwtourney.rules.lazy import Lazy

__all__ = ["Accountant", "Amounts", "GameAccount"]


class Amounts(NamedTuple):
    """Whole numbers of one player's side of a game, or their sums over several sides.

    `games` counts the sides, `wins` those that won, and `first_games` those with the first seat,
    whose margins sum to `first_margin`. `empty_squares`, `buttons` and `income` (printed on the
    quilt) are those at the end, and `tile` is 1 with the special tile. `special_patches`, `patches`
    and `advances` count actions. `patch_cost` in buttons, `patch_time` in spaces and
    `patch_squares` are those of the patches that were taken, as printed on them. `advance_buttons`
    were earned by advancing, and `income_collected` at income marks; `payments` are those at each
    mark, in the order of the track. `moves` are the plies whose time was measured, and `micros`
    their time in microseconds.
    """

    games: int = 0
    wins: int = 0
    score: int = 0
    margin: int = 0
    first_games: int = 0
    first_margin: int = 0
    empty_squares: int = 0
    buttons: int = 0
    tile: int = 0
    special_patches: int = 0
    income: int = 0
    income_collected: int = 0
    advance_buttons: int = 0
    advances: int = 0
    patches: int = 0
    patch_cost: int = 0
    patch_time: int = 0
    patch_squares: int = 0
    moves: int = 0
    micros: int = 0
    payments: tuple[int, ...] = ()

    def plus(self, other: "Amounts") -> "Amounts":
        """Return the sums of both, which are of the same edition."""
        *mine, paid = self
        *theirs, others = other
        # named tuples of a hundred thousand games are made here, so without the constructor
        sums = (*map(add, mine, theirs), tuple(map(add, paid, others)))
        return tuple.__new__(Amounts, sums)


class GameAccount(NamedTuple):
    """Both sides of a game by seat, None for the Automa, which has no quilt board.

    `spaces` contains for each ply the space of the player's token before it.
    """

    sides: tuple[Amounts, Amounts | None]
    spaces: tuple[int, ...]


class _Effect(NamedTuple):
    """What the text of an action does wherever it is played; a sum of several has all but `step`.

    `step` is how far the token moves, −1 for an advance, which ends before the other token. `mask`
    are the squares that the action covers; as those of one player do not overlap, their sum is the
    quilt. The others are 1 for the kind of the action, and the numbers printed on a patch.
    """

    step: int = 0
    mask: int = 0
    special_patches: int = 0
    advances: int = 0
    patches: int = 0
    cost: int = 0
    time: int = 0
    income: int = 0


_ADVANCE = _Effect(step=-1, advances=1)


class _Walk(NamedTuple):
    """The way of both tokens: their spaces before each ply and, by seat, after the last.

    `payments` are the buttons that each seat collected at each income mark, and `earned` those that
    it earned by advancing.
    """

    spaces: list[int]
    ends: list[int]
    payments: tuple[list[int], list[int]]
    earned: list[int]


class Accountant:
    """Adds up games of one edition; the effect of each action is computed once."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._effects: Lazy[str, _Effect] = Lazy(self._find_effect)

    def add_up(self, game: Game) -> GameAccount | None:
        """Return the account of a game.

        Returns None for a game that was not played to its end, that did not begin with its deal, or
        whose plies do not give its scores.
        """
        if game.verdict is not Verdict.FINISHED or game.start is not None or not game.plies:
            return None
        # columns, because sums of them take a fourth of the time of a loop over plies
        seats, actions, micros, _, _ = zip(*game.plies, strict=True)
        try:
            effects = [*map(self._effects.__getitem__, actions)]
        except (KeyError, PwtourneyError):  # a record may come from anybody
            return None
        walk = self._walk(seats, effects)
        own = [[seat == mover for mover in seats] for seat in (0, 1)]
        sums = [_Effect(*map(sum, zip(*compress(effects, chosen), strict=True))) for chosen in own]
        tile = self._find_tile(game, [effect.mask for effect in sums], seats, effects, walk)
        sides = [
            self._close(game, seat, sums[seat], walk, tile, [*compress(micros, own[seat])])
            for seat in game.bot_seats
        ]
        first, second = sides if len(sides) > 1 else (sides[0], None)
        if first is None or None in sides:
            return None
        return GameAccount((first, second), tuple(walk.spaces))

    def _walk(self, seats: Sequence[int], effects: Sequence[_Effect]) -> _Walk:
        """Move both tokens through a game."""
        last, passed = self._edition.last_space, self._edition.incomes_passed
        walk = _Walk([], [0, 0], ([], []), [0, 0])
        before, spaces, payments, earned = walk
        incomes = [0, 0]
        for seat, effect in zip(seats, effects, strict=True):
            step = effect[0]
            space = spaces[seat]
            before.append(space)
            target = spaces[1 - seat] + 1 if step < 0 else space + step
            if target > last:
                target = last
            if step < 0:
                earned[seat] += target - space
            else:
                incomes[seat] += effect[-1]
            marks = passed[target] - passed[space]
            if marks:
                payments[seat].extend([incomes[seat]] * marks)
            spaces[seat] = target
        return walk

    def _find_tile(
        self,
        game: Game,
        quilts: Sequence[int],
        seats: Sequence[int],
        effects: Sequence[_Effect],
        walk: _Walk,
    ) -> int | None:
        """Return the seat that earned the special tile first; None if nobody did."""
        edition = self._edition
        earning = [seat for seat in game.bot_seats if edition.earns_tile(quilts[seat])]
        if game.automa:
            ply = self._find_ply(0, seats, effects) if earning else len(seats)
            # the Automa earns it by its space, which is that before its next ply
            following = compress(walk.spaces[ply:], seats[ply:])
            space = next(following, walk.ends[AUTOMA_SEAT])
            level = find_level(game.automa.level)
            return AUTOMA_SEAT if space >= level.tile_space(edition) else 0
        if len(earning) < 2:
            return earning[0] if earning else None
        return min(earning, key=lambda seat: self._find_ply(seat, seats, effects))

    def _find_ply(self, seat: int, seats: Sequence[int], effects: Sequence[_Effect]) -> int:
        """Return the index of the ply with which a seat, whose quilt earns the tile, earned it."""
        quilt = 0
        for ply, effect in enumerate(effects):
            if seats[ply] == seat and effect.mask:
                quilt |= effect.mask
                if self._edition.earns_tile(quilt):
                    return ply
        return len(effects)

    def _close(
        self,
        game: Game,
        seat: int,
        sums: _Effect,
        walk: _Walk,
        tile: int | None,
        micros: Sequence[int],
    ) -> Amounts | None:
        """Return a player's amounts; None if they do not give the score of a game that is over."""
        edition, payments = self._edition, walk.payments[seat]
        collected, covered = sum(payments), sums.mask.bit_count()
        empty = edition.rows * edition.columns - covered
        buttons = edition.start_buttons + walk.earned[seat] + collected - sums.cost
        bonus = edition.tile.points if edition.tile and tile == seat else 0
        score = buttons + bonus + EMPTY_SQUARE * empty
        margin = game.scores[seat] - game.scores[1 - seat]
        has_ended = walk.ends[seat] == edition.last_space
        if (
            not has_ended
            or len(payments) != len(edition.income_marks)
            or score != game.scores[seat]
        ):
            return None
        times = [time for time in micros if time >= 0]
        return Amounts(
            games=1,
            wins=int(game.winner == seat),
            score=score,
            margin=margin,
            first_games=1 - seat,
            first_margin=0 if seat else margin,
            empty_squares=empty,
            buttons=buttons,
            tile=int(tile == seat),
            special_patches=sums.special_patches,
            income=sums.income,
            income_collected=collected,
            advance_buttons=walk.earned[seat],
            advances=sums.advances,
            patches=sums.patches,
            patch_cost=sums.cost,
            patch_time=sums.time,
            patch_squares=covered - sums.special_patches,
            moves=len(times),
            micros=sum(times),
            payments=tuple(payments),
        )

    def _find_effect(self, text: str) -> _Effect:
        """Return the effect of the text of an action, or of a card of the Automa.

        Raises `KeyError` or `NotationError` for a text that is no action of the edition.
        """
        edition = self._edition
        if is_card(text):
            patch = taken_patch(text)
            # a card without a patch moves the token like an advance
            return _Effect(step=edition.patch[patch].time) if patch else _ADVANCE
        action = parse_action(text, edition)
        if action.kind == "take":
            mask, cost, time, income = edition.takings[action]
            return _Effect(time, mask, patches=1, cost=cost, time=time, income=income)
        if action.kind == "leather":
            return _Effect(mask=1 << action.square, special_patches=1)
        return _ADVANCE if action.kind == "advance" else _Effect()
