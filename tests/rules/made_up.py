"""A hypothesis strategy for random editions that were never printed."""

from hypothesis import strategies as st

from pwtourney.rules import Edition, Late, Patch, SplitMix64, Tile
from pwtourney.rules.geometry import Shape

__all__ = ["made_up_editions"]

MOST_SQUARES = 128


@st.composite
def made_up_editions(draw: st.DrawFn) -> Edition:
    """Draw a random valid edition: board, track, patches and flags, mostly small."""
    rows = draw(st.integers(1, 16))
    columns = draw(st.integers(1, min(20, MOST_SQUARES // rows)))
    last = draw(st.integers(1, 40))
    marks = st.lists(st.integers(1, last), unique=True, max_size=8).map(sorted)
    stream = SplitMix64(draw(st.integers(0, 2**64 - 1)))
    patches = [
        Patch(number, draw_shape(stream, rows, columns), *map(stream.below, (5, 6, 4)))
        for number in range(1, draw(st.integers(1, 12)) + 1)
    ]
    late = draw(st.integers(0, len(patches) - 1))
    size = draw(st.integers(0, min(rows, columns, 7)))
    return Edition(
        name="made-up",
        rows=rows,
        columns=columns,
        last_space=last,
        start_buttons=draw(st.integers(0, 9)),
        income_marks=draw(marks),
        leather_marks=draw(marks),
        patches=patches,
        start_patch=draw(st.integers(1, len(patches) - late)),
        tile=Tile(size, 7) if size else None,
        late=Late(
            draw(st.integers(0, len(patches) - late - 1)),
            tuple(patch.id for patch in patches[len(patches) - late :]),
        )
        if late
        else None,
        offer=draw(st.integers(1, 9)),
        declining=draw(st.booleans()),
    )


def draw_shape(stream: SplitMix64, rows: int, columns: int) -> Shape:
    """Return a random connected shape of up to nine squares that fits the board."""
    squares = {(stream.below(rows), stream.below(columns))}
    for _ in range(stream.below(8)):
        near = {(r + y, c + x) for r, c in squares for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        free = sorted((r, c) for r, c in near - squares if 0 <= r < rows and 0 <= c < columns)
        if free:
            squares.add(free[stream.below(len(free))])
    top, left = min(r for r, _ in squares), min(c for _, c in squares)
    return frozenset((r - top, c - left) for r, c in squares)
