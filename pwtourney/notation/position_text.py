"""The text of an edition, line by line, and of a position: fourteen fields in one line.

The lines of an edition are sent to a bot before a game, and kept with stored games. A position
is::

    QUILT BUTTONS INCOME SPACE  (seat 0)   QUILT BUTTONS INCOME SPACE  (seat 1)
    TO-MOVE PENDING LEATHER TILE CIRCLE LATE

The fields are described in ``docs/notation.md``.
"""

from collections.abc import Iterable
from functools import lru_cache

from pwtourney.errors import EditionError, NotationError
from pwtourney.notation.words import ABSENT, number_list, parse_number, parse_numbers, quote
from pwtourney.rules import Edition, Late, Patch, Player, State, Tile, parse_shape, shape_rows
from pwtourney.rules.edition import MAX_SIDE
from pwtourney.rules.lazy import Lazy

__all__ = [
    "EDITION_WORDS",
    "edition_lines",
    "parse_edition_lines",
    "parse_position",
    "position_text",
]

EDITION_WORDS = (
    "board",
    "start",
    "offer",
    "declining",
    "income",
    "leather",
    "tile",
    "late",
    "patch",
)
"""The first words of the lines of an edition; the first six are always present."""

_COUNTS = {"board": 3, "start": 2, "offer": 1, "declining": 1, "tile": 2}
_FIELDS = 14
_NAMES = tuple(
    tuple(f"the {field} of seat {seat}" for field in ("buttons", "income", "space"))
    for seat in (0, 1)
)
_make = tuple.__new__  # a fourth of the time of a named tuple's constructor, at every ply


@lru_cache(maxsize=16)
def edition_lines(edition: Edition) -> tuple[str, ...]:
    """Return the lines that describe an edition completely, except its name and descriptions.

    Every bot receives them before every game, so they are cached.
    """
    lines = [
        f"board {edition.rows} {edition.columns} {edition.last_space}",
        f"start {edition.start_buttons} {edition.start_patch}",
        f"offer {edition.offer}",
        f"declining {int(edition.declining)}",
        " ".join(["income", *map(str, edition.income_marks)]),
        " ".join(["leather", *map(str, edition.leather_marks)]),
    ]
    if edition.tile:
        lines.append(f"tile {edition.tile.size} {edition.tile.points}")
    if edition.late:
        lines.append(" ".join(map(str, ["late", edition.late.when_left, *edition.late.patches])))
    for patch in edition.patches:
        shape = "/".join(shape_rows(patch.shape))
        lines.append(f"patch {patch.id} {patch.cost} {patch.time} {patch.income} {shape}")
    return tuple(lines)


def parse_edition_lines(name: str, lines: Iterable[str]) -> Edition:
    """Make the edition that lines describe, in any order; raises `NotationError`."""
    return _parse_edition(name, tuple(lines))


# cached: a bot receives the same lines before every game, and the tables of an edition take long to
# compute
@lru_cache(maxsize=16)
def _parse_edition(name: str, lines: tuple[str, ...]) -> Edition:
    numbers: dict[str, tuple[int, ...]] = {}
    patches = []
    for line in lines:
        word, _, rest = line.partition(" ")
        values = rest.split()
        if word == "patch":
            patches.append(_parse_patch(values, line))
        elif word in EDITION_WORDS:  # other words are from a later version
            numbers[word] = tuple(parse_number(value, f"a number of {word}") for value in values)
            if len(values) != _COUNTS.get(word, len(values)) or (word == "late" and not values):
                raise NotationError(f"{word} has {len(values)} numbers: {quote(line)}")
    missing = [word for word in EDITION_WORDS[:6] if word not in numbers]
    if missing:
        raise NotationError(f"the edition {quote(name)} has no line {missing[0]}")
    rows, columns, last_space = numbers["board"]
    start_buttons, start_patch = numbers["start"]
    late = numbers.get("late")
    try:
        return Edition(
            name=name,
            rows=rows,
            columns=columns,
            last_space=last_space,
            start_buttons=start_buttons,
            start_patch=start_patch,
            offer=numbers["offer"][0],
            declining=bool(numbers["declining"][0]),
            income_marks=numbers["income"],
            leather_marks=numbers["leather"],
            tile=Tile(*numbers["tile"]) if "tile" in numbers else None,
            late=Late(late[0], late[1:]) if late else None,
            patches=patches,
        )
    except EditionError as error:
        raise NotationError(str(error)) from error


def position_text(state: State) -> str:
    """Return a position as text; hide what the rules hide with `State.hide_late` first."""
    # in one piece, because it is written at every ply; parts that a ply does not change are cached
    # below
    edition, (first, second), circle, late, to_move, pending, tile = state
    rows, columns = edition.rows, edition.columns
    front = second.space if first.space < second.space else first.space  # noqa: FURB136 - every ply
    late_text = late and (_list_text(late) if late[0] else f"?{len(late)}")
    return (
        f"{_player_text(first, rows, columns)} {_player_text(second, rows, columns)}"
        f" {to_move} {pending} {_list_text(edition.leathers_ahead[front])}"
        f" {ABSENT if tile is None else tile} {_list_text(circle)} {late_text or ABSENT}"
    )


def parse_position(text: str, edition: Edition) -> State:
    """Parse a position of an edition; raises `NotationError` naming the field that is wrong."""
    fields = text.split(" ")
    if len(fields) != _FIELDS:
        raise NotationError(
            f"a position has {_FIELDS} fields with one space between them, not {len(fields)}:"
            f" {quote(text)}"
        )
    players = (_parse_player(fields, 0, edition), _parse_player(fields, 1, edition))
    to_move = _parse_seat(fields[8], "the seat to move")
    pending = parse_number(fields[9], "the count of pending special patches")
    tile = None if fields[11] == ABSENT else _parse_seat(fields[11], "the holder of the tile")
    circle, late = _parse_circle(fields[12], fields[13], edition)
    state = _make(State, (edition, players, circle, late, to_move, pending, tile))
    _check_turn(state)
    _check_tile(state)
    # the field follows from the others; it is there for bots, and must not contradict them
    left = _list_text(state.leather_left)
    if left != fields[10]:
        raise NotationError(
            f"the special patches left must be {left}, those in front of both tokens, not"
            f" {quote(fields[10])}"
        )
    return state


# A ply changes little of a position, and the text is written at every ply. So the slow parts are
# cached by what they depend on: a player, a quilt, the rows that a patch does not touch, a circle.


@lru_cache(maxsize=64)
def _player_text(player: Player, rows: int, columns: int) -> str:
    quilt, buttons, income, space = player
    return f"{_quilt_text(quilt, rows, columns)} {buttons} {income} {space}"


@lru_cache(maxsize=64)
def _quilt_text(quilt: int, rows: int, columns: int) -> str:
    """Return a quilt as text: its rows, each as runs."""
    texts, row_mask = _row_texts(columns), (1 << columns) - 1
    starts = range(0, rows * columns, columns)
    return "/".join([texts[quilt >> start & row_mask] for start in starts])


@lru_cache(maxsize=MAX_SIDE)
def _row_texts(columns: int) -> dict[int, str]:
    """Return the text of each row by its bits."""
    return Lazy(lambda bits: _row_text(bits, columns))


def _row_text(bits: int, columns: int) -> str:
    """Return a row as text: a number for a run of empty squares, an ``x`` for a covered one."""
    marks = "".join("x" if bits >> column & 1 else "." for column in range(columns))
    runs = marks.replace("x", " x ").split()
    return "".join(run if run == "x" else str(len(run)) for run in runs)


@lru_cache(maxsize=64)
def _list_text(numbers: tuple[int, ...]) -> str:
    return number_list(numbers)


# parsing is cached likewise; errors are not, because calls that raise are not cached


@lru_cache(maxsize=64)
def _parse_quilt(text: str, rows: int, columns: int) -> int:
    texts = text.split("/")
    if len(texts) != rows:
        raise NotationError(f"a quilt has {rows} rows, not {len(texts)}: {quote(text)}")
    quilt = 0
    for row in reversed(texts):
        quilt = quilt << columns | _parse_row(row, columns)
    return quilt


@lru_cache(maxsize=1024)
def _parse_row(row: str, columns: int) -> int:
    bits = column = 0
    for run in row.replace("x", " x ").split(" "):
        if run == "x":
            bits |= 1 << column
            column += 1
        elif run:
            column += parse_number(run, f"a run of empty squares in the row {quote(row)}")
        # a run may have 18 digits, and the next x would shift by it
        if column > columns:
            break
    if column != columns:
        raise NotationError(f"the row {quote(row)} does not have {columns} squares")
    # each quilt has one spelling: no two adjacent runs, and no run of zero
    if _row_text(bits, columns) != row:
        raise NotationError(f"the row {quote(row)} is not written in the fewest runs")
    return bits


@lru_cache(maxsize=64)
def _parse_circle(
    circle_text: str, late_text: str, edition: Edition
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Parse the circle and the late patches, which change only when a patch is taken."""
    circle = parse_numbers(circle_text, "a patch of the circle")
    if late_text[:1] == "?":  # a number of patches in a hidden order
        count = parse_number(late_text[1:], "the count of hidden patches")
        # bounded before the zeros are made: the number may have 18 digits
        if not 0 < count < 1000:
            raise NotationError(f"the count of hidden patches cannot be {count}")
        late = (0,) * count
    else:
        late = parse_numbers(late_text, "a late patch")
        if 0 in late:
            raise NotationError("0 is not a patch; hidden ones are written as ?8")
    for patch in (*circle, *filter(None, late)):
        if patch not in edition.patch:
            raise NotationError(f"the edition {edition.name} has no patch {patch}")
    if len(set(circle)) != len(circle):
        raise NotationError("the circle contains a patch twice")
    if late:
        expected = edition.late.patches if edition.late else ()
        known = sorted(late) if late[0] else sorted(expected)
        if len(late) != len(expected) or known != sorted(expected):
            raise NotationError("the late patches must be all those of the edition, or none")
        if set(circle) & set(expected):
            raise NotationError("a late patch is already in the circle")
    return circle, late


def _parse_player(fields: list[str], seat: int, edition: Edition) -> Player:
    quilt, buttons, income, space = fields[4:8] if seat else fields[:4]
    buttons_name, income_name, space_name = _NAMES[seat]
    where = parse_number(space, space_name)
    if where > edition.last_space:
        raise NotationError(
            f"seat {seat} is on space {where}, but the last is {edition.last_space}"
        )
    return _make(
        Player,
        (
            _parse_quilt(quilt, edition.rows, edition.columns),
            parse_number(buttons, buttons_name),
            parse_number(income, income_name),
            where,
        ),
    )


def _parse_seat(token: str, what: str) -> int:
    if token not in ("0", "1"):
        raise NotationError(f"{what} must be 0 or 1, not {quote(token)}")
    return int(token)


def _parse_patch(values: list[str], line: str) -> Patch:
    if len(values) != 5:
        raise NotationError(f"a patch is ID COST TIME INCOME SHAPE, not {quote(line)}")
    number, cost, time, income = (parse_number(value, "a number of patch") for value in values[:4])
    try:
        shape = parse_shape(values[4].split("/"))
    except ValueError as error:
        raise NotationError(f"{error}: {quote(values[4])}") from error
    return Patch(number, shape, cost, time, income)


def _check_turn(state: State) -> None:
    """Raise `NotationError` if the tokens show that the seat to move cannot be on turn."""
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


def _check_tile(state: State) -> None:
    """Raise `NotationError` if the holder of the special tile does not match the quilts."""
    edition, holder = state.edition, state.tile
    if edition.tile is None:
        if holder is not None:
            raise NotationError(f"the edition {edition.name} has no special tile")
        return
    first, second = state.players
    earners = [0] if edition.earns_tile(first.quilt) else []
    if edition.earns_tile(second.quilt):
        earners.append(1)
    # an empty quilt may have it: the Automa earns the tile without a board
    if holder is not None and state.players[holder].quilt and holder not in earners:
        raise NotationError(f"seat {holder} has not earned the special tile")
    if holder is None and earners:
        size = edition.tile.size
        raise NotationError(
            f"seat {earners[0]} has covered a square of {size} by {size}, so a seat must hold the"
            " special tile"
        )
