"""An edition of the game: everything that differs between boxes, as data.

The engine has no subclasses and no special cases by name. An `Edition` contains the numbers and
flags, checks that they describe a playable game, and keeps the tables that are computed from them
once.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from pwtourney.errors import EditionError
from pwtourney.rules.action import Action
from pwtourney.rules.geometry import (
    Orientation,
    Shape,
    canonical_numbers,
    distinct_orientations,
    is_connected,
    set_bits,
    square_windows,
)
from pwtourney.rules.lazy import Lazy
from pwtourney.rules.placements import Placements

__all__ = ["MAX_SIDE", "MAX_SPACE", "Edition", "Late", "Patch", "Taking", "Tile"]

MAX_SIDE = 20
"""The longest side of a quilt board: columns are named by one letter, and masks stay small."""

MAX_SPACE = 999
"""The longest track."""

_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


class Patch(NamedTuple):
    """A regular patch: `cost` in buttons, `time` in spaces, `income` in buttons printed on it."""

    id: int
    shape: Shape
    cost: int
    time: int
    income: int


class Tile(NamedTuple):
    """The special tile: the side of the square that earns it, and its points at the end."""

    size: int
    points: int


class Late(NamedTuple):
    """Patches that enter the circle in a hidden order.

    They enter when a player takes a patch and leaves `when_left` in it.
    """

    when_left: int
    patches: tuple[int, ...]


class Taking(NamedTuple):
    """A placement of a patch: the squares that it covers as a `mask`, its cost, time and income."""

    mask: int
    cost: int
    time: int
    income: int


class Edition:
    """The data of one edition, frozen, with the tables that the engine works from.

    Two editions are equal when they play alike: names and descriptions do not count. Raises
    `EditionError`, naming the key, for numbers that do not describe a playable game.

    Attributes beyond the constructor's: `patch` (id → `Patch`), `orientations` (id → distinct
    `Orientation` values), `lays` (id → orientation number → `Orientation`), `aliases` (id → for
    each of the eight orientation numbers the lowest that gives the same shape), `placements` (id →
    `Placements`), `takings` (action → `Taking`; KeyError for an action that takes no patch, or
    leaves the board), `full` (mask of the whole board), `edges` (masks of the first and last row,
    and of the first and last column), `windows` (masks that earn the special tile), `tile_squares`
    (the fewest squares of a quilt that earns it), `incomes_passed` and `leathers_passed` (space →
    how many marks are at or below it), `leathers_ahead` (space → the marks beyond it). Entries by
    id or action, except those of `patch`, are computed on first access: do not list or count them.
    """

    __slots__ = (
        "_hash",
        "_key",
        "aliases",
        "columns",
        "currency",
        "declining",
        "description",
        "edges",
        "full",
        "income_marks",
        "incomes_passed",
        "last_space",
        "late",
        "lays",
        "leather_marks",
        "leathers_ahead",
        "leathers_passed",
        "name",
        "offer",
        "orientations",
        "patch",
        "patches",
        "placements",
        "provenance",
        "rows",
        "start_buttons",
        "start_patch",
        "takings",
        "tile",
        "tile_squares",
        "title",
        "windows",
    )

    name: str
    rows: int
    columns: int
    last_space: int
    start_buttons: int
    income_marks: tuple[int, ...]
    leather_marks: tuple[int, ...]
    patches: tuple[Patch, ...]
    start_patch: int
    tile: Tile | None
    late: Late | None
    offer: int
    declining: bool
    currency: str
    title: str
    description: str
    provenance: str
    patch: dict[int, Patch]
    orientations: dict[int, tuple[Orientation, ...]]
    lays: dict[int, dict[int, Orientation]]
    aliases: dict[int, tuple[int, ...]]
    placements: dict[int, Placements]
    takings: dict[Action, Taking]
    tile_squares: int
    full: int
    edges: tuple[int, int, int, int]
    windows: tuple[int, ...]
    incomes_passed: tuple[int, ...]
    leathers_passed: tuple[int, ...]
    leathers_ahead: tuple[tuple[int, ...], ...]
    _key: tuple[object, ...]
    _hash: int

    def __init__(
        self,
        *,
        name: str,
        rows: int,
        columns: int,
        last_space: int,
        start_buttons: int,
        income_marks: Iterable[int],
        leather_marks: Iterable[int],
        patches: Iterable[Patch],
        start_patch: int,
        tile: Tile | None = None,
        late: Late | None = None,
        offer: int = 3,
        declining: bool = False,
        currency: str = "buttons",
        title: str = "",
        description: str = "",
        provenance: str = "",
    ) -> None:
        def keep(**values: object) -> None:
            for key, value in values.items():
                object.__setattr__(self, key, value)  # ours raises: it is frozen

        keep(name=name, title=title or name, description=description, provenance=provenance)
        keep(rows=rows, columns=columns, last_space=last_space, start_buttons=start_buttons)
        keep(income_marks=tuple(income_marks), leather_marks=tuple(leather_marks))
        keep(patches=tuple(patches), start_patch=start_patch, tile=tile, late=late)
        keep(offer=offer, declining=declining, currency=currency)
        problems = chain(_check_board(self), _check_patches(self), _check_circle(self))
        if problem := next(problems, None):
            # the name is not checked yet and may be anything, so it is written as ASCII
            raise EditionError(f"edition {ascii(self.name)[1:-1]}: {problem}")
        keep(**self._tables())
        key = self._facts()
        keep(_key=key, _hash=hash(key))

    def _facts(self) -> tuple[object, ...]:
        """Return everything that a game depends on.

        The order must never change: fingerprints in stored games and records are made of it.
        """
        return (
            self.rows,
            self.columns,
            self.last_space,
            self.start_buttons,
            self.offer,
            self.income_marks,
            self.leather_marks,
            self.tile,
            self.late,
            self.declining,
            self.start_patch,
            tuple(
                (patch.id, tuple(sorted(patch.shape)), patch.cost, patch.time, patch.income)
                for patch in self.patches
            ),
        )

    def _tables(self) -> dict[str, object]:
        """Compute the tables of the engine."""
        by_id = {patch.id: patch for patch in self.patches}
        rows, columns = self.rows, self.columns
        # Tables of single patches are computed on first access, because a bot has to be ready soon
        # after its start.
        orientations: Lazy[int, tuple[Orientation, ...]] = Lazy(
            lambda n: distinct_orientations(by_id[n].shape, rows, columns)
        )
        # passed marks are looked up by space, so that a ply takes two look-ups and no search
        spaces = range(self.last_space + 1)
        marks = self.leather_marks
        lays: Lazy[int, dict[int, Orientation]] = Lazy(
            lambda n: {lay.number: lay for lay in orientations[n]}
        )

        def describe_taking(action: Action) -> Taking:
            lay = lays[action.patch][action.orientation]
            if action.kind != "take" or action.square < 0 or not lay.fits >> action.square & 1:
                raise KeyError(action)
            patch = by_id[action.patch]
            return Taking(lay.mask << action.square, patch.cost, patch.time, patch.income)

        top, left = (1 << columns) - 1, sum(1 << row * columns for row in range(rows))
        return {
            "patch": by_id,
            "orientations": orientations,
            "lays": lays,
            "aliases": Lazy(lambda n: canonical_numbers(by_id[n].shape)),
            "takings": Lazy(describe_taking),
            "placements": Lazy(lambda n: Placements(n, orientations[n], rows * columns)),
            "full": (1 << rows * columns) - 1,
            "edges": (top, top << (rows - 1) * columns, left, left << columns - 1),
            # more squares than the board has, if nothing earns it
            "tile_squares": self.tile.size**2 if self.tile else rows * columns + 1,
            "windows": square_windows(self.tile.size, rows, columns) if self.tile else (),
            "incomes_passed": tuple(sum(m <= s for m in self.income_marks) for s in spaces),
            "leathers_passed": tuple(sum(m <= s for m in marks) for s in spaces),
            "leathers_ahead": tuple(tuple(m for m in marks if m > s) for s in spaces),
        }

    @property
    def circle_patches(self) -> tuple[int, ...]:
        """The ids of the patches that are in the circle from the start, in table order."""
        late = self.late.patches if self.late else ()
        return tuple(patch.id for patch in self.patches if patch.id not in late)

    def earns_tile(self, quilt: int) -> bool:
        """Return True if a quilt has a fully covered square of the special tile's size."""
        # most quilts have too few squares for any window, which one bit count shows
        if quilt.bit_count() < self.tile_squares:
            return False
        return any(quilt & window == window for window in self.windows)

    def fill_tables(self, most: int) -> None:
        """Compute the tables that are otherwise computed on first access, such as all takings.

        It is for a process that is forked many times: all copies share the tables. It stops before
        the takings if all placements together have over `most` squares: large patches on large
        boards, or thousands of patches, would take seconds.
        """
        tables = []
        for patch in self.patches:
            self.aliases[patch.id]
            table = self.placements[patch.id]
            bits = table.find(self.full)
            most -= bits.bit_count() * len(patch.shape)
            if most < 0:
                return
            tables.append((table, bits))
        for table, bits in tables:
            for bit in set_bits(bits):
                self.takings[table.actions[bit]]

    def replace(self, **changes: Any) -> "Edition":
        """Return an edition with some of the constructor's arguments changed."""
        return Edition(**{field: getattr(self, field) for field in _FIELDS} | changes)

    def fingerprint(self) -> str:
        """Return 16 hex digits that identify how an edition plays."""
        from hashlib import sha256  # imported here: most bots need no digest

        return sha256(repr(self._key).encode()).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Edition) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Edition {self.name}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an edition is frozen: {name} cannot be set")

    def __reduce__(self) -> tuple[object, ...]:
        # only the constructor's arguments: the tables contain functions, which cannot be pickled
        return _revive, tuple(getattr(self, field) for field in _FIELDS)


_FIELDS = (
    "name",
    "title",
    "description",
    "provenance",
    "currency",
    "rows",
    "columns",
    "last_space",
    "start_buttons",
    "income_marks",
    "leather_marks",
    "patches",
    "start_patch",
    "tile",
    "late",
    "offer",
    "declining",
)


@lru_cache(maxsize=16)
def _revive(*values: Any) -> Edition:
    """Return the unpickled edition, cached: its tables serve later games as well."""
    return Edition(**dict(zip(_FIELDS, values, strict=True)))


# Each check yields what makes the game unplayable. Only the first problem is requested, so code
# after a `yield` may rely on all earlier checks.


def _check_board(edition: Edition) -> Iterator[str]:
    """Check the name, the board, the start and the track."""
    if not 1 <= len(edition.name) <= 32 or not _NAME_CHARACTERS.issuperset(edition.name):
        yield "a name is 1 to 32 characters of a to z, 0 to 9, dot, underscore and hyphen"
    for key, side in (("rows", edition.rows), ("columns", edition.columns)):
        if not 1 <= side <= MAX_SIDE:
            yield f"board.{key} is {side}; it must be from 1 to {MAX_SIDE}"
    if not 0 <= edition.start_buttons <= MAX_SPACE:
        yield f"start.buttons is {edition.start_buttons}; it must be from 0 to {MAX_SPACE}"
    if not 1 <= edition.offer <= 9:
        yield f"offer is {edition.offer}; it must be from 1 to 9"
    last = edition.last_space
    if not 1 <= last <= MAX_SPACE:
        yield f"track.last_space is {last}; it must be from 1 to {MAX_SPACE}"
    for key, marks in (("income", edition.income_marks), ("leather", edition.leather_marks)):
        outside = [mark for mark in marks if not 1 <= mark <= last]
        if outside:
            yield f"track.{key} has a mark at {outside[0]}, outside the track (1 to {last})"
        if list(marks) != sorted(set(marks)):
            yield f"track.{key} must rise from mark to mark, each once"


def _check_patches(edition: Edition) -> Iterator[str]:
    if not edition.patches:
        yield "patches is empty; a game needs at least one patch"
    if len(edition.patches) > MAX_SPACE:
        yield f"patches has {len(edition.patches)} entries; the most are {MAX_SPACE}"
    ids: set[int] = set()
    for patch in edition.patches:
        if patch.id in ids:
            yield f"patches has the id {patch.id} twice"
        ids.add(patch.id)
    board = sorted((edition.rows, edition.columns))
    for patch in edition.patches:
        if not 1 <= patch.id <= MAX_SPACE:
            yield f"patch {patch.id}: the id must be from 1 to {MAX_SPACE}"
        for key, value in (("buttons", patch.cost), ("time", patch.time), ("income", patch.income)):
            if not 0 <= value <= MAX_SPACE:
                yield f"patch {patch.id}: {key} is {value}; it must be from 0 to {MAX_SPACE}"
        if not is_connected(patch.shape):
            yield f"patch {patch.id}: the squares of the shape are not connected"
        # a patch that fits in no orientation could be offered and never be taken
        sides = sorted((1 + max(r for r, _ in patch.shape), 1 + max(c for _, c in patch.shape)))
        if sides[0] > board[0] or sides[1] > board[1]:
            size = f"{edition.rows} × {edition.columns}"
            yield f"patch {patch.id}: the shape does not fit the board of {size}"


def _check_circle(edition: Edition) -> Iterator[str]:
    """Check the late patches, the beginning of the circle, and the special tile."""
    ids = {patch.id for patch in edition.patches}
    if edition.late:
        unknown = sorted(set(edition.late.patches) - ids)
        if unknown:
            yield f"late.patches names {unknown[0]}, which is not a patch of this edition"
        if len(set(edition.late.patches)) != len(edition.late.patches):
            yield "late.patches names a patch twice"
        # late patches enter when taking a patch leaves this many, and the first one leaves one less
        # than all
        most = len(ids) - len(edition.late.patches) - 1
        if not 0 <= edition.late.when_left <= most:
            yield f"late.when_left is {edition.late.when_left}; it must be from 0 to {most}"
    if edition.start_patch not in edition.circle_patches:
        yield f"start.patch is {edition.start_patch}, which is not in the circle at the start"
    if edition.tile and not 1 <= edition.tile.size <= min(edition.rows, edition.columns):
        yield f"tile.size is {edition.tile.size}, which does not fit the board"
    if edition.tile and not 0 <= edition.tile.points <= MAX_SPACE:
        yield f"tile.points is {edition.tile.points}; it must be from 0 to {MAX_SPACE}"
