"""Ratings of any table of games, and whether a results folder holds what was played.

Neither starts a process, so both run where they are called.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import closing
from pathlib import Path

from pwtourney.config.problems import LEAST_PRIOR, MOST_ELO, MOST_PRIOR
from pwtourney.errors import UsageError
from pwtourney.gametable import Row, prefixed, read_games, results_of
from pwtourney.ratings.games import Block, blocks, gather_blocks
from pwtourney.standings import RatingOptions, Resources, Standings
from pwtourney.standings.rate import tables
from pwtourney.standings.resources import count_resources
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify_folder

__all__ = ["rate", "verify"]

Table = str | os.PathLike[str] | Iterable[Row]
"""A file, or a results folder, or games one by one."""


def rate(*games: Table, anchor: tuple[str, float] | None = None, prior: float = 0.0) -> Standings:
    """Rate the bots of any table of games, as ``pwtourney rate`` does.

    Args:
        games: Each is a results folder, a ``.csv`` or ``.jsonl`` file, or an iterable of games. A
            game is a tuple ``(first, second, score)``, which may go on with ``pair``, ``deal`` and
            ``margin``, or a mapping with these keys. `score` is that of the bot that moved first:
            1, 0.5, 0, or None for a void game. Several tables are one; the pairs of each are its
            own.
        anchor: A bot and the rating that it has by definition, in Elo, within ±100000. Without one
            0 is the average of each pool.
        prior: Virtual games a bot that pull ratings together; 0 for as few as needed.

    Returns:
        Pools of bots that can be compared, the largest first, each with its lines, the best first:
        ``standings.pools[0].lines[0].elo``. Ratings and intervals are in Elo.

    Raises:
        UsageError: A row is no game (file and line, or the row, is named), or `anchor` or `prior`
            is out of range.
        StoreError: A results folder cannot be read.
    """
    if prior != 0 and not LEAST_PRIOR <= prior <= MOST_PRIOR:
        raise UsageError(f"prior: {prior:g} is not 0, nor from {LEAST_PRIOR:g} to {MOST_PRIOR:g}")
    if anchor is not None and not abs(anchor[1]) <= MOST_ELO:
        raise UsageError(f"anchor: {anchor[1]:g} is not within ±{MOST_ELO:g}")
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    columns = gather_blocks(None, _all_blocks(games, resources))
    found = tables(columns, resources, RatingOptions(anchor, prior))
    if found.unanchored:
        raise UsageError(f"anchor: {found.unanchored} has no rating that could be fixed")
    return found


def verify(folder: str | os.PathLike[str]) -> list[str]:
    """Check the results in a folder, as ``pwtourney verify`` does: hashes, games, scores, tables.

    Returns:
        What is wrong, a line each; an empty list if everything is as it was played.

    Raises:
        StoreError: There are no results, or they cannot be read.
    """
    results = ResultsFolder(Path(folder))
    with closing(Store.open(results.database)) as store:
        return verify_folder(store, results)


def _all_blocks(
    games: tuple[Table, ...], resources: MutableMapping[str, Resources]
) -> Iterator[Block]:
    for number, table in enumerate(games):
        prefix = str(number) if len(games) > 1 else ""
        if isinstance(table, str | os.PathLike):
            yield from read_games(Path(table), prefix, resources)
        else:
            rows = blocks(count_resources(results_of(table), resources))
            yield from prefixed(rows, prefix, deals=True)
