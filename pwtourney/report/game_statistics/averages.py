"""Means over one bot's games, or over those of several bots."""

from typing import NamedTuple

from pwtourney.report.figures import mean
from pwtourney.report.game_statistics.accounts import Amounts

__all__ = ["Averages"]

_MICROS = 1_000_000
"""Microseconds in a second."""


class Averages(NamedTuple):
    """Means over sides of games that were played to their end; a side is one bot in one game.

    None is unknown: there is nothing to take the mean of.

    `games` counts the sides. Per game: the share `won`, the `score` and the `margin` in points, the
    margins with the first and the second seat, the empty squares and the buttons at the end, the
    share with the special `tile`, special patches placed, the income printed on the quilt at the
    end, the buttons collected at all income marks together and (`income_at_marks`) at each of them,
    the buttons earned by advancing, how often a bot advanced, the number of patches taken, and
    the thinking time in seconds.

    Of all games together: the share of turns in which the bot advanced (a turn is an advance or a
    patch; placing a special patch is part of it), the mean cost in buttons and the mean time in
    spaces of a patch, both divided by the number of squares (`cost_per_square`,
    `time_per_square`), and the thinking time of a ply in milliseconds.
    """

    games: int = 0
    won: float | None = None
    score: float | None = None
    margin: float | None = None
    margin_first: float | None = None
    margin_second: float | None = None
    empty_squares: float | None = None
    buttons: float | None = None
    tile: float | None = None
    special_patches: float | None = None
    income: float | None = None
    income_collected: float | None = None
    income_at_marks: tuple[float, ...] = ()
    advance_buttons: float | None = None
    advances: float | None = None
    advance_share: float | None = None
    patches: float | None = None
    patch_cost: float | None = None
    patch_time: float | None = None
    cost_per_square: float | None = None
    time_per_square: float | None = None
    ms_per_move: float | None = None
    seconds_per_game: float | None = None

    @classmethod
    def of(cls, amounts: Amounts, *, has_tile: bool) -> "Averages":
        """Return the means of summed amounts; the edition may have no special tile."""
        games, patches, squares = amounts.games, amounts.patches, amounts.patch_squares

        def per_game(total: int) -> float | None:
            return mean(total, games, 1)

        second_margin = amounts.margin - amounts.first_margin
        return cls(
            games=games,
            won=per_game(amounts.wins),
            score=per_game(amounts.score),
            margin=per_game(amounts.margin),
            margin_first=mean(amounts.first_margin, amounts.first_games, 1),
            margin_second=mean(second_margin, games - amounts.first_games, 1),
            empty_squares=per_game(amounts.empty_squares),
            buttons=per_game(amounts.buttons),
            tile=per_game(amounts.tile) if has_tile else None,
            special_patches=per_game(amounts.special_patches),
            income=per_game(amounts.income),
            income_collected=per_game(amounts.income_collected),
            income_at_marks=tuple(paid / games for paid in amounts.payments) if games else (),
            advance_buttons=per_game(amounts.advance_buttons),
            advances=per_game(amounts.advances),
            advance_share=mean(amounts.advances, amounts.advances + patches, 1),
            patches=per_game(patches),
            patch_cost=mean(amounts.patch_cost, patches, 1),
            patch_time=mean(amounts.patch_time, patches, 1),
            cost_per_square=mean(amounts.patch_cost, squares, 1),
            time_per_square=mean(amounts.patch_time, squares, 1),
            ms_per_move=mean(amounts.micros, amounts.moves),
            seconds_per_game=mean(amounts.micros, games, _MICROS) if amounts.moves else None,
        )
