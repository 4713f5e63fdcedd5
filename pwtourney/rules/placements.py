"""All placements of a patch as the bits of one integer."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from pwtourney.rules.action import Action, take
from pwtourney.rules.geometry import Orientation
from pwtourney.rules.lazy import Lazy

__all__ = ["Placements"]


class Placements:
    """The possible placements of a patch: one integer with a bit per orientation and square.

    It contains the boards of all orientations side by side, lowest number first. `find` is a
    function from free squares to the legal placements, and `actions` maps each bit to its action.
    `squares` is the number of squares of the board. At least one orientation is needed.
    """

    __slots__ = ("_lays", "_margin", "_width", "actions", "find", "patch")

    patch: int
    find: Callable[[int], int]
    actions: dict[int, Action]

    def __init__(self, patch: int, orientations: Sequence[Orientation], squares: int) -> None:
        # A placement is legal when all its squares are free: the AND of the free squares shifted
        # right by each offset, masked to where the box fits. A product with a sum of powers of two
        # makes several shifted copies at once, so one product per square of the patch handles all
        # orientations. The boards are far enough apart that no copy reaches the next.
        self.patch = patch
        self._lays = tuple(orientations)
        columns = [*zip(*(lay.offsets for lay in self._lays), strict=True)]
        gaps = (after - before for column in columns for before, after in pairwise(column))
        self._width = squares + max(gaps, default=0)
        self._margin = max(lay.offsets[-1] for lay in self._lays)
        starts = [self._margin + board * self._width for board in range(len(self._lays))]
        factors = [
            sum(1 << start - offset for start, offset in zip(starts, column, strict=True))
            for column in columns
        ]
        fits = sum(lay.fits << start for lay, start in zip(self._lays, starts, strict=True))
        copies = " & ".join(f"free * {factor}" for factor in factors)
        namespace: dict[str, Callable[[int], int]] = {}
        # safe: the source contains only integers that were computed above
        exec(f"def find(free):\n    return {copies} & {fits}\n", namespace)
        self.find = namespace["find"]
        self.actions = Lazy(self._take)

    def anchors(self, free: int) -> tuple[int, ...]:
        """Return the legal squares for the top-left corner, as bits, of each orientation."""
        anchors = self.find(free) >> self._margin
        board = (1 << self._width) - 1
        return tuple(anchors >> k * self._width & board for k in range(len(self._lays)))

    def _take(self, bit: int) -> Action:
        board, square = divmod(bit - self._margin, self._width)
        return take(self.patch, self._lays[board].number, square)
