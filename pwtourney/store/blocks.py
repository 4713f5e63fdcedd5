"""The results of a store as blocks, which know how their schedule chose them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

from pwtourney.ratings.game_columns import Block, Result, make_blocks
from pwtourney.store.meta import Meta

__all__ = ["make_store_blocks"]


def make_store_blocks(meta: Meta, results: Iterable[Result]) -> Iterator[Block]:
    """Yield the results of a store in blocks; they are in the order of their pairs.

    Each version of a league is a run. It must not be compared with others if results ended it:
    a test that stops as soon as a bot is ahead shows larger differences.
    """
    plan = meta.schedule
    firsts = [generation.first for generation in meta.generations]
    for version, part in groupby(results, lambda result: bisect_right(firsts, int(result.pair))):
        for block in make_blocks(part):
            yield block._replace(
                paired_by_results=plan.paired_by_results,
                chosen_by_results=plan.chosen_by_results,
                run=None if plan.until else str(version),
            )
