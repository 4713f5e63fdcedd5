"""An edition as lines of text: what a bot is told, and what is kept with stored games."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from pwtourney.errors import EditionError, NotationError
from pwtourney.notation.token import parse_number, quote
from pwtourney.rules import Edition, Late, Patch, Tile, parse_shape, shape_rows

__all__ = ["EDITION_WORDS", "edition_lines", "parse_edition_lines"]

EDITION_WORDS = (
    *("board", "start", "offer", "declining", "income", "leather", "tile", "late", "patch"),
)
"""The first words of the lines."""

_COUNTS = {"board": 3, "start": 2, "offer": 1, "declining": 1, "tile": 2}


@lru_cache(maxsize=16)
def edition_lines(edition: Edition) -> tuple[str, ...]:
    """Describe an edition completely, but for its name and what people read about it.

    Every bot is told this before every game, so it is kept.
    """
    return tuple(_describe(edition))


def _describe(edition: Edition) -> Iterator[str]:
    yield f"board {edition.rows} {edition.columns} {edition.last_space}"
    yield f"start {edition.start_buttons} {edition.start_patch}"
    yield f"offer {edition.offer}"
    yield f"declining {int(edition.declining)}"
    yield " ".join(["income", *map(str, edition.income_marks)])
    yield " ".join(["leather", *map(str, edition.leather_marks)])
    if edition.tile:
        yield f"tile {edition.tile.size} {edition.tile.points}"
    if edition.late:
        yield " ".join(map(str, ["late", edition.late.when_left, *edition.late.patches]))
    for patch in edition.patches:
        shape = "/".join(shape_rows(patch.shape))
        yield f"patch {patch.id} {patch.cost} {patch.time} {patch.income} {shape}"


def parse_edition_lines(name: str, lines: Iterable[str]) -> Edition:
    """Make the edition that lines describe, in whatever order; raises `NotationError`."""
    numbers: dict[str, tuple[int, ...]] = {}
    patches = []
    for line in lines:
        word, _, rest = line.partition(" ")
        values = rest.split()
        if word == "patch":
            patches.append(_parse_patch(values, line))
        elif word in EDITION_WORDS:
            numbers[word] = tuple(parse_number(value, f"a number of {word}") for value in values)
            if len(values) != _COUNTS.get(word, len(values)) or (word == "late" and not values):
                raise NotationError(f"{word} has {len(values)} numbers: {quote(line)}")
    missing = [word for word in EDITION_WORDS[:6] if word not in numbers]
    if missing:
        raise NotationError(f"the edition {quote(name)} has no line {missing[0]}")
    try:
        return _edition(name, numbers, patches)
    except EditionError as error:
        raise NotationError(str(error)) from error


def _parse_patch(values: list[str], line: str) -> Patch:
    if len(values) != 5:
        raise NotationError(f"a patch is ID COST TIME INCOME SHAPE, not {quote(line)}")
    number, cost, time, income = (parse_number(value, "a number of patch") for value in values[:4])
    try:
        shape = parse_shape(values[4].split("/"))
    except ValueError as error:
        raise NotationError(f"{error}: {quote(values[4])}") from error
    return Patch(number, shape, cost, time, income)


def _edition(name: str, numbers: dict[str, tuple[int, ...]], patches: list[Patch]) -> Edition:
    rows, columns, last_space = numbers["board"]
    start_buttons, start_patch = numbers["start"]
    late = numbers.get("late")
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
