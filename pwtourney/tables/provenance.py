"""What games in a table say about the tournament that they come from: the name of its format.

Our exports have a column `format`, so that a table of them is rated as the results folder is, also
after somebody has left out some of its lines. Names of other formats than ours say nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.ratings.game_columns import Block

__all__ = ["FORMAT", "mark_block", "mark_blocks", "note_format"]

FORMAT = "format"
"""The column with the name of the format."""

_TUNING = "tune"


class _Origin(NamedTuple):
    """What ratings must know of a format."""

    paired_by_results: bool
    chosen_by_results: bool


def note_format(name: object, formats: set[str]) -> None:
    """Add the content of a row's column to `formats`, if it names one of ours."""
    if isinstance(name, str) and name and name in _list_origins():
        formats.add(name)


def mark_blocks(blocks: Iterable[Block], formats: Collection[str], source: str) -> Iterator[Block]:
    """Yield blocks with the marks of all `formats` named so far, which grow as blocks are read."""
    for block in blocks:
        yield mark_block(block, formats, source)


def mark_block(block: Block, formats: Collection[str], source: str) -> Block:
    """Return a block that knows how results decided its games, by the names of their formats.

    Raises `UsageError` that names the `source` for games of a tuning, whose bots have no ratings.
    """
    if not formats:  # then no format need be loaded
        return block
    if _TUNING in formats:
        raise UsageError(
            f"{source}: a tuning has no ratings: its players are one bot, with other values in"
            " every pair; `pwtourney report` shows what came of it"
        )
    origins = [origin for name, origin in _list_origins().items() if name in formats]
    return block._replace(
        paired_by_results=any(origin.paired_by_results for origin in origins),
        chosen_by_results=any(origin.chosen_by_results for origin in origins),
    )


@cache
def _list_origins() -> Mapping[str, _Origin]:
    """Return what ratings must know of each format, by its name."""
    # Imported here, because loading all formats takes as long as reading a small table.
    from pwtourney.schedule.format_spec import list_formats

    return {
        spec.name: _Origin(spec.paired_by_results, spec.chosen_by_results)
        for spec in list_formats()
    }
