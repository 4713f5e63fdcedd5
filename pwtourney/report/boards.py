"""Both quilts drawn with characters, each patch told from its neighbours."""

from typing import NamedTuple

from rich.text import Text

from pwtourney.notation import is_card, parse_action
from pwtourney.rules import Edition, State

__all__ = ["Boards", "Ghost"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_EMPTY = "·"
_COVERED = "o"
"""A square that was covered before the first ply that is known."""
_LEATHER = "*"
_GHOST, _CLASH, _WITHIN = "#", "!", "+"


class Ghost(NamedTuple):
    """A placement that is only being thought of: whose, where, and whether it could be.

    `within` are squares that some placement of the same kind could cover.
    """

    seat: int
    squares: frozenset[int]
    legal: bool
    within: frozenset[int]


class Boards:
    """Remembers which patch covers which square; a position alone does not say."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._squares: tuple[dict[int, str], dict[int, str]] = ({}, {})

    def put(self, seat: int, text: str) -> None:
        """Note what the action of a ply covers; cards of the Automa cover nothing."""
        if is_card(text):
            return
        action = parse_action(text, self._edition)
        if action.kind == "leather":
            self._squares[seat][action.square] = _LEATHER
        elif action.kind == "take":
            lay = self._edition.lays[action.patch][action.orientation]
            # an edition may have more patches than there are letters: two of them look alike then
            letter = _LETTERS[(action.patch - 1) % len(_LETTERS)]
            self._squares[seat].update({action.square + offset: letter for offset in lay.offsets})

    def draw(
        self, state: State, names: tuple[str, str], width: int = 80, ghost: Ghost | None = None
    ) -> Text:
        """Return both quilts with what each player has: side by side, or stacked if too narrow."""
        room = max(2 * self._edition.columns + 6, 24)
        blocks = []
        for seat, (name, player) in enumerate(zip(names, state.players, strict=True)):
            mark = ">" if state.to_move == seat and not state.is_over else " "
            tile = " tile" if state.tile == seat else ""
            have = f"  {player.buttons} (+{player.income}), space {player.space}{tile}"
            block = [Text(f"{mark} {name}"[: room - 1]), Text(have)]
            if ghost is not None:  # whoever places wants to name squares
                letters = " ".join(chr(ord("a") + k) for k in range(self._edition.columns))
                block.append(Text(f"    {letters}", style="dim"))
            own = ghost if ghost and ghost.seat == seat else None
            rows = range(self._edition.rows)
            block += [self._draw_row(seat, row, player.quilt, own) for row in rows]
            blocks.append(block)
        text = Text()
        if 2 * room > width:
            for line in [*blocks[0], *blocks[1]]:
                text.append_text(line).append("\n")
        else:
            for left, right in zip(*blocks, strict=True):
                left.pad_right(room - len(left))
                text.append_text(left).append_text(right).append("\n")
        return text

    def _draw_row(self, seat: int, row: int, quilt: int, ghost: Ghost | None) -> Text:
        columns = self._edition.columns
        text = Text(f"{row + 1:>3} ")
        for square in range(row * columns, (row + 1) * columns):
            if ghost and square in ghost.squares:
                mark, style = (_GHOST, "bold green") if ghost.legal else (_CLASH, "bold red")
            elif ghost and square in ghost.within:
                mark, style = _WITHIN, "green"
            else:
                # the position knows that a square is covered, the plies by what
                covered = _COVERED if quilt >> square & 1 else _EMPTY
                mark = self._squares[seat].get(square, covered)
                # by the letter, so that a patch has one colour wherever it lies
                style = _COLOURS[ord(mark) % len(_COLOURS)] if mark in _LETTERS else "dim"
            text.append(f"{mark} ", style=style)
        return text
