"""Both quilts drawn with characters, each patch told from its neighbours."""

from rich.text import Text

from pwtourney.rules import Action, Edition, State

__all__ = ["Boards"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_EMPTY = "·"
_LEATHER = "*"


class Boards:
    """Remembers which patch covers which square; a position alone does not say."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._squares: tuple[dict[int, str], dict[int, str]] = ({}, {})

    def put(self, seat: int, action: Action) -> None:
        """Note what an action covers."""
        if action.kind == "leather":
            self._squares[seat][action.square] = _LEATHER
        elif action.kind == "take":
            lay = self._edition.lays[action.patch][action.orientation]
            letter = _LETTERS[(action.patch - 1) % len(_LETTERS)]
            self._squares[seat].update({action.square + each: letter for each in lay.offsets})

    def draw(self, state: State, names: tuple[str, str]) -> Text:
        """Return both quilts side by side, with what each player has."""
        text = Text()
        width = 2 * self._edition.columns + 4
        for seat, name in enumerate(names):
            mark = ">" if state.to_move == seat and not state.is_over else " "
            text.append(f"{mark} {name}".ljust(width + 2))
        text.append("\n")
        for seat in (0, 1):
            player = state.players[seat]
            tile = " tile" if state.tile == seat else ""
            have = f"{player.buttons} (+{player.income}), space {player.space}{tile}"
            text.append(f"  {have}".ljust(width + 2))
        text.append("\n")
        for row in range(self._edition.rows):
            for seat in (0, 1):
                self._draw_row(text, seat, row)
            text.append("\n")
        return text

    def _draw_row(self, text: Text, seat: int, row: int) -> None:
        columns = self._edition.columns
        text.append(f"{row + 1:>3} ")
        for square in range(row * columns, (row + 1) * columns):
            mark = self._squares[seat].get(square, _EMPTY)
            colour = _COLOURS[ord(mark) % len(_COLOURS)] if mark.isalpha() else "dim"
            text.append(f"{mark} ", style=colour)
        text.append("  ")
