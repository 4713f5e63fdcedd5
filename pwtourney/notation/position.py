"""The text of a position: fourteen fields in one line.

::

    QUILT BUTTONS INCOME SPACE  (seat 0)   QUILT BUTTONS INCOME SPACE  (seat 1)
    TO-MOVE PENDING LEATHER TILE CIRCLE LATE

What each field holds is written down in ``docs/notation.md``.
"""

from functools import lru_cache

from pwtourney.errors import NotationError
from pwtourney.notation.token import ABSENT, number_list, parse_number, parse_numbers, quote
from pwtourney.rules import Edition, Player, State

__all__ = ["parse_position", "position_text"]

_FIELDS = 14


def position_text(state: State) -> str:
    """Write a position in full; hide what the rules hide with `State.hide_late` first."""
    edition, (first, second), circle, late, to_move, pending, tile = state
    rows, columns = edition.rows, edition.columns
    players = f"{_player_text(first, rows, columns)} {_player_text(second, rows, columns)}"
    return f"{players} {_common_text(to_move, pending, state.leather_left, tile, circle, late)}"


def parse_position(text: str, edition: Edition) -> State:
    """Read a position of an edition; raises `NotationError` naming the field that is wrong."""
    fields = text.split(" ")
    if len(fields) != _FIELDS:
        raise NotationError(
            f"a position has {_FIELDS} fields with one space between them, not {len(fields)}:"
            f" {quote(text)}"
        )
    players = (_parse_player(fields[0:4], 0, edition), _parse_player(fields[4:8], 1, edition))
    to_move = _parse_seat(fields[8], "the seat to move")
    pending = parse_number(fields[9], "the count of pending special patches")
    tile = None if fields[11] == ABSENT else _parse_seat(fields[11], "the holder of the tile")
    circle = parse_numbers(fields[12], "a patch of the circle")
    late = _parse_late(fields[13])
    state = State(edition, players, circle, late, to_move, pending, tile)
    _check_patches(state)
    _check_turn(state)
    if number_list(state.leather_left) != fields[10]:
        raise NotationError(
            f"the special patches left must be {number_list(state.leather_left)}, those in front of"
            f" both tokens, not {quote(fields[10])}"
        )
    return state


@lru_cache(maxsize=64)
def _player_text(player: Player, rows: int, columns: int) -> str:
    """Write the four fields of a player; a ply changes those of one, so the last are kept."""
    quilt, buttons, income, space = player
    return f"{_quilt_text(quilt, rows, columns)} {buttons} {income} {space}"


@lru_cache(maxsize=64)
def _quilt_text(quilt: int, rows: int, columns: int) -> str:
    """Write rows of runs; a quilt stays as it is while its player advances."""
    row_mask = (1 << columns) - 1
    return "/".join(_row_text(quilt >> row * columns & row_mask, columns) for row in range(rows))


@lru_cache(maxsize=4096)
def _row_text(bits: int, columns: int) -> str:
    """Write one row: a number for a run of empty squares, an ``x`` for each covered one."""
    marks = "".join("x" if bits >> column & 1 else "." for column in range(columns))
    runs = marks.replace("x", " x ").split()
    return "".join(run if run == "x" else str(len(run)) for run in runs)


@lru_cache(maxsize=64)
def _common_text(
    to_move: int,
    pending: int,
    left: tuple[int, ...],
    tile: int | None,
    circle: tuple[int, ...],
    late: tuple[int, ...],
) -> str:
    """Write what belongs to both; most of it stays as it is while players advance."""
    holder = ABSENT if tile is None else tile
    special = f"{to_move} {pending} {number_list(left)} {holder}"
    return f"{special} {number_list(circle)} {_late_text(late)}"


def _late_text(late: tuple[int, ...]) -> str:
    return f"?{len(late)}" if late and not late[0] else number_list(late)


def _parse_player(fields: list[str], seat: int, edition: Edition) -> Player:
    quilt = _parse_quilt(fields[0], edition)
    buttons = parse_number(fields[1], f"the buttons of seat {seat}")
    income = parse_number(fields[2], f"the income of seat {seat}")
    space = parse_number(fields[3], f"the space of seat {seat}")
    if space > edition.last_space:
        raise NotationError(
            f"seat {seat} is on space {space}, but the last is {edition.last_space}"
        )
    return Player(quilt, buttons, income, space)


def _parse_quilt(text: str, edition: Edition) -> int:
    rows = text.split("/")
    if len(rows) != edition.rows:
        raise NotationError(f"a quilt has {edition.rows} rows, not {len(rows)}: {quote(text)}")
    quilt = 0
    for number, row in enumerate(rows):
        quilt |= _parse_row(row, edition) << number * edition.columns
    return quilt


def _parse_row(text: str, edition: Edition) -> int:
    bits = column = 0
    for run in text.replace("x", " x ").split(" "):
        if run == "x":
            bits |= 1 << column
            column += 1
        elif run:
            column += parse_number(run, f"a run of empty squares in the row {quote(text)}")
        if column > edition.columns:
            break
    if column != edition.columns:
        raise NotationError(f"the row {quote(text)} does not have {edition.columns} squares")
    if _row_text(bits, edition.columns) != text:
        raise NotationError(f"the row {quote(text)} is not written in the fewest runs")
    return bits


def _parse_seat(token: str, what: str) -> int:
    if token not in ("0", "1"):
        raise NotationError(f"{what} must be 0 or 1, not {quote(token)}")
    return int(token)


def _parse_late(token: str) -> tuple[int, ...]:
    if token[:1] == "?":
        count = parse_number(token[1:], "the count of hidden patches")
        if not 0 < count < 1000:
            raise NotationError(f"the count of hidden patches cannot be {count}")
        return (0,) * count
    late = parse_numbers(token, "a late patch")
    if 0 in late:
        raise NotationError("0 is not a patch; hidden ones are written as ?8")
    return late


def _check_patches(state: State) -> None:
    edition = state.edition
    for patch in (*state.circle, *filter(None, state.late)):
        if patch not in edition.patch:
            raise NotationError(f"the edition {edition.name} has no patch {patch}")
    if len(set(state.circle)) != len(state.circle):
        raise NotationError("the circle contains a patch twice")
    if state.late:
        expected = edition.late.patches if edition.late else ()
        known = sorted(state.late) if state.late[0] else sorted(expected)
        if len(state.late) != len(expected) or known != sorted(expected):
            raise NotationError("the late patches must be all those of the edition, or none")
        if set(state.circle) & set(expected):
            raise NotationError("a late patch is already in the circle")


def _check_turn(state: State) -> None:
    edition, seat = state.edition, state.to_move
    mover, other = state.players[seat], state.players[1 - seat]
    if state.pending:
        passed = edition.leathers_passed[mover.space] - edition.leathers_passed[other.space]
        if state.pending > passed:
            raise NotationError(
                f"at most {max(0, passed)} special patches can be pending, those that only the seat"
                " to move has passed"
            )
        if mover.quilt == edition.full:
            raise NotationError("a special patch cannot be pending on a full quilt")
    elif mover.space > other.space:
        raise NotationError(f"seat {seat} is in front, so it is not its turn")
    if state.tile is not None and edition.tile is None:
        raise NotationError(f"the edition {edition.name} has no special tile")
    quilt = 0 if state.tile is None else state.players[state.tile].quilt
    if quilt and not any(quilt & window == window for window in edition.windows):
        # An empty quilt may have it: the Automa earns the tile without a board.
        raise NotationError(f"seat {state.tile} has not earned the special tile")
