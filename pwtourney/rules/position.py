"""A position of the game: what lies where, whose turn it is, and how it stands.

Whose turn it is follows from the time track, with one exception (a special patch waiting to be
placed); what is stored as `to_move` is the seat that acts next, and once the game is over the seat
whose token arrived last.
"""

from typing import NamedTuple

from pwtourney.rules.edition import Edition

__all__ = ["Player", "Position"]


class Player(NamedTuple):
    """One player: covered squares as a mask, buttons, printed income, space on the track."""

    quilt: int
    buttons: int
    income: int
    space: int


class Position(NamedTuple):
    """A complete position, and what can be read from it.

    `players` by seat; `circle` from the neutral token clockwise; `late` the patches that have
    not enter_late the circle yet, in their order, zeros where the order is hidden; `pending` how
    many special patches the seat `to_move` has to place; `tile` the seat that holds the special
    tile.
    """

    edition: Edition
    players: tuple[Player, Player]
    circle: tuple[int, ...]
    late: tuple[int, ...]
    to_move: int
    pending: int
    tile: int | None

    @property
    def is_over(self) -> bool:
        """Whether both tokens are on the last space."""
        first, second = self.players
        return first.space == self.edition.last_space == second.space

    @property
    def offer(self) -> tuple[int, ...]:
        """The ids of the patches that can be taken next, nearest to the neutral token first."""
        return self.circle[: self.edition.offer]

    @property
    def leather_left(self) -> tuple[int, ...]:
        """The marks where special patches still lie: those that neither token has reached."""
        first, second = self.players
        return self.edition.leathers_ahead[max(first.space, second.space)]

    @property
    def scores(self) -> tuple[int, int]:
        """Both scores as they stand: buttons, the tile's points, minus 2 an empty square."""
        return self.score(0), self.score(1)

    def score(self, seat: int) -> int:
        """Return one seat's score as it stands."""
        edition, player = self.edition, self.players[seat]
        empty = (edition.full & ~player.quilt).bit_count()
        bonus = edition.tile.points if edition.tile and self.tile == seat else 0
        return player.buttons + bonus - 2 * empty

    @property
    def winner(self) -> int | None:
        """The seat that has won, None while the game goes on.

        A tie goes to the seat that reached the last space first, so there are no draws.
        """
        if not self.is_over:
            return None
        first, second = self.scores
        if first == second:
            return 1 - self.to_move
        return 0 if first > second else 1
